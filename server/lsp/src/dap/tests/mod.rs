//! Sessions over pipes.

mod breakpoints;
mod client;
mod fuzz;
mod lifecycle;
mod moving;
mod showing;

/// A kernel that diverges and calls a function, with a loop.
pub const DIVERGING: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 out) twice(.reg .u32 in)
{
    .reg .u32 %t;
    add.u32 %t, in, in;
    mov.u32 out, %t;
    ret;
}
.visible .func unused() { ret; }
//! launch: grid=2 block=64 n=3 out=u32[128]:zero
//! expect: out[0]=6 out[31]=31
.visible .entry kernel(.param .u32 n, .param .u64 out)
{
    .reg .pred %p, %q;
    .reg .u32 %lane, %n, %i, %v;
    .reg .u64 %a, %o;
    .shared .align 4 .u32 table[64];
    mov.u32 %lane, %tid.x;
    ld.param.u32 %n, [n];
    mov.u32 %v, %lane;
    setp.lt.u32 %p, %lane, 16;
    @!%p bra after;
    mov.u32 %i, 0;
loop:
    call (%v), twice, (%n);
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 2;
    @%q bra loop;
after:
    mul.wide.u32 %o, %lane, 4;
    mov.u64 %a, table;
    add.u64 %a, %a, %o;
    st.shared.u32 [%a], %v;
    mov.u64 %o, %o; // here
    bar.sync 0;
    ld.shared.u32 %v, [%a];
    ld.param.u64 %a, [out];
    mov.u32 %n, %ctaid.x;
    mad.wide.u32 %o, %n, 256, %o;
    add.u64 %a, %a, %o;
    st.global.u32 [%a], %v;
    ret;
}
";

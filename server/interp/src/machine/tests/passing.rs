//! Tests of arguments and results: bytes of all sizes, arrays, registers, predicates.

use super::traced;
use crate::findings::FaultKind;

/// A function that returns its argument, with `.param` variables of type `ty`, and a kernel body that calls it.
fn echo(ty: &str, register: &str) -> (String, String) {
    let function = format!(
        ".func (.param .{ty} r) f(.param .{ty} a) {{ .reg .{register} %x; ld.param.{ty} %x, [a]; st.param.{ty} [r], %x; ret; }}"
    );
    let call = |register: &str| {
        format!(
            "{{ .param .{ty} a; .param .{ty} b; st.param.{ty} [a], {register}; call (b), f, (a); ld.param.{ty} {register}, [b]; }}"
        )
    };
    let own = match register {
        "b16" => "cvt.u16.u32 %h1, %r0; CALL cvt.u32.u16 %r2, %h1;".replace("CALL", &call("%h1")),
        "b64" => "cvt.u64.u32 %rd5, %r0; CALL cvt.u32.u64 %r2, %rd5;".replace("CALL", &call("%rd5")),
        "f32" => "cvt.rn.f32.u32 %f1, %r0; CALL cvt.rzi.u32.f32 %r2, %f1;".replace("CALL", &call("%f1")),
        "f64" => "cvt.rn.f64.u32 %d1, %r0; CALL cvt.rzi.u32.f64 %r2, %d1;".replace("CALL", &call("%d1")),
        _ => format!("mov.u32 %r2, %r0; {}", call("%r2")),
    };
    (function, format!("{own} st.global.u32 [%rd1], %r2;"))
}

#[test]
fn values_of_all_sizes_are_passed() {
    for (ty, register) in [
        ("b8", "b32"),
        ("u8", "b32"),
        ("s8", "b32"),
        ("b16", "b16"),
        ("u16", "b16"),
        ("b32", "b32"),
        ("s32", "b32"),
        ("f32", "f32"),
        ("b64", "b64"),
        ("u64", "b64"),
        ("f64", "f64"),
    ] {
        let (function, body) = echo(ty, register);
        assert_eq!(traced(&function, &body, 32).words(), (0..32).collect::<Vec<_>>(), "{ty}");
    }
}

#[test]
fn arrays_are_passed_by_value() {
    let function = ".func (.param .align 16 .b8 r[32]) f(.param .align 8 .b8 a[24], .param .b32 n) { .reg .b32 %x, %y; .reg .b64 %l;\n\
        ld.param.b32 %x, [a+20]; ld.param.b64 %l, [a+8]; ld.param.b32 %y, [n]; st.param.b64 [r+16], %l; st.param.b32 [r+12], %x; st.param.b32 [r], %y; ret; }";
    let body = "{ .param .align 8 .b8 a[24]; .param .b32 n; .param .align 16 .b8 r[32];\n\
        st.param.b32 [a+20], %r0; mov.u64 %rd5, 77; st.param.b64 [a+8], %rd5; st.param.b32 [n], 3; call (r), f, (a, n);\n\
        ld.param.b32 %r1, [r+12]; ld.param.b64 %rd6, [r+16]; ld.param.b32 %r2, [r]; }\n\
        cvt.u32.u64 %r3, %rd6; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1;";
    assert_eq!(traced(function, body, 32).words(), (80..112).collect::<Vec<_>>());
    // Bytes of the array that were not stored are unwritten in the callee.
    let run = traced(function, &body.replace("st.param.b32 [a+20], %r0;", ""), 32);
    assert!(run.out.kinds().contains(&FaultKind::UninitializedMemory), "{:?}", run.out.faults());
}

#[test]
fn registers_and_predicates_are_passed() {
    let function = ".func (.reg .b32 r, .reg .pred q) f(.reg .b32 a, .reg .pred p, .reg .b64 l) { .reg .b32 %x;\n\
        cvt.u32.u64 %x, l; add.u32 r, a, %x; @p add.u32 r, r, 100; setp.lt.u32 q, a, 16; ret; }";
    let body = "setp.lt.u32 %p1, %r0, 8; mov.u64 %rd5, 1000; call (%r2, %p2), f, (%r0, %p1, %rd5);\n\
        @%p2 add.u32 %r2, %r2, 10000; st.global.u32 [%rd1], %r2;";
    let wanted = |l: u32| l + 1000 + if l < 8 { 100 } else { 0 } + if l < 16 { 10_000 } else { 0 };
    assert_eq!(traced(function, body, 32).words(), (0..32).map(wanted).collect::<Vec<_>>());
}

/// Vector registers of 128 bits at most are the only ones that PTX has.
#[test]
fn vector_registers_are_passed_with_all_elements() {
    let swap = |n: usize, ty: &str| {
        let names = &["x", "y", "z", "w"][..n];
        let copies = names.iter().zip(names.iter().rev());
        let copies: String = copies.map(|(to, from)| format!("mov.{ty} o.{to}, i.{from};")).collect();
        format!(".func (.reg .v{n} .{ty} o) f(.reg .v{n} .{ty} i) {{ {copies} ret; }}")
    };
    let two = ".reg .v2 .u32 t; mov.u32 t.x, %r0; mov.u32 t.y, 100; CALL mad.lo.u32 %r2, t.x, 1000, t.y; st.global.u32 [%rd1], %r2;";
    let wanted: Vec<u32> = (0..32).map(|l| 100_000 + l).collect();
    let indirect =
        "{ .reg .u64 q; mov.u64 q, f; P: .callprototype (.reg .v2 .u32 _) _ (.reg .v2 .u32 _); call (t), q, (t), P; }";
    let listed = "{ .reg .u64 q; mov.u64 q, f; T: .calltargets f; call (t), q, (t), T; }";
    for call in ["call (t), f, (t);", indirect, listed] {
        assert_eq!(traced(&swap(2, "u32"), &two.replace("CALL", call), 32).words(), wanted, "{call}");
    }
    let four = "{ .reg .v4 .u16 t; cvt.u16.u32 t.x, %r0; mov.u16 t.y, 2; mov.u16 t.z, 3; mov.u16 t.w, 4; call (t), f, (t); mov.b64 %rd5, {t.x, t.y, t.z, t.w}; }\n\
        shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r2, %rd5; cvt.u32.u64 %r3, %rd6; mul.lo.u32 %r2, %r2, 7; add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;";
    let wanted = (0..32).map(|l: u32| 0x0003_0004 * 7 + (l << 16 | 2)).collect::<Vec<_>>();
    assert_eq!(traced(&swap(4, "u16"), four, 32).words(), wanted);
    let wide = "{ .reg .v2 .b64 t; cvt.u64.u32 t.x, %r0; mov.b64 t.y, 5; call (t), f, (t); mad.lo.u64 %rd5, t.x, 100, t.y; }\n\
        cvt.u32.u64 %r2, %rd5; st.global.u32 [%rd1], %r2;";
    assert_eq!(traced(&swap(2, "b64"), wide, 32).words(), (0..32).map(|l| 500 + l).collect::<Vec<_>>());
    // ptxas also takes a number of the same size, and a `.param` variable, for a vector register, and the other way round.
    let number = two.replace("CALL", "call (t), f, (0x300000004);");
    assert_eq!(traced(&swap(2, "u32"), &number, 32).words(), [3004; 32]);
    let variable = two.replace("CALL", "{ .param .b64 a; st.param.v2.u32 [a], {9, 8}; call (t), f, (a); }");
    assert_eq!(traced(&swap(2, "u32"), &variable, 32).words(), [8009; 32]);
    let memory = ".func (.param .b64 o) f(.param .b64 i) { .reg .b32 %x, %y; ld.param.v2.u32 {%x, %y}, [i]; st.param.v2.u32 [o], {%y, %x}; ret; }";
    let wanted: Vec<u32> = (0..32).map(|l| 100_000 + l).collect();
    assert_eq!(traced(memory, &two.replace("CALL", "call (t), f, (t);"), 32).words(), wanted);
}

#[test]
fn elements_of_vector_registers_that_have_no_value_are_found() {
    let function = ".func (.reg .v2 .u32 o) f(.reg .v2 .u32 i) { mov.u32 o.y, 1; ret; }";
    let body = ".reg .v2 .u32 t; mov.u32 t.x, 1; mov.u32 t.y, 2; call (t), f, (t); add.u32 %r2, t.y, 1; add.u32 %r3, t.x, 1; st.global.u32 [%rd1], %r2;";
    let run = traced(function, body, 32);
    let messages: Vec<&str> = run.out.faults().iter().map(|f| f.message.as_str()).collect();
    assert_eq!(run.out.kinds(), [FaultKind::UninitializedRegister], "{messages:?}");
    assert!(messages[0].starts_with("`t.x` is read"), "{messages:?}");
}

#[test]
fn constants_are_passed_and_results_may_be_dropped() {
    let function = ".func (.reg .b32 r) f(.param .b32 a, .reg .b16 b) { .reg .b32 %x; ld.param.b32 %x, [a]; cvt.u32.u16 r, b; add.u32 r, r, %x; ret; }\n\
        .func (.param .b32 r) g() { st.param.b32 [r], 4; ret; }";
    let body = "call (%r2), f, (40, 2); call (_), g, (); st.global.u32 [%rd1], %r2;";
    assert_eq!(traced(function, body, 32).words(), [42; 32]);
}

#[test]
fn a_result_that_is_never_given_is_no_value() {
    let function = ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x; .reg .pred %p; ld.param.b32 %x, [a]; setp.lt.u32 %p, %x, 16;\n\
        @%p st.param.b32 [r], %x; ret; }";
    let body = |limit: u32| {
        format!(
            "{{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; setp.lt.u32 %p1, %r0, {limit}; @!%p1 bra J; call (b), f, (a);\n\
             ld.param.b32 %r2, [b]; st.global.u32 [%rd1], %r2; }}\nJ: mov.u32 %r3, 0;"
        )
    };
    assert_eq!(traced(function, &body(16), 32).words()[14..18], [14, 15, 0, 0]);
    let run = traced(function, &body(18), 32);
    assert_eq!(run.out.kinds(), [FaultKind::UninitializedMemory]);
    assert_eq!(run.out.faults()[0].count, 2, "lanes 16 and 17");
}

#[test]
fn parameters_of_the_callers_stay_while_others_call() {
    let function = ".func (.param .b32 r) inner(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 [r], %x; ret; }\n\
        .func (.param .b32 r) outer(.param .b32 a, .param .b32 b) { .reg .b32 %x, %y;\n\
        { .param .b32 q; .param .b32 s; st.param.b32 [q], 500; call (s), inner, (q); ld.param.b32 %x, [s]; }\n\
        ld.param.b32 %y, [a]; add.u32 %x, %x, %y; ld.param.b32 %y, [b]; add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }";
    let body = "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %r0; st.param.b32 [b], 1000; call (r), outer, (a, b);\n\
        ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2; }";
    assert_eq!(traced(function, body, 32).words(), (1501..1533).collect::<Vec<_>>());
}

#[test]
fn what_is_said_of_values_goes_with_them() {
    use ptx_num::values::Marks;
    let function = ".func (.reg .b32 r) f(.param .b32 b) { .reg .b32 %x; ld.param.b32 %x, [b]; mov.b32 r, %x; ret; }\n\
        .func (.param .b32 s) g(.reg .b32 a) { st.param.b32 [s], a; ret; }\n.func (.reg .b32 r) none() { ret; }";
    // The bits of a NaN made by `cvt` are unspecified; those of 5 are not.
    let body = |first: &str, second: &str| {
        format!(
            "mov.b32 %r1, 0x7f800001; mov.b32 %f1, %r1; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r2, %h1; mov.u32 %r3, 5;\n\
             {{ .param .b32 b; .param .b32 s; st.param.b32 [b], {second}; call (s), g, ({first}); call (%r4), f, (b); ld.param.b32 %r5, [s]; }}\n\
             setp.ne.u32 %p0, %r0, 0; @%p0 exit; st.global.u32 [%rd0], %r4; st.global.u32 [%rd0+4], %r5;"
        )
    };
    let marks = |first: &str, second: &str| {
        let run = traced(function, &body(first, second), 2);
        assert_eq!(run.out.kinds(), []);
        let buffer = run.out.run.machine.memory.global.named("buffer 0").expect("the buffer");
        [0, 4].map(|at| buffer.storage.read(at, &mut [0; 4]).marks)
    };
    assert_eq!(marks("%r2", "%r3"), [Marks::NONE, Marks::UNSPECIFIED]);
    assert_eq!(marks("%r3", "%r2"), [Marks::UNSPECIFIED, Marks::NONE]);
    // A result that the function never stored is unwritten, whatever the register held before.
    let run = traced(function, "mov.u32 %r4, 1; call (%r4), none, (); st.global.u32 [%rd1], %r4;", 1);
    assert_eq!(run.out.kinds(), [FaultKind::UninitializedRegister]);
}

//! Tests of local, shared and constant memory, initial values, and addresses of 32 bits.

use super::traced;
use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, words};

#[test]
fn each_lane_has_its_own_local_memory() {
    let body = |offset: &str| {
        format!(
            ".local .align 4 .b8 buf[16]; st.local.u32 [buf+4], %r0; mov.u64 %rd2, buf; cvta.local.u64 %rd3, %rd2;\n\
             ld.u32 %r1, [%rd3+4]; st.u32 [%rd3+8], 1000; ld.local.u32 %r2, [buf+{offset}]; add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;"
        )
    };
    assert_eq!(traced("", &body("8"), 32).words(), (1000..1032).collect::<Vec<_>>());
    assert_eq!(traced("", &body("12"), 32).out.kinds(), [FaultKind::UninitializedMemory]);
    assert_eq!(traced("", &body("10"), 32).out.kinds(), [FaultKind::Misaligned]);
    let beyond = "mov.u64 %rd2, 0x1000000000; ld.local.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;";
    assert_eq!(traced("", beyond, 32).out.kinds(), [FaultKind::OutOfBounds]);
}

#[test]
fn dynamic_shared_memory_has_the_size_of_the_launch() {
    let text = super::module(
        ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 fixed[64];",
        "mov.u32 %r1, dyn; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], %r0; mov.u32 %r3, %dynamic_smem_size;\n\
         st.shared.u32 [fixed], 1; ld.shared.u32 %r4, [%r2]; add.u32 %r4, %r4, %r3; st.global.u32 [%rd1], %r4;",
    );
    let run = |bytes: u32| {
        let mut kernel = TestKernel::new(&text).buffer(&[0; 128]);
        kernel.shape.shared = bytes;
        kernel.run()
    };
    let out = run(128);
    // All lanes write 1 to one word. The value is the same, but nothing orders the writes.
    assert!(out.kinds().iter().all(|k| *k == FaultKind::Race), "{:?}", out.faults());
    assert_eq!(out.u32s(0), (128..160).collect::<Vec<_>>());
    let out = run(124);
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfBounds], RunStatus::Fault));
    assert_eq!(out.faults()[0].lanes, 1 << 31);
}

#[test]
fn constants_and_their_addresses_are_initial_values() {
    let variables = ".const .align 4 .u32 c[4] = { 10, 20, 30, 40 };\n.global .u64 g = generic(c);\n.global .u64 raw = c;\n\
        .global .align 4 .u32 w[3] = { 7, 8 };\n.global .u64 pw = w + 4;\n.const .u64 table[2] = { w, pw };\n.global .b8 bytes[4] = { 1, 2, 3, 4 };";
    let body = "and.b32 %r1, %r0, 3; mad.wide.u32 %rd2, %r1, 4, 0; mov.u64 %rd3, c; add.u64 %rd3, %rd3, %rd2; ld.const.u32 %r2, [%rd3];\n\
        ld.global.u64 %rd4, [g]; ld.u32 %r3, [%rd4+4]; ld.global.u64 %rd5, [raw]; ld.const.u32 %r4, [%rd5+8];\n\
        ld.global.u64 %rd6, [pw]; ld.global.u32 %r5, [%rd6]; ld.const.u64 %rd7, [table+8]; ld.global.u64 %rd7, [%rd7]; ld.global.u32 %r6, [%rd7];\n\
        ld.global.u32 %r7, [w+8]; ld.global.u32 %r8, [bytes];\n\
        mad.lo.u32 %r2, %r3, 100, %r2; mad.lo.u32 %r2, %r4, 10000, %r2; add.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r6; add.u32 %r2, %r2, %r7;\n\
        setp.ne.u32 %p0, %r8, 0x04030201; @%p0 trap; st.global.u32 [%rd1], %r2;";
    let wanted = |l: u32| 10 * (l % 4 + 1) + 2000 + 300_000 + 8 + 8;
    assert_eq!(traced(variables, body, 32).words(), (0..32).map(wanted).collect::<Vec<_>>());
    let store = traced(variables, "ld.global.u64 %rd4, [g]; st.u32 [%rd4], 1;", 32);
    assert_eq!((store.out.kinds(), store.out.status()), (vec![FaultKind::ReadOnly], RunStatus::Fault));
    let wrong = traced(variables, "ld.global.u64 %rd4, [g]; ld.const.u32 %r2, [%rd4];", 32);
    assert_eq!(wrong.out.kinds(), [FaultKind::OutOfBounds]);
    assert!(wrong.out.faults()[0].message.contains("cvta.to"), "{:?}", wrong.out.faults());
}

#[test]
fn modules_with_addresses_of_32_bits_are_executed() {
    let text = |offset: u32| {
        format!(
            ".version 8.5\n.target sm_60\n.address_size 32\n.global .align 4 .u32 v[2] = {{ 5, 6 }};\n.global .u32 pv = v;\n\
             .func (.param .b32 r) f(.param .b32 p) {{ .reg .b32 %a, %x; ld.param.b32 %a, [p]; ld.u32 %x, [%a+{offset}]; st.param.b32 [r], %x; ret; }}\n\
             .entry k(.param .u32 out) {{ .reg .b32 %r<8>; .shared .align 4 .b8 s[128]; .local .align 4 .b8 l[8];\n\
             ld.param.u32 %r0, [out]; mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r1, 4, %r0; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1;\n\
             ld.global.u32 %r3, [pv]; {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), f, (a); ld.param.b32 %r4, [b]; }}\n\
             mov.u32 %r5, l; st.local.u32 [%r5+4], %r4; cvta.local.u32 %r5, %r5; ld.u32 %r6, [%r5+4]; ld.shared.u32 %r7, [%r2]; add.u32 %r6, %r6, %r7;\n\
             st.global.u32 [%r0], %r6; ret; }}"
        )
    };
    let out = TestKernel::new(&text(4)).buffer(&[0; 128]).fine();
    assert_eq!(out.u32s(0), (6..38).collect::<Vec<_>>());
    let out = TestKernel::new(&text(8)).buffer(&[0; 128]).run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfBounds], RunStatus::Fault));
    assert!(out.faults()[0].message.contains("past the end of `v`"), "{:?}", out.faults());
}

#[test]
fn values_of_many_bytes_are_loaded_and_stored() {
    let source: Vec<u32> = (0..64).collect();
    let body = "mov.u32 %r9, 0; ld.param.u64 %rd2, [p1]; mad.wide.u32 %rd2, %r0, 16, %rd2; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];\n\
        ld.global.v2.u64 {%rd3, %rd4}, [%rd2]; cvt.u32.u64 %r5, %rd4; sub.u32 %r5, %r5, %r3; add.u32 %r4, %r4, %r5; st.global.u32 [%rd1], %r4;\n\
        ld.global.s8 %r6, [%rd2]; st.global.u8 [%rd1+3], %r6;";
    let kernel = || TestKernel::new(&super::module("", body)).threads(16);
    let out = kernel().buffer(&[0; 64]).buffer(&words(source)).fine();
    assert_eq!(out.u32s(0), (0..16).map(|l| 4 * l + 3 + (l << 26)).collect::<Vec<_>>());
    let out = kernel().buffer(&[0; 64]).buffer(&[1; 248]).run();
    assert_eq!(out.kinds(), [FaultKind::OutOfBounds]);
}

#[test]
fn a_run_does_not_take_more_memory_than_it_may() {
    // Each iteration of the loop writes to another page of local memory.
    let body = "mov.u64 %rd1, 0; again: st.local.u32 [%rd1], 1; add.u64 %rd1, %rd1, 4096; setp.lt.u64 %p1, %rd1, 400000; @%p1 bra again;";
    let mut kernel = TestKernel::body("", body).buffer(&[0; 4]);
    kernel.settings.memory = 1 << 20;
    let out = kernel.run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfMemory], RunStatus::Fault));
    assert!(out.run.machine.kept < (1 << 20) + (1 << 16), "{} bytes", out.run.machine.kept);
    let mut kernel = TestKernel::body("", body).threads(1).buffer(&[0; 4]);
    kernel.settings.memory = 1 << 20;
    assert_eq!(kernel.run().status(), RunStatus::Finished);
}

/// A kernel of one thread that calls `malloc` for `bytes` bytes in a loop, writes the first four, and optionally calls `free`.
fn heap(bytes: u64, turns: u32, free: bool) -> TestKernel {
    let declared = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n";
    let back = if free { "{ .param .b64 q; st.param.b64 [q], %rd2; call free, (q); }" } else { "" };
    let body = format!(
        "mov.u32 %r1, 0; again: {{ .param .b64 n; .param .b64 r; st.param.b64 [n], {bytes}; call (r), malloc, (n); ld.param.b64 %rd2, [r]; }}\n\
         setp.eq.u64 %p1, %rd2, 0; @%p1 bra done; st.u32 [%rd2], %r1; {back} add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, {turns}; @%p1 bra again;\n\
         done: st.global.u32 [%rd1], %r1;"
    );
    TestKernel::new(&super::module(declared, &body)).threads(1).buffer(&[0; 4])
}

#[test]
fn the_heap_counts_and_what_is_freed_does_not() {
    let mut kernel = heap(8, 100_000, false);
    kernel.settings.memory = 4 << 20;
    let out = kernel.run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfMemory], RunStatus::Fault));
    assert!(out.run.machine.kept < 5 << 20);
    let mut kernel = heap(8, 5_000, true);
    kernel.settings.memory = 4 << 20;
    let out = kernel.fine();
    assert_eq!(out.u32s(0), [5_000]);
    assert!(out.run.machine.memory.global.allocations().len() < 5_000, "what was freed is forgotten in the end");
    // If the heap is full, `malloc` returns 0.
    let mut kernel = heap(1 << 20, 100, false);
    kernel.settings.memory = 10 << 20;
    assert_eq!(kernel.fine().u32s(0), [10]);
}

#[test]
fn memory_that_was_freed_is_not_there() {
    let declared = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n";
    let take = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 %rd2, [r]; }";
    let free = "{ .param .b64 q; st.param.b64 [q], %rd2; call free, (q); }";
    let run = |rest: &str| {
        TestKernel::new(&super::module(declared, &format!("{take}{free}{rest}"))).threads(1).buffer(&[0; 4]).run()
    };
    let out = run("st.u32 [%rd2+8], 1;");
    assert_eq!(out.kinds(), [FaultKind::OutOfBounds]);
    assert!(out.run.machine.findings.faults[0].message.contains("`free` released"));
    assert_eq!(run(free).kinds(), [FaultKind::InvalidCall]);
    assert_eq!(run("mov.u64 %rd2, 0; { .param .b64 q; st.param.b64 [q], %rd2; call free, (q); }").kinds(), []);
}

#[test]
fn registers_count() {
    let mut kernel = TestKernel::body("", "mov.u32 %r1, 1;").threads(1024).buffer(&[0; 4]);
    kernel.settings.memory = 64 << 10;
    let out = kernel.run();
    assert_eq!((out.kinds(), out.status()), (vec![FaultKind::OutOfMemory], RunStatus::Fault));
    // If memory has room for only one block, the others start after it has ended.
    let body = ".shared .b8 s[4096]; mov.u32 %r1, s; st.shared.u32 [%r1], 1;";
    let kernel = || TestKernel::body("", body).threads(64).buffer(&[0; 4]);
    let before = kernel().machine().kept;
    let mut kernel = kernel();
    kernel.settings.memory = 64 << 10;
    let out = kernel.ctas(64, 1).fine();
    assert_eq!(out.run.machine.kept, before, "everything was given back");
}

#[test]
fn an_address_stays_in_its_variable() {
    let run = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 4 .b8 more[];\n\
             .entry k(.param .u64 x, .param .u64 y) {{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n\
             .shared .align 4 .b32 a[8]; .shared .align 4 .b32 b[8];\n\
             ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [y]; mov.u32 %r0, a; mov.u32 %r1, b; mov.u32 %r2, more;\n{body}\nret; }}"
        );
        let mut kernel = TestKernel::new(&text).threads(1).buffer(&[0; 64]).buffer(&[0; 64]);
        kernel.shape.shared = 64;
        kernel.run().faults().iter().map(|f| (f.kind, f.message.clone())).collect::<Vec<_>>()
    };
    let over = "st.shared.u32 [%r0], 1; mov.u32 %r3, 0; loop: add.u32 %r3, %r3, 4; add.u32 %r4, %r0, %r3; st.shared.u32 [%r4], %r3; setp.lt.u32 %p0, %r3, 32; @%p0 bra loop;";
    let found = run(over);
    assert!(
        found.len() == 1
            && found[0].0 == FaultKind::OutOfBounds
            && found[0].1.contains("`b`+0")
            && found[0].1.contains("`a` (32 bytes)"),
        "{found:?}"
    );
    assert_eq!(run(&over.replace("%r3, 32;", "%r3, 28;")), []);
    // Parts of one array, dynamic shared memory, and an address that may be one of two.
    assert_eq!(run("add.u32 %r3, %r2, 32; st.shared.u32 [%r3], 1; st.shared.u32 [%r2+60], 1;"), []);
    assert_eq!(
        run(
            "setp.eq.u32 %p0, %r0, 5; selp.u32 %r3, %r0, %r1, %p0; st.shared.u32 [%r3], 1; sub.u32 %r4, %r1, %r0; add.u32 %r4, %r0, %r4; st.shared.u32 [%r4], 1;"
        ),
        []
    );
    // An index that leads from one buffer to the other one, behind the guard zone.
    let far = run(
        "sub.u64 %rd2, %rd1, %rd0; st.global.u64 [%rd0], %rd2; ld.global.u32 %r3, [%rd0]; cvt.u64.u32 %rd4, %r3; add.u64 %rd3, %rd0, %rd4; st.global.u32 [%rd3], 1;",
    );
    assert!(far.len() == 1 && far[0].0 == FaultKind::OutOfBounds, "{far:?}");
    assert_eq!(run("sub.u64 %rd2, %rd1, %rd0; add.u64 %rd3, %rd0, %rd2; st.global.u32 [%rd3], 1;"), []);
}

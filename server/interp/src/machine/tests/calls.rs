//! Tests of calls: recursion, indirect calls, lanes that call different functions, and invalid calls.

use super::traced;
use crate::findings::FaultKind;
use crate::machine::{RunStatus, WarpId};
use crate::testing::TestKernel;

const ALL: u32 = u32::MAX;
const EVEN: u32 = 0x5555_5555;

/// 1 + 2 + … + n by recursion. Every activation keeps its number in local memory.
const SUM: &str = ".func (.param .b32 r) sum(.param .b32 n) { .reg .pred %p; .reg .b32 %n, %s; .local .align 4 .b8 kept[4];\n\
    ld.param.b32 %n, [n]; mov.b32 %s, 0; st.local.b32 [kept], %n; setp.eq.u32 %p, %n, 0; @%p bra DONE;\n\
    sub.u32 %n, %n, 1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %n; call (b), sum, (a); ld.param.b32 %s, [b]; }\n\
    ld.local.b32 %n, [kept]; add.u32 %s, %s, %n;\nDONE: st.param.b32 [r], %s; ret; }";

const CALL_SUM: &str = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), sum, (a); ld.param.b32 %r2, [b]; }\n\
    st.global.u32 [%rd1], %r2;";

#[test]
fn functions_call_themselves_as_deep_as_each_lane_wants() {
    let run = traced(SUM, &format!("mov.u32 %r1, %r0; {CALL_SUM}"), 32);
    assert_eq!(run.words(), (0..32).map(|n| n * (n + 1) / 2).collect::<Vec<_>>());
    // Each activation has the lanes that reached its depth. On return they meet after the call.
    let deeper: Vec<u32> = (0..32).map(|depth| ALL << depth).collect();
    assert_eq!(run.masks("setp.eq.u32 %p, %n, 0"), deeper);
    assert_eq!(run.masks("st.global"), [ALL]);
    let run = traced(SUM, &format!("mov.u32 %r1, 1000; {CALL_SUM}"), 1);
    assert_eq!(run.words(), [500_500]);
}

#[test]
fn endless_recursion_is_a_stack_overflow() {
    let run = traced(".func f() { call f, (); ret; }", "call f, (); st.global.u32 [%rd1], 1;", 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::StackOverflow], RunStatus::Fault));
    assert!(run.out.faults()[0].message.contains("recursion"), "{:?}", run.out.faults());
    let big = ".func f() { .local .align 4 .b8 big[300000]; .reg .b32 %r; st.local.b32 [big], %r0_; ret; }"
        .replace("%r0_", "1");
    let run = traced(&big, "call f, (); st.global.u32 [%rd1], 1;", 32);
    assert_eq!(run.words(), [1; 32]);
    let twice =
        format!("{big}\n.func g() {{ .local .align 4 .b8 more[300000]; st.local.b32 [more], 1; call f, (); ret; }}");
    let run = traced(&twice, "call g, (); st.global.u32 [%rd1], 1;", 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::StackOverflow], RunStatus::Fault));
}

const TWO: &str = ".func (.reg .b32 r) one() { mov.b32 r, 11; ret; }\n.func (.reg .b32 r) two() { mov.b32 r, 22; ret; }\n\
    .global .u64 table[3] = { one, two, 0 };";

#[test]
fn lanes_call_functions_by_their_addresses() {
    let body = |limit: u32| {
        format!(
            "and.b32 %r1, %r0, {limit}; mov.u64 %rd2, table; mad.wide.u32 %rd2, %r1, 8, %rd2; ld.global.u64 %rd3, [%rd2];\n\
             P: .callprototype (.reg .b32 _) _ ();\ncall (%r2), %rd3, (), P;\nst.global.u32 [%rd1], %r2;"
        )
    };
    let run = traced(TWO, &body(1), 32);
    assert_eq!(run.masks("mov.b32 r, 11"), [EVEN]);
    assert_eq!(run.masks("mov.b32 r, 22"), [!EVEN]);
    assert_eq!(run.masks("st.global"), [ALL]);
    assert_eq!(run.words()[..2], [11, 22]);
    // Lane 2 calls an address that is not a function.
    let run = traced(TWO, &body(2), 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::InvalidCall], RunStatus::Fault));
    assert_eq!(run.out.faults()[0].lanes, 0xcccc_cccc);
    // The address of a function can be taken by `mov` and called, but not an address next to it.
    let body = |add: u32| {
        format!(
            "mov.u64 %rd3, two; add.u64 %rd3, %rd3, {add}; P: .callprototype (.reg .b32 _) _ ();\ncall (%r2), %rd3, (), P; st.global.u32 [%rd1], %r2;"
        )
    };
    assert_eq!(traced(TWO, &body(0), 32).words(), [22; 32]);
    assert_eq!(traced(TWO, &body(4), 32).out.kinds(), [FaultKind::InvalidCall]);
}

#[test]
fn lanes_that_call_different_functions_meet_behind() {
    let body = "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra A; call (%r2), one, (); bra J;\nA: call (%r2), two, ();\n\
        J: st.global.u32 [%rd1], %r2;";
    let run = traced(TWO, body, 32);
    assert_eq!(run.masks("mov.b32 r, 22"), [EVEN]);
    assert_eq!(run.masks("st.global"), [ALL]);
    assert_eq!(run.words()[..2], [22, 11]);
}

#[test]
fn a_guard_on_a_call_selects_lanes() {
    let body = "mov.u32 %r2, 5; setp.lt.u32 %p0, %r0, 4; @%p0 call (%r2), one, ();\nst.global.u32 [%rd1], %r2;";
    let run = traced(TWO, body, 32);
    assert_eq!(run.steps("@%p0 call"), [(ALL, 0xf)]);
    assert_eq!(run.masks("mov.b32 r, 11"), [0xf]);
    assert_eq!(run.masks("st.global"), [ALL]);
    assert_eq!(run.words()[..6], [11, 11, 11, 11, 5, 5]);
    let none = traced(TWO, &body.replace("%r0, 4", "%r0, 0"), 32);
    assert_eq!(none.masks("mov.b32 r, 11"), [0; 0]);
    assert_eq!(none.words(), [5; 32]);
}

#[test]
fn some_lanes_return_early_and_some_exit_inside() {
    let f = ".func (.reg .b32 r) f(.reg .b32 n) { .reg .pred %p; mov.b32 r, 1; setp.lt.u32 %p, n, 8; @%p ret;\n\
        mov.b32 r, 2; setp.lt.u32 %p, n, 16; @%p exit;\nmov.b32 r, 3; ret; }";
    let run = traced(f, "call (%r2), f, (%r0);\nst.global.u32 [%rd1], %r2;", 32);
    assert_eq!(run.masks("mov.b32 r, 2"), [!0xff]);
    assert_eq!(run.masks("mov.b32 r, 3"), [!0xffff]);
    assert_eq!(run.masks("st.global"), [!0xff00]);
    let wanted = |l: u32| [1, 0, 3, 3][l as usize / 8];
    assert_eq!(run.words(), (0..32).map(wanted).collect::<Vec<_>>());
    // The end of a body is a return.
    let run =
        traced(".func f(.reg .b32 n) { .reg .b32 %x; mov.b32 %x, n; }", "call f, (%r0); st.global.u32 [%rd1], 6;", 32);
    assert_eq!(run.words(), [6; 32]);
}

#[test]
fn registers_of_the_caller_are_its_own() {
    let f = ".func f() { .reg .b32 %r<32>; .reg .pred %p<8>; mov.b32 %r2, 99; setp.eq.u32 %p0, %r2, 1; ret; }";
    let run = traced(f, "mov.u32 %r2, 5; setp.eq.u32 %p0, %r2, 5; call f, (); @%p0 st.global.u32 [%rd1], %r2;", 32);
    assert_eq!(run.words(), [5; 32]);
    // Registers of a function are unwritten at its beginning, whatever an earlier call left in them.
    let f = ".func (.reg .b32 r) f() { .reg .b32 %x; mov.b32 r, %x; mov.b32 %x, 1; ret; }";
    let run = traced(f, "call (%r2), f, (); call (%r2), f, (); st.global.u32 [%rd1], %r2;", 1);
    assert!(run.out.kinds().contains(&FaultKind::UninitializedRegister), "{:?}", run.out.faults());
}

#[test]
fn functions_of_the_system_are_there_and_others_are_not() {
    let externs = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
        .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
        .extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n\
        .extern .func nowhere();\n\
        .global .align 1 .b8 text[12] = {108, 97, 110, 101, 32, 37, 100, 32, 37, 120, 10, 0};\n.global .align 1 .b8 name[2] = {97, 0};";
    let print = "{ .local .align 8 .b8 v[8]; .param .b64 f; .param .b64 a; .param .b32 r; st.local.u32 [v], %r0; st.local.u32 [v+4], 255;\n\
        mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2; mov.u64 %rd3, v; cvta.local.u64 %rd3, %rd3; st.param.b64 [f], %rd2; st.param.b64 [a], %rd3;\n\
        call (r), vprintf, (f, a); ld.param.b32 %r1, [r]; st.global.u32 [%rd1], %r1; }";
    let run = traced(externs, print, 3);
    assert_eq!(run.words(), [2; 3]);
    assert_eq!(String::from_utf8_lossy(&run.out.run.machine.printed), "lane 0 ff\nlane 1 ff\nlane 2 ff\n");
    let endless = format!("mov.u32 %r5, 0;\nP: {print} add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 4000; @%p0 bra P;");
    let kept = traced(externs, &endless, 32).out.run.machine.printed;
    assert!((1 << 20..1 << 21).contains(&kept.len()), "{} bytes of what is printed are kept", kept.len());
    let heap = "{ .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call (p), malloc, (n); ld.param.b64 %rd2, [p]; }\n\
        st.u32 [%rd2+12], %r0; ld.u32 %r1, [%rd2+12]; { .param .b64 p; st.param.b64 [p], %rd2; call free, (p); }\nst.global.u32 [%rd1], %r1;";
    assert_eq!(traced(externs, heap, 32).words(), (0..32).collect::<Vec<_>>());
    let beyond = heap.replace("%rd2+12", "%rd2+16");
    assert_eq!(traced(externs, &beyond, 32).out.kinds(), [FaultKind::OutOfBounds]);
    let assert = "setp.ne.u32 %p0, %r0, 3; @%p0 bra J; { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;\n\
        mov.u64 %rd2, name; cvta.global.u64 %rd2, %rd2; st.param.b64 [m], %rd2; st.param.b64 [f], %rd2; st.param.b32 [l], 12; st.param.b64 [n], %rd2;\n\
        st.param.b64 [s], 1; call __assertfail, (m, f, l, n, s); }\nJ: st.global.u32 [%rd1], 1;";
    let run = traced(externs, assert, 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::Trap], RunStatus::Fault));
    assert_eq!((run.out.faults()[0].lanes, run.out.faults()[0].message.contains("(a:12)")), (8, true));
    let run = traced(externs, "call nowhere, ();", 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::Unsupported], RunStatus::Fault));
    assert!(run.out.faults()[0].message.contains("`nowhere`"));
    // An unknown function is not a finding if the call is not executed.
    assert_eq!(
        traced(externs, "setp.gt.u32 %p0, %r0, 99; @%p0 call nowhere, (); st.global.u32 [%rd1], 1;", 32).words(),
        [1; 32]
    );
}

#[test]
fn kernels_take_arrays_and_small_values() {
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n\
        .entry k(.param .u64 out, .param .u8 a, .param .u16 b, .param .align 16 .b8 c[24]) { .reg .b64 %rd<4>; .reg .b32 %r<8>;\n\
        ld.param.u64 %rd0, [out]; ld.param.u8 %r0, [a]; ld.param.u16 %r1, [b]; ld.param.u32 %r2, [c+20]; st.global.v2.u32 [%rd0], {%r0, %r1};\n\
        st.global.u32 [%rd0+8], %r2; ret; }";
    let kernel = TestKernel::new(text)
        .threads(1)
        .buffer(&[0; 12])
        .value(0x1ff)
        .value(0x1_2345)
        .bytes_of(&(0..24).collect::<Vec<u8>>());
    assert_eq!(kernel.fine().u32s(0), [0xff, 0x2345, 0x1716_1514]);
    let beyond = text.replace("[c+20]", "[c+4000]");
    let out = TestKernel::new(&beyond).threads(1).buffer(&[0; 12]).value(0).value(0).run();
    assert_eq!(out.kinds(), [FaultKind::OutOfBounds]);
}

#[test]
fn what_calls_hand_over_and_back_is_recorded() {
    let function = ".func (.reg .u32 sum) add_up(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }";
    let traced = traced(function, "mov.u32 %r1, 5; call (%r2), add_up, (%r1, %r0); st.global.u32 [%rd1], %r2;", 32);
    assert_eq!(traced.words(), (5..37).collect::<Vec<_>>());
    let executable = &traced.out.run.machine.executable;
    let steps = traced.out.run.window(WarpId { cta: 0, warp: 0 }, 0, usize::MAX, &|| false);
    let changes = |word: &str| -> Vec<(String, u8)> {
        let step = steps.iter().find(|s| traced.text[executable.range(s.site)].trim().starts_with(word)).unwrap();
        let named = step.changes.iter().filter(|c| c.before != c.after).map(|c| {
            let name = executable.function(c.function).unwrap().register_name(ptx_flow::flow::RegisterSlot(c.slot));
            (name, c.after[4])
        });
        named.collect()
    };
    // In lane 1: the arguments that the callee receives, and the result that the caller receives.
    assert_eq!(changes("call"), [("a".to_owned(), 5), ("b".to_owned(), 1)]);
    assert_eq!(changes("ret"), [("%r2".to_owned(), 6)]);
}

use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::TestKernel;

fn run(body: &str) -> crate::testing::TestOutcome {
    TestKernel::body("", body).threads(4).buffer(&[0; 16]).run()
}

#[test]
fn memory_is_allocated_for_each_thread_and_freed() {
    let out = run(
        "mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 4, 4; cvt.u64.u32 %rd1, %r2; stacksave.u64 %rd2; alloca.u64 %rd3, %rd1; alloca.u64 %rd4, %rd1, 256;\n\
        st.local.u32 [%rd3], %r1; st.local.u32 [%rd4], 100; ld.local.u32 %r3, [%rd3]; ld.local.u32 %r4, [%rd4]; add.u32 %r5, %r3, %r4;\n\
        mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd0; st.global.u32 [%rd6], %r5; stackrestore.u64 %rd2; stacksave.u64 %rd7;\n\
        sub.u64 %rd7, %rd7, %rd2; cvt.u32.u64 %r6, %rd7; add.u32 %r5, %r5, %r6; st.global.u32 [%rd6], %r5; alloca.u64 %rd8, %rd1; sub.u64 %rd8, %rd8, %rd3; setp.ne.u64 %p0, %rd8, 0; @%p0 trap;",
    );
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    assert_eq!(out.u32s(0), [100, 101, 102, 103]);
}

#[test]
fn alignments_hold() {
    let out = run(
        "alloca.u64 %rd1, 3; alloca.u64 %rd2, 5; alloca.u64 %rd3, 1, 512; or.b64 %rd4, %rd1, %rd2; and.b64 %rd4, %rd4, 7; and.b64 %rd5, %rd3, 511; or.b64 %rd4, %rd4, %rd5; setp.ne.u64 %p0, %rd4, 0; @%p0 trap;",
    );
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
}

#[test]
fn what_was_freed_is_not_there_any_more() {
    let out = run(
        "stacksave.u64 %rd2; alloca.u64 %rd3, 16; st.local.u32 [%rd3], 5; stackrestore.u64 %rd2; ld.local.u32 %r1, [%rd3];",
    );
    assert_eq!(out.kinds(), [FaultKind::UninitializedMemory]);
    let out = run("stacksave.u64 %rd2; add.u64 %rd2, %rd2, 64; stackrestore.u64 %rd2;");
    assert_eq!(out.kinds(), [FaultKind::Undefined]);
}

#[test]
fn too_much_is_a_fault() {
    let out = run("alloca.u64 %rd3, 524000; alloca.u64 %rd3, 1000;");
    assert_eq!((out.status(), out.kinds()), (RunStatus::Fault, vec![FaultKind::StackOverflow]));
    assert_eq!(run("mov.b64 %rd1, -1; alloca.u64 %rd3, %rd1;").status(), RunStatus::Fault);
}

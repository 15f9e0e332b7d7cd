//! Tests of unwritten registers: guards, and copies that are used later or never.

use super::{Traced, traced};
use crate::findings::FaultKind;

/// The findings of a run with 32 threads: their messages, each behind the text of its instruction.
fn found(body: &str) -> Vec<String> {
    let Traced { out, text } = traced("", body, 32);
    let executable = &out.run.machine.executable;
    let uninitialized = out.faults().iter().filter(|f| f.kind == FaultKind::UninitializedRegister);
    let one = |f: &crate::findings::Fault| format!("{} {:08x}", text[executable.range(f.site)].trim(), f.lanes);
    uninitialized.map(one).collect()
}

/// A guard is asked for in all lanes of the group, because it decides which of them execute the instruction.
#[test]
fn unwritten_guards_are_found_before_every_instruction() {
    let all = "ffffffff";
    for (setup, instruction) in [
        ("", "add.u32 %r1, %r0, 2;"),
        ("", "st.global.u32 [%rd1], 1;"),
        ("", "ld.global.u32 %r1, [%rd1];"),
        ("", "bra L;"),
        ("", "ret;"),
        ("", "exit;"),
        ("", "bar.sync 0;"),
        ("", "bar.warp.sync -1;"),
        ("", "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;"),
        ("", "vote.sync.ballot.b32 %r1, 1, -1;"),
        ("", "atom.global.add.u32 %r1, [%rd1], 1;"),
        ("", "membar.gl;"),
        ("", "mov.u32 %r1, %clock;"),
        ("", "mov.u32 %r1, %r0+1;"),
        ("", "nanosleep.u32 1;"),
        ("T: .branchtargets L;", "brx.idx 0, T;"),
        ("", "call f, ();"),
    ] {
        for guard in ["@%p1", "@!%p1"] {
            let statement = format!("{guard} {instruction}");
            let body = format!("{setup} {statement} L: st.global.u32 [%rd1], %r0;");
            let run = traced(".func f() { ret; }", &body, 32);
            let faults: Vec<_> = run.out.faults().iter().filter(|f| f.message.contains("`%p1`")).collect();
            assert_eq!(faults.len(), 1, "{statement} {:?}", run.out.faults());
            assert_eq!(
                (faults[0].kind, format!("{:x}", faults[0].lanes)),
                (FaultKind::UninitializedRegister, all.to_owned()),
                "{statement}"
            );
        }
    }
}

#[test]
fn only_the_lanes_whose_guard_was_not_written_are_named() {
    let body =
        "setp.lt.u32 %p1, %r0, 16; @%p1 setp.eq.u32 %p2, %r0, 3; @%p2 add.u32 %r0, %r0, 1; st.global.u32 [%rd1], %r0;";
    assert_eq!(found(body), ["@%p2 add.u32 %r0, %r0, 1; ffff0000"]);
}

/// As compilers write it for an atomic addition of a warp: one lane has the result, the others get it from that lane.
#[test]
fn a_leader_may_hand_its_value_to_lanes_that_never_wrote_it() {
    let body = "setp.ne.u32 %p1, %r0, 3; @%p1 bra A; atom.global.add.u32 %r2, [%rd0], 32;\n\
        A: shfl.sync.idx.b32 %r3, %r2, 3, 31, -1; add.u32 %r3, %r3, %r0; bar.warp.sync -1; st.global.u32 [%rd1], %r3;";
    assert_eq!(found(body), [""; 0]);
    // Lane 0 has no value: each lane receives nothing, and the addition uses it.
    let wrong = body.replace("%r2, 3, 31", "%r2, 0, 31");
    assert_eq!(found(&wrong), ["add.u32 %r3, %r3, %r0; ffffffff"]);
    let up = "setp.lt.u32 %p1, %r0, 16; @%p1 mov.u32 %r2, 1; shfl.sync.down.b32 %r3, %r2, 8, 31, -1; st.global.u32 [%rd1], %r3;";
    assert_eq!(found(up), ["st.global.u32 [%rd1], %r3; ffffff00"]);
    // The offset, the bounds and the mask are used.
    let offset = "shfl.sync.idx.b32 %r3, %r0, %r4, 31, -1; st.global.u32 [%rd1], %r3;";
    assert_eq!(found(offset), ["shfl.sync.idx.b32 %r3, %r0, %r4, 31, -1; ffffffff"]);
}

#[test]
fn copies_of_unwritten_values_are_found_where_they_are_used() {
    for (body, expected) in [
        // Never used.
        ("mov.u32 %r2, %r1; mov.b64 %rd3, {%r1, %r2}; mov.f32 %f2, %f1; mov.pred %p2, %p1;", None),
        ("setp.ge.u32 %p1, %r0, 0; selp.u32 %r2, %r0, %r1, %p1; add.u32 %r2, %r2, 1;", None),
        ("setp.lt.u32 %p1, %r0, 0; selp.u32 %r2, %r1, %r0, %p1; add.u32 %r2, %r2, 1;", None),
        ("mov.s32 %r3, -1; slct.u32.s32 %r2, %r1, %r0, %r3; add.u32 %r2, %r2, 1;", None),
        ("mov.f32 %f3, 0f3F800000; slct.u32.f32 %r2, %r0, %r1, %f3; add.u32 %r2, %r2, 1;", None),
        ("prmt.b32 %r2, %r0, %r1, 0x3210; add.u32 %r2, %r2, 1;", None),
        ("prmt.b32 %r2, %r1, %r0, 0xcc44; add.u32 %r2, %r2, 1;", None),
        ("mov.u32 %r3, 0; prmt.b32.rc8 %r2, %r0, %r1, %r3; add.u32 %r2, %r2, 1;", None),
        // Only a known half of a pair is used.
        ("mov.b64 %rd3, {%r0, %r1}; mov.b64 {%r2, %r3}, %rd3; add.u32 %r2, %r2, 1;", None),
        ("mov.b64 %rd3, {%r0, %r1}; mov.b64 %rd4, %rd3; mov.b64 {%r2, _}, %rd4; add.u32 %r2, %r2, 1;", None),
        // Used.
        ("mov.u32 %r2, %r1; add.u32 %r2, %r2, 1;", Some("add.u32 %r2, %r2, 1; ffffffff")),
        ("mov.u32 %r2, %r1; mov.u32 %r3, %r2; st.global.u32 [%rd1], %r3;", Some("st.global.u32 [%rd1], %r3; ffffffff")),
        ("mov.u32 %r2, %r1+1;", Some("mov.u32 %r2, %r1+1; ffffffff")),
        ("mov.pred %p2, !%p1; @%p2 add.u32 %r2, %r0, 1;", Some("@%p2 add.u32 %r2, %r0, 1; ffffffff")),
        ("selp.u32 %r2, 1, 2, %p1;", Some("selp.u32 %r2, 1, 2, %p1; ffffffff")),
        (
            "setp.lt.u32 %p1, %r0, 4; selp.u32 %r2, %r1, %r0, %p1; add.u32 %r2, %r2, 1;",
            Some("add.u32 %r2, %r2, 1; 0000000f"),
        ),
        ("prmt.b32 %r2, %r0, %r1, 0x4210; add.u32 %r2, %r2, 1;", Some("add.u32 %r2, %r2, 1; ffffffff")),
        ("mov.b64 %rd3, {%r0, %r1}; add.u64 %rd3, %rd3, 1;", Some("add.u64 %rd3, %rd3, 1; ffffffff")),
        (
            "mov.b64 %rd3, {%r0, %r1}; mov.b64 {%r2, %r3}, %rd3; add.u32 %r3, %r3, 1;",
            Some("add.u32 %r3, %r3, 1; ffffffff"),
        ),
        // A later write replaces the copy, in its lanes.
        ("mov.u32 %r2, %r1; mov.u32 %r2, 4; add.u32 %r2, %r2, 1;", None),
        (
            "mov.u32 %r2, %r1; setp.lt.u32 %p1, %r0, 8; @%p1 mov.u32 %r2, 4; add.u32 %r2, %r2, 1;",
            Some("add.u32 %r2, %r2, 1; ffffff00"),
        ),
    ] {
        let body = format!("{body} st.global.u32 [%rd1], 1;");
        assert_eq!(found(&body), expected.into_iter().collect::<Vec<_>>(), "{body}");
    }
    let copied = traced("", "mov.u32 %r2, %r1; add.u32 %r3, %r2, %r1;", 32);
    let messages: Vec<&str> = copied.out.faults().iter().map(|f| f.message.as_str()).collect();
    assert!(messages[0].contains("`%r2` is read, but it holds a copy"), "{messages:?}");
}

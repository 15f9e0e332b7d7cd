//! Tests of divergence: branches separate lanes, which meet again at the immediate post-dominator.

use super::traced;
use crate::findings::FaultKind;
use crate::machine::RunStatus;

const ALL: u32 = u32::MAX;
const EVEN: u32 = 0x5555_5555;

#[test]
fn both_ways_of_a_branch_meet_behind_it() {
    let body = |limit: u32| {
        format!(
            "setp.lt.u32 %p0, %r0, {limit}; @%p0 bra A; mov.u32 %r1, 100; bra J;\nA: mov.u32 %r1, 200;\nJ: mov.u32 %r2, 300;\n\
             add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;"
        )
    };
    let run = traced("", &body(10), 32);
    assert_eq!(run.masks("mov.u32 %r1, 100"), [!0x3ff]);
    assert_eq!(run.masks("mov.u32 %r1, 200"), [0x3ff]);
    assert_eq!(run.masks("mov.u32 %r2, 300"), [ALL]);
    assert_eq!(run.words(), (0..32).map(|l| if l < 10 { 500 } else { 400 }).collect::<Vec<_>>());
    // A branch that all lanes take does not separate them, and a path without lanes is not executed.
    let run = traced("", &body(32), 32);
    assert_eq!(run.masks("mov.u32 %r1, 100"), [0; 0]);
    assert_eq!(run.masks("mov.u32 %r1, 200"), [ALL]);
}

#[test]
fn the_guard_of_any_instruction_selects_lanes() {
    let run = traced(
        "",
        "setp.lt.u32 %p0, %r0, 4; mov.u32 %r1, 1; @%p0 mov.u32 %r1, 2; @!%p0 add.u32 %r1, %r1, 4; st.global.u32 [%rd1], %r1;",
        32,
    );
    assert_eq!(run.steps("mov.u32 %r1, 2"), []);
    assert_eq!(run.steps("@%p0 mov.u32 %r1, 2"), [(ALL, 0xf)]);
    assert_eq!(run.steps("@!%p0 add"), [(ALL, !0xf)]);
    assert_eq!(run.words(), (0..32).map(|l| if l < 4 { 2 } else { 5 }).collect::<Vec<_>>());
}

#[test]
fn branches_within_branches_meet_from_the_inside_out() {
    let body = "and.b32 %r1, %r0, 1; and.b32 %r2, %r0, 2; setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r2, 0;\n\
        @%p0 bra E;\n@%p1 bra OA; mov.u32 %r3, 1; bra OJ;\nOA: mov.u32 %r3, 2;\nOJ: mov.u32 %r4, 10; bra J;\n\
        E: @%p1 bra EA; mov.u32 %r3, 3; bra EJ;\nEA: mov.u32 %r3, 4;\nEJ: mov.u32 %r4, 20;\n\
        J: add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3;";
    let run = traced("", body, 32);
    let low_pair = 0x3333_3333;
    assert_eq!(run.masks("mov.u32 %r3, 1"), [!EVEN & !low_pair]);
    assert_eq!(run.masks("mov.u32 %r3, 2"), [!EVEN & low_pair]);
    assert_eq!(run.masks("mov.u32 %r3, 3"), [EVEN & !low_pair]);
    assert_eq!(run.masks("mov.u32 %r3, 4"), [EVEN & low_pair]);
    assert_eq!(run.masks("mov.u32 %r4, 10"), [!EVEN]);
    assert_eq!(run.masks("mov.u32 %r4, 20"), [EVEN]);
    assert_eq!(run.masks("add.u32 %r3"), [ALL]);
    assert_eq!(run.words()[..4], [24, 12, 23, 11]);
}

#[test]
fn lanes_that_leave_a_loop_wait_behind_it() {
    // Lane i executes i % 4 iterations.
    let body = "and.b32 %r1, %r0, 3; mov.u32 %r2, 0;\n\
        L: setp.ge.u32 %p0, %r2, %r1; @%p0 bra OUT; add.u32 %r2, %r2, 1; bra L;\nOUT: st.global.u32 [%rd1], %r2;";
    let run = traced("", body, 32);
    assert_eq!(run.masks("add.u32 %r2"), [0xeeee_eeee, 0xcccc_cccc, 0x8888_8888]);
    assert_eq!(run.masks("st.global"), [ALL]);
    assert_eq!(run.words()[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn loops_are_left_in_the_middle_and_continued_early() {
    // for i in 0..8 { if i == tid { break } if (i + tid) odd { continue } count += 1 }
    let body = "mov.u32 %r1, 0; mov.u32 %r2, 0;\n\
        HEAD: setp.ge.u32 %p0, %r1, 8; @%p0 bra OUT; setp.eq.u32 %p1, %r1, %r0; @%p1 bra OUT;\n\
        add.u32 %r3, %r1, %r0; and.b32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, 1; @%p2 bra NEXT;\nadd.u32 %r2, %r2, 1;\n\
        NEXT: add.u32 %r1, %r1, 1; bra HEAD;\nOUT: st.global.u32 [%rd1], %r2;";
    let run = traced("", body, 32);
    let wanted = |tid: u32| (0..8).take_while(|i| *i != tid).filter(|i| (i + tid).is_multiple_of(2)).count() as u32;
    assert_eq!(run.words(), (0..32).map(wanted).collect::<Vec<_>>());
    // In each iteration the remaining lanes are together at its head and at its end.
    let left = |round: u32| ALL << round;
    let heads: Vec<u32> = (0..8).map(left).chain([left(8)]).collect();
    assert_eq!(run.masks("setp.ge.u32 %p0"), heads);
    assert_eq!(run.masks("add.u32 %r1, %r1, 1"), (1..9).map(left).collect::<Vec<_>>());
    assert_eq!(run.masks("st.global"), [ALL]);
}

#[test]
fn loops_within_loops_go_round_together() {
    let body = "mov.u32 %r1, 0; mov.u32 %r4, 0; and.b32 %r5, %r0, 3;\n\
        O: mov.u32 %r2, 0;\nI: setp.ge.u32 %p0, %r2, %r5; @%p0 bra ID; add.u32 %r4, %r4, 1; add.u32 %r2, %r2, 1; bra I;\n\
        ID: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra O;\nst.global.u32 [%rd1], %r4;";
    let run = traced("", body, 32);
    assert_eq!(run.words()[..4], [0, 3, 6, 9]);
    assert_eq!(run.masks("add.u32 %r1"), [ALL; 3]);
    assert_eq!(run.masks("mov.u32 %r2, 0"), [ALL; 3]);
}

#[test]
fn a_loop_that_is_entered_in_its_middle_is_executed() {
    let body = "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; mov.u32 %r2, 0; mov.u32 %r3, 0; @%p0 bra B;\n\
        A: add.u32 %r2, %r2, 1;\nB: add.u32 %r2, %r2, 10; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra A;\n\
        st.global.u32 [%rd1], %r2;";
    let run = traced("", body, 32);
    assert_eq!(run.words()[..2], [33, 32]);
    assert_eq!(run.masks("st.global"), [ALL]);
}

#[test]
fn whoever_leaves_a_loop_by_any_way_waits_for_all_of_it() {
    // The loop exit is on one of two paths through the loop; lanes 0-7 take the other path.
    let body = "mov.u32 %r1, 0; setp.lt.u32 %p0, %r0, 8;\n\
        H: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, 3; @%p0 bra X;\nY: @%p1 bra OUT;\nmov.u32 %r2, 1; bra H;\n\
        X: mov.u32 %r2, 2; setp.gt.u32 %p2, %r1, 6; @%p2 bra Y;\nbra H;\nOUT: add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;";
    for text in [
        body.to_owned(),
        body.replace("@%p0 bra X", "@!%p0 bra Y2").replace("Y: @%p1 bra OUT", "bra X; Y2: bra Y; Y: @%p1 bra OUT"),
    ] {
        let run = traced("", &text, 32);
        assert_eq!(run.masks("st.global"), [ALL]);
        assert_eq!(run.words(), (0..32).map(|l| if l < 8 { 9 } else { 5 }).collect::<Vec<_>>());
    }
}

#[test]
fn a_table_of_labels_parts_lanes_by_target() {
    let body = |index: &str| {
        format!(
            "T: .branchtargets A, B, A, C;\n{index} brx.idx %r1, T;\nA: mov.u32 %r2, 1; bra J;\nB: mov.u32 %r2, 2; bra J;\nC: mov.u32 %r2, 3;\n\
             J: st.global.u32 [%rd1], %r2;"
        )
    };
    let run = traced("", &body("and.b32 %r1, %r0, 3;"), 32);
    assert_eq!(run.masks("mov.u32 %r2, 1"), [EVEN]);
    assert_eq!(run.masks("mov.u32 %r2, 2"), [0x2222_2222]);
    assert_eq!(run.masks("st.global"), [ALL]);
    assert_eq!(run.words()[..4], [1, 2, 1, 3]);
    // An index outside the list.
    let run = traced("", &body("and.b32 %r1, %r0, 7;"), 32);
    assert_eq!((run.out.kinds(), run.out.status()), (vec![FaultKind::Undefined], RunStatus::Finished));
    assert_eq!(run.out.faults()[0].lanes, 0x1010_1010, "first those with index 4");
}

#[test]
fn lanes_that_have_exited_are_waited_for_by_nobody() {
    let run = traced("", "setp.lt.u32 %p0, %r0, 8; @%p0 exit; mov.u32 %r1, 5;\nst.global.u32 [%rd1], %r1;", 32);
    assert_eq!(run.steps("@%p0 exit"), [(ALL, 0xff)]);
    assert_eq!(run.masks("st.global"), [!0xff]);
    assert_eq!(run.words(), (0..32).map(|l| if l < 8 { 0 } else { 5 }).collect::<Vec<_>>());
    // One path of a branch ends the threads: the other lanes do not wait for them.
    let body = "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra A; st.global.u32 [%rd1], 1; ret;\nA: st.global.u32 [%rd1], 2;";
    let run = traced("", body, 32);
    assert_eq!(run.words()[..2], [2, 1]);
    // All of them at once.
    let run = traced("", "exit; st.global.u32 [%rd1], 1;", 32);
    assert_eq!(run.words(), [0; 32]);
    // A guard that is false in all lanes.
    let run = traced("", "setp.gt.u32 %p0, %r0, 99; @%p0 exit; st.global.u32 [%rd1], 1;", 32);
    assert_eq!(run.words(), [1; 32]);
}

#[test]
fn a_warp_of_fewer_threads_has_fewer_lanes() {
    let run = traced("", "mov.u32 %r1, 7; st.global.u32 [%rd1], %r1;", 5);
    assert_eq!(run.masks("st.global"), [0x1f]);
    assert_eq!(run.words(), [7; 5]);
}

/// A basic block of a random program: `%r1 = 5 * %r1 + add`, then a jump to one of two blocks depending on bit `bit` of `%r1`.
struct RandomBlock {
    add: u32,
    bit: u32,
    ways: [usize; 2],
}

#[test]
fn lanes_meet_again_whatever_the_branches() {
    const STEPS: u32 = 40;
    let mut state = 7_u64;
    let mut random = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    for _ in 0..60 {
        let count = 2 + random(9) as usize;
        let make = |_| RandomBlock {
            add: random(1 << 16),
            bit: 1 + random(12),
            ways: [random(count as u32) as usize, random(count as u32) as usize],
        };
        let blocks: Vec<RandomBlock> = (0..count).map(make).collect();
        let code: String = blocks
            .iter()
            .enumerate()
            .map(|(i, RandomBlock { add, bit, ways: [zero, one] })| {
                format!(
                    "B{i}: mad.lo.u32 %r1, %r1, 5, {add}; add.u32 %r2, %r2, 1; setp.gt.u32 %p0, %r2, {STEPS}; @%p0 bra OUT;\n\
                     shr.u32 %r3, %r1, {bit}; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra B{one}; bra B{zero};\n"
                )
            })
            .collect();
        let body = format!("mad.lo.u32 %r1, %r0, 77, 1; mov.u32 %r2, 0;\n{code}OUT: st.global.u32 [%rd1], %r1;");
        let run = traced("", &body, 32);
        // The expected result: each lane simulated alone.
        let alone = |lane: u32| {
            let (mut value, mut at) = (lane * 77 + 1, 0);
            for _ in 0..=STEPS {
                let block: &RandomBlock = &blocks[at];
                value = value.wrapping_mul(5).wrapping_add(block.add);
                at = block.ways[(value >> block.bit & 1) as usize];
            }
            value
        };
        assert_eq!(run.words(), (0..32).map(alone).collect::<Vec<_>>(), "{body}");
        assert_eq!(run.masks("st.global"), [ALL], "{body}");
    }
}

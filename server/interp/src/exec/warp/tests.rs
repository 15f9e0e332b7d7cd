use super::{Shuffle, source_lane};
use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, words};

/// A kernel with this body. `%r1` is the lane, and `%r2` the lane's word of `input`. The kernel stores `%r3` of each lane at the address
/// in `%rd2`.
fn lanes(target: &str, input: &[u32], body: &str) -> TestKernel {
    let text = format!(
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p1]; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd0, %rd3;\n\
         add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r2, [%rd3];\n{body}\nst.global.u32 [%rd2], %r3;"
    );
    let input = words((0..32).map(|l| input.get(l).copied().unwrap_or(0)));
    TestKernel::body(target, &text).blank(128).buffer(&input)
}

fn iota() -> Vec<u32> {
    (0..32).map(|l| 100 + l).collect()
}

/// The result of the manual's program, computed with wide signed numbers.
fn reference(mode: Shuffle, lane: i64, b: u32, c: u32) -> (usize, bool) {
    let (b, clamp, segment) = (i64::from(b % 32), i64::from(c % 32), i64::from(c >> 8 & 31));
    let max = (lane & segment) | (clamp & (31 - segment));
    let j = match mode {
        Shuffle::Up => lane - b,
        Shuffle::Down => lane + b,
        Shuffle::Butterfly => lane ^ b,
        Shuffle::Index => (lane & segment) | (b & (31 - segment)),
    };
    let ok = if mode == Shuffle::Up { j >= max } else { j <= max };
    (if ok { j } else { lane } as usize, ok)
}

#[test]
fn sources_are_those_of_the_manual_for_every_bound() {
    for mode in [Shuffle::Up, Shuffle::Down, Shuffle::Butterfly, Shuffle::Index] {
        for lane in 0..32 {
            for b in [0, 1, 2, 5, 16, 31, 32, 33, 0xffff_ffff] {
                for c in 0..=0x1f1f {
                    assert_eq!(
                        source_lane(mode, lane, b, c),
                        reference(mode, lane as i64, b, c),
                        "{mode:?} {lane} {b} {c:#x}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_travel() {
    let out = lanes("", &iota(), "shfl.sync.down.b32 %r3|%p0, %r2, 4, 31, -1; @!%p0 mov.u32 %r3, 7;").fine();
    let expected: Vec<u32> = (0..32).map(|l| if l < 28 { 104 + l } else { 7 }).collect();
    assert_eq!(out.u32s(0), expected);
    let out = lanes("", &iota(), "shfl.sync.up.b32 %r3, %r2, 1, 0x1800, -1;").fine();
    let expected: Vec<u32> = (0..32).map(|l| if l % 8 > 0 { 99 + l } else { 100 + l }).collect();
    assert_eq!(out.u32s(0), expected);
    let out = lanes("", &iota(), "sub.u32 %r4, 31, %r1; shfl.sync.idx.b32 %r3, %r2, %r4, 31, -1;").fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| 131 - l).collect::<Vec<_>>());
    // Destination and source may be one register.
    let out = lanes("", &iota(), "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1; mov.u32 %r3, %r2;").fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| 100 + (l ^ 1)).collect::<Vec<_>>());
}

#[test]
fn halves_of_a_warp_shuffle_apart() {
    let body = "and.b32 %r4, %r1, 16; shl.b32 %r5, 0xffff, %r4; shfl.sync.bfly.b32 %r3, %r2, 15, 31, %r5;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| 100 + (l ^ 15)).collect::<Vec<_>>());
}

#[test]
fn lanes_that_have_parted_meet_at_a_shuffle() {
    // The lower half takes a longer path, and rejoins before the shuffle.
    let body = "setp.lt.u32 %p0, %r1, 16; @!%p0 bra there; add.u32 %r2, %r2, 1000; bra.uni there;\n there: shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| if l < 16 { 116 + l } else { 1100 + l - 16 }).collect::<Vec<_>>());
    // Each half meets at an instruction of its own.
    let body = "setp.lt.u32 %p0, %r1, 16; @!%p0 bra other; shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffff; bra.uni end;\n\
        other: shfl.sync.bfly.b32 %r3, %r2, 2, 31, 0xffff0000;\n end:";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| if l < 16 { 100 + (l ^ 1) } else { 100 + (l ^ 2) }).collect::<Vec<_>>());
    // Lanes leave a loop one by one and wait after it.
    let body = "mov.u32 %r4, %r1; loop: setp.eq.u32 %p0, %r4, 0; @%p0 bra behind; sub.u32 %r4, %r4, 1; add.u32 %r2, %r2, 1; bra loop;\n\
        behind: shfl.sync.idx.b32 %r3, %r2, 31, 31, -1;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0), vec![131 + 31; 32]);
}

#[test]
fn threads_that_have_exited_are_not_waited_for() {
    let body = "setp.gt.u32 %p0, %r1, 7; @%p0 exit; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0)[..8], (0..8).map(|l| 100 + (l ^ 1)).collect::<Vec<_>>());
}

#[test]
fn reading_from_a_lane_that_takes_no_part_is_found() {
    let body = "setp.gt.u32 %p0, %r1, 7; @%p0 exit; shfl.sync.down.b32 %r3, %r2, 4, 31, -1;";
    let out = lanes("", &iota(), body).run();
    assert_eq!((out.status(), out.kinds()), (RunStatus::Finished, vec![FaultKind::Membermask]));
    assert_eq!(out.faults()[0].lanes, 0xf0);
    assert!(out.faults()[0].message.contains("read from lanes 8-11"), "{:?}", out.faults());
}

#[test]
fn lanes_outside_of_their_mask_are_found() {
    let out = lanes("", &iota(), "vote.sync.ballot.b32 %r3, 1, 0xff;").run();
    assert_eq!(out.kinds(), [FaultKind::Membermask]);
    assert_eq!(out.faults()[0].lanes, 0xffff_ff00);
    // The lane is named, but its guard is false.
    let out =
        lanes("", &iota(), "mov.u32 %r3, 0; setp.lt.u32 %p0, %r1, 31; @%p0 vote.sync.ballot.b32 %r3, 1, -1;").run();
    assert_eq!(out.kinds(), [FaultKind::Membermask]);
    assert!(out.faults()[0].message.contains("lanes 31 are in the mask"), "{:?}", out.faults());
    assert_eq!(out.u32s(0)[0], 0x7fff_ffff);
}

#[test]
fn lanes_that_never_come_are_found_and_the_others_go_on() {
    let body =
        "mov.u32 %r3, 5; setp.lt.u32 %p0, %r1, 16; @!%p0 bra end; vote.sync.ballot.b32 %r3, 1, -1;\n end: bar.sync 0;";
    let out = lanes("", &iota(), body).run();
    assert_eq!(out.status(), RunStatus::Finished);
    assert!(out.kinds().contains(&FaultKind::Divergence), "{:?}", out.faults());
}

#[test]
fn votes() {
    let body =
        |vote: &str| format!("setp.ge.u32 %p0, %r2, 10; vote.sync.{vote}.pred %p1, %p0, -1; selp.u32 %r3, 1, 0, %p1;");
    let all = |input: &[u32], vote: &str| {
        let out = lanes("", input, &body(vote)).fine().u32s(0);
        assert!(out.iter().all(|v| *v == out[0]));
        out[0]
    };
    let mixed: Vec<u32> = (0..32).collect();
    for (vote, truths) in [("all", [1, 0, 0]), ("any", [1, 1, 0]), ("uni", [1, 0, 1])] {
        assert_eq!([all(&iota(), vote), all(&mixed, vote), all(&[], vote)], truths, "{vote}");
    }
    let out = lanes("", &mixed, "setp.ge.u32 %p0, %r2, 10; vote.sync.ballot.b32 %r3, !%p0, -1;").fine();
    assert_eq!(out.u32s(0), [0x3ff; 32]);
    let old = "setp.ge.u32 %p0, %r2, 10; mov.u32 %r3, 0; @%p0 vote.ballot.b32 %r3, %p0;";
    let text = "sm_60";
    let out = lanes(text, &mixed, old).fine();
    assert_eq!(out.u32s(0)[9..11], [0, 0xffff_fc00]);
}

#[test]
fn matching() {
    let input: Vec<u32> = (0..32).map(|l| l % 3).collect();
    let mask = |k: u32| (0..32).filter(|l| l % 3 == k).fold(0u32, |m, l| m | 1 << l);
    let out = lanes("", &input, "match.any.sync.b32 %r3, %r2, -1;").fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| mask(l % 3)).collect::<Vec<_>>());
    let wide = "cvt.u64.u32 %rd4, %r2; shl.b64 %rd4, %rd4, 40; match.any.sync.b64 %r3, %rd4, -1;";
    assert_eq!(lanes("", &input, wide).fine().u32s(0), (0..32).map(|l| mask(l % 3)).collect::<Vec<_>>());
    let all = "match.all.sync.b32 %r3|%p0, %r2, -1; @%p0 add.u32 %r3, %r3, 2;";
    assert_eq!(lanes("", &input, all).fine().u32s(0), [0; 32]);
    assert_eq!(lanes("", &[9; 32], all).fine().u32s(0), [1; 32]);
}

#[test]
fn reductions() {
    let input: Vec<u32> = (0..32).map(|l: u32| l.wrapping_sub(5).wrapping_mul(0x0800_0001)).collect();
    let check = |what: &str, expected: u32| {
        let out = lanes("sm_100a", &input, &format!("redux.sync.{what} %r3, %r2, -1;")).fine();
        assert_eq!(out.u32s(0), [expected; 32], "{what}");
    };
    check("add.u32", input.iter().fold(0, |a, b| a.wrapping_add(*b)));
    check("min.s32", input.iter().map(|v| *v as i32).min().unwrap() as u32);
    check("max.u32", *input.iter().max().unwrap());
    check("and.b32", input.iter().fold(u32::MAX, |a, b| a & b));
    check("or.b32", input.iter().fold(0, |a, b| a | b));
    check("xor.b32", input.iter().fold(0, |a, b| a ^ b));
    let floats: Vec<u32> = [-3.0f32, -0.0, 0.0, 2.5, f32::NAN].iter().map(|f| f.to_bits()).collect();
    let float = |what: &str| {
        lanes("sm_100a", &floats, &format!("mov.b32 %f1, %r2; redux.sync.{what} %f2, %f1, 0x1f; mov.b32 %r3, %f2;"))
            .threads(5)
            .fine()
            .u32s(0)[0]
    };
    assert_eq!(float("min.f32"), (-3f32).to_bits());
    assert_eq!(float("max.f32"), 2.5f32.to_bits());
    assert_eq!(float("max.abs.f32"), 3f32.to_bits());
    assert_eq!(float("min.NaN.f32"), 0x7fff_ffff);
}

#[test]
fn one_lane_is_elected() {
    let body = "mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 8; @%p1 bra end; elect.sync %r4|%p0, 0xffffff00; @%p0 add.u32 %r3, %r3, 100; add.u32 %r3, %r3, %r4;\n end:";
    let out = lanes("", &iota(), body).fine();
    let expected: Vec<u32> = (0..32)
        .map(|l| {
            if l < 8 {
                0
            } else if l == 8 {
                108
            } else {
                8
            }
        })
        .collect();
    assert_eq!(out.u32s(0), expected);
}

#[test]
fn active_lanes() {
    let out = lanes("", &iota(), "mov.u32 %r3, 0; setp.lt.u32 %p0, %r1, 5; @%p0 activemask.b32 %r3;").fine();
    assert_eq!(out.u32s(0)[4..6], [0x1f, 0]);
}

#[test]
fn old_forms_and_sinks() {
    let out = lanes("sm_60", &iota(), "shfl.down.b32 %r3|%p0, %r2, 8, 31; @!%p0 mov.u32 %r3, 1;").fine();
    assert_eq!(out.u32s(0)[23..25], [131, 1]);
    let out = lanes("sm_60", &iota(), "setp.lt.u32 %p0, %r1, 4; mov.u32 %r3, 0; vote.all.pred %p1, %p0; @!%p1 mov.u32 %r3, 2; @%p0 vote.all.pred %p2, %p0; @%p0 selp.u32 %r3, 1, 0, %p2;").fine();
    assert_eq!(out.u32s(0)[3..5], [1, 2]);
    let out = lanes("", &iota(), "mov.u32 %r3, 0; elect.sync _|%p0, -1; @%p0 mov.u32 %r3, 9;").fine();
    assert_eq!(out.u32s(0)[..2], [9, 0]);
    let out = lanes("", &[4; 32], "mov.u32 %r3, 0; match.all.sync.b32 _|%p0, %r2, -1; @%p0 mov.u32 %r3, 9;").fine();
    assert_eq!(out.u32s(0), [9; 32]);
}

#[test]
fn parts_of_a_warp_reduce_for_themselves_at_one_instruction() {
    let body = "shr.u32 %r4, %r1, 3; shl.b32 %r4, %r4, 3; shl.b32 %r5, 0xff, %r4; redux.sync.max.u32 %r3, %r1, %r5;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0), (0..32).map(|l| l / 8 * 8 + 7).collect::<Vec<_>>());
    // One part waits for a lane that comes later; the other goes on without it.
    let body = "setp.eq.u32 %p0, %r1, 0; setp.lt.u32 %p1, %r1, 16; mov.u32 %r4, 0xffff0000; @%p1 mov.u32 %r4, 0xffff; @!%p0 bra meet; mov.u32 %r6, 50;\n\
        late: sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra late;\n meet: redux.sync.add.u32 %r3, %r1, %r4;";
    let out = lanes("", &iota(), body).fine();
    assert_eq!(out.u32s(0)[14..18], [120, 120, 376, 376]);
}

#[test]
fn marks_travel_with_the_values() {
    use ptx_num::values::Marks;
    // Lane 3 reads from a lane that does not exist, so its value is undefined. So is the one that lane 4 gets from lane 3, but no other.
    let body = "mov.u32 %r4, 3; setp.eq.u32 %p0, %r1, 3; @%p0 mov.u32 %r4, 20; mov.u32 %r5, %r1; @%p0 mov.u32 %r5, %r4; shfl.sync.idx.b32 %r2, %r2, %r5, 31, 0xff;\n\
        shfl.sync.up.b32 %r3, %r2, 1, 0, 0xff;";
    let out = lanes("", &iota(), body).threads(8).run();
    assert_eq!(out.kinds(), [FaultKind::Membermask]);
    let global = &out.run.machine.memory.global;
    let storage = &global.allocations().iter().find(|a| &*a.name == "buffer 0").unwrap().storage;
    let marked: Vec<u64> =
        (0..8).filter(|l| storage.read(4 * l, &mut [0; 4]).marks.contains(Marks::UNSPECIFIED)).collect();
    assert_eq!(marked, [4]);
}

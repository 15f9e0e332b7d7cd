//! Tests of the machine at exact times: interrupting and continuing a run gives the same result as an uninterrupted run, and recorded steps
//! are in order.

use super::module;
use crate::machine::{AccessKind, Detail, Machine, Progress, RecordedStep, RunStatus, WarpId};
use crate::memory::Region;
use crate::testing::{TestKernel, TestOutcome, words};
use crate::trace::{self, GridRun, SearchDirection};

fn never() -> bool {
    false
}

/// A kernel with everything that ends turns: divergence, a lock between lanes, barriers, calls, shared memory, and the clock.
fn restless() -> TestKernel {
    let functions = ".func (.reg .b32 r) f(.reg .b32 a) { .reg .pred %p; mov.b32 r, a; setp.lt.u32 %p, a, 40; @%p ret; mul.lo.u32 r, a, 3; ret; }\n\
         .global .u32 lock; .global .u32 sum; .shared .align 4 .b32 tile[128];";
    let body = "mov.u32 %r9, %ctaid.x; mad.lo.u32 %r9, %r9, 96, %r0; mad.wide.u32 %rd1, %r9, 4, %rd0; mov.u32 %r1, 0; mov.u32 %r2, 7;\n\
        L: setp.ge.u32 %p0, %r1, 4; @%p0 bra OUT; and.b32 %r4, %r0, 3; setp.eq.u32 %p1, %r4, 1; @%p1 bra TAKE;\n\
        call (%r5), f, (%r0); add.u32 %r2, %r2, %r5; bra N;\n\
        TAKE: atom.global.cas.b32 %r6, [lock], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra TAKE;\n\
        ld.volatile.global.u32 %r7, [sum]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [sum], %r7; membar.gl;\n\
        atom.global.exch.b32 %r6, [lock], 0;\n\
        N: mov.u32 %r10, tile; mad.lo.u32 %r10, %r0, 4, %r10; st.shared.u32 [%r10], %r2; bar.sync 0;\n\
        xor.b32 %r11, %r0, 33; setp.ge.u32 %p3, %r11, 96; mov.u32 %r12, tile; mad.lo.u32 %r12, %r11, 4, %r12;\n\
        @!%p3 ld.shared.u32 %r13, [%r12]; @!%p3 add.u32 %r2, %r2, %r13; bar.sync 0;\n\
        mov.u32 %r14, %clock; add.u32 %r2, %r2, %r14; add.u32 %r1, %r1, 1; bra L;\nOUT: st.global.u32 [%rd1], %r2;";
    TestKernel::new(&module(functions, body)).threads(96).ctas(2, 1).buffer(&[0; 768])
}

/// A kernel with only loops and calls: turns end when their quantum is used up.
fn steady() -> TestKernel {
    let functions = ".func (.reg .b32 r) g(.reg .b32 a) { mul.lo.u32 r, a, 3; ret; }";
    let body = "mov.u32 %r1, 0; mov.u32 %r2, 1;\n\
        L: add.u32 %r2, %r2, %r1; xor.b32 %r2, %r2, %r0; and.b32 %r3, %r1, 7; setp.eq.u32 %p1, %r3, 0;\n\
        @%p1 call (%r2), g, (%r2);\n\
        add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 700; @%p0 bra L;\nst.global.u32 [%rd1], %r2;";
    TestKernel::new(&module(functions, body)).threads(64).buffer(&[0; 256])
}

/// The complete state of a machine as text.
fn picture(machine: &Machine) -> String {
    let mut out = format!("{} {} {:?} {:?}\n", machine.steps, machine.kept, machine.schedule, machine.printed);
    for cta in machine.clusters.iter().flat_map(|c| &c.ctas) {
        out += &format!("{} {} {:?} {:?}\n", cta.number, cta.live, cta.gone, cta.shared.to_vec());
        for warp in &cta.warps {
            out += &format!("{} {:x} {:?}\n{:?}\n", warp.lanes.steps, warp.lanes.exited, warp.groups, warp.frames);
        }
    }
    for allocation in machine.memory.global.allocations() {
        out += &format!("{} {:?}\n", allocation.name, allocation.storage.to_vec());
    }
    out + &format!("{:?}", machine.findings.faults)
}

struct RandomTimes(u64);

impl RandomTimes {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
fn stopping_and_going_on_is_the_same_as_not_stopping() {
    for (seed, kernel) in [(1, restless as fn() -> TestKernel), (2, steady)] {
        let straight = kernel().run();
        assert_eq!(straight.status(), RunStatus::Finished, "{:?}", straight.faults());
        let (run, end) = (&straight.run, picture(&straight.run.machine));
        let mut random = RandomTimes(seed);
        for longest in [3, 2000] {
            let mut machine = kernel().machine();
            let mut pictures = Vec::new();
            loop {
                let time = machine.steps + 1 + random.below(longest);
                let progress = machine.advance_to(time, None, &never);
                if progress != Progress::Paused {
                    assert_eq!(progress, Progress::Ended(RunStatus::Finished));
                    break;
                }
                assert_eq!(machine.steps, time);
                if random.below(300) == 0 || time < 3 {
                    let mut settled = machine.clone();
                    settled.settle(&never);
                    pictures.push((time, picture(&settled)));
                }
            }
            assert!(picture(&machine) == end, "stops of {longest}");
            for (time, seen) in pictures {
                let machine = run.at(time, &never).expect("it was executed");
                assert!(picture(&machine) == seen, "{time}");
            }
        }
        assert!(run.at(run.total() + 1, &never).is_none());
        assert!(picture(&run.at(run.total(), &never).expect("the end")) == end);
        let middle = run.at(run.total() / 2, &never).expect("the middle");
        let rest = trace::run(middle, &never);
        assert_eq!((rest.begin(), rest.total(), rest.status), (run.total() / 2, run.total(), RunStatus::Finished));
        assert!(picture(&rest.machine) == end);
        assert!(rest.at(3, &never).is_none());
    }
}

#[test]
fn events_are_the_steps_of_all_warps_in_order() {
    let out = restless().run();
    let (run, machine) = (&out.run, &out.run.machine);
    let all = run.events(0, usize::MAX, Detail::MASKS, &never);
    assert_eq!(all.len() as u64, run.total());
    assert!(all.iter().enumerate().all(|(i, e)| e.time == i as u64 && e.changes.is_empty() && e.accesses.is_empty()));
    assert!(machine.clusters.is_empty(), "all have ended");
    for (cta, warp) in [(0, 0), (0, 2), (1, 1)] {
        let target = WarpId { cta, warp };
        let mine: Vec<&RecordedStep> = all.iter().filter(|e| e.target == target).collect();
        assert_eq!(run.steps(target, &never), mine.len() as u64);
        let window = run.window(target, 0, usize::MAX, &never);
        assert_eq!(window.len(), mine.len());
        for (one, other) in window.iter().zip(&mine) {
            assert_eq!(RecordedStep { changes: Vec::new(), ..one.clone() }, **other);
        }
        for step in [0, 1, 77, mine.len() as u64 - 1] {
            let time = run.time_of(target, step, &never).expect("it was executed");
            assert_eq!(time, mine[step as usize].time);
            let before = run.at(time, &never).expect("that time");
            assert_eq!(before.steps_of(target).unwrap_or(0), step);
        }
        assert_eq!(run.time_of(target, mine.len() as u64, &never), None);
    }
    assert_eq!(run.steps(WarpId { cta: 2, warp: 0 }, &never), 0, "no such CTA");
    assert_eq!(run.steps(WarpId { cta: 0, warp: 3 }, &never), 0, "no such warp");
    let some = run.events(1234, 55, Detail::ALL, &never);
    assert_eq!(some.len(), 55);
    for (event, light) in some.iter().zip(&all[1234..]) {
        let bare = RecordedStep { changes: Vec::new(), accesses: Vec::new(), ..event.clone() };
        assert_eq!(bare, *light);
    }
    assert_eq!(run.events(run.total() - 2, 10, Detail::MASKS, &never), all[all.len() - 2..]);
    assert_eq!(run.events(run.total(), 10, Detail::MASKS, &never), []);
}

#[test]
fn a_run_that_reached_its_limit_can_be_looked_at_to_its_last_step() {
    let mut kernel = restless();
    kernel.settings.limit = 1777;
    let out = kernel.run();
    assert_eq!((out.status(), out.run.total()), (RunStatus::Limit, 1777));
    let whole = restless().run().run;
    assert_eq!(out.run.events(0, usize::MAX, Detail::ALL, &never), whole.events(0, 1777, Detail::ALL, &never));
    for target in [WarpId { cta: 0, warp: 0 }, WarpId { cta: 1, warp: 0 }] {
        let steps = out.run.steps(target, &never);
        let window = out.run.window(target, 0, usize::MAX, &never);
        assert_eq!((window.len() as u64, out.run.machine.steps_of(target)), (steps, Some(steps)));
    }
}

fn places(run: &GridRun, word: &str) -> Vec<u64> {
    let executable = &run.machine.executable;
    let body = executable.function(executable.entry).expect("a body");
    let wanted =
        |e: &&RecordedStep| e.site.function == executable.entry && body.entry(e.site.instruction as usize).name == word;
    run.events(0, usize::MAX, Detail::MASKS, &never).iter().filter(wanted).map(|e| e.time).collect()
}

#[test]
fn places_are_found_forwards_and_backwards() {
    let out = restless().run();
    let run = &out.run;
    let executable = &run.machine.executable;
    let body = executable.function(executable.entry).expect("a body");
    let is_bar = |_: WarpId, s: crate::findings::InstructionSite| {
        s.function == executable.entry && body.entry(s.instruction as usize).name == "bar"
    };
    let times = places(run, "bar");
    assert!(times.len() > 20, "{times:?}");
    let mut exact = |machine: &Machine, step: &RecordedStep| machine.steps == step.time;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(step) = run.find(from, SearchDirection::Forward, &is_bar, &mut exact, &never) {
        found.push(step.time);
        from = step.time + 1;
    }
    assert_eq!(found, times);
    let mut back = Vec::new();
    let mut from = run.total();
    while let Some(step) = run.find(from, SearchDirection::Backward, &is_bar, &mut exact, &never) {
        back.push(step.time);
        from = step.time;
    }
    back.reverse();
    assert_eq!(back, times);
    // `accept` sees the machine as it is before the step.
    let target = WarpId { cta: 1, warp: 2 };
    let mut late = |machine: &Machine, _: &RecordedStep| machine.steps_of(target).is_some_and(|s| s > 100);
    let one = run.find(0, SearchDirection::Forward, &|t, s| t == target && is_bar(t, s), &mut late, &never);
    let one = one.expect("it comes there");
    assert!(one.step > 100 && one.target == target);
}

#[test]
fn a_fork_goes_its_own_way() {
    use crate::inspect::{self, MemoryPlace};
    let run = steady().run().run;
    let target = WarpId { cta: 0, warp: 1 };
    let mut machine = run.at(1500, &never).expect("the middle");
    let group = inspect::groups(&machine, target).and_then(|g| g.next).expect("a group");
    let body = machine.executable.function(machine.executable.entry).expect("a body");
    let counter = inspect::registers(&machine, target, group, 0).expect("registers");
    let counter = counter.iter().find(|r| r.name == "%r1").map(|r| r.slot).expect("the counter");
    assert_eq!(body.register_name(ptx_flow::flow::RegisterSlot(counter)), "%r1");
    inspect::set_register(&mut machine, target, group, 0, counter, u32::MAX, 699).expect("a register");
    let buffer = MemoryPlace::Named("buffer 0", 0);
    inspect::poke(&mut machine, target, None, buffer, &[9; 4]).expect("a buffer");
    let fork = trace::run(machine, &never);
    assert_eq!((fork.status, fork.begin()), (RunStatus::Finished, 1500));
    assert!(fork.total() < run.total(), "{} {}", fork.total(), run.total());
    // Steps after the change can be repeated as in any run. Steps before it do not belong to the fork.
    let events = fork.events(0, usize::MAX, Detail::ALL, &never);
    assert_eq!((events[0].time, events.len() as u64), (1500, fork.total() - 1500));
    let last = fork.steps(target, &never);
    let window = fork.window(target, last - 4, 10, &never);
    assert_eq!(window.iter().map(|s| s.step).collect::<Vec<_>>(), (last - 4..last).collect::<Vec<_>>());
    assert_eq!(fork.time_of(target, 0, &never), None);
    let start = fork.at(1500, &never).expect("its beginning");
    let seen = inspect::peek(&start, target, None, buffer, 4).expect("a buffer");
    assert_eq!(seen.bytes, [9; 4]);
    assert_eq!(
        run.at(1500, &never).map(|m| m.memory.global.named("buffer 0").map(|a| a.storage.to_vec()[0])),
        Some(Some(0))
    );
}

fn accesses(out: &TestOutcome, word: &str) -> Vec<crate::machine::MemoryAccess> {
    let executable = &out.run.machine.executable;
    let body = executable.function(executable.entry).expect("a body");
    let steps = out.run.steps_of(WarpId { cta: 0, warp: 0 }, 0, usize::MAX, Detail::ALL, &never);
    let mut mine = steps.into_iter().filter(|s| body.entry(s.site.instruction as usize).name == word);
    let found = mine.next().expect("it was executed");
    assert!(!found.more_accesses);
    found.accesses
}

#[test]
fn accesses_say_who_touches_what() {
    let out = TestKernel::body(
        "",
        ".shared .align 16 .b8 tile[512]; mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, %rd0, %rd1;\n\
         setp.lt.u32 %p0, %r0, 3; @%p0 ld.global.u32 %r2, [%rd2+4]; mov.u32 %r3, tile; add.u32 %r3, %r3, %r1;\n\
         st.shared.v2.b16 [%r3], {%h0, %h1}; @%p0 atom.shared.add.u32 %r4, [tile+8], 1;\n\
         cvta.to.global.u64 %rd3, %rd0; @%p0 cp.async.ca.shared.global [tile+256], [%rd3], 8; cp.async.wait_all;",
    )
    .buffer(&words(0..64))
    .run();
    let base = out.run.machine.memory.global.named("buffer 0").expect("the buffer").base;
    let loads = accesses(&out, "ld");
    // All lanes load the parameter.
    assert_eq!(loads.len(), 32);
    assert!(loads.iter().all(|a| (a.region, a.offset, a.bytes, a.kind) == (Region::Parameter, 0, 8, AccessKind::Load)));
    let steps = out.run.steps_of(WarpId { cta: 0, warp: 0 }, 0, usize::MAX, Detail::ALL, &never);
    let second = steps.iter().find(|s| s.accesses.first().is_some_and(|a| a.region == Region::Global));
    let second = &second.expect("a load of global memory").accesses;
    let seen: Vec<_> = second.iter().map(|a| (a.lane, a.address - base, a.bytes)).collect();
    assert_eq!(seen, [(0, 4, 4), (1, 8, 4), (2, 12, 4)]);
    let stores = accesses(&out, "st");
    assert_eq!(stores.len(), 32);
    let start = stores[0].offset;
    assert!(stores.iter().all(|a| a.region == Region::Shared(None) && a.kind == AccessKind::Store && a.bytes == 4));
    assert!(stores.iter().all(|a| a.offset == start + 4 * u64::from(a.lane)));
    let updates = accesses(&out, "atom");
    assert!(updates.iter().all(|a| (a.kind, a.offset, a.bytes) == (AccessKind::Update, start + 8, 4)));
    assert_eq!(updates.len(), 3);
    let copies = accesses(&out, "cp.async");
    let kinds: Vec<_> = copies.iter().map(|a| (a.lane, a.kind, a.bytes)).take(2).collect();
    assert_eq!(kinds, [(0, AccessKind::Load, 8), (0, AccessKind::Store, 8)]);
}

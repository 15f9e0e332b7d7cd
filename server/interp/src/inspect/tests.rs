use super::*;
use crate::machine::{Machine, Settings, WarpId};
use crate::memory::Region;
use crate::testing::{TestKernel, TestOutcome, words};

const FIRST: WarpId = WarpId { cta: 0, warp: 0 };

fn never() -> bool {
    false
}

/// A kernel in which half of the lanes call a function, and all wait at a barrier.
const TEXT: &str = ".version 8.5\n.target sm_90\n.address_size 64\n\
    .global .align 4 .u32 total[4]; .const .align 4 .u32 table[4] = {10, 20, 30, 40}; .extern .shared .align 16 .b8 dynamic[];\n\
    .func (.reg .b32 r) f(.reg .b32 a) { .reg .b32 %t; .local .align 4 .b32 own[4]; mul.lo.u32 %t, a, 2; st.local.u32 [own+4], %t; \
    ld.local.u32 r, [own+4]; ret; }\n\
    .entry k(.param .u64 out, .param .u32 n, .param .f32 a) {\n\
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .b64 %rd<8>; .reg .v2 .f32 %v; .shared .align 4 .f32 tile[64];\n\
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r12, %ctaid.x; mov.u32 %r2, 5; ld.param.f32 %f1, [a]; rcp.approx.f32 %f2, %f1;\n\
    mov.f32 %v.x, %f1; setp.lt.u32 %p1, %r1, 40; mad.wide.u32 %rd2, %r1, 4, %rd1; cvt.rn.f32.u32 %f3, %r1;\n\
    mov.u32 %r6, tile; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.f32 [%r6], %f3;\n\
    and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;\n\
    call (%r4), f, (%r1);\nEVEN: bar.sync 0; @%p1 st.global.u32 [%rd2], %r1; mov.u32 %r5, %clock; ret; }\n";

fn kernel() -> TestKernel {
    let mut kernel = TestKernel::new(TEXT).threads(48).buffer(&words(0..64)).bytes_of(&7u32.to_le_bytes());
    kernel = kernel.bytes_of(&3f32.to_le_bytes());
    kernel.shape.grid = [2, 1, 1];
    kernel.shape.shared = 256;
    kernel
}

fn spans(known: &[std::ops::Range<usize>]) -> Vec<(usize, usize)> {
    known.iter().map(|r| (r.start, r.end)).collect()
}

fn run() -> TestOutcome {
    let out = kernel().run();
    assert_eq!(out.kinds(), [], "{:?}", out.faults());
    out
}

/// The machine just before the first instruction of a warp that begins with `word`.
fn before(out: &TestOutcome, target: WarpId, word: &str) -> Machine {
    let executable = &out.run.machine.executable;
    let steps = out.run.window(target, 0, usize::MAX, &never);
    let is = |s: &&crate::machine::RecordedStep| TEXT[executable.range(s.site)].trim().starts_with(word);
    let found = steps.iter().find(is).expect("it was executed");
    out.run.at(found.time, &never).expect("that time")
}

#[test]
fn phases_of_ctas() {
    let out = run();
    let machine = out.run.at(5, &never).expect("the beginning");
    let second = WarpId { cta: 1, warp: 0 };
    assert_eq!(phase(&machine, FIRST), CtaPhase::Running);
    assert_eq!(phase(&kernel().machine(), FIRST), CtaPhase::Ahead);
    assert_eq!(phase(&out.run.machine, second), CtaPhase::Gone);
    assert_eq!(phase(&machine, WarpId { cta: 2, warp: 0 }), CtaPhase::Unknown);
    assert_eq!(phase(&machine, WarpId { cta: 0, warp: 2 }), CtaPhase::Unknown);
    for absent in [&kernel().machine(), &out.run.machine] {
        assert_eq!(groups(absent, FIRST), None);
        assert_eq!(frames(absent, FIRST, 0), []);
        assert_eq!((registers(absent, FIRST, 0, 0), specials(absent, FIRST, 0, 0)), (None, None));
        assert!(peek(absent, FIRST, Some(0), MemoryPlace::Offset(Area::Shared, 0), 4).is_err());
        assert!(peek(absent, FIRST, Some(0), MemoryPlace::Named("total", 0), 4).is_ok());
    }
    let late = groups(&machine, WarpId { cta: 0, warp: 1 }).expect("it is there");
    assert_eq!((late.present, late.exited, late.steps), (0xffff, 0, 0));
}

#[test]
fn variables_of_every_space() {
    let machine = kernel().machine();
    let all: Vec<_> = variables(&machine).into_iter().map(|variable| (variable.name, variable.space)).collect();
    for expected in
        [("total", "global"), ("table", "const"), ("dynamic", "shared"), ("tile", "shared"), ("own", "local")]
    {
        assert_eq!(all.iter().filter(|variable| **variable == expected).count(), 1, "{expected:?} {all:?}");
    }
    assert!(!all.iter().any(|(name, _)| *name == "malloc" || *name == "n"), "{all:?}");
    for (name, space) in &all {
        let shown = peek(&before(&run(), FIRST, "mul.lo.u32 %t"), FIRST, Some(1), MemoryPlace::Named(name, 0), 4);
        assert_eq!(shown.map(|peek| peek.space()), Ok(*space), "{name}");
    }
    assert!(Area::ALL.into_iter().all(|area| Area::named(area.name()) == Some(area)));
}

#[test]
fn groups_and_the_calls_that_they_are_in() {
    let out = run();
    let machine = before(&out, FIRST, "mul.lo.u32 %t");
    let view = groups(&machine, FIRST).expect("it is running");
    let odd = 0xaaaa_aaaa;
    assert_eq!(view.groups.len(), 2);
    let inside = view.groups.iter().position(|g| g.mask == odd).expect("the odd lanes");
    assert_eq!((view.next, view.groups[inside].depth, view.groups[inside].state), (Some(inside), 1, GroupState::Ready));
    let calls = frames(&machine, FIRST, inside);
    let seen: Vec<_> = calls.iter().map(|f| (f.name.as_str(), f.lanes)).collect();
    assert_eq!(seen, [("f", odd), ("k", u32::MAX)]);
    let line = |site| TEXT[machine.executable.range(site)].trim().to_owned();
    assert!(line(calls[0].site).starts_with("mul") && line(calls[1].site).starts_with("call"), "{calls:?}");
    assert_eq!(frames(&machine, FIRST, 9), []);
    // The first warp waits for the second one.
    let machine = before(&out, WarpId { cta: 0, warp: 1 }, "ld.param.u64");
    let view = groups(&machine, FIRST).expect("it is running");
    assert_eq!(view.groups.iter().map(|g| (g.mask, g.state)).collect::<Vec<_>>(), [(u32::MAX, GroupState::Barrier)]);
}

#[test]
fn registers_in_the_order_of_their_declarations() {
    let out = run();
    let machine = before(&out, FIRST, "mul.lo.u32 %t");
    let group = groups(&machine, FIRST).and_then(|g| g.next).expect("a group");
    let inner = registers(&machine, FIRST, group, 0).expect("registers");
    let names: Vec<_> = inner.iter().map(|r| (r.name.as_str(), r.ty, r.known)).collect();
    assert_eq!(names, [("r", ".b32", 0), ("a", ".b32", 0xaaaa_aaaa), ("%t", ".b32", 0)]);
    let outer = registers(&machine, FIRST, group, 1).expect("registers");
    let names: Vec<_> = outer.iter().map(|r| r.name.as_str()).collect();
    let expected = [
        "%p1", "%p2", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r12", "%f1", "%f2", "%f3", "%rd1", "%rd2", "%v.x",
        "%v.y",
    ];
    assert_eq!(names, expected);
    let find = |name: &str| outer.iter().find(|r| r.name == name).expect("a register");
    let lane = find("%r1");
    assert_eq!((lane.uniform, lane.known, &lane.bytes[20..24]), (false, u32::MAX, &[5, 0, 0, 0][..]));
    assert!(find("%r2").uniform && find("%p1").uniform && !find("%p2").uniform);
    assert_eq!(&*find("%p2").bytes, &0x5555_5555u32.to_le_bytes());
    assert_eq!((find("%f2").approximate, find("%f1").approximate), (u32::MAX, 0));
    assert_eq!((find("%r4").known, find("%r4").uniform), (0, true));
    assert_eq!(registers(&machine, FIRST, group, 2), None);
    let mut unchecked = machine;
    unchecked.settings = Settings { checks: crate::findings::Checks::none(), ..unchecked.settings };
    assert!(registers(&unchecked, FIRST, group, 0).expect("registers").iter().all(|r| r.known == u32::MAX));
}

#[test]
fn special_registers_say_who_a_thread_is() {
    let out = run();
    let target = WarpId { cta: 1, warp: 1 };
    let machine = before(&out, target, "mov.u32 %r5");
    let all = specials(&machine, target, 0, 0).expect("special registers");
    let names: Vec<_> = all.iter().map(|s| s.name.as_str()).collect();
    let expected = ["%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%laneid", "%warpid", "%clock"];
    assert_eq!(names, expected);
    let first = |name: &str| {
        let special = all.iter().find(|s| s.name == name).expect("it is there");
        (special.ty, u32::from_le_bytes(special.bytes[4..8].try_into().expect("a word")))
    };
    assert_eq!((first("%tid.x"), first("%ctaid.x"), first("%laneid")), ((".u32", 33), (".u32", 1), (".u32", 1)));
    assert_eq!(u64::from(first("%clock").1), machine.steps);
    let step = out.run.steps_of(target, 0, usize::MAX, crate::machine::Detail::REGISTERS, &never);
    let clock = step.iter().find(|s| s.time == machine.steps).expect("the step");
    assert_eq!(&clock.changes[0].after[..4], &(machine.steps as u32).to_le_bytes());
}

#[test]
fn parameters_and_what_they_point_to() {
    let out = run();
    let all = parameters(&out.run.machine);
    let seen: Vec<_> =
        all.iter().map(|p| (p.name.as_str(), p.ty, p.offset, p.bytes.len(), p.points_to.as_deref())).collect();
    let expected = [("out", ".u64", 0, 8, Some("buffer 0")), ("n", ".u32", 8, 4, None), ("a", ".f32", 12, 4, None)];
    assert_eq!(seen, expected);
}

#[test]
fn memory_is_read_by_address_offset_and_name() {
    let out = run();
    let machine = before(&out, FIRST, "and.b32");
    let base = machine.memory.global.named("buffer 0").expect("the buffer").base;
    let buffer = peek(&machine, FIRST, None, MemoryPlace::Address(base + 8), 8).expect("it is there");
    assert_eq!((buffer.space(), buffer.offset, buffer.name.as_deref()), ("global", base + 8, Some("buffer 0+8")));
    assert_eq!((spans(&buffer.known), buffer.bytes), (vec![(0, 8)], vec![2, 0, 0, 0, 3, 0, 0, 0]));
    let tile = peek(&machine, FIRST, None, MemoryPlace::Named("tile", 120), 16).expect("it is there");
    assert_eq!((tile.region, tile.name.as_deref()), (Region::Shared(None), Some("tile+120")));
    // The first warp has written its part; the second has written nothing.
    assert_eq!(spans(&tile.known), [(0, 8)]);
    assert_eq!(&tile.bytes[4..8], &31f32.to_le_bytes());
    let same = peek(&machine, FIRST, None, MemoryPlace::Offset(Area::Shared, tile.offset), 16).expect("it is there");
    assert_eq!(same, tile);
    let table = peek(&machine, FIRST, None, MemoryPlace::Named("table", 4), 4).expect("it is there");
    assert_eq!((table.space(), table.bytes), ("const", vec![20, 0, 0, 0]));
    let n = peek(&machine, FIRST, None, MemoryPlace::Named("n", 0), 4).expect("it is there");
    assert_eq!((n.space(), n.bytes, n.name.as_deref()), ("param", vec![7, 0, 0, 0], Some("n")));
    let dynamic = peek(&machine, FIRST, None, MemoryPlace::Named("dynamic", 250), 100).expect("it is there");
    assert_eq!((dynamic.bytes.len(), dynamic.name.as_deref()), (6, Some("dynamic+250")));
    assert_eq!(name_of(&machine, base + 12).as_deref(), Some("buffer 0+12"));
    assert_eq!(name_of(&machine, 12), None);
    // A variable of a function on the stack of a lane.
    let machine = before(&out, FIRST, "ld.local");
    let own = peek(&machine, FIRST, Some(3), MemoryPlace::Named("own", 0), 16).expect("it is there");
    assert_eq!((own.space(), spans(&own.known), own.bytes[4]), ("local", vec![(4, 8)], 6));
    for (lane, place, words) in [
        (None, MemoryPlace::Named("own", 0), "choose a lane"),
        (None, MemoryPlace::Offset(Area::Local, 0), "choose a lane"),
        (Some(99), MemoryPlace::Offset(Area::Local, 0), "no lane 99"),
        (None, MemoryPlace::Named("nothing", 0), "no variable"),
        (None, MemoryPlace::Address(base + 256), "0 bytes past the end of `buffer 0`"),
        (None, MemoryPlace::Address(3), "in no allocation"),
        (None, MemoryPlace::Address(u64::MAX), "in no allocation"),
        (None, MemoryPlace::Offset(Area::Shared, 1 << 20), "past the end of shared memory"),
        (None, MemoryPlace::Offset(Area::Shared, u64::MAX), "past the end of the state space"),
        (None, MemoryPlace::Offset(Area::Shared, 5 << 24), "no CTA of rank 4"),
        (None, MemoryPlace::Named("tile", u64::MAX), "bytes past `tile`"),
        (None, MemoryPlace::Address(machine.executable.code_address(0)), "address of code"),
    ] {
        let error = peek(&machine, FIRST, lane, place, 4).expect_err("it is not there");
        assert!(error.contains(words), "{place:?}: {error}");
    }
}

#[test]
fn memory_and_registers_are_changed() {
    let mut kernel = kernel();
    kernel.shape.grid = [1; 3];
    let out = kernel.run();
    let mut machine = before(&out, FIRST, "and.b32");
    for place in [
        MemoryPlace::Named("tile", 0),
        MemoryPlace::Named("buffer 0", 4),
        MemoryPlace::Named("table", 0),
        MemoryPlace::Named("n", 0),
        MemoryPlace::Offset(Area::Local, 32),
    ] {
        poke(&mut machine, FIRST, Some(1), place, &[1, 2, 3, 4]).expect("it can be written");
        let seen = peek(&machine, FIRST, Some(1), place, 4).expect("it is there");
        assert_eq!((spans(&seen.known), seen.bytes), (vec![(0, 4)], vec![1, 2, 3, 4]));
    }
    let error = poke(&mut machine, FIRST, None, MemoryPlace::Named("table", 14), &[0; 4]).expect_err("too long");
    assert!(error.contains("are not all in constant memory"), "{error}");
    let group = groups(&machine, FIRST).and_then(|g| g.next).expect("a group");
    let slot = |machine: &Machine, name: &str| {
        let all = registers(machine, FIRST, group, 0).expect("registers");
        all.into_iter().find(|r| r.name == name).expect("a register")
    };
    let (value, predicate) = (slot(&machine, "%r1").slot, slot(&machine, "%p1").slot);
    set_register(&mut machine, FIRST, group, 0, value, 0b110, 1000).expect("a register");
    set_register(&mut machine, FIRST, group, 0, predicate, 1, 0).expect("a predicate");
    assert_eq!(&slot(&machine, "%r1").bytes[4..16], &[232, 3, 0, 0, 232, 3, 0, 0, 3, 0, 0, 0]);
    assert_eq!(&*slot(&machine, "%p1").bytes, &(!1u32).to_le_bytes());
    let unwritten = slot(&machine, "%f2");
    set_register(&mut machine, FIRST, group, 0, unwritten.slot, 0b11, 0).expect("a register");
    assert_eq!(slot(&machine, "%f2").approximate, !0b11);
    assert!(set_register(&mut machine, FIRST, group, 0, 999, 1, 0).is_err());
    assert!(set_register(&mut machine, FIRST, group, 3, value, 1, 0).is_err());
    // The kernel continues with the changed values.
    let rest = crate::trace::run(machine, &never);
    let buffer = rest.machine.memory.global.named("buffer 0").expect("the buffer").storage.to_vec();
    assert_eq!(&buffer[..12], &[0, 0, 0, 0, 232, 3, 0, 0, 232, 3, 0, 0]);
}

#[test]
fn looking_changes_nothing() {
    let out = run();
    let machine = before(&out, FIRST, "call");
    let total = out.run.total();
    let group = groups(&machine, FIRST).and_then(|g| g.next).expect("a group");
    let _ = (registers(&machine, FIRST, group, 0), specials(&machine, FIRST, group, 0), parameters(&machine));
    assert_eq!(crate::trace::run(machine, &never).total(), total);
}

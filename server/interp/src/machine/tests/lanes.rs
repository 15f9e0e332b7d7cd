//! Accesses of all lanes at once do the same as accesses lane by lane: the same bytes, marks, findings and records.

use crate::findings::{Fault, FaultKind};
use crate::machine::{Detail, Machine, Origin, Progress, RecordScope, RecordedStep, Recorder};
use crate::testing::{TestKernel, words};

/// A repeatable source of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// An access with a random width, to random addresses.
fn access(numbers: &mut Numbers, wild: bool) -> String {
    let (width, vector) = (numbers.below(4), numbers.below(3));
    let bytes = 1u64 << width;
    let vector = if bytes << vector > 16 { 0 } else { vector };
    let count = bytes << vector;
    // Where the lanes are: next to each other, together, apart, in another order, at random.
    let lane = match numbers.below(6) {
        0 | 1 => format!("mul.lo.u32 %r2, %r1, {count};"),
        2 => "mov.u32 %r2, 0;".to_owned(),
        3 => format!("mul.lo.u32 %r2, %r1, {};", 16 * (1 + numbers.below(3))),
        4 => format!("xor.b32 %r2, %r1, {}; shr.u32 %r2, %r2, 1; mul.lo.u32 %r2, %r2, {count};", numbers.below(32)),
        _ => format!(
            "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r2, %r3, 16; and.b32 %r2, %r2, {};",
            2047 & !(count - 1)
        ),
    };
    let warp = if numbers.below(2) == 0 { "mad.lo.u32 %r2, %r4, 512, %r2;" } else { "" };
    let wrong =
        if wild && numbers.below(12) == 0 { numbers.of(&["add.u32 %r2, %r2, 1;", "shl.b32 %r2, %r2, 3;"]) } else { "" };
    let step = count * numbers.below(3);
    let (space, address) = match numbers.below(8) {
        0 => (".global", format!("[%rd2+{step}]")),
        1 => ("", format!("[%rd2+{step}]")),
        2 => (".global", format!("[%rd3+{step}]")),
        3 => ("", format!("[%rd4+{step}]")),
        4 => (".local", format!("[%r7+{step}]")),
        5 => (".shared::cta", format!("[%r6+{}]", 16 * numbers.below(2))),
        _ => (".shared", format!("[%r5+{step}]")),
    };
    let (ty, register) = [("8", "h"), ("16", "h"), ("32", "r"), ("64", "rd")][width as usize];
    let first = if register == "h" { 1 } else { 10 };
    let names: Vec<String> = (0..1 << vector).map(|n| format!("%{register}{}", first + n)).collect();
    let (list, suffix) = match vector {
        0 => (names[0].clone(), String::new()),
        _ => (format!("{{{}}}", names.join(", ")), format!(".v{}", names.len())),
    };
    let kind = numbers.of(&["u", "s", "b"]);
    let both = |op: &str, list: &str| format!("{op} {list}");
    let instruction = match numbers.below(10) {
        0..4 => format!("ld{space}{suffix}.{kind}{ty} {list}, {address};"),
        4..8 => {
            let (strength, space) = match numbers.below(4) {
                0 => (".volatile", space.trim_end_matches("::cta")),
                1 if !space.is_empty() && space != ".local" => (".relaxed.gpu", space),
                _ => ("", space),
            };
            format!("st{strength}{space}{suffix}.{kind}{ty} {address}, {list};")
        }
        8 if space == ".global" => format!("ld.global.nc{suffix}.{kind}{ty} {list}, {address};"),
        8 if space == ".shared" && width == 2 => {
            "and.b32 %r8, %r1, 7; shl.b32 %r8, %r8, 4; add.u32 %r8, %r8, %r20; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r8];".into()
        }
        9 if space == ".shared" && count >= 4 && vector == 0 => {
            format!("cp.async.ca.shared.global {address}, [%rd5], {count}; cp.async.commit_group;")
        }
        8 if width == 2 && space != ".local" => {
            let space = if space == ".shared::cta" { ".shared" } else { space };
            match numbers.below(5) {
                0 => format!("atom{space}.add.u32 %r11, {address}, %r10;"),
                1 => format!("atom{space}.min.s32 %r11, {address}, %r10;"),
                2 => format!("red{space}.add.f32 {address}, %f0;"),
                3 => format!("atom{space}.cas.b32 %r11, {address}, %r10, %r12;"),
                _ => both(&format!("red{space}.add.u32 {address},"), "%r10;"),
            }
        }
        8 if width == 3 && space != ".local" => {
            let space = if space == ".shared::cta" { ".shared" } else { space };
            format!("atom{space}.add.u64 %rd11, {address}, %rd10;")
        }
        9 if width == 2 && space != ".local" => {
            let order = numbers.of(&["", ".relaxed.gpu", ".acquire.gpu", ".release.cta"]);
            let space = if space == ".shared::cta" { ".shared" } else { space };
            format!("atom{order}{space}.exch.b32 %r11, {address}, %r10;")
        }
        _ => format!("ld.volatile{}{suffix}.{kind}{ty} {list}, {address};", space.trim_end_matches("::cta")),
    };
    let guard = if numbers.below(4) == 0 && !instruction.contains("ldmatrix") { "@%p1 " } else { "" };
    let between = match numbers.below(8) {
        0 | 1 => "bar.sync 0;",
        2 => "bar.warp.sync -1;",
        3 => "cp.async.wait_all;",
        4 => "ex2.approx.f32 %f1, %f0; mov.b32 %r10, %f1;",
        5 => "fence.acq_rel.gpu;",
        _ => "",
    };
    let parts = instruction.rsplit_once("; ").filter(|_| instruction.contains("ldmatrix"));
    let guarded = if parts.is_some() { instruction.clone() } else { format!("{guard}{instruction}") };
    format!(
        "{lane} {warp} {wrong} cvt.u64.u32 %rd1, %r2; add.u64 %rd2, %rd0, %rd1; add.u64 %rd3, %rd6, %rd1; add.u64 %rd4, %rd7, %rd1;\n\
         add.u32 %r5, %r20, %r2; add.u32 %r6, %r21, %r2; and.b32 %r7, %r2, 240; add.u32 %r7, %r7, %r22;\n{guarded} {between}\n"
    )
}

fn kernel(seed: u64) -> TestKernel {
    let mut numbers = Numbers(seed);
    let wild = seed.is_multiple_of(3);
    let body: String = (0..24).map(|_| access(&mut numbers, wild)).collect();
    let fill = if seed.is_multiple_of(4) {
        ""
    } else {
        "mov.u32 %r2, %r0; fill: add.u32 %r5, %r20, %r2; st.shared.u8 [%r5], %h0; add.u32 %r2, %r2, 96; setp.lt.u32 %p0, %r2, 4096; @%p0 bra fill;\n\
         st.local.v4.u32 [%r22], {%r0, %r0, %r0, %r0}; bar.sync 0;"
    };
    let text = format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n\
         .entry k(.param .u64 out, .param .u64 p1) {{\n.shared .align 16 .b8 fast[4096];\n.local .align 16 .b8 own[256];\n\
         .reg .pred %p<4>; .reg .b16 %h<10>; .reg .b32 %r<32>; .reg .f32 %f<4>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd6, [p1]; mov.u64 %rd5, %rd0;\n\
         mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; shr.u32 %r4, %r0, 5; mul.lo.u32 %r3, %r0, 747796405; mov.f32 %f0, 0f3FC00000;\n\
         mov.u32 %r20, fast; mov.u32 %r21, fast; mov.u32 %r22, own; cvta.shared.u64 %rd7, %rd8; and.b32 %r9, %r0, 3; setp.ne.u32 %p1, %r9, 1;\n\
         {}{}{}{fill}\n{body}\nbar.sync 0;\nret;\n}}\n",
        (0..10).map(|n| format!("cvt.u16.u32 %h{n}, %r0; ")).collect::<String>(),
        (10..20).map(|n| format!("add.u32 %r{n}, %r0, {n}; ")).collect::<String>(),
        (10..20).map(|n| format!("cvt.u64.u32 %rd{n}, %r{n}; ")).collect::<String>(),
    )
    .replace("cvta.shared.u64 %rd7, %rd8;", "cvt.u64.u32 %rd8, %r20; cvta.shared.u64 %rd7, %rd8;");
    let mut kernel = TestKernel::new(&text).threads(84).ctas(2, 1).buffer(&words(0..1024)).blank(4096);
    if seed.is_multiple_of(5) {
        kernel.settings.checks = kernel.settings.checks.with(FaultKind::Race, false);
    }
    kernel
}

/// An access of whole warps to rows of words, or one that parts such rows. `own`: each warp has rows of its own, and a barrier follows.
fn row_access(numbers: &mut Numbers, own: bool) -> String {
    let (count, ty, names): (u64, &str, &[&str]) = match numbers.below(8) {
        0 => (8, "b64", &["%rd10"]),
        1 => (8, "v2.b32", &["{%r10, %r11}"]),
        2 => (16, "v4.b32", &["{%r10, %r11, %r12, %r13}"]),
        3 => (16, "v2.b64", &["{%rd10, %rd11}"]),
        4 => (4, "f32", &["%f0"]),
        _ => (4, "b32", &["%r10", "%r23"]),
    };
    let apart = if numbers.below(8) == 0 { count * numbers.below(4) } else { 0 };
    let at = 128 * numbers.below(6) + apart;
    let lane = match numbers.below(12) {
        0 if !own => "mov.u32 %r2, 0;".to_owned(),
        _ => format!("mul.lo.u32 %r2, %r1, {count};"),
    };
    let step = [0, 0, 128, 512][numbers.below(4) as usize];
    let warp = format!("mad.lo.u32 %r2, %r4, {}, %r2;", if own { 2048 } else { step });
    let (space, address) = match numbers.below(2) {
        0 => (".global", format!("[%rd2+{at}]")),
        _ => (".shared", format!("[%r5+{at}]")),
    };
    let value = numbers.of(names);
    let instruction = match numbers.below(16) {
        0..6 => format!("ld{space}.{ty} {value}, {address};"),
        6..12 => format!("st{space}.{ty} {address}, {value};"),
        12 if count == 4 => format!("red{space}.add.u32 {address}, %r10;"),
        13 => format!("ld.relaxed.cta{space}.{ty} {value}, {address};"),
        14 => format!("st.volatile{space}.{ty} {address}, {value};"),
        _ if space == ".global" => format!("ld.global.nc.{ty} {value}, {address};"),
        _ => format!("st{space}.u8 {address}, %h1;"),
    };
    let guard = if numbers.below(8) == 0 { numbers.of(&["@%p1 ", "@%p2 "]) } else { "" };
    let between = if own { "bar.sync 0;" } else { "" };
    let between = between.to_owned()
        + numbers.of(&["bar.sync 0;", "bar.sync 0;", "bar.warp.sync -1;", "fence.acq_rel.gpu;", "", "", ""]);
    format!(
        "{lane} {warp} cvt.u64.u32 %rd1, %r2; add.u64 %rd2, %rd0, %rd1; add.u32 %r5, %r20, %r2;\n{guard}{instruction} {between}\n"
    )
}

/// A kernel whose warps use the same rows of words.
fn rows_kernel(seed: u64) -> TestKernel {
    let mut numbers = Numbers(seed);
    let own = seed.is_multiple_of(5);
    let body: String = (0..16).map(|_| row_access(&mut numbers, own)).collect();
    let target = if seed.is_multiple_of(4) { "sm_60" } else { "sm_90" };
    let body = if target == "sm_60" {
        body.replace("ld.relaxed.cta", "ld").replace("fence.acq_rel.gpu", "membar.gl")
    } else {
        body
    };
    let fill = match seed % 3 {
        0 => "",
        _ => {
            "mov.u32 %r2, %r0; fill: shl.b32 %r5, %r2, 2; add.u32 %r5, %r20, %r5; st.shared.u32 [%r5], %r0; add.u32 %r2, %r2, 96; setp.lt.u32 %p0, %r2, 1024; @%p0 bra fill; bar.sync 0;"
        }
    };
    let text = format!(
        ".version 8.0\n.target {target}\n.address_size 64\n\
         .entry k(.param .u64 out) {{\n.shared .align 128 .b8 fast[8192];\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .f32 %f<4>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; shr.u32 %r4, %r0, 5; mov.f32 %f0, 0f3FC00000;\n\
         mov.u32 %r20, fast; and.b32 %r9, %r0, 3; setp.ne.u32 %p1, %r9, 1; setp.lt.u32 %p2, %r1, 16; cvt.u16.u32 %h1, %r0;\n\
         {}{} mov.u32 %r23, 7;\n{fill}\n{body}\nbar.sync 0;\nret;\n}}\n",
        (10..20).map(|n| format!("add.u32 %r{n}, %r0, {n}; ")).collect::<String>(),
        (10..20).map(|n| format!("cvt.u64.u32 %rd{n}, %r{n}; ")).collect::<String>(),
    );
    TestKernel::new(&text).threads(96).ctas(if own { 1 } else { 1 + seed as u32 / 4 % 2 }, 1).buffer(&words(0..2048))
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    faults: Vec<Fault>,
    steps: u64,
    progress: Progress,
    kept: u64,
    moved: u64,
    bytes: Vec<u8>,
    states: Vec<u8>,
    records: Vec<RecordedStep>,
}

fn seen(mut machine: Machine, by_lane: bool, record: bool) -> Seen {
    machine.accesses_by_lane = by_lane;
    let mut recorder = Recorder::of(RecordScope::All, Origin::Time(0), 1 << 20, Detail::ALL);
    let progress = machine.advance(u64::MAX, record.then_some(&mut recorder), &|| false);
    let (mut bytes, mut states) = (Vec::new(), Vec::new());
    for allocation in machine.memory.global.allocations() {
        let storage = &allocation.storage;
        bytes.extend(storage.to_vec());
        for at in 0..storage.len() {
            let marks = storage.read(at, &mut [0]).marks;
            states.push(u8::from(storage.known(at)) | u8::from(!marks.is_none()) << 1);
        }
    }
    let (faults, steps, kept, moved) = (machine.findings.faults.clone(), machine.steps, machine.kept, machine.progress);
    Seen { faults, steps, progress, kept, moved, bytes, states, records: recorder.steps() }
}

#[test]
fn a_strong_store_hides_no_plain_one() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n\
         .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
         ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1;\n\
         setp.lt.u32 %p1, %r0, 32; @!%p1 bra other;\n\
         st.global.u32 [%rd2], %r0; st.volatile.global.u32 [%rd2], %r1; ret;\n\
         other: ld.volatile.global.u32 %r2, [%rd2]; ret;\n}\n";
    for by_lane in [false, true] {
        let machine = TestKernel::new(text).threads(64).buffer(&words(0..32)).machine();
        let faults = seen(machine, by_lane, false).faults;
        let kinds: Vec<_> = faults.iter().map(|fault| (fault.kind, fault.count)).collect();
        assert_eq!(kinds, [(FaultKind::Race, 32)], "by lane: {by_lane}");
    }
}

#[test]
fn rows_of_words_are_the_same_as_words() {
    let (mut races, mut clean) = (0, 0);
    for seed in 0..60 {
        let (fast, slow) =
            (seen(rows_kernel(seed).machine(), false, false), seen(rows_kernel(seed).machine(), true, false));
        assert_eq!(fast.faults, slow.faults, "seed {seed}");
        assert!(fast == slow, "seed {seed}");
        let count = fast.faults.iter().filter(|f| f.kind == FaultKind::Race).count();
        (races, clean) = (races + count, clean + usize::from(count == 0));
    }
    assert!(races > 100 && clean > 0, "{races} races, {clean} runs without one");
}

#[test]
fn all_lanes_at_once_are_the_same_as_one_by_one() {
    let mut kinds = std::collections::BTreeMap::<FaultKind, usize>::new();
    for seed in 0..45 {
        for record in [false, true] {
            let (fast, slow) =
                (seen(kernel(seed).machine(), false, record), seen(kernel(seed).machine(), true, record));
            assert_eq!(fast.faults, slow.faults, "seed {seed}");
            assert!(fast == slow, "seed {seed}");
            fast.faults.iter().for_each(|f| *kinds.entry(f.kind).or_default() += 1);
        }
    }
    for kind in [
        FaultKind::Race,
        FaultKind::UninitializedMemory,
        FaultKind::OutOfBounds,
        FaultKind::Misaligned,
        FaultKind::Asynchronous,
        FaultKind::Undefined,
    ] {
        assert!(kinds.get(&kind).is_some_and(|n| *n > 1), "{kind:?} of {kinds:?}");
    }
}

//! Several threads give the same result as one.

use super::module;
use crate::findings::{Checks, Fault, FaultKind};
use crate::machine::{Machine, Progress, RunStatus};
use crate::memory::ByteState;
use crate::testing::{TestKernel, words};
use crate::trace::RunningGrid;

/// Number of CTAs of the grids, with 64 threads each.
const CTAS: u32 = 40;

/// A loop that is long enough for several threads.
const LOOP: &str = "mov.u32 %r20, 0;\nspin: add.u32 %r20, %r20, 1; setp.lt.u32 %p7, %r20, 400; @%p7 bra spin;\n";

/// The thread's word of a buffer of a word per thread, at `%rd2`, and its number in the grid, `%r1`.
const OWN: &str = "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r0; mad.wide.u32 %rd2, %r1, 4, %rd0;\n";

/// A kernel with a buffer of a word per thread, and another one with the numbers from 0 to 63.
fn kernel(functions: &str, body: &str) -> TestKernel {
    let text = module(functions, &format!("ld.param.u64 %rd5, [p1];\n{OWN}{LOOP}{body}"));
    TestKernel::new(&text).threads(64).ctas(CTAS, 1).buffer(&words((0..64 * CTAS).map(|_| 1))).buffer(&words(0..64))
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    status: RunStatus,
    faults: Vec<Fault>,
    steps: u64,
    moved: u64,
    bytes: Vec<Vec<u8>>,
    marked: Vec<Vec<std::ops::Range<u64>>>,
    unwritten: usize,
}

fn seen(machine: &Machine, status: RunStatus) -> Seen {
    let allocations = || machine.memory.global.allocations().iter().map(|a| &a.storage);
    let marked = |state| {
        allocations().map(move |storage| {
            let mut ranges = Vec::new();
            storage.ranges(0..storage.len(), state, &mut |range| {
                ranges.push(range);
                true
            });
            ranges
        })
    };
    Seen {
        status,
        faults: machine.findings.faults.clone(),
        steps: machine.steps,
        moved: machine.progress,
        bytes: allocations().map(|s| s.to_vec()).collect(),
        marked: marked(ByteState::Unspecified).chain(marked(ByteState::Approximate)).collect(),
        unwritten: allocations().map(|s| (0..s.len()).filter(|at| !s.known(*at)).count()).sum(),
    }
}

/// Runs a kernel by one thread and by three, and compares the results. Returns whether several threads have executed it, and its findings.
fn compare(make: impl Fn() -> TestKernel) -> (bool, Seen) {
    let mut serial = make().machine();
    let Progress::Ended(status) = serial.advance(u64::MAX, None, &|| false) else { panic!("it runs to its end") };
    let expected = seen(&serial, status);
    let mut machine = make().machine();
    machine.settings.threads = 3;
    let mut alone = machine.clone();
    let on_threads = alone.run_on_threads(&|| false);
    assert_eq!(on_threads.is_none(), alone.next_cluster < alone.cluster_count(), "it is done or not begun");
    let mut running = RunningGrid::new(machine);
    let status = loop {
        if let Some(status) = running.advance(&|| false) {
            break status;
        }
    };
    let run = running.end(status);
    assert!(seen(&run.machine, run.status) == expected);
    // The history of a run on several threads is the same.
    let time = expected.steps / 3;
    let (mut middle, mut there) = (make().machine(), run.at(time, &|| false).expect("the time is in the run"));
    middle.advance_to(time, None, &|| false);
    let first = |machine: &Machine| (machine.steps, machine.memory.global.allocations()[0].storage.to_vec());
    assert!(first(&middle) == first(&there));
    there.advance(u64::MAX, None, &|| false);
    assert!(seen(&there, status) == expected);
    (on_threads.is_some(), expected)
}

#[test]
fn ctas_that_do_not_communicate_run_on_several_threads() {
    let shared = ".shared .align 4 .b8 fast[256];";
    let sum = "mov.u32 %r3, fast; mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r1; bar.sync 0;\n\
         xor.b32 %r5, %r0, 63; mad.lo.u32 %r5, %r5, 4, %r3; ld.shared.u32 %r6, [%r5];\n\
         mad.wide.u32 %rd3, %r0, 4, %rd5; ld.global.u32 %r7, [%rd3]; add.u32 %r6, %r6, %r7;";
    let (threads, seen) = compare(|| kernel(shared, &format!("{sum} st.global.u32 [%rd2], %r6;")));
    assert!(threads && seen.faults.is_empty());
    let word = |at: usize| u32::from_le_bytes(*seen.bytes[0][4 * at..].first_chunk().unwrap());
    assert_eq!([word(0), word(63), word(64)], [63, 63, 127]);
    // Bytes, marks, and atomic operations on words of the own CTA.
    let byte = "cvt.u64.u32 %rd3, %r1; add.u64 %rd3, %rd0, %rd3; cvt.u16.u32 %h1, %r1; st.global.u8 [%rd3], %h1;";
    let marked = "mov.f32 %f0, 0f3FC00000; ex2.approx.f32 %f1, %f0; st.global.f32 [%rd2], %f1;";
    let own = "red.global.add.u32 [%rd2], 7; ld.volatile.global.u32 %r6, [%rd2]; st.global.u32 [%rd2], %r6;";
    for body in [byte, marked, own, "@%p7 st.global.u32 [%rd2], 1;"] {
        let (threads, seen) = compare(|| kernel("", body));
        assert!(threads && seen.faults.is_empty(), "{body}: {:?}", seen.faults);
    }
    // An allocation that is only partly written.
    let make = || {
        kernel(
            "",
            "add.u64 %rd6, %rd2, 0; ld.param.u64 %rd7, [p2]; mad.wide.u32 %rd8, %r1, 8, %rd7; st.global.u16 [%rd8], 3;",
        )
    };
    let (threads, seen) = compare(|| make().blank(8 * 64 * u64::from(CTAS)));
    assert!(threads && seen.unwritten == 6 * 64 * CTAS as usize, "{}", seen.unwritten);
}

#[test]
fn ctas_that_communicate_run_on_one_thread() {
    let cases = [
        ("a counter", "atom.global.add.u32 %r6, [%rd5], 1; st.global.u32 [%rd2], %r6;", false),
        ("a word that all write", "st.global.u32 [%rd5], %r1;", true),
        (
            "a word of the next CTA",
            "setp.lt.u32 %p1, %r1, 2496; @%p1 ld.global.u32 %r6, [%rd2+256]; st.global.u32 [%rd2], %r1;",
            true,
        ),
        (
            "a word that the last CTA reads and the first one writes",
            "setp.eq.u32 %p1, %r1, 2500; @%p1 ld.global.u32 %r6, [%rd0+12]; @!%p1 st.global.u32 [%rd2], %r1;",
            true,
        ),
        ("a finding of a late CTA", "setp.eq.u32 %p1, %r1, 2100; @%p1 add.u32 %r6, %r7, 1;", true),
        ("a race in a CTA", "st.shared.u32 [fast], %r1;", true),
        ("the clock", "mov.u32 %r6, %clock; st.global.u32 [%rd2], %r6;", false),
        ("a narrow scope", "fence.acq_rel.cta; st.global.u32 [%rd2], %r6;", true),
    ];
    for (name, body, finds) in cases {
        let (threads, seen) = compare(|| kernel(".shared .align 4 .b8 fast[256];", body));
        assert!(!threads, "{name}");
        assert_eq!(!seen.faults.is_empty(), finds, "{name}: {:?}", seen.faults);
    }
    let printing = "mov.u64 %rd6, text; cvta.global.u64 %rd6, %rd6; call.uni (%r6), vprintf, (%rd6, %rd5);";
    let declared =
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .global .align 1 .b8 text[2] = {65, 0};";
    assert!(!compare(|| kernel(declared, printing)).0);
    let heap = "call.uni (%rd6), malloc, (4); st.global.u32 [%rd6], %r1; call.uni free, (%rd6);";
    let declared = ".extern .func (.param .b64 r) malloc (.param .b64 a); .extern .func free (.param .b64 a);";
    assert!(!compare(|| kernel(declared, heap)).0);
}

#[test]
fn ctas_that_read_words_of_others_run_on_one_thread_without_the_race_detector() {
    let loads = [
        ("a row", "ld.global.u32 %r6, [%rd2+-5120];"),
        ("one lane after the other", "ld.acquire.gpu.global.u32 %r6, [%rd2+-5120];"),
        ("an atomic operation", "atom.global.add.u32 %r6, [%rd2+-5120], 1;"),
        ("one atomic operation after the other", "atom.acquire.gpu.global.add.u32 %r6, [%rd2+-5120], 1;"),
        (
            "a copy",
            "cp.async.ca.shared.global [%r4], [%rd2+-5120], 4; @%p1 cp.async.wait_all; @%p1 ld.shared.u32 %r6, [%r4];",
        ),
    ];
    for (name, load) in loads {
        // No part is so long that it contains both CTAs.
        let body = format!(
            "mov.u32 %r6, 0; mov.u32 %r3, fast; mad.lo.u32 %r4, %r0, 4, %r3;\n\
             setp.gt.u32 %p1, %r2, 23; @%p1 {load}\n\
             add.u32 %r6, %r6, %r1; st.global.u32 [%rd2], %r6;"
        );
        let (threads, seen) = compare(|| {
            let mut kernel = kernel(".shared .align 4 .b8 fast[256];", &body);
            kernel.settings.checks = Checks::default().with(FaultKind::Race, false);
            kernel
        });
        assert!(!threads && seen.faults.is_empty(), "{name}: {:?}", seen.faults);
    }
}

#[test]
fn ctas_that_poll_for_other_ctas_run_on_one_thread() {
    let flags = "mad.wide.u32 %rd6, %r2, 4, %rd5;";
    // The earlier CTA runs at the same time. The later CTA has not started yet.
    for (polls, flag) in [("setp.gt.u32 %p1, %r2, 1;", -4), ("setp.eq.u32 %p1, %r2, 2;", 12)] {
        let poll = format!(
            "poll: @%p1 ld.relaxed.gpu.global.u32 %r6, [%rd6+{flag}]; setp.ne.and.u32 %p2, %r6, 99, %p1; @%p2 bra poll;"
        );
        let body = format!("{flags} mov.u32 %r6, 99; st.relaxed.gpu.global.u32 [%rd6], 99; {polls} {poll}");
        let (threads, seen) = compare(|| {
            let mut kernel = kernel("", &body);
            kernel.settings.limit = u64::MAX;
            kernel
        });
        assert!(!threads && seen.status == RunStatus::Finished, "{flag}: {:?}", seen.status);
    }
}

#[test]
fn limits_are_those_of_one_run() {
    let long = || kernel("", "st.global.u32 [%rd2], %r1;");
    let (threads, seen) = compare(long);
    assert!(threads);
    let limited = |limit| {
        let (threads, seen) = compare(|| {
            let mut kernel = long();
            kernel.settings.limit = limit;
            kernel
        });
        (threads, seen.status)
    };
    assert_eq!(limited(seen.steps - 1), (false, RunStatus::Limit));
    assert_eq!(limited(seen.steps), (true, RunStatus::Finished));
    // The page of memory of the last CTA is one too many.
    let body = "ld.param.u64 %rd7, [p2]; mad.wide.u32 %rd8, %r2, 4096, %rd7; mad.wide.u32 %rd8, %r0, 4, %rd8; st.global.u32 [%rd8], %r1;";
    let pages = || kernel("", body).blank(4096 * u64::from(CTAS));
    assert!(compare(pages).0);
    let mut machine = pages().machine();
    machine.advance(u64::MAX, None, &|| false);
    let (threads, seen) = compare(|| {
        let mut kernel = pages();
        kernel.settings.memory = machine.most_kept - 1;
        kernel
    });
    assert_eq!((threads, seen.faults.first().map(|f| f.kind)), (false, Some(FaultKind::OutOfMemory)));
    // One thread executes long CTAs beside each other: their stacks exist at the same time.
    let body = "st.local.u32 [stack], %r1;\n\
         mov.u32 %r8, 0; long: add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 80000; @%p1 bra long;\n\
         ld.local.u32 %r6, [stack]; st.global.u32 [%rd2], %r6;";
    let stacks = || kernel("", &format!(".local .b8 stack[8];\n{body}")).ctas(8, 1);
    assert!(compare(stacks).0);
    let mut machine = stacks().machine();
    machine.advance(u64::MAX, None, &|| false);
    let (threads, seen) = compare(|| {
        let mut kernel = stacks();
        kernel.settings.memory = machine.most_kept - 1;
        kernel
    });
    assert_eq!((threads, seen.faults.first().map(|f| f.kind)), (false, Some(FaultKind::OutOfMemory)));
    // A short grid is executed by one thread.
    assert!(!compare(|| long().ctas(1, 1)).0 && !compare(|| long().ctas(2, 1)).0);
}

#[test]
fn a_run_on_several_threads_can_be_cancelled() {
    let mut machine = kernel("", "st.global.u32 [%rd2], %r1;").machine();
    machine.settings.threads = 2;
    let polls = std::cell::Cell::new(0);
    let cancelled = || {
        polls.set(polls.get() + 1);
        polls.get() > 12
    };
    assert_eq!(machine.run_on_threads(&cancelled), Some(RunStatus::Cancelled));
    // What was reached is kept: the blocks that have ended, each with its words, and those that have not.
    let counts = machine.cta_counts();
    assert!(counts.ended + counts.running + counts.ahead == u64::from(CTAS) && counts.ahead > 0, "{counts:?}");
    let words = machine.memory.global.allocations()[0].storage.to_vec();
    let written = words.chunks_exact(4).filter(|word| **word != [1, 0, 0, 0]).count() as u64;
    // The word of one thread has its old value.
    assert!(
        (64 * counts.ended..=64 * (counts.ended + counts.running) + 1).contains(&(written + 1)),
        "{written}, {counts:?}"
    );
    // A machine that is cancelled before it has begun has nothing.
    let mut machine = kernel("", "st.global.u32 [%rd2], %r1;").machine();
    machine.settings.threads = 2;
    assert_eq!((machine.run_on_threads(&|| true), machine.steps), (Some(RunStatus::Cancelled), 0));
}

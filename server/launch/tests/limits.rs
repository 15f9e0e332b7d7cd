//! Kernels that want too much time or memory end within the limits of their run, at the same place each time.

// Tests make the files that they read.
#![allow(clippy::disallowed_methods)]

mod bombs;

use bombs::{BOMBS, Bomb};
use ptx_interp::machine::{RunStatus, Settings};
use ptx_launch::evaluate::LaunchRun;
use ptx_launch::limit::RunLimit;
use std::process::Command;
use std::time::{Duration, Instant};

/// Steps that a kernel may execute here.
const STEPS: u64 = 20_000;

/// The most that an instruction adds to the effort after the limit is reached: a copy of all lanes.
const LAST_INSTRUCTION: u64 = 8 << 20;

/// Processor time for a unit of work in a build without optimisation. With optimisation it is 20 to 60 ns.
const UNIT: Duration = Duration::from_micros(4);

/// Names the kernel that a process of the memory test runs.
const NAME: &str = "PTX_BOMB";

/// Memory that a run may hold in that process, and what the process takes besides: itself, the module, pages of the allocator.
const MEMORY: u64 = 96 << 20;
const BESIDES: u64 = 48 << 20;

fn settings(threads: usize) -> Settings {
    Settings { limit: STEPS, threads, ..Settings::default() }
}

/// Processor time of this thread; `None` where the system does not say it.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// All that a user sees of a run, but its time.
#[derive(PartialEq)]
struct SeenRun {
    status: RunStatus,
    limit: Option<RunLimit>,
    steps: u64,
    /// The message of each fault, and how often it occurred.
    faults: Vec<(String, u64)>,
    printed: Vec<u8>,
}

fn seen(done: &LaunchRun) -> SeenRun {
    let machine = &done.run.machine;
    SeenRun {
        status: done.run.status,
        limit: done.limit,
        steps: machine.steps,
        faults: done.faults().iter().map(|fault| (fault.message.clone(), fault.count)).collect(),
        printed: machine.printed.clone(),
    }
}

fn check(bomb: &Bomb) {
    let before = processor_time();
    let done = bomb.run(settings(1), None);
    let time = before.zip(processor_time()).map(|(before, after)| after - before);
    let (machine, name) = (&done.run.machine, bomb.name);
    let most = machine.settings.effort() + LAST_INSTRUCTION;
    assert!(machine.steps <= STEPS && machine.effort <= most, "{name}: {} steps, {}", machine.steps, machine.effort);
    // Buffers are filled before.
    let filled = if bomb.launch.contains(":zero") { 0 } else { done.buffers.iter().map(|b| b.bytes / 4).sum() };
    let work = machine.work().max(100_000) + filled;
    if let Some(time) = time {
        assert!(time < UNIT * u32::try_from(work).unwrap_or(u32::MAX), "{name}: {time:?} for {work} units of work");
    }
    assert_eq!(done.limit.is_some(), done.run.status == RunStatus::Limit, "{name}");
    if machine.shape.ctas() > 1 {
        assert!(seen(&bomb.run(settings(3), None)) == seen(&done), "{name}: three threads give another result");
    }
}

/// Checks every third kernel, so that the test is three that run at a time.
fn check_every_third(first: usize) {
    BOMBS.iter().skip(first).step_by(3).for_each(check);
}

#[test]
fn work_is_bounded() {
    check_every_third(0);
}

#[test]
fn work_is_bounded_in_the_second_third() {
    check_every_third(1);
}

#[test]
fn work_is_bounded_in_the_last_third() {
    check_every_third(2);
}

fn bomb(name: &str) -> &'static Bomb {
    BOMBS.iter().find(|bomb| bomb.name == name).expect("a kernel of the table")
}

#[test]
fn a_message_says_which_limit() {
    let limit = |name| bomb(name).run(settings(1), None).limit;
    assert_eq!(limit("additions"), Some(RunLimit::Steps));
    assert_eq!(limit("bulk copies of 40,960 bytes"), Some(RunLimit::Effort));
    assert_eq!(limit("two thousand million blocks"), Some(RunLimit::Effort));
}

#[test]
fn time_is_bounded_and_what_was_reached_is_kept() {
    let time = Duration::from_millis(60);
    let settings = |threads| Settings { limit: u64::MAX, threads, ..Settings::default() };
    let begin = Instant::now();
    let done = bomb("additions").run(settings(1), Some(time));
    assert_eq!((done.run.status, done.limit), (RunStatus::Limit, Some(RunLimit::Time(time))));
    assert!(begin.elapsed() < Duration::from_secs(20) && done.run.machine.steps > 0);
    assert_eq!((done.standing().len(), done.standing()[0].1), (1, 1));
    // Blocks that end, each with a word, and more of them than the time allows; by one thread and by several.
    let blocks = Bomb {
        name: "blocks",
        launch: "grid=10000000 block=32 x=u32[10000000]:zero",
        before: "mov.u32 %r1, %ctaid.x; mad.wide.u32 %y, %r1, 4, %x; mov.u32 %r2, 0;\nspin: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 300; @%p0 bra spin; setp.eq.u32 %p1, %r0, 0; @%p1 st.global.u32 [%y], 1;",
        again: "",
        ..Bomb::PLAIN
    };
    for threads in [1, 3] {
        let done = blocks.run(settings(threads), Some(Duration::from_millis(400)));
        assert!(matches!(done.limit, Some(RunLimit::Time(_))), "{:?}", done.run.status);
        let counts = done.run.machine.cta_counts();
        let changed = done.buffers[0].snapshot(&done.run.machine).changes(&done.before[0], done.buffers[0].element);
        assert!(counts.ended > 0 && counts.ahead > 0 && counts.running < 100, "{threads}: {counts:?}");
        assert!(changed.count.abs_diff(counts.ended) < 200, "{threads}: {counts:?}, but {changed:?}");
    }
}

/// Kernels that take memory in different ways.
const TAKE_MEMORY: [&str; 16] = [
    "random stores to a gigabyte",
    "random bytes of a gigabyte",
    "random atomics on a gigabyte",
    "random releases in a gigabyte",
    "random approximations in a gigabyte",
    "numbers that are overwritten",
    "local memory of 64,000 threads",
    "blocks that wait for each other",
    "blocks that wait for an mbarrier",
    "barriers of the grid",
    "copies in flight",
    "groups of no copies",
    "asynchronous stores",
    "products of warpgroups in flight",
    "recursion",
    "the heap",
];

/// Runs the kernel that the memory test names, in a process of its own. Does nothing otherwise.
#[test]
fn one_kernel() {
    if let Ok(name) = std::env::var(NAME) {
        let settings = Settings { memory: MEMORY, limit: 400_000, ..Settings::default() };
        let done = bomb(&name).run(settings, Some(Duration::from_secs(60)));
        assert!(done.run.machine.kept <= MEMORY + (1 << 20), "{} bytes", done.run.machine.kept);
        // A report must not need much more.
        let report = ptx_launch::report::report(&done, &|_| (1, 1), None, &mut { ptx_launch::report::BUFFER_ROOM });
        drop((report, done));
        println!("peak: {}", peak().unwrap_or(0));
    }
}

/// The most memory that this process has held, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

#[test]
fn memory_is_bounded() {
    for name in TAKE_MEMORY {
        let program = std::env::current_exe().expect("this test");
        let arguments = ["--exact", "one_kernel", "--nocapture"];
        let done = Command::new(program).args(arguments).env(NAME, name).output().expect("it runs");
        let text = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&done.stderr));
        let peak: u64 = text.split("peak: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok()).unwrap_or(0);
        assert!(peak <= MEMORY + BESIDES, "{name}: {} MiB", peak >> 20);
    }
}

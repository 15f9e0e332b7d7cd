//! Runs of programs, on every system. The programs are this executable again: [`role`] plays them.

use super::*;
use std::fs::{File, TryLockError};
use std::io::Write;

/// Names the program that [`role`] plays.
const ROLE: &str = "PTX_ANALYZER_TEST_ROLE";

/// This executable, which plays one role.
fn playing(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    // Names of tests begin behind the name of the crate.
    let (_, module) = module_path!().split_once("::").unwrap();
    command.args(["--exact", &format!("{module}::role"), "--nocapture"]).env(ROLE, role);
    command
}

fn run(role: &str, folder: &Path, limits: (u64, usize)) -> Result<(ExitStatus, String), RunFailure> {
    let bounds = RunLimits { time: Duration::from_secs(limits.0), output: limits.1 };
    Runner::default().run(playing(role), folder, bounds, &|| false)
}

/// Keeps a file of the current folder locked until the process ends.
fn hold(name: &str) {
    let file = File::create(name).unwrap();
    file.lock().unwrap();
    std::thread::sleep(Duration::from_secs(300));
}

/// Waits until a process holds a file, or until none does.
fn waits(folder: &Path, name: &str, held: bool) {
    let begin = Instant::now();
    loop {
        let state = File::options().write(true).open(folder.join(name)).map(|file| file.try_lock());
        let is_held = match state {
            Ok(Ok(())) => Some(false),
            Ok(Err(TryLockError::WouldBlock)) => Some(true),
            Ok(Err(TryLockError::Error(error))) => panic!("{error}"),
            Err(_) => None,
        };
        if is_held == Some(held) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{name}: held {is_held:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The programs. Without a role this test does nothing.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    match role.as_str() {
        "talk" => {
            std::io::stdout().write_all(b"one\n").unwrap();
            std::io::stderr().write_all(b"two\n").unwrap();
            std::process::exit(3);
        }
        "hang" => std::thread::sleep(Duration::from_secs(300)),
        "flood" => loop {
            std::io::stdout().write_all(&[b'a'; 1 << 12]).unwrap();
        },
        "temporary" => {
            let file = std::env::temp_dir().join("here");
            std::fs::write(file, "").unwrap();
            std::process::exit(0);
        }
        "hold" => hold("second"),
        // It starts another process, which keeps its output open too.
        "parent" | "leaver" => {
            let mut second = playing("hold").spawn().unwrap();
            waits(Path::new("."), "second", true);
            if role == "leaver" {
                std::io::stdout().write_all(b"left\n").unwrap();
                std::process::exit(0);
            }
            hold("first");
            second.wait().unwrap();
        }
        // A server that runs a program in the current folder.
        "server" => {
            let _ = run("parent", Path::new("."), (300, 1 << 20));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn output_of_both_streams_and_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let (status, printed) = run("talk", folder.path(), (60, 1000)).unwrap();
    assert_eq!(status.code(), Some(3), "{printed}");
    assert!(printed.contains("one\n") && printed.contains("two\n"), "{printed}");
}

#[test]
fn a_program_that_hangs_or_floods_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    assert!(matches!(run("hang", folder.path(), (2, 1000)), Err(RunFailure::Late)));
    assert!(matches!(run("flood", folder.path(), (60, 100_000)), Err(RunFailure::Flood)));
    // A program with closed outputs has not ended.
    #[cfg(unix)]
    {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "exec >&- 2>&-; sleep 100"]);
        let bounds = RunLimits { time: Duration::from_secs(1), output: 100 };
        assert!(matches!(Runner::default().run(shell, folder.path(), bounds, &|| false), Err(RunFailure::Late)));
    }
    assert!(begin.elapsed() < Duration::from_secs(50));
}

#[test]
fn the_end_is_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::default();
    let bounds = RunLimits { time: Duration::from_secs(100), output: 1000 };
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let (runner, folder) = (&runner, folder.path());
        let running = scope.spawn(move || {
            let _busy = runner.busy();
            runner.run(playing("hang"), folder, bounds, &|| false)
        });
        while runner.lock().children.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        runner.end(Duration::from_secs(20));
        assert!(runner.lock().busy == 0 && runner.lock().children.is_empty());
        assert!(matches!(running.join().unwrap(), Err(RunFailure::Cancelled)));
    });
    assert!(matches!(runner.run(playing("hang"), folder.path(), bounds, &|| false), Err(RunFailure::Cancelled)));
    assert!(begin.elapsed() < Duration::from_secs(50));
}

#[test]
fn temporary_files_go_to_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (status, printed) = run("temporary", folder.path(), (60, 1000)).unwrap();
    assert!(status.success(), "{printed}");
    assert!(folder.path().join("here").exists());
}

#[test]
fn what_a_program_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bounds = RunLimits { time: Duration::from_secs(300), output: 1000 };
    let begin = Instant::now();
    let stop = || folder.join("first").exists();
    let stopped = Runner::default().run(playing("parent"), folder, bounds, &stop);
    assert!(matches!(stopped, Err(RunFailure::Cancelled)));
    for name in ["first", "second"] {
        waits(folder, name, false);
    }
    // A program that ends before what it has started.
    let (status, printed) = run("leaver", folder, (300, 1000)).unwrap();
    assert!(status.success() && printed.contains("left\n"), "{printed}");
    waits(folder, "second", false);
    assert!(begin.elapsed() < Duration::from_secs(200));
}

/// On Unix another process has to watch the server: the tests of the program do that.
#[test]
#[cfg(windows)]
fn programs_end_with_a_server_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = playing("server").current_dir(folder.path()).spawn().unwrap();
    for name in ["first", "second"] {
        waits(folder.path(), name, true);
    }
    server.kill().unwrap();
    server.wait().unwrap();
    for name in ["first", "second"] {
        waits(folder.path(), name, false);
    }
}

//! Launches as lines, TOML and JSON. Each is either parsed or rejected with a message. Writing a parsed launch and
//! reading it again must give the same, and binding it to a module must respect the limits.

use crate::bytes::split;
use ptx_interp::decode::Executable;
use ptx_interp::machine::Settings;
use ptx_launch::bind::bind;
use ptx_launch::choose::{LaunchOrigin, LaunchQuery};
use ptx_launch::evaluate::LaunchModule;
use ptx_launch::file::{self, Language};
use ptx_launch::guess::complete;
use ptx_launch::settle::settle;
use ptx_launch_syntax::{Launch, LaunchMistake, written};
use ptx_syntax::Snapshot;
use std::sync::{Arc, LazyLock};

/// The module to launch, with parameters of many kinds and variables in all state spaces.
const MODULE: &str = include_str!("launched.ptx");

static LAUNCHED: LazyLock<LaunchModule> = LazyLock::new(|| LaunchModule::new(&Snapshot::new(MODULE)));

/// Parses a launch in all formats.
pub fn run(data: &[u8]) {
    let (text, mut bytes) = split(data);
    let which = bytes.byte();
    if which & 3 == 0 {
        let (launch, mistakes) = written(&text, "k");
        places(&text, &mistakes);
        if mistakes.is_empty() {
            again(&launch);
        }
        try_it(launch);
    }
    if which & 3 == 1 {
        let above = format!("{text}\n{MODULE}");
        let module = LaunchModule::new(&Snapshot::new(&above));
        let (launches, mistakes) = module.launches();
        places(&above, &mistakes);
        launches.into_iter().take(3).for_each(try_it);
    }
    for (number, language) in [(2, Language::Toml), (3, Language::Json)] {
        if which & 3 == number {
            let (launches, mistakes) = file::launches(&text, language);
            places(&text, &mistakes);
            if mistakes.is_empty() {
                launches.iter().take(3).for_each(again);
            }
            launches.into_iter().take(3).for_each(try_it);
        }
    }
    if which & 4 == 4 {
        let table = serde_json::from_str(&text).map(LaunchOrigin::Table);
        let launch = table.unwrap_or(LaunchOrigin::Lines(text));
        let at = (which & 8 == 8).then(|| bytes.number());
        if let Ok(chosen) = LAUNCHED.choose(&LaunchQuery { entry: None, at, launch, number: bytes.byte().into() }) {
            try_it(chosen.launch);
        }
    }
}

fn places(text: &str, mistakes: &[LaunchMistake]) {
    for mistake in mistakes {
        assert!(!mistake.message.is_empty(), "{mistake:?}");
        assert!(text.get(mistake.range.clone()).is_some(), "{mistake:?} does not lie in\n{text}");
    }
}

/// Asserts that a launch stays the same when it is written and read again.
fn again(launch: &Launch) {
    let lines = launch.text();
    let bare: String = lines.lines().map(|line| format!("{}\n", line.trim_start_matches("//! "))).collect();
    for text in [&lines, &bare] {
        let (read, mistakes) = written(text, &launch.entry);
        if !mistakes.is_empty() && *text == bare {
            continue;
        }
        assert!(mistakes.is_empty(), "{lines}\ncannot be read again: {mistakes:?}");
        assert_eq!(read.text(), lines, "written out otherwise");
    }
}

/// Binds a launch to the module, and allocates its buffers.
fn try_it(mut launch: Launch) {
    launch.entry = "k".into();
    let mut mistakes = settle(&mut launch, &LAUNCHED.program, MODULE);
    mistakes.extend(launch.read_files(&mut |_| Ok(vec![1, 2, 3, 4])));
    if !mistakes.is_empty() {
        return;
    }
    complete(&mut launch, &LAUNCHED.program, MODULE);
    let executable = Executable::new(Arc::clone(&LAUNCHED.program), "k").unwrap_or_else(|why| panic!("{}", why.0));
    let settings = Settings { limit: 100, memory: 1 << 20, ..Settings::default() };
    if let Ok(bound) = bind(&launch, Arc::new(executable), settings) {
        let run = ptx_interp::trace::run(bound.machine, &|| false);
        assert!(run.total() <= 200, "a run goes beyond its limit");
        let _ = ptx_launch::verdict::verdicts(&launch.expectations, &run.machine, &bound.buffers, run.status);
    }
}

//! The kernels of the repository run without findings.

use crate::bind::bind;
use crate::guess::complete;
use crate::settle::settle;
use crate::source::launches;
use crate::verdict::{unexpected, verdicts};
use ptx_check::execution::CheckedProgram;
use ptx_interp::decode::Executable;
use ptx_interp::findings::{Fault, FaultKind};
use ptx_interp::machine::{RunStatus, Settings};
use ptx_interp::trace;
use ptx_syntax::Snapshot;
use std::sync::Arc;

/// Runs the launches of a file of example kernels. Each must have no findings and meet its expectations. Returns their number.
fn example(text: &str) -> usize {
    let program = Arc::new(CheckedProgram::new(&Snapshot::new(text)).program);
    let found = launches(text, &program);
    assert_eq!(found.mistakes, []);
    let count = found.launches.len();
    for mut launch in found.launches {
        assert_eq!(settle(&mut launch, &program, text), []);
        assert_eq!(complete(&mut launch, &program, text).parts, [""; 0]);
        let executable = Executable::new(program.clone(), &launch.entry).expect("it can be executed");
        let bound = bind(&launch, Arc::new(executable), Default::default()).expect("it can be launched");
        let run = trace::run(bound.machine, &|| false);
        assert_eq!(run.status, RunStatus::Finished, "{:?}", run.machine.findings.faults);
        assert_eq!(unexpected(&launch.expectations, &run.machine.findings.faults), [] as [&Fault; 0]);
        for verdict in verdicts(&launch.expectations, &run.machine, &bound.buffers, run.status) {
            assert!(verdict.ok, "{}: {:?}", verdict.name, verdict.message);
        }
    }
    count
}

#[test]
fn the_example_kernels_of_images_and_tensors_run() {
    assert_eq!(example(include_str!("../../../../tests/kernels/textures.ptx")), 3);
    assert_eq!(example(include_str!("../../../../tests/kernels/tma_pipeline.ptx")), 1);
}

/// The kernels of the repository have no races: no synchronization finding is reported, even if a run has other findings.
#[test]
#[expect(clippy::disallowed_methods, reason = "the kernels of this repository")]
fn our_kernels_have_no_races() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut finished = Vec::new();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let program = Arc::new(CheckedProgram::new(&Snapshot::new(&text)).program);
        for mut launch in launches(&text, &program).launches {
            settle(&mut launch, &program, &text);
            complete(&mut launch, &program, &text);
            let executable = Arc::new(Executable::new(Arc::clone(&program), &launch.entry).unwrap());
            let Ok(bound) = bind(&launch, executable, Settings::default()) else { continue };
            let run = trace::run(bound.machine, &|| false);
            let ours = [
                FaultKind::Race,
                FaultKind::Barrier,
                FaultKind::Divergence,
                FaultKind::Membermask,
                FaultKind::Deadlock,
            ];
            let found: Vec<&Fault> = run.machine.findings.faults.iter().filter(|f| ours.contains(&f.kind)).collect();
            assert!(found.is_empty(), "{name}: {found:#?}");
            if run.status == RunStatus::Finished {
                finished.push(name.clone());
            }
        }
    }
    for name in [
        "cluster_dsmem",
        "cp_async_pipeline",
        "histogram",
        "single_pass_sum",
        "spin_lock",
        "wgmma_tile",
        "work_stealing",
    ] {
        assert!(finished.iter().any(|f| f == name), "{name} of {finished:?}");
    }
}

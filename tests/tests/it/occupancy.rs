//! The number of warps per multiprocessor equals that of NVIDIA's occupancy calculator (tests/oracle/occupancy.cpp
//! records it).

use flate2::read::GzDecoder;
use ptx_flow::registers::occupancy::{ASSUMED_THREADS, LimitedBy, Needs, Occupancy};
use ptx_isa::ISA;
use ptx_isa::tables::TargetInfo;
use std::fs::File;
use std::io::Read;
use std::path::Path;

fn target(name: &str) -> &'static TargetInfo {
    ISA.target(name).expect("a target")
}

fn occupancy(name: &str, registers: u32, shared: u64, threads: u32) -> Occupancy {
    Occupancy::new(target(name), Needs { registers, shared, threads: Some(threads) }).expect("a known multiprocessor")
}

#[test]
fn the_calculator_agrees() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/occupancy.txt.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("recorded answers")).read_to_string(&mut text).expect("text");
    let mut lines = text.lines();
    let numbers = |line: &str| line.split(' ').filter_map(|n| n.parse().ok()).collect::<Vec<u64>>();
    let sizes = numbers(lines.next().expect("the sizes of shared memory"));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for line in lines {
        let name = line.split(' ').next().expect("a target");
        let [registers, threads, ctas @ ..] = &numbers(line)[..] else { panic!("{line}") };
        assert_eq!(ctas.len(), sizes.len(), "{line}");
        for (shared, expected) in sizes.iter().zip(ctas) {
            let found = occupancy(name, *registers as u32, *shared, *threads as u32);
            seen += 1;
            if u64::from(found.ctas) != *expected {
                wrong.push(format!(
                    "{name} {registers} registers, {threads} threads, {shared} bytes: {expected}, not {found:?}"
                ));
            }
        }
    }
    let shown = wrong.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {seen} differ:\n{shown}", wrong.len());
    assert!(seen > 50_000, "{seen}");
}

/// Examples that NVIDIA's guides and others have published.
#[test]
fn published_examples() {
    let warps = |name, registers, shared, threads| {
        let o = occupancy(name, registers, shared, threads);
        (o.warps, o.limited_by)
    };
    // The best practices guide: on a device with 64 K registers, 12 CTAs of 128 threads fit at 37 registers per thread,
    // and 8 at 63.
    assert_eq!(warps("sm_70", 37, 0, 128), (48, LimitedBy::Registers));
    assert_eq!(warps("sm_70", 63, 0, 128), (32, LimitedBy::Registers));
    // At 320 threads and 37 registers, the occupancy is 63 %.
    assert_eq!(warps("sm_70", 37, 0, 320), (40, LimitedBy::Registers));
    assert_eq!(warps("sm_86", 32, 0, 256), (48, LimitedBy::Threads));
    assert_eq!(warps("sm_90", 16, 0, 32), (32, LimitedBy::Blocks));
    assert_eq!(warps("sm_80", 24, 48 * 1024, 128), (12, LimitedBy::Shared));
}

#[test]
fn more_needs_never_give_more_warps() {
    for m in ISA.multiprocessors {
        let name = m.targets[0];
        for threads in [32, 96, 128, 256, 384, 1024] {
            let by_registers: Vec<u32> = (1..=255).map(|r| occupancy(name, r, 0, threads).warps).collect();
            assert!(by_registers.is_sorted_by(|a, b| a >= b), "{name} {threads}: {by_registers:?}");
            let by_shared: Vec<u32> = (0..60).map(|k| occupancy(name, 32, k * 1000, threads).warps).collect();
            assert!(by_shared.is_sorted_by(|a, b| a >= b), "{name} {threads}: {by_shared:?}");
        }
    }
}

#[test]
fn fewer_registers_give_what_is_said_and_not_sooner() {
    let mut seen = 0;
    for m in ISA.multiprocessors {
        let name = m.targets[0];
        for (registers, threads, shared) in
            (1..=255).flat_map(|r| [64, 128, 256, 320].map(|t| [0, 20_000].map(|s| (r, t, s)))).flatten()
        {
            let now = occupancy(name, registers, shared, threads);
            match now.fewer {
                Some((fewer, warps)) => {
                    seen += 1;
                    assert_eq!(now.limited_by, LimitedBy::Registers);
                    assert_eq!(
                        occupancy(name, registers - fewer, shared, threads).warps,
                        now.warps + warps,
                        "{name} {registers}"
                    );
                    assert_eq!(
                        occupancy(name, registers - fewer + 1, shared, threads).warps,
                        now.warps,
                        "{name} {registers}"
                    );
                }
                None => {
                    let least = occupancy(name, 1, shared, threads);
                    let hopeless = least.warps == now.warps;
                    assert!(
                        hopeless || now.limited_by != LimitedBy::Registers,
                        "{name} {registers} {threads}: {now:?}"
                    );
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let needs = Needs { registers: 32, shared: 0, threads: None };
    assert_eq!(Occupancy::new(target("sm_107"), needs), None);
    assert_eq!(Occupancy::new(target("sm_20"), needs), None);
    let assumed = Occupancy::new(target("sm_90a"), needs).expect("sm_90a is a Hopper");
    assert!(assumed.assumed);
    assert_eq!((assumed.threads, assumed.warps), (ASSUMED_THREADS, 64));
    assert_eq!(occupancy("sm_90", 32, 0, 2048).warps, 0, "no CTA has so many threads");
    assert_eq!(occupancy("sm_90", 32, 0, u32::MAX).warps, 0);
    assert_eq!(occupancy("sm_90", 32, u64::MAX / 2, 32).warps, 0);
    for t in ISA.targets.iter().filter(|t| !t.features.is_empty()) {
        let number: u32 = t.name[3..].trim_end_matches(['a', 'f']).parse().expect("a number");
        assert_eq!(ISA.multiprocessor(t.name).is_some(), number >= 30 && number != 107, "{}", t.name);
    }
}

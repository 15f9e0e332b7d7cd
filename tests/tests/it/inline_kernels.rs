//! Statements with PTX in strings as kernels: they are valid PTX, they run, and their results are right.

use ptx_check::{Analyzer, Severity};
use ptx_host::kernel::kernel;
use ptx_host::{GroupView, Host, HostChecker, Language, is_ptx};
use ptx_interp::machine::Settings;
use ptx_launch::evaluate::LaunchModule;
use ptx_syntax::Snapshot;
use std::fs;
use std::path::Path;

/// All statements of a C++ text as kernels, or why they are none.
fn kernels(text: &str) -> Vec<Result<String, String>> {
    let host = Host::new(Language::Cpp, text);
    let results = HostChecker::default().check(host.groups(), &|| false).unwrap_or_default();
    let placed = host.groups().iter().zip(results).filter(|(placed, _)| is_ptx(&placed.group));
    placed
        .map(|(placed, result)| {
            let part =
                |range: std::ops::Range<usize>| text[range.start + placed.start..range.end + placed.start].to_owned();
            let made = kernel(&GroupView::new(&placed.group, result.target), "a.cu:1", &part);
            made.map(|kernel| kernel.text).map_err(|refusal| refusal.to_string())
        })
        .collect()
}

/// The kernel of the only statement of a function with some variables.
fn only(statement: &str) -> String {
    let text = format!("__device__ void f(int a, int b, float x, void *p, unsigned s) {{\n{statement}\n}}\n");
    let mut all = kernels(&text);
    assert_eq!(all.len(), 1, "{statement}");
    all.remove(0).unwrap_or_else(|why| panic!("{statement}: {why}"))
}

/// What is wrong with a kernel whose results are expected to be these.
fn run(kernel: &str, expected: &str) -> Vec<String> {
    let text = kernel.replacen("\n.visible .entry", &format!("\n//! expect: {expected}\n.visible .entry"), 1);
    let snapshot = Snapshot::new(&text);
    let module = LaunchModule::new(&snapshot);
    let (launches, mistakes) = module.launches();
    let mut wrong: Vec<String> = mistakes.iter().map(|m| m.message.clone()).collect();
    for launch in launches {
        match module.evaluate(launch, Settings::default(), None, None, &|| false) {
            Err(error) => wrong.push(format!("{error:?}")),
            Ok(run) => {
                wrong.extend(run.faults().iter().map(|f| f.message.clone()));
                wrong.extend(run.verdicts.iter().filter(|v| !v.ok).map(|v| format!("{}: {:?}", v.name, v.message)));
                if run.verdicts.is_empty() {
                    wrong.push("nothing was expected".to_owned());
                }
            }
        }
    }
    wrong
}

#[test]
fn statements_run_and_their_results_are_right() {
    for (statement, expected) in [
        // Each input has other values: 0, 1, 2 … in the first, 32, 33 … in the second.
        (r#"asm("add.u32 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));"#, "out_0=iota(32, 2)"),
        (
            "// ptx: %1=lane*4+16 %2=7\nasm(\"mul.lo.u32 %0, %1, %2;\" : \"=r\"(a) : \"r\"(b), \"r\"(s));",
            "out_a=iota(112, 28)",
        ),
        ("// ptx: %1=-1\nasm(\"abs.s32 %0, %1;\" : \"=r\"(a) : \"r\"(b));", "out_a=1"),
        ("// ptx: %1=1.5\nasm(\"add.f32 %0, %1, %1;\" : \"=f\"(x) : \"f\"(x));", "out_0=3.0"),
        ("// ptx: %1=0.5\nasm(\"add.f32 %0, %1, %1;\" : \"=r\"(a) : \"r\"(b));", "out_a:f32[31]=1.0"),
        ("// ptx: %1=[9,8,7]\nasm(\"mov.b32 %0, %1;\" : \"=r\"(a) : \"r\"(b));", "out_a=[9, 8, 7, 0]"),
        (r#"asm("mov.u32 %0, %%laneid;" : "=r"(a));"#, "out_a=iota"),
        (r#"asm("add.s32 %0, %0, %1;" : "+r"(a) : "n"(5));"#, "out_a=iota(5)"),
        // Memory: each lane has 16 bytes of its own.
        (r#"asm volatile("ld.global.u32 %0, [%1+4];" : "=r"(a) : "l"(p));"#, "out_a=iota(1, 4)"),
        (r#"asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(a) : "memory");"#, "in_p[4]=33"),
        (
            "// ptx: %1=u32[64]:iota(100)+lane*4\nasm(\"ld.global.u32 %0, [%1];\" : \"=r\"(a) : \"l\"(p));",
            "out_a=iota(100)",
        ),
        (r#"asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(s));"#, "out_b=iota(1, 4)"),
        (
            r#"asm volatile("shfl.sync.down.b32 %0, %1, 1, 0x1f, %2;" : "=r"(a) : "r"(b), "r"(s));"#,
            "out_a[0]=1 out_a[30]=31 out_a[31]=31",
        ),
        (
            "asm(\"{\\n\\t.reg .pred p;\\n\\tsetp.lt.u32 p, %1, %2;\\n\\tselp.u32 %0, 1, 0, p;\\n\\t}\" : \"=r\"(a) : \"r\"(b), \"n\"(3));",
            "out_a=[1, 1, 1, 0, 0]",
        ),
        (
            r#"asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" :: "r"(s), "l"(p) : "memory");"#,
            "in_p[4]=4",
        ),
        (r#"asm("cvt.rn.f16.f32 %0, %1;" : "=h"(a) : "f"(x));"#, "out_a:f16[3]=3.0"),
    ] {
        let kernel = only(statement);
        assert_eq!(run(&kernel, expected), [""; 0], "{statement}\n{kernel}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_refused_with_the_reason() {
    let refused = |statement: &str| {
        let all = kernels(&format!("void f(int a) {{\n{statement}\n}}\n"));
        all.into_iter().next().expect("a statement").expect_err(statement)
    };
    assert!(refused(r#"asm("add.u32 %0, " ARGUMENT ", 1;" : "=r"(a));"#).contains("macro"));
    assert!(refused("// ptx: %7=1\nasm(\"mov.u32 %0, 1;\" : \"=r\"(a));").contains("no such operand"));
    assert!(refused("// ptx: %0=much\nasm(\"mov.u32 %0, 1;\" : \"=r\"(a));").contains("`much`"));
}

/// Probes that the compilers accept become kernels without errors.
#[test]
fn every_probe_becomes_a_valid_kernel() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("inline/probes");
    let (mut count, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("the probes").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a file of probes");
        for probe in text
            .split("// probe: ")
            .skip(1)
            .filter(|probe| !["//!", "/*!", "//?", "/*?"].iter().any(|m| probe.contains(m)))
        {
            for kernel in kernels(probe).into_iter().flatten() {
                count += 1;
                let found = Analyzer::default().analyze(&Snapshot::new(&kernel)).diagnostics;
                let name = probe.lines().next().unwrap_or("");
                let errors = found.iter().filter(|d| d.severity == Severity::Error);
                wrong.extend(errors.map(|d| format!("{name}: {} in `{}`", d.code(), &kernel[d.range.clone()])));
            }
        }
    }
    assert!(count > 100, "only {count} kernels");
    assert_eq!(wrong, [""; 0], "of {count}");
}

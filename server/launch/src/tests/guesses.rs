//! Tests of guessed launches: buffers end at the bound of the index.

use crate::bind::bind;
use crate::guess::{GuessReport, complete};
use crate::source::launches;
use ptx_check::execution::CheckedProgram;
use ptx_interp::decode::Executable;
use ptx_interp::inspect::meanings;
use ptx_interp::machine::{RunStatus, Settings};
use ptx_interp::trace;
use ptx_launch_syntax::Launch;
use ptx_syntax::Snapshot;

/// A kernel over elements: `GUARD` bounds the index, `SCALE` is its factor, and `BODY` uses `%rd3 = x + SCALE * i`.
const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 x, .param .u32 n, .param .f32 a, .param .f32 b)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    ld.param.f32 %f2, [b];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    GUARD
    mul.wide.u32 %rd2, %r5, SCALE;
    add.u64 %rd3, %rd1, %rd2;
    BODY
done:
    ret;
}
";

const LOAD: &str = "ld.global.f32 %f3, [%rd3];";

fn guessed(line: &str, guard: &str, scale: &str, body: &str) -> (String, GuessReport) {
    let text = KERNEL.replace("GUARD", guard).replace("SCALE", scale).replace("BODY", body);
    let text = text.replace(".visible .entry", &format!("{line}\n.visible .entry"));
    let program = CheckedProgram::new(&Snapshot::new(&text)).program;
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    let bare = || Launch { entry: "k".into(), ..Launch::default() };
    let mut launch = launches(&text, &program).launches.into_iter().next().unwrap_or_else(bare);
    let guessed = complete(&mut launch, &program, &text);
    (launch.text().trim_start_matches("//! launch: ").trim_end().to_owned(), guessed)
}

fn launch(guard: &str, scale: &str, body: &str) -> String {
    guessed("", guard, scale, body).0
}

#[test]
fn a_sum_of_a_product_and_an_address_is_an_address() {
    let text = KERNEL
        .replace("GUARD", GUARD)
        .replace("BODY", "st.global.f32 [%rd3], %f1;")
        .replace(".ptr .global .align 16 ", "");
    let text = text
        .replace("mul.wide.u32 %rd2, %r5, SCALE;\n    add.u64 %rd3, %rd1, %rd2;", "mad.wide.u32 %rd3, %r5, 4, %rd1;");
    assert!(text.contains("mad.wide.u32 %rd3"), "{text}");
    let program = CheckedProgram::new(&Snapshot::new(&text)).program;
    let mut launch = Launch { entry: "k".into(), ..Launch::default() };
    complete(&mut launch, &program, &text);
    assert_eq!(launch.text().trim_end(), "//! launch: grid=1 block=64 x=f32[56]:zero n=56 a=2.0 b=3.0");
}

const GUARD: &str = "setp.ge.u32 %p1, %r5, %r1;\n@%p1 bra done;";

#[test]
fn a_bound_of_the_index_sizes_the_buffer() {
    // An eighth fewer elements than threads, so that a missing guard becomes visible. No constant is 1, and no two are equal.
    assert_eq!(launch(GUARD, "4", LOAD), "grid=1 block=64 x=f32[56]:iota n=56 a=2.0 b=3.0");
    let turned = "setp.gt.u32 %p1, %r1, %r5;\n@!%p1 bra done;";
    assert_eq!(launch(turned, "4", LOAD), "grid=1 block=64 x=f32[56]:iota n=56 a=2.0 b=3.0");
    // Vectors, an access after an element, and an inclusive bound.
    assert_eq!(
        launch(GUARD, "16", "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd3];"),
        "grid=1 block=64 x=f32[224]:iota n=56 a=2.0 b=3.0"
    );
    assert_eq!(launch(GUARD, "4", "ld.global.f32 %f3, [%rd3+8];"), "grid=1 block=64 x=f32[58]:iota n=56 a=2.0 b=3.0");
    let inclusive = "setp.gt.u32 %p1, %r5, %r1;\n@%p1 bra done;";
    assert_eq!(launch(inclusive, "4", LOAD), "grid=1 block=64 x=f32[57]:iota n=56 a=2.0 b=3.0");
}

/// The guessed block and grid for a kernel with these directives that reads these special registers.
fn sizes(directives: &str, reads: &[&str]) -> String {
    let reads: String = reads.iter().map(|register| format!("mov.u32 %r6, {register};\n")).collect();
    let text = KERNEL.replace("GUARD", &format!("{GUARD}\n{reads}")).replace("SCALE", "4").replace("BODY", LOAD);
    let text = text.replace(")\n{", &format!(") {directives}\n{{"));
    let program = CheckedProgram::new(&Snapshot::new(&text)).program;
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    let mut launch = Launch { entry: "k".into(), ..Launch::default() };
    let guessed = complete(&mut launch, &program, &text);
    let parts = guessed.parts.iter().filter(|part| part.starts_with("grid") || part.starts_with("block"));
    let said = parts.cloned().collect::<Vec<_>>().join(" ");
    format!("{:?} {:?}, guessed: {said}", launch.grid.unwrap(), launch.block.unwrap())
}

#[test]
fn a_block_has_the_size_that_the_kernel_asks_for() {
    // Two warps, so that an error between warps becomes visible, and as many dimensions as the kernel reads.
    assert_eq!(sizes("", &["%tid.x"]), "[1, 1, 1] [64, 1, 1], guessed: grid=1 block=64");
    assert_eq!(sizes("", &["%tid.x", "%tid.y"]), "[1, 1, 1] [8, 8, 1], guessed: grid=1 block=8,8");
    assert_eq!(sizes("", &["%tid.y", "%tid.z"]), "[1, 1, 1] [4, 4, 4], guessed: grid=1 block=4,4,4");
    assert_eq!(sizes("", &["%ntid.y"]), "[1, 1, 1] [64, 1, 1], guessed: grid=1 block=64");
    // `.maxntid` is an upper bound, and the guess uses it fully; `.reqntid` is not a guess.
    assert_eq!(sizes(".maxntid 128", &["%tid.y"]), "[1, 1, 1] [128, 1, 1], guessed: grid=1 block=128");
    assert_eq!(sizes(".maxntid 32, 4", &["%tid.x"]), "[1, 1, 1] [32, 4, 1], guessed: grid=1 block=32,4");
    assert_eq!(sizes(".reqntid 96", &["%tid.x"]), "[1, 1, 1] [96, 1, 1], guessed: grid=1");
    assert_eq!(sizes(".reqnctapercluster 2", &["%tid.x"]), "[2, 1, 1] [64, 1, 1], guessed: grid=2 block=64");
}

#[test]
fn without_a_bound_there_is_generous_room() {
    assert_eq!(launch("", "4", LOAD), "grid=1 block=64 x=f32[128]:iota n=64 a=2.0 b=3.0");
    // An index that is loaded from memory has no bound.
    let gather =
        "ld.global.u32 %r6, [%rd3];\nmul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd4, %rd1, %rd2;\nst.global.f32 [%rd4], %f1;";
    assert!(launch(GUARD, "4", gather).contains("x=u32[128]"), "{}", launch(GUARD, "4", gather));
}

#[test]
fn a_guard_that_forgets_the_number_is_found() {
    // `n` is loaded but not used: the guard compares with a literal instead.
    let forgotten = "setp.ge.u32 %p1, %r5, 1000;\n@%p1 bra done;";
    let line = "//! launch: grid=3 block=64 n=64";
    let (launch, guessed) = guessed(line, forgotten, "4", LOAD);
    assert_eq!(launch, "grid=3 block=64 n=64 x=f32[64]:iota a=2.0 b=3.0");
    assert!(!guessed.whole);
    let expected = "Buffer lengths are guessed (`x`: from the bound of the index, `n`).";
    assert_eq!(guessed.lengths.as_deref(), Some(expected));
    assert_eq!(guessed.sentence(), Some(format!("x=f32[64]:iota a=2.0 b=3.0. {expected}")));
}

#[test]
fn pointers_that_advance_with_their_index_are_bounded() {
    let body = "mov.u32 %r6, %nctaid.x;\nmul.lo.u32 %r6, %r6, %r3;\nmul.wide.u32 %rd2, %r6, 4;\nagain:\nld.global.f32 %f3, [%rd3];\n\
        add.u64 %rd3, %rd3, %rd2;\nadd.u32 %r5, %r5, %r6;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra again;";
    assert!(launch(GUARD, "4", body).contains("x=f32[56]"), "{}", launch(GUARD, "4", body));
    // The pointer advances by another distance: there is no bound.
    let other = body.replace("%rd2, %r6, 4", "%rd2, %r6, 8");
    assert!(launch(GUARD, "4", &other).contains("x=f32[128]"), "{}", launch(GUARD, "4", &other));
}

#[test]
fn bits_are_what_their_readers_take_them_as() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.entry k()
{
    .reg .b32 %r<8>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<2>;
    mov.b32 %r1, 0x3c003c00;
    mov.b32 %r2, %r1;
    fma.rn.f16x2 %r3, %r2, %r2, %r2;
    mov.b32 %r4, 0x3f800000;
    add.f32 %f1, %f0, %r4;
    add.s32 %r5, %r6, %r6;
    add.u32 %r5, %r5, %r6;
    add.f32 %f1, %f0, %r7;
    add.s32 %r5, %r5, %r7;
    ld.global.b32 %r0, [%rd1];
    ret;
}
";
    let program = CheckedProgram::new(&Snapshot::new(text)).program;
    let function = program.functions[0].body.as_ref().unwrap();
    let all = meanings(function);
    let of = |name: &str| {
        let slot = (0..all.len()).find(|s| function.register_name(ptx_flow::flow::RegisterSlot(*s as u32)) == name);
        all[slot.unwrap()]
    };
    assert_eq!((of("%r1"), of("%r2"), of("%r3")), (Some(".f16x2"), Some(".f16x2"), Some(".f16x2")));
    assert_eq!((of("%r4"), of("%r6")), (Some(".f32"), Some(".s32")));
    assert_eq!((of("%r7"), of("%r0"), of("%rd1")), (None, None, None), "readers that differ, none, and an address");
}

/// Kernels of the repository that fail with any guess: an index that the guess does not foresee, a texture without a size, a tensor map.
const NOT_GUESSED: &[&str] = &["bigint_add", "dequantize_e4m3", "box3", "tma_pipeline"];

#[test]
#[expect(clippy::disallowed_methods, reason = "the kernels of this repository")]
fn kernels_without_their_launches_run_by_a_guess() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text: String = text.lines().filter(|l| !l.starts_with("//!")).flat_map(|l| [l, "\n"]).collect();
        let program = std::sync::Arc::new(CheckedProgram::new(&Snapshot::new(&text)).program);
        for kernel in program.functions.iter().filter(|c| c.kernel && c.body.is_some()) {
            count += 1;
            let mut launch = Launch { entry: kernel.name.clone(), ..Launch::default() };
            complete(&mut launch, &program, &text);
            let executable =
                std::sync::Arc::new(Executable::new(std::sync::Arc::clone(&program), &kernel.name).unwrap());
            let settings = Settings { limit: 2_000_000, ..Settings::default() };
            let bound = bind(&launch, executable, settings).unwrap_or_else(|m| panic!("{}: {m:?}", kernel.name));
            let run = trace::run(bound.machine, &|| false);
            let fine = run.status == RunStatus::Finished && run.machine.findings.faults.is_empty();
            if fine == NOT_GUESSED.contains(&&*kernel.name) {
                let faults: Vec<&str> = run.machine.findings.faults.iter().map(|f| f.message.as_str()).collect();
                wrong.push(format!("{} {:?} {faults:?} {}", kernel.name, run.status, launch.text()));
            }
        }
    }
    assert_eq!((wrong, count), (Vec::<String>::new(), 29));
}

//! Tests of launches with their kernels: errors, guesses, and the contents of memory before and after a run.

use super::mistakes;
use crate::bind::{Bound, bind};
use crate::guess::complete;
use crate::settle::settle;
use crate::source::launches;
use crate::verdict::verdicts;
use ptx_check::execution::CheckedProgram;
use ptx_flow::program::ModuleProgram;
use ptx_interp::decode::Executable;
use ptx_interp::inspect::BindingSite;
use ptx_interp::machine::Settings;
use ptx_launch_syntax::Launch;
use ptx_num::image::{AddressMode, Filter, Opaque};
use ptx_syntax::Snapshot;
use std::path::Path;
use std::sync::Arc;

/// A kernel that stores a number through its first parameter, with other parameters of all kinds.
const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .global .align 8 .f32 table[4] = {1.0, 2.0};
.const .u32 limit;
.func (.reg .u32 r) square(.reg .u32 a)
{
    mul.lo.u32 r, a, a;
    ret;
}
LINES
.visible .entry k(
    .param .u64 .ptr .global .align 4 out,
    .param .u64 x,
    .param .u32 n,
    .param .f32 a,
    .param .b16 h,
    .param .align 8 .b8 s[24]
)
.maxntid 128, 1, 1
{
    .reg .u32 %r<4>;
    .reg .f32 %f<4>;
    .reg .u64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [x];
    cvta.to.global.u64 %rd3, %rd1;
    ld.param.u32 %r1, [n];
    st.global.u32 [%rd3], %r1;
    ld.global.v2.f32 {%f1, %f2}, [%rd2];
    ld.param.u64 %rd4, [s+8];
    ld.u32 %r2, [%rd4];
    ret;
}
";

fn module(lines: &str) -> (String, Arc<ModuleProgram>) {
    let text = KERNEL.replace("LINES", lines);
    let program = Arc::new(CheckedProgram::new(&Snapshot::new(&text)).program);
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    (text, program)
}

/// The launch above the kernel, and its errors.
fn settled(lines: &str) -> (Launch, String, Arc<ModuleProgram>, String) {
    let (text, program) = module(lines);
    let mut found = launches(&text, &program);
    let mut all = found.mistakes;
    let mut launch = found.launches.remove(0);
    all.extend(settle(&mut launch, &program, &text));
    let words = mistakes(&text, &all);
    (launch, words, program, text)
}

#[test]
fn what_does_not_suit_the_kernel() {
    for (line, expected) in MISTAKES {
        let (_, words, ..) = settled(&format!("//! launch: {line}"));
        assert_eq!(words, *expected, "{line}");
    }
}

const MISTAKES: &[(&str, &str)] = &[
    (
        "nn=1",
        "`nn=1`: `k` has no parameter `nn`\n\
         \x20   it has `out`, `x`, `n`, `a`, `h` and `s`\n",
    ),
    (
        "blok=64",
        "`blok=64`: `k` has no parameter `blok`\n\
         \x20   did you mean `block`?\n",
    ),
    (
        "block=256",
        "`block=256`: `block` is [256, 1, 1], but `.maxntid` of the kernel says [128, 1, 1]\n\
         \x20   remove `block`: then the kernel's value is used\n",
    ),
    ("block=2048", "`block=2048`: a block has at most 1024 threads, not [2048, 1, 1]\n"),
    ("grid=3 cluster=2", "`grid=3`: a grid of [3, 1, 1] cannot be divided into clusters of [2, 1, 1]\n"),
    ("n=1.5", "`n=1.5`: `.param .u32 n`: `1.5` is not a value of `u32`, which holds whole numbers\n"),
    ("n=f16:1", "`n=f16:1`: `f16` has 16 bits, but the parameter is `.param .u32 n`\n"),
    ("n=x", "`x`: expected a number, or a buffer such as `f32[64]:zero`, but found `x`\n"),
    (
        "n=f32[4]:zero",
        "`n=f32[4]:zero`: the parameter is `.param .u32 n`, which cannot hold an address\n\
         \x20   give a number: `n=1`\n",
    ),
    (
        "out=f32[4]:zero n=&out",
        "`n=&out`: the parameter is `.param .u32 n`, which cannot hold an address\n\
         \x20   give a number: `n=1`\n",
    ),
    (
        "x=&nowhere",
        "`x=&nowhere`: `nowhere` is neither a buffer of this launch, nor a `.global` or `.const` variable, nor a function\n",
    ),
    ("x=&x", "`x=&x`: `x` is neither a buffer of this launch, nor a `.global` or `.const` variable, nor a function\n"),
    ("h=70000", "`h=70000`: `.param .b16 h`: `70000` does not fit into `b16`\n"),
    ("a=1e400", "`1e400`: expected a number, or a buffer such as `f32[64]:zero`, but found `1e400`\n"),
    (
        "s=1",
        "`s=1`: the parameter is `.param .align 8 .b8 s[24]`, which is not a number\n\
         \x20   write its bytes, or its parts: `p+8=u32:1`\n",
    ),
    (
        "s=u8[25]:zero",
        "`s=u8[25]:zero`: `s` has 24 bytes, but 25 are given\n\
         \x20   a buffer given for an array fills the array itself, not an address\n",
    ),
    ("s+20=&x", "`s+20=&x`: `s+20` lies outside of `s`, which has 24 bytes\n"),
    (
        "s+8=5",
        "`s+8=5`: `s+8` is part of a parameter, and the kernel does not give its type\n\
         \x20   write `s+8=u32:…`\n",
    ),
    (
        "n+0=u32:1",
        "`n+0=u32:1`: `n` is a single value and has no parts\n\
         \x20   write `n=…`\n",
    ),
    (
        "out+8=u32:1",
        "`out+8=u32:1`: `out` is a single value and has no parts\n\
         \x20   write `out=…`\n",
    ),
    ("counter=u32[2]:zero", "`counter=u32[2]:zero`: `counter` has 4 bytes, but 8 are given\n"),
    (
        "countr=1",
        "`countr=1`: `k` has no parameter `countr`\n\
         \x20   did you mean `counter`?\n",
    ),
    ("table=f32:[1,2,3,4,5]", "`table=f32:[1,2,3,4,5]`: `table` has 16 bytes, but 20 are given\n"),
    (
        "square=1",
        "`square=1`: `k` has no parameter `square`\n\
         \x20   it has `out`, `x`, `n`, `a`, `h` and `s`\n",
    ),
    ("x={image=2d size=[4,4] format=f32}", ""),
    (
        "n={image=2d size=[4,4] format=f32}",
        "`n={image=2d size=[4,4] format=f32}`: the parameter is `.param .u32 n`, which cannot be an image or a sampler\n",
    ),
    ("x={image=2d}", "`x={image=2d}`: `size` is missing: texels in each dimension, innermost first\n"),
    (
        "x={a=1}",
        "`x={a=1}`: expected one of `image=`, `sampler=` and `tensor_map=`\n\
         \x20   such as `{image=2d size=[64,32] format=f32 fill=iota}`\n",
    ),
    (
        "s={tensor_map=out type=f32 dims=[64] box=[64]}",
        "`s={tensor_map=out type=f32 dims=[64] box=[64]}`: the parameter is `.param .align 8 .b8 s[24]`, which cannot be a tensor map\n",
    ),
    (
        "x={tensor_map=y type=f32 dims=[64] box=[64]}",
        "`x={tensor_map=y type=f32 dims=[64] box=[64]}`: `y` is not a buffer of this launch\n",
    ),
    (
        "out=u8[2000000000]:zero",
        "`//! launch: out=u8[2000000000]:zero`: the buffers take 2000000000 bytes, but a launch may have at most 1073741824\n",
    ),
    ("out=u32[4]:zero\n//! expect: out[4]=1", "`out[4]=1`: `out[4]` lies past the end: the buffer has 4 elements\n"),
    (
        "out=u32[4]:zero\n//! expect: out[0]=1.5",
        "`out[0]=1.5`: `out[0]`: `1.5` is not a value of `u32`, which holds whole numbers\n",
    ),
    (
        "out=u32[4]:zero\n//! expect: out[0]=1.5±1 out=[1,2,3,4,5]",
        "`out=[1,2,3,4,5]`: `out` lies past the end: the buffer has 4 elements\n",
    ),
    (
        "out=u32[4]:zero\n//! expect: ou[0]=1",
        "`ou[0]=1`: `ou` is neither a buffer of this launch nor a variable in global memory\n\
         \x20   did you mean `out`?\n",
    ),
    (
        "out=u32[4]:zero x=f32[4]:zero\n//! expect: out=x out=xx",
        "`out=x`: `x` and `out` have different types\n\
         \x20   read one of them as the type of the other: `out:u32=…`\n`out=xx`: `xx` is neither a fill nor a buffer of this launch\n",
    ),
    ("out=b32[4]:zero\n//! expect: out=1±2", ""),
    (
        "\n//! expect: fault=out-of-bound",
        "`out-of-bound`: `out-of-bound` is not a fault\n\
         \x20   did you mean `out-of-bounds`?\n",
    ),
    (
        "\n//! expect: fault=fire",
        "`fire`: `fire` is not a fault\n\
         \x20   there are `out-of-bounds`, `misaligned`, `read-only`, `uninitialized-register`, `uninitialized-memory`, `race`, `divergence`, `barrier`, `deadlock`, `membermask`, `division-by-zero`, `stack-overflow`, `invalid-call`, `nan`, `mbarrier`, `asynchronous`, `out-of-memory`, `unsupported`, `trap` and `undefined`\n",
    ),
    (
        "\n//! expect: status=done",
        "`done`: `done` is not a run status\n\
         \x20   there are `finished`, `fault`, `limit` and `deadlock`\n",
    ),
    (
        "out=u32[4]:zero\n//! expect: out=nan n=1 table[4]=1",
        "`out=nan`: `out`: `nan` is not a value of `u32`, which holds whole numbers\n`n=1`: `n` is neither a buffer of this launch nor a variable in global memory\n\
         \x20   there are `out`\n`table[4]=1`: `table[4]` lies past the end: the buffer has 4 elements\n",
    ),
    (
        "out=hex(00)\n//! globals: grid=1",
        "`grid=1`: the module has no variable `grid`\n\
         \x20   it has `counter`, `table` and `limit`\n",
    ),
];

#[test]
fn what_is_not_said_is_guessed() {
    let (text, program) = module("");
    let mut launch = Launch { entry: "k".into(), ..Launch::default() };
    let said = complete(&mut launch, &program, &text);
    let expected =
        "//! launch: grid=1 block=128 out=u32[256]:zero x=f32[512]:iota n=128 a=2.0 h=128 s+8=u32[256]:iota\n";
    assert_eq!(launch.text(), expected);
    let said: Vec<&str> = said.parts.iter().map(String::as_str).collect();
    assert_eq!(said, expected.trim_end().split(' ').skip(2).collect::<Vec<_>>());
    assert_eq!(settle(&mut launch, &program, &text), []);
}

#[test]
fn variables_are_bounded_together() {
    // Storage is allocated on first use, but a snapshot copies variables completely.
    for (declared, fits) in
        [("a[1000000000]", true), ("a[1000000000000]", false), ("a[900000000];\n.global .b8 b[900000000]", false)]
    {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.global .b8 {declared};\n//! launch: grid=1 block=1\n.entry k() {{ ret; }}\n"
        );
        let program = Arc::new(CheckedProgram::new(&Snapshot::new(&text)).program);
        let mut launch = launches(&text, &program).launches.remove(0);
        complete(&mut launch, &program, &text);
        let found = bind(&launch, Arc::new(Executable::new(program, "k").unwrap()), Settings::default());
        let words: Vec<String> = found.err().into_iter().flatten().map(|m| m.message).collect();
        assert_eq!(words.is_empty(), fits, "{declared}: {words:?}");
        assert!(words.iter().all(|w| w.contains("but a launch may have at most")), "{words:?}");
    }
}

fn bound(lines: &str) -> Bound {
    let (mut launch, words, program, text) = settled(lines);
    assert_eq!(words, "");
    complete(&mut launch, &program, &text);
    let executable = Executable::new(program, "k").unwrap();
    bind(&launch, Arc::new(executable), Settings::default()).unwrap_or_else(|m| panic!("{m:?}"))
}

#[test]
fn everything_is_in_its_place() {
    let bound = bound(
        "//! launch: grid=2 block=64 shared=256 out=u32[4]:poison x=f32:[1.5,2.5] n=7 a=0.5 h=f16:1.0 counter=9 table=f32:[3]\n\
         //! params: s+0=&square s+8=&x+4 s+16=u32:0xabcd",
    );
    let machine = &bound.machine;
    let mut bytes = [0; 56];
    machine.memory.parameters.read(0, &mut bytes);
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let names: Vec<(&str, &str, u64)> = bound.buffers.iter().map(|b| (&*b.name, b.element.name(), b.bytes)).collect();
    assert_eq!(
        names,
        [("out", "u32", 16), ("x", "f32", 8), ("counter", "u32", 4), ("table", "f32", 16), ("limit", "u32", 4)]
    );
    let address = |name: &str| match bound.buffers.iter().find(|b| &*b.name == name).unwrap().place {
        BindingSite::Global(address) => address,
        other => panic!("{other:?}"),
    };
    assert_eq!((word(0), word(8)), (address("out"), address("x")));
    assert_eq!(&bytes[16..26], [7, 0, 0, 0, 0, 0, 0, 0x3f, 0, 0x3c]);
    assert_eq!(machine.executable.function_at(word(32)), None, "a kernel that calls nothing reaches nothing");
    assert_eq!((word(40), word(48)), (address("x") + 4, 0xabcd));
    let content = |name: &str| bound.buffers.iter().find(|b| &*b.name == name).unwrap().snapshot(machine);
    let (ranges, all) = content("out").ranges(ptx_interp::memory::ByteState::Unwritten, 9);
    assert!(ranges.iter().eq([&(0..16)]) && all, "{ranges:?}");
    assert_eq!(content("x").bytes(0..8), [0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0x40]);
    assert_eq!(content("counter").bytes(0..9), [9, 0, 0, 0]);
    assert_eq!(content("table").bytes(0..8), [0, 0, 0x40, 0x40, 0, 0, 0, 0x40], "the rest keeps its initial values");
    assert_eq!((machine.shape.grid, machine.shape.block, machine.shape.shared), ([2, 1, 1], [64, 1, 1], 256));
    assert!(!machine.shape.explicit_cluster);
}

/// The verdicts on expectations for buffers with their initial contents; nothing is executed.
fn held(expectations: &str) -> Vec<String> {
    let lines = format!("//! launch: out=f32:[1,2,-0.0,nan,1.0000001] x=u8[4]:poison n=1\n//! expect: {expectations}");
    let (mut launch, words, program, text) = settled(&lines);
    assert_eq!(words, "");
    complete(&mut launch, &program, &text);
    let bound = bind(&launch, Arc::new(Executable::new(program, "k").unwrap()), Settings::default());
    let bound = bound.unwrap_or_else(|m| panic!("{m:?}"));
    let status = ptx_interp::machine::RunStatus::Finished;
    let verdicts = verdicts(&launch.expectations, &bound.machine, &bound.buffers, status);
    verdicts.into_iter().map(|v| v.message.map_or(v.name, |m| format!("- {m}"))).collect()
}

#[test]
fn verdicts_of_expectations() {
    for (expectation, expected) in VERDICTS {
        let expected = if expected.is_empty() { *expectation } else { *expected };
        assert_eq!(held(expectation), [expected], "{expectation}");
    }
}

const VERDICTS: &[(&str, &str)] = &[
    ("out[0]=1", ""),
    ("out[0]=2", "- is 1.0, not 2"),
    ("out[1..3]=[2,-0.0]", ""),
    ("out[2]=0", "- is -0.0, not 0"),
    ("out[2]=0±0", ""),
    ("out[3]=nan", ""),
    ("out[0]=nan", "- is 1.0, not nan"),
    ("out=[1,2]", ""),
    ("out=[1,3,5]", "- 2 of 3 elements differ: [1] is 2.0, not 3; [2] is -0.0, not 5"),
    (
        "out=1",
        "- 4 of 5 elements differ: [1] is 2.0, not 1; [2] is -0.0, not 1; [3] is nan, not 1; [4] is 1.0000001, not 1",
    ),
    ("out=1±2", "- 1 of 5 elements differ: [3] is nan, not 1±2"),
    ("out[4]=1±1e-6", ""),
    ("out[4]=1±1e-8", "- is 1.0000001, not 1±1e-8"),
    ("out[4]=1±1ulp", ""),
    ("out[0]=1.1±10%", ""),
    ("out[0]=1.2±10%", "- is 1.0, not 1.2±10%"),
    ("out[0]=0.5..1.5", ""),
    ("out[0]=2..3", "- is 1.0, not 2..3"),
    ("out[0..2]=iota(1,1)", ""),
    ("out:u32[0]=0x3f800000", ""),
    ("out[0]=0x3f800000", ""),
    ("x=poison", ""),
    ("x[0]=1", "- was never written, not 1"),
    (
        "out=poison",
        "- 5 of 5 elements differ: [0] is 1.0, but nothing should have written it; [1] is 2.0, but nothing should have written it; [2] is -0.0, but nothing should have written it; [3] is nan, but nothing should have written it; …",
    ),
    (
        "x=0..1",
        "- 4 of 4 elements differ: [0] was never written, not 0..1; [1] was never written, not 0..1; [2] was never written, not 0..1; [3] was never written, not 0..1",
    ),
    ("counter=0", ""),
    ("table=[1,2,0,0]", ""),
    ("table[3]=1", "- is 0.0, not 1"),
    ("limit=0", ""),
    ("out=out", ""),
    (
        "out=out[1]",
        "- 5 of 5 elements differ: [0] is 1.0, not 2.0; [1] is 2.0, not -0.0; [2] is -0.0, not nan; [3] is nan, not 1.0000001; …",
    ),
    ("status=finished", ""),
    ("status=deadlock", "- the run ended as `finished`, not `deadlock`"),
    ("fault=race", "- `race` was not found"),
    (r#"printed="""#, "printed=\"\""),
    (r#"printed="a""#, "- it printed \"\", not \"a\""),
    ("out[3]=0x7fffffff", ""),
    ("out[3]=0x7fffff00", "- is 0x7fffffff, not 0x7fffff00"),
];

/// A texture, a surface of the same image, a sampler, tensor maps, and a buffer without a parameter.
#[test]
fn images_and_tensor_maps() {
    let text = "\
.version 8.0
.target sm_90, texmode_independent
.address_size 64
.global .samplerref smp = { filter_mode = linear };
.global .texref t = { addr_mode_0 = mirror };
//! launch: block=1 map={tensor_map=raw type=f32 dims=[64] box=[8] offset=16} tex={image=1d size=4 format=u16 fill=iota(5,1)}
//! params: surf={image=1d size=4 format=u16 buffer=tex} s+8=&raw-4
//! globals: t={image=2d size=[2,2] format=f32 hex=0000803f000000400000404000008040}
//! buffers: raw=f32[128]:iota
.visible .entry k(
    .param .align 64 .b8 map[128],
    .param .u64 tex,
    .param .u64 surf,
    .param .align 8 .b8 s[16]
)
{
    .reg .u64 %rd<4>;
    .reg .u32 %r<6>;
    .reg .u16 %h;
    ld.param.u64 %rd1, [tex];
    ld.param.u64 %rd2, [surf];
    suld.b.1d.b16.trap %h, [%rd2, {%r2}];
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, smp, {%r1}];
    ret;
}
";
    let program = Arc::new(CheckedProgram::new(&Snapshot::new(text)).program);
    assert!(program.errors.is_empty(), "{:?}", program.errors);
    let mut found = launches(text, &program);
    let mut launch = found.launches.remove(0);
    let all = [found.mistakes, settle(&mut launch, &program, text)].concat();
    assert_eq!(mistakes(text, &all), "");
    assert_eq!(complete(&mut launch, &program, text).parts, ["grid=1"]);
    let executable = Arc::new(Executable::new(Arc::clone(&program), "k").unwrap());
    let variables = executable.variables.clone();
    let bound = bind(&launch, executable, Settings::default()).unwrap_or_else(|m| panic!("{m:?}"));
    let mut bytes = [0; 160];
    bound.machine.memory.parameters.read(0, &mut bytes);
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let raw = match bound.buffers.iter().find(|b| &*b.name == "raw").unwrap().place {
        BindingSite::Global(address) => address,
        other => panic!("{other:?}"),
    };
    let map = ptx_num::image::TensorMap::from_bytes(bytes[..128].try_into().unwrap()).unwrap();
    assert_eq!((map.address, word(152)), (raw + 16, raw - 4));
    let images = &bound.machine.images;
    let (Some(Opaque::Texture(a, _)), Some(Opaque::Surface(b))) = (images.get(word(128)), images.get(word(136))) else {
        panic!("handles")
    };
    assert_eq!(a, b, "one image with two handles");
    assert_eq!(images.image(*a).unwrap().bytes, [5, 0, 6, 0, 7, 0, 8, 0]);
    let Some(Opaque::Sampler(sampler)) = images.get(variables["smp"].address) else { panic!("a sampler") };
    assert_eq!(sampler.filter, Filter::Linear);
    let Some(Opaque::Texture(_, sampler)) = images.get(variables["t"].address) else { panic!("a texture") };
    assert_eq!(sampler.address[0], AddressMode::Mirror, "what the variable says of itself holds");
    let shown: Vec<_> = bound.buffers.iter().map(|b| (&*b.name, b.element.name(), b.bytes)).collect();
    assert_eq!(shown, [("raw", "f32", 512), ("tex", "u16", 8), ("t", "f32", 16)]);
}

/// In the kernels of the repository every launch line is valid and fits its kernel.
#[test]
#[expect(clippy::disallowed_methods, reason = "the kernels of this repository")]
fn lines_of_our_kernels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let mut count = 0;
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
        let text = std::fs::read_to_string(path).unwrap();
        let program = Arc::new(CheckedProgram::new(&Snapshot::new(&text)).program);
        let found = launches(&text, &program);
        assert_eq!(mistakes(&text, &found.mistakes), "", "{}", path.display());
        for mut launch in found.launches {
            assert_eq!(mistakes(&text, &settle(&mut launch, &program, &text)), "", "{}", path.display());
            assert_eq!(complete(&mut launch, &program, &text).parts, [""; 0], "{}: all is said", path.display());
            assert!(!launch.expectations.is_empty(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 30, "{count}");
}

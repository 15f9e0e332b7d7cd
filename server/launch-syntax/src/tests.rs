//! Tests of the syntax of launches.

use super::Keyword;
use super::{FunctionSpan, Launch, LaunchMistake, ParsedLaunches, launches, written};
use std::fmt::Write;

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// The functions of a module in which each name stands after its keyword, and each body ends with a brace in a line of its own.
fn functions(text: &str) -> Vec<FunctionSpan<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = line.strip_prefix(".visible ").unwrap_or(line);
        let kernel = begin.starts_with(".entry ");
        if kernel || begin.starts_with(".func ") {
            let name = begin[begin.find(' ').unwrap() + 1..].split('(').next().unwrap();
            let end = start + text[start..].find("\n}").unwrap() + 2;
            out.push(FunctionSpan { name, range: start..end, kernel });
        }
        start += line.len();
    }
    out
}

/// A module with a kernel below these lines.
fn read(lines: &str) -> (String, ParsedLaunches) {
    let text = format!("{HEAD}{lines}\n.visible .entry k(.param .u64 x, .param .u32 n)\n{{\n    ret;\n}}\n");
    let found = launches(&text, 0, &functions(&text));
    (text, found)
}

/// The errors of a text: the marked text, the message, the advice.
fn mistakes(text: &str, mistakes: &[LaunchMistake]) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let _ = writeln!(out, "`{}`: {}", &text[mistake.range.clone()], mistake.message);
        let _ = mistake.help.iter().try_for_each(|help| writeln!(out, "    {help}"));
    }
    out
}

fn complaints(lines: &str) -> String {
    let (text, found) = read(lines);
    mistakes(&text, &found.mistakes)
}

/// The only launch, without ranges.
fn launch(lines: &str) -> Launch {
    let (text, found) = read(lines);
    assert_eq!(mistakes(&text, &found.mistakes), "");
    let [launch] = &found.launches[..] else { panic!("{:?}", found.launches) };
    launch.clone()
}

#[test]
fn lines_are_written_as_they_are_read() {
    for line in [
        "//! launch: grid=1 block=64 n=64 a=2.0 x=f32[64]:iota y=f32[64]:uniform(0,1,seed=7) out=f32[64]:zero",
        "//! launch: grid=2,3 block=16,8,2 cluster=2 shared=1024 n=-1 m=0xff d=0d3FF0000000000000",
        "//! launch: x=f16[8]:poison y=e4m3:[1,-0.5,nan] z=b8:hex(00ff7f) w=f32[4]:file(\"a b.bin\") v=f32[3]:nan",
        "//! launch: a=u32:[1,2] b=&a c=&a+16 d=&a-4 p+8=&a p+16=u32:64 n=s32[4]:normal(0.0,2.5,seed=1)",
        "//! launch: i={image=2d size=[64,32] format=f32 fill=\"iota(1, 2)\" normalized=true lod_bias=-0.5}",
        "//! launch: x=u8[4]:uniform y=u8[4]:uniform(seed=3) z=f64[2]:iota(0.5,0.25) w=f32[9]:const(inf)",
        "//! launch: grid=1\n//! params: grid=2 shared=3\n//! globals: table=f32[4]:iota count=5",
        "//! launch: grid=1\n//! expect: out[3]=6.0±1e-6 out[0..3]=[1,2,3]±0.5% out=iota x=y[3] z=y out:u32[0]=0x3f800000±2ulp",
        "//! launch: grid=1\n//! expect: out+8[1]=0.5..1.5 out=poison c=nan fault=out-of-bounds status=deadlock printed=\"a\\\"b\\n\"",
    ] {
        let first = launch(line);
        assert_eq!(first.text().trim_end(), line);
    }
}

#[test]
fn a_launch_may_stand_alone() {
    let text = "grid=2 x=f32[4]:iota\nexpect: x[1]=1.0\n\n//! params: grid=3\n";
    let (launch, wrong) = written(text, "k");
    assert_eq!(mistakes(text, &wrong), "");
    assert_eq!(launch.text(), "//! launch: grid=2 x=f32[4]:iota\n//! params: grid=3\n//! expect: x[1]=1.0\n");
    let (same, _) = written(&launch.text(), "k");
    assert_eq!(same.text(), launch.text());
    let text = "grid=0x\nblock=3\nparam: n=1";
    let (_, wrong) = written(text, "k");
    let said = mistakes(text, &wrong);
    assert!(said.contains("`block=3`: this is not a line of a launch"), "{said}");
    assert!(said.contains("`param`: `param:` is not a line of a launch\n    did you mean `params:`?"), "{said}");
    assert_eq!(wrong.len(), 3, "{said}");
}

#[test]
fn other_spellings_mean_the_same() {
    let same = |a: &str, b: &str| assert_eq!(launch(a).text(), launch(b).text(), "{a}");
    same("//! launch: grid=[2, 2] block=(4 , 2)", "//! launch: grid=2,2 block=4,2");
    same("  //!launch : x = f32[ 8 * 4 ]:iota( 0 , 1 ) ", "//! launch: x=f32[32]:iota");
    same("//! launch: x=f32[4]:2.5", "//! launch: x=f32[4]:const(2.5)");
    same("//! launch: x=f32[4]:uniform(0, 1, 7)", "//! launch: x=f32[4]:uniform(0,1,seed=7)");
    same("//! launch: x=hex(00 ff)", "//! launch: x=b8:hex(00ff)");
    same(
        "//! launch: i={image = 2d, size = [4,4,], fill=iota(1,2)}",
        "//! launch: i={image=\"2d\" size=[4,4] fill=\"iota(1,2)\"}",
    );
    same("//! launch: grid=1\n//! expect: a=1 +-2", "//! launch: grid=1\n//! expect: a=1 ±2.0");
    same(
        "//! launch: grid=1\n//! expect: a[0]=1 a[1]=2±3 a[2]=3 ±1 a[3]=4",
        "//! launch: grid=1\n//! expect: a[0]=1±1 a[1]=2±3 a[2]=3±1 a[3]=4",
    );
    same("//! expect: a=1", "//! launch:\n//! expect: a=1");
    same("//! launch: grid=1\n\n// remark\n//! remark: all\n//! expect: a=1", "//! launch: grid=1\n//! expect: a=1");
}

#[test]
fn several_launches_and_kernels() {
    let text = format!(
        "{HEAD}//! launch: grid=1\n//! expect: a=1\n//! launch: grid=2\n.entry one()\n{{\n    ret;\n}}\n/*\n//! launch: \
         grid=9\n*/ // /*\n//! launch: grid=3\n.visible .entry two()\n{{\n    ret;\n}}\n"
    );
    let found = launches(&text, 0, &functions(&text));
    let seen: Vec<_> = found.launches.iter().map(|l| (&*l.entry, l.grid, l.expectations.len())).collect();
    assert_eq!(
        seen,
        [("one", Some([1; 3]), 1), ("one", Some([2, 1, 1]), 0), ("two", Some([3, 1, 1]), 0)].map(|(n, g, e)| (
            n,
            g.map(|g: [u32; 3]| [g[0], 1, 1]),
            e
        ))
    );
    assert_eq!(found.mistakes, []);
    assert_eq!(&text[found.launches[0].range.clone()], "//! launch: grid=1\n//! expect: a=1");
}

#[test]
fn places_of_lines() {
    let text = format!(
        "{HEAD}//! launch: grid=1\n.func f()\n{{\n    ret;\n}}\n//! params: n=1\n.entry k()\n{{\n//! launch: grid=2\n    \
         ret;\n}}\n//! launch: grid=3\n"
    );
    let found = launches(&text, 0, &functions(&text));
    let expected = "\
`//! launch: grid=1`: this line is above `f`, which is not a kernel
    only an `.entry` can be launched: put the line right above one
`//! params: n=1`: `params:` extends a launch, but no `launch:` line comes before it
    write `//! launch:` first
`//! launch: grid=2`: this line is inside `k`
    launch lines go above a kernel
`//! launch: grid=3`: no kernel follows this line
    launch lines go above their kernel
";
    assert_eq!(mistakes(&text, &found.mistakes), expected);
}

#[test]
fn what_is_wrong_with_a_launch() {
    for (line, expected) in LAUNCH_MISTAKES {
        assert_eq!(complaints(&format!("//! launch: {line}")), *expected, "{line}");
    }
}

const LAUNCH_MISTAKES: &[(&str, &str)] = &[
    ("x=f31[4]:iota n=1", "`f31`: `f31` is not a type of elements\n    did you mean `f32`?\n"),
    (
        "x=f16x2[4]:iota",
        "`f16x2`: `f16x2` is not a type of elements\n\
         \x20   give single elements: `f16`, 2 times as many\n",
    ),
    ("x=f32[4]:iot", "`iot`: expected a fill, but found `iot`\n    did you mean `iota`?\n"),
    (
        "x=f32[4]:random",
        "`random`: expected a fill, but found `random`\n\
         \x20   there are `zero`, `iota(start, step)`, `const(value)`, `uniform(low, high, seed=0)`, `normal(mean, deviation, seed=0)`, `nan` and `poison`\n",
    ),
    (
        "x=f32[4]",
        "`f32[4]`: expected the contents of `f32[…]`, but the line ends\n\
         \x20   write `f32[4]:zero`, or another fill\n",
    ),
    (
        "x=f32:iota",
        "`f32:iota`: the buffer has no length\n\
         \x20   write how many elements it has: `f32[64]:iota`\n",
    ),
    ("x=u8[4]:const(300)", "`const(300)`: `300` does not fit into `u8`\n"),
    ("x=u8[4]:iota(0.5)", "`iota(0.5)`: `0.5` is not a whole number, but `u8` holds only whole numbers\n"),
    (
        "x=u8[2]:[1,2,3]",
        "`u8[2]:[1,2,3]`: the buffer has room for 2 elements, but 3 elements are given\n\
         \x20   make it longer, or omit the length, which then follows from the contents\n",
    ),
    (
        "x=u8[2]:hex(001122)",
        "`u8[2]:hex(001122)`: the buffer has room for 2 elements, but 3 bytes are given\n\
         \x20   make it longer, or omit the length, which then follows from the contents\n",
    ),
    ("x=hex(0)", "`hex(0`: a byte has two hexadecimal digits, but the last one has only one\n"),
    ("x=hex(0g)", "`hex(0g`: `g` is not a hexadecimal digit\n"),
    (
        "x=iota",
        "`iota`: expected a number, or a buffer such as `f32[64]:zero`, but found `iota`\n\
         \x20   a fill needs a type and a length: `f32[64]:iota`\n",
    ),
    (
        "x=[1,2]",
        "`[1,2]`: the type of the list's elements is missing\n\
         \x20   write the type before it: `f32:[1, 2]`\n",
    ),
    (
        "n",
        "`n`: expected `=` after `n`, but the line ends\n\
         \x20   a launch consists of `name=value` items, with spaces only between items and in brackets\n",
    ),
    (
        "n 64",
        "`n`: expected `=` after `n`, but found `64`\n\
         \x20   a launch consists of `name=value` items, with spaces only between items and in brackets\n\
         `64`: expected `=` after `64`, but the line ends\n\
         \x20   a launch consists of `name=value` items, with spaces only between items and in brackets\n",
    ),
    ("n=", "`=`: expected a number, or a buffer such as `f32[64]:zero`, but the line ends\n"),
    (
        "=4",
        "`=4`: expected `name=value`, but found `=4`\n\
         \x20   such as `n=64` and `x=f32[64]:iota`\n",
    ),
    (
        "n=64,x=3",
        "`,x=3`: expected a space before the next `name=value`, but found `,x=3`\n\
         \x20   spaces separate the arguments of a launch\n",
    ),
    ("n=1 n=2", "`n=2`: `n` is given twice\n    keep one of them\n"),
    (
        "grid=1,2,3,4",
        "`1,2,3,4`: `grid` has one to three dimensions, not 4\n\
         \x20   such as `grid=64` or `grid=16,8`\n",
    ),
    (
        "grid=0",
        "`0`: a dimension of `grid` is 1 to 4294967295, not 0\n\
         \x20   such as `grid=64` or `grid=16,8`\n",
    ),
    ("grid=1 grid=2", "`grid=2`: `grid` is given twice\n    keep one of them\n"),
    ("grid=x", "`x`: expected a whole number, but found `x`\n"),
    ("shared=99999999999", "`shared=99999999999`: `shared` is a number of bytes, and 99999999999 is too large\n"),
    ("x=f32[4", "`4`: expected `]`, but the line ends\n"),
    ("x=f32[4]:iota(1", "`1`: expected `,` or `)`, but the line ends\n"),
    ("x=f32[a]:zero", "`a]:zero`: expected a whole number, but found `a]:zero`\n"),
    ("x=f32[4]:zero(1)", "`zero(1)`: wrong number of values for `zero`: 1\n    it is `zero`\n"),
    (
        "x=f32[4]:iota(1,2,3)",
        "`iota(1,2,3)`: wrong number of values for `iota`: 3\n\
         \x20   it is `iota(start, step)`\n",
    ),
    (
        "x=f32[4]:iota(seed=1)",
        "`iota(seed=1)`: `iota` has no seed\n\
         \x20   `uniform` and `normal` have one\n",
    ),
    ("x=f32[4]:uniform(0,1,seed=-1)", "`seed=-1`: a seed is a whole number of 64 bits, not `-1`\n"),
    ("x=f32[4]:uniform(2,1)", "`uniform(2,1)`: `uniform` needs an upper bound above the lower one, not 2 and 1\n"),
    ("x=u32[4]:nan", "`nan`: `u32` has no NaN\n"),
    ("x=&", "`&`: expected the name of a buffer, a variable or a function after `&`, but the line ends\n"),
    ("x=&a+b", "`b`: expected a whole number, but found `b`\n"),
    ("i={a=1", "`1`: expected `}`, but the line ends\n"),
    ("i={=1}", "`=1}`: expected `key=value`, but found `=1}`\n"),
    ("i={a}", "`}`: expected `=`, but found `}`\n"),
    ("x=f32[18446744073709551615*2]:zero", "`2`: a size of more than 64 bits is too large\n"),
    ("x=f32[18446744073709551615]:zero", "`f32[18446744073709551615]:zero`: the buffer is too large\n"),
    (r#"f=file("abc"#, "`\"abc`: the text has no end: `\"` is missing\n"),
    ("m=f16:1e9", "`1e9`: `1000000000.0` does not fit into `f16`\n"),
    ("n=12ab", "`12ab`: expected a number, or a buffer such as `f32[64]:zero`, but found `12ab`\n"),
];

#[test]
fn what_is_wrong_with_expectations() {
    for (line, expected) in EXPECT_MISTAKES {
        assert_eq!(complaints(&format!("//! launch: grid=1\n//! expect: {line}")), *expected, "{line}");
    }
}

const EXPECT_MISTAKES: &[(&str, &str)] = &[
    (
        "out",
        "`out`: expected `=` and a value after `out`, but the line ends\n\
         \x20   such as `out[3]=6.0`, `out[0..4]=[1, 2, 3, 4]` or `out=iota`\n",
    ),
    (
        "out[3]",
        "`out[3]`: expected `=` and a value after `out`, but the line ends\n\
         \x20   such as `out[3]=6.0`, `out[0..4]=[1, 2, 3, 4]` or `out=iota`\n",
    ),
    (
        "out[3]=",
        "`=`: expected a fill, but the line ends\n\
         \x20   there are `zero`, `iota(start, step)`, `const(value)`, `uniform(low, high, seed=0)`, `normal(mean, deviation, seed=0)`, `nan` and `poison`\n",
    ),
    (
        "out[3]=abc(",
        "`abc(`: expected a fill, but found `abc(`\n\
         \x20   there are `zero`, `iota(start, step)`, `const(value)`, `uniform(low, high, seed=0)`, `normal(mean, deviation, seed=0)`, `nan` and `poison`\n",
    ),
    ("out[x]=1", "`x]=1`: expected a whole number, but found `x]=1`\n"),
    ("out[3..1]=[1]", "`3..1`: a range must end after its beginning, but 1 is before 3\n"),
    (
        "out[0..3]=[1,2]",
        "`[1,2]`: the range has 3 elements, but the list has 2\n\
         \x20   the end of a range is excluded\n",
    ),
    (
        "out[0]=[1]",
        "`[1]`: one element cannot be equal to a list\n\
         \x20   write a range: `out[0..4]=[…]`\n",
    ),
    (
        "=3",
        "`=3`: expected `name[index]=value`, but found `=3`\n\
         \x20   such as `out[3]=6.0` or `out=iota`\n",
    ),
    ("out=1 ±", "`±`: expected a non-negative number, but the line ends\n"),
    ("out=1 ±-1", "`-1`: expected a non-negative number, but found `-1`\n"),
    ("out=1 ±1.5ulp", "`1.5ulp`: the number of units in the last place must be a whole number: `±2ulp`\n"),
    ("±1", "`±1`: every value before this tolerance already has one, or there is no value\n"),
    ("out=1±2 ±3", "`±3`: every value before this tolerance already has one, or there is no value\n"),
    ("printed=x", "`x`: expected a text in double quotes, but found `x`\n"),
    (r#"printed="x"#, "`\"x`: the text has no end: `\"` is missing\n"),
    ("out:f33[0]=1", "`f33`: `f33` is not a type of elements\n    did you mean `f32`?\n"),
    ("out:u8[0..2]=[1,300]", "`300`: `300` does not fit into `u8`\n"),
    (
        "out[0]=1]",
        "`]`: expected a space before the next `name=value`, but found `]`\n\
         \x20   spaces separate the arguments of a launch\n",
    ),
    ("out[0]=1.0..", "`.`: expected a number, but the line ends\n"),
    ("out=iot", ""),
];

/// Arbitrary text never panics, and parsed launches can be formatted and parsed again.
#[test]
fn anything_can_be_read() {
    const PIECES: &[&str] = &[
        "x",
        "=",
        "f32",
        "[",
        "]",
        "4",
        ":",
        "iota",
        "(",
        ")",
        ",",
        "{",
        "}",
        "&",
        "+",
        "-",
        "..",
        "±",
        "%",
        "ulp",
        " ",
        "\"",
        "\\",
        "nan",
        "0x",
        "1e9",
        "seed=",
        "hex(",
        "file(",
        "expect",
        "grid",
        "ä",
        "18446744073709551616",
        "*",
        "fault=",
        "printed=",
    ];
    let mut state = 1u64;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize % n
    };
    for _ in 0..5000 {
        let mut words = || (0..next(12)).map(|_| PIECES[next(PIECES.len())]).collect::<String>();
        let (a, b) = (words(), words());
        for (keyword, text) in [("launch", &a), ("expect", &b)] {
            let mut found = Launch::default();
            if keyword == "launch" {
                for m in super::argument::arguments(text, 0, Keyword::Launch, &mut found) {
                    assert!(text.get(m.range).is_some(), "{text}");
                }
            } else {
                let (expectations, mistakes) = super::expectations(text, 0);
                assert!(mistakes.iter().all(|m| text.get(m.range.clone()).is_some()), "{text}");
                found.expectations = expectations;
            }
            let lines = found.text();
            let (again, mistakes) = written(&lines, "");
            assert_eq!((again.text(), mistakes), (lines, vec![]), "{text}");
        }
    }
}

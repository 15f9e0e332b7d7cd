use super::{Answer, ExpressionMistake, ValuePlace, convert, evaluate, holds, parse, place};
use crate::inspect::value::{TypeMeaning, low, meaning, signed};
use crate::inspect::{TypedValue, groups};
use crate::lanes::LaneMask;
use crate::lanes::list;
use crate::machine::{Machine, WarpId};
use crate::testing::{TestKernel, words};
use ptx_num::values::Marks;

const TARGET: WarpId = WarpId { cta: 1, warp: 0 };

const TEXT: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .u32 total[4] = {3, 4, 5, 6};\n\
    .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x; .local .align 4 .s32 own[2]; ld.param.b32 %x, [a]; st.local.b32 [own+4], %x; \
    st.param.b32 [r], %x; ret; }\n\
    .entry k(.param .u64 out, .param .s32 n, .param .f32 a) {\n\
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .s32 %s<4>; .reg .u32 %u<4>; .reg .f32 %f<4>; .reg .f64 %d<2>; .reg .b64 %rd<8>;\n\
    .reg .v4 .b32 %v; .shared .align 4 .f32 tile[64]; .shared .align 4 .b32 word;\n\
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.b32 %r2, 0x3f800000; mov.s32 %s1, -5; mov.u32 %u1, 0xfffffffb; mov.f32 %f1, 0f3DCCCCCD;\n\
    mov.f64 %d1, 0d3FF8000000000000; mov.b16 %h1, 0x3c00; mov.b32 %r3, 0x40003c00; setp.ge.u32 %p1, %r1, 16; mov.b32 %v.y, 77; rcp.approx.f32 %f2, %f1;\n\
    mov.u32 %r4, tile; mad.lo.u32 %r4, %r1, 4, %r4; cvt.rn.f32.u32 %f3, %r1; st.shared.f32 [%r4], %f3; mov.b32 %r6, tile; cvta.shared.u64 %rd3, %rd2;\n\
    @%p1 mov.b32 %r5, 8; setp.lt.u32 %p2, %r1, 8; @%p2 bra LOW; { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), f, (x); ld.param.b32 %r7, [y]; }\n\
    LOW: ret; }\n";

/// A machine in which lanes 8 to 31 are about to return from the function `f`, and the others wait at the end.
fn machine() -> Machine {
    let text = TEXT.replace("cvta.shared.u64 %rd3, %rd2;", "cvt.u64.u32 %rd2, %r6; cvta.shared.u64 %rd3, %rd2;");
    let mut kernel = TestKernel::new(&text).buffer(&words(100..164)).bytes_of(&(-7i32).to_le_bytes());
    kernel = kernel.bytes_of(&2.5f32.to_le_bytes());
    kernel.shape.grid = [2, 1, 1];
    let out = kernel.run();
    assert_eq!(out.kinds(), [], "{:?}", out.faults());
    let steps = out.run.window(TARGET, 0, usize::MAX, &|| false);
    let last = steps.iter().rfind(|s| s.depth == 1).expect("the return");
    out.run.at(last.time, &|| false).expect("that time")
}

/// A value as text according to its type, with its marks.
fn show(value: &TypedValue) -> String {
    if !value.known {
        return "uninitialized".to_owned();
    }
    let (meaning, bits) = meaning(value.ty);
    let text = match meaning {
        TypeMeaning::Truth => (value.bits & 1 != 0).to_string(),
        TypeMeaning::Float(element) => element.text(value.bits),
        TypeMeaning::Packed(element, count) => {
            let part = |i: u32| element.text(low(value.bits >> (i * element.bits()), element.bits()));
            format!("{{{}}}", (0..count).map(part).collect::<Vec<_>>().join(", "))
        }
        TypeMeaning::Integer { signed: true } => signed(value.bits, bits).to_string(),
        TypeMeaning::Integer { signed: false } => value.bits.to_string(),
        TypeMeaning::Bits => format!("{:#0width$x}", value.bits, width = bits.div_ceil(4) as usize + 2),
    };
    if value.marks.contains(Marks::UNSPECIFIED) {
        format!("{text} (unspecified)")
    } else if value.marks.contains(Marks::APPROXIMATE) {
        format!("{text} (approximate)")
    } else {
        text
    }
}

/// The values of several lanes as text; equal values appear once.
fn show_lanes(values: &[(usize, TypedValue)]) -> String {
    let mut groups: Vec<(String, LaneMask)> = Vec::new();
    for (lane, value) in values {
        let (text, bit) = (show(value), 1 << lane);
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, mask)) => *mask |= bit,
            None => groups.push((text, bit)),
        }
    }
    match groups.as_slice() {
        [(text, _)] => text.clone(),
        all => all.iter().map(|(text, mask)| format!("{}: {text}", list(*mask))).collect::<Vec<_>>().join("; "),
    }
}

struct Seat {
    machine: Machine,
    group: usize,
    depth: usize,
    lane: usize,
}

impl Seat {
    /// Evaluates in the call frame of the kernel, in lane 20.
    fn new() -> Self {
        let machine = machine();
        let group = groups(&machine, TARGET).and_then(|g| g.next).expect("a group");
        Self { machine, group, depth: 1, lane: 20 }
    }

    fn answer(&self, text: &str) -> Result<Answer, String> {
        let expression = parse(text).map_err(|m| format!("{:?} {}", m.range, m.message))?;
        evaluate(&expression, &self.machine, TARGET, self.group, self.depth, self.lane)
    }

    fn text(&self, text: &str) -> String {
        match self.answer(text) {
            Ok(Answer::One(value)) => format!("{} {}", show(&value), value.ty),
            Ok(Answer::Lanes(all)) => show_lanes(&all),
            Err(error) => error,
        }
    }

    #[track_caller]
    fn is(&self, text: &str, expected: &str) {
        assert_eq!(self.text(text), expected, "{text}");
    }

    /// Each of these expressions is true.
    #[track_caller]
    fn holds(&self, all: &[&str]) {
        for text in all {
            self.is(text, "true .pred");
        }
    }

    #[track_caller]
    fn fails(&self, text: &str, words: &str) {
        let found = self.answer(text).expect_err(text);
        assert!(found.contains(words), "{text}: {found}");
    }
}

#[test]
fn operands_of_ptx() {
    let seat = Seat::new();
    seat.is("%r1", "0x00000014 .b32");
    seat.is("%s1", "-5 .s32");
    seat.is("%u1", "4294967291 .u32");
    seat.is("%f1", "0.1 .f32");
    seat.is("%d1", "1.5 .f64");
    seat.is("%p1", "true .pred");
    seat.is("%v.y", "0x0000004d .b32");
    seat.is("%v.g", "0x0000004d .b32");
    seat.is("%laneid", "20 .u32");
    seat.is("%tid.x", "20 .u32");
    seat.is("%ctaid.x", "1 .u32");
    seat.is("%f2", "10.0 (approximate) .f32");
    seat.is("%r5@3", "uninitialized .b32");
    seat.is("n", "-7 .s32");
    seat.is("a", "2.5 .f32");
    seat.is("WARP_SZ", "32 .s64");
    seat.is("0f3F800000", "1.0 .f32");
    seat.is("0d3FF0000000000000", "1.0 .f64");
    seat.is("1e-3", "0.001 .f64");
    seat.is(".5", "0.5 .f64");
    seat.is("0x2A", "42 .s64");
    seat.is("0b1010_0000", "160 .s64");
    seat.is("017", "15 .s64");
    seat.is("18446744073709551615", "18446744073709551615 .u64");
    seat.is("true", "true .pred");
    seat.fails("%r99", "no register `%r99`");
    seat.fails("%r19", "no instruction of `k` uses `%r19`");
    seat.fails("%tid", "several components");
    seat.fails("%tid.w.x", "expected");
    seat.fails("foo", "no variable, parameter or buffer `foo`");
}

#[test]
fn lanes_are_selected() {
    let seat = Seat::new();
    seat.is("%r1@3", "0x00000003 .b32");
    seat.is("%r1@2..4:u32", "2: 2; 3: 3; 4: 4");
    seat.is("%p1@*", "0-15: false; 16-31: true");
    seat.is("(%r1 + %r1@0)@7 + 1", "0x00000008 .b32");
    seat.is("%r1@0..3 + %r1", "0: 0x00000014; 1: 0x00000015; 2: 0x00000016; 3: 0x00000017");
    seat.is("%r1@0..1 * %r1@0..1", "0: 0x00000000; 1: 0x00000001");
    seat.is("%laneid@* == %r1@*", "true");
    seat.fails("%r1@0..3 + %r1@1..4", "one side has the lanes 0-3, the other 1-4");
    seat.fails("(%r1@*)@0..3", "chosen twice");
    seat.fails("%r1@32", "a lane from 0 to 31");
    seat.fails("%r1@5..2", "in ascending order");
    seat.fails("%r1@", "expected a lane from 0 to 31, or `*`, but the text ends here");
}

#[test]
fn memory_is_read() {
    let mut seat = Seat::new();
    seat.is("[%rd1+8]", "0x00000066 .b32");
    seat.is("[out+8]:u8", "102 .u8");
    seat.is("[%rd1+4*%laneid]:u32@0..2", "0: 100; 1: 101; 2: 102");
    seat.is("[%rd1+4*%laneid]@0..2:u32", "0: 100; 1: 101; 2: 102");
    seat.is("[tile]", "0.0 .f32");
    seat.is("[tile+4*31]", "31.0 .f32");
    seat.is("[4+tile]:b32", "0x3f800000 .b32");
    seat.is("shared:[%r4]:f32", "20.0 .f32");
    seat.is("shared:[%rd3+8]:f32", "2.0 .f32");
    seat.is("[%rd3+8]:f32", "2.0 .f32");
    seat.is("generic:[%rd3+8]:f32", "2.0 .f32");
    seat.is("param:[8]:s32", "-7 .s32");
    seat.is("[total+4]", "4 .u32");
    seat.is("[word]", "uninitialized .b32");
    seat.is("tile == %r6", "true .pred");
    seat.is("[tile]:f32:b32@1", "0x00000000 .b32");
    seat.fails("[%r4]", "write `shared:[…]`");
    seat.fails("[%rd1+256]", "0 bytes past the end of `buffer 0`");
    seat.fails("[%rd1+254]", "4 bytes at");
    seat.fails("[%f1]", "an address must be a whole number, but `.f32` was found");
    seat.fails("[%r5@3]", "never written");
    seat.fails("[%rd1", "expected `]`, but the text ends here");
    seat.depth = 0;
    seat.is("a", "0x00000014 .b32");
    seat.is("[own+4]", "20 .s32");
    seat.is("[own+4]@9", "9 .s32");
    seat.is("[own]", "uninitialized .s32");
    seat.fails("%r1", "`f` has no register `%r1`");
}

#[test]
fn types_are_changed() {
    let seat = Seat::new();
    seat.is("%r2:f32", "1.0 .f32");
    seat.is("%r2:.s32", "1065353216 .s32");
    seat.is("%r3:f16x2", "{1.0, 2.0} .f16x2");
    seat.is("%r3:f16", "1.0 .f16");
    seat.is("%h1:f16", "1.0 .f16");
    seat.is("%s1:u32", "4294967291 .u32");
    seat.is("%s1:s64", "-5 .s64");
    seat.is("%u1:s64", "4294967291 .s64");
    seat.is("%r1:u8:u64", "20 .u64");
    seat.is("%f1:b32", "0x3dcccccd .b32");
    seat.is("0x3f800000:f32", "1.0 .f32");
    seat.is("3:f32", "3.0 .f32");
    seat.is("f32(%r1)", "20.0 .f32");
    seat.is("s32(2.75)", "2 .s32");
    seat.is("s8(-1e9)", "-128 .s8");
    seat.is("u32(%s1)", "4294967291 .u32");
    seat.is("u8(-2.5)", "0 .u8");
    seat.is("f16(1e9)", "inf .f16");
    seat.is("s32(0.0/0.0)", "0 .s32");
    seat.is("s64(1e30)", "9223372036854775807 .s64");
    seat.is("u64(1e30)", "18446744073709551615 .u64");
    seat.is("pred(%r1)", "true .pred");
    seat.fails("%h1:f32", "`.f32` has 32 bits, but `.b16` has only 16");
    seat.fails("%r1:u33", "a type such as `u32`");
    seat.fails("f16x2(1.0)", "several numbers");
    seat.fails("sqrt(2)", "expected `any`, `all`, `count`, `ballot` or a type before `(`, but found `sqrt`");
    assert_eq!(convert(&TypedValue::new(".f64", 1.5f64.to_bits().into()), ".f32"), Ok(0x3fc0_0000));
    assert_eq!(convert(&TypedValue::new(".s64", u128::from(u64::MAX)), ".s16"), Ok(0xffff));
    assert!(convert(&TypedValue::new(".s64", 0), ".nothing").is_err());
}

/// The remainder of two positive numbers, by subtractions without an error: of the divisor times ever smaller powers of two.
fn exact_remainder(mut number: f32, divisor: f32) -> f32 {
    let mut multiple = divisor;
    while multiple <= number / 2.0 {
        multiple *= 2.0;
    }
    while multiple >= divisor {
        if multiple <= number {
            number -= multiple;
        }
        multiple /= 2.0;
    }
    number
}

#[test]
fn operators_bind_as_in_c() {
    let seat = Seat::new();
    seat.is("1 + 2 * 3", "7 .s64");
    seat.is("(1 + 2) * 3", "9 .s64");
    seat.is("10 - 4 - 3", "3 .s64");
    seat.is("1 << 2 + 1", "8 .s64");
    seat.is("7 & 3 == 3", "1 .s32");
    seat.is("2 | 1 ^ 3 & 1", "2 .s64");
    seat.is("- 2 + 5", "3 .s64");
    seat.is("!%p1 == false", "true .pred");
    seat.is("~0 & 0xff", "255 .s64");
    seat.is("17 % 5", "2 .s64");
    seat.is("%laneid % 3", "2 .u32");
    seat.is("%laneid %3", "2 .u32");
    seat.is("-7.5 % 2.0", "-1.5 .f64");
    seat.is("(f32(-6) % f32(3)):b32", "0x80000000 .b32");
    seat.is("f32(1e30) % f32(0.7)", &format!("{:?} .f32", exact_remainder(1e30, 0.7)));
    // Not the NaN of the processor.
    seat.is("(f32(0) / f32(0)):b32", "0x7fffffff .b32");
    seat.is("(f64(0) % f64(0)):b64", "0xfff8000000000000 .b64");
    seat.holds(&[
        "1 < 2 == true",
        "false && false || true",
        "true || 1/0 == 0",
        "!(false && 1/0 == 0)",
        "1 || false && false",
    ]);
    seat.holds(&["3 <= 3 && 3 >= 3 && 3 != 4 && !(3 > 3)"]);
}

#[test]
fn numbers_meet_in_one_type() {
    let seat = Seat::new();
    // A decimal number takes the type of the register in the same operation.
    seat.holds(&[
        "%f1 == 0.1",
        "%f1 < 1",
        "%d1 == 1.5",
        "%s1 == -5",
        "%s1 < 0",
        "%u1 == -5",
        "%u1 > 0",
        "%r1 > 7",
        "%r1 - 21 < 0",
    ]);
    seat.holds(&[
        "%u1 == %s1",
        "%s1 > %u1:s64 - 4294967297",
        "f64(%f1) != 0.1",
        "%r2:f32 == 1",
        "%p1 == 1",
        "%laneid == 20U",
    ]);
    seat.holds(&[
        "%s1 < %s1:s64 + 1",
        "%s1 / 2 == -2",
        "%s1 % 2 == -1",
        "%u1 / 2 == 0x7ffffffd",
        "%s1 >> 1 == -3",
        "%u1 >> 1 == 0x7ffffffd",
    ]);
    seat.holds(&[
        "%r1 == %tid.x",
        "%r1 << 31 == 0",
        "%r1 >> 40 == 0",
        "%s1 >> 99 == -1",
        "0xffffffff == %u1 + 4",
        "%r3:f16x2 == %r3:f16x2",
    ]);
    seat.is("%r1 + 1", "0x00000015 .b32");
    seat.is("%u1 + 10", "5 .u32");
    seat.is("%r1 + 0x100000000", "0x0000000100000014 .b64");
    seat.is("%f1 * 2", "0.2 .f32");
    seat.is("%f1 + %d1", "1.6000000014901161 .f64");
    seat.is("-%f1", "-0.1 .f32");
    seat.is("-%u1", "5 .u32");
    seat.is("%f2 + 1", "11.0 (approximate) .f32");
    seat.is("%r5@3 + 1", "uninitialized .b32");
    seat.fails("1 / 0", "divided by zero");
    seat.fails("%f1 & 1", "`&` takes whole numbers, but `.f32` was found");
    seat.fails("~%f1", "`~` takes whole numbers");
    seat.fails("%r3:f16x2 + 1", "`.f16x2` holds several");
    seat.fails("1 << -1", "shifted by -1");
}

#[test]
fn lanes_of_the_group_are_asked() {
    let seat = Seat::new();
    // Lanes 8 to 31 are in the function.
    seat.is("ballot(true)", "0xffffff00 .b32");
    seat.is("count(%r1 < 16)", "8 .u32");
    seat.is("any(%laneid == 3)", "false .pred");
    seat.is("any(%laneid == 9)", "true .pred");
    seat.is("all(%p1)", "false .pred");
    seat.is("all(%laneid >= 8)", "true .pred");
    seat.is("ballot(%p1@*)", "0xffff0000 .b32");
    seat.is("count(%p1)@3 + 1", "17 .u32");
    // The result is unknown if it depends on unwritten values, unless the other lanes decide it.
    seat.is("any(%r5 == 8)", "true .pred");
    seat.is("all(%r5 == 8)", "uninitialized .pred");
    seat.is("all(%r5 == 9)", "false .pred");
    seat.is("any(%r5 == 9)", "uninitialized .pred");
    seat.fails("count([%r1])", "lane 8:");
    let mask = |text: &str| {
        let expression = parse(text).expect("an expression");
        holds(&expression, &seat.machine, TARGET, seat.group)
    };
    // In the function, names refer to its own registers.
    assert_eq!(mask("%x > 28"), Ok(0xe000_0000));
    assert_eq!(mask("%laneid == 3 && %x > 7"), Ok(0));
    assert_eq!(mask("%laneid == 13 && %x > 7"), Ok(1 << 13));
    assert_eq!(mask("any(%x == 8)"), Ok(0xffff_ff00));
    assert!(mask("%r1").is_err());
}

#[test]
fn what_is_not_running_has_no_values() {
    let machine = machine();
    let expression = parse("%r1").expect("an expression");
    let gone = evaluate(&expression, &machine, WarpId { cta: 0, warp: 0 }, 0, 0, 0);
    assert!(gone.expect_err("it has ended").contains("not running"));
    assert!(evaluate(&expression, &machine, TARGET, 7, 0, 0).is_err());
    assert!(evaluate(&expression, &machine, TARGET, 0, 9, 0).is_err());
    assert!(evaluate(&expression, &machine, TARGET, 0, 0, 77).is_err());
}

#[test]
fn mistakes_say_where_and_what() {
    for (text, range, words) in [
        ("", 0..0, "expected a register, a number or `(`, but the text ends here"),
        ("  ", 2..2, "the text ends here"),
        ("%r1 +", 5..5, "expected a register, a number or `(`"),
        ("%r1 %r2", 5..7, "no"),
        ("1 2", 2..3, "expected an operator or the end, but found `2`"),
        ("(1", 2..2, "expected `)`"),
        ("%", 0..1, "expected a register"),
        ("12abc", 0..5, "`12abc` is not a number"),
        ("0f3f", 0..4, "is not a number"),
        ("%r1:xyz", 4..7, "expected a type such as `u32`, `f32` or `f16x2`, but found `xyz`"),
        ("%r1 = 2", 4..5, "expected an operator or the end, but found `=`"),
        ("é", 0..2, "but found `é`"),
        ("[]", 1..2, "but found `]`"),
    ] {
        match parse(text) {
            Err(mistake) => {
                assert_eq!(mistake.range, range, "{text}: {}", mistake.message);
                assert!(mistake.message.contains(words), "{text}: {}", mistake.message);
            }
            // This one parses: after an operand, `%` is the operator, as in `%r1 % r2`.
            Ok(_) => assert_eq!(text, "%r1 %r2"),
        }
    }
    let deep = |open: &str, close: &str, n: usize| parse(&format!("{}1{}", open.repeat(n), close.repeat(n)));
    assert!(deep("(", ")", 90).is_ok() && deep("(", ")", 500).is_err());
    assert!(deep("-", "", 90).is_ok() && deep("-", "", 4000).is_err());
    assert!(deep("", "+1", 90).is_ok() && deep("", "+1", 1500).is_err());
    assert!(deep("[", "]", 1000).is_err() && deep("any(", ")", 800).is_err());
    assert!(parse(&"1".repeat(5000)).is_err());
}

#[test]
fn no_text_makes_it_panic() {
    let seat = Seat::new();
    let pieces = [
        "%r1",
        "%r5",
        "%f1",
        "%p1",
        "%tid.x",
        "%v.y",
        "%",
        "n",
        "tile",
        "own",
        "out",
        "[",
        "]",
        "(",
        ")",
        "@",
        "*",
        "0..7",
        "..",
        ":",
        "f32",
        "u8",
        "f16x2",
        "b128",
        "pred",
        "s64",
        "shared:",
        "any(",
        "all(",
        "count(",
        "ballot(",
        "+",
        "-",
        "/",
        "%",
        "<<",
        ">>",
        "==",
        "<",
        "&&",
        "||",
        "!",
        "~",
        "^",
        "|",
        "&",
        "1",
        "0",
        "0x",
        "0xffffffffffffffff",
        "1e308",
        "0f7FFFFFFF",
        "9223372036854775808",
        ".",
        " ",
        "é",
        "@31",
        "\u{0}",
        "_",
        "1e",
        "-9223372036854775808",
        "0d",
        "127",
        "f64(",
        "s32(",
        "%clock",
        "64",
    ];
    let mut state = 12_345_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut evaluated = 0;
    for _ in 0..20_000 {
        let text: String = (0..1 + random(9)).map(|_| pieces[random(pieces.len())]).collect();
        match parse(&text) {
            Ok(expression) => {
                for (depth, lane) in [(0, 9), (1, 3)] {
                    evaluated +=
                        usize::from(evaluate(&expression, &seat.machine, TARGET, seat.group, depth, lane).is_ok());
                }
                let _ = holds(&expression, &seat.machine, TARGET, seat.group);
            }
            Err(mistake) => {
                let ExpressionMistake { range, message } = mistake;
                assert!(range.end <= text.len() && text.get(range).is_some() && !message.is_empty(), "{text}");
            }
        }
    }
    assert!(evaluated > 500, "{evaluated}");
}

#[test]
fn where_values_are_kept() {
    let seat = Seat::new();
    let kept = |text: &str| {
        let expression = parse(text).expect("an expression");
        (place(&expression, &seat.machine, TARGET, seat.group, seat.depth, seat.lane), expression.lanes())
    };
    let register = |text: &str| matches!(kept(text).0, Some(ValuePlace::Register(_)));
    assert!(register("%r1") && register("(%r1)") && register("%r1@3") && register("%r1@0..7"));
    assert!(!register("%r1 + 1") && !register("%tid.x") && !register("n") && !register("%r1:f32"));
    assert_eq!((kept("%r1").1, kept("%r1@3").1), (None, Some((3, 3))));
    assert_eq!((kept("%r1@0..7").1, kept("%r1@*").1, kept("%r1@3 + 1").1), (Some((0, 7)), Some((0, 31)), None));
    assert_eq!(parse("[tile + 4]:f32 @ 0..3").expect("one").text(), "[tile + 4]:f32");
    let memory = |text: &str| match kept(text).0 {
        Some(ValuePlace::Memory { address, ty }) => (address, ty),
        other => panic!("{text}: {other:?}"),
    };
    let (tile, ty) = memory("[tile]");
    assert_eq!(ty, ".f32");
    assert_eq!(memory("[tile+8]:u32"), (tile + 8, ".u32"));
    // An address from a register, the same with an explicit state space, and the generic address.
    assert_eq!(memory("shared:[%r6+8]:u32"), (tile + 8, ".u32"));
    assert_eq!(memory("[%rd3]:f32"), (tile, ".f32"));
    assert_eq!(memory("[total+4]").1, ".u32");
    assert_eq!(kept("[%f1]").0, None);
}

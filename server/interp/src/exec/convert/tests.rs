//! Decodes every form of `cvt` in the data, with all its modifiers and with registers of all widths that it accepts. Checks that the step
//! gives each lane the result of the conversion. Also runs some instructions of each kind as kernels.

use crate::lanes::{LANES, LaneMask};
use crate::machine::code::{Executable, FunctionCode, OpAction};
use crate::machine::layout::Slot;
use crate::registers::{RegisterLocation, WarpRegisters};
use crate::testing::{TestKernel, words};
use ptx_check::execution::CheckedProgram;
use ptx_flow::flow::OperandValue;
use ptx_num::values::Marks;
use ptx_num::values::convert::{ConversionFormat, ConversionOptions, ConversionRounding, Scaled, Sources, compile};
use std::sync::Arc;

/// The versions and targets on which a form is tried, until one of them has it.
const HOMES: [(&str, &str); 5] =
    [("9.5", "sm_100a"), ("9.5", "sm_107a"), ("9.5", "sm_90a"), ("9.5", "sm_120a"), ("8.5", "sm_80")];

const REGISTERS: &str = ".reg .b8 %c<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;";

/// One spelling of `cvt`: its mnemonic, the formats of source and result, the options, and the operands.
#[derive(Clone)]
struct Spelling {
    head: String,
    from: ConversionFormat,
    to: ConversionFormat,
    options: ConversionOptions,
    /// The names of the operands after `d`.
    operands: Vec<&'static str>,
}

/// All ways to fill the slots of a form with modifiers.
fn spellings(form: &'static ptx_isa::tables::Form) -> Vec<Spelling> {
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    for slot in form.slots {
        let mut longer = Vec::new();
        for begun in &all {
            if slot.optional {
                longer.push(begun.clone());
            }
            longer.extend(slot.values.iter().map(|v| [begun.as_slice(), &[*v]].concat()));
        }
        all = longer;
    }
    let spelled = |modifiers: Vec<&'static str>| {
        let mut options = ConversionOptions::default();
        let mut types = Vec::new();
        for modifier in &modifiers {
            match *modifier {
                ".ftz" => options.ftz = true,
                ".sat" => options.sat = true,
                ".relu" => options.relu = true,
                ".satfinite" => options.satfinite = true,
                ".pzo" => options.pzo = true,
                ".scaled::n1::ue8m0" => options.scaled = Scaled::One,
                ".scaled::n2::ue8m0" => options.scaled = Scaled::Two,
                other => match ConversionRounding::named(&other[1..]) {
                    Some(rounding) => options.rounding = Some(rounding),
                    None => types.push(ConversionFormat::named(&other[1..]).unwrap()),
                },
            }
        }
        let mut operands = vec!["a"];
        let text = form.text;
        if text.contains("abef") {
            operands = vec!["a", "b", "e", "f"];
        } else if text.contains(" a, b") {
            operands.push("b");
        }
        if text.contains("rbits") {
            operands.push("rbits");
        }
        if text.contains("a, scale") || text.contains("b, scale") || options.scaled != Scaled::No {
            operands.push("scale");
        }
        Spelling { head: format!("cvt{}", modifiers.concat()), from: types[1], to: types[0], options, operands }
    };
    all.into_iter().map(spelled).collect()
}

fn register(bits: u32, number: usize) -> String {
    let prefix = match bits {
        8 => "%c",
        16 => "%h",
        32 => "%r",
        _ => "%rd",
    };
    format!("{prefix}{number}")
}

impl Spelling {
    /// The instruction with a result and sources in registers of these widths.
    fn with(&self, d: u32, a: u32) -> String {
        let operand = |(i, name): (usize, &&str)| match *name {
            "rbits" => register(32, i + 1),
            "scale" => register(if self.options.scaled == Scaled::Two { 16 } else { 8 }, i + 1),
            _ => register(a, i + 1),
        };
        let mut rest: Vec<String> = self.operands.iter().enumerate().map(operand).collect();
        if self.operands.get(2) == Some(&"e") {
            let four = rest[..4].join(",");
            rest.splice(..4, [format!("{{{four}}}")]);
        }
        format!("{} {}, {};", self.head, register(d, 0), rest.join(", "))
    }
}

/// Decodes the instructions that the target has. Returns them and their indices in `texts`.
fn decoded(home: (&str, &str), texts: &[String]) -> (Executable, Vec<usize>) {
    let module = |which: &[usize]| {
        let lines: Vec<&str> = which.iter().map(|i| texts[*i].as_str()).collect();
        format!(
            ".version {}\n.target {}\n.address_size 64\n.entry k() {{ {REGISTERS}\n{}\nret; }}\n",
            home.0,
            home.1,
            lines.join("\n")
        )
    };
    let all: Vec<usize> = (0..texts.len()).collect();
    let text = module(&all);
    let program = CheckedProgram::new(&ptx_syntax::Document::new(text.as_str()).snapshot()).program;
    let line = |at: usize| text[..at].matches('\n').count();
    let wrong: std::collections::BTreeSet<usize> = program.errors.iter().map(|e| line(e.start)).collect();
    let good: Vec<usize> = all.into_iter().filter(|i| !wrong.contains(&(i + 4))).collect();
    let program = CheckedProgram::new(&ptx_syntax::Document::new(module(&good).as_str()).snapshot()).program;
    assert!(program.errors.is_empty(), "{:?}", program.errors.first());
    (Executable::new(Arc::new(program), "k").unwrap(), good)
}

/// A small generator of pseudo-random bits.
struct ConversionSamples(u64);

impl ConversionSamples {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Random bits, in which special values are frequent.
    fn bits(&mut self) -> u64 {
        let bits = self.next();
        match bits >> 60 {
            0 => 0,
            1 => 0x7ff0_0000_7f80_7f80,
            2 => 0xfff8_0001_ff80_ffff,
            3 => bits & 0x8000_0000_8000_8080,
            4 => self.next() & 0xff,
            5 => self.next() & 0x8007_ffff_807f_80ff,
            6 => bits & 0x7f0f_7f0f | 0x3f00_0000_3f00_3f38,
            _ => self.next(),
        }
    }
}

/// The places of an instruction's operands, in order.
fn places(executable: &Executable, code: &FunctionCode, index: usize) -> Vec<RegisterLocation> {
    let function = executable.function(code.function).unwrap();
    let place = |value: &OperandValue| match value {
        OperandValue::Register(slot) => match code.slots[slot.index()] {
            Slot::Register(place) => place,
            Slot::Predicate(_) => panic!("a predicate"),
        },
        other => panic!("{other:?}"),
    };
    let operands = function.operands_of(index).iter().filter(|o| !matches!(o.value, OperandValue::List(_)));
    operands.map(|o| place(&o.value)).collect()
}

#[test]
fn every_form_gives_each_lane_what_the_conversion_gives() {
    let entry = ptx_isa::ISA.opcode("cvt").unwrap().entries.iter().find(|entry| entry.name == "cvt").unwrap();
    let mut open: Vec<(Spelling, u32, String)> = Vec::new();
    let mut exact = std::collections::BTreeSet::new();
    for spelling in entry.forms.iter().flat_map(spellings) {
        let (a, d) = (spelling.from.bits(), spelling.to.bits());
        exact.insert(spelling.with(d, a));
        for (d, a) in [(d, a), (64, a), (d, 64), (32, 32)] {
            if d >= spelling.to.bits() && a >= spelling.from.bits() {
                open.push((spelling.clone(), d, spelling.with(d, a)));
            }
        }
    }
    open.sort_by(|a, b| a.2.cmp(&b.2));
    open.dedup_by(|a, b| a.2 == b.2);
    let mut random = ConversionSamples(77);
    let (mut instructions, mut wide) = (0, 0);
    for home in HOMES {
        let texts: Vec<String> = open.iter().map(|o| o.2.clone()).collect();
        let (executable, good) = decoded(home, &texts);
        let code = executable.code(executable.entry).unwrap();
        for (index, which) in good.iter().enumerate() {
            let (spelling, d, text) = &open[*which];
            check(&executable, code, index, spelling, *d, text, &mut random);
            if !exact.remove(text) {
                wide += 1;
            }
            instructions += 1;
        }
        let taken: std::collections::BTreeSet<usize> = good.into_iter().collect();
        let mut index = 0;
        // Whether registers may be wider than the type does not depend on the target.
        open.retain(|o| {
            index += 1;
            !taken.contains(&(index - 1)) && exact.contains(&o.2)
        });
    }
    assert!(instructions > 1500 && wide > 500, "{instructions} {wide}");
    // The remaining texts are forbidden by the tables: `.sat` where nothing can saturate, and spellings that belong to other forms.
    exact.retain(|text| !text.contains(".sat."));
    assert!(exact.is_empty(), "{exact:?}");
}

fn check(
    executable: &Executable,
    code: &FunctionCode,
    index: usize,
    spelling: &Spelling,
    d: u32,
    text: &str,
    random: &mut ConversionSamples,
) {
    let OpAction::Lanes(step) = &code.ops[index].action else {
        let OpAction::Refused(why) = &code.ops[index].action else { panic!("{text} is not a step on registers") };
        panic!("{text} is refused: {why:?}");
    };
    let conversion = compile(spelling.from, spelling.to, spelling.options).unwrap();
    let places = places(executable, code, index);
    let specials = Arc::from([]);
    let mut registers = WarpRegisters::new(code.register_bytes, code.predicates, Arc::clone(&code.constants), specials);
    for lane in 0..LANES {
        for place in &places {
            let value = u128::from(random.bits());
            registers.set_lane_bits(*place, lane, value);
        }
    }
    let mask = if index.is_multiple_of(3) { LaneMask::MAX } else { random.next() as LaneMask };
    let before = registers.clone();
    let marked = step.run(&mut registers, mask);
    for lane in 0..LANES {
        let result = registers.lane_bits(places[0], lane);
        if mask >> lane & 1 == 0 {
            assert_eq!(result, before.lane_bits(places[0], lane), "{text}: a lane that is not active");
            continue;
        }
        let mut sources = Sources::default();
        for (name, place) in spelling.operands.iter().zip(&places[1..]) {
            let bits = before.lane_bits(*place, lane) as u64;
            match *name {
                "a" => sources.a = bits,
                "b" => sources.b = bits,
                "e" => sources.e = bits,
                "f" => sources.f = bits,
                "scale" if spelling.options.scaled == Scaled::No => {}
                _ => sources.extra = bits,
            }
        }
        let mut wanted = conversion.run(&sources);
        if spelling.to.bits() < 64 && spelling.to.is_signed_integer() {
            wanted = i64::from(wanted as i32) as u64;
        }
        let wanted = if d == 64 { wanted } else { wanted & ((1 << d) - 1) };
        assert_eq!(result, u128::from(wanted), "{text} of {sources:x?} in lane {lane}: {result:x}, not {wanted:x}");
        let open = conversion.marks(&sources).contains(Marks::UNSPECIFIED);
        assert_eq!(marked.unspecified >> lane & 1 != 0, open, "{text} of {sources:x?}: marks");
    }
    assert_eq!(marked.unspecified & !mask, 0, "{text}");
    assert_eq!(marked.approximate, 0, "{text}");
}

#[test]
fn kernels_convert() {
    let text = "mov.b32 %r0, -3; cvt.rn.f32.s32 %f0, %r0; st.global.f32 [%rd0], %f0;\
        cvt.s64.s32 %rd1, %r0; st.global.b64 [%rd0+8], %rd1;\
        cvt.u64.u32 %rd1, %r0; st.global.b64 [%rd0+16], %rd1;\
        cvt.rzi.s32.f32 %r1, 0fc0333333; st.global.b32 [%rd0+4], %r1;\
        cvt.rn.f16x2.f32 %r1, 0f3f800000, 0f40000000; st.global.b32 [%rd0+24], %r1;\
        cvt.rn.satfinite.e4m3x2.f32 %h0, 0f3f800000, 0f40000000; st.global.b16 [%rd0+28], %h0;\
        cvt.u16.u32 %h1, %tid.x; st.global.b16 [%rd0+30], %h1;\
        cvt.s8.s32 %r2, 511; st.global.b32 [%rd0+32], %r2;\
        cvt.u8.s32 %r2, 511; st.global.b32 [%rd0+36], %r2;\
        cvt.rn.f64.s32 %d0, %r0; st.global.f64 [%rd0+40], %d0;\
        cvt.rn.f32.f64 %f1, 0d3ff0000010000000; st.global.f32 [%rd0+48], %f1;\
        cvt.rp.f32.f64 %f1, 0d3ff0000010000000; st.global.f32 [%rd0+52], %f1;\
        cvt.sat.u8.s32 %r2, -1; st.global.b32 [%rd0+56], %r2;\
        cvt.pack.sat.u16.s32 %r2, 70000, -5; st.global.b32 [%rd0+60], %r2;\
        cvt.pack.sat.s8.s32.b32 %r2, -200, 5, 4660; st.global.b32 [%rd0+64], %r2;\
        cvt.u64.u32 %rd1, %tid.x; st.global.b64 [%rd0+72], %rd1;";
    let out = TestKernel::body("", text).threads(1).buffer(&[0xee; 80]).fine();
    let minus_three = (-3.0_f64).to_bits();
    assert_eq!(
        out.u32s(0),
        [
            (-3.0_f32).to_bits(),
            -2_i32 as u32,
            -3_i32 as u32,
            u32::MAX,
            -3_i32 as u32,
            0,
            0x3c00_4000,
            0x0000_3840,
            u32::MAX,
            255,
            minus_three as u32,
            (minus_three >> 32) as u32,
            1.0_f32.to_bits(),
            1.0_f32.to_bits() + 1,
            0,
            0xffff_0000,
            4660 << 16 | 0x8005,
            0xeeee_eeee,
            0,
            0
        ]
    );
}

#[test]
fn old_targets_flush() {
    let kernel = |version: &str, target: &str, body: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.entry k(.param .u32 out) {{ .reg .u32 %r<4>; .reg .f32 %f<4>; .reg .f16 %h;\
             ld.param.u32 %r0, [out]; {body} st.global.f32 [%r0], %f0; exit; }}"
        );
        TestKernel::new(&text).threads(1).buffer(&words([7])).fine().u32s(0)[0]
    };
    let body = "mov.b32 %f1, 0x00000001; cvt.f32.f32 %f0, %f1;";
    assert_eq!(kernel("2.0", "sm_10", body), 0);
    assert_eq!(kernel("2.0", "sm_20", body), 1);
}

#[test]
fn results_that_are_left_open_are_marked() {
    let body = "mov.b32 %f0, 0x7f800001; cvt.rn.f16.f32 %h0, %f0; st.global.b16 [%rd0], %h0; cvt.rzi.s32.f32 %r0, %f0; st.global.b32 [%rd0+4], %r0;";
    let out = TestKernel::body("", body).threads(1).buffer(&[0; 8]).fine();
    let buffer = out.run.machine.memory.global.named("buffer 0").unwrap();
    let marks = |at: u64, bytes: usize| buffer.storage.read(at, &mut vec![0; bytes]).marks;
    assert_eq!((marks(0, 2), marks(4, 4)), (Marks::UNSPECIFIED, Marks::NONE));
}

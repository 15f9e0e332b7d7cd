//! Runs a kernel with many statements on the same operands in several warps, and compares each result and its marks.

use crate::testing::TestKernel;
use ptx_num::values::Marks;
use ptx_num::values::float::FloatRounding;

/// A statement with `$d`, `$a`, `$b`, `$c` in place of registers, the sizes of these in bytes (0: no such register), and the expected
/// result.
pub(in crate::exec) struct StatementCase {
    text: String,
    widths: [u8; 4],
    expected: ReferenceFunction,
}

type ReferenceFunction = Box<dyn Fn([u64; 3]) -> (u64, Marks)>;

/// A case: the statement, the sizes of its registers, and the function from its operands to the result and its marks.
pub(in crate::exec) fn case(
    text: impl Into<String>,
    widths: [u8; 4],
    expected: impl Fn([u64; 3]) -> (u64, Marks) + 'static,
) -> StatementCase {
    StatementCase { text: text.into(), widths, expected: Box::new(expected) }
}

/// The modifiers of roundings. Without one, rounding is to nearest.
pub(in crate::exec) const ROUNDINGS: [(&str, FloatRounding); 5] = [
    ("", FloatRounding::Nearest),
    (".rn", FloatRounding::Nearest),
    (".rz", FloatRounding::Zero),
    (".rm", FloatRounding::Down),
    (".rp", FloatRounding::Up),
];

/// Without and with `.ftz`.
pub(in crate::exec) const FTZ: [(&str, bool); 2] = [("", false), (".ftz", true)];

const HALVES: [u16; 24] = [
    0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x0080, 0x807f, 0x3c00, 0x3f80, 0xbc00, 0xbf80, 0x7bff, 0x7f7f, 0x7c00,
    0xfc00, 0x7f80, 0xff80, 0x7e00, 0x7fff, 0x4248, 0x3555, 0xc049, 0x0401,
];

const SINGLES: [u32; 20] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x8080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0001,
    0x4049_0fdb,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7fff_ffff,
    0xffa0_0000,
    0x4b00_0000,
    0x0040_0000,
    0x3f80_0001,
];

const DOUBLES: [u64; 14] = [
    0,
    1 << 63,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff0_0000_0000_0001,
    0x4009_21fb_5444_2d18,
    0x3ca0_0000_0000_0000,
];

struct Samples(u64);

impl Samples {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.bits() as usize % values.len()]
    }

    fn half(&mut self) -> u16 {
        match self.bits() % 3 {
            0 => self.bits() as u16,
            _ => self.of(&HALVES),
        }
    }

    fn single(&mut self) -> u32 {
        match self.bits() % 4 {
            0 => self.bits() as u32,
            // Numbers around one, so that sums cancel and roundings differ.
            1 => 0x3f00_0000 ^ self.bits() as u32 & 0x80ff_ffff,
            2 => u32::from(self.half()) << 16 | u32::from(self.half()),
            _ => self.of(&SINGLES),
        }
    }

    fn double(&mut self) -> u64 {
        match self.bits() % 4 {
            0 => self.bits() << 3 ^ self.bits(),
            1 => 0x3fe0_0000_0000_0000 ^ self.bits() & 0x801f_ffff_ffff_ffff,
            2 => u64::from(self.single()) << 32 | u64::from(self.single()),
            _ => self.of(&DOUBLES),
        }
    }
}

/// Number of threads: several warps, of which the last one is not full.
const THREADS: usize = 150;
/// Number of operands of a thread: three each of 2, 4 and 8 bytes, every one in 8 bytes of the buffer.
const OPERANDS: usize = 9;

fn register(width: u8, number: usize) -> String {
    let prefix = match width {
        2 => "%h",
        4 => "%r",
        _ => "%rd",
    };
    format!("{prefix}{number}")
}

/// Runs the cases as one kernel, and checks every result and its marks.
pub(in crate::exec) fn check(version: &str, target: &str, cases: Vec<StatementCase>) {
    let mut samples = Samples(0x9e37_79b9_7f4a_7c15);
    let mut operands = vec![0u64; THREADS * OPERANDS];
    for (i, operand) in operands.iter_mut().enumerate() {
        *operand = match i % OPERANDS / 3 {
            0 => samples.half().into(),
            1 => samples.single().into(),
            _ => samples.double(),
        };
    }
    let mut text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .entry k(.param .u64 out, .param .u64 in) {{\n\
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<12>;\n\
         ld.param.u64 %rd8, [out]; ld.param.u64 %rd9, [in]; mov.u32 %r0, %tid.x;\n\
         mad.wide.u32 %rd8, %r0, 8, %rd8; mad.wide.u32 %rd9, %r0, {}, %rd9;\n",
        8 * OPERANDS
    );
    for (kind, width) in [2u8, 4, 8].into_iter().enumerate() {
        for operand in 0..3 {
            let (register, at) = (register(width, operand + 1), 8 * (3 * kind + operand));
            text.push_str(&format!("ld.global.b{} {register}, [%rd9+{at}];\n", 8 * width));
        }
    }
    for (number, case) in cases.iter().enumerate() {
        let mut statement = case.text.clone();
        for (i, name) in ["$d", "$a", "$b", "$c"].into_iter().enumerate() {
            let register = if i == 0 { register(case.widths[0], 4) } else { register(case.widths[i], i) };
            statement = statement.replace(name, &register);
        }
        let (width, d) = (case.widths[0], register(case.widths[0], 4));
        text.push_str(&format!("{statement}\nst.global.b{} [%rd8+{}], {d};\n", 8 * width, 8 * THREADS * number));
    }
    text.push_str("ret;\n}\n");
    let bytes: Vec<u8> = operands.iter().flat_map(|o| o.to_le_bytes()).collect();
    let out = TestKernel::new(&text)
        .threads(THREADS as u32)
        .buffer(&vec![0; 8 * THREADS * cases.len()])
        .buffer(&bytes)
        .fine();
    let results = out.u64s(0);
    for (number, case) in cases.iter().enumerate() {
        for thread in 0..THREADS {
            let own = &operands[OPERANDS * thread..OPERANDS * (thread + 1)];
            let operand = |i: usize| match case.widths[i + 1] {
                0 => 0,
                2 => own[i],
                4 => own[3 + i],
                _ => own[6 + i],
            };
            let operands = [operand(0), operand(1), operand(2)];
            let (bits, marks) = (case.expected)(operands);
            let at = THREADS * number + thread;
            let found = (results[at], out.marks(0, 8 * at as u64, case.widths[0].into()));
            assert_eq!(
                found,
                (bits, marks),
                "{}: thread {thread}, operands {operands:x?}: {:#x}, expected {bits:#x}",
                case.text,
                found.0
            );
        }
    }
}

//! Random kernels whose addresses are sums, products, masks, shifts and swizzles of the thread's index, with loops and branches.

use ptx_tests::generate::Random;
use std::fmt::Write;

/// Bytes of the buffer and of the tile in shared memory that every address stays in.
const BUFFER: u64 = 1 << 21;
const TILE: u64 = 1 << 14;

/// Random choices.
struct Choices(Random);

impl Choices {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit as usize) as u64
    }

    fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.0.below(all.len())]
    }
}

/// A register with an upper bound of its value, if that is small.
#[derive(Clone, Copy)]
struct Value {
    register: u32,
    max: Option<u64>,
}

struct Kernel {
    random: Choices,
    text: String,
    values: Vec<Value>,
    next: u32,
}

/// A module with one kernel and a launch above it.
pub fn kernel(seed: u64) -> String {
    // Neighbouring seeds differ in all bits.
    let mut random = Choices(Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let blocks: [[u64; 3]; 16] = [
        [32, 1, 1],
        [64, 1, 1],
        [128, 1, 1],
        [256, 1, 1],
        [48, 1, 1],
        [33, 1, 1],
        [16, 16, 1],
        [8, 8, 2],
        [8, 32, 1],
        [32, 8, 1],
        [64, 2, 2],
        [24, 4, 1],
        [4, 4, 4],
        [1, 64, 1],
        [2, 1, 32],
        [20, 1, 3],
    ];
    let block = *random.pick(&blocks);
    let (n, m) = (random.below(64), random.below(40_000));
    let pointer = *random.pick(&["", ".ptr .global .align 32 ", ".ptr .global .align 16 ", ""]);
    let required = random.below(3) == 0;
    let ctas = 1 + random.below(3);
    let mut kernel = Kernel { random, text: String::new(), values: Vec::new(), next: 10 };
    let [x, y, z] = block;
    for (source, max) in [
        ("%tid.x", x - 1),
        ("%tid.y", y - 1),
        ("%tid.z", z - 1),
        ("%ctaid.x", ctas - 1),
        ("%ntid.x", x),
        ("%laneid", 31),
    ] {
        let register = kernel.define(Some(max));
        let _ = writeln!(kernel.text, "mov.u32 %r{register}, {source};");
    }
    for (name, max) in [("n", Some(n)), ("m", Some(m))] {
        let register = kernel.define(max);
        let _ = writeln!(kernel.text, "ld.param.u32 %r{register}, [{name}];");
    }
    kernel.steps(6);
    kernel.accesses();
    if kernel.random.below(2) == 0 {
        kernel.counted_loop();
    }
    if kernel.random.below(3) == 0 {
        kernel.branch();
    }
    kernel.accesses();
    let [x, y, z] = block;
    let directive = if required { format!(".reqntid {x}, {y}, {z}\n") } else { String::new() };
    format!(
        "//! launch: grid={ctas} block={x},{y},{z} n={n} m={m} x=u8[{BUFFER}]:zero\n\
         .version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 {pointer}x, .param .u32 n, .param .u32 m)\n{directive}{{\n\
         .reg .b16 %h<200>;\n.reg .b32 %r<400>;\n.reg .b64 %rd<400>;\n.reg .pred %p<100>;\n.shared .align 16 .b8 tile[{}];\n\
         ld.param.u64 %rd1, [x];\n{}ret;\n}}\n",
        TILE + 64,
        kernel.text
    )
}

impl Kernel {
    fn define(&mut self, max: Option<u64>) -> u32 {
        let register = self.fresh();
        self.values.push(Value { register, max });
        register
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn value(&mut self) -> Value {
        // The thread's index more often than others.
        if self.random.below(3) == 0 {
            self.values[self.random.below(3) as usize]
        } else {
            *self.random.pick(&self.values)
        }
    }

    fn steps(&mut self, count: u64) {
        for _ in 0..1 + self.random.below(count) {
            self.step();
        }
    }

    /// Computes a new value.
    fn step(&mut self) {
        let (a, b) = (self.value(), self.value());
        let small = |v: Option<u64>| v.filter(|v| *v < 1 << 16);
        let (x, y) = (a.max, b.max);
        let by = self.random.below(6);
        let number = *self.random.pick(&[1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 33, 63, 64, 96, 127, 255]);
        let d = self.next + 1;
        let (ra, rb) = (a.register, b.register);
        let (text, max) = match self.random.below(24) {
            0 | 1 => (format!("add.u32 %r{d}, %r{ra}, %r{rb};"), x.zip(y).map(|(x, y)| x + y)),
            2 => (format!("add.s32 %r{d}, %r{ra}, {number};"), x.map(|x| x + number)),
            3 | 4 => (format!("shl.b32 %r{d}, %r{ra}, {by};"), x.map(|x| x << by)),
            5 => (format!("shr.u32 %r{d}, %r{ra}, {by};"), x.map(|x| x >> by)),
            6 | 7 => (format!("and.b32 %r{d}, %r{ra}, {number};"), Some(number)),
            8 | 9 => {
                (format!("xor.b32 %r{d}, %r{ra}, %r{rb};"), x.zip(y).map(|(x, y)| (x | y).next_power_of_two() * 2 - 1))
            }
            10 => {
                (format!("or.b32 %r{d}, %r{ra}, %r{rb};"), x.zip(y).map(|(x, y)| (x | y).next_power_of_two() * 2 - 1))
            }
            11 => (format!("mul.lo.s32 %r{d}, %r{ra}, {number};"), x.map(|x| x * number)),
            12 | 13 => {
                let c = self.value();
                let max = x.zip(y).zip(c.max).and_then(|((x, y), c)| x.checked_mul(y)?.checked_add(c));
                (format!("mad.lo.s32 %r{d}, %r{ra}, %r{rb}, %r{};", c.register), max)
            }
            14 => (format!("bfe.u32 %r{d}, %r{ra}, {by}, 4;"), Some(15)),
            15 => (
                format!("bfi.b32 %r{d}, %r{ra}, %r{rb}, {by}, 3;"),
                y.map(|y| (y | 7 << by).next_power_of_two() * 2 - 1),
            ),
            16 => (format!("rem.u32 %r{d}, %r{ra}, {number};"), Some(number - 1)),
            17 => (format!("div.u32 %r{d}, %r{ra}, {number};"), x.map(|x| x / number)),
            18 => (format!("min.u32 %r{d}, %r{ra}, %r{rb};"), x.zip(y).map(|(x, y)| x.min(y))),
            19 => (format!("sub.s32 %r{d}, %r{ra}, %r{rb};"), None),
            20 => {
                let table = self.random.below(256);
                let c = self.value().register;
                (format!("lop3.b32 %r{d}, %r{ra}, %r{rb}, %r{c}, {table};"), None)
            }
            21 => (format!("shr.s32 %r{d}, %r{ra}, {by};"), x.map(|x| x >> by)),
            22 => {
                let (h, g) = (d % 200, (d + 1) % 200);
                let text = format!(
                    "cvt.u16.u32 %h{h}, %r{ra}; cvt.u16.u32 %h{g}, %r{rb}; add.u16 %h{h}, %h{h}, %h{g}; cvt.u32.u16 %r{d}, %h{h};"
                );
                (text, small(x.zip(y).map(|(x, y)| x + y)).or(Some(65535)))
            }
            _ => (format!("mul24.lo.u32 %r{d}, %r{ra}, {number};"), x.filter(|x| *x < 1 << 24).map(|x| x * number)),
        };
        let max = max.filter(|m| *m < 1 << 31);
        self.define(max);
        let _ = writeln!(self.text, "{text}");
    }

    fn accesses(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            self.access();
        }
    }

    /// An access at a value, which is masked if it might lie outside of the memory.
    fn access(&mut self) {
        let index = self.value();
        let shared = self.random.below(2) == 0;
        let (kind, bytes) = *self.random.pick(&[
            ("u8", 1),
            ("u16", 2),
            ("u32", 4),
            ("u32", 4),
            ("u64", 8),
            ("v2.u32", 8),
            ("v4.u32", 16),
            ("v2.u64", 16),
        ]);
        let limit = if shared { TILE } else { BUFFER / 2 } / bytes;
        let masked = self.fresh();
        match index.max {
            Some(max) if max < limit => {
                let _ = writeln!(self.text, "mov.u32 %r{masked}, %r{};", index.register);
            }
            _ => {
                let _ = writeln!(self.text, "and.b32 %r{masked}, %r{}, {};", index.register, limit - 1);
            }
        }
        let guard = if self.random.below(5) == 0 { self.guard() } else { String::new() };
        let (a, b) = (self.fresh(), self.fresh());
        let (c, d) = (self.fresh(), self.fresh());
        let address = if shared {
            let generic = self.random.below(4) == 0;
            if generic {
                let _ = writeln!(
                    self.text,
                    "mov.u64 %rd{a}, tile; cvta.shared.u64 %rd{b}, %rd{a}; mul.wide.u32 %rd{a}, %r{masked}, {bytes}; add.s64 %rd{a}, %rd{b}, %rd{a};"
                );
                format!("[%rd{a}]")
            } else {
                let _ = writeln!(self.text, "mov.u32 %r{a}, tile; mad.lo.u32 %r{b}, %r{masked}, {bytes}, %r{a};");
                format!("[%r{b}+16]")
            }
        } else {
            let offset = self.random.below(5) * bytes;
            match self.random.below(3) {
                0 => {
                    let _ = writeln!(self.text, "mad.wide.u32 %rd{a}, %r{masked}, {bytes}, %rd1;");
                }
                1 => {
                    let _ =
                        writeln!(self.text, "mul.wide.s32 %rd{a}, %r{masked}, {bytes}; add.s64 %rd{a}, %rd1, %rd{a};");
                }
                _ => {
                    let shift = bytes.trailing_zeros();
                    let _ = writeln!(
                        self.text,
                        "cvt.s64.s32 %rd{a}, %r{masked}; shl.b64 %rd{a}, %rd{a}, {shift}; add.s64 %rd{a}, %rd{a}, %rd1;"
                    );
                }
            }
            format!("[%rd{a}+{offset}]")
        };
        let space = match (shared, address.contains("%rd")) {
            (true, true) => "",
            (true, false) => ".shared",
            (false, _) => ".global",
        };
        let registers = match kind {
            "u8" | "u16" | "u32" => format!("%r{c}"),
            "u64" => format!("%rd{c}"),
            "v2.u32" => format!("{{%r{c}, %r{d}}}"),
            "v2.u64" => format!("{{%rd{c}, %rd{d}}}"),
            _ => format!("{{%r{c}, %r{d}, %r{c}, %r{d}}}"),
        };
        let text = match self.random.below(5) {
            0 if kind == "u32" => format!("{guard}red{space}.add.u32 {address}, %r{masked};"),
            1 | 2 => {
                let four = if kind == "v4.u32" {
                    let (e, f) = (self.fresh(), self.fresh());
                    format!("{{%r{c}, %r{d}, %r{e}, %r{f}}}")
                } else {
                    registers
                };
                format!("{guard}ld{space}.{kind} {four}, {address};")
            }
            _ => {
                let zero = if kind.contains("64") {
                    format!("mov.u64 %rd{c}, 0; mov.u64 %rd{d}, 0;")
                } else {
                    format!("mov.u32 %r{c}, 0; mov.u32 %r{d}, 0;")
                };
                format!("{zero} {guard}st{space}.{kind} {address}, {registers};")
            }
        };
        let _ = writeln!(self.text, "{text}");
    }

    fn guard(&mut self) -> String {
        let p = self.fresh() % 100;
        let value = self.value().register;
        let limit = self.random.below(40);
        let _ = writeln!(self.text, "setp.lt.u32 %p{p}, %r{value}, {limit};");
        format!("@%p{p} ")
    }

    /// A loop. Its number of iterations is the same for all lanes, or differs.
    fn counted_loop(&mut self) {
        let (start, bound, counter) = (self.value(), self.fresh(), self.fresh());
        let step = *self.random.pick(&[1, 2, 4, 32, 33, 128]);
        let turns = if self.random.below(2) == 0 {
            let _ = writeln!(self.text, "mov.u32 %r{bound}, 3;");
            3
        } else {
            let value = self.value().register;
            let _ = writeln!(self.text, "and.b32 %r{bound}, %r{value}, 3; add.u32 %r{bound}, %r{bound}, 1;");
            4
        };
        let (turn, p, label) = (self.fresh(), self.fresh() % 100, self.fresh());
        let _ = writeln!(self.text, "mov.u32 %r{counter}, %r{}; mov.u32 %r{turn}, 0;\nL{label}:", start.register);
        let outer = self.values.len();
        self.values.push(Value { register: counter, max: start.max.map(|m| m + turns * step) });
        self.values.push(Value { register: turn, max: Some(turns) });
        self.steps(3);
        self.accesses();
        if self.random.below(3) == 0 {
            self.branch();
        }
        let _ = writeln!(
            self.text,
            "add.u32 %r{counter}, %r{counter}, {step}; add.u32 %r{turn}, %r{turn}, 1; setp.lt.u32 %p{p}, %r{turn}, %r{bound}; @%p{p} bra L{label};"
        );
        // Some values of the loop are used after it.
        let kept = outer + self.random.below(3) as usize;
        self.values.truncate(kept.min(self.values.len()));
    }

    /// A branch on a value, with other values behind it.
    fn branch(&mut self) {
        let guard = self.guard();
        let (label, end, joined) = (self.fresh(), self.fresh(), self.fresh());
        let (a, b) = (self.value(), self.value());
        let _ = writeln!(self.text, "{guard}bra L{label};\nmov.u32 %r{joined}, %r{};", a.register);
        self.access();
        let _ = writeln!(self.text, "bra L{end};\nL{label}:\nadd.u32 %r{joined}, %r{}, 1;", b.register);
        self.access();
        let _ = writeln!(self.text, "L{end}:");
        self.values.push(Value { register: joined, max: a.max.zip(b.max).map(|(a, b)| a.max(b + 1)) });
    }
}

//! `mma` and `wmma`.

use super::{MatrixSamples, any, decode, encode, product, width};
use crate::testing::{TestKernel, words};

/// Loads words of each lane into registers, executes an instruction, and returns words of each lane's registers. A letter names each
/// group of registers.
fn run(
    version: &str,
    target: &str,
    inputs: &[(char, Vec<u64>, usize)],
    outputs: (char, usize),
    instruction: &str,
) -> Vec<u64> {
    // Each input: the letter of its registers, the values by register and lane, and the size of each value in bytes.
    let mut text = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.entry k(.param .u64 out, .param .u64 p) {{\n\
         .reg .b64 %rd<4>; .reg .b32 %l; ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [p]; mov.u32 %l, %laneid;\n"
    );
    let (mut bytes, mut offset) = (Vec::new(), 0);
    for (letter, values, size) in inputs {
        let count = values.len() / 32;
        let kind = 8 * size;
        text += &format!(".reg .b{kind} %{letter}<{}>; mad.wide.u32 %rd2, %l, {size}, %rd1;\n", count.max(1));
        for register in 0..count {
            text += &format!("ld.global.b{kind} %{letter}{register}, [%rd2+{}];\n", offset + register * 32 * size);
        }
        offset += count * 32 * size;
        values.iter().for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()[..*size]));
    }
    let (letter, count) = outputs;
    let wide = if letter == 'w' { 8 } else { 4 };
    text += &format!(".reg .b{} %{letter}<{count}>; mad.wide.u32 %rd2, %l, {wide}, %rd0;\n{instruction}\n", 8 * wide);
    for register in 0..count {
        text += &format!("st.global.b{} [%rd2+{}], %{letter}{register};\n", 8 * wide, register * 32 * wide);
    }
    let out = TestKernel::new(&(text + "ret; }")).buffer(&vec![0; count * 32 * wide]).buffer(&bytes).fine();
    if wide == 8 { out.u64s(0) } else { out.u32s(0).into_iter().map(u64::from).collect() }
}

/// The text of a list of registers: `{%a0, %a1 …}`.
fn list(letter: char, count: usize) -> String {
    let all: Vec<String> = (0..count).map(|i| format!("%{letter}{i}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// The bits that contain an element, and the lowest bit of the element among them. Elements of six and four bits have a byte of their own
/// if the kind says so.
fn container(ty: &str, kind: &str) -> (u32, u32) {
    match width(ty) {
        6 => (8, 0),
        4 if ty == "e2m1" && (kind.contains("f8f6f4")) => (8, 2),
        w => (w, 0),
    }
}

/// The registers of A by the formulas of the manual: rows `g` and `g + 8`, columns along the registers.
fn a_registers(m: usize, k: usize, a: &[i64], ty: &str, kind: &str) -> Vec<u64> {
    let (bits, low) = container(ty, kind);
    let register = bits.max(32) as usize;
    let e = register / bits as usize;
    let count = m * k / e / 32;
    let mut out = vec![0; count * 32];
    let halves = m / 8;
    for r in 0..count {
        for lane in 0..32 {
            for j in 0..e {
                let row = lane / 4 + 8 * (r % halves);
                let column = lane % 4 * e + j + 4 * e * (r / halves);
                out[r * 32 + lane] |= encode(ty, a[row * k + column]) << (j as u32 * bits + low);
            }
        }
    }
    out
}

fn b_registers(n: usize, k: usize, b: &[i64], ty: &str, kind: &str) -> Vec<u64> {
    let (bits, low) = container(ty, kind);
    let e = bits.max(32) as usize / bits as usize;
    let count = n * k / e / 32;
    let mut out = vec![0; count * 32];
    for r in 0..count {
        for lane in 0..32 {
            for j in 0..e {
                let row = lane % 4 * e + j + 4 * e * r;
                out[r * 32 + lane] |= encode(ty, b[row * n + lane / 4]) << (j as u32 * bits + low);
            }
        }
    }
    out
}

/// The place of each element of C and D: register, lane, lowest bit.
fn c_places(m: usize, n: usize, ty: &str) -> Vec<(usize, usize, u32)> {
    let mut out = vec![(0, 0, 0); m * n];
    let e = if ty == "f16" { 2 } else { 1 };
    for lane in 0..32 {
        for i in 0..m * n / 32 {
            let (row, column) = (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2);
            out[row * n + column] = (i / e, lane, 16 * (i % e) as u32);
        }
    }
    out
}

fn c_registers(m: usize, n: usize, c: &[i64], ty: &str) -> Vec<u64> {
    let places = c_places(m, n, ty);
    let mut out = vec![0; places.iter().map(|p| p.0).max().unwrap() * 32 + 32];
    for (value, (register, lane, low)) in c.iter().zip(places) {
        out[register * 32 + lane] |= encode(ty, *value) << low;
    }
    out
}

fn d_values(m: usize, n: usize, registers: &[u64], ty: &str) -> Vec<i64> {
    let bits = u64::MAX >> (64 - width(ty));
    let value =
        |(register, lane, low): (usize, usize, u32)| decode(ty, (registers[register * 32 + lane] >> low) & bits);
    c_places(m, n, ty).into_iter().map(|p| value(p) as i64).collect()
}

/// Checks a dense multiplication. `before`: modifiers between `.col` and the types; `types`: those of D, A, B, C; `behind`: modifiers
/// after them.
fn dense(target: &str, (m, n, k): (usize, usize, usize), before: &str, types: [&str; 4], behind: &str) {
    let mut random = MatrixSamples(0x1234_5678 + (m * n * k) as u64);
    let [d, a, b, c] = types;
    let values =
        |random: &mut MatrixSamples, ty: &str, count: usize| (0..count).map(|_| any(random, ty)).collect::<Vec<_>>();
    let (va, vb) = (values(&mut random, a, m * k), values(&mut random, b, k * n));
    let vc: Vec<i64> = (0..m * n).map(|_| random.range(-2, 2)).collect();
    let size = if a == "f64" { 8 } else { 4 };
    let inputs = [
        ('a', a_registers(m, k, &va, a, before), size),
        ('b', b_registers(n, k, &vb, b, before), size),
        ('c', c_registers(m, n, &vc, c), size),
    ];
    let outputs = if d == "f16" { m * n / 64 } else { m * n / 32 };
    let letter = if size == 8 { 'w' } else { 'd' };
    let count = |i: usize| inputs[i].1.len() / 32;
    let text = format!(
        "mma.sync.aligned.m{m}n{n}k{k}.row.col{before}.{d}.{a}.{b}.{c}{behind} {}, {}, {}, {};",
        list(letter, outputs),
        list('a', count(0)),
        list('b', count(1)),
        list('c', count(2))
    );
    let got = d_values(m, n, &run("9.0", target, &inputs, (letter, outputs), &text), d);
    let must = if a == "b1" {
        let one = |x: i64, y: i64| if behind.contains("xor") { x ^ y } else { x & y };
        let at = |i: usize| vc[i] + (0..k).map(|x| one(va[i / n * k + x], vb[x * n + i % n])).sum::<i64>();
        (0..m * n).map(at).collect()
    } else {
        product(m, n, k, &va, &vb, &vc)
    };
    assert_eq!(got, must, "{text}");
}

#[test]
fn dense_products_of_all_types() {
    for (shape, target) in [((16, 8, 8), "sm_80"), ((16, 8, 16), "sm_90")] {
        dense(target, shape, "", ["f16", "f16", "f16", "f16"], "");
        dense(target, shape, "", ["f32", "f16", "f16", "f32"], "");
        dense(target, shape, "", ["f32", "bf16", "bf16", "f32"], "");
    }
    dense("sm_80", (16, 8, 4), "", ["f32", "tf32", "tf32", "f32"], "");
    dense("sm_90", (16, 8, 8), "", ["f32", "tf32", "tf32", "f32"], "");
    for shape in [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)] {
        dense("sm_90", shape, "", ["f64", "f64", "f64", "f64"], "");
    }
    for (shape, a, b) in [((8, 8, 16), "s8", "u8"), ((16, 8, 16), "u8", "s8"), ((16, 8, 32), "s8", "s8")] {
        dense("sm_80", shape, "", ["s32", a, b, "s32"], "");
        dense("sm_80", shape, ".satfinite", ["s32", a, b, "s32"], "");
    }
    for (shape, a, b) in [((8, 8, 32), "s4", "s4"), ((16, 8, 32), "u4", "s4"), ((16, 8, 64), "s4", "u4")] {
        dense("sm_80", shape, "", ["s32", a, b, "s32"], "");
    }
    for (shape, operation) in [((8, 8, 128), ".xor.popc"), ((16, 8, 128), ".and.popc"), ((16, 8, 256), ".xor.popc")] {
        dense("sm_80", shape, "", ["s32", "b1", "b1", "s32"], operation);
    }
    dense("sm_89", (16, 8, 32), "", ["f32", "e4m3", "e5m2", "f32"], "");
    dense("sm_100a", (16, 8, 16), "", ["f16", "e5m2", "e5m2", "f16"], "");
    for (a, b) in [("e3m2", "e2m1"), ("e2m1", "e2m3"), ("e4m3", "e3m2")] {
        dense("sm_120a", (16, 8, 32), ".kind::f8f6f4", ["f32", a, b, "f32"], "");
    }
}

/// Checks a sparse product. The places of the metadata are those that the text of the manual's tables gives.
fn sparse(target: &str, (m, n, k): (usize, usize, usize), name: &str, types: [&str; 4], kind: &str, selector: usize) {
    let mut random = MatrixSamples(0x77 + k as u64 + selector as u64);
    let [d, a, b, c] = types;
    let packed = matches!(a, "s4" | "u4") || kind.contains("mxf4");
    // Elements of a chunk, and elements that are kept or left out together.
    let (chunk, step) = if a == "tf32" {
        (2, 1)
    } else if packed {
        (8, 2)
    } else {
        (4, 1)
    };
    let chunks = k / chunk;
    let mut full = vec![0; m * k];
    let (mut kept, mut metadata) = (Vec::new(), vec![0u64; m * chunks]);
    for row in 0..m {
        for at in 0..chunks {
            let places: Vec<usize> = if a == "tf32" {
                let which = random.range(0, 1) as usize;
                metadata[row * chunks + at] = if which == 0 { 0b0100 } else { 0b1110 };
                vec![which]
            } else {
                let (low, high) = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][random.range(0, 5) as usize];
                metadata[row * chunks + at] = low | high << 2;
                let part = |place: u64| (0..step).map(move |i| place as usize * step + i);
                part(low).chain(part(high)).collect()
            };
            for place in places {
                let value = any(&mut random, a);
                full[row * k + at * chunk + place] = value;
                kept.push(value);
            }
        }
    }
    let vb: Vec<i64> = (0..k * n).map(|_| any(&mut random, b)).collect();
    let vc: Vec<i64> = (0..m * n).map(|_| random.range(-2, 2)).collect();
    let mut e = vec![0u64; 32];
    for (lane, register) in e.iter_mut().enumerate() {
        let (g, t) = (lane / 4, lane % 4);
        for i in 0..8 {
            // Row and chunk of the four bits with index `i`.
            let place = match chunks {
                4 if t == selector => Some((g + 8 * (i / 4), i % 4)),
                8 if a != "s8" && a != "u8" && !packed && t / 2 == selector => {
                    Some((g + 8 * (i / 4), 4 * (t % 2) + i % 4))
                }
                8 if (a == "s8" || a == "u8" || packed) && t / 2 == selector => Some((g + 8 * (t % 2), i)),
                16 => Some((g + 8 * (t % 2), 8 * (t / 2) + i)),
                _ => None,
            };
            if let Some((row, at)) = place {
                *register |= metadata[row * chunks + at] << (4 * i);
            }
        }
    }
    let inputs = [
        ('a', a_registers(m, k / 2, &kept, a, kind), 4),
        ('b', b_registers(n, k, &vb, b, kind), 4),
        ('c', c_registers(m, n, &vc, c), 4),
        ('e', e, 4),
    ];
    let outputs = if d == "f16" { m * n / 64 } else { m * n / 32 };
    let count = |i: usize| inputs[i].1.len() / 32;
    let text = format!(
        "{name}.sync.aligned.m{m}n{n}k{k}.row.col{kind}.{d}.{a}.{b}.{c} {}, {}, {}, {}, %e0, {selector};",
        list('d', outputs),
        list('a', count(0)),
        list('b', count(1)),
        list('c', count(2))
    );
    let got = d_values(m, n, &run("9.0", target, &inputs, ('d', outputs), &text), d);
    assert_eq!(got, product(m, n, k, &full, &vb, &vc), "{text}");
}

#[test]
fn sparse_products() {
    for name in ["mma.sp", "mma.sp::ordered_metadata"] {
        sparse("sm_80", (16, 8, 16), name, ["f32", "f16", "f16", "f32"], "", 3);
        sparse("sm_90", (16, 8, 32), name, ["f16", "f16", "f16", "f16"], "", 1);
        sparse("sm_90", (16, 8, 32), name, ["f32", "bf16", "bf16", "f32"], "", 0);
        sparse("sm_80", (16, 8, 8), name, ["f32", "tf32", "tf32", "f32"], "", 2);
        sparse("sm_80", (16, 8, 16), name, ["f32", "tf32", "tf32", "f32"], "", 1);
        sparse("sm_80", (16, 8, 32), name, ["s32", "s8", "u8", "s32"], "", 1);
        sparse("sm_80", (16, 8, 64), name, ["s32", "u8", "s8", "s32"], "", 0);
        sparse("sm_80", (16, 8, 64), name, ["s32", "s4", "s4", "s32"], "", 0);
        sparse("sm_80", (16, 8, 128), name, ["s32", "s4", "u4", "s32"], "", 0);
        sparse("sm_89", (16, 8, 64), name, ["f32", "e4m3", "e5m2", "f32"], "", 0);
    }
}

#[test]
fn block_scales_multiply_their_blocks() {
    // Kind, modifier, types of A and B, type of the scales, K, number of blocks.
    for (kind, vector, a, b, scale, k, blocks) in [
        (".kind::mxf8f6f4", "", "e4m3", "e2m1", "ue8m0", 32, 1),
        (".kind::mxf4", "", "e2m1", "e2m1", "ue8m0", 64, 2),
        (".kind::mxf4nvf4", ".scale_vec::4X", "e2m1", "e2m1", "ue4m3", 64, 4),
    ] {
        for registers in [false, true] {
            let mut random = MatrixSamples(0xb10c + k as u64);
            let (m, n) = (16, 8);
            let values =
                |random: &mut MatrixSamples, count: usize| (0..count).map(|_| random.range(-2, 2)).collect::<Vec<_>>();
            let (va, vb, vc) = (values(&mut random, m * k), values(&mut random, k * n), values(&mut random, m * n));
            // Scales of 1, 2 and 4, given as exponents.
            let exponents =
                |random: &mut MatrixSamples, count: usize| (0..count).map(|_| random.range(0, 2)).collect::<Vec<_>>();
            let (sa, sb) = (exponents(&mut random, m * blocks), exponents(&mut random, n * blocks));
            let bits = |e: i64| if scale == "ue8m0" { 127 + e as u64 } else { (7 + e as u64) << 3 };
            let byte = match blocks {
                1 => 3,
                2 => 2,
                _ => 0,
            };
            let (thread_a, thread_b) = (1, 2);
            let (mut fa, mut fb) = (vec![0xffff_ffffu64; 32], vec![0xffff_ffffu64; 32]);
            for g in 0..8 {
                for block in 0..blocks {
                    let put = |register: &mut u64, e: i64| {
                        let low = 8 * (byte + block);
                        *register = *register & !(0xff << low) | bits(e) << low;
                    };
                    put(&mut fa[4 * g + 2 * thread_a], sa[g * blocks + block]);
                    put(&mut fa[4 * g + 2 * thread_a + 1], sa[(g + 8) * blocks + block]);
                    put(&mut fb[4 * g + thread_b], sb[g * blocks + block]);
                }
            }
            let inputs = [
                ('a', a_registers(m, k, &va, a, kind), 4),
                ('b', b_registers(n, k, &vb, b, kind), 4),
                ('c', c_registers(m, n, &vc, "f32"), 4),
                ('e', fa, 4),
                ('f', fb, 4),
            ];
            let selectors = if registers { "{%s0, %s1}, %f0, {%s2, %s3}" } else { "SELECT" };
            let selectors =
                selectors.replace("SELECT", &format!("{{{byte}, {thread_a}}}, %f0, {{{byte}, {thread_b}}}"));
            let setup = format!(
                ".reg .b16 %s<4>; mov.b16 %s0, {byte}; mov.b16 %s1, {thread_a}; mov.b16 %s2, {byte}; mov.b16 %s3, {thread_b};"
            );
            let text = format!(
                "{setup} mma.sync.aligned.m{m}n{n}k{k}.row.col{kind}.block_scale{vector}.f32.{a}.{b}.f32.{scale} {}, {}, {}, {}, %e0, {selectors};",
                list('d', 4),
                list('a', 4),
                list('b', 2),
                list('c', 4)
            );
            let got = d_values(m, n, &run("9.0", "sm_120a", &inputs, ('d', 4), &text), "f32");
            let term = |i: usize, x: usize| {
                let block = x * blocks / k;
                let scale = 1i64 << (sa[i / n * blocks + block] + sb[i % n * blocks + block]);
                va[i / n * k + x] * vb[x * n + i % n] * scale
            };
            let must: Vec<i64> = (0..m * n).map(|i| vc[i] + (0..k).map(|x| term(i, x)).sum::<i64>()).collect();
            assert_eq!(got, must, "{text}");
        }
    }
}

/// `mma.m8n8k4` computes four products at once, in all layouts.
#[test]
fn m8n8k4_multiplies_in_four_groups() {
    let mut random = MatrixSamples(0x884);
    for (layout_a, layout_b, d, c) in
        [("row", "col", "f32", "f32"), ("col", "row", "f32", "f16"), ("row", "row", "f16", "f16")]
    {
        let values =
            |random: &mut MatrixSamples, count: usize| (0..count).map(|_| random.range(-2, 2)).collect::<Vec<_>>();
        let (va, vb, vc) = (values(&mut random, 4 * 32), values(&mut random, 4 * 32), values(&mut random, 4 * 64));
        let (mut ra, mut rb, mut rc) =
            (vec![0u64; 64], vec![0u64; 64], vec![0u64; 32 * if c == "f32" { 8 } else { 4 }]);
        let accumulator = |ty: &str, lane: usize, i: usize| {
            let (l, h) = (lane % 4, 4 * (lane / 16));
            match ty {
                "f32" => ((lane & 1) + (i & 2) + h, (i & 4) + (lane & 2) + (i & 1)),
                _ => (l + h, i),
            }
        };
        for lane in 0..32 {
            let (q, l, h) = (lane / 4 % 4, lane % 4, 4 * (lane / 16));
            for i in 0..4 {
                let (row, column) = if layout_a == "row" { (l + h, i) } else { (i + h, l) };
                ra[i / 2 * 32 + lane] |= encode("f16", va[q * 32 + row * 4 + column]) << (16 * (i % 2));
                let (row, column) = if layout_b == "row" { (l, i + h) } else { (i, l + h) };
                rb[i / 2 * 32 + lane] |= encode("f16", vb[q * 32 + row * 8 + column]) << (16 * (i % 2));
            }
            for i in 0..8 {
                let (row, column) = accumulator(c, lane, i);
                let bits = encode(c, vc[q * 64 + row * 8 + column]);
                if c == "f32" {
                    rc[i * 32 + lane] = bits;
                } else {
                    rc[i / 2 * 32 + lane] |= bits << (16 * (i % 2));
                }
            }
        }
        let (count_c, count_d) = (rc.len() / 32, if d == "f32" { 8 } else { 4 });
        let text = format!(
            "mma.sync.aligned.m8n8k4.{layout_a}.{layout_b}.{d}.f16.f16.{c} {}, {}, {}, {};",
            list('d', count_d),
            list('a', 2),
            list('b', 2),
            list('c', count_c)
        );
        let got = run("9.0", "sm_70", &[('a', ra, 4), ('b', rb, 4), ('c', rc, 4)], ('d', count_d), &text);
        for q in 0..4 {
            let must = product(8, 8, 4, &va[q * 32..][..32], &vb[q * 32..][..32], &vc[q * 64..][..64]);
            for lane in (0..32).filter(|l| l / 4 % 4 == q) {
                for i in 0..8 {
                    let (row, column) = accumulator(d, lane, i);
                    let bits =
                        if d == "f32" { got[i * 32 + lane] } else { got[i / 2 * 32 + lane] >> (16 * (i % 2)) & 0xffff };
                    assert_eq!(decode(d, bits) as i64, must[row * 8 + column], "{text}");
                }
            }
        }
    }
}

/// Rounding depends on the target: 2^24 + 1 - 2^24 with sums of four on sm_70, of eight on sm_80, of sixteen on sm_90.
#[test]
fn sums_depend_on_the_target() {
    for (target, must) in [("sm_80", 0.0f32), ("sm_90", 0.5)] {
        // A row of 2^12, 1, -2^12 times a column of 2^12, 0.5, 2^12. The exact sum is 0.5: sm_80 loses it beside 2^24, and sm_90 keeps it.
        let (mut a, mut b) = (vec![0u64; 64], vec![0u64; 32]);
        let (big, one, half) = (0x6c00u64, 0x3c00u64, 0x3800u64);
        a[0] = big | (big | 0x8000) << 16;
        b[0] = big | big << 16;
        a[1] = one;
        b[1] = half;
        let text = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1}, {%b0}, {0f00000000, 0f00000000, 0f00000000, 0f00000000};";
        let got = run("9.0", target, &[('a', a, 4), ('b', b, 4)], ('d', 4), text);
        assert_eq!(f32::from_bits(got[0] as u32), must, "{target}");
    }
}

/// `wmma` loads matrices from memory, multiplies and stores them, in all layouts.
#[test]
fn wmma_multiplies_what_it_loads() {
    for (target, (m, n, k), types, tail) in [
        ("sm_70", (16, 16, 16), ["f32", "f16", "f16", "f32"], ""),
        ("sm_70", (8, 32, 16), ["f16", "f16", "f16", "f16"], ""),
        ("sm_75", (32, 8, 16), ["f32", "f16", "f16", "f16"], ""),
        ("sm_75", (16, 16, 16), ["f16", "f16", "f16", "f32"], ""),
        ("sm_80", (32, 8, 16), ["f32", "bf16", "bf16", "f32"], ""),
        ("sm_80", (16, 16, 8), ["f32", "tf32", "tf32", "f32"], ""),
        ("sm_80", (8, 8, 4), ["f64", "f64", "f64", "f64"], ""),
        ("sm_75", (8, 32, 16), ["s32", "s8", "s8", "s32"], ".satfinite"),
        ("sm_75", (16, 16, 16), ["s32", "u8", "u8", "s32"], ""),
        ("sm_75", (8, 8, 32), ["s32", "s4", "s4", "s32"], ""),
        ("sm_80", (8, 8, 128), ["s32", "b1", "b1", "s32"], ""),
    ] {
        let small = width(types[1]) < 8;
        for layouts in [["row", "col", "row"], ["col", "row", "col"]] {
            if small && layouts[0] == "col" {
                continue;
            }
            wmma(target, (m, n, k), types, tail, layouts);
        }
    }
}

/// The bytes of a matrix whose lines are `extra` elements longer than necessary, and the stride.
fn in_memory(rows: usize, columns: usize, values: &[i64], ty: &str, layout: &str, extra: usize) -> (Vec<u8>, usize) {
    let (lines, length) = if layout == "row" { (rows, columns) } else { (columns, rows) };
    let stride = length + extra;
    let bits = width(ty) as usize;
    let mut out = vec![0u8; (lines * stride * bits).div_ceil(8)];
    for line in 0..lines {
        for at in 0..length {
            let value = if layout == "row" { values[line * columns + at] } else { values[at * columns + line] };
            let position = (line * stride + at) * bits;
            for bit in 0..bits {
                let one = (encode(ty, value) >> bit & 1) as u8;
                out[(position + bit) / 8] |= one << ((position + bit) % 8);
            }
        }
    }
    (out, stride)
}

fn wmma(target: &str, (m, n, k): (usize, usize, usize), types: [&str; 4], tail: &str, [la, lb, lc]: [&str; 3]) {
    let mut random = MatrixSamples(0x3333 + (m * 7 + k) as u64);
    let [d, a, b, c] = types;
    let values =
        |random: &mut MatrixSamples, ty: &str, count: usize| (0..count).map(|_| any(random, ty)).collect::<Vec<_>>();
    let (va, vb) = (values(&mut random, a, m * k), values(&mut random, b, k * n));
    let vc: Vec<i64> = (0..m * n).map(|_| random.range(-2, 2)).collect();
    let extra = |ty: &str| 32 * 8 / width(ty) as usize;
    let (ba, sa) = in_memory(m, k, &va, a, la, extra(a));
    let (bb, sb) = in_memory(k, n, &vb, b, lb, extra(b));
    let (bc, sc) = in_memory(m, n, &vc, c, lc, extra(c));
    let shape = format!("m{m}n{n}k{k}");
    // Number of registers of a fragment. It is doubled for f16, whose elements are stored twice.
    let count = |ty: &str, size: usize| match ty {
        "f16" => 8,
        _ => size * width(ty) as usize / 32 / if ty == "f64" { 64 } else { 32 },
    };
    let of_sum = |ty: &str| match ty {
        "f16" => 4,
        "f64" => 2,
        _ => m * n / 32,
    };
    let (na, nb) = (count(a, m * k), count(b, k * n));
    let kind = if a == "f64" { "b64" } else { "b32" };
    let written = if a == "f16" { format!("{d}.{c}") } else { format!("{d}.{a}.{b}.{c}") };
    let (operation, rnd) = if a == "b1" { (".and.popc", "") } else { ("", tail) };
    let text = format!(
        ".version 7.1\n.target {target}\n.address_size 64\n.entry k(.param .u64 out, .param .u64 pa, .param .u64 pb, .param .u64 pc) {{\n\
         .reg .b64 %rd<4>; .reg .{kind} %a<8>; .reg .{kind} %b<8>; .reg .{kind} %c<8>; .reg .{kind} %d<8>; .reg .b32 %s;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc]; mov.b32 %s, {sa};\n\
         wmma.load.a.sync.aligned.{la}.{shape}.global.{a} {}, [%rd1], %s;\n\
         wmma.load.b.sync.aligned.{lb}.{shape}.{b} {}, [%rd2], {sb};\n\
         wmma.load.c.sync.aligned.{lc}.{shape}.global.{c} {}, [%rd3], {sc};\n\
         wmma.mma{operation}.sync.aligned.{la}.{lb}.{shape}.{written}{rnd} {}, {}, {}, {};\n\
         wmma.store.d.sync.aligned.row.{shape}.global.{d} [%rd0], {};\nret; }}",
        list('a', na),
        list('b', nb),
        list('c', of_sum(c)),
        list('d', of_sum(d)),
        list('a', na),
        list('b', nb),
        list('c', of_sum(c)),
        list('d', of_sum(d)),
    );
    let bytes = m * n * width(d) as usize / 8;
    let out = TestKernel::new(&text).buffer(&vec![0; bytes]).buffer(&ba).buffer(&bb).buffer(&bc).fine();
    let got: Vec<i64> = out
        .bytes(0)
        .chunks_exact(width(d) as usize / 8)
        .map(|e| decode(d, e.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b))) as i64)
        .collect();
    assert_eq!(got, product(m, n, k, &va, &vb, &vc), "{text}");
}

/// If the guard leaves out lanes, there is a finding.
#[test]
fn all_lanes_must_take_part() {
    let out = TestKernel::body(
        "",
        "mov.u32 %r0, %laneid; setp.ne.u32 %p1, %r0, 5; mov.b32 %r1, 0;\n\
         @%p1 mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r1}, {%r1}, {%r1, %r1};",
    )
    .buffer(&words([0]))
    .run();
    assert_eq!(out.kinds(), [crate::findings::FaultKind::Undefined]);
}

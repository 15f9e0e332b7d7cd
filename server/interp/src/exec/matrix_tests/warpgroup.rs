//! `wgmma`: products of a warpgroup, with operands in shared memory.

use super::{MatrixSamples, any, decode, encode, product, width};
use crate::findings::FaultKind;
use crate::testing::TestKernel;

/// The layout of a matrix in shared memory. `span`: bytes of a swizzled line (16: not swizzled); `mn`: lines run along M or N.
#[derive(Clone, Copy)]
pub(super) struct SwizzledLayout {
    pub span: usize,
    pub mn: bool,
}

impl SwizzledLayout {
    /// The byte offset of an element, by the manual's picture. A unit has 8 lines of `span` bytes. Units are `leading` bytes apart along
    /// the line, and `stride` bytes apart across it. Within a unit, the number of the line determines how groups of 16 bytes are
    /// exchanged.
    fn byte(self, size: usize, (lines, along): (usize, usize), line: usize, at: usize) -> usize {
        // `line` counts across the lines, `at` along a line, the direction in which neighbours are adjacent in memory.
        let _ = lines;
        let position = at * size;
        let (unit, within) = (position / self.span, position % self.span);
        let units = (along * size).div_ceil(self.span);
        let exchanged = match self.span {
            128 => within ^ (line % 8) << 4,
            64 => within ^ (line / 2 % 4) << 4,
            32 => within ^ (line / 4 % 2) << 4,
            _ => within,
        };
        (line / 8 * units + unit) * 8 * self.span + line % 8 * self.span + exchanged
    }

    /// The bytes of a matrix of `lines` rows of A (or columns of B) with K elements each, and its descriptor for an address. Elements
    /// have whole bytes.
    pub fn place(
        self,
        ty: &str,
        lines: usize,
        k: usize,
        values: impl Fn(usize, usize) -> i64,
        five: bool,
        address: u64,
    ) -> (Vec<u8>, u64) {
        let size = width(ty) as usize / 8;
        let (across, along) = if self.mn { (k, lines) } else { (lines, k) };
        let units = (along * size).div_ceil(self.span);
        let mut out = vec![0; across.div_ceil(8) * 8 * units * self.span];
        for line in 0..across {
            for at in 0..along {
                let value = if self.mn { values(at, line) } else { values(line, at) };
                let byte = self.byte(size, (across, along), line, at);
                out[byte..byte + size].copy_from_slice(&encode(ty, value).to_le_bytes()[..size]);
            }
        }
        // The distance from one unit to the next along the line, and from eight lines to the next eight.
        let (next_unit, next_lines) = (8 * self.span, units * 8 * self.span);
        let (leading, stride) = match (self.mn, self.span) {
            (false, _) => (next_unit, next_lines),
            (true, 16) => (next_lines, next_unit),
            (true, _) => (next_unit, next_lines),
        };
        let mode = match (five, self.span) {
            (_, 16) => 0,
            (false, span) => [1, 2, 3][[128, 64, 32].iter().position(|s| *s == span).unwrap()] << 62,
            (true, span) => [2, 4, 6][[128, 64, 32].iter().position(|s| *s == span).unwrap()] << 61,
        };
        let constant = if five { 1 << 46 } else { 0 };
        (out, mode | constant | address >> 4 | (leading as u64 >> 4) << 16 | (stride as u64 >> 4) << 32)
    }
}

const A: u64 = 4096;
const B: u64 = 32768;

/// One product. `a` is the layout of A in shared memory; `None`: A comes from registers.
struct WgmmaCase<'a> {
    n: usize,
    k: usize,
    types: [&'a str; 3],
    tail: &'a str,
    a: Option<SwizzledLayout>,
    b: SwizzledLayout,
    sparse: bool,
    add: bool,
    negate: bool,
}

/// Runs one product of a warpgroup, and compares all of D.
fn check(case: &WgmmaCase<'_>) {
    let WgmmaCase { n, k, types: [d, a, b], .. } = *case;
    let m = 64;
    let mut random = MatrixSamples(0x9999 + (n * k) as u64);
    // Sparse: the two columns of four (one of two for tf32) that are kept are the same in all rows of a warp's lane.
    let (chunk, kept_of) = if a == "tf32" { (2, 1) } else { (4, 2) };
    let kept = if case.sparse { k / 2 } else { k };
    let mut metadata = vec![0u64; m * k / chunk];
    let values: Vec<i64> = (0..m * kept).map(|_| any(&mut random, a)).collect();
    let mut full = vec![0; m * k];
    for row in 0..m {
        for at in 0..k / chunk {
            let (bits, places): (u64, Vec<usize>) = match (case.sparse, a) {
                (false, _) => (0, (0..chunk).collect()),
                (true, "tf32") => [(0b0100, vec![0]), (0b1110, vec![1])][random.range(0, 1) as usize].clone(),
                _ => [(0b0100, vec![0, 1]), (0b1101, vec![1, 3]), (0b1110, vec![2, 3])][random.range(0, 2) as usize]
                    .clone(),
            };
            metadata[row * (k / chunk) + at] = bits;
            let each = if case.sparse { kept_of } else { chunk };
            for (i, place) in places.into_iter().enumerate() {
                full[row * k + at * chunk + place] = values[row * kept + at * each + i];
            }
        }
    }
    let vb: Vec<i64> = (0..k * n).map(|_| any(&mut random, b)).collect();
    let vc: Vec<i64> = (0..m * n).map(|_| random.range(-2, 2)).collect();
    // The values of the registers.
    let e = 32 / width(a) as usize;
    let count_d = if d == "f16" { n / 4 } else { n / 2 };
    let place = |thread: usize, i: usize| {
        let (warp, g, t) = (thread / 32, thread % 32 / 4, thread % 4);
        (16 * warp + g + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * t + i % 2)
    };
    let (mut words_c, mut words_a, mut words_e) = (vec![0u32; 128 * count_d], vec![0u32; 128 * 4], vec![0u32; 128]);
    for thread in 0..128 {
        let (warp, g, t) = (thread / 32, thread % 32 / 4, thread % 4);
        for i in 0..n / 2 {
            let (row, column) = place(thread, i);
            let bits = encode(d, vc[row * n + column]) as u32;
            if d == "f16" {
                words_c[i / 2 * 128 + thread] |= bits << (16 * (i % 2));
            } else {
                words_c[i * 128 + thread] = bits;
            }
        }
        for r in 0..4 {
            for j in 0..e {
                let (row, column) = (16 * warp + g + 8 * (r % 2), t * e + j + 4 * e * (r / 2));
                words_a[r * 128 + thread] |= (encode(a, values[row * kept + column]) as u32) << (width(a) as usize * j);
            }
        }
        if case.sparse {
            for i in 0..8 {
                let (row, at) = match a {
                    "f16" | "bf16" | "tf32" if t / 2 == 0 => (g + 8 * (i / 4), 4 * (t % 2) + i % 4),
                    "f16" | "bf16" | "tf32" => continue,
                    _ => (g + 8 * (t % 2), 8 * (t / 2) + i),
                };
                words_e[thread] |= (metadata[(16 * warp + row) * (k / chunk) + at] as u32) << (4 * i);
            }
        }
    }
    // The contents of shared memory.
    let mut memory = vec![0u8; 65536];
    let mut put = |(bytes, descriptor): (Vec<u8>, u64), at: u64| {
        memory[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
        descriptor
    };
    // Variables begin at 1024 in the program's part of shared memory; the test reads the address.
    let of_a = case.a.map(|l| put(l.place(a, m, kept, |row, at| values[row * kept + at], false, 0), A));
    let of_b = put(case.b.place(b, n, k, |column, at| vb[at * n + column], false, 0), B);
    let list = |letter: char, count: usize| {
        let all: Vec<String> = (0..count).map(|i| format!("%{letter}{i}")).collect();
        format!("{{{}}}", all.join(", "))
    };
    let mut text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n\
         .entry k(.param .u64 out, .param .u64 ps, .param .u64 pr) {{\n\
         .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b32 %d<{count_d}>; .reg .b32 %a<4>; .reg .b32 %e; .reg .pred %p<2>; .reg .b64 %x<2>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [ps]; ld.param.u64 %rd2, [pr]; mov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %rd3, %r0, 4; add.u64 %rd0, %rd0, %rd3; add.u64 %rd2, %rd2, %rd3;\n\
         mul.wide.u32 %rd3, %r0, 16; add.u64 %rd1, %rd1, %rd3; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 16, %r1; mov.b32 %r7, 0;\n\
         copy: ld.global.v4.b32 {{%r3, %r4, %r5, %r6}}, [%rd1]; st.shared.v4.b32 [%r2], {{%r3, %r4, %r5, %r6}};\n\
         add.u64 %rd1, %rd1, 2048; add.u32 %r2, %r2, 2048; add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 32; @%p0 bra copy;\n\
         fence.proxy.async; bar.sync 0; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd4, %r1;\n"
    );
    let mut bytes = Vec::new();
    for (letter, words) in [("d", &words_c), ("a", &words_a), ("e", &words_e)] {
        for (register, chunk) in words.chunks(128).enumerate() {
            let name = if letter == "e" { "%e".to_owned() } else { format!("%{letter}{register}") };
            text += &format!("ld.global.b32 {name}, [%rd2+{}];\n", bytes.len());
            chunk.iter().for_each(|w| bytes.extend_from_slice(&w.to_le_bytes()));
        }
    }
    let add_address = |at: u64, descriptor: u64, x: usize| {
        format!("mov.b64 %x{x}, {}; add.u64 %x{x}, %x{x}, %rd4;\n", descriptor + (at >> 4))
    };
    text += &add_address(B, of_b, 1);
    if let Some(descriptor) = of_a {
        text += &add_address(A, descriptor, 0);
    }
    let left = if case.a.is_some() { "%x0".to_owned() } else { list('a', 4) };
    let (meta, sp) = if case.sparse { (", %e, 0".to_owned(), ".sp") } else { (String::new(), "") };
    let negate = if case.negate { -1 } else { 1 };
    let scales = if matches!(d, "s32") { String::new() } else { format!(", {negate}, 1") };
    let turned = |l: Option<SwizzledLayout>| l.map_or(String::new(), |l| format!(", {}", u8::from(l.mn)));
    let transposes = if width(a) == 16 { turned(case.a) + &turned(Some(case.b)) } else { String::new() };
    text += &format!(
        "wgmma.fence.sync.aligned; setp.eq.u32 %p1, %r0, %r0;\n\
         wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}{}.{d}.{a}.{b} {}, {left}, %x1{meta}, {}%p1{scales}{transposes};\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n",
        case.tail,
        list('d', count_d),
        if case.add { "" } else { "!" },
    );
    for register in 0..count_d {
        text += &format!("st.global.b32 [%rd0+{}], %d{register};\n", register * 512);
    }
    text += "ret; }";
    let mut kernel = TestKernel::new(&text).threads(128);
    kernel.shape.shared = 65536;
    let out = kernel.buffer(&vec![0; 512 * count_d]).buffer(&memory).buffer(&bytes).fine().u32s(0);
    let zero = vec![0; m * n];
    if case.negate {
        full.iter_mut().for_each(|v| *v = -*v);
    }
    let must = product(m, n, k, &full, &vb, if case.add { &vc } else { &zero });
    for thread in 0..128 {
        for i in 0..n / 2 {
            let (row, column) = place(thread, i);
            let bits =
                if d == "f16" { out[i / 2 * 128 + thread] >> (16 * (i % 2)) & 0xffff } else { out[i * 128 + thread] };
            let got = decode(d, bits.into()) as i64;
            assert_eq!(got, must[row * n + column], "row {row}, column {column} of {text}");
        }
    }
}

const PLAIN: SwizzledLayout = SwizzledLayout { span: 16, mn: false };

#[test]
fn products_of_a_warpgroup() {
    let base = WgmmaCase {
        n: 16,
        k: 16,
        types: ["f32", "f16", "f16"],
        tail: "",
        a: Some(PLAIN),
        b: PLAIN,
        sparse: false,
        add: true,
        negate: false,
    };
    for span in [16, 32] {
        check(&WgmmaCase {
            a: Some(SwizzledLayout { span, mn: false }),
            b: SwizzledLayout { span, mn: false },
            ..base
        });
    }
    for span in [16, 32, 64, 128] {
        // Along M and N: 64 elements for A, and 16 … 64 for B, of two bytes each.
        let n = if span == 16 { 24 } else { span / 2 };
        let mn = SwizzledLayout { span, mn: true };
        check(&WgmmaCase { n, a: Some(mn), b: mn, types: ["f32", "bf16", "bf16"], ..base });
    }
    check(&WgmmaCase { n: 24, a: None, types: ["f16", "f16", "f16"], add: false, negate: true, ..base });
    check(&WgmmaCase { n: 8, k: 8, a: None, types: ["f32", "tf32", "tf32"], ..base });
    check(&WgmmaCase { n: 8, k: 32, types: ["f32", "e4m3", "e5m2"], ..base });
    check(&WgmmaCase { n: 8, k: 32, a: None, types: ["f16", "e5m2", "e5m2"], ..base });
    check(&WgmmaCase { n: 16, k: 32, types: ["s32", "s8", "u8"], tail: ".satfinite", ..base });
    check(&WgmmaCase { n: 8, k: 32, a: None, types: ["s32", "u8", "s8"], ..base });
}

#[test]
fn sparse_products_of_a_warpgroup() {
    let base = WgmmaCase {
        n: 8,
        k: 32,
        types: ["f32", "f16", "f16"],
        tail: "",
        a: Some(PLAIN),
        b: PLAIN,
        sparse: true,
        add: true,
        negate: false,
    };
    check(&base);
    check(&WgmmaCase { a: None, b: SwizzledLayout { span: 64, mn: false }, types: ["f16", "f16", "f16"], ..base });
    check(&WgmmaCase { k: 16, types: ["f32", "tf32", "tf32"], ..base });
    check(&WgmmaCase { k: 64, a: None, types: ["s32", "s8", "s8"], ..base });
    check(&WgmmaCase { k: 64, types: ["f32", "e4m3", "e4m3"], ..base });
}

/// The findings of a kernel that executes a product of zeros between two texts.
fn around(before: &str, after: &str) -> Vec<FaultKind> {
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n\
         .entry k() {{ .shared .align 128 .b8 s[4096]; .reg .b32 %r<8>; .reg .f32 %d<4>; .reg .b64 %x<2>;\n\
         mov.u32 %r0, s; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r2, 16, %r0; mov.b32 %r4, 0;\n\
         st.shared.v4.b32 [%r1], {{%r4, %r4, %r4, %r4}}; st.shared.v4.b32 [%r1+2048], {{%r4, %r4, %r4, %r4}};\n\
         fence.proxy.async; bar.sync 0; shr.u32 %r0, %r0, 4; cvt.u64.u32 %x0, %r0; add.u64 %x0, %x0, 0x0000000800080000;\n\
         mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;\n{before}\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, %x0, %x0, 1, 1, 1, 0, 0;\n{after}\nret; }}"
    );
    TestKernel::new(&text).threads(128).run().kinds()
}

#[test]
fn registers_in_flight_are_left_alone() {
    let (fence, commit, wait) =
        ("wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;");
    let again = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %x0, %x0, 1, 1, 1, 0, 0;";
    let touch = "mov.b32 %r5, %d2;";
    let none: [FaultKind; 0] = [];
    assert_eq!(around(fence, &format!("{again} {commit} {wait} {touch}")), none);
    assert_eq!(around("", &format!("{commit} {wait}")), [FaultKind::Asynchronous], "no fence");
    assert_eq!(around(fence, touch), [FaultKind::Asynchronous], "neither committed nor waited for");
    assert_eq!(around(fence, &format!("{commit} wgmma.wait_group.sync.aligned 1; {touch}")), [FaultKind::Asynchronous]);
    assert_eq!(around(fence, &format!("{commit} {commit} wgmma.wait_group.sync.aligned 1; {touch}")), none);
    assert_eq!(around(fence, "mov.f32 %d1, 0f00000000;"), [FaultKind::Asynchronous], "written");
    assert_eq!(
        around(fence, &format!("{commit} {wait} {touch} {again} {commit} {wait}")),
        [FaultKind::Asynchronous],
        "no fence again"
    );
    assert_eq!(around(fence, &format!("{commit} {wait} {touch} {fence} {again} {commit} {wait}")), none);
}

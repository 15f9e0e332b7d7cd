//! `tcgen05`.

use super::warpgroup::SwizzledLayout;
use super::{MatrixSamples, any, decode, encode, product, width};
use crate::findings::FaultKind;
use crate::testing::{TestKernel, words};
use ptx_num::values::Marks;

/// The beginning of a kernel of 128 threads. `%t` is the address of 512 allocated columns, and `%m` that of the warp's quarter of the
/// lanes. The 64 KiB of dynamic shared memory are filled from `ps`; `%rd4` is their address in units of 16 bytes.
fn head(target: &str, group: u32) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n\
         .entry k(.param .u64 out, .param .u64 ps, .param .u64 pr) {{\n\
         .shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n\
         .reg .b64 %rd<8>; .reg .b32 %r<300>; .reg .b32 %t; .reg .b32 %u; .reg .b32 %m; .reg .pred %p<4>; .reg .b64 %x<4>; .reg .b32 %i<4>;\n\
         ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [ps]; ld.param.u64 %rd2, [pr]; mov.u32 %i0, %tid.x;\n\
         mul.wide.u32 %rd3, %i0, 16; add.u64 %rd1, %rd1, %rd3; mov.u32 %i1, s; mad.lo.u32 %i2, %i0, 16, %i1; mov.b32 %i3, 0;\n\
         mov.u32 %t, %cluster_ctarank; mul.wide.u32 %rd4, %t, 65536; add.u64 %rd1, %rd1, %rd4;\n\
         copy: ld.global.v4.b32 {{%r3, %r4, %r5, %r6}}, [%rd1]; st.shared.v4.b32 [%i2], {{%r3, %r4, %r5, %r6}};\n\
         add.u64 %rd1, %rd1, 2048; add.u32 %i2, %i2, 2048; add.u32 %i3, %i3, 1; setp.lt.u32 %p0, %i3, 32; @%p0 bra copy;\n\
         setp.lt.u32 %p1, %i0, 32; setp.eq.u32 %p2, %i0, 0; mov.u32 %r0, slot; mov.u32 %r1, bar; fence.proxy.async;\n\
         @!%p1 bra ready; tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%r0], 512;\n\
         tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;\n\
         @%p2 mbarrier.init.shared::cta.b64 [%r1], 1;\n\
         ready: bar.sync 0; tcgen05.fence::after_thread_sync; ld.shared.b32 %t, [slot];\n\
         shr.u32 %m, %i0, 5; shl.b32 %m, %m, 21; add.u32 %m, %m, %t; shr.u32 %i1, %i1, 4; cvt.u64.u32 %rd4, %i1;\n"
    )
}

/// The end of the kernel, which frees the columns.
fn tail(group: u32) -> String {
    format!("bar.sync 0; @!%p1 bra done; tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %t, 512; done: ret; }}")
}

/// The text of a list of registers: `{%r8, %r9 …}`.
fn list(count: usize) -> String {
    let all: Vec<String> = (8..8 + count).map(|i| format!("%r{i}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// Stores the first `columns` columns of all lanes to `out`, column by column in words of 128 threads.
fn dump(columns: usize) -> String {
    let mut text =
        "tcgen05.fence::after_thread_sync; mul.wide.u32 %rd5, %i0, 4; add.u64 %rd5, %rd5, %rd0; mov.b32 %u, %m;\n"
            .to_owned();
    for first in (0..columns).step_by(8) {
        text += &format!(
            "tcgen05.ld.sync.aligned.32x32b.x8.b32 {}, [%u]; add.u32 %u, %u, 8; tcgen05.wait::ld.sync.aligned;\n",
            list(8)
        );
        for i in 0..8 {
            text += &format!("st.global.b32 [%rd5+{}], %r{};\n", (first + i) * 512, 8 + i);
        }
    }
    text
}

/// Fills columns with the words of `pr`, which are ordered by column and lane.
fn fill(columns: usize) -> String {
    let mut text = "mul.wide.u32 %rd5, %i0, 4; add.u64 %rd5, %rd5, %rd2; mov.b32 %u, %m;\n".to_owned();
    for first in (0..columns).step_by(8) {
        for i in 0..8 {
            text += &format!("ld.global.b32 %r{}, [%rd5+{}];\n", 8 + i, (first + i) * 512);
        }
        text += &format!(
            "tcgen05.st.sync.aligned.32x32b.x8.b32 [%u], {}; add.u32 %u, %u, 8; tcgen05.wait::st.sync.aligned;\n",
            list(8)
        );
    }
    text + "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
}

fn kernel(text: &str, out: usize, shared: &[u8], cells: &[u32]) -> TestKernel {
    let mut kernel = TestKernel::new(text).threads(128);
    kernel.shape.shared = 65536;
    let mut memory = shared.to_vec();
    memory.resize(memory.len().max(1).next_multiple_of(65536), 0);
    kernel.buffer(&vec![0; out]).buffer(&memory).buffer(&words(cells.iter().copied()))
}

/// Compares loads of every shape with the formulas of the manual, and stores them back with the same shape.
#[test]
fn loads_and_stores_of_all_shapes() {
    // Shape, multiplier, number of registers, and the function from a thread and a register to lane and column.
    type RegisterCell = fn(usize, usize) -> (usize, usize);
    let cases: [(&str, usize, usize, RegisterCell); 5] = [
        (".32x32b", 4, 4, |t, j| (t, j)),
        (".16x64b", 4, 4, |t, j| (t / 4 + 8 * (t % 2), 2 * j + t / 2 % 2)),
        (".16x128b", 2, 4, |t, j| (t / 4 + 8 * (j % 2), 4 * (j / 2) + t % 4)),
        (".16x256b", 1, 4, |t, j| (t / 4 + 8 * (j / 2 % 2), 8 * (j / 4) + 2 * (t % 4) + j % 2)),
        (".16x32bx2", 4, 4, |t, j| (t % 16, if t < 16 { j } else { 5 + j })),
    ];
    let cells: Vec<u32> = (0..32 * 128).map(|i| (i / 128) << 16 | (i % 128)).collect();
    for (shape, number, count, place) in cases {
        let split = if shape == ".16x32bx2" { ", 5" } else { "" };
        let text = head("sm_100a", 1)
            + &fill(32)
            + &format!(
                "tcgen05.ld.sync.aligned{shape}.x{number}.b32 {}, [%m]{split}; tcgen05.wait::ld.sync.aligned;\n",
                list(count)
            )
            + "mul.wide.u32 %rd5, %i0, 4; add.u64 %rd5, %rd5, %rd0;\n"
            + &(0..count).map(|i| format!("st.global.b32 [%rd5+{}], %r{};\n", i * 512, 8 + i)).collect::<String>()
            + &(0..count).map(|i| format!("add.u32 %r{0}, %r{0}, 1000;\n", 8 + i)).collect::<String>()
            + &format!(
                "add.u32 %u, %m, 16; tcgen05.st.sync.aligned{shape}.x{number}.b32 [%u]{split}, {};\n",
                list(count)
            )
            + "tcgen05.wait::st.sync.aligned; add.u64 %rd0, %rd0, 2048;\n"
            + &dump(32)
            + &tail(1);
        let got = kernel(&text, 2048 + 32 * 512, &[], &cells).fine().u32s(0);
        for thread in 0..128 {
            for j in 0..count {
                let (lane, column) = place(thread % 32, j);
                let lane = lane + thread / 32 * 32;
                let value = (column << 16 | lane) as u32;
                assert_eq!(got[j * 128 + thread], value, "{shape} {j} of {thread}");
                assert_eq!(got[512 + (16 + column) * 128 + lane], value + 1000, "{shape}");
            }
        }
    }
}

#[test]
fn halves_are_packed_and_unpacked_and_rows_reduced() {
    let cells: Vec<u32> = (0..16 * 128).map(|i| 7 * i % 4001).collect();
    let text = head("sm_100a", 1)
        + &fill(16)
        + &format!(
            "tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 {}, [%m]; tcgen05.wait::ld.sync.aligned;\n",
            list(4)
        )
        + &format!(
            "add.u32 %u, %m, 8; tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%u], {}; tcgen05.wait::st.sync.aligned;\n",
            list(4)
        )
        + &dump(16)
        + &tail(1);
    let got = kernel(&text, 16 * 512, &[], &cells).fine().u32s(0);
    for i in 0..8 * 128 {
        assert_eq!(got[8 * 128 + i], cells[i] & 0xffff, "column {} of lane {}", i / 128, i % 128);
    }
    let floats: Vec<u32> = (0..8 * 128).map(|i| ((i * 37 % 101) as f32 - 50.0).to_bits()).collect();
    let text = head("sm_103a", 1)
        + &fill(8)
        + &format!(
            "tcgen05.ld.red.sync.aligned.32x32b.x8.min.abs.f32 {}, %u, [%m]; tcgen05.wait::ld.sync.aligned;\n",
            list(8)
        )
        + "mul.wide.u32 %rd5, %i0, 4; add.u64 %rd5, %rd5, %rd0; st.global.b32 [%rd5], %u;\n"
        + &format!(
            "tcgen05.ld.red.sync.aligned.32x32b.x8.max.s32 {}, %u, [%m]; tcgen05.wait::ld.sync.aligned;\n",
            list(8)
        )
        + "st.global.b32 [%rd5+512], %u;\n"
        + &tail(1);
    let got = kernel(&text, 1024, &[], &floats).fine().u32s(0);
    for lane in 0..128 {
        let of = || (0..8).map(|c| floats[c * 128 + lane]);
        let least = of().map(|v| f32::from_bits(v).abs()).fold(f32::MAX, f32::min);
        assert_eq!(f32::from_bits(got[lane]), least);
        assert_eq!(Some(got[128 + lane] as i32), of().map(|v| v as i32).max());
    }
}

const A: u64 = 0;
const B: u64 = 32768;

/// One product. `shape` is M, N and K; `types` are those of D, A and B as in the instruction descriptor. `from_tensor`: A comes from
/// tensor memory.
struct Tcgen05Case<'a> {
    kind: &'a str,
    shape: (usize, usize, usize),
    types: [&'a str; 3],
    descriptor: u32,
    a: SwizzledLayout,
    b: SwizzledLayout,
    group: u32,
    weights: bool,
    from_tensor: bool,
    halvings: u32,
}

/// The place of an element of D: CTA, lane, column.
fn cell(case: &Tcgen05Case<'_>, row: usize, column: usize) -> (usize, usize, usize) {
    let (m, n, _) = case.shape;
    match (m, case.group, case.weights) {
        (256, _, _) => (row / 128, row % 128, column),
        (128, 2, _) => (row / 64, row % 64 + 64 * (column / (n / 2)), column % (n / 2)),
        (128, ..) => (0, row, column),
        (64, _, false) => (0, row / 16 * 32 + row % 16, column),
        (64, _, true) => (0, row + 64 * (column / (n / 2)), column % (n / 2)),
        _ => (0, row + 32 * (column / (n / 4)), column % (n / 4)),
    }
}

/// Number of columns of D. If A comes from tensor memory, it begins after them.
const COLUMNS: usize = 32;

fn check(case: &Tcgen05Case<'_>) {
    let (m, n, k) = case.shape;
    let [d, a, b] = case.types;
    let mut random = MatrixSamples(0x5555 + (m * n * k) as u64);
    let va: Vec<i64> = (0..m * k).map(|_| any(&mut random, a)).collect();
    let vb: Vec<i64> = (0..k * n).map(|_| any(&mut random, b)).collect();
    let vc: Vec<i64> = (0..m * n).map(|_| 8 * random.range(-1, 1)).collect();
    let group = case.group as usize;
    let mut memory = vec![0u8; 65536 * group];
    let mut descriptors = [0; 2];
    for cta in 0..group {
        let base = cta * 65536;
        let (rows, columns) = (m / group, n / group);
        let (bytes, descriptor) = case.a.place(a, rows, k, |row, at| va[(cta * rows + row) * k + at], true, 0);
        memory[base + A as usize..][..bytes.len()].copy_from_slice(&bytes);
        descriptors[0] = descriptor + (A >> 4);
        let (bytes, descriptor) =
            case.b.place(b, columns, k, |column, at| vb[at * n + cta * columns + column], true, 0);
        memory[base + B as usize..][..bytes.len()].copy_from_slice(&bytes);
        descriptors[1] = descriptor + (B >> 4);
    }
    // The cells of each CTA: D with the values of C in it, then A.
    let mut cells = vec![0u32; group * 2 * COLUMNS * 128];
    for row in 0..m {
        for column in 0..n {
            let (cta, lane, at) = cell(case, row, column);
            cells[(cta * 2 * COLUMNS + at) * 128 + lane] = encode_sum(d, vc[row * n + column]);
        }
        let each = 32 / width(a) as usize;
        for at in (0..k).filter(|_| case.from_tensor) {
            let (cta, lane, _) = cell(case, row, 0);
            cells[(cta * 2 * COLUMNS + COLUMNS + at / each) * 128 + lane] |=
                (encode(a, va[row * k + at]) as u32) << (width(a) as usize * (at % each));
        }
    }
    let issuer = if group == 2 {
        "mov.u32 %r2, %cluster_ctarank; setp.eq.and.u32 %p3, %r2, 0, %p2;"
    } else {
        "mov.pred %p3, %p2;"
    };
    let meet = if group == 2 { "barrier.cluster.arrive; barrier.cluster.wait;" } else { "bar.sync 0;" };
    let of_a = if case.from_tensor { "[%u]" } else { "%x0" };
    let ws = if case.weights { ".ws" } else { "" };
    let scale = if case.halvings > 0 { format!(", {}", case.halvings) } else { String::new() };
    let commit = if group == 2 {
        "mov.b16 %h, 3; tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h;".to_owned()
    } else {
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];".to_owned()
    };
    let text = head("sm_100a", case.group)
        + ".reg .b16 %h; mov.u32 %r2, %cluster_ctarank; "
        + &format!(
            "mul.wide.u32 %rd6, %r2, {}; add.u64 %rd2, %rd2, %rd6; mul.wide.u32 %rd6, %r2, {}; add.u64 %rd0, %rd0, %rd6;\n",
            2 * COLUMNS * 512,
            COLUMNS * 512
        )
        + &fill(2 * COLUMNS)
        + &format!(
            "{meet} {issuer} add.u32 %u, %t, {COLUMNS}; mov.b64 %x0, {}; add.u64 %x0, %x0, %rd4; mov.b64 %x1, {}; add.u64 %x1, %x1, %rd4;\n\
             mov.b32 %r7, {}; setp.eq.u32 %p0, %i0, %i0; @!%p3 bra wait;\n\
             tcgen05.mma{ws}.cta_group::{}{} [%t], {of_a}, %x1, %r7, %p0{scale}; {commit}\n\
             wait: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0; @!%p0 bra wait;\n",
            descriptors[0],
            descriptors[1],
            case.descriptor | (n as u32 / 8) << 17 | (m as u32 / 16) << 24,
            case.group,
            case.kind
        )
        + &dump(COLUMNS)
        + &if group == 2 { "barrier.cluster.arrive; barrier.cluster.wait;".to_owned() } else { String::new() }
        + &tail(case.group);
    let out = group * COLUMNS * 512;
    let got = kernel(&text, out, &memory, &cells).ctas(case.group, case.group).fine().u32s(0);
    let c: Vec<i64> = vc.iter().map(|v| v >> case.halvings).collect();
    let must = product(m, n, k, &va, &vb, &c);
    for row in 0..m {
        for column in 0..n {
            let (cta, lane, at) = cell(case, row, column);
            let bits = got[(cta * COLUMNS + at) * 128 + lane];
            let value = decode(d, u64::from(if d == "f16" { bits & 0xffff } else { bits })) as i64;
            assert_eq!(value, must[row * n + column], "row {row}, column {column} of {} {:?}", case.kind, case.shape);
        }
    }
}

fn encode_sum(ty: &str, value: i64) -> u32 {
    match ty {
        "s32" => value as u32,
        "f16" => super::to_f16(value).into(),
        _ => (value as f32).to_bits(),
    }
}

const PLAIN: SwizzledLayout = SwizzledLayout { span: 16, mn: false };

const BASE: Tcgen05Case<'static> = Tcgen05Case {
    kind: ".kind::f16",
    shape: (128, 16, 16),
    types: ["f32", "f16", "f16"],
    descriptor: 1 << 4,
    a: PLAIN,
    b: PLAIN,
    group: 1,
    weights: false,
    from_tensor: false,
    halvings: 0,
};

#[test]
fn products_into_tensor_memory() {
    check(&BASE);
    check(&Tcgen05Case { shape: (64, 8, 16), types: ["f16", "f16", "f16"], descriptor: 0, ..BASE });
    check(&Tcgen05Case {
        shape: (64, 24, 16),
        types: ["f32", "bf16", "bf16"],
        descriptor: 1 << 4 | 1 << 7 | 1 << 10,
        from_tensor: true,
        ..BASE
    });
    check(&Tcgen05Case { halvings: 2, from_tensor: true, ..BASE });
    check(&Tcgen05Case {
        kind: ".kind::tf32",
        shape: (128, 8, 8),
        types: ["f32", "tf32", "tf32"],
        descriptor: 1 << 4 | 2 << 7 | 2 << 10,
        ..BASE
    });
    check(&Tcgen05Case {
        kind: ".kind::i8",
        shape: (128, 8, 32),
        types: ["s32", "s8", "u8"],
        descriptor: 2 << 4 | 1 << 7,
        ..BASE
    });
    check(&Tcgen05Case {
        kind: ".kind::f8f6f4",
        shape: (128, 8, 32),
        types: ["f32", "e4m3", "e5m2"],
        descriptor: 1 << 4 | 1 << 10,
        ..BASE
    });
    for span in [32, 64, 128] {
        let k_major = SwizzledLayout { span, mn: false };
        check(&Tcgen05Case { shape: (64, 16, 16), a: k_major, b: k_major, ..BASE });
        let mn = SwizzledLayout { span, mn: true };
        check(
            &Tcgen05Case {
                shape: (64, span / 2, 16),
                a: mn,
                b: mn,
                descriptor: 1 << 4 | 3 << 15,
                weights: false,
                ..BASE
            }
            .limited(),
        );
    }
    check(&Tcgen05Case { shape: (64, 64, 16), weights: true, ..BASE });
    check(&Tcgen05Case { shape: (32, 64, 16), weights: true, ..BASE });
}

impl Tcgen05Case<'_> {
    /// The case with N limited to [`COLUMNS`].
    fn limited(mut self) -> Self {
        self.shape.1 = self.shape.1.min(COLUMNS);
        if self.shape.1 * 2 < self.b.span {
            self.b = SwizzledLayout { span: 64, mn: true };
        }
        self
    }
}

#[test]
fn a_pair_of_ctas_multiplies_together() {
    check(&Tcgen05Case { shape: (256, 32, 16), group: 2, ..BASE });
    check(&Tcgen05Case { shape: (128, 32, 16), group: 2, ..BASE });
    check(&Tcgen05Case { shape: (256, 32, 16), group: 2, from_tensor: true, ..BASE });
}

/// Copies rows of 16 and 32 bytes to quarters of the lanes.
#[test]
fn copies_from_shared_memory() {
    let shared: Vec<u8> = (0..4096u32).map(|i| (i * 31 % 251) as u8).collect();
    // Without swizzling, eight rows of 16 bytes lie together. The next eight rows follow after 256 bytes, the next 16 bytes of a row
    // after 128.
    let descriptor = 1u64 << 46 | (128 >> 4) << 16 | (256 >> 4) << 32;
    let byte = |row: usize, at: usize| shared[row / 8 * 256 + at / 16 * 128 + row % 8 * 16 + at % 16];
    type RowLanes = fn(usize) -> Vec<usize>;
    let cases: [(&str, usize, usize, RowLanes); 6] = [
        (".128x256b", 128, 32, |r| vec![r]),
        (".128x128b", 128, 16, |r| vec![r]),
        (".4x256b", 4, 32, |r| vec![32 * r]),
        (".64x128b.warpx2::02_13", 64, 16, |r| vec![r, r + 64]),
        (".64x128b.warpx2::01_23", 64, 16, |r| vec![r % 32 + r / 32 * 64, r % 32 + r / 32 * 64 + 32]),
        (".32x128b.warpx4", 32, 16, |r| (0..4).map(|q| 32 * q + r).collect()),
    ];
    for (shape, rows, bytes, lanes) in cases {
        let text = head("sm_100a", 1)
            + &fill(8)
            + &format!(
                "mov.b64 %x0, {descriptor}; add.u64 %x0, %x0, %rd4; @%p2 tcgen05.cp.cta_group::1{shape} [%t], %x0;\n"
            )
            + "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];\n\
               wait: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0; @!%p0 bra wait;\n"
            + &dump(8)
            + &tail(1);
        let got = kernel(&text, 8 * 512, &shared, &vec![0xaaaa_aaaa; 8 * 128]).fine().u32s(0);
        let mut must = vec![0xaaaa_aaaa; 8 * 128];
        for row in 0..rows {
            for at in 0..bytes / 4 {
                let word = (0..4).fold(0, |w, i| w | u32::from(byte(row, 4 * at + i)) << (8 * i));
                lanes(row).into_iter().for_each(|lane| must[at * 128 + lane] = word);
            }
        }
        assert_eq!(got, must, "{shape}");
    }
}

/// Rows that a shift moves have a defined value only where both directions give the same one. The rest of tensor memory stays as it is.
#[test]
fn shifted_rows_are_defined_where_all_readings_agree() {
    let text = |address: &str, after: &str| {
        let shift = format!("add.u32 %u, %t, {address}; @%p2 tcgen05.shift.cta_group::1.down [%u];");
        let commit = "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];\n\
            wait: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0; @!%p0 bra wait;\n";
        head("sm_100a", 1) + &fill(16) + &shift + after + commit + &dump(16) + &tail(1)
    };
    // Columns 0 to 7 have the same value in all rows. Column 8 counts the rows in pairs, so that one row of a pair agrees.
    let cells: Vec<u32> = (0..16 * 128).map(|i| if i / 128 < 8 { i / 128 } else { i % 128 / 2 }).collect();
    let same = kernel(&text("0", ""), 16 * 512, &[], &cells).fine();
    assert_eq!(same.u32s(0), cells);
    assert!(same.marks(0, 0, 16 * 512).is_none());
    let counted = kernel(&text("8", ""), 16 * 512, &[], &cells).fine();
    assert!(counted.marks(0, 0, 8 * 512).is_none(), "columns outside of the 32 bytes");
    assert!(counted.marks(0, 8 * 512 + 4, 4).contains(Marks::UNSPECIFIED), "rows 0 and 2 differ");
    let quarter = kernel(&text("0x200008", ""), 16 * 512, &[], &cells).fine();
    assert!(quarter.marks(0, 8 * 512, 128).is_none(), "rows before the matrix");
    assert!(!quarter.marks(0, 8 * 512 + 128, 128).is_none());
    let kinds = |text: String| kernel(&text, 16 * 512, &[], &cells).run().kinds();
    assert_eq!(kinds(text("0x100000", "")), [FaultKind::Misaligned]);
    let twice = "@%p2 tcgen05.shift.cta_group::1.down [%t];";
    assert_eq!(kinds(text("0", twice)), [FaultKind::Asynchronous], "no pair of instructions that run in order");
}

#[test]
fn misuse_of_tensor_memory_is_found() {
    let finish = |body: &str, tail: &str| {
        let text = head("sm_100a", 1) + body + tail;
        kernel(&text, 4096, &[], &[0; 4]).run().kinds()
    };
    let tail = tail(1);
    assert_eq!(finish("", "ret; }"), [FaultKind::Undefined], "never freed");
    let load = |address: &str| {
        format!("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r8}}, [{address}]; tcgen05.wait::ld.sync.aligned;")
    };
    assert_eq!(finish(&load("%m"), &tail), [FaultKind::UninitializedMemory]);
    assert_eq!(
        finish(&format!("@!%p1 bra past; add.u32 %u, %t, 512; {} past:", load("%u")), &tail),
        [FaultKind::OutOfBounds]
    );
    let other = finish(&format!("mov.b32 %u, 0; {} ", load("%t")), &tail);
    assert!(other.contains(&FaultKind::Undefined), "the lanes of another warp: {other:?}");
    let again = "@!%p1 bra past; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32; past:";
    let more = finish(again, &tail);
    assert!(
        more.starts_with(&[FaultKind::Undefined, FaultKind::Deadlock]),
        "the permit was given back, and nothing is free: {more:?}"
    );
    let wrong = tail.replace("%t, 512", "%t, 256");
    assert_eq!(
        finish("", &wrong),
        [FaultKind::Undefined, FaultKind::Undefined],
        "another number of columns, so never freed"
    );
}

/// A copy brings block scales to tensor memory, and a multiplication uses them.
#[test]
fn block_scales_in_tensor_memory() {
    // Kind, modifier, element type, types of A and B in the descriptor, K, number of blocks, type of the scales, scale id.
    for (kind, vector, ty, types, k, blocks, scale, id) in [
        (".kind::mxf8f6f4", "", "e4m3", 0, 32, 1, "ue8m0", 3),
        (".kind::mxf4", "", "e2m1", 1 << 7 | 1 << 10, 64, 2, "ue8m0", 2),
        (".kind::mxf4nvf4", ".scale_vec::4X", "e2m1", 1 << 7 | 1 << 10, 64, 4, "ue4m3", 0),
    ] {
        let (m, n) = (128, 8);
        let mut random = MatrixSamples(0xb10c + k as u64);
        let va: Vec<i64> = (0..m * k).map(|_| random.range(-2, 2)).collect();
        let vb: Vec<i64> = (0..k * n).map(|_| random.range(-2, 2)).collect();
        let sa: Vec<i64> = (0..m * blocks).map(|_| random.range(0, 2)).collect();
        let sb: Vec<i64> = (0..n * blocks).map(|_| random.range(0, 2)).collect();
        let bits = |e: i64| if scale == "ue8m0" { (127 + e) as u8 } else { ((7 + e) << 3) as u8 };
        let mut memory = vec![0u8; 65536];
        // Both matrices are K-major without swizzling, 32 bytes per row: two units of 8 rows of 16 bytes, then the next eight rows.
        let mut put = |base: usize, lines: usize, value: &dyn Fn(usize, usize) -> i64| {
            for line in 0..lines {
                for at in 0..k {
                    let bit = at * width(ty) as usize;
                    let byte = base + line / 8 * 256 + bit / 8 / 16 * 128 + line % 8 * 16 + bit / 8 % 16;
                    memory[byte] |= (encode(ty, value(line, at)) << (bit % 8)) as u8;
                }
            }
        };
        put(0, m, &|row, at| va[row * k + at]);
        put(16384, n, &|column, at| vb[at * n + column]);
        // Scales in the layout that `.32x128b.warpx4` copies: 32 rows of 16 bytes. A row has four bytes for each of 4 lines that are 32
        // apart.
        let mut scales = |base: usize, lines: usize, of: &[i64]| {
            for line in 0..lines {
                for block in 0..blocks {
                    memory[base + line % 32 * 16 + line / 32 * 4 + id + block] = bits(of[line * blocks + block]);
                }
            }
        };
        scales(32768, m, &sa);
        scales(33280, n, &sb);
        let matrix = |at: u64| 1u64 << 46 | (128 >> 4) << 16 | (256 >> 4) << 32 | at >> 4;
        let rows = |at: u64| 1u64 << 46 | (128 >> 4) << 32 | (128 >> 4) << 16 | at >> 4;
        let kinds = u32::from(scale == "ue8m0") << 23;
        let descriptor =
            types | kinds | (id as u32) << 4 | (id as u32) << 29 | (n as u32 / 8) << 17 | (m as u32 / 128) << 27;
        let text = head("sm_100a", 1)
            + &format!(
                "mov.b64 %x0, {}; add.u64 %x0, %x0, %rd4; mov.b64 %x1, {}; add.u64 %x1, %x1, %rd4;\n\
                 mov.b64 %x2, {}; add.u64 %x2, %x2, %rd4; mov.b64 %x3, {}; add.u64 %x3, %x3, %rd4;\n\
                 mov.b32 %r7, {descriptor}; add.u32 %r5, %t, 64; add.u32 %r6, %t, 72; setp.ne.u32 %p0, %i0, %i0; @!%p2 bra wait;\n\
                 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r5], %x2; tcgen05.cp.cta_group::1.32x128b.warpx4 [%r6], %x3;\n\
                 tcgen05.mma.cta_group::1{kind}.block_scale{vector} [%t], %x0, %x1, %r7, [%r5], [%r6], %p0;\n\
                 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];\n\
                 wait: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0; @!%p0 bra wait;\n",
                matrix(0),
                matrix(16384),
                rows(32768),
                rows(33280)
            )
            + &dump(8)
            + &tail(1);
        let got = kernel(&text, 8 * 512, &memory, &[0]).fine().u32s(0);
        for row in 0..m {
            for column in 0..n {
                let term = |x: usize| {
                    let block = x * blocks / k;
                    (va[row * k + x] * vb[x * n + column]) << (sa[row * blocks + block] + sb[column * blocks + block])
                };
                let must: i64 = (0..k).map(term).sum();
                assert_eq!(f32::from_bits(got[column * 128 + row]), must as f32, "{kind} row {row}, column {column}");
            }
        }
    }
}

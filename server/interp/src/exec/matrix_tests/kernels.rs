//! The example kernels.

use super::to_f16;
use crate::testing::TestKernel;

/// `count` ascending half-precision integers from `start` on, as bytes.
pub(super) fn halves(start: i64, count: i64) -> Vec<u8> {
    (start..start + count).flat_map(|v| to_f16(v).to_le_bytes()).collect()
}

/// Checks the row-major product of ascending integers that the file of a kernel expects. `transposed`: in B, K runs fastest.
pub(super) fn check(text: &str, got: &[u32], (n, k): (usize, usize), a: i64, b: i64, transposed: bool) {
    let exact = |at: usize| {
        let (row, column) = (at / n, at % n);
        let of_b = |x: usize| if transposed { column * k + x } else { x * n + column };
        (0..k).map(|x| (a + (row * k + x) as i64) * (b + of_b(x) as i64)).sum::<i64>() as f64
    };
    let mut count = 0;
    for line in text.lines().filter_map(|l| l.strip_prefix("//! expect:")) {
        for one in line.split_whitespace() {
            let (index, value) = one.strip_prefix("c[").unwrap().split_once("]=").unwrap();
            let (index, value): (usize, f64) = (index.parse().unwrap(), value.parse().unwrap());
            assert_eq!(f64::from(f32::from_bits(got[index])), value, "c[{index}]");
            assert_eq!(exact(index), value, "the reference");
            count += 1;
        }
    }
    assert!(count > 0);
    for (at, bits) in got.iter().enumerate() {
        let (is, must) = (f64::from(f32::from_bits(*bits)), exact(at));
        assert!((is - must).abs() <= must.abs() * 1e-5 + 16.0, "c[{at}] = {is}, not {must}");
    }
}

#[test]
fn mma_matmul() {
    let text = include_str!("../../../../../tests/kernels/mma_matmul.ptx");
    let mut kernel = TestKernel::new(text).threads(128).value(64).value(32).value(32);
    kernel.shape.grid = [1, 2, 1];
    let kernel = kernel.buffer(&halves(0, 2048)).buffer(&halves(-512, 1024)).buffer(&vec![0; 2048 * 4]);
    check(text, &kernel.fine().u32s(2), (32, 32), 0, -512, false);
}

#[test]
fn wgmma_tile() {
    let text = include_str!("../../../../../tests/kernels/wgmma_tile.ptx");
    let kernel = TestKernel::new(text).threads(128).ctas(2, 1).value(64).value(64).value(64);
    let kernel = kernel.buffer(&halves(-2048, 4096)).buffer(&halves(-2048, 4096)).buffer(&vec![0; 4096 * 4]);
    check(text, &kernel.fine().u32s(2), (64, 64), -2048, -2048, true);
}

#[test]
fn tcgen05_tile() {
    let text = include_str!("../../../../../tests/kernels/tcgen05_tile.ptx");
    let (m, n, k) = (128, 32, 128);
    let kernel = TestKernel::new(text).threads(128).value(m).value(n).value(k);
    let (a, b): (Vec<i64>, Vec<i64>) = (
        (0..(m * k) as i64).map(|i| i * 7 % 31 - 15).collect(),
        (0..(n * k) as i64).map(|i| i * 5 % 29 - 14).collect(),
    );
    let bytes = |v: &[i64]| v.iter().flat_map(|x| to_f16(*x).to_le_bytes()).collect::<Vec<u8>>();
    let kernel = kernel.buffer(&bytes(&a)).buffer(&bytes(&b)).buffer(&vec![0; (m * n * 4) as usize]);
    let got = kernel.fine().u32s(2);
    let (n, k) = (n as usize, k as usize);
    for (at, bits) in got.iter().enumerate() {
        let must: i64 = (0..k).map(|x| a[at / n * k + x] * b[at % n * k + x]).sum();
        assert_eq!(f32::from_bits(*bits), must as f32, "c[{at}]");
    }
}

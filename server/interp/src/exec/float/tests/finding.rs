//! A NaN that is computed from numbers is a finding if the run looks for it, and only then.

use crate::findings::FaultKind;
use crate::testing::TestKernel;

fn kinds(target: &str, body: &str, wanted: bool) -> Vec<(FaultKind, u32)> {
    let mut kernel = TestKernel::body(target, body).buffer(&[0; 8]);
    kernel.settings.checks = kernel.settings.checks.with(FaultKind::NotANumber, wanted);
    kernel.run().faults().iter().map(|f| (f.kind, f.lanes)).collect()
}

#[test]
fn nan_out_of_numbers_is_found() {
    let found = [(FaultKind::NotANumber, u32::MAX)];
    for body in [
        "mov.f32 %f1, 0f7f800000; sub.f32 %f2, %f1, %f1;",
        "mov.f32 %f1, 0f00000000; div.rn.f32 %f2, %f1, %f1;",
        "sqrt.rn.f64 %d1, 0dBFF0000000000000;",
        "mov.b16 %h1, 0x7c00; sub.f16 %h2, %h1, %h1;",
        "mov.b32 %r1, 0x7f800000; sub.bf16x2 %r2, %r1, %r1;",
        "lg2.approx.f32 %f1, 0fBF800000;",
    ] {
        assert_eq!(kinds("", body, true), found, "{body}");
        assert_eq!(kinds("", body, false), [], "{body}");
    }
    let body = "mov.b64 %rd1, 0x7f80000000000000; sub.f32x2 %rd2, %rd1, %rd1;";
    assert_eq!(kinds("sm_100a", body, true), found);
}

#[test]
fn nan_out_of_nan_is_not() {
    for body in [
        "mov.f32 %f1, 0f7fc00000; add.f32 %f2, %f1, %f1;",
        "mov.f32 %f1, 0f3f800000; add.f32 %f2, %f1, 0f7fc00000;",
        "mov.f32 %f1, 0f7f800000; sub.sat.f32 %f2, %f1, %f1;",
        "mov.f32 %f1, 0f7f800000; mul.f32 %f2, %f1, %f1;",
        "mov.b32 %r1, 0x7c007c00; add.f16x2 %r2, %r1, %r1;",
        "mov.b32 %r1, 0x7fc00000; selp.b32 %r2, %r1, %r1, 1;",
    ] {
        assert_eq!(kinds("", body, true), [], "{body}");
    }
}

#[test]
fn only_the_lanes_that_make_one_are_named() {
    let body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4; mov.f32 %f1, 0f7f800000; mov.f32 %f2, 0f3f800000; @%p1 sub.f32 %f2, %f1, %f1;
                setp.eq.u32 %p2, %r1, 7; selp.f32 %f3, %f1, %f2, %p2; mul.f32 %f4, %f3, 0f00000000;";
    assert_eq!(kinds("", body, true), [(FaultKind::NotANumber, 0xf), (FaultKind::NotANumber, 0x80)]);
}

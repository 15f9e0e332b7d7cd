use crate::findings::FaultKind;
use crate::machine::RunStatus;
use crate::testing::{TestKernel, TestOutcome};
use ptx_num::image::TensorMap;
use ptx_num::image::tensor_map::ElementType;

/// Runs a kernel with a tensor map in a buffer at `%rd0` and room for one at `%rd1`.
fn run(map: &[u8], body: &str) -> TestOutcome {
    let body = format!("ld.param.u64 %rd1, [p1]; {body}");
    TestKernel::body("", &body).threads(1).buffer(map).buffer(&[0; 128]).run()
}

fn map() -> TensorMap {
    TensorMap::tiled(ElementType::U32, 0x1000, &[20, 10, 3], &[80, 800], &[8, 4, 1])
}

#[test]
fn every_field_is_replaced_in_place() {
    let replace = |field: &str, operands: &str| format!("tensormap.replace.tile.{field} [%rd0], {operands};\n");
    let body = [
        "mov.u64 %rd3, 0x123456780; mov.u32 %r1, 77;\n".to_owned(),
        replace("global_address.global.b1024.b64", "%rd3"),
        replace("rank.global.b1024.b32", "1"),
        replace("box_dim.global.b1024.b32", "1, %r1"),
        replace("global_dim.global.b1024.b32", "2, %r1"),
        replace("global_stride.global.b1024.b64", "0, %rd3"),
        replace("element_stride.b1024.b32", "0, 2"),
        replace("elemtype.global.b1024.b32", "7"),
        replace("interleave_layout.global.b1024.b32", "1"),
        replace("swizzle_mode.global.b1024.b32", "3"),
        replace("fill_mode.global.b1024.b32", "1"),
    ]
    .concat();
    let out = run(&map().to_bytes(), &body);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    let mut expected = map();
    (expected.address, expected.rank_less_one, expected.box_sizes[1], expected.sizes[2]) = (0x1_2345_6780, 1, 77, 77);
    (expected.strides[0], expected.element_strides[0], expected.element) = (0x1_2345_6780, 2, 7);
    (expected.interleave, expected.swizzle_mode, expected.fill) = (1, 3, 1);
    assert_eq!(out.bytes(0), expected.to_bytes());
}

#[test]
fn what_is_no_map_or_has_no_such_entry_is_found() {
    let body = "tensormap.replace.tile.rank.global.b1024.b32 [%rd0], 1;";
    let out = run(&[3; 128], body);
    assert_eq!((out.kinds(), out.bytes(0)), (vec![FaultKind::Undefined], vec![3; 128]));
    let out = run(&map().to_bytes(), "tensormap.replace.tile.global_stride.global.b1024.b64 [%rd0], 4, 16;");
    assert_eq!((out.kinds(), out.bytes(0)), (vec![FaultKind::Undefined], map().to_bytes().to_vec()));
    assert!(out.faults()[0].message.contains("no entry 4"), "{:?}", out.faults());
}

#[test]
fn maps_are_made_in_shared_memory_and_published() {
    let words: String = map()
        .to_bytes()
        .chunks_exact(8)
        .enumerate()
        .map(|(i, w)| {
            let word = u64::from_le_bytes(w.try_into().expect("eight bytes"));
            format!("mov.u64 %rd3, {word:#x}; st.shared.u64 [s+{}], %rd3;\n", 8 * i)
        })
        .collect();
    let body = format!(
        ".shared .align 128 .b8 s[128];\n{words}\
         tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s], 0, 16;\n\
         tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [s], 128;"
    );
    let out = run(&[0; 128], &body);
    assert_eq!((out.status(), out.faults()), (RunStatus::Finished, &[][..]));
    let mut expected = map();
    expected.box_sizes[0] = 16;
    assert_eq!(out.bytes(1), expected.to_bytes());
}

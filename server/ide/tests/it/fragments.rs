//! Hover on matrix operands.

use ptx_ide::{Hover, hover};
use ptx_syntax::Snapshot;

fn in_body(statements: &str) -> Option<(String, Hover)> {
    let marked = format!(
        ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p;\n.reg .b64 %rd<4>;\n{statements}\n}}\n"
    );
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let hover = hover(&Snapshot::new(&text), offset, None)?;
    Some((text[hover.range.clone()].to_owned(), hover))
}

fn show(body: &str) {
    println!("=== {body}\n{}\n", in_body(body).map_or("NONE".to_owned(), |h| h.1.markdown));
}

#[test]
fn look() {
    show(
        ".reg .b32 %a<4>, %b<2>; .reg .f32 %d<4>; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a$02,%a3}, {%b0,%b1}, {%d0,%d1,%d2,%d3};",
    );
    show(
        ".reg .b32 %a<4>, %b<2>; .reg .f32 %d<4>; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b$00,%b1}, {%d0,%d1,%d2,%d3};",
    );
    show(
        ".reg .b32 %a<4>, %b<2>; .reg .f32 %d<4>; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d$02,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%d0,%d1,%d2,%d3};",
    );
    show(
        ".reg .b32 %a<4>, %b<4>, %e; .reg .f32 %d<4>; mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1,%b2,%b3}, {%d0,%d1,%d2,%d3}, %e$0, 1;",
    );
    show(
        ".reg .b32 %a<4>, %b<4>, %e; .reg .f32 %d<4>; mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a$00,%a1,%a2,%a3}, {%b0,%b1,%b2,%b3}, {%d0,%d1,%d2,%d3}, %e, 1;",
    );
    show(".reg .b32 %a<4>; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%a0,%a1,%a2,%a$03}, [%rd1];");
    show(".reg .b32 %a<4>; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%a0,%a1,%a2,%a3}, [%r$0d1];");
    show(".reg .b32 %a<4>; movmatrix.sync.aligned.m8n8.trans.b16 %a$01, %a2;");
    show(
        ".reg .f32 %d<8>; .reg .b32 %a<4>; .reg .pred %p; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0,%d1,%d2,%d3,%d4,%d5$0,%d6,%d7}, {%a0,%a1,%a2,%a3}, %rd1, %p, 1, 1, 0;",
    );
    show(
        ".reg .b32 %a<2>; .reg .b32 %d<8>; mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%d0,%d1,%d2,%d$03}, {%a0,%a1}, {%a0,%a1}, {%d0,%d1,%d2,%d3};",
    );
    show(".reg .b32 %r<8>, %t; tcgen05.ld.sync.aligned.16x256b.x2.b32 {%r0,%r1,%r2,%r3,%r4,%r$05,%r6,%r7}, [%t];");
    show(
        ".reg .b32 %a<4>, %b<2>, %s; .reg .f32 %d<4>; mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%d0,%d1,%d2,%d3}, %s$0, {2, 1}, %s, {0, 3};",
    );
    show(
        ".reg .b32 %a<8>; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0$0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%rd1];",
    );
}

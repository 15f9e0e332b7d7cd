//! Tests of addresses and their traffic on small kernels.

use super::shape::BlockShape;
use super::{AddressFacts, Traffic};
use crate::flow::tests::lowered;

/// The addresses of a kernel with this body. `directives` stand between the parameters and the body.
fn analysed(directives: &str, body: &str) -> AddressFacts {
    let function = lowered(
        &format!(
            ".visible .entry k(.param .u64 x, .param .u64 .ptr .global .align 32 y, .param .u32 n) {directives} {{ \
         .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; \
         .shared .align 16 .b8 tile[8192];\n\
         ld.param.u32 %r1, [n]; cvt.u64.u32 %rd19, %r1; ld.param.u64 %rd1, [x]; cvta.to.global.u64 %rd1, %rd1; ld.param.u64 %rd2, [y];\n\
         mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tile;\n{body}\nret; }}"
        )
        .replace("%tile", "tile"),
    );
    assert!(function.complete);
    AddressFacts::of_function(&function).expect("a small function")
}

/// The traffic in short: sectors, or the degree of the conflict.
fn short(traffic: Option<&Traffic>) -> String {
    match traffic {
        None => "?".to_owned(),
        Some(Traffic::Sectors(s)) => {
            let aligned = s.aligned.as_ref().map_or_else(String::new, |a| format!(" aligned {a:?}"));
            format!("{:?}{aligned} of {}", s.sectors, s.ideal)
        }
        Some(Traffic::Banks(b)) => format!("{:?}-way", b.conflict),
    }
}

/// For each access behind the first ones of parameters: its address, and its traffic.
fn found(facts: &AddressFacts) -> Vec<(String, String)> {
    let text = |a| facts.address(a).unwrap_or_default();
    let all = facts.accesses.iter().zip(&facts.traffic).filter(|(a, _)| a.space != Some(".param"));
    all.map(|(a, t)| (text(a), short(t.as_ref()))).collect()
}

fn of(body: &str) -> Vec<(String, String)> {
    found(&analysed("", body))
}

fn one(address: &str, traffic: &str) -> Vec<(String, String)> {
    vec![(address.to_owned(), traffic.to_owned())]
}

const INDEX: &str = "mad.lo.s32 %r6, %r3, %r4, %r2;";

#[test]
fn a_global_index() {
    let body = format!("{INDEX} mul.wide.s32 %rd3, %r6, 4; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];");
    assert_eq!(of(&body), one("x + 4·(ctaid.x·ntid.x + tid.x)", "4..=5 aligned 4..=4 of 4"));
    let body = format!("{INDEX} mul.wide.s32 %rd3, %r6, 4; add.s64 %rd4, %rd2, %rd3; st.global.f32 [%rd4+4], %f1;");
    assert_eq!(of(&body), one("y + 4·(ctaid.x·ntid.x + tid.x) + 4", "5..=5 aligned 5..=5 of 4"));
    let body = "mul.wide.u32 %rd3, %r2, 128; add.s64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4];";
    assert_eq!(of(body), one("y + 128·tid.x", "32..=32 aligned 32..=32 of 4"));
    // A width of 8 rows of 4 threads each.
    let body = "mov.u32 %r7, %tid.y; mad.lo.u32 %r8, %r7, 1024, %r2; mul.wide.u32 %rd3, %r8, 4; add.u64 %rd4, %rd2, %rd3; \
        ld.global.f32 %f1, [%rd4];";
    assert_eq!(found(&analysed(".reqntid 4, 8", body)), one("y + 4096·tid.y + 4·tid.x", "8..=8 aligned 8..=8 of 4"));
}

#[test]
fn no_traffic_where_lanes_differ_in_an_unknown_way() {
    assert_eq!(
        of("mul.lo.u32 %r6, %r2, %r1; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4];"),
        one("x + 4·n·tid.x", "?")
    );
    let loaded = "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r6, [%rd4]; \
        mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd2, %rd5; ld.global.f32 %f1, [%rd6];";
    assert_eq!(of(loaded)[1], ("y + 4·%r6".to_owned(), "?".to_owned()));
    // An index in 16 bits may wrap around within a warp.
    let narrow = "cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; add.u16 %h3, %h1, %h2; cvt.u64.u16 %rd3, %h3; \
        add.u64 %rd4, %rd2, %rd3; ld.global.u8 %h4, [%rd4];";
    assert_eq!(of(narrow)[0].1, "?");
}

#[test]
fn conflicts_of_strides_and_swizzles() {
    let at = |body: &str| of(&format!("{body} add.u32 %r9, %r5, %r8; ld.shared.f32 %f1, [%r9];"));
    assert_eq!(at("shl.b32 %r8, %r2, 2;"), one("tile + 4·tid.x", "1..=1-way"));
    assert_eq!(at("shl.b32 %r8, %r2, 5;"), one("tile + 32·tid.x", "8..=8-way"));
    assert_eq!(at("mul.lo.u32 %r8, %r2, 132;"), one("tile + 132·tid.x", "1..=1-way"));
    // An unknown number that is the same in all lanes only moves the pattern, or permutes the lanes.
    assert_eq!(at("add.u32 %r7, %r2, %r1; shl.b32 %r8, %r7, 3;")[0].1, "2..=2-way");
    assert_eq!(at("and.b32 %r6, %r1, 7; xor.b32 %r7, %r2, %r6; shl.b32 %r8, %r7, 2;")[0].1, "1..=1-way");
    assert_eq!(
        at("and.b32 %r6, %r2, 31; shl.b32 %r7, %r6, 7; shr.u32 %r10, %r6, 3; xor.b32 %r8, %r7, %r10;")[0].1,
        "?"
    );
    // Rows of 128 bytes, with the column swizzled by the row.
    let swizzled = "and.b32 %r6, %r2, 31; shl.b32 %r7, %r6, 7; and.b32 %r10, %r6, 7; xor.b32 %r11, %r10, %r1; and.b32 %r11, %r11, 7; \
        shl.b32 %r11, %r11, 4; or.b32 %r8, %r7, %r11; add.u32 %r9, %r5, %r8; ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r9];";
    assert_eq!(of(swizzled)[0].1, "1..=1-way");
    // Updates of one word wait for each other.
    assert_eq!(of("atom.shared.add.u32 %r6, [tile], 1;"), one("tile", "32..=32-way"));
}

#[test]
fn counters_of_loops() {
    let body = format!(
        "{INDEX} mov.u32 %r8, %nctaid.x; mul.lo.u32 %r9, %r8, %r4;\n\
         L: setp.ge.u32 %p1, %r6, %r1; @%p1 bra E; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.f32 %f1, [%rd4]; \
         add.u32 %r6, %r6, %r9; bra L;\nE:"
    );
    assert_eq!(of(&body), one("y + 4·(ctaid.x·ntid.x + tid.x + nctaid.x·ntid.x·i)", "4..=4 aligned 4..=4 of 4"));
    // A pointer that grows, and its value after the loop: lanes may have left it in different iterations.
    let body = "mul.wide.u32 %rd3, %r2, 8; add.u64 %rd4, %rd2, %rd3; \
         L: ld.global.v2.f32 {%f1, %f2}, [%rd4]; add.u64 %rd4, %rd4, 1024; setp.lt.u64 %p1, %rd4, %rd1; @%p1 bra L; \
         st.global.f32 [%rd4], %f1;";
    assert_eq!(of(body)[0], ("y + 8·tid.x + 1024·i".to_owned(), "8..=8 aligned 8..=8 of 8".to_owned()));
    assert_eq!(of(body)[1].1, "?");
}

#[test]
fn spaces_of_generic_addresses() {
    let body = "cvta.shared.u64 %rd3, tile; mul.wide.u32 %rd4, %r2, 8; add.u64 %rd5, %rd3, %rd4; ld.f32 %f1, [%rd5];";
    assert_eq!(of(&body.replace("tile", "%rd6")).len(), 1);
    let body = format!("mov.u64 %rd6, tile; {}", body.replace("tile", "%rd6"));
    assert_eq!(of(&body), one("tile + 8·tid.x", "2..=2-way"));
    // A generic pointer may point anywhere, unless its parameter says where.
    let of_pointer =
        |pointer: &str| of(&format!("mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, {pointer}, %rd4; ld.f32 %f1, [%rd5];"));
    assert_eq!(of_pointer("%rd1"), one("x + 4·tid.x", "?"));
    assert_eq!(of_pointer("%rd2"), one("y + 4·tid.x", "4..=4 aligned 4..=4 of 4"));
}

#[test]
fn asynchronous_copies_have_two_addresses() {
    let body = "mul.wide.u32 %rd3, %r2, 16; add.u64 %rd4, %rd2, %rd3; shl.b32 %r6, %r2, 4; add.u32 %r7, %r5, %r6; \
        cp.async.cg.shared.global [%r7], [%rd4], 16;";
    let expected = [("tile + 16·tid.x", "1..=1-way"), ("y + 16·tid.x", "16..=16 aligned 16..=16 of 16")];
    assert_eq!(of(body), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn a_launch_decides_the_shape() {
    let body = "mov.u32 %r7, %tid.y; mad.lo.u32 %r8, %r7, 33, %r2; shl.b32 %r9, %r8, 2; add.u32 %r9, %r5, %r9; ld.shared.f32 %f1, [%r9];";
    let facts = analysed("", body);
    let access = facts.accesses.last().expect("an access");
    assert_eq!(short(facts.traffic_of(access, BlockShape::Rows).as_ref()), "1..=1-way");
    assert_eq!(short(facts.traffic_of(access, BlockShape::Known([1, 32, 1])).as_ref()), "1..=1-way");
    assert_eq!(short(facts.traffic_of(access, BlockShape::Known([8, 32, 1])).as_ref()), "4..=4-way");
    assert_eq!(short(facts.traffic_of(access, BlockShape::Known([16, 16, 1])).as_ref()), "2..=2-way");
}

#[test]
fn accesses_are_in_text_order_wherever_control_goes() {
    let facts = analysed("", "bra B; A: st.shared.u32 [tile+4], %r1; bra E; B: st.shared.u32 [tile], %r1; bra A; E:");
    let addresses: Vec<_> = found(&facts).into_iter().map(|(address, _)| address).collect();
    assert_eq!(addresses, ["tile + 4", "tile"]);
    for access in &facts.accesses {
        let mut same = facts.of_instruction(access.instruction as usize);
        assert!(same.any(|(_, a)| a == access), "{access:?}");
    }
}

#[test]
fn the_base_of_an_address_is_its_pointer() {
    let facts = analysed(
        "",
        "add.u64 %rd3, %rd19, %rd1; cvt.u64.u32 %rd4, %r2; add.u64 %rd3, %rd3, %rd4; st.global.u8 [%rd3], %h1;",
    );
    let access = facts.accesses.last().expect("an access");
    assert_eq!(facts.address(access).as_deref(), Some("x + n + tid.x"));
    assert_eq!(facts.base(access), Some("x"));
}

#[test]
fn costly_is_twice_the_necessary_traffic() {
    let costly = |body: &str| {
        let facts = analysed("", &format!("mov.u32 %r6, %laneid; {body}"));
        match facts.traffic.last() {
            Some(Some(traffic @ Traffic::Banks(banks))) => {
                (traffic.is_costly(), *banks.wavefronts.start(), banks.ideal)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(costly("shl.b32 %r8, %r6, 3; add.u32 %r9, %r5, %r8; ld.shared.u32 %r10, [%r9];"), (true, 2, 1));
    // Only one half warp has a conflict.
    let one_half =
        "min.u32 %r8, %r6, 16; shl.b32 %r8, %r8, 4; add.u32 %r9, %r5, %r8; ld.shared.v2.u32 {%r10, %r11}, [%r9];";
    assert_eq!(costly(one_half), (false, 3, 2));
}

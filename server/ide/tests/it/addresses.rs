//! Hints and hovers about the addresses of loads and stores.

use super::registers::figures;
use expect_test::expect;
use ptx_ide::{AddressHints, HintOptions, PressureHints, hover, inlay_hints};
use ptx_syntax::Snapshot;

const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
//! launch: grid=1 block=16,16
.visible .entry tile(.param .u64 x, .param .u32 n)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<9>;
    .reg .f32 %f<4>;
    .shared .align 16 .b8 sh[8192];
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.s32 %r5, %r3, %r4, %r2;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    mul.wide.u32 %rd4, %r2, 128;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.f32 %f2, [%rd5+4];
    shl.b32 %r6, %r2, 5;
    mov.u32 %r7, sh;
    add.s32 %r8, %r7, %r6;
    st.shared.f32 [%r8], %f2;
    mul.lo.s32 %r9, %r1, %r2;
    add.s32 %r10, %r7, %r9;
    st.shared.u8 [%r10], %r9;
    ret;
}
";

/// The texts of the hints, each with its line.
fn hints(text: &str, addresses: AddressHints) -> String {
    let snapshot = Snapshot::new(text);
    let options = HintOptions { addresses, registers: PressureHints::Off, ..HintOptions::default() };
    let all = inlay_hints(&snapshot, 0..text.len(), &options, &figures(&snapshot));
    let mut out = String::new();
    for hint in all.iter().filter(|h| h.text().starts_with('◀')) {
        let line = text.lines().nth(snapshot.rope().byte_to_line(hint.offset)).unwrap_or_default();
        out.push_str(&format!("{} {}\n", line.trim(), hint.text()));
    }
    out
}

#[test]
fn hints_for_the_block_of_a_launch() {
    expect![[r#"
        ld.global.f32 %f2, [%rd5+4]; ◀ uncoalesced: 16 sectors
        st.shared.f32 [%r8], %f2; ◀ shared: 4-way bank conflict (lanes 0, 4, 8 …)
    "#]]
    .assert_eq(&hints(TEXT, AddressHints::Costly));
    assert_eq!(hints(TEXT, AddressHints::Off), "");
}

#[test]
fn hints_without_a_launch_say_their_assumption() {
    let text = TEXT.replace("//! launch: grid=1 block=16,16\n", "");
    expect![[r#"
        .visible .entry tile(.param .u64 x, .param .u32 n) ◀ * if blockDim.x is a multiple of 32
        ld.global.f32 %f1, [%rd3]; ◀ coalesced: 4–5 sectors*
        ld.global.f32 %f2, [%rd5+4]; ◀ stride 128 B: 32 sectors*
        st.shared.f32 [%r8], %f2; ◀ shared: 8-way bank conflict (lanes 0, 4, 8 …)*
    "#]]
    .assert_eq(&hints(&text, AddressHints::All));
}

#[test]
fn hovers_say_what_registers_hold() {
    let snapshot = Snapshot::new(TEXT);
    let figures = figures(&snapshot);
    let at = |place: &str, word: &str| {
        let start = TEXT.find(place).expect("the place");
        let offset = start + TEXT[start..].find(word).expect("the word");
        let text = hover(&snapshot, offset, Some(&figures)).expect("a hover").markdown;
        let kept = text
            .lines()
            .filter(|l| l.contains(" = ") && l.starts_with('`') || l.starts_with("Address") || l.starts_with("A warp"));
        kept.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(at("mad.lo.s32", "%r5"), "`%r5 = ctaid.x·ntid.x + tid.x`");
    expect![[r#"
        `%rd3 = x + 4·(ctaid.x·ntid.x + tid.x)`
        A warp accesses 4 bytes each lane, in 2–3 sectors of 32 bytes (2 if `x` is aligned to 32 bytes). This is for a block of 16×16×1 threads, as in the launch above the kernel."#]]
    .assert_eq(&at("ld.global.f32 %f1", "%rd3"));
    expect![[r#"
        Address: `sh + 32·tid.x`
        A warp accesses 4 bytes each lane in shared memory with a 4-way bank conflict (lanes 0, 4, 8 …): 4 passes; without conflicts 1 would be enough. This is for a block of 16×16×1 threads, as in the launch above the kernel."#]]
    .assert_eq(&at("st.shared.f32 [%r8]", "st"));
    // A stride that a parameter gives: the address, but no traffic.
    assert_eq!(at("st.shared.u8", "st"), "Address: `sh + n·tid.x`");
}

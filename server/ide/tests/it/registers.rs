//! Register reports: lenses, hints and hovers.

use expect_test::{Expect, expect};
use ptx_analysis::{Analyzer, Figures};
use ptx_ide::{
    HintOptions, LensKind, LensOptions, PressureHints, code_lenses, function_pressure, held_values, hover, inlay_hints,
    resolve_lens,
};
use ptx_syntax::{Document, Snapshot};

/// A kernel with 8 values live from their loads to a sum.
const TEXT: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 from, .param .u64 to)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
    ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];
    add.u32 %r9, %r1, %r2; add.u32 %r10, %r3, %r4;
    setp.eq.u32 %p1, %r9, 0;
    @%p1 add.u32 %r9, %r9, 1;
    add.u32 %r9, %r9, %r5;
    add.u32 %r9, %r9, %r6;
    add.u32 %r9, %r9, %r7;
    add.u32 %r9, %r9, %r8; // the last
    add.u32 %r9, %r9, %r10;
    st.global.u32 [%rd2], %r9;
    ret;
}
.func f(.reg .b32 a) { ret; }
.func declared();
";

/// The register reports after the flow lints of a text, given the previous reports.
fn pass(snapshot: &Snapshot, before: &Figures) -> Figures {
    let mut analyzer = Analyzer::default();
    analyzer.keep_addresses();
    let target = analyzer.analyze(snapshot).environment.target;
    analyzer.lints(snapshot, &|| false).unwrap();
    before.next(snapshot, &analyzer.facts(), target)
}

pub fn figures(snapshot: &Snapshot) -> Figures {
    pass(snapshot, &Figures::default())
}

/// The texts of the hints, each with its line.
fn hints(snapshot: &Snapshot, figures: &Figures, registers: PressureHints) -> String {
    let options = HintOptions { registers, ..HintOptions::default() };
    let all = inlay_hints(snapshot, 0..snapshot.rope().len_bytes(), &options, figures);
    let mut out = String::new();
    for hint in all.iter().filter(|h| h.text().starts_with('◀')) {
        let rope = snapshot.rope();
        let line = rope.byte_to_line(hint.offset);
        let text = snapshot.text(rope.line_to_byte(line)..hint.offset);
        out.push_str(&format!("{}: {} {}\n", line + 1, text.trim_start(), hint.text()));
    }
    out
}

fn lenses(snapshot: &Snapshot, figures: &Figures) -> String {
    let options = LensOptions { calls: false, evaluate: false, ..LensOptions::default() };
    let mut out = String::new();
    for lens in code_lenses(snapshot, &options) {
        assert_eq!(lens.kind, LensKind::Registers);
        let says = resolve_lens(snapshot, lens.kind, lens.range.start, figures).unwrap();
        out.push_str(&format!("{}: {}\n", snapshot.text(lens.range), says.title));
    }
    out
}

fn hovered(snapshot: &Snapshot, text: &str, figures: &Figures, expected: &Expect) {
    let offset = snapshot.text(0..snapshot.rope().len_bytes()).find(text).unwrap();
    expected.assert_eq(&(hover(snapshot, offset, Some(figures)).unwrap().markdown + "\n"));
}

/// A text without the estimated numbers, which other tests check.
fn without_estimate(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let cut = line.find('≈').map_or(line, |at| &line[..at + '≈'.len_utf8()]);
        out.push_str(cut);
        out.push('\n');
    }
    out
}

#[test]
fn hints_where_most_are_live_and_everywhere() {
    let snapshot = Snapshot::new(TEXT);
    let figures = figures(&snapshot);
    assert_eq!(hints(&snapshot, &figures, PressureHints::Off), "");
    expect![[r#"
        12: ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16]; ◀ peak: 10 live
    "#]]
    .assert_eq(&hints(&snapshot, &figures, PressureHints::Peaks));
    expect![[r#"
        9: ld.param.u64 %rd1, [from]; ◀ 2 live
        10: ld.param.u64 %rd2, [to]; ◀ 4 live
        11: ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; ◀ 8 live
        12: ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16]; ◀ peak: 10 live
        13: add.u32 %r9, %r1, %r2; add.u32 %r10, %r3, %r4; ◀ peak: 10 live
        14: setp.eq.u32 %p1, %r9, 0; ◀ 8 live
        15: @%p1 add.u32 %r9, %r9, 1; ◀ 8 live
        16: add.u32 %r9, %r9, %r5; ◀ 8 live
        17: add.u32 %r9, %r9, %r6; ◀ 7 live
        18: add.u32 %r9, %r9, %r7; ◀ 6 live
        19: add.u32 %r9, %r9, %r8; // the last ◀ 5 live
        20: add.u32 %r9, %r9, %r10; ◀ 4 live
        21: st.global.u32 [%rd2], %r9; ◀ 3 live
    "#]]
    .assert_eq(&hints(&snapshot, &figures, PressureHints::All));
}

#[test]
fn hints_of_a_part_are_those_of_all() {
    let snapshot = Snapshot::new(TEXT);
    let figures = figures(&snapshot);
    let options = HintOptions { registers: PressureHints::All, ..HintOptions::default() };
    let all = inlay_hints(&snapshot, 0..TEXT.len(), &options, &figures);
    for start in (0..TEXT.len()).step_by(7) {
        let end = (start + 90).min(TEXT.len());
        let part = inlay_hints(&snapshot, start..end, &options, &figures);
        let within: Vec<_> = all.iter().filter(|h| (start..=end).contains(&h.offset)).cloned().collect();
        assert_eq!(part, within, "{start}..{end}");
    }
}

#[test]
fn lenses_before_and_after_somebody_has_looked() {
    let snapshot = Snapshot::new(TEXT);
    expect![[r#"
        sum: registers: …
        f: registers: …
    "#]]
    .assert_eq(&lenses(&snapshot, &Figures::default()));
    expect![[r#"
        sum: ≈
        f: ≈
    "#]]
    .assert_eq(&without_estimate(&lenses(&snapshot, &figures(&snapshot))));
}

/// A kernel with 24 values of 64 bits live across a loop: it needs 48 registers and a few more.
fn wide(header: &str) -> String {
    let values = |what: &dyn Fn(usize) -> String| (0..12).map(|i| what(i * 2)).collect::<String>();
    let loads = values(&|i| format!("ld.global.v2.f64 {{%fd{i}, %fd{}}}, [%rd1+{}];\n", i + 1, i * 8));
    let stores = values(&|i| format!("st.global.v2.f64 [%rd1+{}], {{%fd{i}, %fd{}}};\n", i * 8, i + 1));
    let steps: String = (0..24).map(|i| format!("fma.rn.f64 %fd{i}, %fd{i}, %fd24, %fd{i};\n")).collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry wide(.param .u64 to)\n{header}\n{{\n\
         .reg .f64 %fd<25>;\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n.reg .pred %p;\nld.param.u64 %rd1, [to];\nmov.u32 %r1, 0;\n\
         {loads}again:\nld.global.f64 %fd24, [%rd1+192];\n{steps}add.u32 %r1, %r1, 1;\nadd.u64 %rd1, %rd1, 8;\n\
         setp.lt.u32 %p, %r1, 100;\n@%p bra again;\n{stores}ret;\n}}\n"
    )
}

#[test]
fn lenses_tell_of_occupancy_and_spills() {
    let title = |text: &str| {
        let snapshot = Snapshot::new(text);
        lenses(&snapshot, &figures(&snapshot)).lines().next().unwrap().to_owned()
    };
    assert!(
        title(TEXT).contains(" registers (")
            && title(TEXT).ends_with(") · 64 of 64 warps per SM · CTAs of 256 threads assumed"),
        "{}",
        title(TEXT)
    );
    let bounded = title(&wide(".maxntid 256"));
    let [_, warps, fewer] = bounded.split(" · ").collect::<Vec<_>>()[..] else { panic!("{bounded}") };
    assert_eq!(warps, "32 of 64 warps per SM, limited by registers");
    assert!(fewer.ends_with(" fewer: 40 warps"), "{fewer}");
    let held = title(&wide(".maxnreg 24"));
    // All that is likely is the limit, so there is no range.
    assert!(held.contains("≈ 24 registers, ") && held.contains(" needed: spills are likely · "), "{held}");
    let snapshot = Snapshot::new(&wide(".maxnreg 24"));
    let page =
        hover(&snapshot, snapshot.text(0..200).find("wide").unwrap(), Some(&figures(&snapshot))).unwrap().markdown;
    assert!(page.contains("- limited to 24 by `.maxnreg` on line 5; "), "{page}");
    assert!(page.contains("**spills are likely**"), "{page}");
}

#[test]
fn what_was_known_stays_in_place_while_somebody_types() {
    let mut document = Document::new(TEXT);
    let first = document.snapshot();
    let known = figures(&first);
    let (at_first, peaks_at_first) = (lenses(&first, &known), hints(&first, &known, PressureHints::Peaks));

    // Insert the beginning of a line before the peak.
    let place = TEXT.find("    ld.global.v4.u32 {%r1").unwrap();
    document.edit(place..place, "    add.u\n");
    let second = document.snapshot();
    let moved = known.moved(second.edits_since(first.id()));
    assert_eq!(lenses(&second, &moved), at_first);
    let peaks = hints(&second, &moved, PressureHints::Peaks);
    assert_eq!(peaks, peaks_at_first.replacen("12:", "13:", 1));

    // Typing stops, and the function has an error: the report stays the same, but is marked.
    let passed = pass(&second, &moved);
    assert!(!passed.looks_like(&moved));
    assert_eq!(hints(&second, &passed, PressureHints::Peaks), peaks);
    assert!(lenses(&second, &passed).lines().next().unwrap().ends_with(" · before the error in it"));
    assert!(pass(&second, &passed).looks_like(&passed), "nothing is new");

    // The whole text is replaced: only the name is still valid.
    let replaced = passed.moved(None);
    assert_eq!(hints(&second, &replaced, PressureHints::Peaks), "");
    assert_eq!(lenses(&second, &replaced), lenses(&second, &passed));

    // The edit is undone.
    document.edit(place..place + "    add.u\n".len(), "");
    let third = document.snapshot();
    let undone = passed.moved(third.edits_since(second.id()));
    let passed = pass(&third, &undone);
    assert!(!passed.looks_like(&undone), "the mark goes");
    assert_eq!(lenses(&third, &passed), at_first);
    assert_eq!(hints(&third, &passed, PressureHints::Peaks), peaks_at_first);
}

#[test]
fn a_function_under_another_name_and_one_that_was_never_understood() {
    let mut document = Document::new(TEXT);
    let first = document.snapshot();
    let known = figures(&first);
    let name = TEXT.find("sum(").unwrap();
    document.edit(name..name + 3, "total");
    let second = document.snapshot();
    let moved = known.moved(second.edits_since(first.id()));
    assert_eq!(lenses(&second, &moved), lenses(&first, &known).replacen("sum", "total", 1));

    let wrong = Snapshot::new(&TEXT.replace("setp.eq", "setpeq"));
    let mut said = lenses(&wrong, &figures(&wrong));
    said.truncate(said.find('\n').unwrap());
    assert_eq!(said, "sum: registers: unknown, because of an error");
}

#[test]
fn a_function_that_is_taken_out_leaves_the_next_one_alone() {
    let twice = TEXT.replace(
        ".func f",
        &format!(
            "{}.func f",
            TEXT[TEXT.find(".visible").unwrap()..TEXT.find(".func f").unwrap()]
                .replace("sum", "again")
                .replace("%r8;", "%r7;")
        ),
    );
    let mut document = Document::new(&twice);
    let first = document.snapshot();
    let known = figures(&first);
    let (from, to) = (twice.find(".visible").unwrap(), twice.rfind(".visible").unwrap());
    document.edit(from..to, "");
    let second = document.snapshot();
    let moved = known.moved(second.edits_since(first.id()));
    let passed = pass(&second, &moved);
    assert_eq!(lenses(&second, &moved), lenses(&second, &passed));
    assert_eq!(hints(&second, &moved, PressureHints::All), hints(&second, &passed, PressureHints::All));
}

#[test]
fn nothing_is_new_where_nothing_is() {
    for (place, text) in [(TEXT.len(), "// more\n"), (TEXT.find("the last").unwrap(), "really ")] {
        let mut document = Document::new(TEXT);
        let first = document.snapshot();
        let known = figures(&first);
        document.edit(place..place, text);
        let next = document.snapshot();
        let moved = known.moved(next.edits_since(first.id()));
        assert!(pass(&next, &moved).looks_like(&moved), "{text}");
    }
    // The instruction at the peak is written again: its position was lost, so the client must learn the new one.
    let mut document = Document::new(TEXT);
    let first = document.snapshot();
    let known = figures(&first);
    let place = TEXT.find("ld.global.v4.u32 {%r5").unwrap();
    document.edit(place..place + 2, "ld");
    let next = document.snapshot();
    let moved = known.moved(next.edits_since(first.id()));
    assert_ne!(hints(&next, &moved, PressureHints::Peaks), hints(&first, &known, PressureHints::Peaks));
    let passed = pass(&next, &moved);
    assert!(!passed.looks_like(&moved));
    assert_eq!(hints(&next, &passed, PressureHints::Peaks), hints(&first, &known, PressureHints::Peaks));
}

#[test]
fn hover_tells_what_a_register_costs() {
    let snapshot = Snapshot::new(TEXT);
    let figures = figures(&snapshot);
    hovered(
        &snapshot,
        "%rd2, [to]",
        &figures,
        &expect![[r#"
            Here: `d` of `ld.param.u64` – Where the value goes (written: `.u64` or wider)

            ```ptx
            .reg .b64 %rd<4>;
            ```

            One of 4 registers; written once, read once.

            - live across 12 of 15 instructions
            - takes 2 registers of 32 bits, live at the peak: 10 registers, on line 12
            - uniform: the same in all threads of the CTA

            `%rd2 = to`

            ```ptx
            st.global.u32 [%rd2], %r9;  // reads
            ```
        "#]],
    );
    hovered(
        &snapshot,
        "%p1, %r9",
        &figures,
        &expect![[r#"
            Here: `p` of `setp.eq.u32` – The outcome; with a Boolean operator combined with `c` (written: `.pred`; `_` discards it)

            ```ptx
            .reg .pred %p<2>;
            ```

            One of 2 registers; written once, read once.

            - live from one instruction to the next
            - takes 1 predicate
            - may differ from lane to lane

            ```ptx
            @%p1 add.u32 %r9, %r9, 1;  // reads
            ```
        "#]],
    );
    hovered(
        &snapshot,
        "%r10;",
        &figures,
        &expect![[r#"
            Here: `b` of `add.u32` – read: `.u32`

            ```ptx
            .reg .b32 %r<20>;
            ```

            One of 20 registers; written once, read once.

            - live across 7 of 15 instructions; this is the last use of its value
            - takes 1 register of 32 bits, not live at the peak: 10 registers, on line 12
            - may differ from lane to lane

            `%r10 = %r3 + %r4`

            ```ptx
            add.u32 %r10, %r3, %r4;  // writes
            ```
        "#]],
    );
}

#[test]
fn hover_tells_what_a_kernel_needs() {
    let snapshot = Snapshot::new(TEXT);
    let page = hover(&snapshot, TEXT.find("sum(").unwrap(), Some(&figures(&snapshot))).unwrap().markdown;
    let lines: Vec<&str> = page.lines().filter(|l| !l.starts_with("**Registers") && !l.contains("warps")).collect();
    expect![[r#"
        ```ptx
        .visible .entry sum(.param .u64 from, .param .u64 to)
        ```

        A kernel.


        - at most 10 registers and 1 predicate live, on line 12: `ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];`

        Live there, the widest and longest-lived first:

        ```ptx
        ld.param.u64 %rd2, [to];                        // %rd2: line 10, 2 registers, held across 12 instructions
        ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];  // %r5 %r6 %r7 %r8: line 12, 4 registers, held across up to 8 instructions
        ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];  // %r1 %r2 %r3 %r4: line 11, 4 registers, held across up to 3 instructions
        ```
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn the_values_of_a_line_take_what_is_counted_there() {
    let snapshot = Snapshot::new(TEXT);
    let figures = figures(&snapshot);
    let functions = function_pressure(&snapshot, &figures, Some("sum"), 0..TEXT.len());
    let [function] = &functions[..] else { panic!("{functions:?}") };
    for line in &function.lines {
        let values = held_values(&snapshot, &figures, line.offset).unwrap();
        let sum: u16 = values.iter().map(|v| v.takes.b32).sum();
        assert_eq!(sum, line.live.b32, "{values:?}");
    }
    let peak = function.peak.unwrap();
    let values = held_values(&snapshot, &figures, peak).unwrap();
    let said: Vec<_> = values.iter().map(|v| format!("{} {} {}", v.name, v.takes.b32, v.instructions)).collect();
    expect!["%rd2 2 12, %r8 1 8, %r7 1 7, %r6 1 6, %r5 1 5, %r3 1 3, %r4 1 3, %r1 1 2, %r2 1 2"]
        .assert_eq(&said.join(", "));
    assert!(function_pressure(&snapshot, &figures, Some("declared"), 0..TEXT.len()).is_empty());
    assert_eq!(function_pressure(&snapshot, &figures, None, 0..TEXT.len()).len(), 2);
}

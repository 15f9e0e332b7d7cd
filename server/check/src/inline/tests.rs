use super::{
    Actions, InlineChecker, InlineConstant, InlineFindings, InlineModule, InlineRegister, InlineText, TargetSet,
};
use crate::{Code, Diagnostic, FixEdit};
use ptx_sema::hir::types::TypeId;
use std::ops::Range;

/// A text with operands as in `asm`: the letters of their constraints, in order; `n` is a constant of unknown value.
struct Sample<'a> {
    ptx: &'a str,
    constraints: &'a str,
    values: &'a [(usize, i128)],
    opaque: Vec<Range<usize>>,
    targets: TargetSet,
}

impl<'a> Sample<'a> {
    fn new(ptx: &'a str, constraints: &'a str) -> Self {
        Self { ptx, constraints, values: &[], opaque: Vec::new(), targets: TargetSet::all() }
    }

    fn with<R>(&self, answer: impl FnOnce(&InlineText<'_>) -> R) -> R {
        let names: Vec<String> = (0..self.constraints.len()).map(|n| format!("%{n}")).collect();
        let (mut registers, mut constants) = (Vec::new(), Vec::new());
        for (index, (name, letter)) in names.iter().zip(self.constraints.chars()).enumerate() {
            let ty = match letter {
                'h' => ".b16",
                'r' => ".b32",
                'l' => ".b64",
                'f' => ".f32",
                'd' => ".f64",
                _ => "",
            };
            let value = self.values.iter().find(|(at, _)| *at == index).map(|(_, value)| *value);
            match TypeId::of(ty) {
                Some(ty) => registers.push(InlineRegister { name, ty, written_only: false }),
                None => constants.push(InlineConstant { name, value }),
            }
        }
        answer(&InlineText {
            ptx: self.ptx,
            registers: &registers,
            constants: &constants,
            opaque: &self.opaque,
            targets: &self.targets,
        })
    }

    fn check(&self) -> InlineFindings {
        self.with(|text| InlineChecker::default().check(text))
    }
}

fn found(ptx: &str, constraints: &str) -> Vec<String> {
    Sample::new(ptx, constraints).check().diagnostics.iter().map(|d| shown(d, ptx)).collect()
}

fn shown(d: &Diagnostic, ptx: &str) -> String {
    format!("{} at `{}`", d.code(), &ptx[d.range.clone()])
}

#[test]
fn operands_are_registers_of_their_constraints() {
    assert!(found("add.u32 %0, %1, %2;", "rrr").is_empty());
    assert_eq!(found("add.u32 %0, %1, %2;", "rrf"), ["operand-type at `%2`"]);
    assert_eq!(found("add.u32 %0, %1, %3;", "rrr"), ["undeclared-name at `%3`"]);
    assert!(found("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p bra L; L: }", "r").is_empty());
}

#[test]
fn one_target_of_the_set_is_enough() {
    for ptx in [
        "wgmma.fence.sync.aligned;",
        "tcgen05.wait::ld.sync.aligned;",
        "cp.async.wait_all;",
        "{ .reg .pred p; shfl.down.b32 %0|p, %1, 1, 31; }",
    ] {
        let problems = found(ptx, "rr");
        assert!(problems.iter().all(|p| p.starts_with("deprecated")), "{ptx}: {problems:?}");
    }
    assert_eq!(
        found("wgmma.fence.sync.aligned; tcgen05.wait::ld.sync.aligned;", ""),
        ["requires-target at `wgmma.fence.sync.aligned`"]
    );
    let mut sample = Sample::new("wgmma.fence.sync.aligned;", "");
    sample.targets = TargetSet::named(["sm_80", "compute_100a"], None).expect("targets");
    assert_eq!(sample.check().diagnostics[0].code(), Code::RequiresTarget);
    sample.targets = TargetSet::named(["sm_80", "sm_90a"], None).expect("targets");
    assert!(sample.check().diagnostics.is_empty());
}

#[test]
fn a_checker_gives_the_same_answer_again() {
    let mut checker = InlineChecker::default();
    let texts = [("add.u32 %0, %1;", "rr"), ("wgmma.fence.sync.aligned;", ""), ("mov.b32 %0, %1", "rr")];
    let fresh = texts.map(|(ptx, constraints)| Sample::new(ptx, constraints).check());
    for _ in 0..3 {
        for ((ptx, constraints), fresh) in texts.iter().zip(&fresh) {
            let again = Sample::new(ptx, constraints).with(|text| checker.check(text));
            assert_eq!(again.diagnostics, fresh.diagnostics, "{ptx}");
        }
    }
}

#[test]
fn constants_of_unknown_value_fit_every_range() {
    assert!(found("bar.sync %0, %1;", "nn").is_empty());
    assert!(found("mov.u32 %0, -%1; mov.u32 %0, %1+4; ld.shared.u32 %0, [%2+%1];", "rnr").is_empty());
    assert!(found("mov.u32 %0, %1*4; mov.u32 %0, (%1<<2)|1;", "rn").is_empty());
    assert_eq!(found("mov.f32 %0, %1;", "fn"), ["operand-type at `%1`"]);
    assert_eq!(found("add.u32 %1, %0, 1;", "rn"), ["operand-kind at `%1`"]);
    let mma = "mma.sync.aligned.m16n8k%0.row.col.f32.bf16.bf16.f32 {%1}, {%1}, {%1}, {%1}; mov.u32 %0, %1;";
    assert_eq!(found(mma, "nr"), ["operand-kind at `%0`"], "the second statement alone is checked");
}

#[test]
fn constants_of_known_value_are_written_out() {
    let mut sample = Sample::new("{ bar.sync %0, %1; mov.u32 %2, %3; }", "nnrf");
    sample.values = &[(0, 17), (1, 128)];
    let found = sample.check().diagnostics;
    let places: Vec<String> = found.iter().map(|d| shown(d, sample.ptx)).collect();
    assert_eq!(places, ["operand-range at `%0`", "operand-type at `%3`"]);
    let mut sample = Sample::new("wgmma.wait_group.sync.aligned %0; add.%1 %2, %2, %2;", "nnr");
    sample.values = &[(0, 1)];
    assert!(sample.check().diagnostics.is_empty());
}

#[test]
fn what_touches_a_hole_is_not_checked() {
    let ptx = "ld.global.XX.b32 %0, [%1]; add.u32 %0, %0, r; addd.u32 %0, %0, 1;";
    let mut sample = Sample::new(ptx, "rl");
    sample.opaque = std::iter::once(10..12).collect();
    let found: Vec<String> = sample.check().diagnostics.iter().map(|d| shown(d, ptx)).collect();
    assert_eq!(found, ["unknown-opcode at `addd`"], "`r` may be declared in the hole");
}

#[test]
fn braces_must_match_in_the_text() {
    assert_eq!(found("{ .reg .b32 x; mov.b32 x, %0;", "r"), ["syntax-error at `{`"]);
    assert_eq!(found("mov.b32 %0, %0; }", "r"), ["syntax-error at `}`"]);
    assert_eq!(found("mov.b64 %0, {%1, %1};", "lr"), [""; 0]);
    let many = found("}} } { { mov.b32 %0, %0;", "r");
    assert_eq!(many, ["syntax-error at `}`"; 3].into_iter().chain(["syntax-error at `{`"; 2]).collect::<Vec<_>>());
}

#[test]
fn a_missing_semicolon_at_the_end_is_no_syntax_error() {
    let sample = Sample::new("mov.b32 %0, %1; add.u32 %0, %1, %f // x", "rr");
    let findings = sample.check();
    assert_eq!(findings.missing_semicolon, Some(34));
    assert_eq!(findings.diagnostics.iter().map(|d| d.code()).collect::<Vec<_>>(), [Code::UndeclaredName]);
    for whole in ["mov.b32 %0, %1;", "{ mov.b32 %0, %1; } // x", "L: ", "", "// x", "mov.b32 %0, %1; /* x */\n"] {
        assert_eq!(Sample::new(whole, "rr").check().missing_semicolon, None, "{whole}");
    }
    assert!(Sample::new("mov.b64 %0, {%1, %1}", "lr").check().missing_semicolon.is_some());
}

#[test]
fn actions_come_from_the_tables() {
    let ptx = "st.global.u32 [%1], %0; bar.sync 0; mbarrier.arrive.shared.b64 %2, [%0]; cvt.u64.u32 %1, %0; \
               ld.global.u32 %0, [%1];";
    let Actions { fences, stores, side_effects, written, .. } = Sample::new(ptx, "rll").check().actions;
    let shown = |ranges: &[Range<usize>]| ranges.iter().map(|r| ptx[r.clone()].to_owned()).collect::<Vec<_>>();
    assert_eq!(shown(&fences), ["bar.sync"]);
    assert_eq!(shown(&stores), ["st.global.u32"]);
    assert_eq!(shown(&side_effects), ["st.global.u32", "bar.sync", "mbarrier.arrive.shared.b64"]);
    assert_eq!(written.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["%2", "%1", "%0"]);
    let chain = "add.cc.u32 %0, %0, 1; addc.cc.u32 %0, %0, 1; subc.u32 %0, %0, 1; add.u32 %0, %0, 1;";
    let carries = Sample::new(chain, "r").check().actions.carries;
    let shown: Vec<_> = carries.iter().map(|c| (&chain[c.range.clone()], c.reads, c.sets)).collect();
    assert_eq!(shown, [("add.cc.u32", false, true), ("addc.cc.u32", true, true), ("subc.u32", true, false)]);
}

#[test]
fn labels_and_declarations_outside_of_braces() {
    let ptx = "A: .reg .b32 x; { B: .reg .b32 y; } mov.b32 x, %0;";
    let findings = Sample::new(ptx, "r").check();
    let shown = |ranges: &[Range<usize>]| ranges.iter().map(|r| ptx[r.clone()].to_owned()).collect::<Vec<_>>();
    assert_eq!(shown(&findings.labels), ["A"]);
    assert_eq!(shown(&findings.declarations), [".reg .b32 x;"]);
}

#[test]
fn fixes_replace_text_only() {
    let sample = Sample::new("add.u3 %0, %1, %1; mul.lo.u32 %0, %0, %1", "rr");
    let found = sample.check().diagnostics;
    let fix = found[0].fixes.first().expect("a fix");
    assert!(matches!(&fix.edits[..], [FixEdit::Replace(range, _)] if *range == (3..6)), "{fix:?}");
    let old = Sample {
        targets: TargetSet::named(["sm_60"], None).expect("a target"),
        ..Sample::new("cp.async.wait_all;", "")
    };
    assert_eq!(old.check().diagnostics[0].fixes, [], "a target cannot be changed here");
}

#[test]
fn a_module_around_a_text_keeps_its_places() {
    let mut sample = Sample::new("add.u32 %0, %0, %1; mul.lo.u32 %0, %0, 3;", "rn");
    sample.values = &[(1, -7)];
    let target = sample.targets.targets()[0];
    let module = sample.with(|text| InlineModule::new(text, target));
    for word in ["add", "mul", "3;"] {
        let at = sample.ptx.find(word).expect("a word");
        let there = module.to_module(at);
        assert!(module.text[there..].starts_with(word));
        assert_eq!(module.to_text(&(there..there + word.len())), Some(at..at + word.len()));
    }
    assert_eq!(module.to_text(&(0..3)), None);
}

#[test]
fn hostile_texts_neither_panic_nor_take_long() {
    let long = ["{".repeat(50_000), "}".repeat(50_000), "%".repeat(50_000), "add.u32 %0, ".repeat(5_000)];
    let work = move || hostile(&long);
    // As deep as the threads of the programs.
    std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread").join().expect("no panic");
}

fn hostile(long: &[String]) {
    for text in long.iter().map(String::as_str).chain(["/*", "\"", "é;", "%é", "%", "$", ".reg", "{%0", "@", "\u{0}"])
    {
        let start = std::time::Instant::now();
        let _ = Sample::new(text, "rn").check();
        assert!(start.elapsed().as_secs() < 30, "{}", &text[..text.len().min(20)]);
    }
}

//! Completion offers every word of the tables somewhere, and offered words lead to legal instructions.

use crate::completion::{at, kernel};
use ptx_analysis::{Analyzer, Severity};
use ptx_ide::{CompletionOptions, Completions, completion, documentation};
use ptx_isa::ISA;
use ptx_isa::tables::{Form, GateKind, Term};
use ptx_syntax::Snapshot;
use std::collections::{BTreeSet, HashMap};

fn labels(found: &Completions) -> BTreeSet<String> {
    found.items.iter().map(|i| i.label.clone()).collect()
}

fn in_kernel(statement: &str) -> Completions {
    at(&kernel("9.5", "sm_100a", statement)).1
}

#[test]
fn every_opcode_is_offered_with_its_documentation() {
    let found = in_kernel("$0");
    let snapshot = Snapshot::new("");
    let mut missing: Vec<&str> = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        let item = found.items.iter().find(|i| i.label == entry.name);
        let told = item.and_then(|i| documentation(&snapshot, &i.topic)).is_some_and(|d| d.contains(entry.summary));
        if !told {
            missing.push(entry.name);
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
}

/// All modifiers of a form before its operands.
fn values(form: &'static Form) -> BTreeSet<&'static str> {
    form.slots.iter().filter(|s| s.after_operand == 0).flat_map(|s| s.values).copied().collect()
}

#[test]
fn every_modifier_is_offered_with_its_documentation() {
    const TRIES: usize = 60;
    let snapshot = Snapshot::new("");
    let mut random = Random(0x5eed);
    let mut missing = Vec::new();
    for opcode in ISA.opcodes {
        let forms: Vec<&'static Form> = opcode.entries.iter().flat_map(|e| e.forms).collect();
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut known: HashMap<String, BTreeSet<String>> = HashMap::new();
        let mut offered = |head: &str| {
            let found = known.entry(head.to_owned()).or_insert_with(|| {
                let found = in_kernel(&format!("{}{head}.$0", opcode.name));
                for item in &found.items {
                    if reached.insert(item.label.clone()) {
                        assert!(documentation(&snapshot, &item.topic).is_some(), "{} of {}", item.label, opcode.name);
                    }
                }
                labels(&found)
            });
            (found.clone(), reached.clone())
        };
        for form in forms {
            for value in values(form) {
                // Completion offers some modifiers only after others: types in their order, or modifiers that must come
                // first.
                'tries: for _ in 0..TRIES {
                    let mut head = String::new();
                    loop {
                        let (found, reached) = offered(&head);
                        if reached.contains(value) {
                            break 'tries;
                        }
                        let own: Vec<&str> = values(form).into_iter().filter(|v| found.contains(*v)).collect();
                        let Some(next) = own.get(random.below(own.len())) else { break };
                        head.push_str(next);
                    }
                }
            }
        }
        // What the manual does not have, or the assembler does not build, is legal, but not offered.
        let documented = |form: &'static Form| {
            let slots = form.slots.iter().enumerate().filter(|(_, slot)| slot.after_operand == 0 && !form.tolerated);
            slots.flat_map(move |(index, slot)| {
                let builds = move |value: &&str| {
                    !form.unbuilt.iter().any(|unbuilt| match unbuilt.when {
                        [] => true,
                        [Term::Slot(test)] => usize::from(test.slot) == index && test.values.contains(value),
                        _ => false,
                    })
                };
                slot.documented().filter(builds)
            })
        };
        let wanted: BTreeSet<&str> = opcode.entries.iter().flat_map(|e| e.forms).flat_map(documented).collect();
        missing.extend(wanted.into_iter().filter(|v| !reached.contains(*v)).map(|v| format!("{}: {v}", opcode.name)));
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_suffix_is_offered_behind_its_operand() {
    let mut missing = Vec::new();
    for opcode in ISA.opcodes {
        for form in opcode.entries.iter().flat_map(|e| e.forms) {
            for slot in form.slots.iter().filter(|s| s.after_operand != 0) {
                for value in slot.values {
                    let operands = vec!["%r1, "; usize::from(slot.after_operand) - 1].concat();
                    let found = in_kernel(&format!("ld.global.b32 {operands}[%rd1].$0"));
                    if !labels(&found).contains(*value) {
                        missing.push(format!("{}: {value}", opcode.name));
                    }
                }
            }
        }
    }
    missing.dedup();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_special_register_is_offered() {
    let mut missing = Vec::new();
    for register in ISA.special_registers {
        let ty = register.ty;
        let name = if register.count > 0 { format!("{}0", register.name) } else { register.name.to_owned() };
        let destination = match ty {
            ".u64" | ".b64" => "%rd1",
            ".pred" => "%p1",
            _ => "%r1",
        };
        let found = labels(&in_kernel(&format!("mov{ty} {destination}, %$0")));
        if register.components.is_empty() {
            if !found.contains(&name) {
                missing.push(name);
            }
            continue;
        }
        let all = labels(&in_kernel(&format!("mov{ty} {destination}, {name}.$0")));
        for component in register.components.chars() {
            if !found.contains(&format!("{name}.{component}")) || !all.contains(&format!(".{component}")) {
                missing.push(format!("{name}.{component}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_directive_is_offered() {
    let head = ".version 9.5\n.target sm_100a\n.address_size 64\n";
    let places = [
        "$0".to_owned(),
        ".version 9.5\n.$0".to_owned(),
        ".version 9.5\n.target sm_90\n.$0".to_owned(),
        format!("{head}$0"),
        format!("{head}.$0"),
        format!("{head}.pragma \"$0"),
        format!("{head}.visible .$0"),
        format!("{head}.global .$0"),
        format!("{head}.global .attribute(.$0"),
        format!("{head}.entry k(.param .u64 .$0"),
        format!("{head}.entry k(.param .$0"),
        format!("{head}.entry k()\n.$0\n{{\n    ret;\n}}\n"),
        format!("{head}.entry k()\n.maxntid 128\n.$0\n{{\n    ret;\n}}\n"),
        format!("{head}.func f()\n.$0\n{{\n    ret;\n}}\n"),
        kernel("9.5", "sm_100a", ".$0"),
        kernel("9.5", "sm_100a", "L: .$0"),
        kernel("9.5", "sm_100a", ".pragma \"$0\";"),
    ];
    let offered: BTreeSet<String> = places.iter().flat_map(|p| labels(&at(p).1)).collect();
    let missing: Vec<&str> = ISA.directives.iter().map(|d| d.name).filter(|n| !offered.contains(*n)).collect();
    // No PTX version has it.
    assert_eq!(missing, [".sreg"]);
}

#[test]
fn every_type_space_target_version_and_constant_is_offered() {
    let head = ".version 9.5\n.target sm_100a, texmode_independent\n.address_size 64\n";
    let places = [
        ".version $0".to_owned(),
        ".version 9.5\n.target $0".to_owned(),
        ".version 9.5\n.target sm_100a, $0".to_owned(),
        format!("{head}.global .$0"),
        format!("{head}.visible .$0"),
        format!("{head}.func f(.$0"),
        format!("{head}.func f(.param .$0"),
        kernel("9.5", "sm_100a", ".$0"),
        kernel("9.5", "sm_100a", ".reg .$0"),
        kernel("9.5", "sm_100a", "L: .callprototype _ (.param .$0"),
        kernel("9.5", "sm_100a", "add.u32 %r1, %r2, $0"),
    ];
    let mut offered: BTreeSet<String> = places.iter().flat_map(|p| labels(&at(p).1)).collect();
    // Other words are modifiers of instructions only.
    for opcode in ISA.opcodes {
        offered.extend(
            opcode
                .entries
                .iter()
                .flat_map(|e| e.forms)
                .flat_map(|f| f.slots)
                .flat_map(|s| s.values)
                .map(|v| (*v).to_owned()),
        );
    }
    // Skip types that cannot be declared: those that no instruction takes either exist by name only.
    let declared = |t: &ptx_isa::tables::TypeInfo| t.registers || t.variables || t.parameters || t.prototypes;
    let names = ISA.types.iter().filter(|t| declared(t)).map(|t| t.name.to_owned());
    let names =
        names.chain(ISA.spaces.iter().map(|s| s.name.to_owned())).chain(ISA.targets.iter().map(|t| t.name.to_owned()));
    let names = names
        .chain(ISA.versions.iter().map(|v| v.version.to_string()))
        .chain(ISA.constants.iter().map(|c| c.name.to_owned()));
    let missing: Vec<String> = names.filter(|n| !offered.contains(n)).collect();
    // No PTX version has it.
    assert_eq!(missing, [".sreg"]);
}

/// The errors of a statement in a kernel.
fn errors(head: &str, statement: &str) -> Vec<String> {
    let begin = head.len() + FIXTURE.len();
    let report =
        Analyzer::default().analyze(&Snapshot::new(&format!("{head}{FIXTURE}    {statement}\n    ret;\n}}\n")));
    let own = report.diagnostics.into_iter().filter(|d| d.severity == Severity::Error && d.range.start >= begin);
    own.map(|d| d.message()).collect()
}

/// xorshift: the same sequence in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }
}

/// Registers of all kinds, and other names that instructions may need.
const FIXTURE: &str = ".address_size 64\n.global .align 16 .b8 gl[512];\n.const .align 16 .b8 cn[512];\n.shared .align 16 .b8 sm[512];\n\
    .global .texref tx;\n.global .surfref su;\n.func (.param .b32 r) f(.param .b32 a) { ret; }\n.func g() { ret; }\n\
    .visible .entry k(.param .align 16 .b8 q[128])\n{\n.reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<160>; .reg .f32 %f<160>; .reg .b64 %rd<32>;\n\
    .reg .f64 %d<16>; .reg .b8 %c<8>; .reg .b128 %q<8>; .reg .f16 %hf<8>; .reg .f16x2 %hx<8>; .local .align 16 .b8 lm[256]; .param .align 16 .b8 lp[128];\n\
    T: .branchtargets L;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\nL:\n";

/// Writes an instruction by accepting offered items at random. Returns the instruction, or the reason of a failure.
fn walk(head: &str, opcode: &str, random: &mut Random) -> Result<String, String> {
    let options = CompletionOptions { snippets: false, unavailable: false };
    let offers = |statement: &str| {
        let text = format!("{head}{FIXTURE}    {statement}");
        let found = completion(&Snapshot::new(&format!("{text}\n    ret;\n}}\n")), text.len(), options);
        found.items.into_iter().map(|i| i.text.unwrap_or(i.label)).collect::<Vec<String>>()
    };
    let clean = |statement: &str| errors(head, &format!("{statement};")).is_empty();
    let opcode = ISA.opcode(opcode).unwrap();
    let mut statement = opcode.name.to_owned();
    let mut modifiers: Vec<String> = Vec::new();
    let complete = |modifiers: &[String]| {
        let words: Vec<&str> = modifiers.iter().map(String::as_str).collect();
        ptx_analysis::mnemonic::resolve(opcode, &words).is_some_and(|h| h.mismatch.is_none())
    };
    // A complete mnemonic may allow further modifiers.
    for _ in 0..20 {
        let found = offers(&format!("{statement}."));
        if found.is_empty() || (complete(&modifiers) && random.below(3) > 0) {
            break;
        }
        let next = found[random.below(found.len())].clone();
        statement.push_str(&next);
        // An item may be two modifiers.
        modifiers.extend(next.split('.').skip(1).map(|m| format!(".{m}")));
    }
    if !complete(&modifiers) {
        return Err(format!("{statement}: the head is not complete"));
    }
    let mut operands = String::new();
    for _ in 0..14 {
        let whole = format!("{statement}{operands}");
        if clean(&whole) {
            return Ok(whole);
        }
        let sign = if operands.is_empty() { " " } else { ", " };
        let mut tried = vec![sign];
        // Some instructions have a pair of results.
        tried.extend((!operands.is_empty() && !operands.contains(',')).then_some("|"));
        let mut next: Vec<String> = Vec::new();
        for sign in tried {
            next.extend(offers(&format!("{whole}{sign}")).into_iter().map(|o| format!("{sign}{o}")));
        }
        // Completion offers no numbers from wide ranges, no argument lists, and no operands of several parts in
        // brackets.
        let Some(next) = next.get(random.below(next.len())) else { return Err(format!("{whole}: nothing is offered")) };
        operands.push_str(next);
    }
    Err(format!("{statement}{operands}: {:?}", errors(head, &format!("{statement}{operands};"))))
}

const MODULES: [(&str, &str); 4] = [("9.5", "sm_100a"), ("8.5", "sm_90a"), ("7.8", "sm_80"), ("6.0", "sm_60")];

#[test]
fn what_is_offered_leads_to_instructions_without_errors() {
    let mut random = Random(0x00c0_ffee);
    let mut wrong: Vec<String> = Vec::new();
    let mut whole: Vec<String> = Vec::new();
    let (mut done, mut open) = (0, 0);
    for (version, target) in MODULES {
        let head = format!(".version {version}\n.target {target}\n");
        let offered = at(&kernel(version, target, "$0")).1.items.into_iter().filter(|i| i.unavailable.is_none());
        let offered: BTreeSet<String> = offered.filter_map(|i| Some(i.label.split('.').next()?.to_owned())).collect();
        for opcode in ISA.opcodes.iter().filter(|o| offered.contains(o.name)) {
            match walk(&head, opcode.name, &mut random) {
                Ok(statement) => {
                    done += 1;
                    whole.push(format!("{version} {target} {statement};"));
                }
                Err(statement) if statement.ends_with("nothing is offered") => open += 1,
                Err(statement) => wrong.push(format!("{target}: {statement}")),
            }
        }
    }
    if let Ok(path) = std::env::var("PTX_WALKS") {
        std::fs::write(path, whole.join("\n")).unwrap();
    }
    assert_eq!(wrong, Vec::<String>::new(), "{done} whole, {open} open");
    assert!(done > 300 && open * 4 < done, "{done} whole, {open} open");
}

#[test]
fn what_is_marked_as_missing_says_so() {
    let found = at(&kernel("7.0", "sm_75", "$0")).1;
    let wgmma = found.items.iter().find(|i| i.label == "wgmma.mma_async").unwrap();
    assert_eq!(wgmma.unavailable.as_deref(), Some("needs PTX 8.0 and sm_90a"));
    let place = |label: &str| found.items.iter().position(|i| i.label == label);
    assert!(place("add") < place("wgmma.mma_async") && place("xor") < place("wgmma.mma_async"));
    // Every item without a mark is available in this version and on this target.
    for item in found.items.iter().filter(|i| i.unavailable.is_none()) {
        let Some(entry) = ISA.opcodes.iter().flat_map(|o| o.entries).find(|e| e.name == item.label) else { continue };
        let late = |f: &Form| {
            f.gates.iter().any(|g| {
                g.kind == GateKind::Needs
                    && g.when.is_empty()
                    && g.alternatives.iter().all(|a| a.feature == Some("sm_90"))
            })
        };
        assert!(
            entry.forms.is_empty() || !entry.forms.iter().all(late) || ISA.opcode(entry.name).is_some(),
            "{}",
            item.label
        );
    }
    let text = kernel("7.0", "sm_75", "");
    let options = CompletionOptions { snippets: true, unavailable: false };
    let offset = text.find("TOP:").unwrap() + 9;
    let hidden = completion(&Snapshot::new(&text), offset, options);
    assert!(hidden.items.iter().all(|i| i.unavailable.is_none()) && hidden.items.iter().any(|i| i.label == "add"));
}

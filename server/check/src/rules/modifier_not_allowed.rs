//! `modifier-not-allowed`: the modifier exists, but not for this instruction.

use super::{did_you_mean, one_of, write_instead};
use crate::diagnostic::{Diagnostic, Fix};
use crate::finding::DiagnosticMessage;
use ptx_isa::ISA;
use ptx_isa::tables::{Form, Opcode};
use ptx_sema::hir::ast::SourceWord;
use std::ops::Range;

/// A modifier that exists, but not for this instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ModifierNotAllowed {
    /// The modifier.
    pub modifier: Box<str>,
    /// Why the instruction does not take it.
    pub reason: Reason,
}

/// A form that takes a modifier, and in which slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Taker {
    /// The form.
    pub form: &'static str,
    /// The name of the slot.
    pub slot: &'static str,
}

/// Why an instruction does not take a modifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    /// No form of the opcode takes it.
    NoForm {
        /// The opcode.
        opcode: &'static str,
        /// The form of the opcode, if it has only one.
        only: Option<&'static str>,
        /// The modifiers that are most likely meant.
        near: Box<[&'static str]>,
        /// The modifiers that may stand there, if one is required.
        expected: Box<[&'static str]>,
        /// The opcodes that take it, if they are few.
        owners: Box<[&'static str]>,
    },
    /// With the modifiers after it, it is one modifier: `.wait.ld` for `.wait::ld`.
    Parted(&'static str),
    /// Other forms of the opcode take it, but not the nearest one.
    OtherForm {
        /// The name of the instruction that the nearest form belongs to.
        name: &'static str,
        /// The nearest form.
        form: &'static str,
        /// A form that takes it.
        taker: Option<Taker>,
    },
    /// It follows an operand that does not take it.
    Suffix {
        /// The form.
        form: &'static str,
    },
    /// It is a type where the opcode takes only other types.
    WrongType {
        /// The opcode.
        opcode: &'static str,
        /// The types that may stand there.
        expected: Box<[&'static str]>,
    },
    /// It is a type that the opcode takes, but not in this operation.
    WrongTypeOfOperation {
        /// The opcode with its modifiers but for types.
        operation: Box<str>,
        /// The types that may stand there.
        expected: Box<[&'static str]>,
    },
    /// It does not go with a type.
    BesideType {
        /// The type.
        ty: Box<str>,
        /// The modifiers that go with it, the likeliest first.
        expected: Box<[&'static str]>,
    },
    /// It stands in the place of a required modifier.
    Instead {
        /// The modifiers that may stand there.
        expected: Box<[&'static str]>,
        /// The nearest form.
        form: &'static str,
    },
}

impl DiagnosticMessage for ModifierNotAllowed {
    fn message(&self) -> String {
        let modifier = &self.modifier;
        match &self.reason {
            Reason::NoForm { opcode, near, expected, .. } if near.is_empty() && !expected.is_empty() => {
                format!("`{opcode}` does not take `{modifier}`: expected {}", one_of(expected))
            }
            Reason::NoForm { opcode, .. } => format!("`{opcode}` does not take `{modifier}`"),
            Reason::Parted(whole) => format!("`{modifier}` is a single modifier: write `{whole}`"),
            Reason::OtherForm { name, .. } => format!("this form of `{name}` does not take `{modifier}`"),
            Reason::Suffix { .. } => format!("this form does not take `{modifier}`"),
            Reason::WrongTypeOfOperation { operation, expected } => {
                format!("`{operation}` does not take `{modifier}` here: expected {}", one_of(expected))
            }
            Reason::WrongType { opcode, expected } => {
                format!("`{opcode}` has no `{modifier}` form: expected {}", one_of(expected))
            }
            Reason::BesideType { ty, expected } => {
                format!("`{modifier}` cannot be used with `{ty}`: expected {}", one_of(expected))
            }
            Reason::Instead { expected, .. } => {
                format!("this form does not take `{modifier}`: expected {}", one_of(expected))
            }
        }
    }

    fn help(&self) -> Option<String> {
        match &self.reason {
            Reason::NoForm { near, .. } if !near.is_empty() => did_you_mean(near),
            Reason::NoForm { only: Some(form), .. } => Some(format!("the form is `{form}`")),
            Reason::NoForm { .. } if ISA.space(&self.modifier).is_some() => {
                let summary = ISA.space(&self.modifier)?.summary;
                (!summary.is_empty()).then(|| super::meaning(&self.modifier, summary))
            }
            Reason::NoForm { owners, expected, .. } if !owners.is_empty() && expected.is_empty() => {
                let owners: Vec<String> = owners.iter().map(|owner| format!("`{owner}`")).collect();
                Some(format!("`{}` is a modifier of {}", self.modifier, super::and(&owners)))
            }
            Reason::NoForm { .. } => None,
            Reason::Parted(_) => None,
            Reason::BesideType { ty, expected } => {
                let near = expected.first().filter(|value| alike(value, &self.modifier))?;
                Some(format!("write `{near}` for `{ty}`"))
            }
            Reason::WrongTypeOfOperation { expected, .. } => pairs(modifier_of(self), expected),
            Reason::OtherForm { form, taker: Some(Taker { form: other, slot }), .. } => {
                Some(format!("remove it: `{form}` has no `.{slot}`; the form with one is `{other}`"))
            }
            Reason::OtherForm { form, taker: None, .. } | Reason::Suffix { form } => {
                Some(format!("remove it: the nearest form is `{form}`"))
            }
            Reason::Instead { form, .. } => Some(format!("the nearest form is `{form}`")),
            Reason::WrongType { opcode, expected } => {
                pairs(modifier_of(self), expected).or_else(|| in_pairs(modifier_of(self), opcode))
            }
        }
    }
}

/// Whether one of two modifiers begins with the other.
fn alike(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn modifier_of(data: &ModifierNotAllowed) -> &str {
    &data.modifier
}

/// The help on a type of two values where a single one is expected: `.bf16x2` for `.bf16`.
fn pairs(modifier: &str, expected: &[&str]) -> Option<String> {
    let single = modifier.strip_suffix("x2").filter(|single| expected.contains(single))?;
    let bits = ISA.ty(modifier)?.bits;
    Some(format!(
        "a register holds two `{single}` values: unpack it with `mov.b{bits} {{%lo, %hi}}, %r;` and use each as `{single}`"
    ))
}

/// The help on a type that an opcode takes in pairs alone: `.e4m3` for `.e4m3x2`.
fn in_pairs(modifier: &str, opcode: &str) -> Option<String> {
    let pair = format!("{modifier}x2");
    let forms = ISA.opcode(opcode)?.entries.iter().flat_map(|e| e.forms);
    let pair = forms.flat_map(Form::documented_values).find(|value| *value == pair)?;
    Some(format!(
        "`{opcode}` takes these values only in pairs: write `{pair}`, with a type of two values for the other operand"
    ))
}

fn new(modifier: SourceWord<'_>, reason: Reason) -> Diagnostic {
    Diagnostic::new(modifier.range(), ModifierNotAllowed { modifier: modifier.text.into(), reason })
}

/// The report on a modifier that no form of the opcode takes. `near` are the modifiers that are most likely meant, `expected` those that
/// may stand there if one is required.
pub(crate) fn report(
    modifier: SourceWord<'_>,
    opcode: &'static Opcode,
    near: &[&'static str],
    expected: &[&'static str],
) -> Diagnostic {
    let forms = opcode.entries.iter().flat_map(|e| e.forms).filter(|f| !f.tolerated);
    let forms: Vec<&'static str> = forms.map(|f| f.documented).collect();
    let only = if let [only] = forms[..] { Some(only) } else { None };
    let slots = |opcode: &'static Opcode| opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots);
    let mut near = near.to_vec();
    if near.is_empty() {
        // `.tensormap` for `.tensormap::generic`
        let begins = |value: &&str| value.strip_prefix(modifier.text).is_some_and(|rest| rest.starts_with("::"));
        near.extend(slots(opcode).flat_map(|slot| slot.documented()).filter(begins));
        near.sort_unstable();
        near.dedup();
        near.truncate(MAX_OWNERS);
    }
    let fixes: Vec<Fix> = near.iter().filter_map(|near| write_instead(modifier.range(), Some(near))).collect();
    const MAX_OWNERS: usize = 4;
    let values =
        |opcode: &'static Opcode| opcode.entries.iter().flat_map(|e| e.forms).flat_map(Form::documented_values);
    let takes = |opcode: &&'static Opcode| values(opcode).any(|value| value == modifier.text);
    let families: Vec<&str> = opcode.entries.iter().map(|e| e.family).collect();
    let related = |o: &&'static Opcode| o.entries.iter().any(|e| families.contains(&e.family));
    let all = || ISA.opcodes.iter().filter(takes);
    let mut owners: Vec<&'static str> = all().filter(related).map(|o| o.name).collect();
    // What a related opcode does is hardly meant to be something else of this one.
    let is_operation = ISA.ty(modifier.text).is_none() && ISA.space(modifier.text).is_none();
    // `.release` for `.acquire` of a store: what its own slot of this name takes.
    let same_slot: Vec<&'static str> = if is_operation { own_slot(opcode, modifier.text, &owners) } else { Vec::new() };
    let expected = if owners.is_empty() || !is_operation { expected } else { &same_slot[..] };
    if !is_operation {
        owners.clear();
    } else if owners.is_empty() {
        owners = all().map(|o| o.name).collect();
    }
    let owners: Box<[&'static str]> = if owners.len() > MAX_OWNERS { Box::default() } else { owners.into() };
    let reason = Reason::NoForm { opcode: opcode.name, only, near: near.into(), expected: expected.into(), owners };
    new(modifier, reason).fixes(fixes)
}

/// The values that an opcode takes in the slot that has a modifier in its `owners`: the memory orders of `st` for one of `ld`.
fn own_slot(opcode: &'static Opcode, modifier: &str, owners: &[&'static str]) -> Vec<&'static str> {
    let slots = |opcode: &'static Opcode| opcode.entries.iter().flat_map(|e| e.forms).flat_map(|f| f.slots);
    let owner = owners.first().and_then(|name| ISA.opcode(name));
    let mut names =
        owner.into_iter().flat_map(slots).filter(|slot| slot.values.contains(&modifier)).map(|slot| slot.name);
    let Some(name) = names.next() else { return Vec::new() };
    let mut values: Vec<&'static str> =
        slots(opcode).filter(|slot| slot.name == name).flat_map(|slot| slot.documented()).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The report on several written modifiers that are one. `range` is where they stand, `parts` how they are written.
pub(crate) fn parted(range: Range<usize>, parts: &str, whole: &'static str) -> Diagnostic {
    let data = ModifierNotAllowed { modifier: parts.into(), reason: Reason::Parted(whole) };
    let fix = Fix::replace(format!("Write `{whole}`"), range.clone(), whole);
    Diagnostic::new(range, data).fix(Fix { preferred: true, ..fix })
}

/// The report on a type that the opcode takes, but not in this operation.
pub(crate) fn wrong_type_of_operation(
    modifier: SourceWord<'_>,
    operation: &str,
    expected: &[&'static str],
) -> Diagnostic {
    new(modifier, Reason::WrongTypeOfOperation { operation: operation.into(), expected: expected.into() })
}

/// The report on a modifier after an operand that does not take it.
pub(crate) fn in_form(modifier: SourceWord<'_>, form: &'static str) -> Diagnostic {
    new(modifier, Reason::Suffix { form })
}

/// The report on a modifier that only other forms take, such as `taker`.
pub(crate) fn extra(
    modifier: SourceWord<'_>,
    name: &'static str,
    form: &'static Form,
    taker: Option<Taker>,
) -> Diagnostic {
    // Only a slot that the nearest form lacks tells why.
    let taker = taker.filter(|taker| form.slots.iter().all(|slot| slot.name != taker.slot));
    new(modifier, Reason::OtherForm { name, form: form.documented, taker })
}

/// The report on a type where the opcode takes only the types in `expected`.
pub(crate) fn wrong_type(modifier: SourceWord<'_>, opcode: &'static str, expected: &[&'static str]) -> Diagnostic {
    new(modifier, Reason::WrongType { opcode, expected: expected.into() })
}

/// The report on a modifier that does not go with a type; `expected` are those that do, the likeliest first.
pub(crate) fn beside_type(modifier: SourceWord<'_>, ty: &str, expected: &[&'static str]) -> Diagnostic {
    new(modifier, Reason::BesideType { ty: ty.into(), expected: expected.into() })
}

/// The report on a modifier in the place of a required one, which must be one of `expected`.
pub(crate) fn instead(modifier: SourceWord<'_>, expected: &[&'static str], form: &'static str) -> Diagnostic {
    new(modifier, Reason::Instead { expected: expected.into(), form })
}

impl Diagnostic {
    /// Whether it is about a modifier that does not go with a type. It brings the fixes along that are meant.
    pub fn is_beside_type(&self) -> bool {
        let is_beside = |data: &ModifierNotAllowed| matches!(data.reason, Reason::BesideType { .. });
        self.finding.data().is_some_and(is_beside)
    }
}

#[cfg(test)]
mod tests {
    use crate::Code;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn modifiers_of_other_instructions() {
        let found = |body: &str| messages(&in_kernel(Code::ModifierNotAllowed, body));
        assert_eq!(found("not.sat.b32 %r1, %r2;"), ["`not` does not take `.sat`"]);
        assert_eq!(
            found("not.u32 %r1, %r2;"),
            ["`not` has no `.u32` form: expected `.pred`, `.b16`, `.b32` or `.b64`"]
        );
        assert_eq!(found("cvt.rn.f32.f32 %f1, %f2;"), ["this form of `cvt` does not take `.rn`"]);
        let wide = in_kernel(Code::ModifierNotAllowed, "add.wide.u32 %rd1, %r1, %r2;");
        assert_eq!(wide[0].help().as_deref(), Some("`.wide` is a modifier of `mad` and `mul`"));
        assert!(found("not.b32 %r1, %r2; add.sat.s32 %r1, %r2, %r3; cvt.rni.f32.f32 %f1, %f2;").is_empty());
    }

    #[test]
    fn modifiers_beside_types_that_fit() {
        let of = |body: &str| {
            let found = in_kernel(Code::ModifierNotAllowed, body);
            let fixes: Vec<String> = found.iter().flat_map(|d| &d.fixes).map(|fix| fix.title.clone()).collect();
            (messages(&found).join("; "), fixes)
        };
        let (message, fixes) = of("cvt.rni.f32.s32 %f1, %r1;");
        assert_eq!(message, "`.rni` cannot be used with `.s32`: expected `.rn`");
        assert_eq!(fixes, ["Write `.rn`"]);
        let (message, fixes) = of("setp.gtu.s32 %p1, %r1, %r2;");
        assert!(message.starts_with("`.gtu` cannot be used with `.s32`: expected `.gt`"), "{message}");
        assert_eq!(fixes, ["Write `.gt`"]);
        // More than one correction is likely, so there is no fix.
        let (message, fixes) = of("setp.hs.f32 %p1, %f1, %f2;");
        assert!(message.starts_with("`.hs` cannot be used with `.f32`") && fixes.is_empty(), "{message} {fixes:?}");
        // Another type fits the operands.
        assert!(of("setp.lt.b32 %p1, %r1, %r2;").0.starts_with("`setp.lt` does not take `.b32` here"));
        let bulk = "cp.async.bulk.shared.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];";
        let shortened = "this form does not take `.shared`: expected `.shared::cta` or `.shared::cluster`";
        assert_eq!(of(bulk).0, shortened);
    }

    #[test]
    fn modifiers_in_the_place_of_others() {
        let of = |body: &str| messages(&in_kernel(Code::ModifierNotAllowed, body));
        let mma = |mnemonic: &str| {
            of(&format!(
                "mma.sync.aligned.{mnemonic} {{%f1,%f2,%f3,%f4}}, {{%r1,%r2,%r3,%r4}}, {{%r3,%r4}}, {{%f1,%f2,%f3,%f4}};"
            ))
        };
        assert_eq!(mma("m16n8k16.row.row.f32.f16.f16.f32"), ["this form does not take `.row`: expected `.col`"]);
        let types = "`mma.sync.aligned.m16n8k8.row.col` does not take `.f32` here: expected `.f16`, `.bf16` or `.tf32`";
        assert_eq!(mma("m16n8k8.row.col.f32.f32.f32.f32"), [types]);
        let wgmma = "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;";
        assert!(
            of(wgmma)[0].starts_with("this form does not take `.m64n8k32`: expected `.m64n8k16`"),
            "{:?}",
            of(wgmma)
        );
        let cluster = "`barrier.cluster` does not take `.sync` here: expected `.arrive` or `.wait`";
        assert_eq!(of("barrier.cluster.sync;"), [cluster]);
        assert_eq!(
            of("cp.async.bulk.wait_all;"),
            ["`cp.async.bulk` does not take `.wait_all` here: expected `.wait_group`"]
        );
    }
}

//! Checks the state space and the type of a declaration.

use super::site::DeclarationSite;
use crate::diagnostic::Diagnostic;
use crate::rules::misplaced_declaration::Home;
use crate::rules::variable_type::{DeclaredKind, OpaquePlace};
use crate::rules::{gates, misplaced_declaration, syntax_error, variable_type, vector_type};
use ptx_isa::ISA;
use ptx_isa::tables::{DeclarationPlace, Gate, GateKind, SpaceInfo, TypeClass, TypeInfo};
use ptx_sema::hir::ast::{Declaration, SourceWord};
use ptx_sema::hir::symbols::VariableOrigin;
use ptx_sema::hir::types::TypeId;
use ptx_sema::target::Environment;

/// The number of the last constant bank: `.const[10]`.
const LAST_BANK: i128 = 10;
/// Maximum size of a vector, in bits.
const MAX_VECTOR_BITS: u32 = 128;

/// Checks the state space. Returns its name, and whether this declaration is allowed in it.
pub(super) fn check(
    declaration: &Declaration<'_>,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> (&'static str, bool) {
    // The check of the parameter list reports a parameter without a state space or in a wrong one.
    let Some(&word) = declaration.spaces.first() else { return ("", false) };
    let in_body = site.origin == VariableOrigin::Body;
    let Some(space) = ISA.space(word.text).filter(|s| !s.declared.is_empty()) else {
        let base = word.text.split_once("::").map(|(base, _)| base);
        out.push(misplaced_declaration::never(word, base));
        return ("", false);
    };
    if let Some(bank) = declaration.bank {
        return (space.name, self::bank(declaration, space, bank, environment, out));
    }
    let place = site.place();
    let mut gate = None;
    for entry in space.declared.iter().filter(|d| d.names.contains(&place)) {
        match environment.refused(entry.gates, |_| true) {
            None => return (space.name, true),
            Some(refusal) => gate = Some(refusal),
        }
    }
    // The check of the parameter list reports parameters in a space that parameters cannot have.
    match gate {
        None if site.is_parameter() => {}
        None => {
            let note = space.gates.iter().map(|gate| gate.note).find(|note| !note.is_empty()).unwrap_or("");
            out.push(misplaced_declaration::not_here(word, in_body, home(space), note));
        }
        Some(gate) if gate.kind == GateKind::Needs || home(space).is_none() => {
            out.push(gates::refused(word.range(), word.text, gate, std::iter::once(gate), environment));
        }
        // ptxas: a declaration without names declares nothing, so it may stand there.
        Some(_) if declaration.declarators.is_empty() => return (space.name, true),
        Some(gate) => out.push(misplaced_declaration::no_longer(word, in_body, gate, environment)),
    }
    ("", false)
}

/// Where variables of a space may be declared in every version that has them.
fn home(space: &SpaceInfo) -> Option<Home> {
    let always = |name: &str| {
        space.declared.iter().any(|d| d.names.contains(&name) && d.gates.iter().all(|g| g.kind == GateKind::Needs))
    };
    match (always("module"), always("body"), always("parameter")) {
        (true, false, _) => Some(Home::Module),
        (false, true, true) => Some(Home::BodyAndParameters),
        (false, true, false) => Some(Home::Body),
        _ => None,
    }
}

/// Checks a bank number, `.const[2]`, which only the first PTX versions had. True if the declaration is allowed.
fn bank(
    declaration: &Declaration<'_>,
    space: &'static SpaceInfo,
    word: SourceWord<'_>,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> bool {
    let entries =
        |name: &str| space.declared.iter().find(|d: &&DeclarationPlace| d.names.contains(&name)).map(|d| d.gates);
    let Some(needs) = entries("bank") else {
        out.push(misplaced_declaration::no_banks(word, space.name));
        return false;
    };
    let number = word.text.trim_matches(['[', ']']).parse().unwrap_or(0);
    let refused = |of: &'static [Gate]| environment.refused(of, |_| true);
    let report = |gate| gates::refused(word.range(), word.text, gate, std::iter::once(gate), environment);
    if let Some(gate) = refused(needs) {
        out.push(report(gate));
        return false;
    }
    let open = declaration.declarators.iter().all(|d| matches!(d.dimensions.first(), Some((_, None))));
    let external = open && declaration.linkages.iter().any(|l| l.text == ".extern");
    if external != (number > 0) || number > LAST_BANK {
        out.push(misplaced_declaration::bank(word, LAST_BANK));
        return false;
    }
    if let Some(gate) = entries("external-bank").filter(|_| number > 0).and_then(refused) {
        out.push(report(gate));
    }
    true
}

/// Checks the type and the vector length. False if no variable in this state space can have them.
pub(super) fn types(
    declaration: &Declaration<'_>,
    space: &str,
    site: DeclarationSite,
    environment: &Environment,
    out: &mut Vec<Diagnostic>,
) -> bool {
    let Some(&word) = declaration.types.first() else { return false };
    let Some(ty) = TypeId::of(word.text).map(TypeId::info) else {
        out.push(syntax_error::not_a_type(word));
        return false;
    };
    let names = &declaration.declarators;
    // A declaration without names passes for one of arrays alone when the gates are checked.
    let sized = names.iter().all(|d| !d.dimensions.is_empty());
    let arrays = sized && !names.is_empty() && names.iter().all(|d| d.initializer.is_none());
    if let Some(wrong) = wrong_type(word, ty, space, site, arrays) {
        out.push(wrong);
        return false;
    }
    if let Some(&vector) = declaration.vectors.first()
        && let Some(wrong) = wrong_vector(vector, ty, space, site.bodiless || arrays)
    {
        out.push(wrong);
        return false;
    }
    if space == ".tex" && declaration.declarators.iter().any(|d| !d.dimensions.is_empty()) {
        out.push(variable_type::texture_space(word));
        return false;
    }
    // ptxas does not check the gates of a type in every declaration. It checks those of a packed type such as `.f16x2` unless the
    // declaration is a vector. It checks those of other types only if there is a body and some declared name is not an array.
    let gated = match ty.class {
        _ if ty.ungated => false,
        TypeClass::Packed => ty.registers && declaration.vectors.is_empty(),
        _ => !site.bodiless && !sized,
    };
    if gated {
        out.extend(gates::check(word.range(), word.text, ty.gates, environment, |_| true));
    }
    true
}

/// The report on a type that nothing in a state space can have. `arrays`: only arrays are declared.
fn wrong_type(
    word: SourceWord<'_>,
    ty: &TypeInfo,
    space: &str,
    site: DeclarationSite,
    arrays: bool,
) -> Option<Diagnostic> {
    // ptxas does not look at the type of the elements of an array in memory, except for predicates, and for textures in a body.
    if arrays && site.bodiless && ty.class == TypeClass::Pred && space != ".reg" {
        return Some(variable_type::predicate(word, space));
    }
    let in_body = ty.class == TypeClass::Opaque && site.origin == VariableOrigin::Body;
    let arrays = arrays && !matches!(space, ".reg" | ".tex") && ty.class != TypeClass::Pred && !in_body;
    let exists = ty.registers || ty.variables || (ty.prototypes && (site.bodiless || arrays));
    if !exists {
        let declared = match space {
            ".reg" => DeclaredKind::Register,
            _ if site.is_parameter() => DeclaredKind::Parameter,
            _ => DeclaredKind::Variable,
        };
        return Some(variable_type::instructions_only(word, declared));
    }
    if site.bodiless || arrays {
        return None;
    }
    if ty.class == TypeClass::Opaque {
        let place = match (site.origin, space) {
            (VariableOrigin::Module, ".global") | (VariableOrigin::KernelParameter, ".param") => return None,
            (_, ".reg") => OpaquePlace::Register,
            (VariableOrigin::Body, _) => OpaquePlace::Function,
            (VariableOrigin::Parameter | VariableOrigin::Result, _) => OpaquePlace::Parameter,
            _ => OpaquePlace::Space(space.into()),
        };
        return Some(variable_type::opaque(word, place));
    }
    match space {
        ".reg" => (!ty.registers).then(|| variable_type::instructions_only(word, DeclaredKind::Register)),
        _ if ty.class == TypeClass::Pred => Some(variable_type::predicate(word, space)),
        ".param" => (!ty.parameters).then(|| variable_type::parameter(word, ty.bits)),
        ".tex" => {
            let fits = ty.class == TypeClass::Uint && matches!(ty.bits, 32 | 64);
            (!fits).then(|| variable_type::texture_space(word))
        }
        _ => (!ty.variables).then(|| variable_type::instructions_only(word, DeclaredKind::Variable)),
    }
}

/// The report on a vector length that nothing in a state space can have. `lenient`: arrays, or parameters of a function without a body.
fn wrong_vector(word: SourceWord<'_>, ty: &TypeInfo, space: &str, lenient: bool) -> Option<Diagnostic> {
    let elements: u32 = word.text.get(2..)?.parse().ok()?;
    let bits = elements * u32::from(ty.bits);
    if !matches!(elements, 2 | 4) {
        Some(vector_type::length(word))
    } else if !ty.vectors {
        Some(vector_type::element(word, ty.name))
    } else if bits > MAX_VECTOR_BITS {
        Some(vector_type::too_wide(word, ty.name, bits))
    } else if space == ".param" && !lenient {
        Some(vector_type::parameter(word, bits / 8))
    } else if space == ".tex" {
        Some(variable_type::texture_space(word))
    } else {
        None
    }
}

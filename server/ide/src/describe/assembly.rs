//! What the assembler parses and does not build, as sentences. Its release is that of the recorded verdicts.

use super::form::condition;
use ptx_analysis::{Code, Diagnostic};
use ptx_isa::ISA;
use ptx_isa::tables::{Entry, Form, Outcome, Unbuilt};

/// What the assembler does with something that it does not build: `ptxas 13.5 does not build`.
fn verdict(outcome: Outcome) -> String {
    let verb = if outcome == Outcome::Crash { "crashes on" } else { "does not build" };
    format!("ptxas {} {verb}", ISA.assembler)
}

fn reason(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" – {}", text.trim_end_matches('.')) }
}

/// What the assembler does not build, in a few words and without the reason.
pub fn unbuilt_label(outcome: Outcome) -> String {
    format!("{} it", verdict(outcome))
}

/// What the assembler does not build of a form, and why: `` ptxas 13.5 does not build it with `.u32` – … ``
pub fn unbuilt(unbuilt: &Unbuilt, form: &Form) -> String {
    let (object, when) = match condition(unbuilt.when, form) {
        when if when.is_empty() => ("this form", when),
        when => ("it", format!(" {when}")),
    };
    format!("{} {object}{when}{}", verdict(unbuilt.outcome), reason(unbuilt.note))
}

/// That the assembler does not build a statement, and why: the page of the statement begins with it.
pub fn unbuilt_statement(unbuilt: &Unbuilt) -> String {
    bold(unbuilt.outcome, unbuilt.note)
}

/// The same by the diagnostics of the statement. `None` if it is built, and if it is not even parsed.
pub fn unbuilt_by(diagnostics: &[Diagnostic]) -> Option<String> {
    if diagnostics.iter().any(Diagnostic::is_parse_error) {
        return None;
    }
    let crashes = |d: &Diagnostic| d.code() == Code::AssemblerCrash;
    let diagnostic = diagnostics.iter().find(|d| d.is_build_error() || crashes(d))?;
    // What the message of these says is in the verdict; the help says why.
    let why = match diagnostic.code() {
        Code::AssemblerCrash | Code::NotAssembled => diagnostic.help().unwrap_or_default(),
        _ => diagnostic.message(),
    };
    Some(bold(if crashes(diagnostic) { Outcome::Crash } else { Outcome::Refused }, &why))
}

fn bold(outcome: Outcome, why: &str) -> String {
    format!("Here: **{} this**{}.", verdict(outcome), reason(why))
}

/// What becomes of an instruction with an address in a 32-bit register; `None` if it is built.
pub fn narrow_address(entry: &Entry) -> Option<String> {
    let becomes = verdict(entry.narrow_addresses);
    (entry.narrow_addresses != Outcome::Built)
        .then(|| format!("{becomes} it with a generic or global address in a 32-bit register."))
}

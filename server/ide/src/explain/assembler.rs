//! What `ptxas` and the driver say, and which of our diagnostics are about it.

use super::words;
use crate::describe::MarkdownPage;
use ptx_analysis::Code;
use ptx_isa::ISA;

/// A message and what to do about it.
struct AssemblerMessage {
    /// Parts of the message, in lower case, that must occur in this order; separated by `*`.
    pattern: &'static str,
    /// What it means and what to do.
    meaning: &'static str,
    /// The diagnostics that report the same mistake, the likeliest first.
    codes: &'static [Code],
}

const fn said(pattern: &'static str, meaning: &'static str, codes: &'static [Code]) -> AssemblerMessage {
    AssemblerMessage { pattern, meaning, codes }
}

/// The messages; the first that fits is taken, so special ones stand before general ones.
#[rustfmt::skip]
const MESSAGES: &[AssemblerMessage] = &[
    said("arguments mismatch", "An operand has the wrong type, size or kind, or there are too many or too few. The assembler does not say which; `ptx-analyzer check` does.",
        &[Code::OperandType, Code::OperandKind, Code::OperandCount, Code::OperandRange, Code::UndeclaredName]),
    said("argument vector size mismatch", "A list in braces has the wrong number of elements, or a vector register has the wrong length.", &[Code::VectorLength, Code::OperandCount]),
    said("unexpected instruction types specified", "No form of the instruction has this type, or the type is missing.", &[Code::MissingModifier, Code::ModifierNotAllowed, Code::IllegalCombination]),
    said("illegal rounding modifier", "The instruction takes no rounding modifier with this type, or not this one.", &[Code::ModifierNotAllowed, Code::IllegalCombination]),
    said("rounding modifier * required", "The instruction needs `.rn`, `.rz`, `.rm` or `.rp`, or `.approx`.", &[Code::MissingModifier]),
    said("rounding modifier required", "The instruction needs `.rn`, `.rz`, `.rm` or `.rp`.", &[Code::MissingModifier]),
    said("unknown modifier", "No instruction has this modifier: probably it is misspelt.", &[Code::UnknownModifier]),
    said("illegal modifier", "The modifier exists, but not for this instruction, or not together with the others.", &[Code::ModifierNotAllowed, Code::IllegalCombination]),
    said("modifier * required", "A modifier is missing.", &[Code::MissingModifier]),
    said("requires modifier", "A modifier is missing.", &[Code::MissingModifier]),
    said("without * is not supported on .target", "The form without `.sync` was removed: add `.sync` and a mask of lanes.", &[Code::Removed]),
    said("not a name of any known instruction", "No instruction has this name: it is misspelt, or newer than the assembler.", &[Code::UnknownOpcode]),
    said("unknown symbol", "A name is used that nothing declares here: a register outside its range, a variable of another block, or a misspelt label.", &[Code::UndeclaredName]),
    said("undefined reference", "The linker finds no definition of the name.", &[Code::UndefinedFunction, Code::Linkage]),
    said("unresolved extern", "A function is declared and called, but no module that is linked defines it. `vprintf`, `malloc` and `__assertfail` come from the driver; others need `nvlink` or a library.", &[Code::UndefinedFunction, Code::Linkage]),
    said("duplicate definition", "The name is declared twice in one block.", &[Code::DuplicateName, Code::DeclarationMismatch]),
    said("parsing error near", "The syntax is wrong at or before this word: look for a missing `;`, comma or brace on the line before.", &[Code::SyntaxError, Code::MisplacedDirective]),
    said("syntax error", "The syntax is wrong at or before this word: look for a missing `;`, comma or brace on the line before.", &[Code::SyntaxError]),
    said("label expected", "A branch goes to a label; something else stands there.", &[Code::BranchTarget, Code::OperandKind]),
    said("vector operand required", "The instruction needs a list in braces, as long as its `.v2` or `.v4` says.", &[Code::VectorLength, Code::OperandKind]),
    said("result vector expected", "The result is a list in braces: `{%f1, %f2, %f3, %f4}`.", &[Code::VectorLength, Code::OperandKind]),
    said("state space mismatch", "The address lies in another state space than the one that the instruction names.", &[Code::WrongStateSpace]),
    said("state space incorrect", "The instruction does not work on this state space, or the variable lies in another one.", &[Code::WrongStateSpace, Code::StateSpace]),
    said("incorrect state space", "The instruction does not work on this state space, or the variable lies in another one.", &[Code::WrongStateSpace, Code::StateSpace]),
    said("address expected", "An address in brackets is needed: `[%rd1+4]`.", &[Code::UnbracketedAddress, Code::OperandKind]),
    said("memory operand expected", "An address in brackets is needed: `[%rd1+4]`.", &[Code::UnbracketedAddress, Code::OperandKind]),
    said("predicate expression expected", "A guard, or this operand, must be a `.pred` register.", &[Code::GuardPredicate, Code::OperandType]),
    said("special register argument not allowed", "The instruction takes no special register: `mov` it into a register first.", &[Code::OperandKind]),
    said("read-only special register", "Special registers cannot be written.", &[Code::OperandKind]),
    said("arithmetic expression out of range", "A constant does not fit its type.", &[Code::ConstantOverflow, Code::OperandRange]),
    said("out of range, expected to be in range", "A constant operand is outside its range.", &[Code::OperandRange]),
    said("unexpected value * expected to be", "A constant operand has a value that the instruction does not take.", &[Code::OperandRange]),
    said("value out of range", "A constant operand is outside its range.", &[Code::OperandRange, Code::ConstantOverflow]),
    said("applies only to signed numeric types", "The instruction has no unsigned form.", &[Code::ModifierNotAllowed]),
    said("division by zero", "A constant expression divides by zero.", &[Code::DivisionByZero, Code::ConstantExpression]),
    said("call has wrong number of parameters", "The call passes another number of arguments than the function has.", &[Code::CallArguments]),
    said("type of actual * does not match", "An argument or a result of the call has another type than the function declares.", &[Code::CallArguments]),
    said("wrong number of", "The number of arguments is wrong.", &[Code::CallArguments, Code::OperandCount]),
    said("function * not declared", "A function must be declared before it is called: `.extern .func NAME(…);`.", &[Code::UndeclaredName, Code::UndefinedFunction]),
    said("requires ptx isa", "A newer `.version` is needed.", &[Code::RequiresVersion]),
    said("feature * requires", "A newer `.version` or another `.target` is needed.", &[Code::RequiresVersion, Code::RequiresTarget]),
    said("requires .target", "Another `.target` is needed; those with an `a` or `f` are needed exactly.", &[Code::RequiresTarget, Code::RequiresVersion]),
    said("requires target", "Another `.target` is needed; those with an `a` or `f` are needed exactly.", &[Code::RequiresTarget]),
    said("not supported on .target", "Another `.target` is needed; those with an `a` or `f` (`sm_90a`) are needed exactly.", &[Code::RequiresTarget, Code::Removed]),
    said("cannot be compiled to future architecture", "A target with an `a`, such as `sm_90a`, runs on that architecture alone.", &[Code::RequiresTarget, Code::NotPortable]),
    said("unsupported .version", "The `.version` is newer than the assembler or the driver: lower it, or install a newer one.", &[Code::RequiresVersion]),
    said("unsupported toolchain", "The `.version` of the PTX is newer than the driver: lower it, or install a newer driver.", &[Code::RequiresVersion]),
    said("missing .version", "A module begins with `.version`.", &[Code::ModuleHeader, Code::MissingDirective]),
    said("missing .target", "`.target` follows `.version`.", &[Code::ModuleHeader, Code::MissingDirective]),
    said("version directive", "A module begins with `.version` and `.target`.", &[Code::ModuleHeader]),
    said("sm version specified by .target is higher", "The `.target` is newer than the architecture that `-arch` asks for.", &[Code::RequiresTarget]),
    said("too much shared data", "The `.shared` variables take more than the device has. Up to 48 KB may be static; more must be dynamic.", &[Code::SharedMemoryLimit]),
    said("too much constant", "The `.const` variables take more than 64 KB.", &[Code::ConstantMemoryLimit]),
    said("too much parameter space", "The parameters of the function take more than the version allows.", &[Code::ParameterSize]),
    said("too many parameters", "The parameters of the function take more than the version allows.", &[Code::ParameterSize]),
    said("wgmma.mma_async instructions are serialized", "Registers of a running `wgmma` are touched, or a `wgmma.fence` is missing, so that the assembler waits after each.", &[Code::WgmmaOrder]),
    said("setmaxnreg * ignored", "The number of registers at the entry is not known, or too low: add `.maxntid` and `.minnctapersm` or `.maxnreg`.", &[Code::IneffectiveSetmaxnreg]),
    said("will be ignored", "The launch bounds ask for more than the device has.", &[Code::LaunchLimit, Code::DirectiveConflict]),
    said("stack size for entry function", "A call that is recursive or indirect: the assembler does not know how deep the stack grows. Set it on the host with `cudaLimitStackSize`.", &[Code::CallTarget]),
    said("bytes spill", "Values did not fit into registers and go to local memory.", &[Code::SpillLikely]),
    said("misaligned", "An access is not aligned to its size: a vector of 16 bytes needs an address that is a multiple of 16.", &[Code::MisalignedAddress]),
    said("illegal memory access", "An address outside any allocation, or an address of the wrong state space, was used. `ptx-analyzer eval` finds such accesses.", &[Code::OutOfBounds, Code::WrongStateSpace]),
    said("illegal address", "An address outside any allocation, or an address of the wrong state space, was used. `ptx-analyzer eval` finds such accesses.", &[Code::OutOfBounds, Code::WrongStateSpace]),
    said("cuda_error_invalid_ptx", "The driver's assembler refuses the PTX, or the `.version` is newer than the driver. `ptx-analyzer check` says why.", &[Code::RequiresVersion, Code::SyntaxError]),
    said("ptx jit compilation failed", "The driver's assembler refuses the PTX. `ptx-analyzer check` says why.", &[Code::RequiresVersion, Code::SyntaxError]),
    said("ptx was compiled with an unsupported", "The `.version` of the PTX is newer than the driver: lower it, or install a newer driver.", &[Code::RequiresVersion]),
    said("no kernel image", "No code for this device: the `.target` is newer than the device, or has an `a` of another one.", &[Code::RequiresTarget, Code::NotPortable]),
    said("named symbol not found", "The host looks for a kernel that is not there: it must be `.visible .entry`, and its name is mangled in C++.", &[Code::Linkage]),
    said("sink '_' is expected", "The instruction returns nothing here: write `_` for the destination.", &[Code::OperandKind]),
    said("must be '.f32' when", "The types of the matrices do not go together.", &[Code::ModifierNotAllowed, Code::IllegalCombination]),
    said("vector of size * is expected", "A list in braces has the wrong number of elements.", &[Code::VectorLength]),
    said("illegal vector size", "A list in braces, or `.v2` and `.v4`, has a length that the instruction does not take.", &[Code::VectorLength, Code::UnknownModifier]),
    said("vector operand is not allowed", "The instruction takes a single register, not a list in braces.", &[Code::OperandKind]),
    said("value must be power of 2", "A constant operand has a value that the instruction does not take.", &[Code::OperandRange]),
    said("must be register", "A register is needed; load the number with `mov`, the memory with `ld` first.", &[Code::OperandKind]),
    said("requires scope", "An ordering needs a scope: `.cta`, `.cluster`, `.gpu` or `.sys`.", &[Code::MissingModifier]),
    said("requires memory order", "A scope needs an ordering: `.relaxed` or `.acquire`.", &[Code::MissingModifier]),
    said("illegal operand type", "An operand has the wrong type or size.", &[Code::OperandType, Code::OperandKind]),
    said("requires call prototype", "An indirect call names its `.callprototype`, and a function must be declared before it is called.", &[Code::CallTarget, Code::UndeclaredName]),
    said("mismatch between instruction type and comparison", "The comparison does not exist for this type: `.lo` is for unsigned, `.ltu` for floating-point types.", &[Code::ModifierNotAllowed]),
    said("illegal to write to function input", "Parameters of a kernel cannot be written.", &[Code::ParameterAccess]),
    said("as address operand", "An address is in an integer or untyped register.", &[Code::OperandKind, Code::OperandType]),
    said("operand negation not allowed", "Negate with `neg`, or `not` for a predicate, first.", &[Code::OperandKind]),
    said("unknown field", "A component of a vector that it does not have, or of something that has none.", &[Code::OperandKind, Code::UndeclaredName]),
    said("reduction operation is required", "The operation is missing: `.add`, `.min`, `.max` …", &[Code::MissingModifier, Code::UnknownModifier]),
    said("illegal operation", "The instruction does not have this operation.", &[Code::MissingModifier, Code::UnknownModifier, Code::ModifierNotAllowed]),
    said("operation * requires", "The operation exists for other types only.", &[Code::ModifierNotAllowed, Code::IllegalCombination]),
    said("duplicate * modifier", "A modifier, or another of its kind, is there already.", &[Code::DuplicateModifier, Code::IllegalCombination]),
    said("cannot be allocated into a register", "There are no arrays of registers: `%a<4>` declares `%a0` to `%a3`.", &[Code::ArraySize]),
    said("no initial value is allowed", "Only variables in `.global` and `.const` have an initial value.", &[Code::Initializer]),
];

/// The page about a message of the assembler or the driver.
pub fn page(query: &str) -> Option<MarkdownPage> {
    let lower = query.to_lowercase();
    if lower.split_whitespace().count() < 2 && !lower.contains('_') {
        return None;
    }
    let found = MESSAGES.iter().find(|m| fits(m.pattern, &lower))?;
    let mut page = MarkdownPage::default();
    page.text(format!("# {}", shown(query)));
    page.text(found.meaning);
    let line = |code: &Code| format!("`{}` – {}", code.name(), crate::describe::first_sentence(code.page()));
    page.list("Diagnostics for it", found.codes.iter().map(line));
    // The instruction that the message quotes.
    let quoted = query.split('\'').skip(1).step_by(2).map(words::head);
    let opcode = quoted.filter_map(|word| ISA.opcode(word.split('.').next()?)).next();
    if let Some(opcode) = opcode {
        let entry = opcode.entries.first();
        page.text(format!(
            "`ptx-analyzer explain {}` shows the forms: {}",
            opcode.name,
            entry.map_or("", |e| e.summary)
        ));
    }
    Some(page)
}

/// Whether all parts of a pattern occur in a text, in their order.
fn fits(pattern: &str, text: &str) -> bool {
    let mut rest = text;
    pattern.split('*').map(str::trim).all(|part| match rest.find(part) {
        Some(at) => {
            rest = rest.get(at + part.len()..).unwrap_or("");
            true
        }
        None => false,
    })
}

/// A message without the file, the line and the severity before it.
fn shown(query: &str) -> &str {
    let lower = query.to_lowercase();
    let marks =
        ["error   :", "error :", "error:", "fatal   :", "fatal :", "fatal:", "warning :", "warning:", "info    :"];
    let end = marks.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).max();
    end.and_then(|at| query.get(at..)).unwrap_or(query).trim()
}

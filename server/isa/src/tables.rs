//! The structures of the static tables. Their notation is described in `docs/dev/isa-format.md`.
//!
//! The same definitions serve the compiler of the notation (in the build script), which fills them and prints them
//! as Rust source through [`Emit`], and the library, which includes that source.

#[path = "tables/assembly.rs"]
mod assembly;
#[path = "tables/choices.rs"]
mod choices;
#[path = "tables/concept.rs"]
mod concept;
#[path = "tables/condition.rs"]
mod condition;
#[path = "tables/directive.rs"]
mod directive;
#[path = "tables/effect.rs"]
mod effect;
#[path = "tables/encoding.rs"]
mod encoding;
#[path = "tables/environment.rs"]
mod environment;
#[path = "tables/exec.rs"]
mod exec;
#[path = "tables/formula.rs"]
mod formula;
#[path = "tables/fragment.rs"]
mod fragment;
#[path = "tables/implied.rs"]
mod implied;
#[path = "tables/initial.rs"]
mod initial;
#[path = "tables/multiprocessor.rs"]
mod multiprocessor;
#[path = "tables/passage.rs"]
mod passage;
#[path = "tables/pattern.rs"]
mod pattern;
#[path = "tables/successor.rs"]
mod successor;
#[path = "tables/threads.rs"]
mod threads;
#[path = "tables/tolerated.rs"]
mod tolerated;
#[path = "tables/usage.rs"]
mod usage;

pub use crate::emit::Emit;
use crate::emit::table;
use crate::ids::{OperandName, SlotName};
pub use assembly::{Outcome, Unbuilt};
pub use choices::*;
pub use concept::Concept;
pub use condition::{Gate, GateAlternative, GateKind, OperandTest, SlotTest, Term, Version};
pub use directive::{ArgumentKind, DataType, Directive, DirectivePart, LaunchBound, NamedValue, Takes};
pub use effect::{Effect, Emulation, Protocol, Temporaries, Verb};
pub use encoding::{BitField, EncodedMeaning, Encoding, SelectorPattern};
pub use environment::{Capacity, DeclarationPlace, PtxVersion, SpaceInfo, SpecialRegister, TargetInfo};
pub use exec::Executed;
pub use formula::dimension;
pub use fragment::{
    Expr, FormulaInput, FormulaOperation, FormulaStep, FormulaVariable, FragmentInfo, FragmentUse, Let, LetValue,
};
pub use implied::Implied;
pub use initial::{FieldInfo, InitialKind, PredefinedConstant, Usual};
pub use multiprocessor::{Assembler, Multiprocessor};
pub use passage::{ListElements, Passage, WrittenTest};
pub use successor::Successor;
pub use threads::{GridRole, UniformExtent};
pub use tolerated::without_sets;
#[allow(unused_imports)]
pub use usage::{
    AsmConstraint, AssemblerMessage, ConstraintKind, Cuda, CudaRelease, NvccSupport, SearchWords, Suggested,
    UsageTable, UsedMnemonic, Weights, pattern_fits,
};

table! {
    /// The whole instruction set.
    struct Isa {
        /// Opcodes, sorted by name.
        opcodes: &'static [Opcode],
        /// Types, in the order of the data files.
        types: &'static [TypeInfo],
        /// Modifiers, sorted by name.
        modifiers: &'static [ModifierInfo],
        /// State spaces, with their sub-spaces.
        spaces: &'static [SpaceInfo],
        /// Special registers, sorted by name.
        special_registers: &'static [SpecialRegister],
        /// Directives, sorted by name.
        directives: &'static [Directive],
        /// Predefined constants.
        constants: &'static [PredefinedConstant],
        /// The kinds of initial values of variables.
        initials: &'static [InitialKind],
        /// Fields of opaque types.
        fields: &'static [FieldInfo],
        /// The meanings of the bits of operands.
        encodings: &'static [Encoding],
        /// PTX versions, ascending.
        versions: &'static [PtxVersion],
        /// Targets, in the order of the data files.
        targets: &'static [TargetInfo],
        /// The resources of multiprocessors, in the order of the data files.
        multiprocessors: &'static [Multiprocessor],
        /// The distributions of matrices over threads, in the order of the data files.
        fragments: &'static [FragmentInfo],
        /// Topics, in the order of the data files.
        concepts: &'static [Concept],
        /// The release of `ptxas` whose verdicts the tables follow, `13.5`.
        assembler: &'static str,
    }

    /// An opcode (the first word of an instruction) and the entries that share it.
    struct Opcode {
        /// The word, `add`.
        name: &'static str,
        /// Its entries: one for each instruction of the manual that begins with this word.
        entries: &'static [Entry],
    }

    /// One instruction of the manual.
    struct Entry {
        /// The full name, `mbarrier.try_wait`.
        name: &'static str,
        /// The modifiers that belong to the name, `.try_wait`.
        path: &'static [&'static str],
        /// Identifier of the family, `integer-arithmetic`.
        family: &'static str,
        /// Title of the family.
        family_title: &'static str,
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in NVIDIA's online manual.
        manual: &'static str,
        /// Formulas of its result: the first one that applies to a statement is shown with the statement's operands.
        results: &'static [Passage],
        /// Documentation.
        doc: &'static [Passage],
        /// Pitfalls, one per passage.
        notes: &'static [Passage],
        /// The meanings of modifiers in this instruction.
        modifiers: &'static [Note],
        /// The meanings of operands in this instruction.
        operands: &'static [Note],
        /// What the elements of its list operands are: the first that applies to a statement counts.
        elements: &'static [ListElements],
        /// Facts that could not be established about it, in Markdown.
        unsettled: &'static [&'static str],
        /// Whether its forms are declared; false for an `unchecked` entry.
        checked: bool,
        /// How control continues after it.
        flow: ControlTransfer,
        /// Whether it only writes its results, and these depend only on its operands.
        pure: bool,
        /// Whether the assembler takes types of narrow floating-point numbers for types of this instruction, and ignores other types.
        narrow: bool,
        /// Whether its result consists of bits of its operand `a` (and `b`), whatever their value.
        carries: bool,
        /// The operation that it computes, for analyses of values.
        computes: Computes,
        /// Operands that may be exchanged.
        commutes: Option<Commutation>,
        /// The approximate latency of its results in cycles, for the register estimate; 0: the default.
        cycles: u16,
        /// The threads across which its results are always the same, whatever its operands.
        uniform: Option<UniformExtent>,
        /// Whether all threads of the warp must execute it together.
        converge: bool,
        /// What becomes of it if a 32-bit register holds an address of 64 bits.
        narrow_addresses: Outcome,
        /// What becomes of it if one register stands twice among its results.
        repeated_results: Outcome,
        /// Its semantics in the interpreter, for forms that do not declare their own.
        executed: Executed,
        /// The forms.
        forms: &'static [Form],
        /// Data file and line, `integer-arithmetic.isa:12`.
        source: &'static str,
    }

    /// Two operands that may be exchanged without a change of the result.
    struct Commutation {
        /// The name of the first in the forms.
        first: &'static str,
        /// The name of the second.
        second: &'static str,
        /// Modifiers that take each other's place when the operands are exchanged, pair after pair: `.lt`, `.gt`, …
        turned: &'static [&'static str],
    }

    /// The meaning of a modifier or an operand in one instruction.
    struct Note {
        /// The modifier with its dot, or the operand's name in the forms.
        name: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
    }

    /// One form of an instruction.
    struct Form {
        /// The form as written in the data file, `add{.sat}.s32 d, a, b`.
        text: &'static str,
        /// The same without the names of value sets and what the assembler only tolerates: what is shown of a form where no statement writes the rest.
        documented: &'static str,
        /// Whether the manual does not have the form, although the assembler takes it.
        tolerated: bool,
        /// The modifiers, in canonical order.
        slots: &'static [ModifierSlot],
        /// The operands, in order.
        operands: &'static [FormOperand],
        /// Lists of slots, by index, that must be in this order. Types must always be in order.
        order: &'static [&'static [u8]],
        /// Slots that, if filled, must come directly after the opcode, in this order.
        first: &'static [u8],
        /// Modifiers that may be written more than once.
        repeat: &'static [&'static str],
        /// Lengths that depend on modifiers.
        maps: &'static [Map],
        /// Rules about the combination of modifiers and operands.
        rules: &'static [Rule],
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
        /// Replacements if a gate refuses or deprecates the form, the most likely one first.
        successors: &'static [Successor],
        /// The values of optional modifiers that are not written.
        implied: &'static [Implied],
        /// The statements for which the assembler generates no code.
        unbuilt: &'static [Unbuilt],
        /// Named constraints; each is checked by a Rust function.
        checks: &'static [&'static str],
        /// Its effects in protocols between threads, copies and fences.
        effects: &'static [Effect],
        /// Registers that the assembler needs besides the operands: the first entry whose condition holds counts.
        temporaries: &'static [Temporaries],
        /// The targets on which the assembler emulates it.
        emulations: &'static [Emulation],
        /// Its semantics in the interpreter; if empty, those of the entry apply.
        executed: Executed,
        /// The data file and line.
        source: &'static str,
    }

    /// One slot for a modifier.
    struct ModifierSlot {
        /// The name of the set (`type`), or the modifier itself with its dot.
        name: &'static str,
        /// The variant of that name; `None` for a single modifier, and for a name that only exists in tables read at run
        /// time.
        set: Option<SlotName>,
        /// The allowed values, with their dots.
        values: &'static [&'static str],
        /// Those values that the assembler takes although the manual does not have them here.
        tolerated: &'static [&'static str],
        /// Whether it may be left out.
        optional: bool,
        /// Whether the manual never leaves it out, although the assembler takes the instruction without it.
        expected: bool,
        /// Slots of the same group (not 0) must be all filled or all empty.
        group: u8,
        /// Whether all values are types.
        is_type: bool,
        /// For a modifier after an operand (`[a].unified`): the index of that operand plus 1, else 0.
        after_operand: u8,
    }

    /// One operand of a form.
    struct FormOperand {
        /// The syntactic pattern.
        pattern: FormPattern,
        /// The number of its optional group; operands with the same number come together. 0: it is required.
        optional: u8,
        /// Whether the assembler takes it although the manual does not have it here.
        tolerated: bool,
    }

    /// One value of an operand: its name, kind, type and length.
    struct FormValue {
        /// Its name in the form, `d`.
        name: &'static str,
        /// The variant of that name; `None` for a name that only exists in tables read at run time.
        id: Option<OperandName>,
        /// Whether it is read, written or both.
        access: OperandAccess,
        /// The kind of value.
        kind: ValueKind,
        /// Its type.
        ty: TypeExpr,
        /// The number of elements.
        length: Length,
        /// Whether `_` is allowed for the whole value.
        sink: bool,
        /// Whether `_` is allowed for elements of the list, but not for all of them.
        holes: bool,
        /// Whether a wider register is allowed (ld, st, cvt).
        wider: bool,
        /// Whether special registers are allowed.
        special: bool,
        /// Whether the address of a variable or a function is allowed.
        symbol: bool,
        /// The state spaces in which such a variable may be; generic: any.
        symbol_spaces: Spaces,
        /// Whether it may be negated by `!`.
        negatable: bool,
        /// The type of the first element of a list, if it differs (the layer of a texture array).
        lead: TypeExpr,
        /// Whether it may be negated by `-`.
        minus: bool,
        /// Whether elements of a vector need to match only in size.
        mixed: bool,
        /// Whether it is an address that the assembler also accepts without brackets.
        naked: bool,
        /// For an address: whether a register in it holds a generic address; the state spaces then apply only to named
        /// variables.
        generic: bool,
        /// Whether a texture is accepted for a sampler in unified mode, in which it includes its sampler.
        unified: bool,
        /// Whether only registers of `.bN` types are allowed.
        untyped: bool,
        /// Whether the assembler passes it to an internal macro, which accepts less: no sum with a variable, no function, no
        /// list of literals alone.
        expanded: bool,
        /// Whether no constant may be added to it, and no special register stands in its list or brackets.
        plain: bool,
        /// Whether registers of any type are allowed: of the operand's size, or in an address of any size.
        untested: bool,
        /// For an address: the least number of bits of a register in it.
        least: u16,
        /// For an address: the least number of bits of a register in it where no state space is named.
        flat: u16,
        /// For an address: whether a texture, sampler or surface is accepted although another state space is named.
        handles: bool,
        /// For an address: whether no texture, sampler or surface is accepted, in no state space.
        data: bool,
        /// Whether only a list in braces is allowed, and no vector register.
        braces: bool,
        /// Whether at most one element of each pair may be `_`.
        paired: bool,
        /// Whether a single value may stand for the list.
        alone: bool,
        /// Whether the first element of a `mixed` list must not be a literal.
        headed: bool,
        /// Whether the registers in a `mixed` list have one size even behind a literal.
        sized: bool,
        /// Whether a special register with components is accepted for the whole list.
        whole: bool,
        /// Whether the only literal accepted is the pattern of a single-precision number (`0f…`), and no function is.
        pattern: bool,
        /// Whether a predicate is accepted for a 32-bit register, because the assembler looks at sizes alone.
        predicate: bool,
        /// Whether an integer literal is accepted although the operand is written.
        number: bool,
        /// Whether the name of a function is accepted although the assembler hands the operand to a macro.
        functions: bool,
        /// Whether floating-point literals in a `mixed` list must be of single precision (`0f…`).
        single: bool,
        /// Whether a list of integer registers is accepted for one of floats.
        loose: bool,
        /// Whether special registers, predicates and registers with a selector are accepted as elements of a `mixed` list.
        lax: bool,
        /// Whether the elements of a `lax` list are the parts of a larger value, so that a list of only predicates is refused.
        parts: bool,
        /// Whether the assembler accepts a list of 1, 2, 4 or 8 elements for the single value.
        lists: bool,
        /// Whether a list of one element may be written without braces.
        bare: bool,
        /// Whether only integer and untyped registers of the same size are allowed, and none of the packed formats that the
        /// type accepts elsewhere.
        exact: bool,
        /// Whether the assembler reads only the bits of the type of a number, so that a range holds for those.
        wraps: bool,
        /// Whether only a register is allowed.
        register_only: bool,
        /// Whether only an immediate is allowed.
        immediate_only: bool,
        /// Whether it is a mask of the participating lanes.
        lanes: bool,
        /// The operand that must be true for this updated operand to be read; empty: it is always read.
        reads_if: &'static str,
        /// For memory: the number of bytes that are accessed; for a list of elements, it is multiplied by the list's length.
        bytes: ByteCount,
        /// For memory: the required alignment of the address; [`ByteCount::Natural`]: the number of bytes accessed.
        align: ByteCount,
        /// The allowed selectors (`b0`, `h1`).
        select: &'static [&'static str],
        /// The allowed immediates; empty: any.
        ranges: &'static [Range],
        /// The immediates that make sense; the assembler accepts others as well.
        usual: Usual,
        /// The name of the encoding of its bits; empty: it is a plain number.
        decodes: &'static str,
    }

    /// A range of allowed immediates, inclusive.
    #[derive(Hash)]
    struct Range {
        /// The lowest value.
        low: i64,
        /// The highest value.
        high: i64,
        /// Values must be multiples of this.
        step: i64,
    }

    /// A map from the values of some slots to lengths.
    struct Map {
        /// Its name.
        name: &'static str,
        /// The indices of the slots that form the key.
        slots: &'static [u8],
        /// The rows, each with a key (values without dots, joined by `/`) and the allowed lengths.
        rows: &'static [MapRow],
    }

    /// A row of a map.
    struct MapRow {
        /// The key, `m16n8k16/f16`.
        key: &'static str,
        /// The allowed lengths; the first is that of the manual.
        lengths: &'static [u16],
    }

    /// A rule of a form.
    struct Rule {
        /// Whether it forbids, requires, or is an equivalence.
        kind: RuleKind,
        /// The forbidden or required condition: all terms hold.
        what: &'static [Term],
        /// The conditions: it applies only if all of them hold.
        when: &'static [Term],
        /// A message specific to the rule, or empty.
        message: &'static str,
    }

    /// A type.
    struct TypeInfo {
        /// Its name with the dot, `.f16x2`.
        name: &'static str,
        /// Its class.
        class: TypeClass,
        /// Its size in bits.
        bits: u16,
        /// The register types allowed for an operand of this instruction type; empty: any of the same size.
        agrees: &'static [&'static str],
        /// Whether registers may have it.
        registers: bool,
        /// Whether variables in memory may have it.
        variables: bool,
        /// Whether parameters may have it.
        parameters: bool,
        /// Whether elements of vectors may have it.
        vectors: bool,
        /// Whether the header of a function without a body may use it, although no other declaration may.
        prototypes: bool,
        /// Whether no call passes or returns single values of it: the assembler builds no function with such a parameter.
        uncallable: bool,
        /// Whether declarations may use it in every version and on every target: its gates apply only to instructions.
        ungated: bool,
        /// On which instructions the assembler accepts it as a modifier without effect.
        ignored: IgnoredType,
        /// A one-line summary.
        summary: &'static str,
        /// Anchor in the manual; may be empty.
        manual: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
        /// Gates: the PTX versions and targets for which it is available.
        gates: &'static [Gate],
    }

    /// A modifier that instructions can have.
    struct ModifierInfo {
        /// Its name, with the dot.
        name: &'static str,
        /// Whether it may be written more than once, in any instruction.
        repeats: bool,
        /// Whether the assembler accepts it on any instruction, without effect if the instruction has no such modifier.
        ignored: bool,
        /// Whether all threads of the warp must execute an instruction with it together.
        converge: bool,
        /// Whether a memory access with it keeps its order among other accesses.
        keeps_order: bool,
        /// Whether a load with it may take the memory to be the same while the kernel runs.
        read_only: bool,
        /// Whether it is the one most often meant among those of its kind: a fix offers it first.
        usual: bool,
        /// One line.
        summary: &'static str,
        /// Documentation in Markdown.
        doc: &'static str,
    }
}

table! {
    /// A formula for a length, the quotient of a product and a number: for example the registers per thread of a matrix
    /// fragment.
    struct Formula {
        /// The factors of the product.
        factors: &'static [Factor],
        /// The divisor.
        divisor: u32,
    }

    /// One dimension of a shape.
    struct Dimension {
        /// The index of the slot that holds the shape.
        slot: u8,
        /// `m`, `n`, `k`, `rows` or `width`.
        name: &'static str,
    }

    /// A pair of operands, `d|p`.
    struct OperandPair {
        /// The operand before the bar.
        first: FormValue,
        /// The operand after the bar.
        second: FormValue,
        /// Whether `|p` may be left out.
        optional: bool,
    }
}

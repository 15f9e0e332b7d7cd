//! The shapes of the static tables. The notation behind them is described in `docs/isa-format.md`.
//!
//! The same definitions serve the compiler of the notation (in the build script), which fills them and prints them
//! as Rust source through [`Emit`], and the library, which includes that source.

#[path = "tables/choices.rs"]
mod choices;
#[path = "tables/concept.rs"]
mod concept;
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
#[path = "tables/usage.rs"]
mod usage;

pub use crate::emit::Emit;
use crate::emit::table;
use crate::ids::{OperandName, SlotName};
pub use choices::*;
pub use concept::Concept;
pub use directive::{ArgumentKind, DataType, Directive, DirectivePart, LaunchBound, NamedValue, Takes};
pub use effect::{Effect, Protocol, Temporaries, Verb};
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
pub use passage::{Passage, WrittenTest};
pub use successor::Successor;
#[allow(unused_imports)]
pub use usage::{Cuda, Suggested, UsageTable, Weights};

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
        /// What may be the initial value of a variable.
        initials: &'static [InitialKind],
        /// Fields of opaque types.
        fields: &'static [FieldInfo],
        /// What the bits of operands mean.
        encodings: &'static [Encoding],
        /// PTX versions, ascending.
        versions: &'static [PtxVersion],
        /// Targets, in the order of the data files.
        targets: &'static [TargetInfo],
        /// What the multiprocessors of targets have, in the order of the data files.
        multiprocessors: &'static [Multiprocessor],
        /// How matrices are spread over threads, in the order of the data files.
        fragments: &'static [FragmentInfo],
        /// Topics, in the order of the data files.
        concepts: &'static [Concept],
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
        /// One line.
        summary: &'static str,
        /// Anchor in NVIDIA's online manual.
        manual: &'static str,
        /// What it computes: the first that fits a statement says it with the operands that are written.
        results: &'static [Passage],
        /// Documentation.
        doc: &'static [Passage],
        /// Pitfalls, one each.
        notes: &'static [Passage],
        /// What a modifier means in this instruction.
        modifiers: &'static [Note],
        /// What operands are.
        operands: &'static [Note],
        /// What could not be established about it, Markdown.
        unsettled: &'static [&'static str],
        /// False for an instruction whose forms are not declared yet.
        checked: bool,
        /// Where execution goes on after it.
        flow: ControlTransfer,
        /// It does nothing but write its results, which depend on nothing but its operands.
        pure: bool,
        /// Its result is made of bits of its operand `a` (and `b`), whatever they are.
        carries: bool,
        /// What it computes.
        computes: Computes,
        /// After about so many cycles its results are there, for estimates; 0: as quickly as any.
        cycles: u16,
        /// Across which threads its results are the same, whatever its operands.
        uniform: Option<UniformExtent>,
        /// All threads of the warp must execute it together.
        converge: bool,
        /// What the interpreter does with it, as far as its forms do not say so themselves.
        executed: Executed,
        /// The forms.
        forms: &'static [Form],
        /// Data file and line, `integer-arithmetic.isa:12`.
        source: &'static str,
    }

    /// What a modifier or an operand is in one instruction.
    struct Note {
        /// The modifier with its dot, or the operand's name in the forms.
        name: &'static str,
        /// Markdown.
        doc: &'static str,
    }

    /// One form of an instruction.
    struct Form {
        /// As written in the data file, `add{.sat}.s32 d, a, b`.
        text: &'static str,
        /// The modifiers, in canonical order.
        slots: &'static [ModifierSlot],
        /// The operands, in order.
        operands: &'static [FormOperand],
        /// Which slots must stand in this order, by index; besides, types are always in order.
        order: &'static [&'static [u8]],
        /// Slots that, where they are filled, stand directly after the opcode, in this order.
        first: &'static [u8],
        /// Modifiers that may be written more than once.
        repeat: &'static [&'static str],
        /// Lengths that depend on modifiers.
        maps: &'static [Map],
        /// What must hold between modifiers and operands.
        rules: &'static [Rule],
        /// Versions and targets.
        gates: &'static [Gate],
        /// What to write instead where a gate speaks against it; the first is most likely meant.
        successors: &'static [Successor],
        /// What optional modifiers mean that are not written.
        implied: &'static [Implied],
        /// Named constraints, each one Rust function.
        checks: &'static [&'static str],
        /// Its part in protocols between threads, copies and fences.
        effects: &'static [Effect],
        /// Registers that the assembler needs for itself: the first whose condition holds.
        temporaries: &'static [Temporaries],
        /// What the interpreter does with it; nothing: what the entry says.
        executed: Executed,
        /// Data file and line.
        source: &'static str,
    }

    /// One slot for a modifier.
    struct ModifierSlot {
        /// Name of the set (`type`), or the modifier itself with its dot.
        name: &'static str,
        /// The variant of that name; `None` for a single modifier, and for a name that only tables read at run time have.
        set: Option<SlotName>,
        /// The values that may stand here, with their dots.
        values: &'static [&'static str],
        /// May be left out.
        optional: bool,
        /// Slots of the same group (not 0) are all there or none.
        group: u8,
        /// All values are types.
        is_type: bool,
        /// Follows an operand (`[a].unified`): index of that operand plus 1, else 0.
        after_operand: u8,
    }

    /// One operand of a form.
    struct FormOperand {
        /// What it looks like.
        pattern: FormPattern,
        /// May be left out; operands of the same number (not 0) come together.
        optional: u8,
    }

    /// One value of an operand: its name, kind, type and length.
    struct FormValue {
        /// The name in the form, `d`.
        name: &'static str,
        /// The variant of that name; `None` for a name that only tables read at run time have.
        id: Option<OperandName>,
        /// Read, written or both.
        access: OperandAccess,
        /// What kind of thing.
        kind: ValueKind,
        /// Its type.
        ty: TypeExpr,
        /// How many elements.
        length: Length,
        /// `_` may stand here.
        sink: bool,
        /// `_` may stand for elements of the list, not for all of it.
        holes: bool,
        /// A wider register may stand here (ld, st, cvt).
        wider: bool,
        /// Special registers may be read.
        special: bool,
        /// The address of a variable or a function may stand here.
        symbol: bool,
        /// Which state spaces such a variable may be in; generic: any.
        symbol_spaces: Spaces,
        /// `!` may stand before it.
        negatable: bool,
        /// Type of the first element of a list where it differs (the layer of a texture array).
        lead: TypeExpr,
        /// `-` may stand before it.
        minus: bool,
        /// Elements of a vector need only the size.
        mixed: bool,
        /// An address that the assembler takes without its brackets too.
        naked: bool,
        /// Of an address: a register there holds a generic one; the state spaces are those of variables that are named.
        generic: bool,
        /// In unified mode a texture, which brings its sampler along, passes for a sampler.
        unified: bool,
        /// Registers of `.bN` types only.
        untyped: bool,
        /// The assembler hands it to a macro of its own, which takes less: no sum with a variable, no function, no list of
        /// literals alone.
        expanded: bool,
        /// A list in braces only, no vector register.
        braces: bool,
        /// A list of integer registers may stand for one of floats.
        loose: bool,
        /// Special registers, predicates and registers with a selector pass as elements of a `mixed` list.
        lax: bool,
        /// The assembler accepts a list of any length, though none makes sense.
        lists: bool,
        /// A list of one may be written without its braces.
        bare: bool,
        /// Integer registers of the size only, none of the packed formats that the type agrees with elsewhere.
        exact: bool,
        /// A register only.
        register_only: bool,
        /// An immediate only.
        immediate_only: bool,
        /// A mask of the lanes that take part.
        lanes: bool,
        /// An updated operand is read only where the operand of this name is true; empty: always.
        reads_if: &'static str,
        /// Memory: how many bytes are accessed; for a list of elements, its length counts too.
        bytes: ByteCount,
        /// Memory: what its address must be a multiple of; [`ByteCount::Natural`]: the bytes accessed.
        align: ByteCount,
        /// Selectors that may follow (`b0`, `h1`).
        select: &'static [&'static str],
        /// Allowed immediates; empty: any.
        ranges: &'static [Range],
        /// Which immediates make sense; the assembler takes others as well.
        usual: Usual,
        /// The encoding that says what its bits mean; empty: it is a number.
        decodes: &'static str,
    }

    /// A range of allowed immediates, inclusive.
    #[derive(Hash)]
    struct Range {
        /// Lowest.
        low: i64,
        /// Highest.
        high: i64,
        /// Must be a multiple of this.
        step: i64,
    }

    /// Lengths by the values of some slots.
    struct Map {
        /// Its name.
        name: &'static str,
        /// The slots that form the key.
        slots: &'static [u8],
        /// Rows: key (values without dots, joined by `/`) and the lengths allowed.
        rows: &'static [MapRow],
    }

    /// A row of a map.
    struct MapRow {
        /// `m16n8k16/f16`.
        key: &'static str,
        /// The lengths allowed; the first is the manual's.
        lengths: &'static [u16],
    }

    /// A rule of a form.
    struct Rule {
        /// Forbidden, required, or both ways.
        kind: RuleKind,
        /// What is forbidden or required: all terms hold.
        what: &'static [Term],
        /// Only where all of these hold.
        when: &'static [Term],
        /// A message of its own, or empty.
        message: &'static str,
    }

    /// A gate: versions and targets.
    struct Gate {
        /// From there on, until there, or advised against.
        kind: GateKind,
        /// One of these must hold (for `Until`: none).
        alternatives: &'static [GateAlternative],
        /// Only where all of these hold.
        when: &'static [Term],
        /// What to use instead, or why; may be empty.
        note: &'static str,
    }

    /// One alternative of a gate.
    #[derive(Hash)]
    struct GateAlternative {
        /// `.version` as 10 × major + minor… see [`Version`]; `None`: any.
        ptx: Option<Version>,
        /// A feature that the target must have; `None`: any.
        feature: Option<&'static str>,
    }

    /// A PTX version. Major and minor.
    #[derive(PartialOrd, Ord, Hash)]
    struct Version {
        /// 8 of 8.5.
        major: u16,
        /// 5 of 8.5.
        minor: u16,
    }

    /// A condition on one slot.
    struct SlotTest {
        /// Index of the slot.
        slot: u8,
        /// One of these values; empty: any value.
        values: &'static [&'static str],
        /// The opposite.
        negated: bool,
    }

    /// A condition on one operand.
    struct OperandTest {
        /// The operand's name.
        name: &'static str,
        /// The opposite.
        negated: bool,
    }

    /// A type.
    struct TypeInfo {
        /// With its dot, `.f16x2`.
        name: &'static str,
        /// Class.
        class: TypeClass,
        /// Size in bits.
        bits: u16,
        /// Register types that an operand of this instruction type may have; empty: any of the size.
        agrees: &'static [&'static str],
        /// May be the type of a register.
        registers: bool,
        /// May be the type of a variable in memory.
        variables: bool,
        /// May be the type of a parameter.
        parameters: bool,
        /// May be the type of the elements of a vector.
        vectors: bool,
        /// May stand in the header of a function without a body although nothing else has it.
        prototypes: bool,
        /// Declarations may use it in every version and on every target: its gates are those of instructions.
        ungated: bool,
        /// Passes as a modifier of any instruction, where it means nothing.
        ignored: bool,
        /// One line.
        summary: &'static str,
        /// Anchor in the manual; may be empty.
        manual: &'static str,
        /// Markdown.
        doc: &'static str,
        /// Versions and targets.
        gates: &'static [Gate],
    }

    /// What the tables say of a modifier.
    struct ModifierInfo {
        /// With its dot.
        name: &'static str,
        /// May be written more than once, in any instruction.
        repeats: bool,
        /// Passes on any instruction, where it means nothing if the instruction has no such modifier.
        ignored: bool,
        /// All threads of the warp must execute an instruction that has it together.
        converge: bool,
        /// An access to memory that has it stays where it is among the others.
        keeps_order: bool,
        /// The one most often meant among those of its kind: a fix offers it first.
        usual: bool,
        /// One line.
        summary: &'static str,
        /// Markdown.
        doc: &'static str,
    }
}

table! {
    /// A length as the quotient of a product and a number: registers per thread of a matrix fragment.
    struct Formula {
        /// What is multiplied.
        factors: &'static [Factor],
        /// What it is divided by.
        divisor: u32,
    }

    /// One dimension of a shape.
    struct Dimension {
        /// The slot that holds the shape.
        slot: u8,
        /// `m`, `n`, `k`, `rows` or `width`.
        name: &'static str,
    }

    /// `d|p`.
    struct OperandPair {
        /// Before the bar.
        first: FormValue,
        /// After the bar.
        second: FormValue,
        /// `|p` may be left out.
        optional: bool,
    }
}

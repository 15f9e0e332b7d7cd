//! Syntax of other languages, with the words about it.

use ptx_syntax::ForeignLanguage;

/// Syntax of another language.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Habit {
    /// A guard without its `@`, as written.
    GuardWithoutAt(Box<str>),
    /// A guard in parentheses.
    GuardInParentheses,
    /// A guard that is negated with this character.
    GuardNegation(char),
    /// A guard of several predicates, joined by this operator.
    GuardExpression(&'static str),
    /// A second guard of an instruction.
    SecondGuard,
    /// A guard behind its instruction, as written.
    GuardBehind(Box<str>),
    /// A character in quotation marks, and its code if it has one.
    Character(Option<u32>),
    /// `&a`: the address of this name.
    AddressOf(Box<str>),
    /// `*a`: the memory at this address.
    Dereference(Box<str>),
    /// A register with two `%`, as in an `asm` statement.
    DoubledPercent(Box<str>),
    /// `\n` or `\t` at the end of a line, as in an `asm` statement.
    Escape,
    /// A cast of an operand to this type.
    Cast(Box<str>),
    /// A parameter with a type of C++, and its declaration in PTX.
    Parameter(Box<str>),
    /// The type of a result after `.func`.
    Result(Box<str>),
    /// The numbers of a directive in parentheses.
    Parentheses,
    /// A comment that begins with this character.
    Comment(char),
    /// A number with this character before it.
    NumberSign(char),
    /// A line for a preprocessor, with its directive.
    Preprocessor(Box<str>),
    /// A line for a preprocessor that no line break ends.
    EndlessLine,
    /// The whole text is of another language.
    Language(ForeignLanguage),
    /// An offset outside of the brackets of an address, and the address with it.
    OffsetOutside(Box<str>),
    /// A guard before a block.
    GuardedBlock,
    /// `.align` behind the name of a variable.
    AlignBehind(Box<str>),
    /// The text of `.pragma` without quotation marks.
    Unquoted,
    /// A target in quotation marks or as a number, and its name.
    TargetName(Box<str>),
    /// A label that is a number, or the name of one.
    NumberedLabel(Box<str>),
    /// A colon behind a guard.
    GuardColon,
    /// A range of registers in a list, and the list.
    RegisterRange(Box<str>),
    /// Brackets of the wrong kind.
    WrongBrackets {
        /// What stands in them.
        what: &'static str,
        /// The text with the right ones.
        written: Box<str>,
    },
    /// Several dimensions in one pair of brackets, and the dimensions.
    Dimensions(Box<str>),
    /// A string as the value of a variable.
    StringValue,
    /// Numbers of a directive without commas.
    NumbersApart,
    /// A state space before the name and parameters of a kernel.
    KernelSpace(Box<str>),
    /// A type with a `*`.
    PointerType(Box<str>),
    /// A directive without its dot, as it should be.
    WithoutDot(Box<str>),
    /// The name of a label that begins with a dot.
    DottedLabel(Box<str>),
    /// A `;` between the header of a function and its body.
    SemicolonBeforeBody,
    /// `.entry` or `.func` is missing before the name of a function.
    FunctionKind,
    /// A variable with a type of C++, and its declaration in PTX.
    ForeignDeclaration(Box<str>),
    /// A part of a declaration that comes before this other part in PTX, and the declaration in PTX.
    PartOrder {
        /// The part.
        part: Box<str>,
        /// The part that it comes before.
        before: Box<str>,
        /// The declaration in the right order.
        written: Box<str>,
    },
    /// A directive of linkage between the kind of a function and its name.
    LinkageBehind {
        /// The directive.
        linkage: Box<str>,
        /// `.entry` or `.func`.
        kind: Box<str>,
    },
    /// `void` before the name of a function.
    VoidResult,
    /// A type before the name of a kernel.
    KernelResult(Box<str>),
    /// The result of a function after its parameters, and its declaration.
    ResultBehind(Box<str>),
    /// A `;` in a list of parameters.
    ParameterSemicolon {
        /// Whether it follows the last parameter.
        last: bool,
    },
    /// A sign between a directive and its numbers.
    DirectiveSign {
        /// The directive.
        directive: Box<str>,
        /// The sign.
        sign: char,
    },
    /// A `!` before the `@` of a guard, and the guard in PTX.
    GuardSignOutside(Box<str>),
    /// A constant bank of machine code.
    ConstantBank,
    /// A register whose `%` is inside its name, and the name.
    PercentInside(Box<str>),
    /// An address in two pairs of brackets, and the address in one.
    DoubledBrackets(Box<str>),
    /// Brackets with nothing in them after the name of an operand.
    EmptyBrackets(Box<str>),
    /// A range of registers in a declaration, and the registers.
    DeclaredRange(Box<str>),
    /// The values of an array without braces, and the values in braces.
    ValuesWithoutBraces(Box<str>),
    /// A `:` in the place of the `;` at the end of a statement.
    ColonAtEnd,
    /// This sign between two operands.
    OperandSign(char),
    /// A comma before another declaration.
    CommaBeforeDeclaration,
    /// A comma behind a guard.
    GuardComma,
    /// A comma without an operand before it.
    ExtraComma,
    /// The values of a variable without `=`, and the values with it.
    ValuesWithoutSign(Box<str>),
    /// The size of an array without brackets, and the size in brackets.
    BareSize(Box<str>),
    /// A comma behind the last parameter.
    LastComma,
    /// A sign between the header of a function and its body.
    SignBeforeBody(char),
    /// Both kinds of functions in one header.
    BothKinds,
}

impl Habit {
    pub(super) fn message(&self) -> String {
        match self {
            Self::GuardWithoutAt(guard) => format!("a guard begins with `@`: `{guard}` has none"),
            Self::GuardInParentheses => "a guard takes no parentheses".to_owned(),
            Self::GuardNegation(sign) => format!("`{sign}` does not negate a guard: `!` does"),
            Self::GuardExpression(operator) => format!("unexpected `{operator}`: a guard is a single predicate"),
            Self::SecondGuard => "an instruction can have only one guard, but another one follows this".to_owned(),
            Self::GuardBehind(guard) => format!("a guard comes before its instruction, but `{guard}` comes after it"),
            Self::Character(_) => "PTX has no character literals".to_owned(),
            Self::AddressOf(name) => format!("PTX has no `&`: the name `{name}` alone is its address"),
            Self::Dereference(_) => "PTX has no `*` before an address: memory is accessed in brackets".to_owned(),
            Self::DoubledPercent(name) => format!("`%{name}` is allowed only in an `asm` statement of CUDA C++"),
            Self::Escape => "PTX has no `\\`: this belongs in a string of CUDA C++".to_owned(),
            Self::Cast(ty) => format!("PTX has no operand casts: `({ty})` is not allowed here"),
            Self::Parameter(_) => "a parameter is declared with `.param` and a PTX type".to_owned(),
            Self::Result(_) => "the result of a function is declared in parentheses".to_owned(),
            Self::Parentheses => "write the numbers of a directive without parentheses".to_owned(),
            Self::Comment(sign) => format!("`{sign}` does not begin a comment"),
            Self::NumberSign(sign) => format!("`{sign}` is not allowed before a number"),
            Self::Preprocessor(directive) => format!("PTX has no preprocessor: `{directive}` is not allowed"),
            Self::EndlessLine => "the last line cannot begin with `#` unless a line break ends it".to_owned(),
            Self::Language(language) => format!("this is {}, not PTX", language.name()),
            Self::OffsetOutside(_) => "an offset belongs inside the brackets of its address".to_owned(),
            Self::GuardedBlock => "a guard covers one instruction, not a block".to_owned(),
            Self::AlignBehind(align) => format!("`{align}` belongs before the type of a variable, not after its name"),
            Self::Unquoted => "`.pragma` takes a string, in quotation marks".to_owned(),
            Self::TargetName(name) => format!("a target is a name without quotation marks, such as `{name}`"),
            Self::NumberedLabel(label) => format!("a label must be a name, but `{label}` begins with a digit"),
            Self::GuardColon => "a guard takes no colon: only a label does".to_owned(),
            Self::RegisterRange(_) => "a list names each register: PTX has no ranges inside lists".to_owned(),
            Self::WrongBrackets { what, .. } => format!("{what} does not belong in these brackets"),
            Self::Dimensions(_) => "each array dimension needs its own brackets".to_owned(),
            Self::StringValue => "a variable cannot have a string as its value: PTX lists its bytes".to_owned(),
            Self::NumbersApart => "commas are missing between these numbers".to_owned(),
            Self::KernelSpace(space) => format!("`{space}` declares a variable: a kernel begins with `.entry`"),
            Self::PointerType(ty) => format!("`{ty}` is not a type: PTX has no pointer types"),
            Self::WithoutDot(dotted) => format!("`{}` is a directive without its dot", dotted.trim_start_matches('.')),
            Self::DottedLabel(name) => format!("a label cannot begin with a dot, as `.{name}` does"),
            Self::SemicolonBeforeBody => {
                "this `;` turns the header into a declaration, so the block after it has no function".to_owned()
            }
            Self::FunctionKind => "`.entry` (a kernel) or `.func` is missing after this".to_owned(),
            Self::ForeignDeclaration(_) => "a variable is declared with a state space and a PTX type".to_owned(),
            Self::PartOrder { part, before, .. } => format!("`{part}` must come before `{before}` in a declaration"),
            Self::LinkageBehind { linkage, kind } => format!("`{linkage}` must come before `{kind}`"),
            Self::VoidResult => "PTX has no `void`: a function without a result declares none".to_owned(),
            Self::KernelResult(ty) => format!("a kernel returns nothing: `{ty}` is not allowed before its name"),
            Self::ResultBehind(_) => "the result of a function must come before its name".to_owned(),
            Self::ParameterSemicolon { last: false } => "`,` separates parameters, not `;`".to_owned(),
            Self::ParameterSemicolon { last: true } => "the last parameter takes no `;`".to_owned(),
            Self::DirectiveSign { directive, sign } => format!("`{directive}` takes no `{sign}` before its numbers"),
            Self::GuardSignOutside(_) => "the `!` of a guard must come after its `@`".to_owned(),
            Self::ConstantBank => "a constant bank exists only in machine code (SASS), not in PTX".to_owned(),
            Self::PercentInside(name) => format!("the name of register `{name}` begins with its `%`"),
            Self::DoubledBrackets(_) => "an address takes one pair of brackets, not two".to_owned(),
            Self::EmptyBrackets(name) => format!("`[]` is allowed only where `{name}` is declared"),
            Self::DeclaredRange(_) => "a declaration of registers takes no range of this form".to_owned(),
            Self::ValuesWithoutBraces(_) => "the values of an array must be in braces".to_owned(),
            Self::OperandSign(sign) => format!("`,` separates operands, not `{sign}`"),
            Self::CommaBeforeDeclaration => "each `.reg` or variable declaration ends with `;`, not `,`".to_owned(),
            Self::GuardComma => "a guard takes no comma".to_owned(),
            Self::ExtraComma => "an operand is missing before this comma".to_owned(),
            Self::ValuesWithoutSign(_) => "`=` is missing before the values of this variable".to_owned(),
            Self::BareSize(_) => "the size of an array must be in brackets".to_owned(),
            Self::LastComma => "a parameter is missing after this comma".to_owned(),
            Self::SignBeforeBody(sign) => format!("the header of a function takes no `{sign}` before its body"),
            Self::BothKinds => "a function is either a kernel (`.entry`) or a `.func`".to_owned(),
            Self::ColonAtEnd => "an instruction ends with `;`, not `:`".to_owned(),
        }
    }

    pub(super) fn help(&self) -> Option<String> {
        Some(match self {
            Self::GuardWithoutAt(guard) => format!("write `@{guard}`"),
            Self::GuardInParentheses => "write the predicate after the `@`".to_owned(),
            Self::GuardNegation(_) => "write `@!`".to_owned(),
            Self::GuardExpression(operator) => {
                let opcode = if operator.starts_with('|') { "or" } else { "and" };
                format!("combine the predicates first, with `{opcode}.pred`")
            }
            Self::SecondGuard => "combine the predicates first, with `and.pred`".to_owned(),
            Self::GuardBehind(guard) => format!("write `{guard}` before the opcode"),
            Self::Character(Some(code)) => format!("write its code, `{code}`"),
            Self::Character(None) => "write the number".to_owned(),
            Self::AddressOf(name) => format!("write `{name}`"),
            Self::Dereference(name) => format!("write `[{name}]`"),
            Self::DoubledPercent(name) => format!("write `{name}`"),
            Self::Escape => "leave it out".to_owned(),
            Self::Cast(_) => "convert the value with `cvt` first".to_owned(),
            Self::Parameter(declaration) | Self::Result(declaration) => format!("write `{declaration}`"),
            Self::Parentheses => "leave them out".to_owned(),
            Self::Comment(_) => "comments begin with `//`".to_owned(),
            Self::NumberSign(_) => "leave it out".to_owned(),
            Self::Preprocessor(_) => "run a preprocessor first, or write the values".to_owned(),
            Self::EndlessLine => "add a line break".to_owned(),
            Self::Language(ForeignLanguage::Cpp) => {
                "`nvcc -ptx` compiles it to PTX; `ptx-analyzer check` reads the PTX in its `asm` statements".to_owned()
            }
            Self::Language(_) => "`ptx-analyzer check` reads the PTX in its strings".to_owned(),
            Self::OffsetOutside(address) => format!("write `{address}`"),
            Self::GuardedBlock => {
                "branch around the block with the negated guard, or guard each instruction".to_owned()
            }
            Self::AlignBehind(_) => "write it directly after the state space".to_owned(),
            Self::Unquoted => "for instance `.pragma \"nounroll\";`".to_owned(),
            Self::TargetName(name) => format!("write `{name}`"),
            Self::NumberedLabel(_) => {
                "name the label, for instance `L1:`, and branch to that name; `1b` and `1f` belong to other assemblers"
                    .to_owned()
            }
            Self::GuardColon => "remove it".to_owned(),
            Self::RegisterRange(written)
            | Self::WrongBrackets { written, .. }
            | Self::Dimensions(written)
            | Self::ForeignDeclaration(written)
            | Self::PartOrder { written, .. }
            | Self::GuardSignOutside(written)
            | Self::PercentInside(written)
            | Self::EmptyBrackets(written)
            | Self::DeclaredRange(written)
            | Self::ValuesWithoutBraces(written) => {
                format!("write `{written}`")
            }
            Self::LinkageBehind { linkage, kind } => format!("write `{linkage} {kind}`"),
            Self::VoidResult | Self::ParameterSemicolon { last: true } | Self::DirectiveSign { .. } => {
                "remove it".to_owned()
            }
            Self::KernelResult(_) => "pass a pointer, and store what the kernel computes there".to_owned(),
            Self::ResultBehind(declaration) => format!("write `.func {declaration}` before the name"),
            Self::ParameterSemicolon { last: false } => "write `,`".to_owned(),
            Self::ConstantBank => {
                "read an argument of the kernel by its name, with `ld.param`, and a constant with `ld.const`".to_owned()
            }
            Self::DoubledBrackets(written) => {
                format!("write `{written}`; an address that is stored in memory is loaded first")
            }
            Self::ColonAtEnd | Self::CommaBeforeDeclaration => "write `;`".to_owned(),
            Self::OperandSign(_) => "write `,`".to_owned(),
            Self::ExtraComma => "write the operand, or remove the comma".to_owned(),
            Self::ValuesWithoutSign(written) | Self::BareSize(written) => format!("write `{written}`"),
            Self::GuardComma | Self::SignBeforeBody(_) => "remove it".to_owned(),
            Self::LastComma => "write the parameter, or remove the comma".to_owned(),
            Self::BothKinds => {
                "keep `.entry` for what the host launches, `.func` for what other functions call".to_owned()
            }
            Self::StringValue => "write the code of each character, and 0 at the end".to_owned(),
            Self::NumbersApart => "write commas between them".to_owned(),
            Self::KernelSpace(_) => "write `.entry`".to_owned(),
            Self::PointerType(_) => "a pointer is a 64-bit number: write `.u64`".to_owned(),
            Self::WithoutDot(dotted) => format!("write `{dotted}`"),
            Self::DottedLabel(name) => format!("write `{name}`, or `$L_{name}` as compilers do"),
            Self::SemicolonBeforeBody => "remove it".to_owned(),
            Self::FunctionKind => "write `.entry` for what the host launches, `.func` for what PTX calls".to_owned(),
        })
    }
}

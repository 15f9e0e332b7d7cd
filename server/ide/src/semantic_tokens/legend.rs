//! Token kinds and token modifiers.

use ptx_syntax::is_named;
use std::sync::LazyLock;

macro_rules! token_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal $standard:ident,)*) => {
        /// The kind of a token.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum TokenKind {
            $($(#[doc = $doc])+ $name,)*
        }

        impl TokenKind {
            /// All kinds; the index of each is its number.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the protocol, or a name in the same style if the protocol has none.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The kind that replaces it for clients that know the standard kinds only.
            pub fn standard(self) -> Self {
                match self { $(Self::$name => Self::$standard,)* }
            }

            /// Its description.
            pub fn describe(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)* }
            }
        }
    };
}

token_kinds! {
    /// A section of debug information.
    Namespace "namespace" Namespace,
    /// A scalar type, the length of a vector.
    Type "type" Type,
    /// An architecture or an option in `.target`.
    EnumMember "enumMember" EnumMember,
    /// A parameter or result of a kernel or function.
    Parameter "parameter" Parameter,
    /// A variable in memory; a constant such as `WARP_SZ`.
    Variable "variable" Variable,
    /// A component (`.x`), a selector (`.b0`), a field of an initializer.
    Property "property" Property,
    /// A kernel, a function; `generic` in an initializer.
    Function "function" Function,
    /// A line for the C preprocessor.
    Macro "macro" Macro,
    /// A directive.
    Keyword "keyword" Keyword,
    /// A modifier that is neither a type nor a state space.
    Modifier "modifier" Modifier,
    /// A comment.
    Comment "comment" Comment,
    /// A string.
    String "string" String,
    /// A number.
    Number "number" Number,
    /// The sign of a guard, an operator of an expression.
    Operator "operator" Operator,
    /// An attribute of a function or variable.
    Decorator "decorator" Decorator,
    /// A label; of the protocol from version 3.18 on.
    Label "label" Label,
    /// The first word of an instruction.
    Opcode "opcode" Function,
    /// A register.
    Register "register" Variable,
    /// A register of type `.pred`.
    Predicate "predicate" Variable,
    /// A special register.
    SpecialRegister "specialRegister" Variable,
    /// A state space.
    StateSpace "stateSpace" Modifier,
}

/// A set of token modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenModifiers(u32);

macro_rules! token_modifiers {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal,)*) => {
        token_modifiers!(@constants 0u32; $($name $(#[doc = $doc])+,)*);

        impl TokenModifiers {
            /// All modifiers with their names and descriptions, in the order of their bits.
            pub const ALL: &[(Self, &'static str, &'static str)] =
                &[$((Self::$name, $text, concat!($($doc),+).trim_ascii()),)*];
        }
    };
    (@constants $bit:expr; $name:ident $(#[doc = $doc:literal])+, $($rest:tt)*) => {
        impl TokenModifiers {
            $(#[doc = $doc])+
            pub const $name: Self = Self(1 << ($bit));
        }
        token_modifiers!(@constants $bit + 1; $($rest)*);
    };
    (@constants $bit:expr;) => {};
}

token_modifiers! {
    /// The name is declared here.
    DECLARATION "declaration",
    /// The function has its body here.
    DEFINITION "definition",
    /// It cannot be written: a special register, a `.const` variable, a parameter of a kernel.
    READONLY "readonly",
    /// The module's version advises against it.
    DEPRECATED "deprecated",
    /// The instruction writes it.
    MODIFICATION "modification",
    /// It belongs to PTX and not to the module.
    DEFAULT_LIBRARY "defaultLibrary",
    /// Not available in the module's version or target.
    UNAVAILABLE "unavailable",
    /// May transfer control elsewhere.
    CONTROL_FLOW "controlFlow",
    /// A register or variable of a floating-point type.
    FLOAT "float",
    /// A register of 64 bits or more: what addresses are kept in.
    WIDE "wide",
}

impl TokenModifiers {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set as bits; bit N is entry N of [`TokenModifiers::ALL`].
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether this set contains all modifiers of another.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for TokenModifiers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The kind of an anonymous grammar node, by its node kind; `None` for brackets and separators.
pub(super) fn anonymous(kind: u16) -> Option<TokenKind> {
    static KINDS: LazyLock<Vec<Option<TokenKind>>> = LazyLock::new(|| {
        let names = ptx_syntax::kind_names();
        let of = |(kind, name): (usize, &String)| {
            let named = u16::try_from(kind).is_ok_and(is_named);
            let word = |c: char| c.is_ascii_alphabetic();
            match name.as_str() {
                _ if named => None,
                "=" | "," | ";" | ":" | "(" | ")" | "[" | "]" | "{" | "}" => None,
                name if name.contains(word) => Some(TokenKind::Keyword),
                name if name.chars().all(|c| c.is_ascii_punctuation()) => Some(TokenKind::Operator),
                _ => None,
            }
        };
        names.iter().enumerate().map(of).collect()
    });
    KINDS.get(usize::from(kind)).copied().flatten()
}

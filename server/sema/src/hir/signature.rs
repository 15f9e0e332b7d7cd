//! Signatures: the parameters and results of functions and prototypes.

use crate::hir::ast::{ConstantValue, Declaration};
use crate::hir::hash::hash;
use crate::hir::lower::{self, ItemSource};
use crate::hir::types::TypeId;
use ptx_isa::tables::TypeClass;
use ptx_syntax::walk::named_children;
use ptx_syntax::{Node, fields, kinds};
use rustc_hash::FxHashMap as HashMap;
use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A hash of content that is too long for a [`super::symbols::Symbol`], which must stay small: of a signature, or of a list
/// of functions. Equal contents have equal hashes; zero stands for unknown content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContentId(u64);

impl ContentId {
    /// The id of unknown content, which causes no errors wherever it is used.
    pub const UNKNOWN: Self = Self(0);

    /// The id of a content.
    pub fn of(content: &impl Hash) -> Self {
        let mut hasher = Xxh3::new();
        content.hash(&mut hasher);
        Self(hasher.finish() | 1)
    }

    /// The raw hash, as a part of another hash.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A parameter or a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name, which may be `_`.
    pub name: Box<str>,
    /// Whether it is in `.reg` (else in `.param`); `None` if it is in neither, which is an error.
    pub register: Option<bool>,
    /// Type of one element; `None` if the type is unknown.
    pub ty: Option<TypeId>,
    /// Elements of a vector, else 1.
    pub elements: u8,
    /// Whether it is an array, and how long.
    pub array: Array,
    /// Its alignment in bytes, at least that of its type; `None` if it could not be computed.
    pub align: Option<u32>,
    /// The declared `.align`, in bytes.
    pub(crate) declared_align: Option<u32>,
}

/// Whether a parameter is an array, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Array {
    /// A single value.
    No,
    /// An array with this number of elements.
    Of(u64),
    /// `a[]` or `a[0]`, which the assembler treats alike.
    Open,
    /// An array whose size could not be computed.
    Unknown,
}

impl Parameter {
    /// The parameter that a declaration in a list declares.
    pub fn of(declaration: &Declaration<'_>) -> Self {
        let ty = declaration.types.first().and_then(|w| TypeId::of(w.text));
        let elements = declaration.vectors.first().and_then(|w| w.text.get(2..)?.parse().ok()).unwrap_or(1);
        let declarator = declaration.declarators.first();
        let array = match declarator.map(|d| d.dimensions.as_slice()) {
            None | Some([]) => Array::No,
            Some([(_, None | Some(ConstantValue::Integer(Some(0))))]) => Array::Open,
            Some([(_, Some(ConstantValue::Integer(Some(n))))]) => u64::try_from(*n).map_or(Array::Unknown, Array::Of),
            Some(_) => Array::Unknown,
        };
        let declared = declaration.alignments.first();
        let declared_align = declared.and_then(|a| u32::try_from(a.value?).ok());
        let align = if declared.is_some() && declared_align.is_none() { None } else { ty }
            .map(|t| declared_align.unwrap_or(1).max(natural_align(t, elements)));
        let base = declaration.spaces.first().map_or("", |w| w.text.split("::").next().unwrap_or(w.text));
        Self {
            name: declarator.map_or("_", |d| d.name.text).into(),
            register: match base {
                ".reg" => Some(true),
                ".param" => Some(false),
                _ => None,
            },
            ty,
            elements,
            array,
            align,
            declared_align,
        }
    }

    /// What a message calls it: `` `b` ``, or `parameter 2` if it has no name.
    pub fn call_it(&self, index: usize, what: &str) -> String {
        if &*self.name == "_" { format!("{what} {}", index + 1) } else { format!("{what} `{}`", self.name) }
    }

    /// Its size in bytes; `None` if it is unknown or open.
    pub fn bytes(&self) -> Option<u64> {
        let element = u64::from(size_in_bits(self.ty?)) * u64::from(self.elements) / 8;
        match self.array {
            Array::No => Some(element),
            Array::Of(n) => element.checked_mul(n),
            Array::Open | Array::Unknown => None,
        }
    }

    /// The first difference between two declarations of one parameter in the properties that the assembler compares.
    fn difference(&self, first: &Self) -> Option<Difference> {
        let known = self.ty.is_some() && first.ty.is_some() && self.register.is_some() && first.register.is_some();
        if !known || [self.array, first.array].contains(&Array::Unknown) {
            return None;
        }
        if self.register != first.register {
            return Some(Difference::Space);
        }
        if self.ty != first.ty || self.elements != first.elements {
            return Some(Difference::Type);
        }
        if self.array != first.array {
            return Some(Difference::Size);
        }
        (self.align.zip(first.align).is_some_and(|(a, b)| a != b)).then_some(Difference::Alignment)
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.register {
            Some(true) => f.write_str(".reg ")?,
            Some(false) => f.write_str(".param ")?,
            None => {}
        }
        if let Some(align) = self.declared_align {
            write!(f, ".align {align} ")?;
        }
        if self.elements > 1 {
            write!(f, ".v{} ", self.elements)?;
        }
        f.write_str(self.ty.map_or("?", TypeId::name))?;
        write!(f, " {}", self.name)?;
        match self.array {
            Array::No => Ok(()),
            Array::Of(n) => write!(f, "[{n}]"),
            Array::Open => f.write_str("[]"),
            Array::Unknown => f.write_str("[?]"),
        }
    }
}

/// The natural alignment of a type, in bytes.
pub fn natural_align(ty: TypeId, elements: u8) -> u32 {
    (u32::from(size_in_bits(ty)) * u32::from(elements) / 8).next_power_of_two()
}

/// The size in bits of a value in a call: a predicate takes 32 bits.
pub fn size_in_bits(ty: TypeId) -> u16 {
    if ty.info().class == TypeClass::Pred { 32 } else { ty.info().bits }
}

/// The property in which two declarations of a parameter differ, most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Difference {
    /// One is in `.reg`, the other in `.param`.
    Space,
    /// Their types.
    Type,
    /// The sizes of the arrays, or only one is an array.
    Size,
    /// Their alignments.
    Alignment,
}

/// The first difference between two signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignatureDifference {
    /// The number of results.
    Results,
    /// The number of parameters.
    Parameters,
    /// The result with this index.
    Result(usize, Difference),
    /// The parameter with this index.
    Parameter(usize, Difference),
    /// `.noreturn`.
    NoReturn,
}

/// The parameters and results of a function or a prototype.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Signature {
    /// The results.
    pub results: Vec<Parameter>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Whether it has `.noreturn`.
    pub noreturn: bool,
    /// The numbers after `.abi_preserve` and `.abi_preserve_control`.
    pub preserve: [Option<u32>; 2],
}

impl Signature {
    /// The signature of a `function` or a `call_prototype_directive` node; `None` if it has a syntax error.
    pub fn of(source: ItemSource<'_>, node: Node<'_>) -> Option<Self> {
        let (k, f) = (kinds(), fields());
        let mut out = Self::default();
        let lists = [(f.returns, &mut out.results), (f.parameters, &mut out.parameters)];
        for (field, list) in lists {
            let Some(node) = node.child_by_field_id(field) else { continue };
            if node.has_error() {
                return None;
            }
            let parameters = named_children(node).filter(|n| n.kind_id() == k.parameter);
            list.extend(parameters.map(|n| Parameter::of(&lower::declaration(source, n))));
        }
        for child in named_children(node) {
            let kind = child.kind_id();
            if kind == k.noreturn_directive {
                out.noreturn = true;
            } else if kind == k.abi_preserve_directive {
                let word = |field| child.child_by_field_id(field).map_or("", |n| source.word(n).text);
                let control = word(f.name) == ".abi_preserve_control";
                out.preserve[usize::from(control)] = word(f.count).parse().ok();
            }
        }
        Some(out)
    }

    /// The first difference from the first declaration of the same function.
    pub fn mismatch(&self, first: &Self) -> Option<SignatureDifference> {
        if self.results.len() != first.results.len() {
            return Some(SignatureDifference::Results);
        }
        if self.parameters.len() != first.parameters.len() {
            return Some(SignatureDifference::Parameters);
        }
        let differing = |a: &[Parameter], b: &[Parameter]| {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| a.difference(b).map(|d| (i, d)))
        };
        if let Some((index, what)) = differing(&self.results, &first.results) {
            return Some(SignatureDifference::Result(index, what));
        }
        if let Some((index, what)) = differing(&self.parameters, &first.parameters) {
            return Some(SignatureDifference::Parameter(index, what));
        }
        (self.noreturn != first.noreturn).then_some(SignatureDifference::NoReturn)
    }

    /// Whether the last argument may be left out, or be an array of any size.
    pub fn variadic(&self) -> bool {
        self.parameters.last().is_some_and(|p| p.array == Array::Open)
    }

    /// The text of its declaration: `.func (.param .b32 r) f (.param .b32 a)`.
    pub fn declared_as(&self, kind: &str, name: &str) -> String {
        let list = |parameters: &[Parameter]| parameters.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let results = if self.results.is_empty() { String::new() } else { format!(" ({})", list(&self.results)) };
        let noreturn = if self.noreturn { " .noreturn" } else { "" };
        format!("{kind}{results} {name} ({}){noreturn}", list(&self.parameters))
    }
}

/// A function that a call may reach.
#[derive(Debug, Clone)]
pub struct Callee {
    /// Its name; for a prototype, that of its label.
    pub name: Box<str>,
    /// Whether it is a prototype instead of a function.
    pub prototype: bool,
    /// Its signature; `None` if it is unknown.
    pub signature: Option<Arc<Signature>>,
}

/// A cache of the signatures of a module's functions by the hash of their header text, because reading them again with each
/// keystroke would take long.
#[derive(Debug, Default)]
pub struct Signatures {
    by_text: HashMap<u64, NumberedSignature>,
    /// The signatures of the last check that this check has not used yet.
    before: HashMap<u64, NumberedSignature>,
    /// The hash of the header text, by the hash of the text of the whole function.
    headers: HashMap<u64, u64>,
}

/// A signature with its content id.
pub(crate) type NumberedSignature = (ContentId, Arc<Signature>);

impl Signatures {
    /// Begins a check: drops the signatures that the last check did not use.
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.by_text);
        if self.headers.len() > self.before.len() * 2 + 64 {
            // Most of them belong to texts of functions that have been edited since.
            self.headers.clear();
        }
    }

    /// Whether the signature of a function is known, so that its header text need not be read. `text` is the hash of the text of
    /// the whole function, which has no syntax error.
    pub fn knows(&self, text: u64) -> bool {
        let known = |header| self.by_text.contains_key(header) || self.before.contains_key(header);
        self.headers.get(&text).is_some_and(known)
    }

    /// The signature of the function `node`. `source` has its header text. `whole` is the hash of the text of the function, if it is
    /// at hand.
    pub fn get(&mut self, whole: Option<u64>, source: ItemSource<'_>, node: Node<'_>) -> Option<NumberedSignature> {
        let known = whole.filter(|_| !node.has_error()).and_then(|whole| self.headers.get(&whole).copied());
        let text = known.unwrap_or_else(|| hash(source.text));
        // Where the header of a broken text ends may depend on more than the text.
        if let Some(whole) = whole.filter(|_| known.is_none() && !node.has_error()) {
            self.headers.insert(whole, text);
        }
        let number = |signature| (ContentId::of(&signature), Arc::new(signature));
        let body = node.child_by_field_id(fields().body);
        // The parser's error recovery depends on more than the header text, so the result is not cached.
        if node.has_error() && node.children(&mut node.walk()).any(|child| Some(child) != body && child.has_error()) {
            return Signature::of(source, node).map(number);
        }
        if let Some(known) = self.by_text.get(&text) {
            return Some(known.clone());
        }
        let known = match self.before.remove(&text) {
            Some(known) => known,
            None => number(Signature::of(source, node)?),
        };
        self.by_text.insert(text, known.clone());
        Some(known)
    }
}

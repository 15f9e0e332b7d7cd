//! Names and their symbols.

use crate::hir::signature::ContentId;
use crate::hir::types::TypeId;
use rustc_hash::FxHashMap as HashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::ops::Range;

/// Where a variable is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VariableOrigin {
    /// Outside of functions.
    Module,
    /// In a body.
    Body,
    /// In the parameter list of a kernel.
    KernelParameter,
    /// In the parameter list of a function.
    Parameter,
    /// Among the results of a function.
    Result,
}

impl VariableOrigin {
    /// Whether a `.param` variable of this origin may be written (`writes`) or else read.
    pub fn may_access(self, writes: bool) -> bool {
        match self {
            Self::KernelParameter | Self::Parameter => !writes,
            Self::Result => writes,
            Self::Module | Self::Body => true,
        }
    }

    /// Whether a modifier names a sub-space of `.param` in which variables of this origin are not.
    pub fn is_outside(self, modifier: &str) -> bool {
        match modifier {
            ".param::entry" => self == Self::Body,
            ".param::func" => self == Self::KernelParameter,
            _ => false,
        }
    }
}

/// A variable in memory, or a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VariableSymbol {
    /// Its state space without the sub-space, `.shared`.
    pub space: &'static str,
    /// Type of one element; `None` if the type is unknown.
    pub ty: Option<TypeId>,
    /// Elements of a vector, else 1.
    pub elements: u8,
    /// Where it is declared.
    pub origin: VariableOrigin,
    /// Its size in bytes; `None` if it is unknown because no size is written (`x[]`) or it could not be computed.
    pub bytes: Option<u64>,
    /// Its alignment in bytes: as declared, else that of its type; `None` if it could not be computed.
    pub align: Option<u32>,
    /// For a pointer parameter with `.ptr`: the alignment of what it points to, in bytes, as declared.
    pub points_to_align: Option<u32>,
    /// For a pointer parameter with `.ptr`: the state space of what it points to, as declared.
    pub points_to_space: Option<&'static str>,
    /// Whether it has `.attribute(.unified(…))`.
    pub unified: bool,
    /// Whether it is `.extern`: its definition elsewhere may be larger than declared here.
    pub external: bool,
    /// Whether it is an array, possibly of one element.
    pub array: bool,
    /// The id of its initializer, if that lists functions.
    pub table: ContentId,
}

/// The kind of list that follows a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetListKind {
    /// `.branchtargets`.
    Branches,
    /// `.calltargets`.
    Calls,
    /// `.callprototype`.
    Prototype,
}

/// The kind of thing for which a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A register.
    Register {
        /// Type of one element.
        ty: TypeId,
        /// Elements of a vector register, else 1.
        elements: u8,
    },
    /// A variable in memory, or a parameter.
    Variable(VariableSymbol),
    /// A function.
    Function {
        /// Whether it is a kernel (`.entry`).
        kernel: bool,
        /// The id of its signature.
        signature: ContentId,
    },
    /// A label.
    Label,
    /// A label that names a list of targets or a prototype.
    Targets {
        /// Which kind of list.
        list: TargetListKind,
        /// The id of the listed content; unknown before the directive is reached.
        content: ContentId,
    },
    /// A name whose declaration has an error: no use of it is reported.
    Unknown,
}

impl Symbol {
    /// A description for messages, such as ``a `.u32` register``.
    pub fn describe(&self) -> String {
        match self {
            Self::Register { ty, elements: 1 } => format!("a `{}` register", ty.name()),
            Self::Register { ty, elements } => format!("a vector register of {elements} × `{}`", ty.name()),
            Self::Variable(VariableSymbol { space, .. }) => format!("a `{space}` variable"),
            Self::Function { kernel: true, .. } => "a kernel".to_owned(),
            Self::Function { kernel: false, .. } => "a function".to_owned(),
            Self::Label => "a label".to_owned(),
            Self::Targets { list: TargetListKind::Prototype, .. } => "a prototype".to_owned(),
            Self::Targets { .. } => "a list of targets".to_owned(),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}

/// A declared name and the range of its declaration.
#[derive(Debug, Clone)]
pub struct DeclaredSymbol {
    /// Its symbol.
    pub symbol: Symbol,
    /// The byte range of its declaration in the item's text; empty for a name of the module.
    pub range: Range<usize>,
}

/// The names declared in one block. All name lookups in PTX source go through here.
#[derive(Debug)]
pub struct NameFrame<K, T> {
    names: HashMap<K, T>,
    /// Register ranges such as `%r<10>`: the number of registers and the value that all of them have.
    ranges: HashMap<K, (u32, T)>,
}

impl<K, T> Default for NameFrame<K, T> {
    fn default() -> Self {
        Self { names: HashMap::default(), ranges: HashMap::default() }
    }
}

impl<K: Borrow<str> + Eq + Hash, T> NameFrame<K, T> {
    /// Declares a name. If it is already declared, keeps and returns the earlier declaration.
    pub fn declare(&mut self, name: K, declared: T) -> Option<&T> {
        if self.get(name.borrow()).is_none() {
            self.names.insert(name, declared);
            return None;
        }
        self.get(name.borrow()).map(|(earlier, _)| earlier)
    }

    /// Declares `name<count>`. Returns the conflicting earlier declaration of the same range, or of a name that the range
    /// covers.
    pub fn declare_range(&mut self, name: K, count: u32, declared: T) -> Option<&T> {
        if self.ranges.contains_key(name.borrow()) {
            return self.ranges.get(name.borrow()).map(|(_, earlier)| earlier);
        }
        let covers = |other: &K| is_numbered(other.borrow(), name.borrow()).is_some_and(|n| n < count);
        let covered = self.names.iter().find(|(other, _)| covers(other)).map(|(_, declared)| declared);
        self.ranges.insert(name, (count, declared));
        covered
    }

    /// Sets the value of a name, replacing any earlier one.
    pub fn set(&mut self, name: K, value: T) {
        self.names.insert(name, value);
    }

    /// The value of a name that this block declares itself, ignoring ranges: a label may have the name of a register in a
    /// range.
    pub fn named(&self, name: &str) -> Option<&T> {
        self.names.get(name)
    }

    /// Looks a name up in this block only: its value, and its number in a range of registers, else 0.
    pub fn get(&self, name: &str) -> Option<(&T, u32)> {
        if let Some(found) = self.names.get(name) {
            return Some((found, 0));
        }
        if self.ranges.is_empty() {
            return None;
        }
        // ptxas takes all digits at the end as the number, so a range whose own name ends in a digit can never be reached.
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let (count, declared) = self.ranges.get(base)?;
        let number: u32 = name[base.len()..].parse().ok()?;
        (number < *count).then_some((declared, number))
    }
}

/// The number of a name in a range: 7 for `%r7` and for `%r07` in `%r<10>`. A range whose own name ends in a digit can never
/// be reached.
pub fn numbered(name: &str, base: &str) -> Option<u32> {
    let digits = name.strip_prefix(base).filter(|d| !d.is_empty() && !base.ends_with(|c: char| c.is_ascii_digit()))?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The number of a name that a range declares. `%r07` is not declared by `%r<10>`, although it refers to `%r7`.
fn is_numbered(name: &str, base: &str) -> Option<u32> {
    let digits = name.strip_prefix(base)?;
    let plain = digits == "0" || !digits.starts_with('0');
    numbered(name, base).filter(|_| plain)
}

/// The blocks around a statement, innermost last; the first frame holds the parameters.
#[derive(Debug, Default)]
pub struct NameScope<'t> {
    frames: Vec<NameFrame<&'t str, DeclaredSymbol>>,
    /// Indexed by block: its labels. A label is visible in its whole block, also before its definition.
    labels: Vec<HashMap<&'t str, DeclaredSymbol>>,
}

impl<'t> NameScope<'t> {
    /// Enters a block.
    pub fn push(&mut self) {
        self.frames.push(NameFrame::default());
        self.labels.push(HashMap::default());
    }

    /// Leaves the innermost block.
    pub fn pop(&mut self) {
        self.frames.pop();
        self.labels.pop();
    }

    /// The names of the innermost block.
    pub fn top(&mut self) -> Option<&mut NameFrame<&'t str, DeclaredSymbol>> {
        self.frames.last_mut()
    }

    /// Declares a label in the innermost block. If it is already declared there, returns the range of the earlier one.
    pub fn declare_label(&mut self, name: &'t str, declared: DeclaredSymbol) -> Option<Range<usize>> {
        let labels = self.labels.last_mut()?;
        if let Some(earlier) = labels.get(name) {
            return Some(earlier.range.clone());
        }
        labels.insert(name, declared);
        None
    }

    /// Records the content that the directive after a label of the innermost block lists.
    pub fn describe_list(&mut self, name: &str, place: &Range<usize>, found: ContentId) {
        let label = self.labels.last_mut().and_then(|labels| labels.get_mut(name));
        // If two labels have the same name, the first counts.
        if let Some(DeclaredSymbol { symbol: Symbol::Targets { content, .. }, range }) = label
            && range == place
        {
            *content = found;
        }
    }

    /// The label with this name in the innermost block, if it has one.
    pub fn own_label(&self, name: &str) -> Option<&DeclaredSymbol> {
        self.labels.last()?.get(name)
    }

    /// Looks a name up from the innermost block outwards. Labels share one namespace with other names. The label of a list
    /// hides outer names only after its directive.
    pub fn get(&self, name: &str) -> Option<&DeclaredSymbol> {
        let mut late = None;
        for (frame, labels) in self.frames.iter().rev().zip(self.labels.iter().rev()) {
            match frame.get(name).map(|(found, _)| found).or_else(|| labels.get(name)) {
                Some(found @ DeclaredSymbol { symbol: Symbol::Targets { content: ContentId::UNKNOWN, .. }, .. }) => {
                    late = late.or(Some(found));
                }
                Some(found) => return Some(found),
                None => {}
            }
        }
        late
    }
}

#[cfg(test)]
mod tests {
    use super::NameFrame;

    #[test]
    fn ranges_cover_their_numbers_and_no_more() {
        let mut frame = NameFrame::default();
        assert_eq!(frame.declare_range("%r", 3, ()), None);
        assert!(frame.get("%r0").is_some() && frame.get("%r2").is_some() && frame.get("%r02").is_some());
        assert!(frame.get("%r3").is_none() && frame.get("%r").is_none() && frame.get("%rx").is_none());
        assert_eq!(frame.declare("%r1", ()), Some(&()));
        assert_eq!(frame.declare("%r3", ()), None);
        assert_eq!(frame.declare_range("%r1_", 2, ()), None);
        assert!(frame.get("%r1_1").is_some());
        assert_eq!(frame.declare_range("%t1", 3, ()), None);
        assert!(frame.get("%t11").is_none(), "nothing reaches a range whose name ends in a digit");
        assert_eq!(frame.declare("%s01", ()), None);
        assert_eq!(frame.declare_range("%s", 3, ()), None, "a range declares no name with leading zeros");
        assert_eq!(frame.declare("%s02", ()), Some(&()), "but reaches one");
        assert!(frame.named("%s01").is_some() && frame.named("%s1").is_none());
    }
}

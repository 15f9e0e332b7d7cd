//! Other declarations of a name: inner blocks hide outer names, and later declarations hide earlier ones of the same block.

use ptx_analysis::{DeclarationKind, DeclarationNode, names};
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::cell::OnceCell;
use std::ops::Range;

/// A name, or all names of a range such as `%r<10>`.
#[derive(Debug, Clone, Copy)]
pub struct NamePattern<'n> {
    /// The name; for a range, the names without their number.
    pub text: &'n str,
    /// The number of names in a range; `None` for a single name.
    pub count: Option<u32>,
}

impl NamePattern<'_> {
    /// Calls `see` with the byte range of each occurrence in the text, including comments, until it returns false.
    pub fn places(&self, snapshot: &Snapshot, range: Range<usize>, mut see: impl FnMut(Range<usize>) -> bool) {
        let len = self.text.len();
        if self.count.is_some() {
            names::numbers(snapshot, range, self.text, see);
        } else {
            names::occurrences(snapshot, range, self.text, |offset| see(offset..offset + len));
        }
    }

    /// Whether a name is this one, or one of the range.
    pub fn covers(&self, name: &str) -> bool {
        match self.count {
            None => self.text == name,
            Some(count) => names::numbered(name, self.text).is_some_and(|n| n < count),
        }
    }
}

/// A declaration and its scope.
#[derive(Debug)]
pub struct DeclarationMeaning {
    /// Range of its name.
    pub name: Range<usize>,
    /// The name as declared.
    text: String,
    /// 10 for a range `<10>`.
    count: Option<u32>,
    /// The block or the module in which the declaration is visible.
    pub visible: Range<usize>,
    /// Offset from which the name is visible. It is 0 for a label, which is visible in the whole of its block.
    pub since: usize,
    /// The declaration is a label. In a block, other declarations of the name take precedence.
    label: bool,
}

impl DeclarationMeaning {
    fn covers(&self, name: &str) -> bool {
        NamePattern { text: &self.text, count: self.count }.covers(name)
    }

    /// The name as declared, such as `%r<10>`.
    pub fn shown(&self) -> String {
        self.count.map_or_else(|| self.text.clone(), |count| format!("{}<{count}>", self.text))
    }

    /// Whether this declares a name of `word`. Also true if the names merely look the same: `%r` and `%r<4>`.
    pub fn overlaps(&self, word: NamePattern<'_>) -> bool {
        self.text == word.text
            || match (self.count, word.count) {
                (_, None) => self.covers(word.text),
                (None, Some(_)) => word.covers(&self.text),
                (Some(_), Some(_)) => false,
            }
    }
}

/// The declarations of a name, or of names of a range, within a byte range.
pub fn declared(snapshot: &Snapshot, range: Range<usize>, word: NamePattern<'_>) -> Vec<DeclarationMeaning> {
    let mut places = Vec::new();
    declared_among(snapshot, range, word, &mut places)
}

/// Like [`declared`], and also collects every occurrence of the name in the text.
fn declared_among(
    snapshot: &Snapshot,
    range: Range<usize>,
    word: NamePattern<'_>,
    places: &mut Vec<Range<usize>>,
) -> Vec<DeclarationMeaning> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    word.places(snapshot, range.clone(), |place| {
        places.push(place.clone());
        if names::in_directive(snapshot, place.start) || names::is_before_colon(snapshot, place.end) {
            nodes.extend(snapshot.node_at(place.start));
        }
        true
    });
    let base = if word.count.is_some() { word.text } else { word.text.trim_end_matches(|c: char| c.is_ascii_digit()) };
    if word.count.is_some() || base.len() < word.text.len() {
        nodes.extend(names::ranges(snapshot, range.clone(), base));
    }
    if word.count.is_some() {
        // A single name that is the base of the range also counts.
        names::occurrences(snapshot, range, word.text, |offset| {
            nodes.extend(snapshot.node_at(offset).filter(|_| names::in_directive(snapshot, offset)));
            true
        });
    }
    let mut out: Vec<DeclarationMeaning> = nodes.into_iter().filter_map(|n| meaning(snapshot, n)).collect();
    out.sort_by_key(|m| m.name.start);
    out.dedup_by_key(|m| m.name.start);
    out
}

/// The declaration whose name is at a node; `None` if the node declares nothing that hides other names.
pub fn meaning(snapshot: &Snapshot, node: Node<'_>) -> Option<DeclarationMeaning> {
    let (k, f) = (kinds(), fields());
    let parent = node.parent().filter(|p| p.child_by_field_id(f.name) == Some(node))?;
    let kind = parent.kind_id();
    let name = node.byte_range();
    let module = || 0..snapshot.rope().len_bytes();
    let mut count = None;
    let (visible, since, label) = if kind == k.label {
        let block = block_of(parent);
        if block.is_some_and(|b| b.kind_id() == k.section_directive) {
            return None;
        }
        (block.map_or_else(module, |b| b.byte_range()), 0, true)
    } else if kind == k.declarator {
        count = names::range_of(snapshot, parent);
        (block_of(parent.parent()?).map_or_else(module, |b| b.byte_range()), name.end, false)
    } else if kind == k.parameter {
        let owner = parent.parent()?.parent()?;
        (owner.child_by_field_id(f.body).unwrap_or(owner).byte_range(), 0, false)
    } else if kind == k.function || kind == k.alias_directive {
        (module(), 0, false)
    } else {
        return None;
    };
    let text = snapshot.text(name.clone()).into_owned();
    Some(DeclarationMeaning { name, text, count, visible, since, label })
}

/// The declaration to which a name refers at an offset: that of the innermost block that has one.
pub fn meant<'m>(all: &'m [DeclarationMeaning], name: &str, at: usize) -> Option<&'m DeclarationMeaning> {
    let counts = |m: &&DeclarationMeaning| m.covers(name) && m.visible.contains(&at) && m.since <= at;
    let inner = |m: &DeclarationMeaning| (m.visible.start, std::cmp::Reverse(m.visible.end));
    all.iter().filter(counts).max_by_key(|m| (inner(m), std::cmp::Reverse((m.label, m.name.start))))
}

/// All declarations of a name, or of the names of its range, in the scope of a given declaration.
pub struct Meanings<'t> {
    snapshot: &'t Snapshot,
    declaration: DeclarationNode<'t>,
    word: NamePattern<'t>,
    /// Range of the name in the given declaration.
    own: Option<Range<usize>>,
    all: Vec<DeclarationMeaning>,
    places: Vec<Range<usize>>,
    debugging: OnceCell<Option<usize>>,
}

/// Range of the name in a declaration.
pub fn own_name(declaration: &DeclarationNode<'_>) -> Option<Range<usize>> {
    declaration.declarator.child_by_field_id(fields().name).map(|n| n.byte_range())
}

/// The pattern for `name`: all names of the range if `name` is its base, otherwise a single name.
pub fn word<'n>(snapshot: &Snapshot, declaration: &DeclarationNode<'_>, name: &'n str) -> NamePattern<'n> {
    let declared = own_name(declaration).map(|r| snapshot.text(r));
    let whole = declared.is_some_and(|d| d == name);
    NamePattern { text: name, count: declaration.count.filter(|_| whole) }
}

impl<'t> Meanings<'t> {
    /// Collects the declarations that may hide the given one.
    pub fn new(snapshot: &'t Snapshot, declaration: &DeclarationNode<'t>, name: &'t str) -> Self {
        let (own, word) = (own_name(declaration), word(snapshot, declaration, name));
        let (all, places, debugging) = (Vec::new(), Vec::new(), OnceCell::new());
        let mut out = Self { snapshot, declaration: *declaration, word, own, all, places, debugging };
        out.all = declared_among(snapshot, out.scope(), word, &mut out.places);
        if let Some(own) = out.own.clone() {
            let scope = out.scope();
            match out.all.iter_mut().find(|m| m.name.start == own.start) {
                // In erroneous code the scope may be smaller than the block.
                Some(meaning) => meaning.visible = scope,
                None => {
                    let meaning = out.own_meaning(own);
                    out.all.push(meaning);
                }
            }
        }
        out
    }

    fn scope(&self) -> Range<usize> {
        self.declaration.scope.map_or(0..self.snapshot.rope().len_bytes(), |n| n.byte_range())
    }

    /// The given declaration itself, if the tree is too broken to recognize it again.
    fn own_meaning(&self, name: Range<usize>) -> DeclarationMeaning {
        let text = self.snapshot.text(name.clone()).into_owned();
        let label = matches!(self.declaration.what, DeclarationKind::Label | DeclarationKind::Targets(_));
        let since = if label { 0 } else { name.end };
        DeclarationMeaning { name, text, count: self.declaration.count, visible: self.scope(), since, label }
    }

    /// The occurrences that may refer to the declaration, in order.
    pub fn places(&self) -> &[Range<usize>] {
        &self.places
    }

    /// Range of the name in the declaration, if it is not among [`Self::places`]: the base of a register range is not one
    /// of its names.
    pub fn own_apart(&self) -> Option<Range<usize>> {
        self.own.clone().filter(|_| self.declaration.count.is_some())
    }

    /// Whether the name is declared at an offset.
    pub fn declares(&self, offset: usize) -> bool {
        self.is_own(offset) || self.all.iter().any(|m| m.name.start == offset)
    }

    fn is_own(&self, offset: usize) -> bool {
        self.own.as_ref().is_some_and(|own| own.start == offset)
    }

    /// Several declarations of a module-level name declare the same object.
    fn is_same(&self, meaning: &DeclarationMeaning) -> bool {
        let module = meaning.visible.len() == self.snapshot.rope().len_bytes();
        self.is_own(meaning.name.start) || (module && self.declaration.scope.is_none())
    }

    /// Whether the name at the end of a path refers to the declaration.
    pub fn is_meant(&self, path: &[Node<'_>], range: &Range<usize>) -> bool {
        if self.is_own(range.start) {
            return true;
        }
        let [around @ .., parent, node] = path else { return false };
        let node = *node;
        if names::is_debugging_data(*parent, around.last().copied()) {
            return self.is_debugged();
        }
        let in_section = |n: Node<'_>| n.parent().is_some_and(|p| p.kind_id() == kinds().section_directive);
        if self.declaration.what == DeclarationKind::Label && in_section(self.declaration.statement) {
            return false;
        }
        // An unclosed function contains the later functions in the tree.
        if let Some(scope) = self.declaration.scope.filter(|s| s.has_error())
            && names::function_around(node) != names::function_around(scope)
        {
            return false;
        }
        if let Some(declared) = self.all.iter().find(|m| m.name.start == range.start) {
            return self.is_same(declared);
        }
        meant(&self.all, &self.snapshot.text(range.clone()), range.start).is_some_and(|m| self.is_same(m))
    }

    /// Whether debugging data refer to the declaration by this name.
    fn is_debugged(&self) -> bool {
        let find = || names::debug_label(self.snapshot, self.word.text).map(|l| l.declarator.start_byte());
        match self.debugging.get_or_init(find) {
            Some(label) => *label == self.declaration.declarator.start_byte(),
            None => self.declaration.scope.is_none(),
        }
    }
}

/// The block or section of a statement. In erroneous code this may be an error node; `None` at the top of the file.
fn block_of(statement: Node<'_>) -> Option<Node<'_>> {
    let mut here = statement.parent()?;
    while here.is_error() {
        match here.parent() {
            Some(parent) if parent.parent().is_some() => here = parent,
            _ => return Some(here),
        }
    }
    here.parent().is_some().then_some(here)
}

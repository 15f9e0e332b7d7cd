//! Completion: what may be written at an offset, best first.
//!
//! Offered is what the checks take. Modifiers are sought in the forms ([`reach`]), operands are held against them, and for
//! declarations and headers the checks themselves are asked ([`trial`]). What the module's version or target lacks is offered as
//! well, but marked, and last: who looks for an instruction wants to know that it is there and what it takes.
//!
//! The tree says in which part of the module the cursor stands; the words of the statement are read from its text ([`tokens`]), since
//! a half-typed statement has hardly a tree.

mod cuda;
mod declarations;
mod directives;
mod forms;
mod head;
mod history;
mod labels;
mod opening;
mod operands;
mod place;
mod reach;
mod scope;
mod skeletons;
mod statement;
mod tokens;
mod topic;
mod trial;
pub mod usage;

pub use opening::completion_list;
pub use topic::{Topic, documentation};

pub(crate) use forms::operands as operand_labels;
pub(crate) use operands::{EnclosingBracket, Fitting, NamesInScope, OperandSpot, callee, fitting};
pub(crate) use place::CompletionPlace;
pub(crate) use scope::{locals, signature};
pub(crate) use statement::{Where, whereabouts};

use history::History;
use ptx_analysis::semantics::environment;
use ptx_analysis::target::Environment;
use ptx_syntax::Snapshot;
use reach::TargetSupport;
use std::cell::OnceCell;
use std::ops::Range;

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionOptions {
    /// Snippets may be inserted, with `$1` and `${2:name}`.
    pub snippets: bool,
    /// What the module's version or target lacks is listed too.
    pub unavailable: bool,
}

impl Default for CompletionOptions {
    fn default() -> Self {
        Self { snippets: true, unavailable: true }
    }
}

/// What may be written at a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    /// Best first.
    pub items: Vec<Item>,
    /// What an item replaces when it is inserted: the word up to the place.
    pub insert: Range<usize>,
    /// What it replaces when it takes the place of the whole word.
    pub replace: Range<usize>,
    /// There is more; with another letter typed the list may be another.
    pub incomplete: bool,
}

/// Something that may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What is shown, and unless said otherwise what is typed to find it and what is written.
    pub label: String,
    /// What it is.
    pub kind: ItemKind,
    /// Shown right behind the label: operands, parameters. May be empty.
    pub signature: String,
    /// One line: what it does, its type. May be empty.
    pub detail: String,
    /// What is typed to find it, where that is not the label.
    pub filter: Option<String>,
    /// What is written, where that is not the label.
    pub text: Option<String>,
    /// The text is a snippet.
    pub snippet: bool,
    /// Something must follow it, and there is a list of that.
    pub goes_on: bool,
    /// It goes out of use.
    pub deprecated: bool,
    /// Why the module's version or target does not have it; in words.
    pub unavailable: Option<String>,
    /// For [`documentation`].
    pub topic: Topic,
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instruction.
    Opcode,
    /// A modifier that is no type and no state space.
    Modifier,
    /// A type.
    Type,
    /// A state space.
    Space,
    /// A register.
    Register,
    /// A special register.
    SpecialRegister,
    /// A component of a vector, or a selector.
    Component,
    /// A variable in memory.
    Variable,
    /// A parameter or a result.
    Parameter,
    /// A label.
    Label,
    /// A function.
    Function,
    /// A number.
    Number,
    /// A directive.
    Directive,
    /// A target, an option or a version.
    Target,
    /// A word or a string that some directive takes.
    Word,
    /// Operands of a form.
    Operands,
    /// A piece of a program.
    Snippet,
}

impl Item {
    fn new(label: impl Into<String>, kind: ItemKind) -> Self {
        Self {
            label: label.into(),
            kind,
            signature: String::new(),
            detail: String::new(),
            filter: None,
            text: None,
            snippet: false,
            goes_on: false,
            deprecated: false,
            unavailable: None,
            topic: Topic::default(),
        }
    }

    fn detail(mut self, detail: impl Into<String>) -> Self {
        // Details are shown as they are, not as Markdown.
        self.detail = detail.into().replace('`', "");
        self
    }

    fn topic(mut self, topic: Topic) -> Self {
        self.topic = topic;
        self
    }

    fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    fn snippet(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self.snippet = true;
        self
    }

    fn status(mut self, status: TargetSupport) -> Self {
        match status {
            TargetSupport::Available => {}
            TargetSupport::Deprecated(_) => self.deprecated = true,
            TargetSupport::Lacking(gate) => self.unavailable = Some(reach::words(gate)),
        }
        self
    }

    /// What is written.
    pub fn new_text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.label)
    }
}

/// How many items are listed at most; with another letter there will be others.
const MAX_ITEMS: usize = 400;

/// What may be written at an offset; nothing in comments and strings.
pub fn completion(snapshot: &Snapshot, offset: usize, options: CompletionOptions) -> Completions {
    let Some(place) = CompletionPlace::new(snapshot, offset) else { return Completions::default() };
    let environment = environment(snapshot);
    let mut list =
        List { place: &place, environment: &environment, options, items: Vec::new(), history: OnceCell::new() };
    list.fill();
    let List { items, .. } = list;
    let mut items: Vec<Item> = items.into_iter().filter(|i| options.unavailable || i.unavailable.is_none()).collect();
    // A stable sort: within each group the order is that in which they were found.
    items.sort_by_key(|i| i.unavailable.is_some());
    // What a directive takes is written next.
    if place.after.len() == 0 && place.replace.end == offset {
        for item in items.iter_mut().filter(|i| i.kind == ItemKind::Directive && i.text.is_none()) {
            let takes =
                |d: &ptx_isa::tables::Directive| d.syntax.strip_prefix(d.name).is_some_and(|s| s.starts_with(' '));
            if let Some(directive) = ptx_isa::ISA.directive(&item.label).filter(|d| takes(d)) {
                item.text = Some(format!("{} ", item.label));
                item.goes_on = directives::leads_on(directive);
            }
        }
        for item in items.iter_mut().filter(|i| i.kind == ItemKind::Opcode) {
            item.goes_on = ptx_isa::ISA.opcode(&item.label).is_some_and(|opcode| !head::is_whole(opcode));
        }
    }
    let word = place.word.as_str();
    items.retain(|i| has_letters(i.filter.as_deref().unwrap_or(&i.label), word));
    // With another letter what is left out may be in the list. Nothing else makes a list incomplete: while an editor waits for
    // the next one it shows the old one, and Enter takes an item of it, whatever has been typed since.
    let incomplete = items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    Completions { items, insert: place.insert, replace: place.replace, incomplete }
}

/// Whether the letters of a word are in a text in their order, whatever their case: so editors filter what they get.
fn has_letters(text: &str, word: &str) -> bool {
    let mut rest = text.chars();
    word.chars().all(|letter| rest.any(|c| c.eq_ignore_ascii_case(&letter)))
}

/// The list in the making.
struct List<'p, 't> {
    place: &'p CompletionPlace<'t>,
    environment: &'p Environment,
    options: CompletionOptions,
    items: Vec<Item>,
    history: OnceCell<History>,
}

impl List<'_, '_> {
    fn push(&mut self, item: Item) {
        if !item.snippet || self.options.snippets {
            self.items.push(item);
        }
    }

    /// What has been written around the place.
    fn history(&self) -> &History {
        self.history.get_or_init(|| History::new(self.place))
    }

    /// Sorts the items from one on by scores, the best first; what has none keeps its order behind them.
    fn by_score(&mut self, from: usize, score: impl Fn(&Item) -> f64) {
        let Some(items) = self.items.get_mut(from..) else { return };
        let mut scored: Vec<(f64, Item)> = items.iter().map(|i| (score(i), i.clone())).collect();
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        for (slot, (_, item)) in items.iter_mut().zip(scored) {
            *slot = item;
        }
    }

    fn fill(&mut self) {
        // Nothing follows within a number, and a word right behind a bracket or a string belongs to nothing.
        if self.place.kind == Some(tokens::CompletionTokenKind::Number) {
            return;
        }
        // A name before a colon is a new label.
        if self.place.kind == Some(tokens::CompletionTokenKind::Word) && self.place.after.at(0) == ":" {
            return;
        }
        let place = whereabouts(self.place);
        match &place {
            Where::Start => self.start(),
            Where::Guard => self.guard(),
            Where::Opcode => {
                self.opcodes();
                self.by_use();
            }
            Where::Modifier(head) => self.modifiers(head),
            Where::Operand(head) => self.operand(head),
            Where::Directive => self.directive(),
            Where::Nowhere => {}
        }
        self.cuda(&place);
    }

    /// The beginning of a statement.
    fn start(&mut self) {
        use place::ModulePart;
        match (self.place.level, self.place.kind) {
            (ModulePart::Module, _) => {
                self.module_directives();
                let scores = usage::likely("module", &["*"]);
                self.by_score(0, |i| usage::score(&scores, &i.label));
                self.module_skeletons();
            }
            (ModulePart::Body, Some(tokens::CompletionTokenKind::Dot)) => {
                self.body_directives();
                self.by_use();
            }
            (ModulePart::Body, None | Some(tokens::CompletionTokenKind::Word)) => {
                self.opcodes();
                self.body_directives();
                self.by_use();
                self.missing_labels();
                self.body_skeletons();
            }
            (ModulePart::Section, Some(tokens::CompletionTokenKind::Dot) | None) => self.section_data(),
            (ModulePart::Header, _) => self.directive(),
            _ => {}
        }
    }
}

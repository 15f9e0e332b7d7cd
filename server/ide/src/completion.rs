//! Completion: the texts that are legal at an offset, best first.
//!
//! All offers pass the checks. Modifiers are searched for in the instruction forms ([`reach`]), and operands are matched
//! with the forms. Words of declarations and headers are tried with the checks themselves ([`trial`]). Items that the
//! module's version or target does not support are offered too, but marked and last. Users who look for an instruction need
//! to know that it exists and what it requires.
//!
//! The syntax tree gives the part of the module that contains the cursor. The words of the statement come from its text
//! ([`tokens`]), since the tree of an incomplete statement is of little use.

mod cuda;
mod cuda_names;
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

use crate::describe;
use history::History;
use ptx_analysis::{Environment, environment, mnemonic};
use ptx_syntax::Snapshot;
pub(crate) use reach::{TargetSupport, instruction as instruction_support};
use std::cell::OnceCell;
use std::ops::Range;

/// Options of a completion request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletionOptions {
    /// The client accepts snippets, with `$1` and `${2:name}`.
    pub snippets: bool,
    /// Items that the module's version or target does not support are listed too.
    pub unavailable: bool,
}

impl Default for CompletionOptions {
    fn default() -> Self {
        Self { snippets: true, unavailable: true }
    }
}

/// A list of completion items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    /// Best first.
    pub items: Vec<Item>,
    /// The byte range that an item replaces when it is inserted: the word up to the cursor.
    pub insert: Range<usize>,
    /// The byte range that an item replaces when it overwrites: the whole word.
    pub replace: Range<usize>,
    /// The list after another letter may have other items; the client must request it.
    pub incomplete: bool,
}

/// A text that is legal at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The displayed text. It is also the filter text and the inserted text unless `filter` or `text` is set.
    pub label: String,
    /// The kind of the item.
    pub kind: ItemKind,
    /// Displayed right after the label: operands, parameters. May be empty.
    pub signature: String,
    /// One line, such as a description or a type. May be empty.
    pub detail: String,
    /// Text that the typed letters are matched with, if it differs from the label.
    pub filter: Option<String>,
    /// Text that is inserted, if it differs from the label.
    pub text: Option<String>,
    /// The text is a snippet.
    pub snippet: bool,
    /// Another word must follow, and completion has a list for it.
    pub goes_on: bool,
    /// The item is deprecated.
    pub deprecated: bool,
    /// Message: why the module's version or target does not support it.
    pub unavailable: Option<String>,
    /// The key for [`documentation`].
    pub topic: Topic,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instruction.
    Opcode,
    /// A modifier that is neither a type nor a state space.
    Modifier,
    /// A type.
    Type,
    /// A state space.
    Space,
    /// A register.
    Register,
    /// A special register.
    SpecialRegister,
    /// A component of a vector, or a selector of a part.
    Component,
    /// A variable in memory.
    Variable,
    /// A parameter or a result of a function.
    Parameter,
    /// A label.
    Label,
    /// A function.
    Function,
    /// A number.
    Number,
    /// A directive.
    Directive,
    /// A target, an option of a target or a version.
    Target,
    /// A word or a string that a directive takes.
    Word,
    /// All operands of a form.
    Operands,
    /// A snippet.
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
        // Clients display details as plain text, not as Markdown.
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
            TargetSupport::Unbuilt(unbuilt) => self.unavailable = Some(describe::unbuilt_label(unbuilt.outcome)),
        }
        self
    }

    /// The text that is inserted.
    pub fn new_text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.label)
    }
}

/// Maximum number of items. After another letter the list may have others.
const MAX_ITEMS: usize = 400;

/// The completion list for a byte offset; empty in comments and strings.
pub fn completion(snapshot: &Snapshot, offset: usize, options: CompletionOptions) -> Completions {
    let Some(place) = CompletionPlace::new(snapshot, offset) else { return Completions::default() };
    let environment = environment(snapshot);
    let mut list = List {
        place: &place,
        environment: &environment,
        options,
        items: Vec::new(),
        holds_back: false,
        history: OnceCell::new(),
    };
    list.fill();
    let List { items, holds_back, .. } = list;
    let mut items: Vec<Item> = items.into_iter().filter(|i| options.unavailable || i.unavailable.is_none()).collect();
    // The sort is stable: within each group, items keep the order in which they were found.
    items.sort_by_key(|i| i.unavailable.is_some());
    // If nothing follows on the line, a directive with arguments is inserted with a blank, and the list of its arguments
    // opens.
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
            item.goes_on = ptx_isa::ISA.opcode(&item.label).is_some_and(|opcode| !mnemonic::is_complete(opcode, &[]));
        }
    }
    let word = place.word.as_str();
    items.retain(|i| has_letters(i.filter.as_deref().unwrap_or(&i.label), word));
    // Editors keep a complete list and filter it. So a list holds all items that a longer word can have; where that would be
    // too many, it is incomplete. Those lists are few: while an editor waits for the next list it shows the old one, and
    // Enter takes an item of the old list, whatever has been typed since.
    let incomplete = items.len() > MAX_ITEMS || holds_back;
    items.truncate(MAX_ITEMS);
    Completions { items, insert: place.insert, replace: place.replace, incomplete }
}

/// Whether a text contains the letters of a word in their order, ignoring case. Editors filter lists in the same way.
fn has_letters(text: &str, word: &str) -> bool {
    let mut rest = text.chars();
    word.chars().all(|letter| rest.any(|c| c.eq_ignore_ascii_case(&letter)))
}

/// A completion list under construction.
struct List<'p, 't> {
    place: &'p CompletionPlace<'t>,
    environment: &'p Environment,
    options: CompletionOptions,
    items: Vec<Item>,
    /// Items that begin with the typed word are left out, because they are too many.
    holds_back: bool,
    history: OnceCell<History>,
}

impl List<'_, '_> {
    fn push(&mut self, item: Item) {
        if !item.snippet || self.options.snippets {
            self.items.push(item);
        }
    }

    /// The statements around the cursor, read on first use.
    fn history(&self) -> &History {
        self.history.get_or_init(|| History::new(self.place))
    }

    /// Sorts the items from index `from` on by score, the best first. Items of the same score keep their order.
    fn by_score(&mut self, from: usize, score: impl Fn(&Item) -> f64) {
        let Some(items) = self.items.get_mut(from..) else { return };
        let mut scored: Vec<(f64, Item)> = items.iter().map(|i| (score(i), i.clone())).collect();
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        for (slot, (_, item)) in items.iter_mut().zip(scored) {
            *slot = item;
        }
    }

    fn fill(&mut self) {
        // Nothing is offered within a number, or for a word right after a bracket or a string.
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

    /// Completes the beginning of a statement.
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

//! What editors do with completion lists between requests, as far as it decides which items are shown: when they ask, how long
//! they keep a list, and how they filter it. Each follows the source of its editor.
//!
//! - VS Code (`suggestModel.ts`, `completionModel.ts`): asks when a word begins and for trigger characters. It keeps a list that is
//!   complete while something in it fits, also into another word, and closes it otherwise; the next letter then asks.
//! - Eglot (`eglot-completion-at-point`) with Corfu, which asks from the third letter of a symbol on, or behind a trigger character, a blank included.
//!   A symbol begins behind the last dot (`ptx-mode.el`). A list is kept as long as the popup, incomplete or not.
//! - Neovim (`vim/lsp/completion.lua`): asks for trigger characters, or when told; here for the first letter. It keeps the list
//!   while something fits, unless it is incomplete. A letter that is not part of a keyword closes it.
//! - nvim-cmp (`source.lua`): asks when a keyword begins and for trigger characters, and again if the list is incomplete.
//! - Helix (`handlers/completion.rs`): asks for trigger characters, and otherwise in a pause, from two letters on. A character that
//!   is not part of a word closes the list.

use serde_json::Value;

/// A line up to the cursor.
#[derive(Debug, Clone, Copy)]
pub struct Line<'t>(pub &'t str);

impl<'t> Line<'t> {
    /// The characters before the cursor that `is_part` takes.
    fn word(self, is_part: impl Fn(char) -> bool) -> &'t str {
        let start =
            self.0.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(self.0.len(), |(at, _)| at);
        &self.0[start..]
    }

    fn last(self) -> char {
        self.0.chars().next_back().unwrap_or(' ')
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Why an editor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    Invoked,
    Character(char),
    Incomplete,
}

/// An item of an answer.
#[derive(Debug, Clone)]
pub struct ListedItem {
    pub label: String,
    pub new_text: String,
    filter: String,
    /// The word for which Neovim keeps the item.
    word: String,
    is_snippet: bool,
    /// Column in the typed line at which its edit begins.
    pub start: usize,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct ReceivedList {
    pub items: Vec<ListedItem>,
    incomplete: bool,
    /// Length of the line when it was asked for.
    at: usize,
}

impl ReceivedList {
    /// Reads an answer that was asked for when the line had `at` characters. Lines are indented by 4.
    pub fn new(answer: &Value, at: usize) -> Self {
        let item = |item: &Value| {
            let edit = &item["textEdit"];
            let range = edit.get("insert").unwrap_or(&edit["range"]);
            let text = |key: &str| item[key].as_str().map(str::to_owned);
            let label = text("label").unwrap();
            ListedItem {
                filter: text("filterText").unwrap_or_else(|| label.clone()),
                new_text: edit["newText"].as_str().unwrap().to_owned(),
                word: String::new(),
                is_snippet: item["insertTextFormat"] == 2,
                start: range["start"]["character"].as_u64().unwrap() as usize - 4,
                label,
            }
        };
        let items = answer["items"].as_array().map_or_else(Vec::new, |items| items.iter().map(item).collect());
        Self { items, incomplete: answer["isIncomplete"] == true, at }
    }

    /// The items that begin with what is typed. Every editor would show them.
    pub fn begun<'l>(&'l self, line: Line<'l>) -> impl Iterator<Item = &'l ListedItem> {
        self.items.iter().filter(move |item| begins(line.0.get(item.start..).unwrap_or(""), &item.filter))
    }
}

/// The trigger characters of the server.
const TRIGGERS: &str = ".%[@$|\" ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorKind {
    VsCode,
    Eglot,
    Neovim,
    NvimCmp,
    Helix,
}

/// Whether the letters of `word` occur in `text` in their order.
fn is_subsequence(word: &str, text: &str) -> bool {
    let mut rest = text.chars();
    word.chars().all(|letter| rest.any(|c| c.eq_ignore_ascii_case(&letter)))
}

/// The same, the first letter at the beginning of a word.
fn begins_a_word(word: &str, text: &str) -> bool {
    let Some(first) = word.chars().next() else { return true };
    let mut before = '.';
    text.char_indices().any(|(at, c)| {
        let starts = !is_word(before) || before == '_';
        before = c;
        starts && c.eq_ignore_ascii_case(&first) && is_subsequence(word, &text[at..])
    })
}

fn begins(word: &str, text: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

impl EditorKind {
    pub const ALL: [Self; 5] = [Self::VsCode, Self::Eglot, Self::Neovim, Self::NvimCmp, Self::Helix];

    /// The name that the editor gives in `initialize`.
    pub fn client_name(self) -> &'static str {
        match self {
            Self::VsCode => "Visual Studio Code",
            Self::Eglot => "Eglot",
            Self::Neovim | Self::NvimCmp => "Neovim",
            Self::Helix => "helix",
        }
    }

    /// Whether the editor shows an item of its list when the cursor is at the end of a line.
    fn fits(self, item: &ListedItem, line: Line<'_>) -> bool {
        let typed = line.0.get(item.start..).unwrap_or("");
        match self {
            Self::VsCode | Self::NvimCmp => begins_a_word(typed, &item.filter),
            Self::Eglot => is_subsequence(line.word(Self::is_symbol), &item.filter),
            Self::Neovim => begins(typed, &item.word),
            Self::Helix => is_subsequence(line.word(is_word), &item.filter),
        }
    }

    /// Whether a character is part of a symbol where `ptx-mode` completes, and of a keyword in the file type of Neovim.
    fn is_symbol(c: char) -> bool {
        is_word(c) || matches!(c, '$' | '%')
    }
}

/// An editor while a line is typed.
pub struct Editor {
    kind: EditorKind,
    list: Option<ReceivedList>,
    /// It waits for an answer.
    waits: bool,
    /// Length of the line when it asked last.
    asked: Option<usize>,
}

impl Editor {
    pub fn new(kind: EditorKind) -> Self {
        Self { kind, list: None, waits: false, asked: None }
    }

    fn ask(&mut self, trigger: Trigger, line: Line<'_>) -> Option<Trigger> {
        (self.waits, self.asked) = (true, Some(line.0.len()));
        Some(trigger)
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn nothing_fits(&self, line: Line<'_>) -> bool {
        self.list.as_ref().is_none_or(|list| !list.items.iter().any(|i| self.kind.fits(i, line)))
    }

    /// A key was typed. Returns the request that the editor sends now.
    pub fn key(&mut self, line: Line<'_>) -> Option<Trigger> {
        let typed = line.last();
        let triggers = TRIGGERS.contains(typed);
        let incomplete = self.list.as_ref().is_some_and(|list| list.incomplete);
        match self.kind {
            EditorKind::VsCode => {
                if triggers {
                    self.close();
                    return self.ask(Trigger::Character(typed), line);
                }
                if self.list.is_some() {
                    if incomplete && is_word(typed) {
                        return self.ask(Trigger::Incomplete, line);
                    }
                    if self.nothing_fits(line) {
                        self.close();
                    }
                    return None;
                }
                if is_word(typed) && !self.waits { self.ask(Trigger::Invoked, line) } else { None }
            }
            EditorKind::Eglot => {
                if !EditorKind::is_symbol(typed) {
                    (self.list, self.waits) = (None, false);
                }
                if self.list.is_some() {
                    if self.nothing_fits(line) {
                        self.close();
                    }
                    return None;
                }
                let symbol = line.word(EditorKind::is_symbol);
                let before = line.0[..line.0.len() - symbol.len()].chars().next_back();
                // Lines are indented.
                let behind_trigger =
                    before.is_some_and(|c| TRIGGERS.contains(c)) || (before.is_none() && !symbol.is_empty());
                if !self.waits && (symbol.len() >= 3 || behind_trigger) {
                    self.ask(Trigger::Invoked, line)
                } else {
                    None
                }
            }
            EditorKind::Neovim => {
                if self.list.is_some() {
                    if !EditorKind::is_symbol(typed) {
                        self.close();
                    } else {
                        if self.nothing_fits(line) {
                            self.close();
                        }
                        return if incomplete { self.ask(Trigger::Incomplete, line) } else { None };
                    }
                }
                if triggers {
                    return self.ask(Trigger::Character(typed), line);
                }
                // `<C-x><C-o>`, once for the line.
                if self.asked.is_none() && is_word(typed) { self.ask(Trigger::Invoked, line) } else { None }
            }
            EditorKind::NvimCmp => {
                if triggers {
                    self.close();
                    return self.ask(Trigger::Character(typed), line);
                }
                if !is_word(typed) {
                    self.close();
                    return None;
                }
                if incomplete && !self.waits {
                    return self.ask(Trigger::Incomplete, line);
                }
                // A keyword that begins here and is not part of what the list is for.
                if line.word(is_word).len() == 1 && self.list.is_none() && !self.waits {
                    return self.ask(Trigger::Invoked, line);
                }
                None
            }
            EditorKind::Helix => {
                if self.list.is_some() {
                    if !is_word(typed) || self.nothing_fits(line) {
                        self.close();
                    } else {
                        return if incomplete { self.ask(Trigger::Incomplete, line) } else { None };
                    }
                }
                if triggers { self.ask(Trigger::Character(typed), line) } else { None }
            }
        }
    }

    /// An answer arrives. Returns the next request, if the list is already out of date.
    pub fn answer(&mut self, mut list: ReceivedList, line: Line<'_>) -> Option<Trigger> {
        self.waits = false;
        if self.kind == EditorKind::Neovim {
            let typed = |item: &ListedItem| line.0.get(item.start..).unwrap_or("").to_owned();
            list.items.retain(|item| begins(&typed(item), &item.filter));
            for item in &mut list.items {
                item.word = match (item.is_snippet, begins(&typed(item), &item.label)) {
                    (true, true) => item.label.clone(),
                    (true, false) => item.filter.clone(),
                    (false, _) => item.new_text.clone(),
                };
            }
        }
        let again = list.incomplete && list.at < line.0.len() && is_word(line.last());
        let keeps_old = self.kind == EditorKind::NvimCmp && list.items.is_empty();
        if !keeps_old {
            self.list = Some(list);
        }
        if self.nothing_fits(line) {
            self.close();
        }
        if again && self.kind != EditorKind::Eglot { self.ask(Trigger::Incomplete, line) } else { None }
    }

    /// The user pauses. Returns the request that the editor sends then.
    pub fn pause(&mut self, line: Line<'_>) -> Option<Trigger> {
        let asks = self.kind == EditorKind::Helix && self.list.is_none() && line.word(is_word).len() >= 2;
        if asks { self.ask(Trigger::Invoked, line) } else { None }
    }

    /// Whether the editor has asked for the word at the end of the line. Neovim does not, if the word begins without a trigger
    /// character.
    pub fn has_asked(&self, line: Line<'_>) -> bool {
        let start = line.0.rfind(' ').map_or(0, |at| at + 1);
        self.asked.is_some_and(|at| at > start || (at == start && self.kind != EditorKind::Neovim))
    }

    /// The items that the editor shows.
    pub fn shown(&self, line: Line<'_>) -> Vec<&ListedItem> {
        let items = self.list.iter().flat_map(|list| &list.items);
        items.filter(|i| self.kind.fits(i, line)).collect()
    }
}

//! Reads the modules of a crate from the tokens of its files: what each module declares, imports and names.
//!
//! It reads tokens, not a syntax tree: a tree does not show the paths in calls and bodies of macros. Code that is
//! compiled for tests alone is left out.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// The files of a crate, by their paths with `/` from a common folder.
pub type Files = BTreeMap<String, String>;

/// Words before the name that an item declares.
const ITEMS: [&str; 9] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro"];

/// A path as the source writes it: `["super", "host", "Host"]`.
#[derive(Debug, Clone)]
pub struct SourcePath {
    pub segments: Vec<String>,
    /// From 1.
    pub line: usize,
    /// Whether it is called as a macro.
    pub is_macro: bool,
}

/// A name that `use` makes.
#[derive(Debug)]
pub struct Import {
    pub name: String,
    pub path: SourcePath,
    /// Whether others may use the name too.
    pub is_public: bool,
}

/// A module: a file, or `mod name { … }` in one.
#[derive(Debug, Default)]
pub struct Module {
    pub name: String,
    pub parent: Option<usize>,
    pub file: String,
    /// Two children have the same name if each is for another system.
    pub children: Vec<usize>,
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// The paths before `::*`.
    pub globs: Vec<SourcePath>,
    pub paths: Vec<SourcePath>,
}

/// The modules of a crate; the first is its root.
#[derive(Debug, Default)]
pub struct Modules {
    pub all: Vec<Module>,
    /// The modules that declare each macro. Macros are visible below their declaration without a path.
    pub macros: BTreeMap<String, Vec<usize>>,
}

impl Modules {
    /// Whether a module is inside of another one.
    pub fn is_in(&self, module: usize, outer: usize) -> bool {
        std::iter::successors(Some(module), |module| self.all[*module].parent).skip(1).any(|around| around == outer)
    }

    /// Reads a crate from the file of its root.
    pub fn read(files: &Files, root: &str) -> Self {
        let mut reader = Reader { files, modules: Self::default() };
        let folder = folder_of(root);
        reader.file(root, String::new(), None, &folder);
        reader.modules
    }
}

/// The scope of the tokens that are read.
#[derive(Clone, Copy)]
struct Scope<'a> {
    module: usize,
    /// The folder of the files of its children.
    folder: &'a str,
    /// Whether these tokens are the items of the module, not the inside of one of them.
    items: bool,
}

struct Reader<'a> {
    files: &'a Files,
    modules: Modules,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, name: String, parent: Option<usize>, folder: &str) {
        let text = &self.files[path];
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        let module = self.add(name, parent, path.to_owned());
        self.tokens(tokens, Scope { module, folder, items: true });
    }

    fn add(&mut self, name: String, parent: Option<usize>, file: String) -> usize {
        let module = self.modules.all.len();
        self.modules.all.push(Module { name, parent, file, ..Module::default() });
        if let Some(parent) = parent {
            self.modules.all[parent].children.push(module);
        }
        module
    }

    fn tokens(&mut self, stream: TokenStream, scope: Scope<'_>) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let inside = Scope { items: false, ..scope };
        let mut file = None;
        let mut at = 0;
        while at < tokens.len() {
            if let Some(attribute) = Attribute::at(&tokens, at) {
                at = attribute.end;
                match attribute.is_for_tests() {
                    true if attribute.is_inner => return,
                    true => at = end_of_item(&tokens, at),
                    false => self.tokens(attribute.content.stream(), inside),
                }
                file = attribute.path().or(file);
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => {
                    self.tokens(group.stream(), inside);
                    at += 1;
                }
                TokenTree::Ident(word) if !is_continued(&tokens, at) => {
                    at = self.word(&tokens, at, &name(word), file.take(), scope);
                }
                _ => at += 1,
            }
        }
    }

    /// Reads from a word on; returns the place behind what it begins.
    fn word(&mut self, tokens: &[TokenTree], at: usize, word: &str, file: Option<String>, scope: Scope<'_>) -> usize {
        let next = tokens.get(at + 1);
        match (word, next) {
            ("mod", Some(TokenTree::Ident(child))) => {
                self.child(tokens.get(at + 2), name(child), file, scope);
                at + 3
            }
            ("use", Some(token)) if !is_punct(token, '<') => {
                let end = (at..tokens.len()).find(|at| is_punct(&tokens[*at], ';')).unwrap_or(tokens.len());
                let statement = UseStatement { module: scope.module, is_public: is_public(tokens, at) };
                self.imports(&tokens[at + 1..end], &[], statement);
                end
            }
            ("macro_rules", Some(token)) if is_punct(token, '!') => {
                if let Some(TokenTree::Ident(declared)) = tokens.get(at + 2) {
                    self.modules.macros.entry(name(declared)).or_default().push(scope.module);
                    self.modules.all[scope.module].items.insert(name(declared));
                }
                at + 3
            }
            (word, Some(TokenTree::Ident(declared))) if ITEMS.contains(&word) => {
                let declared = name(declared);
                // `const fn`, `static mut`.
                if ["fn", "unsafe", "async", "extern", "mut"].contains(&declared.as_str()) {
                    return at + 1;
                }
                if scope.items {
                    self.modules.all[scope.module].items.insert(declared);
                }
                at + 2
            }
            _ => {
                let (segments, end) = segments(tokens, at);
                let is_macro = tokens.get(end).is_some_and(|token| is_punct(token, '!'));
                let line = tokens[at].span().start().line;
                self.modules.all[scope.module].paths.push(SourcePath { segments, line, is_macro });
                end
            }
        }
    }

    /// Reads a module that is declared: its body, or its file. `file` is that of an attribute.
    fn child(&mut self, body: Option<&TokenTree>, name: String, file: Option<String>, scope: Scope<'_>) {
        let own = self.modules.all[scope.module].file.clone();
        if let Some(TokenTree::Group(body)) = body {
            let folder = format!("{}{name}/", scope.folder);
            let module = self.add(name, Some(scope.module), own);
            return self.tokens(body.stream(), Scope { module, folder: &folder, items: true });
        }
        if let Some(file) = file {
            let path = format!("{}{file}", folder_of(&own));
            let folder = folder_of(&path);
            return self.file(&path, name, Some(scope.module), &folder);
        }
        let folder = format!("{}{name}/", scope.folder);
        let candidates = [format!("{}{name}.rs", scope.folder), format!("{folder}mod.rs")];
        let path = candidates.iter().find(|path| self.files.contains_key(*path));
        let path = path.unwrap_or_else(|| panic!("{own} declares {name}, and there is no {candidates:?}"));
        self.file(path, name, Some(scope.module), &folder);
    }

    /// Reads the tree behind `use`, which may be a list, and its part before that.
    fn imports(&mut self, tokens: &[TokenTree], before: &[String], statement: UseStatement) {
        let module = &mut self.modules.all[statement.module];
        let mut lists: Vec<(Vec<TokenTree>, Vec<String>)> = Vec::new();
        for tree in tokens.split(|token| is_punct(token, ',')) {
            let Some(first) = tree.first() else { continue };
            let line = first.span().start().line;
            let mut path = before.to_vec();
            let mut rename = None;
            let mut at = 0;
            // `::name` is a crate.
            if before.is_empty() && is_punct(first, ':') {
                continue;
            }
            while let Some(token) = tree.get(at) {
                match token {
                    TokenTree::Ident(word) if *word == "as" => {
                        rename = tree.get(at + 1).map(ToString::to_string);
                        at += 1;
                    }
                    TokenTree::Ident(word) if *word == "self" && !path.is_empty() => {}
                    TokenTree::Ident(word) => path.push(name(word)),
                    TokenTree::Group(list) => {
                        let list: Vec<TokenTree> = list.stream().into_iter().collect();
                        lists.push((list, std::mem::take(&mut path)));
                    }
                    TokenTree::Punct(star) if star.as_char() == '*' => {
                        let path = SourcePath { segments: std::mem::take(&mut path), line, is_macro: false };
                        module.globs.push(path);
                    }
                    _ => {}
                }
                at += 1;
            }
            if let Some(last) = path.last() {
                let name = rename.unwrap_or_else(|| last.clone());
                let path = SourcePath { segments: path, line, is_macro: false };
                module.imports.push(Import { name, path, is_public: statement.is_public });
            }
        }
        for (list, before) in lists {
            self.imports(&list, &before, statement);
        }
    }
}

/// A `use` that is read.
#[derive(Clone, Copy)]
struct UseStatement {
    module: usize,
    is_public: bool,
}

/// `#[…]` or `#![…]`.
struct Attribute<'a> {
    content: &'a Group,
    is_inner: bool,
    /// The place of the token behind it.
    end: usize,
}

impl<'a> Attribute<'a> {
    fn at(tokens: &'a [TokenTree], at: usize) -> Option<Self> {
        let rest = tokens.get(at..)?;
        let is_inner = rest.get(1).is_some_and(|token| is_punct(token, '!'));
        match (rest.first()?, rest.get(1 + usize::from(is_inner))?) {
            (hash, TokenTree::Group(content)) if is_punct(hash, '#') && content.delimiter() == Delimiter::Bracket => {
                Some(Self { content, is_inner, end: at + 2 + usize::from(is_inner) })
            }
            _ => None,
        }
    }

    fn is_for_tests(&self) -> bool {
        let tokens: Vec<TokenTree> = self.content.stream().into_iter().collect();
        match &tokens[..] {
            [TokenTree::Ident(word), TokenTree::Group(predicate)] if *word == "cfg" => implies_test(predicate.stream()),
            [TokenTree::Ident(word)] => *word == "test",
            _ => false,
        }
    }

    /// Returns the file of `#[path = "file"]`.
    fn path(&self) -> Option<String> {
        let tokens: Vec<TokenTree> = self.content.stream().into_iter().collect();
        match &tokens[..] {
            [TokenTree::Ident(word), _, TokenTree::Literal(file)] if *word == "path" => {
                Some(file.to_string().trim_matches('"').to_owned())
            }
            _ => None,
        }
    }
}

/// Whether a predicate of `cfg` is true for tests only.
fn implies_test(predicate: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = predicate.into_iter().collect();
    match &tokens[..] {
        [TokenTree::Ident(word)] => *word == "test",
        [TokenTree::Ident(word), TokenTree::Group(list)] if *word == "all" => {
            let list: Vec<TokenTree> = list.stream().into_iter().collect();
            list.split(|token| is_punct(token, ',')).any(|one| implies_test(one.iter().cloned().collect()))
        }
        _ => false,
    }
}

/// Returns the place behind an item, a statement, a field, or an arm of `match`.
fn end_of_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some(attribute) = Attribute::at(tokens, at) {
        at = attribute.end;
    }
    let words = tokens[at..].iter().map_while(|token| match token {
        TokenTree::Ident(word) => Some(name(word)),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some("pub".to_owned()),
        _ => None,
    });
    let words: Vec<String> = words.filter(|word| word != "pub").take(2).collect();
    let is_one_of = |words: &[&str], word: Option<&String>| word.is_some_and(|word| words.contains(&word.as_str()));
    let first = words.first();
    let is_function = is_one_of(&["fn", "unsafe", "async", "extern"], words.get(1));
    let ends_with_semicolon = is_one_of(&["use", "const", "static", "let", "type"], first) && !is_function;
    let ends_with_brace = is_function
        || is_one_of(&ITEMS, first)
        || is_one_of(&["impl", "mod", "unsafe", "async", "extern", "macro_rules"], first)
        || is_one_of(&["if", "match", "for", "while", "loop"], first);
    while let Some(token) = tokens.get(at) {
        at += 1;
        let ends = match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => true,
            TokenTree::Punct(punct) if punct.as_char() == ',' => !ends_with_semicolon && !ends_with_brace,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !ends_with_semicolon => {
                ends_with_brace || at >= 2 && is_punct(&tokens[at - 2], '>')
            }
            _ => false,
        };
        if ends {
            break;
        }
    }
    at
}

/// Returns the segments of the path at a word, and the place behind it.
fn segments(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut out = Vec::new();
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        out.push(name(word));
        at += 1;
        if !(is_separator(tokens, at) && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_)))) {
            break;
        }
        at += 2;
    }
    (out, at)
}

/// Whether a word is not the start of a path: a field, a lifetime, a variable of a macro, or a later segment.
fn is_continued(tokens: &[TokenTree], at: usize) -> bool {
    let before = |distance: usize, wanted: char| {
        at.checked_sub(distance).and_then(|at| tokens.get(at)).is_some_and(|token| is_punct(token, wanted))
    };
    let is_crate = matches!(&tokens[at], TokenTree::Ident(word) if *word == "crate");
    let is_field = before(1, '.') && !before(2, '.');
    let is_later_segment = at >= 2 && is_separator(tokens, at - 2);
    is_field || is_later_segment || before(1, '\'') || before(1, '$') && !is_crate
}

/// Whether `pub`, `pub(crate)` or the like stands before a word.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let before = |distance: usize| at.checked_sub(distance).and_then(|at| tokens.get(at));
    let is_pub = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(word)) if *word == "pub");
    is_pub(before(1)) || matches!(before(1), Some(TokenTree::Group(_))) && is_pub(before(2))
}

/// Whether `::` stands at a place.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(TokenTree::Punct(first)), Some(second)) => {
            first.as_char() == ':' && first.spacing() == Spacing::Joint && is_punct(second, ':')
        }
        _ => false,
    }
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn name(word: &Ident) -> String {
    word.to_string().trim_start_matches("r#").to_owned()
}

/// Returns the part of a path up to its last `/`.
fn folder_of(path: &str) -> String {
    path.rfind('/').map_or(String::new(), |at| path[..=at].to_owned())
}

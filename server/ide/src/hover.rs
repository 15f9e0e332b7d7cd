//! Hover: a description of the element at an offset.

mod decode;
mod encoded;
mod fragment;
mod instruction;
mod literal;
mod logic;
mod memory;
mod name;
pub(crate) mod number;
mod operands;
mod register;

pub(crate) use decode::short as decoded;

use crate::describe::{self, Explained, MarkdownPage};
use name::NameDescription;
use ptx_analysis::{Figures, Semantics};
use ptx_isa::ISA;
use ptx_isa::tables::Version;
use ptx_syntax::{Node, Snapshot, fields, kinds};
use std::ops::Range;

/// The text of a hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// Byte range of the described element.
    pub range: Range<usize>,
    /// Markdown.
    pub markdown: String,
    /// The link to the complete chapter, of which the Markdown shows a part.
    pub explained: Option<Explained>,
}

impl Hover {
    /// The Markdown for clients that can run server commands from links: it refers to the chapter by a link that runs
    /// `command`.
    pub fn linked(&self, command: &str) -> String {
        let Some(explained) = &self.explained else { return self.markdown.clone() };
        let argument = format!(r#"[{{"query":"{}","show":true}}]"#, explained.query);
        let link = format!("[{}](command:{command}?{})", explained.title, percent_encoded(&argument));
        self.markdown.replacen(&explained.words(), &link, 1)
    }
}

/// A text percent-encoded for the query of a URL.
fn percent_encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The hover at an offset, which may be the end of a word. `figures`: register reports of the last idle-time analysis.
/// Without a report, a small function is analysed during the hover.
pub fn hover(snapshot: &Snapshot, offset: usize, figures: Option<&Figures>) -> Option<Hover> {
    let leaf = leaf_at(snapshot, offset)?;
    At { snapshot, leaf, semantics: Semantics::new(snapshot), figures, in_host: false }.hover(At::page)
}

/// The hover on the element at an offset of a module that was made from a text inside another language. What flows into such a
/// text is unknown, so nothing is said about the values of registers.
pub fn hover_in_host(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let leaf = leaf_at(snapshot, offset)?;
    At { snapshot, leaf, semantics: Semantics::new(snapshot), figures: None, in_host: true }.hover(At::page)
}

/// Like [`hover_in_host`], for a register that the other language declares: what the instruction makes of it.
pub fn hover_on_operand(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let leaf = leaf_at(snapshot, offset)?;
    let at = At { snapshot, leaf, semantics: Semantics::new(snapshot), figures: None, in_host: true };
    let is_name = leaf.kind_id() == kinds().register || leaf.kind_id() == kinds().identifier;
    if is_name { at.hover(|at| Some(at.use_of(NameDescription::default()))) } else { at.hover(At::page) }
}
/// The word at an offset, or else the word that ends there.
fn leaf_at(snapshot: &Snapshot, offset: usize) -> Option<Node<'_>> {
    let before = offset.checked_sub(1);
    [Some(offset), before].into_iter().flatten().find_map(|at| {
        let leaf = snapshot.leaf(at..at + 1)?;
        let range = leaf.byte_range();
        (leaf.child_count() == 0 && range.contains(&at) && range.end - range.start > 0 && says_something(leaf))
            .then_some(leaf)
    })
}

/// Whether a token has a hover. Comments and punctuation have none; the `@` and `!` of a guard have one.
fn says_something(leaf: Node<'_>) -> bool {
    let k = kinds();
    let kind = leaf.kind_id();
    if leaf.is_named() {
        return kind != k.comment && kind != k.preprocessor_line;
    }
    let text = leaf.kind();
    text.starts_with(['.', '@']) && text.len() > 1 || text == "@" || (text == "!" && in_guard(leaf))
}

fn in_guard(leaf: Node<'_>) -> bool {
    leaf.parent().is_some_and(|p| p.kind_id() == kinds().guard)
}

/// The position of a hover.
struct At<'t> {
    snapshot: &'t Snapshot,
    leaf: Node<'t>,
    semantics: Semantics<'t>,
    figures: Option<&'t Figures>,
    /// Whether the module was made from a text inside another language.
    in_host: bool,
}

type HoverResult = Option<(Range<usize>, MarkdownPage)>;

impl<'t> At<'t> {
    /// The hover with what `page` says.
    fn hover(&self, page: impl FnOnce(&Self) -> HoverResult) -> Option<Hover> {
        let (range, described) = page(self)?;
        let mut page = MarkdownPage::default();
        // The page of the whole instruction says this below its form.
        if self.leaf.kind_id() != kinds().opcode && !described.is_empty() {
            page.text(self.unbuilt().unwrap_or_default());
        }
        page.append(described);
        page.shorten(self.limit());
        let explained = page.explained().cloned();
        let markdown = page.finish();
        (!markdown.is_empty()).then_some(Hover { range, markdown, explained })
    }

    /// Maximum number of lines of a hover at this position.
    fn limit(&self) -> usize {
        let opcode = self.around(kinds().instruction).and_then(|i| i.child_by_field_id(fields().opcode));
        describe::max_lines(&opcode.map_or_else(String::new, |o| self.text(o)))
    }

    fn text(&self, node: Node<'_>) -> String {
        self.snapshot.text(node.byte_range()).into_owned()
    }

    /// The nearest ancestor of the token with a kind, or the token itself; the search stops at blocks and functions.
    fn around(&self, kind: u16) -> Option<Node<'t>> {
        let k = kinds();
        let mut node = Some(self.leaf);
        while let Some(here) = node {
            if here.kind_id() == kind {
                return Some(here);
            }
            if here.kind_id() == k.block || here.kind_id() == k.function {
                return None;
            }
            node = here.parent();
        }
        None
    }

    fn page(&self) -> HoverResult {
        let k = kinds();
        let leaf = self.leaf;
        let kind = leaf.kind_id();
        let range = leaf.byte_range();
        let page = |page: MarkdownPage| Some((range.clone(), page));
        let parent = leaf.parent();
        if kind == k.opcode {
            return self.opcode();
        }
        if kind == k.modifier {
            return self.modifier();
        }
        if kind == k.sink {
            return page(self.sink());
        }
        if kind == k.version_number {
            return page(describe::version(version(&self.text(leaf))?)?);
        }
        if kind == k.target_name {
            return page(describe::target(&self.text(leaf), Some(self.semantics.environment()))?);
        }
        if (kind == k.integer || kind == k.float) && ISA.constant(&self.text(leaf)).is_none() {
            return self.literal();
        }
        if kind == k.string {
            return self.string();
        }
        if kind == k.member_name {
            return self.member();
        }
        if [k.register, k.identifier, k.integer].contains(&kind) {
            return self.name();
        }
        if let Some(guard) = parent.filter(|p| p.kind_id() == k.guard) {
            return self.guard(guard);
        }
        self.dot_word()
    }

    /// The hover on keywords of directives, types and state spaces.
    fn dot_word(&self) -> HoverResult {
        let k = kinds();
        let (leaf, kind) = (self.leaf, self.leaf.kind_id());
        let text = self.text(leaf);
        if kind == k.ty
            && let Some(ty) = ISA.ty(&text)
        {
            return Some((leaf.byte_range(), describe::ty(ty, Some(self.semantics.environment()))));
        }
        // The node of `.v4` contains a keyword.
        let mut page = describe::dot_word(&text, Some(self.semantics.environment()));
        if page.is_empty() {
            // `.debug_info` in `.section .debug_info`.
            let directive = leaf.parent().and_then(|p| p.child(0)).map(|n| self.text(n));
            let entry = directive.and_then(|d| ISA.directive(&d));
            page = describe::directive(entry?, Some(self.semantics.environment()));
        }
        Some((leaf.byte_range(), page))
    }

    /// The hover on the strings of `.pragma`.
    fn string(&self) -> HoverResult {
        let pragma = self.around(kinds().pragma_directive)?;
        let text = self.text(self.leaf);
        let word = text.trim_matches('"').split_whitespace().next().unwrap_or("");
        let pragma_entry = ISA.directive(&format!("\"{word}\""));
        let entry = pragma_entry.or_else(|| ISA.directive(&self.text(pragma.child(0)?)));
        Some((self.leaf.byte_range(), describe::directive(entry?, Some(self.semantics.environment()))))
    }

    /// The hover on a component of a vector, or a selector.
    fn member(&self) -> HoverResult {
        let member = self.leaf.parent()?;
        let object = member.child_by_field_id(fields().object)?;
        let (whole, object_text) = (self.text(member), self.text(object));
        if let Some(register) = ISA.special_register(&object_text) {
            return Some((
                member.byte_range(),
                describe::special_register(register, &whole, Some(self.semantics.environment())),
            ));
        }
        let mut page = MarkdownPage::default();
        let name = self.text(self.leaf);
        page.text(format!("`{name}` of `{object_text}`"));
        // `.b0`, `.h1`: selectors of video instructions have two letters, components of vectors have one.
        if let Some(selector) = ISA.modifier(&name).filter(|_| name.len() > 2) {
            page.page(describe::modifier_alone(selector));
        }
        if let Some(declared) = self.declaration(object, &object_text) {
            page.page(declared.short);
            page.append(declared.details);
        }
        Some((member.byte_range(), page))
    }

    fn name(&self) -> HoverResult {
        let leaf = self.leaf;
        let text = self.text(leaf);
        if let Some(register) = ISA.special_register(&text) {
            let member = leaf.parent().filter(|p| p.kind_id() == kinds().member);
            let name = member.map_or_else(|| text.clone(), |m| self.text(m));
            let range = member.unwrap_or(leaf).byte_range();
            return Some((range, describe::special_register(register, &name, Some(self.semantics.environment()))));
        }
        let Some(description) = self.declaration(leaf, &text) else {
            let page = describe::constant(ISA.constant(&text)?, Some(self.semantics.environment()));
            return Some((leaf.byte_range(), page));
        };
        Some(self.use_of(description))
    }

    /// The hover on a name with this description: also what the instruction makes of it.
    fn use_of(&self, description: NameDescription) -> (Range<usize>, MarkdownPage) {
        let leaf = self.leaf;
        let NameDescription { short, details } = description;
        let mut page = MarkdownPage::default();
        match self.here() {
            // What is called or branched to explains itself.
            Some(here) if here.is_code() => {
                page.append(short);
                page.text(here.role());
            }
            // What the instruction makes of a name answers most questions.
            Some(mut here) => {
                let matrix = here.matrix.take();
                page.text(here.role());
                page.text(matrix.unwrap_or_default());
                let fields = self.encoded(&here);
                page.append(if fields.is_empty() { decode::layout(&here) } else { fields });
                page.append(short);
            }
            None => page.append(short),
        }
        if let Some(guard) = leaf.parent().filter(|p| p.kind_id() == kinds().guard) {
            page.text(self.guard_text(guard));
        }
        page.append(details);
        (leaf.byte_range(), page)
    }

    fn guard(&self, guard: Node<'_>) -> HoverResult {
        let mut page = MarkdownPage::default();
        page.text(self.guard_text(guard));
        Some((guard.byte_range(), page))
    }

    fn guard_text(&self, guard: Node<'_>) -> String {
        let predicate = guard.child_by_field_id(fields().predicate).map_or_else(|| "…".to_owned(), |n| self.text(n));
        let negated = guard.child(1).is_some_and(|n| n.kind() == "!");
        let (sign, truth) = if negated { ("@!", "false") } else { ("@", "true") };
        format!(
            "`{sign}{predicate}`: a guard. The instruction takes effect in those threads only where `{predicate}` is {truth}; \
             the others skip it."
        )
    }

    fn sink(&self) -> MarkdownPage {
        let mut page = MarkdownPage::default();
        page.text(
            "`_` – the sink: a value written to it is discarded; in place of a name, it means that there is none.",
        );
        if let Some(here) = self.here() {
            page.text(here.matrix.as_deref().unwrap_or(""));
            page.text(here.role());
        }
        page
    }
}

/// Parses a version such as `8.5`.
pub fn version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

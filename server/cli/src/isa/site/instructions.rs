//! The pages of instructions.

use super::forms;
use super::layout::SitePage;
use super::links::{Links, PageKind};
use super::matrix;
use super::text::PageContext;
use maud::{Markup, PreEscaped, html};
use ptx_ide::reference::availability::{self, introduced};
use ptx_ide::reference::example::ReferenceExample;
use ptx_ide::reference::instruction::{self, FormArticle, ManualInstruction, instructions};
use ptx_ide::reference::kernels::{KernelUse, uses};
use ptx_ide::reference::manual;
use ptx_ide::{FragmentPicture, fragment_pictures};
use ptx_isa::tables::{EncodedMeaning, Encoding, Entry, Form, Passage};
use std::collections::BTreeMap;

/// Forms are initially unfolded if there are no more than this.
const MAX_OPEN_FORMS: usize = 2;
/// Number of examples and kernels that are not folded.
const SHOWN: usize = 6;
/// The largest number of sections that are not listed above them.
const MAX_UNLISTED: usize = 3;

/// All pages.
pub fn pages(links: &Links) -> Vec<SitePage> {
    let uses = uses();
    instructions().iter().map(|i| page(i, links, &uses)).collect()
}

fn page(instruction: &ManualInstruction, links: &Links, uses: &BTreeMap<&'static str, Vec<KernelUse>>) -> SitePage {
    let path = links.path(PageKind::Instruction, instruction.name).unwrap_or_default().to_owned();
    let place = PageContext { links, path: &path };
    let entries = instruction.by_use();
    let first = instruction.entries.first();
    let several = entries.len() > 1;
    let used = uses.get(instruction.name).map_or(&[][..], Vec::as_slice);
    let body = html! {
        @if several {
            div.contents role="navigation" aria-label="On this page" {
                ol {
                    @for (index, (entry, _)) in entries.iter().enumerate() {
                        li { a href={ "#part" (index + 1) } { (place.plain(entry.summary)) } }
                    }
                }
            }
            @for (index, (entry, forms)) in entries.iter().enumerate() {
                section id={ "part" (index + 1) } {
                    h2 { (place.plain(entry.summary)) }
                    (self::entry(entry, forms, &format!("part{}-", index + 1), place))
                }
            }
        } @else if let Some((entry, forms)) = entries.first() {
            p.lead { (place.line(entry.summary)) }
            (self::entry(entry, forms, "", place))
        }
        (place.cuda())
        @if !used.is_empty() { h2 #kernels { "In kernels" } (kernels(used, place)) }
    };
    let summaries: Vec<&str> = entries.iter().map(|(e, _)| e.summary).collect();
    SitePage {
        kind: PageKind::Instruction,
        name: instruction.name.to_owned(),
        summary: summaries.join(" "),
        group: first.map_or("", |e| e.family_title).to_owned(),
        body,
        is_code: true,
        path,
    }
}

/// A part of an entry: its anchor, its heading and its text.
struct Section {
    anchor: String,
    title: Markup,
    text: Markup,
}

/// An entry: links to its sections, then what it does and examples before forms and everything else. Anchors begin with `prefix`.
fn entry(entry: &'static Entry, forms: &[&'static Form], prefix: &str, place: PageContext<'_>) -> Markup {
    let articles: Vec<FormArticle> = distinct(forms.iter().map(|f| instruction::form(entry, f)).collect());
    let since = entry.forms.iter().filter_map(|f| introduced(f.gates)).min();
    let sections = sections(entry, &articles, place);
    html! {
        p.facts {
            @if let Some(since) = since { "Since " a href=(place.to(&format!("versions/{since}.html"))) { "PTX " (since) } " · " }
            @if !entry.manual.is_empty() { a href=(manual(entry.manual)) rel="external" { "PTX manual" } }
        }
        @if sections.len() > MAX_UNLISTED {
            p.sections {
                @for (index, section) in sections.iter().enumerate() {
                    @if index > 0 { " · " }
                    a href={ "#" (prefix) (section.anchor) } { (section.title) }
                }
            }
        }
        @if articles.is_empty() { p { "Its forms are not known, so nothing is checked here." } }
        @for section in &sections {
            h3 id={ (prefix) (section.anchor) } { (section.title) }
            (section.text)
        }
    }
}

/// The sections of an entry that have something to say.
fn sections(entry: &'static Entry, articles: &[FormArticle], place: PageContext<'_>) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let mut add = |shown: bool, anchor: &str, title: Markup, text: &dyn Fn() -> Markup| {
        if shown {
            out.push(Section { anchor: anchor.to_owned(), title, text: text() });
        }
    };
    let plain = |title: &str| html! { (title) };
    add(!entry.doc.is_empty(), "does", plain("What it does"), &|| place.markdown(&Passage::join(entry.doc), 3));
    let examples: Vec<ReferenceExample> = articles.iter().flat_map(|a| a.examples.clone()).collect();
    add(!examples.is_empty(), "examples", plain("Examples"), &|| self::examples(&examples));
    add(!articles.is_empty(), "forms", plain("Forms"), &|| {
        let open = articles.len() <= MAX_OPEN_FORMS;
        html! { @for article in articles { (forms::form(article, open, place)) } }
    });
    add(!entry.operands.is_empty(), "operands", plain("Operands"), &|| {
        html! { dl.slots { @for note in entry.operands { div { dt { code { (note.name) } } dd { (place.line(note.doc)) } } } } }
    });
    for (index, encoding) in encodings(entry).into_iter().enumerate() {
        let anchor = format!("bits{}", index + 1);
        add(true, &anchor, html! { "The bits of " code { (encoding.0) } }, &|| bits(encoding.1, place));
    }
    add(!entry.modifiers.is_empty(), "modifiers", plain("Modifiers"), &|| {
        html! { dl.slots { @for note in entry.modifiers { div { dt { (place.modifier(note.name)) } dd { (place.line(note.doc)) } } } } }
    });
    add(!entry.notes.is_empty(), "pitfalls", plain("Pitfalls"), &|| {
        html! { ul.notes { @for note in entry.notes { li { (place.markdown(note.text, 3)) } } } }
    });
    add(!entry.unsettled.is_empty(), "unsettled", plain("Not settled"), &|| {
        html! { ul { @for note in entry.unsettled { li { (place.markdown(note, 3)) } } } }
    });
    let pictures = fragment_pictures(entry);
    add(!pictures.is_empty(), "layout", plain("Which lane holds what"), &|| fragments(&pictures, place));
    add(!articles.is_empty(), "targets", plain("Targets and versions"), &|| {
        html! { (matrix::table(&availability::matrix(&instruction::rows(entry)), place)) (matrix::legend()) }
    });
    let facts = instruction::facts(entry);
    add(!facts.is_empty(), "facts", plain("What else is known"), &|| {
        html! { ul { @for fact in &facts { li { (place.line(fact)) } } } }
    });
    out
}

/// The first examples, and the others folded away.
fn examples(all: &[ReferenceExample]) -> Markup {
    html! {
        p.dim { "Each opens to a module in which the checker finds nothing." }
        (forms::examples(all.get(..SHOWN).unwrap_or(all)))
        @if let Some(rest) = all.get(SHOWN..).filter(|r| !r.is_empty()) {
            details.more { summary { (rest.len()) " more" } (forms::examples(rest)) }
        }
    }
}

/// The operands whose bits are described.
fn encodings(entry: &'static Entry) -> Vec<(&'static str, &'static Encoding)> {
    let mut all = instruction::encodings(entry);
    all.retain(|(_, e)| !e.fields.is_empty() || !e.values.is_empty());
    all
}

/// Figures of the layouts of matrix fragments in the registers of lanes.
fn fragments(pictures: &[FragmentPicture], place: PageContext<'_>) -> Markup {
    html! {
        @for (index, picture) in pictures.iter().enumerate() {
            details.layout open[index == 0] {
                summary { code { (picture.operand) } " – " (place.plain(&picture.title)) }
                div.inside {
                    p { "With " @for name in &picture.modifiers { (place.modifier(name)) " " } }
                    @if !picture.formula.is_empty() { p { (place.line(&picture.formula)) } }
                    @if !picture.svg.is_empty() {
                        // The figure has its own text for readers who cannot see it.
                        div.scroll tabindex="0" role="region" aria-label="Layout" { (PreEscaped(&picture.svg)) }
                    }
                    (place.markdown(&picture.note, 3))
                }
            }
        }
    }
}

/// The meaning of the bits of an operand.
fn bits(encoding: &'static Encoding, place: PageContext<'_>) -> Markup {
    html! {
        p { (place.line(encoding.summary)) }
        (place.markdown(encoding.doc, 3))
        @if !encoding.fields.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Bits" {
                table {
                    thead { tr { th scope="col" { "Bits" } th scope="col" { "Meaning" } } }
                    tbody {
                        @for field in encoding.fields {
                            tr {
                                th scope="row" { (field.low) @if field.high != field.low { "–" (field.high) } }
                                td {
                                    (field.name)
                                    @if field.times > 1 { ", in units of " (field.times) }
                                    @for name in field.when { " " (place.modifier(name)) }
                                    (meanings(field.values))
                                }
                            }
                        }
                    }
                }
            }
        }
        (meanings(encoding.values))
    }
}

fn meanings(values: &[EncodedMeaning]) -> Markup {
    html! {
        @if !values.is_empty() {
            ul { @for value in values { li { code { (value.number) } " " (value.words) } } }
        }
    }
}

/// Merges forms that would look the same, and collects the examples of all of them.
fn distinct(articles: Vec<FormArticle>) -> Vec<FormArticle> {
    let mut out: Vec<FormArticle> = Vec::new();
    for article in articles {
        let same = |known: &&mut FormArticle| {
            known.text == article.text
                && known.slots == article.slots
                && known.operands == article.operands
                && known.gates == article.gates
                && known.rules == article.rules
                && known.unbuilt == article.unbuilt
        };
        match out.iter_mut().find(same) {
            Some(known) => {
                for example in article.examples {
                    if known.examples.iter().all(|e| e.statement != example.statement) {
                        known.examples.push(example);
                    }
                }
            }
            None => out.push(article),
        }
    }
    out
}

fn kernels(used: &[KernelUse], place: PageContext<'_>) -> Markup {
    html! {
        @for one in used.iter().take(3) {
            @let (first, tokens) = one.snippet();
            figure {
                figcaption {
                    (place.name(PageKind::Kernel, one.kernel.name)) ", "
                    a href={ (place.to(place.links.path(PageKind::Kernel, one.kernel.name).unwrap_or_default())) "#line" (one.line + 1) } {
                        "line " (first + 1)
                    }
                }
                (place.block(&tokens))
            }
        }
        @if used.len() > 3 {
            p {
                "Also in "
                @for (index, one) in used.iter().enumerate().skip(3) {
                    @if index > 3 { ", " }
                    (place.name(PageKind::Kernel, one.kernel.name))
                }
                "."
            }
        }
    }
}

//! A form with its syntax, modifiers and operands as HTML.

use super::text::{PageContext, colours};
use maud::{Markup, html};
use ptx_ide::reference::code::tokens;
use ptx_ide::reference::example::ReferenceExample;
use ptx_ide::reference::instruction::{FormArticle, SlotArticle};

/// A form, which unfolds to its modifier sets, operands and conditions.
pub fn form(article: &FormArticle, open: bool, place: PageContext<'_>) -> Markup {
    html! {
        details.form open[open] {
            summary { code { (syntax(article)) } }
            div.inside {
                dl.slots {
                    @for slot in article.slots.iter().filter(|s| !s.is_fixed()) {
                        (self::slot(slot, place))
                    }
                    @if article.slots.iter().any(SlotArticle::is_fixed) {
                        div {
                            dt { "Always" }
                            dd {
                                @for slot in article.slots.iter().filter(|s| s.is_fixed()) {
                                    @for value in &slot.values { (place.modifier(value)) " " }
                                }
                            }
                        }
                    }
                }
                @if !article.operands.is_empty() {
                    h4 { "Operands" }
                    dl.slots {
                        @for (name, text) in &article.operands {
                            div { dt { code { (name) } } dd { (place.line(text)) } }
                        }
                    }
                }
                @if !article.rules.is_empty() || !article.gates.is_empty() || !article.unbuilt.is_empty() {
                    h4 { "Conditions" }
                    ul {
                        @for line in article.rules.iter().chain(&article.gates).chain(&article.unbuilt) { li { (place.line(line)) } }
                    }
                }
            }
        }
    }
}

/// The syntax of a form; names of modifier sets are highlighted.
fn syntax(article: &FormArticle) -> Markup {
    let head = article.text.find(' ').unwrap_or(article.text.len());
    let (modifiers, operands) = article.text.split_at(head);
    let is_set = |word: &str| article.slots.iter().any(|slot| slot.name == word && slot.is_set());
    // `.` begins a modifier; `{` and `}` enclose an optional one.
    let mut words: Vec<&str> = Vec::new();
    let mut rest = modifiers;
    while !rest.is_empty() {
        let end =
            rest.char_indices().skip(1).find(|(_, c)| matches!(c, '.' | '{' | '}')).map_or(rest.len(), |(i, _)| i);
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    html! {
        @for (index, word) in words.iter().enumerate() {
            @if index == 0 { span.o { (word) } }
            @else if let Some(name) = word.strip_prefix('.').filter(|w| is_set(w)) { i { "." (name) } }
            @else if word.starts_with('.') { span.m { (word) } }
            @else { (word) }
        }
        (operands)
    }
}

fn slot(slot: &SlotArticle, place: PageContext<'_>) -> Markup {
    let single = slot.values.len() == 1;
    html! {
        div {
            dt { @if single { (place.modifier(slot.values[0])) } @else { code { i { "." (slot.name) } } } }
            dd {
                @if !single {
                    @for value in &slot.values { (place.modifier(value)) " " }
                }
                @if slot.optional { span.dim { @if !single { "– " } "may be left out" } }
                @for text in &slot.implied { br; (place.line(text)) }
            }
        }
    }
}

/// Instructions that may be copied.
pub fn examples(all: &[ReferenceExample]) -> Markup {
    html! {
        @for example in all {
            details.example {
                summary {
                    code { (colours(&tokens(&example.statement))) }
                    span.needs { "PTX " (example.version) ", " (example.target) }
                }
                div.scroll tabindex="0" role="region" aria-label="Module" { pre { code { (example.module) } } }
            }
        }
    }
}

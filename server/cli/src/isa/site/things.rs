//! The pages of everything except instructions and kernels.

use super::layout::SitePage;
use super::links::{Links, PageKind};
use super::matrix;
use super::text::PageContext;
use maud::{Markup, html};
use ptx_ide::reference::availability::{RowSource, matrix as matrix_of};
use ptx_ide::reference::changes::{Changes, of_target, of_version};
use ptx_ide::reference::instruction::takers;
use ptx_ide::reference::types::{Conversions, conversions, registers, stands_for};
use ptx_ide::reference::{Article, reference};
use ptx_isa::ISA;
use ptx_isa::tables::{Gate, TypeInfo};
use std::sync::LazyLock;

/// All pages, chapter by chapter.
pub fn pages(links: &Links) -> Vec<SitePage> {
    let chapters = reference();
    let mut out = Vec::new();
    for kind in PageKind::ALL {
        if matches!(kind, PageKind::Instruction | PageKind::Kernel) {
            continue;
        }
        let articles = chapters.iter().find(|c| c.id == chapter(kind)).map_or(&[][..], |c| &c.articles);
        for name in links.all(kind) {
            let article = articles.iter().find(|a| a.name == name);
            out.push(page(kind, name, article, links));
        }
    }
    out
}

/// The chapter of the reference that contains a kind of page.
fn chapter(kind: PageKind) -> &'static str {
    match kind {
        PageKind::Space => "spaces",
        other => other.folder(),
    }
}

fn page(kind: PageKind, name: &str, article: Option<&Article>, links: &Links) -> SitePage {
    let path = links.path(kind, name).unwrap_or_default().to_owned();
    let place = PageContext { links, path: &path };
    let body = html! {
        @if let Some(article) = article {
            @match untitled(&article.text, name) {
                Some(rest) => { p.lead { (place.line(&article.summary)) } (place.markdown(rest, 1)) }
                None => { (place.markdown(&article.text, 1)) }
            }
        }
        (others(kind, name, place))
        @match kind {
            PageKind::Modifier | PageKind::Space => { (taken_by(name, place)) }
            PageKind::Type => { (ty(name, place)) (taken_by(name, place)) }
            PageKind::Target => { @if let Some(target) = ISA.target(name) { (changes(&of_target(target), place)) } }
            PageKind::Version => {
                @if let Some(known) = ISA.versions.iter().find(|v| v.version.to_string() == name) {
                    (changes(&of_version(known.version), place))
                }
            }
            _ => {}
        }
        (place.cuda())
        (availability(kind, name, place))
    };
    let summary = article.map_or(String::new(), |a| a.summary.clone());
    SitePage {
        kind,
        name: name.to_owned(),
        summary: summary_of(kind, name, summary),
        group: group(kind, name),
        body,
        is_code: !matches!(kind, PageKind::Version | PageKind::Concept),
        path,
    }
}

/// A text without its first paragraph, if that contains only the name (which is the heading) and the summary.
fn untitled<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let title = first.strip_prefix('`')?;
    let titled = title.starts_with(&format!("{name}` – ")) || title.starts_with(&format!("PTX {name}` – "));
    titled.then_some(rest)
}

/// The summary of a page. A modifier that only single instructions describe has none of its own.
fn summary_of(kind: PageKind, name: &str, summary: String) -> String {
    if !summary.is_empty() || kind != PageKind::Modifier {
        return summary;
    }
    let takers = takers(name);
    let names: Vec<String> = takers.iter().take(4).map(|t| format!("`{}`", t.name)).collect();
    let more = if takers.len() > 4 { " and others" } else { "" };
    format!("Of {}{more}.", names.join(", "))
}

fn group(kind: PageKind, name: &str) -> String {
    match kind {
        PageKind::Directive if name.starts_with('"') => "Pragmas".to_owned(),
        PageKind::Directive => "Directives".to_owned(),
        PageKind::Target if ISA.target(name).is_some_and(|t| t.features.is_empty()) => "Options of .target".to_owned(),
        PageKind::Target => "Architectures".to_owned(),
        // Shapes such as `.m16n8k16` and `.64x128b`, of which there are hundreds.
        PageKind::Modifier => match name.chars().nth(1) {
            Some(c) if c.is_ascii_digit() => "Numbers and shapes".to_owned(),
            Some('m' | 'n') if name.chars().nth(2).is_some_and(|c| c.is_ascii_digit()) => {
                "Numbers and shapes".to_owned()
            }
            Some(c) => c.to_ascii_uppercase().to_string(),
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// Links to pages of other kinds with the same name.
fn others(kind: PageKind, name: &str, place: PageContext<'_>) -> Markup {
    let others: Vec<PageKind> =
        PageKind::ALL.into_iter().filter(|k| *k != kind && place.links.path(*k, name).is_some()).collect();
    html! {
        @if !others.is_empty() {
            p {
                "The name is also that of a "
                @for (index, other) in others.iter().enumerate() {
                    @if index > 0 { " and a " }
                    a href=(place.to(place.links.path(*other, name).unwrap_or_default())) { (other.one()) }
                }
                "."
            }
        }
    }
}

fn taken_by(name: &str, place: PageContext<'_>) -> Markup {
    let takers = takers(name);
    html! {
        @if !takers.is_empty() {
            h2 { "Taken by" }
            dl.list.takers {
                @for taker in &takers {
                    div {
                        dt { (place.name(PageKind::Instruction, taker.name)) }
                        dd {
                            @if !taker.note.is_empty() { (place.line(taker.note)) " " }
                            span.dim { "for example " code { (taker.head) }
                                @if taker.forms.len() > 1 { ", in " (taker.forms.len()) " forms" } }
                        }
                    }
                }
            }
        }
    }
}

fn ty(name: &str, place: PageContext<'_>) -> Markup {
    let Some(ty) = ISA.ty(name) else { return html! {} };
    let agreeing = registers(ty);
    let stands = stands_for(ty);
    let names = |names: &[&str]| html! { @for name in names { (place.modifier(name)) " " } };
    let may: Vec<&str> = [
        (ty.registers, "a register"),
        (ty.variables, "a variable"),
        (ty.parameters, "a parameter"),
        (ty.vectors, "an element of a vector"),
    ]
    .into_iter()
    .filter_map(|(set, what)| set.then_some(what))
    .collect();
    html! {
        dl.slots {
            @if ty.bits > 0 { div { dt { "Size" } dd { (ty.bits) " bits" } } }
            div { dt { "May be the type of" } dd { @if may.is_empty() { "nothing that is declared" } @else { (may.join(", ")) } } }
            @if !agreeing.plain.is_empty() { div { dt { "Registers that agree" } dd { (names(&agreeing.plain)) } } }
            @if !agreeing.wider.is_empty() { div { dt { "Also in loads, stores and conversions" } dd { (names(&agreeing.wider)) } } }
            @if !stands.is_empty() { div { dt { "Such a register stands for" } dd { (names(&stands)) } } }
        }
        (converts(ty, place))
    }
}

fn converts(ty: &TypeInfo, place: PageContext<'_>) -> Markup {
    let all = converted();
    let to: Vec<(&str, &String)> =
        all.iter().filter(|((from, _), _)| *from == ty.name).map(|((_, to), head)| (*to, head)).collect();
    let from: Vec<(&str, &String)> =
        all.iter().filter(|((_, to), _)| *to == ty.name).map(|((from, _), head)| (*from, head)).collect();
    let list = |pairs: &[(&str, &String)]| {
        html! {
            @for (name, head) in pairs { div { dt { (place.modifier(name)) } dd { code { (head) } } } }
        }
    };
    html! {
        @if !to.is_empty() { h2 { "Converts to" } dl.slots { (list(&to)) } }
        @if !from.is_empty() { h2 { "Converts from" } dl.slots { (list(&from)) } }
    }
}

/// The conversions of `cvt`, computed once.
fn converted() -> &'static Conversions {
    static ALL: LazyLock<Conversions> = LazyLock::new(|| conversions("cvt"));
    &ALL
}

fn changes(changes: &Changes, place: PageContext<'_>) -> Markup {
    let plain = |kind: PageKind, names: &[&str]| {
        html! {
            @if !names.is_empty() {
                h3 { (kind.title()) }
                p { @for name in names { (place.name(kind, name)) " " } }
            }
        }
    };
    let pairs = |title: &str, pairs: &[(&str, String)], whole: bool| {
        html! {
            @if !pairs.is_empty() {
                h3 { (title) }
                ul {
                    @for (name, text) in pairs {
                        @let shown: &str = if whole { text } else { name };
                        li {
                            @match place.links.word(name) {
                                Some(path) => a href=(place.to(path)) { code { (shown) } },
                                None => code { (shown) },
                            }
                            @if !whole { " " (place.line(text)) }
                        }
                    }
                }
            }
        }
    };
    html! {
        @if changes.is_empty() {
            p { "The tables list nothing that it added." }
        } @else {
            h2 { "What it brings" }
            (plain(PageKind::Target, &changes.targets))
            (plain(PageKind::Instruction, &changes.instructions))
            (pairs("Forms", &changes.forms, true))
            (pairs("Extended", &changes.parts, false))
            (plain(PageKind::Type, &changes.types))
            (plain(PageKind::Space, &changes.spaces))
            (plain(PageKind::Register, &changes.registers))
            (plain(PageKind::Directive, &changes.directives))
            (pairs("Removed or deprecated", &changes.less, false))
        }
    }
}

/// The targets that support something with its own gates.
fn availability(kind: PageKind, name: &str, place: PageContext<'_>) -> Markup {
    let gates: Option<&'static [Gate]> = match kind {
        PageKind::Type => ISA.ty(name).map(|t| t.gates),
        PageKind::Space => ISA.space(name).map(|s| s.gates),
        PageKind::Register => ISA.special_registers.iter().find(|r| r.name == name).map(|r| r.gates),
        PageKind::Directive => ISA.directive(name).map(|d| d.gates),
        _ => None,
    };
    let line = |gates: &'static [Gate]| RowSource {
        label: name.to_owned(),
        condition: false,
        ways: vec![gates.iter().collect()],
    };
    html! {
        @if let Some(line) = gates.map(line) {
            h2 { "Targets and versions" }
            (matrix::table(&matrix_of(&[line]), place))
            (matrix::legend())
        }
    }
}

/// The part of a chapter page below the list.
pub fn tables(kind: PageKind, place: PageContext<'_>) -> Markup {
    match kind {
        PageKind::Type => html! {
            h2 { "Conversions" }
            p { "What " (place.name(PageKind::Instruction, "cvt")) " converts from the type of the row to that of the column." }
            (conversion_table(place))
            h2 { "Registers" }
            p { "Which register (column) may be used for an operand of which type (row): ● always, ○ where wider registers pass too: in loads, stores and conversions." }
            (agreement_table(place))
        },
        _ => html! {},
    }
}

/// The part of a chapter page above the list.
pub fn overview(kind: PageKind, place: PageContext<'_>) -> Markup {
    match kind {
        PageKind::Concept => {
            html! { p { "What the terms of the field mean in PTX, and the instructions that belong to each." } }
        }
        PageKind::Type => html! {
            p { "Below the list: what converts to what, and which registers stand for which types." }
        },
        PageKind::Target => html! {
            p { "A target has features: " (place.name(PageKind::Target, "sm_90a")) " has everything that "
                (place.name(PageKind::Target, "sm_90")) " has and more, but no later target has what needs it." }
        },
        PageKind::Version => html! { p { "What each version of the language brought, as far as the tables name it." } },
        PageKind::Diagnostic => {
            html! { p { "What the checker finds, by code. An error is what NVIDIA's assembler refuses." } }
        }
        PageKind::Kernel => html! { p { "Hand-written PTX to read; each word leads to its page." } },
        _ => html! {},
    }
}

fn conversion_table(place: PageContext<'_>) -> Markup {
    let all = converted();
    let ordered =
        |wanted: &dyn Fn(&str) -> bool| ISA.types.iter().map(|t| t.name).filter(|n| wanted(n)).collect::<Vec<_>>();
    let rows = ordered(&|name| all.keys().any(|(from, _)| *from == name));
    let columns = ordered(&|name| all.keys().any(|(_, to)| *to == name));
    grid("Conversions", &rows, &columns, place, |row, column| {
        all.get(&(row, column)).map(|head| html! { span title=(head) { "●" } span.unseen { (head) } })
    })
}

fn agreement_table(place: PageContext<'_>) -> Markup {
    let rows: Vec<&'static str> = ISA.types.iter().filter(|t| !registers(t).plain.is_empty()).map(|t| t.name).collect();
    let columns: Vec<&'static str> = ISA.types.iter().filter(|t| t.registers).map(|t| t.name).collect();
    grid("Registers that agree", &rows, &columns, place, |row, column| {
        let agreeing = registers(ISA.ty(row)?);
        if agreeing.plain.contains(&column) {
            Some(html! { span aria-hidden="true" { "●" } span.unseen { "yes" } })
        } else {
            agreeing.wider.contains(&column).then(|| html! { span aria-hidden="true" { "○" } span.unseen { "wider" } })
        }
    })
}

fn grid(
    label: &str,
    rows: &[&'static str],
    columns: &[&'static str],
    place: PageContext<'_>,
    cell: impl Fn(&'static str, &'static str) -> Option<Markup>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.grid {
                thead { tr { td {} @for column in columns { th scope="col" { (place.modifier(column)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { (place.modifier(row)) }
                            @for column in columns { td { @if let Some(mark) = cell(row, column) { (mark) } } }
                        }
                    }
                }
            }
        }
    }
}

//! The tables as a reference book: chapters with articles, for `isa` on the command line and for the reference site.

pub mod availability;
pub mod changes;
pub mod code;
mod combination;
pub mod example;
pub mod instruction;
pub mod kernels;
mod rules;
pub mod types;

use crate::describe::{self, MarkdownPage};
use ptx_analysis::Code;
use ptx_isa::ISA;

/// A chapter: a family of instructions, or all modifiers, types, ….
#[derive(Debug)]
pub struct Chapter {
    /// Id for file names and anchors.
    pub id: &'static str,
    /// Displayed title.
    pub title: &'static str,
    /// Articles in the order of the tables.
    pub articles: Vec<Article>,
}

/// An article about one table entry.
#[derive(Debug)]
pub struct Article {
    /// Name of the entry: `mbarrier.try_wait`, `.ftz`, `%laneid`.
    pub name: String,
    /// Summary on one line.
    pub summary: String,
    /// Text as Markdown.
    pub text: String,
}

/// The URL of a section of NVIDIA's manual.
pub fn manual(anchor: &str) -> String {
    format!("{}#{anchor}", describe::MANUAL)
}

/// All chapters: the instruction families by title, then all others.
pub fn reference() -> Vec<Chapter> {
    let mut out: Vec<Chapter> = Vec::new();
    for opcode in ISA.opcodes {
        for entry in opcode.entries {
            let page = describe::entries(opcode, |e| std::ptr::eq(e, entry), None);
            let article = article(entry.name, entry.summary, page);
            match out.iter_mut().find(|c| c.id == entry.family) {
                Some(chapter) => chapter.articles.push(article),
                None => out.push(Chapter { id: entry.family, title: entry.family_title, articles: vec![article] }),
            }
        }
    }
    out.sort_by_key(|c| c.title);
    let mut chapter = |id, title, articles: Vec<Article>| out.push(Chapter { id, title, articles });
    let modifiers = ISA.modifiers.iter();
    chapter(
        "modifiers",
        "Modifiers",
        modifiers.map(|m| article(m.name, m.summary, describe::modifier_alone(m))).collect(),
    );
    let types = ISA.types.iter();
    chapter("types", "Types", types.map(|t| article(t.name, t.summary, describe::ty(t, None))).collect());
    let spaces = ISA.spaces.iter();
    chapter("spaces", "State spaces", spaces.map(|s| article(s.name, s.summary, describe::space(s, None))).collect());
    let registers = ISA.special_registers.iter();
    let registers = registers.map(|r| article(r.name, r.summary, describe::special_register(r, r.name, None)));
    chapter("special-registers", "Special registers", registers.collect());
    let directives = ISA.directives.iter();
    let directives = directives.map(|d| article(d.name, d.summary, describe::directive(d, None)));
    chapter("directives", "Directives and pragmas", directives.collect());
    let constants = ISA.constants.iter().map(|c| article(c.name, c.summary, describe::constant(c, None)));
    chapter("constants", "Predefined constants", constants.collect());
    let concepts = ISA.concepts.iter().map(|c| Article {
        name: c.title.to_owned(),
        summary: describe::first_sentence(c.doc),
        text: describe::concept_body(c).finish(),
    });
    chapter("concepts", "Topics", concepts.collect());
    let targets = ISA.targets.iter();
    let targets = targets.filter_map(|t| Some(article(t.name, t.summary, describe::target(t.name, None)?)));
    chapter("targets", "Targets", targets.collect());
    let versions = ISA.versions.iter();
    let versions =
        versions.filter_map(|v| Some(article(&v.version.to_string(), v.summary, describe::version(v.version)?)));
    chapter("versions", "Versions", versions.collect());
    // The page of a diagnostic has its code as a heading, then a summary sentence.
    let body = |text: &'static str| text.split_once('\n').map_or("", |t| t.1).to_owned();
    let pages = Code::ALL.iter().map(|c| Article {
        name: c.to_string(),
        summary: describe::first_sentence(c.page()),
        text: body(c.page()),
    });
    chapter("diagnostics", "Diagnostics", pages.collect());
    out
}

fn article(name: &str, summary: &'static str, page: MarkdownPage) -> Article {
    Article { name: name.to_owned(), summary: summary.to_owned(), text: page.finish() }
}

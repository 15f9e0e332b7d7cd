//! The index of the search field. It is a script, because a page opened from a file cannot read another file. The ranking is that of
//! `explain`: the index holds its numbers, words and stems, and `search.js` does with them what `ptx_ide::search` does.

use super::layout::SitePage;
use super::links::{Links, PageKind};
use ptx_ide::{
    BETWEEN, COMPARING, DIFFERENCE, ENDINGS, IndexEntry, IndexKind, IndexedWords, MIN_STEM, RANKING, foreign_words,
    same_stems, stem, stems_of, target_filters,
};
use ptx_isa::{CUDA, SASS, SEARCH_WORDS};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// What a row is for the ranking: the name of something, a title, or a machine instruction.
const NAME: u8 = 0;
const TITLE: u8 = 1;
const SASS_NAME: u8 = 2;

/// The page for what has none of its own: a machine instruction that comes from nothing in PTX.
const SASS_TOPIC: &str = "concepts/inspect-sass.html";

/// All stems, each with its number.
#[derive(Default)]
struct Stems {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Stems {
    fn number(&mut self, stem: &str) -> usize {
        if let Some(number) = self.numbers.get(stem) {
            return *number;
        }
        self.numbers.insert(stem.to_owned(), self.names.len());
        self.names.push(stem.to_owned());
        self.names.len() - 1
    }

    /// The numbers of stems, in the order of the stems.
    fn all<'s>(&mut self, stems: impl IntoIterator<Item = &'s String>) -> Vec<usize> {
        let sorted: BTreeSet<&String> = stems.into_iter().collect();
        sorted.into_iter().map(|stem| self.number(stem)).collect()
    }
}

/// The entries of the index of `explain` with the page of each, then the pages that it does not have. A row: the name, kind, path and
/// summary, the name that is shown if it is another one, the role, the stems of name and synonyms, of the summary, and of the text.
pub fn index(pages: &[SitePage], links: &Links) -> String {
    let by_path: HashMap<&str, &SitePage> = pages.iter().map(|page| (page.path.as_str(), page)).collect();
    let mut stems = Stems::default();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    let mut rows: Vec<String> = Vec::new();
    for words in ptx_ide::indexed_words() {
        let path = path(&words.entry, links);
        let page = by_path.get(path);
        if page.is_some_and(|page| page.name == words.entry.name) {
            shown.insert(path);
        }
        rows.push(row(words, path, page.copied(), &mut stems).to_string());
    }
    let common = rows.len();
    for page in pages.iter().filter(|page| !shown.contains(page.path.as_str())) {
        let keys = [stems.all(&stems_of(&page.name))];
        let summary = stems.all(&stems_of(&page.summary));
        let kind = kind(page.kind);
        rows.push(
            json!([page.name, kind, page.path, plain(&page.summary), "", NAME, keys, summary, [], []]).to_string(),
        );
    }
    let kinds: Vec<&str> = PageKind::ALL.into_iter().map(PageKind::one).collect();
    let weak: BTreeSet<String> = SEARCH_WORDS.weak.iter().map(|word| stem(word)).collect();
    let same: BTreeSet<(&str, &str)> = same_stems().collect();
    let targets: Vec<(String, Vec<usize>)> = target_filters().into_iter().map(|f| (f.word, f.without)).collect();
    let fields = [
        ("kinds", json!(kinds)),
        ("topic", json!(kind(PageKind::Concept))),
        ("roles", json!({"name": NAME, "title": TITLE, "sass": SASS_NAME})),
        ("common", json!(common)),
        ("ranking", ranking()),
        ("stop", json!(SEARCH_WORDS.stop)),
        ("weak", json!(weak)),
        ("compare", json!(SEARCH_WORDS.compare)),
        ("comparing", json!(COMPARING)),
        ("difference", json!(DIFFERENCE)),
        ("between", json!(BETWEEN)),
        ("same", json!(same)),
        ("foreign", json!(foreign_words().collect::<BTreeSet<_>>())),
        ("endings", json!(ENDINGS)),
        ("stem", json!(MIN_STEM)),
        ("targets", json!(targets)),
        ("stems", json!(stems.names)),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value},\n")).collect();
    format!("window.PTX_INDEX = {{{}\"rows\": [\n{}\n]}};\n", fields.concat(), rows.join(",\n"))
}

fn row(words: &IndexedWords, path: &str, page: Option<&SitePage>, stems: &mut Stems) -> Value {
    let entry = &words.entry;
    let role = match entry.kind {
        IndexKind::Concept | IndexKind::Family => TITLE,
        IndexKind::Sass => SASS_NAME,
        _ => NAME,
    };
    let keys: Vec<Vec<usize>> =
        words.keys.iter().map(|key| key.iter().map(|stem| stems.number(stem)).collect()).collect();
    let (summary, text) = (stems.all(&words.summary), stems.all(&words.text));
    // What has no page of its own is shown as the page that it leads to.
    let title = page.map_or("", |page| page.name.as_str());
    let language = if entry.kind == IndexKind::Sass { "SASS" } else { "CUDA C++" };
    let shown = match entry.kind {
        IndexKind::Cuda | IndexKind::Sass => {
            let summary = page.map_or("", |page| page.summary.as_str());
            format!("{} in {language} – {}", entry.name, plain(summary))
        }
        _ => page.map_or_else(|| plain(&entry.summary), |page| plain(&page.summary)),
    };
    let kind = kind(page.map_or(PageKind::Instruction, |page| page.kind));
    let synonyms: BTreeSet<&String> = words.spelled.iter().collect();
    let title = if title == entry.name { "" } else { title };
    json!([entry.name, kind, path, shown, title, role, keys, summary, text, synonyms])
}

/// The path of the page about an entry.
fn path<'l>(entry: &IndexEntry, links: &'l Links) -> &'l str {
    let own = |kind: PageKind| links.path(kind, entry.name);
    let foreign = |table: &'static [ptx_isa::tables::Cuda]| {
        let words = table.iter().filter(|own| own.name == entry.name).flat_map(|own| own.words_of_ptx());
        words.filter_map(|word| links.word(word)).next()
    };
    let path = match entry.kind {
        IndexKind::Instruction => own(PageKind::Instruction),
        IndexKind::Concept => own(PageKind::Concept),
        IndexKind::Family => Some("instructions/index.html"),
        IndexKind::Register => own(PageKind::Register),
        IndexKind::Directive => own(PageKind::Directive),
        IndexKind::Space => own(PageKind::Space),
        IndexKind::Type => own(PageKind::Type),
        IndexKind::Constant => own(PageKind::Constant),
        IndexKind::Modifier => own(PageKind::Modifier),
        IndexKind::Diagnostic => own(PageKind::Diagnostic),
        IndexKind::Target => own(PageKind::Target),
        IndexKind::Version => own(PageKind::Version),
        IndexKind::Cuda => foreign(CUDA),
        IndexKind::Sass => foreign(SASS),
    };
    path.unwrap_or(SASS_TOPIC)
}

fn kind(kind: PageKind) -> usize {
    PageKind::ALL.iter().position(|k| *k == kind).unwrap_or(0)
}

fn ranking() -> Value {
    json!({
        "phrase": RANKING.phrase,
        "cover": RANKING.cover,
        "spelled": RANKING.spelled,
        "likeness": RANKING.likeness,
        "name": RANKING.name,
        "begins_name": RANKING.begins_name,
        "max_length": RANKING.max_length,
        "word": RANKING.word,
        "synonym": RANKING.synonym,
        "in_name": RANKING.in_name,
        "begins_word": RANKING.begins_word,
        "summary": RANKING.summary,
        "text": RANKING.text,
        "whole": RANKING.whole,
        "topic": RANKING.topic,
        "min_share": RANKING.min_share,
        "weak": RANKING.weak,
        "weak_entries": RANKING.weak_entries,
        "code": RANKING.code,
        "modifier": RANKING.modifier,
    })
}

/// A summary without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace('`', "").replace("**", "")
}

//! `explain`: an answer to whatever a user types, from the hover texts, the topics and the index.

mod assembler;
mod cuda;
mod index;
mod literal;
mod log;
mod releases;
mod search;
mod words;

pub use index::{IndexEntry, IndexKind, IndexedWords, indexed_words};
pub use log::{LogEntry, log};
pub use search::{
    BETWEEN, COMPARING, DIFFERENCE, IndexHit, RANKING, Ranking, TargetFilter, foreign_words, search, target_filters,
};
pub use words::{ENDINGS, MIN_STEM, same_stems, stem, stems_of};

use crate::describe::{self, MarkdownPage};
use crate::hover::version;
use ptx_analysis::{Code, Environment, mnemonic};
use ptx_isa::ISA;
use ptx_isa::tables::{Concept, Cuda, Entry, Opcode};

/// Maximum number of search results on a page.
const MAX_RESULTS: usize = 12;
/// Maximum number of further results below the page of the best one.
const MAX_FURTHER: usize = 5;

/// How much is shown of an opcode with many instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The list of them and the most common one.
    Overview,
    /// All of them.
    Whole,
}

/// The text about what a user types, as Markdown. That may be an instruction with or without its modifiers or operands, a
/// modifier, a type, a register, a directive, a target or a version. It may also be a diagnostic code, a message of `ptxas`, a
/// literal, a CUDA C++ name, or words for a topic. Case does not matter.
pub fn explain(query: &str) -> Option<String> {
    answer(query, Detail::Whole)
}

/// The same, with a list of its instructions and the most common one for an opcode that has many.
pub fn explain_overview(query: &str) -> Option<String> {
    answer(query, Detail::Overview)
}

/// What a message of `ptxas`, the driver or another tool means, in a sentence or two; `None` if the tables do not know it.
pub fn tool_meaning(message: &str) -> Option<&'static str> {
    assembler::row(message).map(|row| row.meaning)
}

fn answer(query: &str, detail: Detail) -> Option<String> {
    let query = words::cleaned(query);
    if let Some(page) = code(&query) {
        return Some(page.to_owned());
    }
    let page = match direct(&query) {
        Some(page) => Some(page),
        None if is_machine_statement(&query) => one(words::head(&query), detail),
        None if query.contains(char::is_whitespace) => {
            let opcode = words::head(&query).split('.').next().unwrap_or_default().to_lowercase();
            let is_statement = words::is_statement(&query) && (query.starts_with('@') || ISA.opcode(&opcode).is_some());
            let by_words = || if is_statement { one(words::head(&query), detail) } else { found(&query, detail) };
            spaced(&query, detail).or_else(by_words)
        }
        None => one(words::head(&query), detail),
    };
    page.filter(|p| !p.is_empty()).map(MarkdownPage::finish)
}

/// Whether a query is a machine instruction with its operands: `DEPBAR.LE SB0, 0x1`.
fn is_machine_statement(query: &str) -> bool {
    let mut words = query.split_whitespace();
    let is_mnemonic = |word: &str| !word.contains(|c: char| c.is_ascii_lowercase()) && cuda::machine(word).is_some();
    let is_operand =
        |word: &str| word.contains(|c: char| c.is_ascii_digit()) && !word.contains(|c: char| matches!(c, 'g'..='w'));
    words.next().is_some_and(is_mnemonic) && words.clone().next().is_some() && words.all(is_operand)
}

/// The page about an operator, a message of a tool or a release: what a search by words is not needed for.
fn direct(query: &str) -> Option<MarkdownPage> {
    let is_phrase = query.contains(char::is_whitespace);
    let literal = || if is_phrase { spelled_topic(query).map(describe::concept) } else { None };
    let is_message = || !is_question(query) || assembler::is_most_of(query);
    let message = || is_message().then(|| assembler::page(query)).flatten();
    operator(query).or_else(literal).or_else(|| releases::page(query)).or_else(message)
}

/// Whether a query begins as a question does. It may only happen to have the words of a message.
fn is_question(query: &str) -> bool {
    let first = query.split_whitespace().next().unwrap_or_default().to_lowercase();
    QUESTION_WORDS.contains(&first.as_str())
}

/// How questions begin.
const QUESTION_WORDS: &[&str] = &[
    "are",
    "can",
    "could",
    "difference",
    "do",
    "does",
    "how",
    "is",
    "should",
    "what",
    "what's",
    "when",
    "where",
    "which",
    "why",
];

/// The first paragraphs of the answer to a query that names an operator, a message of a tool or a release.
pub fn direct_answer(query: &str) -> Option<String> {
    let query = words::cleaned(query);
    let page = direct(&query).filter(|_| spelled_topic(&query).is_none())?.finish();
    let lines = page.lines().filter(|line| !line.trim().is_empty()).take(DIRECT_LINES);
    Some(lines.map(|line| line.trim_start_matches("# ")).collect::<Vec<_>>().join("\n"))
}

/// The number of lines of a direct answer.
const DIRECT_LINES: usize = 3;

/// The topic with an operator of C among its names.
fn operator(query: &str) -> Option<MarkdownPage> {
    let is_operator = !query.is_empty() && !query.contains(|c: char| c.is_alphanumeric() || c.is_whitespace());
    ISA.concepts.iter().find(|c| is_operator && c.synonyms.contains(&query)).map(describe::concept)
}

fn code(word: &str) -> Option<&'static str> {
    Code::named(&word.to_ascii_lowercase()).map(Code::page)
}

/// The page about one word.
fn one(word: &str, detail: Detail) -> Option<MarkdownPage> {
    if word.is_empty() || word.chars().count() > MAX_LENGTH {
        return None;
    }
    // `BAR.SYNC.DEFER_BLOCKING` is a machine instruction, `BAR` both.
    let is_upper = word.contains('.') && !word.contains(|c: char| c.is_ascii_lowercase());
    let suffixed = || cuda::machine(word).filter(|_| is_upper).map(|machine| sass_page(machine, detail));
    suffixed()
        .or_else(|| known(word, detail))
        .or_else(|| register(word))
        .or_else(|| inline_operand(word))
        .or_else(|| cuda::machine(word).map(|machine| sass_page(machine, detail)))
        .or_else(|| found(word, detail))
        .or_else(|| cuda::other(word).map(|other| other_page(other, detail)))
}

/// Longer words are not names.
const MAX_LENGTH: usize = 128;

/// The page about something of the tables.
fn known(word: &str, detail: Detail) -> Option<MarkdownPage> {
    if word.starts_with('%') {
        return special_register(word);
    }
    if word.starts_with(['.', '"', '@']) {
        return dot_word(word);
    }
    if let Some(mut page) = version(word).and_then(describe::version) {
        page.page(literal::page(word).unwrap_or_default());
        return Some(page);
    }
    if let Some(page) = literal::page(word).or_else(|| instruction(word, detail)) {
        return Some(page);
    }
    if let Some(constant) = ISA.constants.iter().find(|c| c.name.eq_ignore_ascii_case(word)) {
        return Some(describe::constant(constant, None));
    }
    // `__launch_bounds__` is a name, and no topic.
    let is_cpp = word.contains(['_', ':']) || word.chars().skip(1).any(char::is_uppercase);
    let is_synonym = |c: &Concept| c.synonyms.iter().any(|s| s.eq_ignore_ascii_case(word));
    let named = if is_cpp && !ISA.concepts.iter().any(is_synonym) { cuda::exactly(word) } else { None };
    if let Some(page) = named.map(|found| cuda_page(found, detail)).or_else(|| topic(word)) {
        return Some(page);
    }
    let lower = word.to_ascii_lowercase();
    describe::target(&lower, None)
        .or_else(|| dot_word(&format!(".{word}")))
        .or_else(|| special_register(&format!("%{word}")))
        .or_else(|| dot_word(&format!("\"{word}\"")))
        .or_else(|| cuda::of_ptx_namespace(&lower).and_then(|e| instruction(e.name, detail)))
        .or_else(|| cuda::named(word).map(|found| cuda_page(found, detail)))
}

/// The topic one of whose names is spelled so.
fn spelled_topic(text: &str) -> Option<&'static Concept> {
    let names = |c: &'static Concept| [c.id, c.title].into_iter().chain(c.synonyms.iter().copied());
    ISA.concepts.iter().find(|c| names(c).any(|name| name.eq_ignore_ascii_case(text)))
}

/// The topic that a phrase names: one of its names as it is, or one of the same words.
fn concept(text: &str) -> Option<&'static Concept> {
    let names = |c: &'static Concept| [c.id, c.title].into_iter().chain(c.synonyms.iter().copied());
    spelled_topic(text).or_else(|| {
        let key = words::key(text);
        let is_named = |c: &&'static Concept| names(c).any(|name| words::key(name) == key);
        ISA.concepts.iter().find(is_named).filter(|_| !key.is_empty())
    })
}

/// The page about a topic, with a pointer to the modifier or directive of that name.
fn topic(text: &str) -> Option<MarkdownPage> {
    let mut page = describe::concept(concept(text)?);
    if let Some(name) = spelled(&format!(".{text}")) {
        page.text(format!("`{name}` has a page too: `ptx-analyzer explain {name}`."));
    }
    Some(page)
}

/// An opcode and modifiers of it with blanks between them: `ldmatrix x4`.
fn spaced(query: &str, detail: Detail) -> Option<MarkdownPage> {
    let mut words = query.split_whitespace();
    let first = words.next()?.to_ascii_lowercase();
    let opcode = ISA.opcode(first.split('.').next()?)?;
    let forms = || opcode.entries.iter().flat_map(|e| e.forms);
    let has = |name: &str| forms().flat_map(|f| f.slots).any(|s| s.values.iter().any(|v| v.eq_ignore_ascii_case(name)));
    let modifiers: Vec<String> = words.map(|w| format!(".{}", w.trim_start_matches('.'))).collect();
    (!modifiers.is_empty() && modifiers.iter().all(|m| has(m)))
        .then(|| instruction(&format!("{first}{}", modifiers.concat()), detail))?
}

/// The page of the best search result if its name has most of the words, else a list of results. Two things that are compared, and that no
/// page compares, are described one after the other.
fn found(query: &str, detail: Detail) -> Option<MarkdownPage> {
    let is_phrase = query.contains(char::is_whitespace);
    if !is_phrase && !query.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')) {
        return None;
    }
    let mut hits = search(query);
    if !is_phrase && hits.iter().any(|hit| hit.by_name) {
        hits.retain(|hit| hit.by_name && hit.score >= search::MIN_SINGLE);
    }
    let best = hits.first()?;
    let is_topic = best.entry.kind == IndexKind::Concept;
    if let Some([first, second]) = search::sides(query).filter(|_| !(is_topic && best.by_name)) {
        return Some(side_by_side(first.entry, second.entry));
    }
    let further: Vec<&IndexHit> = hits.iter().skip(1).take(MAX_FURTHER).collect();
    if !best.by_name && best.cover < SURE_COVER && best.score < SURE_SCORE {
        let mut page = MarkdownPage::default();
        page.list(&format!("Results for \u{201c}{query}\u{201d}"), hits.iter().take(MAX_RESULTS).map(line));
        return Some(page);
    }
    let mut page = page_of(best.entry, detail)?;
    page.list("Also found", further.into_iter().map(line));
    Some(page)
}

/// The part of a query in thousandths that a phrase of the best result is, or its score, from which its page is shown and no list.
const SURE_COVER: u32 = 400;
const SURE_SCORE: u32 = 800;

/// Two things that a query compares.
fn side_by_side(left: &IndexEntry, right: &IndexEntry) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    let summary = |entry: &IndexEntry| format!("`{}` – {}", entry.name, entry.summary);
    page.list("The two", [left, right].into_iter().map(summary));
    for entry in [left, right] {
        page.page(page_of(entry, Detail::Overview).unwrap_or_default());
    }
    page
}

/// A search result as a line of a list.
fn line(hit: &IndexHit) -> String {
    let IndexEntry { kind, name, summary, .. } = hit.entry;
    let name = if matches!(kind, IndexKind::Concept | IndexKind::Family) {
        format!("**{name}**")
    } else {
        format!("`{name}`")
    };
    if summary.is_empty() { name } else { format!("{name} – {summary}") }
}

fn page_of(entry: &IndexEntry, detail: Detail) -> Option<MarkdownPage> {
    match entry.kind {
        IndexKind::Concept => ISA.concepts.iter().find(|c| c.title == entry.name).map(describe::concept),
        IndexKind::Family => Some(family(entry.name)),
        IndexKind::Diagnostic => {
            let mut page = MarkdownPage::default();
            page.text(code(entry.name)?);
            Some(page)
        }
        IndexKind::Cuda => cuda::named(entry.name).map(|found| cuda_page(found, detail)),
        IndexKind::Sass => cuda::machine(entry.name).map(|machine| sass_page(machine, detail)),
        _ => known(entry.name, detail),
    }
}

/// The members of a family, a line each.
fn family(title: &str) -> MarkdownPage {
    let mut members: Vec<(&str, &str)> = Vec::new();
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries).filter(|e| e.family_title == title) {
        if members.iter().all(|(name, _)| *name != entry.name) {
            members.push((entry.name, entry.summary));
        }
    }
    let mut page = MarkdownPage::default();
    page.text(format!("# {title}"));
    page.list("", members.iter().map(|(name, summary)| format!("`{name}` – {summary}")));
    page
}

/// The page about a CUDA C++ name: its PTX equivalent, followed by the pages about that.
fn cuda_page(found: &'static Cuda, detail: Detail) -> MarkdownPage {
    let spellings: Vec<String> = found.spellings().map(|s| format!("`{s}`")).collect();
    let words = if found.words.is_empty() { String::new() } else { format!(" ({})", found.words) };
    let text = format!("`{}` of CUDA C++ is {} in PTX{words}.", found.name, spellings.join(" or "));
    with_pages(text, found, detail)
}

/// The page about a machine instruction: what it does, followed by the pages about what it comes from.
fn sass_page(machine: &'static Cuda, detail: Detail) -> MarkdownPage {
    let Cuda { name, words, .. } = machine;
    let spellings: Vec<String> = machine.spellings().map(|s| format!("`{s}`")).collect();
    let text = match (spellings.is_empty(), machine.is_left_out()) {
        (false, _) => format!("`{name}` in SASS: {words}. In PTX: {}.", spellings.join(" or ")),
        (true, true) => format!("`{name}` in SASS: {words}. The assembler inserts it; PTX has no word for it."),
        (true, false) => format!("`{name}` in SASS: {words}. Several instructions of PTX become it."),
    };
    with_pages(text, machine, detail)
}

/// The page about a word of another language or assembler.
fn other_page(other: &'static Cuda, detail: Detail) -> MarkdownPage {
    let spellings: Vec<String> = other.spellings().map(|s| format!("`{s}`")).collect();
    let Cuda { name, words, .. } = other;
    let text = match (spellings.is_empty(), other.is_left_out()) {
        (false, _) if words.is_empty() => format!("`{name}` is {} in PTX.", spellings.join(" or ")),
        (false, _) => format!("`{name}` is {} in PTX: {words}.", spellings.join(" or ")),
        (true, true) => format!("PTX has no `{name}`, and needs none: {words}."),
        (true, false) => format!("PTX has no `{name}`: {words}."),
    };
    with_pages(text, other, detail)
}

/// A text, followed by the pages about what a name is in PTX.
fn with_pages(text: String, found: &'static Cuda, detail: Detail) -> MarkdownPage {
    let mut page = MarkdownPage::default();
    page.text(text);
    let mut names: Vec<&'static str> = Vec::new();
    for word in found.words_of_ptx().filter(|w| !w.eq_ignore_ascii_case(found.name)) {
        if !names.contains(&word) {
            names.push(word);
        }
    }
    let shown_count = if detail == Detail::Whole { names.len() } else { 1 };
    page.list("See also", names.iter().skip(shown_count).map(|word| describe::with_summary(word)));
    for word in names.into_iter().take(shown_count) {
        page.page(known(word, detail).unwrap_or_default());
    }
    page
}

/// What a name with `%` is if it is not a special register: `%r1`.
fn register(word: &str) -> Option<MarkdownPage> {
    let name = word.strip_prefix('%')?.trim_end_matches([',', ';']);
    let stem = name.split('.').next()?.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'));
    let is_special = ISA.special_registers.iter().any(|r| r.name.trim_start_matches('%') == stem);
    if !is_name || is_special || (stem.len() == name.len() && stem.len() > 3) {
        return None;
    }
    let usual = match stem {
        "r" => ".b32",
        "rd" => ".b64",
        "rs" | "h" => ".b16",
        "f" => ".f32",
        "fd" => ".f64",
        "p" => ".pred",
        "SP" | "SPL" | "sp" | "spl" => ".b64",
        _ => "",
    };
    let declared = if usual.is_empty() { ".b32" } else { usual };
    let mut page = MarkdownPage::default();
    page.text(format!("# %{name}, a register"));
    page.text(format!(
        "`%{name}` is not a special register: the module declares it. A range declares `%{stem}0`, `%{stem}1` and so on at once:"
    ));
    page.code(&format!(".reg {declared} %{stem}<8>;"));
    if !usual.is_empty() {
        page.text(format!(
            "Compilers use this name for registers of type `{usual}`. Only the declaration counts, not the name."
        ));
    }
    if stem.to_ascii_lowercase().starts_with("sp") {
        page.text("Compilers keep the address of the stack frame in it: `ptx-analyzer explain local memory`.");
    }
    page.append(describe::concept_body(ISA.concepts.iter().find(|c| c.id == "register")?));
    Some(page)
}

/// `%0` of inline PTX, a label, a guard.
fn inline_operand(word: &str) -> Option<MarkdownPage> {
    let is_operand =
        word.strip_prefix('%').is_some_and(|n| !n.is_empty() && n.len() < 3 && n.bytes().all(|b| b.is_ascii_digit()));
    let is_label = word.len() > 1 && word.ends_with(':') && !word.ends_with("::");
    let id = match (is_operand, is_label, word.starts_with('@')) {
        (true, ..) => "inline-ptx",
        (_, true, _) => "branches",
        (.., true) => "predicate",
        _ => return None,
    };
    ISA.concepts.iter().find(|c| c.id == id).map(describe::concept)
}

fn special_register(word: &str) -> Option<MarkdownPage> {
    let lower = word.to_ascii_lowercase();
    let name = lower.split('.').next().unwrap_or(&lower);
    if let Some(register) = ISA.special_register(name) {
        return Some(describe::special_register(register, &lower, None));
    }
    // `%envreg` or `%envreg<32>` stands for the whole family.
    let base = name.split('<').next().unwrap_or(name);
    let family = ISA.special_registers.iter().find(|r| r.name == base)?;
    Some(describe::special_register(family, family.name, None))
}

/// The page about a modifier, type, state space or directive; all meanings of the name are included.
fn dot_word(word: &str) -> Option<MarkdownPage> {
    let mut page = MarkdownPage::default();
    let name = spelled(word)?;
    page.page(describe::dot_word(name, None));
    if let Some(modifier) = ISA.modifier(name)
        && (ISA.directive(name).is_some() || ISA.space(name).is_some() || ISA.ty(name).is_some())
    {
        page.page(describe::modifier_alone(modifier));
    }
    page.append(describe::uses_of(name));
    (!page.is_empty()).then_some(page)
}

/// The spelling of a word in the tables; some have capitals: `.L2::cache_hint`.
fn spelled(word: &str) -> Option<&'static str> {
    let names = || {
        let directives = ISA.directives.iter().map(|d| d.name);
        let types = ISA.types.iter().map(|t| t.name);
        let spaces = ISA.spaces.iter().map(|s| s.name);
        let modifiers = ISA.modifiers.iter().map(|m| m.name);
        let slots = ISA.opcodes.iter().flat_map(|o| o.entries).flat_map(|e| e.forms).flat_map(|f| f.slots);
        directives.chain(types).chain(spaces).chain(modifiers).chain(slots.flat_map(|s| s.values).copied())
    };
    names().find(|n| *n == word).or_else(|| names().find(|n| n.eq_ignore_ascii_case(word)))
}

fn instruction(word: &str, detail: Detail) -> Option<MarkdownPage> {
    let lower = word.to_ascii_lowercase();
    let opcode = ISA.opcode(lower.split('.').next()?)?;
    let modifiers: Vec<String> = word.split('.').skip(1).map(|m| modifier_of(opcode, &format!(".{m}"))).collect();
    let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
    if modifiers.is_empty() {
        return Some(chapter(opcode, &lower, detail, |_| true));
    }
    // The name of an instruction, `mbarrier.try_wait`, or the common beginning of several.
    let begins = |path: &[&str]| path.len() >= modifiers.len() && path[..modifiers.len()] == modifiers[..];
    if opcode.entries.iter().any(|e| begins(e.path)) {
        return Some(chapter(opcode, &lower, detail, |e| begins(e.path)));
    }
    let head = mnemonic::resolve(opcode, &modifiers)?;
    if !head.entry.checked {
        return Some(describe::unchecked(head.entry));
    }
    if head.mismatch.is_some()
        && let Some(page) = describe::with_modifiers(opcode, &modifiers)
    {
        return Some(page);
    }
    if let Some(mismatch) = &head.mismatch {
        return Some(describe::mismatch(opcode, &head, mismatch));
    }
    // The variant with most operands, of the first form that the manual has and the assembler builds.
    let any = Environment::default();
    let offered = head.candidates.iter().find_map(|candidate| {
        let variant =
            candidate.variants.iter().rev().find(|v| v.is_offered(candidate.form, &candidate.values, &any))?;
        Some(describe::Chosen { candidate, variant })
    });
    let chosen = offered.or_else(|| {
        let candidate = head.candidates.first()?;
        let variant = candidate.variants.iter().rev().find(|a| a.broken.is_none()).or(candidate.variants.last())?;
        Some(describe::Chosen { candidate, variant })
    });
    Some(describe::instruction(opcode, &head, chosen?, None))
}

/// The spelling of a modifier in the forms of an opcode.
fn modifier_of(opcode: &'static Opcode, written: &str) -> String {
    let forms = || opcode.entries.iter().flat_map(|e| e.forms);
    let values = || forms().flat_map(|f| f.slots).flat_map(|s| s.values);
    let value = values().find(|v| **v == written).or_else(|| values().find(|v| v.eq_ignore_ascii_case(written)));
    value.map_or_else(|| written.to_owned(), |v| (*v).to_owned())
}

/// The instructions of an opcode, and the topic of that name.
fn chapter(opcode: &'static Opcode, query: &str, detail: Detail, wanted: impl Fn(&Entry) -> bool) -> MarkdownPage {
    let mut page = match detail {
        Detail::Whole => describe::entries(opcode, wanted, None),
        Detail::Overview => describe::overview(opcode, wanted, query),
    };
    if let Some(topic) = concept(query) {
        page.text(format!("See also the topic **{}**: `ptx-analyzer explain {}`.", topic.title, topic.id));
    }
    page
}

//! Completion of directives by their place, and of the words that follow them.

use super::place::ModulePart;
use super::reach::TargetSupport;
use super::scope;
use super::tokens::CompletionTokenKind;
use super::topic::Topic;
use super::{Item, ItemKind, List};
use crate::describe;
use crate::walk::top;
use ptx_analysis::{Environment, Symbol};
use ptx_isa::ISA;
use ptx_isa::tables::{ArgumentKind, Directive, GateKind, Outcome};
use ptx_syntax::kinds;

/// Statements at the top of a module that are searched for its `.version`, `.target` and `.address_size`.
const MAX_STATEMENTS: usize = 64;

/// Whether completion has a list for the words that follow a directive.
pub fn leads_on(directive: &Directive) -> bool {
    let listed = matches!(directive.name, ".version" | ".target" | ".address_size" | ".align");
    let strings = directive.takes.is_some_and(|t| t.kind == ArgumentKind::String);
    listed || strings || directive.is_linkage() || ISA.space(directive.name).is_some_and(|s| !s.declared.is_empty())
}

/// Whether no PTX version has a directive.
fn is_removed(directive: &Directive) -> bool {
    let first = |kind| {
        directive.gates.iter().filter(move |g| g.kind == kind).flat_map(|g| g.alternatives).filter_map(|a| a.ptx).min()
    };
    first(GateKind::Until).is_some_and(|end| first(GateKind::Needs).is_none_or(|begin| end <= begin))
}

/// Whether a directive is allowed only after a label.
fn is_labelled(directive: &Directive) -> bool {
    directive.syntax.starts_with("label:")
}

/// The completion item of a directive.
pub fn item(directive: &'static Directive, list: &List<'_, '_>) -> Item {
    Item::new(directive.name, ItemKind::Directive)
        .detail(directive.summary)
        .topic(Topic::Directive(directive.name.to_owned()))
        .status(TargetSupport::of(directive.gates, list.environment))
}

/// The header directives that the module has before the cursor. `more`: another statement follows them.
#[derive(Default)]
struct Begun {
    version: bool,
    target: bool,
    size: bool,
    more: bool,
}

impl List<'_, '_> {
    fn begun(&self) -> Begun {
        let k = kinds();
        let mut out = Begun::default();
        let mut before = top(self.place.snapshot).take_while(|n| n.start_byte() < self.place.start);
        for _ in 0..MAX_STATEMENTS {
            let Some(node) = before.next() else { return out };
            match node.kind_id() {
                kind if kind == k.version_directive => out.version = true,
                kind if kind == k.target_directive => out.target = true,
                kind if kind == k.address_size_directive => out.size = true,
                kind if kind == k.comment || kind == k.preprocessor_line => {}
                _ => out.more = true,
            }
        }
        out.more = true;
        out
    }

    /// Offers the module directives that are allowed at the cursor.
    pub(super) fn module_directives(&mut self) {
        let begun = self.begun();
        for directive in ISA.directives {
            let stands = directive.places.contains(&"module") || directive.is_linkage();
            let head = match directive.name {
                ".version" => !begun.version && !begun.more,
                ".target" => begun.version && !begun.target && !begun.more,
                ".address_size" => begun.target && !begun.size && !begun.more,
                _ => begun.target,
            };
            // The tables store the strings of `.pragma` as directives too.
            if stands && head && !is_removed(directive) && !directive.name.starts_with('"') {
                let item = item(directive, self);
                self.push(item);
            }
        }
    }

    /// Offers the directives of a function body.
    pub(super) fn body_directives(&mut self) {
        let places: &[&str] = if self.place.in_kernel() { &["body", "entry-body"] } else { &["body"] };
        let fits = |d: &Directive| places.iter().any(|p| d.places.contains(p)) && !d.name.starts_with('"');
        // In a body the assembler also accepts module directives such as `.target`. Of these, only those that occur in
        // bodies of real files are offered.
        let body = ptx_isa::USAGE.after("next", "*");
        let used = |d: &Directive| {
            !d.name.starts_with('.') || !d.places.contains(&"module") || body.iter().any(|(word, _)| *word == d.name)
        };
        let labelled = self.place.labelled;
        let mut found: Vec<&'static Directive> = ISA
            .directives
            .iter()
            .filter(|d| fits(d) && used(d) && !is_removed(d) && (labelled || !is_labelled(d)))
            .collect();
        found.sort_by_key(|d| labelled && !is_labelled(d));
        for directive in found {
            let item = item(directive, self);
            self.push(item);
        }
    }

    /// Offers the data types of a section.
    pub(super) fn section_data(&mut self) {
        let Some(section) = ISA.directive(".section") else { return };
        for data in section.data.iter().filter(|d| d.name.starts_with(".b") && d.name != ".byte") {
            let item = Item::new(data.name, ItemKind::Type).detail(format!("data of {} bits", data.bits));
            self.push(item.topic(Topic::Directive(data.name.to_owned())));
        }
    }

    /// Completes a word of a directive after its first word.
    pub(super) fn directive(&mut self) {
        let before = &self.place.before;
        if before.len() == 0 {
            return self.module_directives();
        }
        if self.place.level == ModulePart::Header {
            return self.header();
        }
        let given = before.len();
        match before.at(0) {
            ".version" if given == 1 => self.versions(),
            ".target" => self.targets(),
            name @ ".address_size" if given == 1 => self.choices(name),
            ".alias" if given == 1 || before.at(given - 1) == "," => self.functions(),
            ".calltargets" if given == 1 || before.at(given - 1) == "," => self.functions(),
            ".branchtargets" if given == 1 || before.at(given - 1) == "," => {
                for label in self.labels().into_iter().filter(|l| l.symbol == Symbol::Label) {
                    self.push(Item::new(label.text, ItemKind::Label).detail(label.detail));
                }
            }
            ".callprototype" => self.header(),
            name => match ISA.directive(name) {
                Some(directive) if directive.takes.is_some_and(|t| t.kind == ArgumentKind::String) => {
                    self.strings(directive)
                }
                Some(directive)
                    if ISA.space(name).is_some()
                        || directive.is_linkage()
                        || directive.places.contains(&"variable") =>
                {
                    self.declaration();
                }
                Some(directive) if before.at(given - 1) == "," => {
                    for word in directive.words {
                        self.push(Item::new(*word, ItemKind::Word).topic(Topic::Directive(name.to_owned())));
                    }
                }
                _ => {}
            },
        }
    }

    fn versions(&mut self) {
        for version in ISA.versions.iter().rev() {
            let name = version.version.to_string();
            let topic = Topic::Version(name.clone());
            let release = ptx_isa::release_of(version.version).map(|release| format!("CUDA {}: ", release.cuda));
            let detail = release.unwrap_or_default() + version.summary;
            self.push(Item::new(name, ItemKind::Target).detail(detail).topic(topic));
        }
    }

    fn targets(&mut self) {
        let before = &self.place.before;
        let given: Vec<&str> = before.words(1).filter(|w| *w != ",").collect();
        if !matches!(before.at(before.len() - 1), "," | ".target") {
            return;
        }
        let own = Environment { target: None, options: Vec::new(), ..self.environment.clone() };
        let mut found: Vec<Item> = Vec::new();
        for target in ISA.targets {
            let option = target.features.is_empty();
            let excluded = given.iter().any(|g| *g == target.name || target.excludes.contains(g));
            // The first name of `.target` must be an architecture, and one architecture is enough.
            if option == given.is_empty() || excluded {
                continue;
            }
            // The availability of an option depends on the architecture that the directive names.
            let environment = if option { self.environment } else { &own };
            let item = Item::new(target.name, ItemKind::Target)
                .detail(target.summary)
                .topic(Topic::Target(target.name.to_owned()))
                .status(TargetSupport::of(target.gates, environment));
            found.push(item);
        }
        if given.is_empty() {
            found.reverse();
        }
        found.into_iter().for_each(|item| self.push(item));
    }

    /// Offers the alternatives that the syntax of a directive lists, such as `32|64`.
    fn choices(&mut self, name: &str) {
        let Some(directive) = ISA.directive(name) else { return };
        let list = directive.syntax.strip_prefix(name).unwrap_or("").trim();
        for choice in list.split('|').rev().filter(|c| !c.is_empty()) {
            let mut item = Item::new(choice, ItemKind::Number).topic(Topic::Directive(name.to_owned()));
            let sized =
                Environment { sized: true, address_size: choice.parse().unwrap_or(0), ..Environment::default() };
            if name == ".address_size" && !sized.generates_code() {
                item.unavailable = Some(describe::unbuilt_label(Outcome::Refused));
            }
            self.push(item);
        }
    }

    fn functions(&mut self) {
        for name in scope::of_module(self.place) {
            if matches!(name.symbol, Symbol::Function { kernel: false, .. }) {
                let topic = Topic::Declared(name.text.clone(), self.place.start);
                self.push(Item::new(name.text, ItemKind::Function).detail(name.detail).topic(topic));
            }
        }
    }

    /// Offers the strings that a directive takes.
    pub(super) fn strings(&mut self, directive: &'static Directive) {
        let before = &self.place.before;
        let open = self.place.kind == Some(CompletionTokenKind::String);
        if !open && (self.place.kind.is_some() || !matches!(before.at(before.len() - 1), "," | ".pragma" | ".language"))
        {
            return;
        }
        for value in directive.values {
            let item = Item::new(format!("\"{}\"", value.name), ItemKind::Word).detail(format!("{}", value.number));
            self.push(item.topic(Topic::Directive(directive.name.to_owned())));
        }
        if !directive.values.is_empty() {
            return;
        }
        let mut place = match (self.place.level, self.place.in_kernel()) {
            (ModulePart::Body, true) => vec!["body", "entry-body"],
            (ModulePart::Body, false) => vec!["body"],
            (ModulePart::Header, true) => vec!["entry"],
            (ModulePart::Header, false) => Vec::new(),
            _ => vec!["module"],
        };
        place.retain(|_| directive.name == ".pragma");
        for string in ISA.directives.iter().filter(|d| d.name.starts_with('"')) {
            if !place.iter().any(|p| string.places.contains(p)) {
                continue;
            }
            // The number of such a string is inside the quotation marks.
            let argument = string.takes.filter(|t| t.least > 0).map(|t| t.from.max(1));
            let name = string.name.trim_matches('"');
            let text = argument.map_or_else(|| string.name.to_owned(), |number| format!("\"{name} {number}\""));
            let item = Item::new(string.name, ItemKind::Word)
                .detail(string.summary)
                .topic(Topic::Directive(string.name.to_owned()))
                .text(text)
                .status(TargetSupport::of(string.gates, self.environment));
            self.push(item);
        }
    }
}

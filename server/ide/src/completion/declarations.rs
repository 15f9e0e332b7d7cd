//! Completion of declarations, parameter lists and function headers. The words that are legal there depend on so many
//! conditions that the checks try each candidate.

use super::directives;
use super::place::ModulePart;
use super::reach::TargetSupport;
use super::scope;
use super::tokens::Tokens;
use super::topic::Topic;
use super::trial::{StatementTrial, TrialVerdict};
use super::usage;
use super::{Item, ItemKind, List};
use ptx_analysis::{Symbol, VariableSymbol};
use ptx_isa::ISA;
use ptx_isa::tables::{ArgumentKind, Directive, ModifierInfo, TypeClass};

/// A candidate for the next word. `tails` are minimal continuations after the word: the word is legal if at least one of
/// them passes the checks.
struct DeclarationWord {
    item: Item,
    tails: Vec<String>,
}

/// The modifiers that are vector lengths (`.v2`, `.v4` …). The checks decide which of them a declaration may have.
fn lengths() -> impl Iterator<Item = &'static ModifierInfo> {
    ISA.modifiers.iter().filter(|m| m.name.strip_prefix(".v").is_some_and(|n| n.parse::<u32>().is_ok()))
}

impl List<'_, '_> {
    /// Offers those of `words` that the checks accept after the text `before`.
    fn tried(&mut self, trial: StatementTrial<'_>, before: &str, words: Vec<DeclarationWord>) {
        use super::tokens::CompletionTokenKind;
        // All of these words begin with a dot or are numbers.
        if matches!(self.place.kind, Some(CompletionTokenKind::Register | CompletionTokenKind::Word)) {
            return;
        }
        let typed = self.place.word.clone();
        let from = self.items.len();
        for DeclarationWord { mut item, tails } in words {
            if typed.len() > 1 && !item.label.starts_with(&typed) {
                continue;
            }
            let mut best = TrialVerdict::Wrong;
            for tail in &tails {
                match trial.check(&format!("{before} {}{tail}", item.new_text())) {
                    TrialVerdict::Wrong => {}
                    found @ TrialVerdict::Lacking(_) if best == TrialVerdict::Wrong => best = found,
                    TrialVerdict::Lacking(_) => {}
                    found => {
                        best = found;
                        break;
                    }
                }
            }
            match best {
                TrialVerdict::Wrong => continue,
                TrialVerdict::Fine => {}
                TrialVerdict::Deprecated => item.deprecated = true,
                // A message from the tables is shorter, so it is kept if there is one.
                TrialVerdict::Lacking(message) => item.unavailable = item.unavailable.or(Some(message)),
            }
            self.push(item);
        }
        self.by_declared(from);
    }

    /// Sorts the items from index `from` on by how often real files have them at such a place. For `.reg`, the register
    /// name after the cursor hints at the type.
    fn by_declared(&mut self, from: usize) {
        let before = &self.place.before;
        let last = before.at(before.len().saturating_sub(1)).to_owned();
        let header = matches!(last.as_str(), "(" | ",");
        let mut scores = if header {
            usage::likely("header", &["("])
        } else if self.place.level == ModulePart::Header && ISA.ty(&last).is_none() && ISA.space(&last).is_none() {
            usage::likely("header", &[")"])
        } else {
            let types = self.history().steps.iter().any(|s| s.class == ".reg");
            let again = if types { ".reg .b32" } else { ".reg *" };
            let narrow = if last == ".reg" { again } else { "" };
            usage::likely("declare", &[last.as_str(), narrow])
        };
        let name = self.place.after.at(0).trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let named = ptx_isa::USAGE.after("name", &name);
        if !named.is_empty() && last == ".reg" {
            let total: f64 = named.iter().map(|(_, w)| f64::from(*w)).sum();
            for (ty, weight) in named {
                let share = 10.0 * f64::from(*weight) / total;
                match scores.iter_mut().find(|(w, _)| w == ty) {
                    Some((_, score)) => *score += share,
                    None => scores.push((ty, share)),
                }
            }
        }
        self.by_score(from, |i| usage::score(&scores, &i.label));
    }

    fn trial(&self) -> StatementTrial<'_> {
        StatementTrial { environment: self.environment, level: self.place.level, kernel: self.place.in_kernel() }
    }

    /// The statement from its beginning up to the word at the cursor.
    fn written(&self) -> String {
        let end = self.place.insert.start.saturating_sub(self.place.start);
        self.place.before.text.get(..end).unwrap_or("").trim_end().to_owned()
    }

    /// Completes a word of a declaration.
    pub(super) fn declaration(&mut self) {
        let before = &self.place.before;
        let last = before.at(before.len() - 1).to_owned();
        let written = self.written();
        let environment = self.environment.clone();
        let trial = StatementTrial { environment: &environment, ..self.trial() };
        let attribute = before.words(0).filter(|w| *w == "(").count() > before.words(0).filter(|w| *w == ")").count();
        if attribute && before.words(0).any(|w| w == ".attribute") {
            return self.attributes();
        }
        let space = before.words(0).find(|w| ISA.space(w).is_some());
        let ty = before.words(0).any(|w| ISA.ty(w).is_some());
        if before.words(0).any(|w| w == "=") {
            return self.initializer();
        }
        if ty {
            return;
        }
        if last == ".align" {
            let tails = if space.is_some() {
                vec![" .b8 __x[64];".to_owned()]
            } else {
                vec![" .global .b8 __x[64];".to_owned()]
            };
            let words = (0..8).map(|n| DeclarationWord {
                item: Item::new((1u32 << n).to_string(), ItemKind::Number),
                tails: tails.clone(),
            });
            return self.tried(trial, &written, words.collect());
        }
        let mut words: Vec<DeclarationWord> = Vec::new();
        if space.is_none() {
            let names = [" .b32 __x;", " .b32 __x[];", " .b32 __x[4];"];
            for space in ISA.spaces.iter().filter(|s| !s.declared.is_empty()) {
                let directive = ISA.directive(space.name);
                let item =
                    directive.map_or_else(|| Item::new(space.name, ItemKind::Space), |d| directives::item(d, self));
                words.push(DeclarationWord { item, tails: names.iter().map(|t| (*t).to_owned()).collect() });
            }
            for name in [".entry", ".func"] {
                if let Some(directive) = ISA.directive(name) {
                    let tails = vec![" __n() { ret; }".to_owned(), " __n();".to_owned()];
                    words.push(DeclarationWord { item: directives::item(directive, self), tails });
                }
            }
            self.tried(trial, &written, words);
            return;
        }
        let names = vec![" __x;".to_owned(), " __x[];".to_owned()];
        words.extend(self.types(&names, before, |t| t.registers || t.variables));
        let typed = [" .b32 __x;", " .b32 __x[];"];
        let further: [(&str, &[&str]); 2] = [(".align", &[" 8"]), (".attribute", &["(.managed)", "(.unified(1, 2))"])];
        for (name, arguments) in further {
            if let Some(directive) = ISA.directive(name).filter(|_| !before.words(0).any(|w| w == name)) {
                let tails = arguments.iter().flat_map(|a| typed.iter().map(move |t| format!("{a}{t}"))).collect();
                words.push(DeclarationWord { item: directives::item(directive, self), tails });
            }
        }
        self.tried(trial, &written, words);
    }

    /// The vector lengths and the types that satisfy `wanted`.
    fn types(
        &self,
        tails: &[String],
        before: &Tokens,
        wanted: impl Fn(&ptx_isa::tables::TypeInfo) -> bool,
    ) -> Vec<DeclarationWord> {
        let mut out = Vec::new();
        for ty in ISA.types.iter().filter(|t| wanted(t)) {
            let item =
                Item::new(ty.name, ItemKind::Type).detail(ty.summary).topic(Topic::Directive(ty.name.to_owned()));
            out.push(DeclarationWord { item, tails: tails.to_vec() });
        }
        if !before.words(0).any(|w| lengths().any(|m| m.name == w)) {
            for ModifierInfo { name, summary, .. } in lengths() {
                let topic = Topic::Directive((*name).to_owned());
                let item = Item::new(*name, ItemKind::Modifier).detail(*summary).topic(topic);
                out.push(DeclarationWord { item, tails: tails.iter().map(|t| format!(" .b32{t}")).collect() });
            }
        }
        out
    }

    /// Completes the parentheses of `.attribute`.
    fn attributes(&mut self) {
        if !matches!(self.place.before.at(self.place.before.len() - 1), "(" | ",") {
            return;
        }
        let space = self.place.before.words(0).find(|w| ISA.space(w).is_some()).map(str::to_owned);
        for directive in ISA.directives.iter().filter(|d| d.syntax.starts_with(".attribute(") && d.name != ".attribute")
        {
            let fits =
                space.as_ref().is_none_or(|s| directive.spaces.is_empty() || directive.spaces.contains(&s.as_str()));
            if fits {
                let item = directives::item(directive, self);
                self.push(item);
            }
        }
    }

    /// Completes an initial value: variables and functions whose address is allowed there, and the fields of opaque types.
    fn initializer(&mut self) {
        let before = &self.place.before;
        let last = before.at(before.len() - 1).to_owned();
        let Some(ty) = before.words(0).filter_map(|w| ISA.ty(w)).last() else { return };
        if ty.class == TypeClass::Opaque {
            let field = before.at(before.len().saturating_sub(2)).to_owned();
            let depth = before.words(0).filter(|w| *w == "{").count();
            if let Some(field) = ISA.field(&field).filter(|_| last == "=") {
                for value in field.values {
                    self.push(Item::new(*value, ItemKind::Word).detail(format!("`{}`", field.name)));
                }
            } else if matches!(last.as_str(), "{" | ",") && depth > 0 {
                let given: Vec<String> = before.words(0).map(str::to_owned).collect();
                for field in ISA.fields.iter().filter(|f| f.of.contains(&ty.name) && !given.iter().any(|g| g == f.name))
                {
                    let status = TargetSupport::of(field.gates, self.environment);
                    self.push(Item::new(field.name, ItemKind::Word).detail(field.summary).status(status));
                }
            }
            return;
        }
        if !matches!(last.as_str(), "=" | "{" | "," | "(") {
            return;
        }
        let written = self.written();
        // The trial statement must close all open braces and parentheses.
        let mut close = String::new();
        for word in before.words(0) {
            match word {
                "{" => close.insert(0, '}'),
                "(" => close.insert(0, ')'),
                "}" | ")" if !close.is_empty() => drop(close.remove(0)),
                _ => {}
            }
        }
        let environment = self.environment.clone();
        let trial = StatementTrial { environment: &environment, ..self.trial() };
        let mut tried: Vec<(String, bool)> = Vec::new();
        for name in scope::of_module(self.place) {
            // One trial per kind of symbol is enough.
            let (declared, key) = match name.symbol {
                Symbol::Variable(VariableSymbol { space, .. }) => (format!("{space} .b32 __y;\n"), space.to_owned()),
                Symbol::Function { kernel: true, .. } => (".entry __y() { ret; }\n".to_owned(), "kernel".to_owned()),
                Symbol::Function { kernel: false, .. } => (".func __y() { ret; }\n".to_owned(), "function".to_owned()),
                _ => continue,
            };
            let fine = match tried.iter().find(|(k, _)| *k == key) {
                Some((_, fine)) => *fine,
                None => {
                    let text = format!("{declared}{written} __y{close};");
                    let fine = matches!(trial.check(&text), TrialVerdict::Fine | TrialVerdict::Deprecated);
                    tried.push((key, fine));
                    fine
                }
            };
            if fine {
                let kind = if matches!(name.symbol, Symbol::Function { .. }) {
                    ItemKind::Function
                } else {
                    ItemKind::Variable
                };
                let topic = Topic::Declared(name.text.clone(), self.place.start);
                self.push(Item::new(name.text, kind).detail(name.detail).topic(topic));
            }
        }
        let generic = format!(".global .b32 __y;\n{written} generic(__y){close};");
        if let Some(initial) = ISA.initial("generic").filter(|_| trial.check(&generic) == TrialVerdict::Fine) {
            self.push(Item::new(initial.name, ItemKind::Word).detail(initial.summary).snippet("generic(${1:x})"));
        }
    }

    /// Completes a word in the header of a function or in a prototype.
    pub(super) fn header(&mut self) {
        let before = &self.place.before;
        let prototype = before.at(0) == ".callprototype";
        let kind =
            if prototype { Some(0) } else { (0..before.len()).find(|i| matches!(before.at(*i), ".entry" | ".func")) };
        let Some(kind) = kind else { return self.declaration() };
        let mut depth = 0usize;
        let mut from = kind + 1;
        let mut named = false;
        let mut closed = false;
        for index in kind + 1..before.len() {
            match before.at(index) {
                "(" => {
                    depth += 1;
                    if depth == 1 {
                        from = index + 1;
                    }
                }
                ")" => {
                    depth = depth.saturating_sub(1);
                    closed = named;
                }
                "," if depth == 1 => from = index + 1,
                word if depth == 0 && !word.starts_with('.') => named = true,
                _ => {}
            }
        }
        let rest = match (prototype, named) {
            (true, true) => ");",
            (true, false) => ") _ ();",
            (false, true) => ") { ret; }",
            (false, false) => ") __n () { ret; }",
        };
        if depth > 0 {
            return self.parameter(from, prototype, rest);
        }
        if named {
            self.header_directives(kind, prototype, closed);
        }
    }

    fn parameter(&mut self, from: usize, prototype: bool, rest: &str) {
        let before = &self.place.before;
        let given: Vec<&str> = before.words(from).collect();
        let last = given.last().copied().unwrap_or("");
        let name = if prototype { " _" } else { " __x" };
        let end = |tail: &str| format!("{tail}{rest}");
        let typed = given.iter().any(|w| ISA.ty(w).is_some());
        let pointer = given.contains(&".ptr");
        let written = if prototype { format!("__l: {}", self.written()) } else { self.written() };
        let environment = self.environment.clone();
        let level = if prototype { ModulePart::Body } else { ModulePart::Module };
        let trial = StatementTrial { environment: &environment, level, kernel: self.place.in_kernel() };
        let mut words: Vec<DeclarationWord> = Vec::new();
        if last == ".align" {
            let tail = if typed { end(name) } else { end(&format!(" .b8{name}[128]")) };
            let numbers = (0..8).map(|n| Item::new((1u32 << n).to_string(), ItemKind::Number));
            words.extend(numbers.map(|item| DeclarationWord { item, tails: vec![tail.clone()] }));
        } else if given.is_empty() {
            let lists = [end(&format!(" .b32{name}"))];
            for space in ISA.spaces.iter().filter(|s| !s.declared.is_empty()) {
                let directive = ISA.directive(space.name);
                let item =
                    directive.map_or_else(|| Item::new(space.name, ItemKind::Space), |d| directives::item(d, self));
                words.push(DeclarationWord { item, tails: lists.to_vec() });
            }
        } else if !typed {
            // The assembler takes arrays of types of which no other parameter can be: they are not offered.
            let lists = [end(name)];
            words.extend(self.types(&lists, before, |t| t.parameters || t.registers || t.prototypes));
            if let Some(directive) = ISA.directive(".align").filter(|_| !given.contains(&".align")) {
                let tail = end(&format!(" 4 .b32{name}"));
                words.push(DeclarationWord { item: directives::item(directive, self), tails: vec![tail] });
            }
        } else if let Some(directive) = ISA.directive(".ptr") {
            if !pointer && given.last().is_some_and(|w| ISA.ty(w).is_some()) {
                words.push(DeclarationWord { item: directives::item(directive, self), tails: vec![end(name)] });
            } else if pointer && last == ".ptr" {
                for space in ISA.spaces.iter().filter(|s| directive.spaces.contains(&s.name)) {
                    let item = Item::new(space.name, ItemKind::Space)
                        .detail(space.summary)
                        .topic(Topic::Directive(space.name.to_owned()));
                    words.push(DeclarationWord { item, tails: vec![end(name)] });
                }
            }
            if let Some(align) = ISA.directive(".align").filter(|_| pointer && !given.contains(&".align")) {
                words.push(DeclarationWord {
                    item: directives::item(align, self),
                    tails: vec![end(&format!(" 4{name}"))],
                });
            }
        }
        self.tried(trial, &written, words);
    }

    /// Completes the directives between the parameters and the body.
    fn header_directives(&mut self, kind: usize, prototype: bool, closed: bool) {
        let before = &self.place.before;
        let last = before.at(before.len() - 1).to_owned();
        let open = before.words(kind).filter(|w| w.starts_with('.')).last().and_then(|w| ISA.directive(w));
        // A directive may be followed by its argument, or by more of them.
        if let Some(directive) =
            open.filter(|d| d.takes.is_some_and(|t| matches!(t.kind, ArgumentKind::String | ArgumentKind::Value)))
        {
            let wants_string = last == directive.name || last == ",";
            if wants_string {
                return self.strings(directive);
            }
        }
        let unfinished =
            open.is_some_and(|d| last == d.name && d.takes.is_some_and(|t| t.least > 0) && d.name != before.at(kind));
        if last == "," || unfinished || (self.place.kind.is_none() && !closed && last == "(") {
            return;
        }
        let kernel = before.at(kind) == ".entry";
        let place = match (prototype, kernel) {
            (true, _) => "prototype",
            (_, true) => "entry",
            (_, false) => "func",
        };
        let written = if prototype { format!("__l: {}", self.written()) } else { self.written() };
        let environment = self.environment.clone();
        let level = if prototype { ModulePart::Body } else { ModulePart::Module };
        let trial = StatementTrial { environment: &environment, level, kernel: self.place.in_kernel() };
        let tails: &[&str] = if prototype { &[";"] } else { &[" { ret; }", ";"] };
        let given: Vec<String> = before.words(kind).map(str::to_owned).collect();
        let mut words = Vec::new();
        for directive in ISA.directives {
            let fits = directive.places.iter().any(|p| *p == place || (*p == "declaration" && place == "func"));
            let own = directive.takes.is_some() && directive.name.starts_with('.') && !directive.is_linkage();
            if !fits || !own || given.iter().any(|g| g == directive.name) || directive.syntax.starts_with(".attribute(")
            {
                continue;
            }
            let argument = argument(directive);
            let tails = tails.iter().map(|t| format!("{argument}{t}")).collect();
            words.push(DeclarationWord { item: directives::item(directive, self), tails });
        }
        self.tried(trial, &written, words);
    }
}

/// A minimal argument that `directive` takes, with the text that ends it.
fn argument(directive: &Directive) -> String {
    let Some(takes) = directive.takes else { return String::new() };
    let one = match takes.kind {
        ArgumentKind::Nothing => return String::new(),
        ArgumentKind::Integer => takes.from.max(1).to_string(),
        ArgumentKind::Value => format!("\"{}\"", directive.values.first().map_or("", |v| v.name)),
        ArgumentKind::String => "\"nounroll\"".to_owned(),
    };
    let all = vec![one; usize::from(takes.least.max(1))].join(", ");
    let end = if directive.syntax.ends_with(';') { ";" } else { "" };
    format!(" {all}{end}")
}

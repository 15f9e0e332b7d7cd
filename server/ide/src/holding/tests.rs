use super::*;
use ptx_analysis::Analyzer;
use ptx_syntax::Document;

/// The pause after which the server runs the flow lints.
const LINTS: Duration = Duration::from_millis(250);

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n";

/// A document, the checks, and the policy under test.
struct Model {
    document: Document,
    analyzer: Analyzer,
    holding: Holding,
    text: String,
}

impl Model {
    fn new(body: &str) -> Self {
        let text = format!("{HEAD}{body}}}\n");
        let mut model =
            Self { document: Document::new(&text), analyzer: Analyzer::default(), holding: Holding::default(), text };
        model.shown(Duration::ZERO);
        model
    }

    fn edit(&mut self, range: Range<usize>, new: &str) {
        self.holding.edit(self.document.rope(), &range, new);
        self.document.edit(range.clone(), new);
        self.holding.settle(self.document.rope());
        self.text.replace_range(range, new);
    }

    /// Types a text after a mark, key by key. Returns the visible diagnostics after each key.
    fn states_behind(&mut self, mark: &str, new: &str) -> Vec<Vec<String>> {
        let mut at = self.text.find(mark).expect("the mark") + mark.len();
        let mut states = Vec::new();
        for key in new.chars() {
            self.edit(at..at, key.encode_utf8(&mut [0; 4]));
            at += key.len_utf8();
            states.push(self.shown(Duration::ZERO));
        }
        states
    }

    /// Types a text after a mark. Returns the visible diagnostics after the last key.
    fn type_behind(&mut self, mark: &str, new: &str) -> Vec<String> {
        self.states_behind(mark, new).pop().expect("a key")
    }

    /// Deletes a text. Returns the visible diagnostics.
    fn delete(&mut self, old: &str) -> Vec<String> {
        let at = self.text.find(old).expect("the text");
        self.edit(at..at + old.len(), "");
        self.shown(Duration::ZERO)
    }

    fn all(&mut self, complete: bool) -> (Snapshot, Vec<Diagnostic>) {
        let snapshot = self.document.snapshot();
        let mut found = self.analyzer.analyze(&snapshot).diagnostics;
        found.extend(if complete {
            self.analyzer.lints(&snapshot, &|| false).expect("not cancelled")
        } else {
            self.analyzer.remembered_lints().to_vec()
        });
        found.sort_by_key(|d| (d.range.start, d.range.end));
        (snapshot, found)
    }

    /// Publishes `quiet` after the last edit. Returns the line (counted in the body, from 1) and the code of each visible
    /// diagnostic.
    fn shown(&mut self, quiet: Duration) -> Vec<String> {
        let complete = !quiet.is_zero();
        let (snapshot, found) = self.all(complete);
        let split = self.holding.split(&snapshot, &found, quiet);
        assert!(split.due.is_none_or(|due| due > quiet), "{split:?}");
        self.holding.published(&found, &split, complete);
        let line = |d: &Diagnostic| {
            let all = self.text[..d.range.start].matches('\n').count() + 1;
            all.saturating_sub(HEAD.matches('\n').count())
        };
        let shown = found.iter().zip(&split.held).filter(|(_, held)| !**held);
        shown.map(|(d, _)| format!("{} {}", line(d), d.code())).collect()
    }
}

const NONE: [&str; 0] = [];

#[test]
fn a_half_typed_statement_waits() {
    let mut model = Model::new("    .reg .b32 %a, %b;\n    mov.u32 %a, 1;\n    \n    ret;\n");
    assert_eq!(model.type_behind("1;\n    ", "add.s32 %a, %zz"), NONE);
    // After a pause, the errors are visible.
    assert_eq!(model.shown(PAUSE), ["3 syntax-error"]);
    // A visible error stays visible while it is true.
    assert_eq!(model.type_behind("%zz", ", 1"), ["3 syntax-error"]);
    // The semicolon ends the statement.
    assert_eq!(model.type_behind("%zz, 1", ";"), ["3 undeclared-name"]);
}

#[test]
fn a_statement_that_is_left_waits_no_more() {
    let mut model = Model::new("    .reg .b32 %a, %b;\n    \n    mov.u32 %a, 1;\n    ret;\n");
    assert!(model.states_behind("%b;\n    ", "exit").iter().all(Vec::is_empty));
    assert!(!model.type_behind("mov.u32 %a, 1", "2").is_empty(), "{}", model.text);
}

#[test]
fn names_of_a_declaration_that_is_typed_again_stay_known() {
    const DECLARATION: &str = ".reg .b32 %a, %b;";
    let mut model = Model::new(&format!("    {DECLARATION}\n    mov.u32 %a, 1;\n    mov.u32 %b, %a;\n    ret;\n"));
    assert_eq!(model.delete(DECLARATION), NONE);
    assert!(model.states_behind("{\n    ", DECLARATION).iter().all(Vec::is_empty));
    // The declaration is deleted together with its line.
    let line = format!("    {DECLARATION}\n");
    assert_eq!(model.delete(&line), NONE);
    assert_eq!(model.type_behind("{\n", "\n"), NONE);
    assert!(model.states_behind("{\n", &format!("    {DECLARATION}")).iter().all(Vec::is_empty));
    // After a pause without the declaration, the undeclared names are visible.
    model.delete(DECLARATION);
    assert_eq!(model.shown(PAUSE), ["2 undeclared-name", "3 undeclared-name", "3 undeclared-name"]);
    // An edit elsewhere makes them visible too.
    model.type_behind("{\n    ", DECLARATION);
    assert_eq!(model.delete(DECLARATION), NONE);
    assert_eq!(model.type_behind("    ret", "x").iter().filter(|d| d.contains("undeclared")).count(), 3);
}

#[test]
fn a_broken_declaration_may_declare_anything() {
    // This depends on the text alone, so no edit is necessary.
    for (declaration, expected) in [
        (".reg .b32 %a,", vec!["1 syntax-error"]),
        (".reg .b3 %a;", vec!["1 syntax-error"]),
        (".reg .b32 %c;", vec!["2 undeclared-name", "3 undeclared-name", "3 undeclared-name"]),
    ] {
        let mut model = Model::new(&format!("    {declaration}\n    mov.u32 %a, 1;\n    mov.u32 %b, %a;\n    ret;\n"));
        assert_eq!(model.shown(PAUSE).into_iter().filter(|d| !d.contains("unused")).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn labels_that_are_not_typed_yet_wait() {
    let mut model = Model::new("    .reg .pred %p;\n    setp.eq.u32 %p, 0, 0;\n    \n    ret;\n");
    assert_eq!(model.type_behind("0, 0;\n    ", "@%p bra DONE;"), NONE);
    assert_eq!(model.type_behind("DONE;", "\n    "), NONE);
    assert_eq!(model.shown(LINTS), NONE);
    assert_eq!(model.shown(PAUSE), ["3 undeclared-name"]);
    // A visible error stays visible while it is true.
    assert_eq!(model.type_behind("DONE;\n    ", "exit;"), ["3 undeclared-name"]);
    assert_eq!(model.type_behind("exit;", "\nDONE:"), NONE);
}

#[test]
fn labels_of_a_function_without_an_end_are_hints() {
    for (body, expected) in [
        ("    bra DONE;\n    mov.u32 %r, 1;\n", Severity::Hint),
        ("    bra DONE;\n    mov.u32 %r, 1;\n    // ret;\n", Severity::Hint),
        ("    bra DONE;\n    @%p ret;\n", Severity::Hint),
        ("    bra DONE;\n    mov.u32 %r, 1;\nL:\n", Severity::Hint),
        ("    bra DONE;\n    mov.u32 %r, 1;\n    ret;\n", Severity::Error),
        ("    bra DONE;\n    mov.u32 %r, 1;\nL: exit; }\n{\n", Severity::Error),
        ("    @%p bra DONE;\n    bra.uni L;\n", Severity::Error),
    ] {
        let text = format!("{HEAD}    .reg .b32 %r;\n    .reg .pred %p;\n{body}}}\n");
        let snapshot = Document::new(&text).snapshot();
        let mut found = Analyzer::default().analyze(&snapshot).diagnostics;
        soften(&snapshot, &mut found);
        let label = found.iter().find(|d| d.is_undeclared_label()).expect("the label is missing");
        assert_eq!(label.severity, expected, "{body}");
    }
}

#[test]
fn lints_wait_and_come_back() {
    let mut model = Model::new("    .reg .b32 %a;\n    \n    ret;\n");
    assert_eq!(model.shown(PAUSE), ["1 unused-register"]);
    model.type_behind("%a;\n    ", "mov.u32 %a, 1;");
    assert_eq!(model.shown(LINTS), NONE);
    assert_eq!(model.shown(PAUSE), ["2 dead-store"]);
    // After an edit elsewhere, a lint that was visible stays visible.
    model.type_behind("    ret;", "\n    ");
    assert_eq!(model.shown(LINTS), ["2 dead-store"]);
    // After an edit of its statement, it waits.
    model.type_behind("mov.u32 %a, 1", "2");
    assert_eq!(model.shown(LINTS), NONE);
    model.holding.stop();
    assert_eq!(model.shown(LINTS), ["2 dead-store"]);
}

#[test]
fn nothing_waits_after_an_edit_that_is_no_typing() {
    let mut model = Model::new("    .reg .b32 %a;\n    \n    ret;\n");
    let at = model.text.find("\n    \n").unwrap() + 1;
    model.edit(at..at, "    mov.u32 %zz, 1\n    mov.u32 %zz, 2\n    bra NOWHERE;\n");
    let found = model.all(true).1.len();
    assert!(found > 1);
    assert_eq!(model.shown(Duration::from_millis(250)).len(), found);
    // A rename edits several places at once.
    let mut model = Model::new("    .reg .b32 %a;\n\n\n    mov.u32 %a, 1;\n    ret;\n");
    let (first, second) = (model.text.find("%a").unwrap(), model.text.rfind("%a").unwrap());
    for (at, name) in [(second, "z"), (first, "y")] {
        let range = at + 1..at + 2;
        model.holding.edit(model.document.rope(), &range, name);
        model.document.edit(range.clone(), name);
        model.text.replace_range(range, name);
    }
    model.holding.settle(model.document.rope());
    assert_eq!(model.shown(Duration::ZERO), ["4 undeclared-name"]);
}

#[test]
fn statements_by_their_text() {
    for (marked, expected) in [
        ("    add.s32 %a, |%b;\n    ret;", "add.s32 %a, %b;"),
        ("ret;\n    exit|\n    ret;", "exit"),
        ("ret;\n    exit\n    |\n    ret;", "exit\n    "),
        ("exit\n    r|", "r"),
        (
            "mma.sync.f32\n    {%a, %b},\n    {%c|, %d},\n    {%e};\nret;",
            "mma.sync.f32\n    {%a, %b},\n    {%c, %d},\n    {%e};",
        ),
        (
            ".entry k(\n    .param .u64 a,\n    .param| .u64 b\n)\n{\nret;",
            ".entry k(\n    .param .u64 a,\n    .param .u64 b\n)\n{",
        ),
        ("bra L; // comment;\nL|:\n ret;", "L:"),
        ("{\n|\n}", ""),
    ] {
        let at = marked.find('|').unwrap();
        let text = marked.replace('|', "");
        assert_eq!(&text[statement::around(&Rope::from_str(&text), at)], expected, "{marked}");
    }
}

#[test]
fn ends_of_statements() {
    for (text, expected) in [
        ("", true),
        ("ret;", true),
        ("ret;\n   ", true),
        ("ret", false),
        ("add.s32 %a, ", false),
        (".entry k()\n{", true),
        (".entry k() {\n", true),
        (".reg .b32 %a;\n{", true),
        ("mma.sync {", false),
        ("mma.sync\n    {", false),
        ("mma.sync {%a,\n    {", false),
        (".global .u32 g[2] = {", false),
        ("mov.b64 %rd, {%a, %b}", false),
        ("ret;\n}", true),
        ("add.s32 %a // and", true),
        ("LOOP:", true),
        ("ld.shared:", false),
    ] {
        assert_eq!(statement::ends_before(&Rope::from_str(text), text.len()), expected, "{text:?}");
    }
}

#[test]
fn other_characters_than_ascii_around_a_declaration() {
    for typed in ["*  .reg .b32 %r<2>;\u{feff}", "\u{feff}.reg .b32 %r<2>; é", ".é .b32 %r;", "é .reg"] {
        let mut model = Model::new("    mov.u32 %undeclared, 1;\n\n    ret;\n");
        model.type_behind("1;\n", typed);
        assert!(model.text.contains(typed));
    }
}

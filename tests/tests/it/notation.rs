//! The compiler of the notation: its output for small data files, and its errors.

use ptx_isa::compiler::compile;
use ptx_isa::fragment::LayoutLookup;
use ptx_isa::tables::{
    ArgumentKind, ByteCount, Directive, FormPattern, FormulaOperation, FormulaStep, FormulaVariable, GridRole, Isa,
    Length, Protocol, Verb, Version,
};

const TYPES: &str = "type f16 float 16 agrees f16\ntype b32 bits 32 agrees b32\nmodifier .x4 Four\nmodifier .m16n8k16 A shape\n\
                     modifier .16x64b A shape\nmodifier .sp::2:4 Two of four\n";

fn compiled(text: &str) -> Result<Isa, String> {
    let files = [("types.isa".to_owned(), TYPES.to_owned()), ("a.isa".to_owned(), text.to_owned())];
    compile(&files).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// An opcode with one form and one operand.
fn with_form(form: &str, operand: &str) -> Result<Isa, String> {
    compiled(&format!("family f F\nopcode op\n  summary Does it.\n  form op{form} d\n    d: {operand}\n  exec f.op\n"))
}

/// The length of that operand for these modifiers, and the formula as text.
fn length(form: &str, operand: &str, values: &[Option<&str>]) -> (Option<u32>, String) {
    let isa = with_form(form, operand).expect("a form");
    let form = &isa.opcodes[0].entries[0].forms[0];
    let FormPattern::Value(value) = form.operands[0].pattern else { panic!("a value") };
    let Length::Formula(formula) = value.length else { panic!("a formula") };
    let bits = |name: &str| isa.types.iter().find(|t| t.name == name).map(|t| u32::from(t.bits));
    (formula.value(values, bits), formula.text(|slot| form.slots[usize::from(slot)].name))
}

#[test]
fn lengths_are_computed_from_shape_type_and_number() {
    let matrix = [Some(".m16n8k16"), Some(".f16")];
    let of = |formula: &str| length(".m16n8k16.f16", &format!("write vec({formula}) b32"), &matrix).0;
    assert_eq!(of("m*k*bits(.f16)/1024"), Some(4));
    assert_eq!(of("n * k * bits(.f16) / 1024"), Some(2));
    assert_eq!(of("m*n/32"), Some(4));
    let memory = length(".16x64b.x4", "write vec(rows*width*.x4/1024) b32", &[Some(".16x64b"), Some(".x4")]);
    assert_eq!(memory, (Some(4), "rows*width*.x4/1024".to_owned()));
}

#[test]
fn a_formula_of_unknown_factors_is_refused_with_its_place() {
    let error = with_form(".f16", "write vec(m*2) b32").expect_err("no shape");
    assert!(error.starts_with("a.isa:5:") && error.contains("`m` is neither"), "{error}");
    let error = with_form(".f16", "write vec(2/0) b32").expect_err("a divisor of zero");
    assert!(error.contains("`0` is not a divisor"), "{error}");
}

#[test]
fn signs_ratios_and_notes() {
    let text = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  operand d | The result.\n  unsettled | Whether it does.\n  \
                form op.sp::2:4 d, {-}a\n    d: write b32\n    a: read b32\n";
    let isa = compiled(text).expect("an opcode");
    let entry = &isa.opcodes[0].entries[0];
    assert_eq!((entry.operands[0].name, entry.operands[0].doc), ("d", "The result."));
    assert_eq!(entry.unsettled, ["Whether it does."]);
    assert_eq!(entry.forms[0].slots[0].values, [".sp::2:4"]);
    let FormPattern::Value(a) = entry.forms[0].operands[1].pattern else { panic!("a value") };
    assert!(a.minus && !a.negatable);
    let error = compiled(&text.replace("operand d", "operand e")).expect_err("no such operand");
    assert!(error.contains("no form of `op` has such an operand"), "{error}");
}

#[test]
fn constants_and_versions() {
    let isa = compiled("constant LANES 32\n  summary Lanes.\nversion 5.1 as 6.0\nversion 6.0\n").expect("entries");
    assert_eq!((isa.constants[0].name, isa.constants[0].value), ("LANES", 32));
    assert_eq!(isa.versions[0].counts_as, Version { major: 6, minor: 0 });
    assert_eq!(isa.versions[1].counts_as, isa.versions[1].version);
    assert!(compiled("constant LANES many\n").expect_err("no number").contains("constant NAME VALUE"));
}

#[test]
fn a_version_that_is_not_declared_is_refused_with_its_place() {
    let form = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  form op.f16 d\n    d: write f16\n    ";
    for (text, place, version) in [
        (format!("{form}needs ptx 8.9 sm_90"), "a.isa:7:15", "8.9"),
        (format!("{form}needs ptx 8.8 sm_90 or ptx 8.9"), "a.isa:7:32", "8.9"),
        (format!("{form}until ptx 8.9"), "a.isa:7:15", "8.9"),
        ("sreg %x u32\n  needs ptx 10.0".to_owned(), "a.isa:2:13", "10.0"),
        ("directive .x\n  part a needs ptx 3.9".to_owned(), "a.isa:2:20", "3.9"),
        ("space .x\n  holds 4352 needs ptx 1.9".to_owned(), "a.isa:2:24", "1.9"),
        ("version 5.1 as 5.9".to_owned(), "a.isa:1:16", "5.9"),
    ] {
        let said = compiled(&format!("{text}\nversion 8.8\n")).expect_err(&text);
        assert_eq!(said, format!("{place}: no `version` entry declares PTX {version}"), "{text}");
        let declared = compiled(&format!("{text}\nversion 8.8\nversion {version}\n"));
        assert!(!declared.is_err_and(|said| said.contains("declares")), "{text}");
    }
}

fn directive(lines: &str) -> Result<Directive, String> {
    compiled(&format!("directive .x\n{lines}\nversion 3.2\n")).map(|isa| isa.directives[0])
}

#[test]
fn what_a_directive_takes_and_where_it_stands_is_read() {
    let text =
        "  takes 1..3 integer in 1..9\n  limit 8 | because\n  where entry func\n  excludes .y .z\n  idle without .w";
    let found = directive(text).expect("a directive");
    let takes = found.takes.expect("arguments");
    assert_eq!((takes.kind, takes.least, takes.most), (ArgumentKind::Integer, 1, 3));
    assert_eq!((takes.from, takes.to, found.limit, found.limit_note), (1, 9, 8, "because"));
    assert_eq!((found.excludes, found.idle_without), (&[".y", ".z"][..], &[".w"][..]));
    let takes = |text: &str| directive(text).expect("a directive").takes.expect("arguments");
    assert_eq!(takes("  takes 1.. string").most, 0);
    assert!(takes("  takes 1 integer late").late);
    assert_eq!(takes("  takes nothing").kind, ArgumentKind::Nothing);
    assert_eq!(directive("  part a needs ptx 3.2").expect("a part").parts[0].name, "a");
    assert_eq!(directive("  value 5 cuda c++").expect("a value").values[0].name, "cuda c++");
    assert!(directive("  data .b8 8 checked").expect("data").data[0].checked);
}

#[test]
fn mistakes_under_a_directive_are_said() {
    for (text, words) in [
        ("  takes many", "expected `takes"),
        ("  takes 1 integer in 3", "expected `takes"),
        ("  limit x", "expected `limit"),
        ("  where nowhere", "`nowhere` is not a place"),
        ("  idle .y", "idle without"),
        ("  value x", "expected `value"),
        ("  data .b8", "expected `data"),
        ("  part a", "expected `ptx"),
    ] {
        let said = directive(text).expect_err(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn accesses_say_how_much_and_how_aligned() {
    let text = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  form op.f16 [a], n\n    a: address f16 bytes(n) align 16\n    n: read b32\n";
    let isa = compiled(text).expect("an opcode");
    let FormPattern::Address(parts) = isa.opcodes[0].entries[0].forms[0].operands[0].pattern else {
        panic!("an address")
    };
    assert_eq!((parts[0].bytes, parts[0].align), (ByteCount::Operand("n"), ByteCount::Fixed(16)));
    let error = compiled(&text.replace("bytes(n)", "bytes(m)")).expect_err("no such operand");
    assert!(error.contains("no operand `m`"), "{error}");
    let error = compiled(&text.replace("align 16", "align 0")).expect_err("nothing is a multiple of 0");
    assert!(error.contains("`0` is not a number of bytes"), "{error}");
}

#[test]
fn effects_name_a_verb_a_protocol_and_an_operand() {
    let text = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  effect starts cp.async d\n  form op{.x4} d\n    d: write b32\n    \
                effect waits cp.async when .x4\n";
    let isa = compiled(text).expect("an opcode");
    let effects = isa.opcodes[0].entries[0].forms[0].effects;
    let found: Vec<_> = effects.iter().map(|e| (e.verb, e.protocol, e.operand, e.when.len())).collect();
    assert!(found.contains(&(Verb::Starts, Protocol::CpAsync, "d", 0)), "{found:?}");
    assert!(found.contains(&(Verb::Waits, Protocol::CpAsync, "", 1)), "{found:?}");
    let error = compiled(&text.replace("waits", "hopes")).expect_err("no such verb");
    assert!(error.contains("`hopes` is none of starts"), "{error}");
}

const FRAGMENT: &str = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  form op.m16n8k16 d, s\n    d: read vec(2) b32\n    s: read b32\n\
                        fragment f A\n  of op: d with .m16n8k16\n  let w = 2 with .x4\n  let w = 4\n  reads q of s\n  matrix m by n\n  \
                        row = g + 8*(r % 2)\n  column = t*2 + i / (w + q)\n";

#[test]
fn fragments_are_formulas_in_postfix_order() {
    let isa = compiled(FRAGMENT).expect("a fragment");
    let fragment = &isa.fragments[0];
    assert_eq!((fragment.name, fragment.matrix, fragment.threads), ("f", "A", 32));
    assert_eq!(fragment.lets[0].values.iter().map(|v| v.value).collect::<Vec<_>>(), [2, 4]);
    let steps = fragment.column.steps;
    let op = |o| FormulaStep::Operation(o);
    let (t, i) = (FormulaStep::Variable(FormulaVariable::Quad), FormulaStep::Variable(FormulaVariable::Element));
    let sum = [
        FormulaStep::Let(0),
        FormulaStep::Input(0),
        op(FormulaOperation::Add),
        op(FormulaOperation::Divide),
        op(FormulaOperation::Add),
    ];
    assert_eq!(steps, [&[t, FormulaStep::Number(2), op(FormulaOperation::Multiply), i][..], &sum].concat());
    let form = &isa.opcodes[0].entries[0].forms[0];
    let found = isa.layout("op", form, &[Some(".m16n8k16")], "d", |_, _| None);
    let Some(LayoutLookup::Layout(layout)) = found else { panic!("a layout") };
    assert_eq!((layout.rows, layout.columns, layout.count, layout.registers), (16, 8, 4, 2));
    assert!(isa.layout("op", form, &[None], "d", |_, _| None).is_none(), "the shape is not written");
}

#[test]
fn mistakes_in_fragments_are_said() {
    let wrong = |from: &str, to: &str| compiled(&FRAGMENT.replace(from, to)).expect_err("a mistake");
    for (from, to, said) in [
        ("of op: d", "of op: x", "no form of `op` has an operand `x`"),
        ("of op: d", "of oq: d", "no form of `oq`"),
        ("reads q of s", "reads q of z", "has an operand `z`"),
        ("with .m16n8k16", "with .m1", "`.m1` is not a modifier or type"),
        ("g + 8", "h + 8", "`h` means nothing in a formula"),
        ("(r % 2)", "(r % 2", "a `)` is missing"),
        ("g + 8*(r % 2)", "g + 8 r", "unexpected `r` in a formula"),
        ("  matrix m by n\n", "", "has `matrix`, `row` and `column`, or says"),
        ("matrix m by n", "unspecified | Nobody says.\n  matrix m by n", "or says `unspecified"),
        ("matrix m by n", "matrix m n", "expected `matrix A by B`"),
        ("  of op: d with .m16n8k16\n", "", "needs a line `of"),
        ("let w = 4", "let w = x", "expected a number"),
    ] {
        let error = wrong(from, to);
        assert!(error.contains(said), "{to}: {error}");
    }
}

#[test]
fn places_of_special_registers_in_the_grid() {
    let text = "sreg %place u32 vec xyz\n  summary A place.\n  grid thread\n  at-most 7 3 0\n";
    let isa = compiled(text).expect("a special register");
    assert_eq!((isa.special_registers[0].grid, isa.special_registers[0].at_most), (GridRole::Thread, &[7, 3, 0][..]));
    let error = compiled(&text.replace("7 3 0", "7 many 0")).expect_err("no number");
    assert!(error.contains("expected a number, found `many`"), "{error}");
    let error = compiled(&text.replace("thread", "somewhere")).expect_err("no such part");
    assert!(error.contains("expected `thread`, `cta-size`"), "{error}");
}

#[test]
fn encodings_say_what_bits_mean() {
    let text = "encoding e\n  summary Some bits.\n  field 0..3 times 16 address when m16n8k16 x4: 0 none, 0x2 two words\n  field 63 sign\n  \
                value 7 seven\n  measure 32 warp\n  table a b c\n  selects a b\n  pattern .x4 3210 0123\n\
                family f F\nopcode op\n  summary Does it.\n  exec f.op\n  form op d\n    d: read b32 decodes e\n";
    let isa = compiled(text).expect("an encoding");
    let encoding = isa.encodings[0];
    let [address, sign] = encoding.fields else { panic!("two fields") };
    assert_eq!((address.low, address.high, address.times, address.name), (0, 3, 16, "address"));
    assert_eq!(address.when, [".m16n8k16", ".x4"]);
    assert_eq!((address.meaning(0), address.meaning(2), address.meaning(1)), (Some("none"), Some("two words"), None));
    assert_eq!((address.of(0x72), sign.of(1 << 63), sign.of(1)), (2, 1, 0));
    assert_eq!((encoding.measure, encoding.unit, encoding.values[0].words), (32, "warp", "seven"));
    assert_eq!((encoding.table, encoding.selects), (&["a", "b", "c"][..], &["a", "b"][..]));
    assert_eq!((encoding.patterns[0].modifier, encoding.patterns[0].rows), (".x4", &["3210", "0123"][..]));
    let FormPattern::Value(value) = isa.opcodes[0].entries[0].forms[0].operands[0].pattern else { panic!("a value") };
    assert_eq!(value.decodes, "e");
}

#[test]
fn mistakes_in_encodings_are_said() {
    let wrong = |line: &str| compiled(&format!("encoding e\n  {line}\n")).expect_err(line);
    assert!(wrong("field 3..1 x").contains("bits are counted from 0 to 63"));
    assert!(wrong("field 0..64 x").contains("bits are counted from 0 to 63"));
    assert!(wrong("field low x").contains("are no bits"));
    assert!(wrong("field 1").contains("a field needs a name"));
    assert!(wrong("field 1 x when nothing").contains("no modifier is named `.nothing`"));
    assert!(wrong("field 1 x: one").contains("expected a number and what it stands for"));
    assert!(wrong("value seven").contains("expected a number and what it stands for"));
    assert!(wrong("pattern .x4 321").contains("is not four digits"));
    assert!(wrong("measure warp").contains("expected a number and a unit"));
    assert!(wrong("nonsense 1").contains("unexpected `nonsense` under `encoding`"));
    assert!(
        with_form("", "read b32 decodes nothing").expect_err("no encoding").contains("no encoding is named `nothing`")
    );
}

const PROCESSOR: &str = "target sm_90 has sm_90\nmultiprocessor gh100 for sm_90\n  registers 65536 cta 65536 thread 255 unit 256\n  \
                         holds warps 64 ctas 32 partitions 4 threads 1024\n  shared 228K opt-in 227K unit 128 reserved 1K\n  \
                         carve-outs 0 8K 228K\n  assembler least 4 bound 24 step 8 parts 4\n  calls least 24 from 17 first 17 gap 4 run 4\n  \
                         summary Hopper.\n";

#[test]
fn multiprocessors_have_all_their_figures() {
    let isa = compiled(PROCESSOR).expect("a multiprocessor");
    let m = isa.multiprocessor("sm_90a").expect("a suffix makes no difference");
    assert_eq!((m.shared, m.shared_opt_in, m.carve_outs), (228 << 10, 227 << 10, &[0, 8 << 10, 228 << 10][..]));
    assert_eq!((m.warps, m.assembler.bound, m.summary), (64, 24, "Hopper."));
    assert_eq!([1, 7, 17, 18, 21, 22].map(|n| m.assembler.around_call(n)), [24, 24, 34, 39, 42, 47]);
    assert!(isa.multiprocessor("sm_9").is_none());
    for (from, to, message) in [
        ("for sm_90", "for sm_91", "`gh100` is for `sm_91`, which is not a target"),
        ("gh100 for sm_90", "gh100", "expected `multiprocessor NAME for TARGET…`"),
        ("for sm_90", "for sm_90 sm_90", "two multiprocessors are for `sm_90`"),
        (" unit 256", "", "expected `registers` with"),
        ("thread 255", "thread many", "expected a number after `registers thread`"),
        ("reserved 1K", "reserved 1K of", "unexpected `of`"),
        ("  holds warps 64 ctas 32 partitions 4 threads 1024\n", "", "there is no line `holds`"),
        ("0 8K 228K", "0 8K 100K", "`carve-outs` ascend to what `shared` says"),
        ("0 8K 228K", "0 x 228K", "`x` is not a number"),
        ("step 8", "step 0", "the step cannot be 0"),
    ] {
        let error = compiled(&PROCESSOR.replace(from, to)).expect_err(message);
        assert!(error.contains(message), "{message}: {error}");
    }
}

/// An entry with passages that have all kinds of conditions.
const PASSAGES: &str = "family f F\nopcode op\n  summary Does it.\n  exec f.op\n  result when .f16 | {d} = {a}\n  \
                        doc | One.\n      |\n      | ```\n      | x\n      |\n      | y\n      | ```\n  \
                        doc when .f16 .b32 and not .x4 and a | Two.\n  doc chapter | Three.\n  \
                        form op.t{.x4} d, a\n    t = f16 b32\n    d: write t\n    a: read t\n";

#[test]
fn passages_say_which_statements_they_are_about() {
    let isa = compiled(PASSAGES).expect("an opcode");
    let entry = &isa.opcodes[0].entries[0];
    let about = |written: &[&str]| -> Vec<&str> {
        entry.doc.iter().filter(|p| p.applies(|name| written.contains(&name))).map(|p| p.text).collect()
    };
    let code = "```\nx\n\ny\n```";
    assert_eq!(about(&[".b32", "d", "a"]), ["One.", code, "Two."]);
    assert_eq!(about(&[".b32", ".x4", "d", "a"]), ["One.", code]);
    assert_eq!(about(&[".b32", "d"]), ["One.", code]);
    assert!(entry.results[0].applies(|name| name == ".f16") && !entry.results[0].applies(|name| name == ".b32"));
}

#[test]
fn a_passage_names_only_what_the_forms_have() {
    for (from, to, expected) in [
        ("when .f16 |", "when .f32 |", "no form of `op` has `.f32`"),
        ("and a |", "and c |", "no form of `op` has `c`"),
        ("= {a}", "= {e}", "no form of `op` has `e`"),
        ("doc chapter", "doc chapters", "expected `chapter`, or `when`"),
        ("{d} = {a}", "nothing", "expected one line with operands in braces"),
        ("when .f16 .b32 and", "when and", "expected modifiers or operands"),
    ] {
        let error = compiled(&PASSAGES.replace(from, to)).expect_err(to);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_text_repeats_what_a_name_has_in_place_of_braces() {
    let isa = compiled(
        "modifier .m64n{8,16,128}k{16,32} N = {1}, K = {2}\nmodifier .x{1,2,16} {1} times\nmodifier .sync All\n",
    )
    .expect("no mistake");
    let summary = |name: &str| isa.modifiers.iter().find(|m| m.name == name).map(|m| m.summary);
    assert_eq!(summary(".m64n128k32"), Some("N = 128, K = 32"));
    assert_eq!(summary(".x16"), Some("16 times"));
    assert_eq!(summary(".sync"), Some("All"));
}

//! Tests of whole lowered modules. The bytes of initial values are those in the object files of ptxas 13.0 for sm_90.

use super::CheckedProgram;
use ptx_flow::flow::OperandValue;
use ptx_flow::program::{FieldValue, ModuleProgram, Relocation, RelocationTarget};
use ptx_syntax::Snapshot;

fn checked(version: &str, module: &str) -> CheckedProgram {
    CheckedProgram::new(&Snapshot::new(&format!(".version {version}\n.target sm_90\n.address_size 64\n{module}")))
}

fn program(module: &str) -> ModuleProgram {
    let CheckedProgram { program, errors } = checked("8.5", module);
    let errors: Vec<String> = errors.iter().map(crate::Diagnostic::message).collect();
    assert_eq!(errors, Vec::<&str>::new(), "{module}");
    program
}

/// The initialized bytes of the last variable in hexadecimal digits, and its size in bytes.
fn contents(declaration: &str) -> (String, Option<u64>) {
    let program = program(declaration);
    let variable = program.variables.last().expect("a variable");
    let bytes = variable.initial.bytes.iter().map(|b| format!("{b:02x}")).collect();
    (bytes, variable.symbol.bytes)
}

#[test]
fn numbers_become_the_bytes_that_the_assembler_writes() {
    for (declaration, wanted) in [
        (".b32 a = 1.5", "0000c03f"),
        (".b32 a = 0f3fc00000", "0000c03f"),
        (".b64 a = 1.5", "000000000000f83f"),
        (".b64 a = 0f3fc00000", "0000c03f00000000"),
        (".f64 a = 0f3fc00000", "0000c03f00000000"),
        (".b16 a = 1.5", "0000"),
        (".b16 a = 0f3fc12345", "4523"),
        (".b8 a = 1.1", "9a"),
        (".b8 a[4] = {0f3fc12345, 1, 2}", "450102"),
        (".b16 a = 0d3ff123456789abcd", "cdab"),
        (".f32 a = 0d3ff123456789abcd", "2b1a893f"),
        (".f32 a = 1e40", "0000807f"),
        (".f32 a = 0f7f800001", "0100807f"),
        (".f32 a = (0f7f800001)", "0100807f"),
        (".f64 a = 0d7ff0000000000001", "010000000000f07f"),
        (".f32 a[3] = {1.0 + 2.0, -0.5, 0.0}", "00004040000000bf00000000"),
        (".u8 a[6] = {-1, 256, 0x1ff, 3}", "ff00ff03"),
        (".u32 a[4] = {1+2, 1?4:5, WARP_SZ, -WARP_SZ}", "030000000400000020000000e0ffffff"),
        (".v4 .u16 a = {1,2,3,4}", "0100020003000400"),
        (".v2 .u32 a[2] = {{1,2},{3,4}}", "01000000020000000300000004000000"),
        (".b128 a[2] = {5, 6.5}", "050000000000000000000000000000000000000000001a400000000000000000"),
        (".f16x2 a = {1.0, 2.0}", "0000803f"),
        (".f16x2 a[3] = {{1.5}, {}, {2}}", "0000c03f02000000"),
        (".u8 a = 0xff00(0x1234)", "12"),
        (".u64 a = 0xff00(0x1234)", "1200000000000000"),
        (".u32 a[3] = {width = 7, 5, 6}", "0500000006000000"),
    ] {
        assert_eq!(contents(&format!(".global {declaration};")).0, wanted, "{declaration}");
    }
}

#[test]
fn values_in_braces_follow_one_another() {
    for (declaration, wanted, size) in [
        (".u16 a[2][3] = {{1,2},{3,4,5}}", "01000200030004000500", 12),
        (".u16 a[2][3] = {{},{3,4,5}}", "030004000500", 12),
        (".u16 a[2][2][2] = {{{1},{2}},{{3,4}}}", "0100020003000400", 16),
        (".u16 a[][3] = {{1,2,3},{4}}", "0100020003000400", 12),
        (".u16 a[][3] = {{1},{4},{5}}", "010004000500", 18),
        (".u16 a[0] = {1,2,3}", "010002000300", 6),
        (".u16 a[] = {1,2,3}", "010002000300", 6),
        (".u32 a[2][2] = {}", "", 16),
        (".f16x2 a[] = {{1,2},{3}}", "0100000002000000", 8),
        (".u32 a = 3, b = 4", "04000000", 4),
    ] {
        let (bytes, known) = contents(&format!(".global {declaration};"));
        assert_eq!((&*bytes, known), (wanted, Some(size)), "{declaration}");
    }
}

#[test]
fn a_large_variable_takes_no_more_than_what_is_said_of_it() {
    let program = program(".global .u32 a[1000000000] = {1}; .global .b8 b[123456789012];");
    let sizes: Vec<_> = program.variables.iter().map(|v| (v.symbol.bytes, v.initial.bytes.len())).collect();
    assert_eq!(sizes, [(Some(4_000_000_000), 4), (Some(123_456_789_012), 0)]);
    let said: Vec<bool> = program.variables.iter().map(|v| v.initial.initialized).collect();
    assert_eq!(said, [true, false]);
}

fn relocation(offset: u64, width: u8, to: &str, addend: i64, generic: bool) -> Relocation {
    Relocation { offset, width, to: RelocationTarget::Variable(to.into()), addend, generic, byte: None }
}

#[test]
fn addresses_are_left_to_the_loader() {
    let all = |version: &str, module: &str| {
        let program = checked(version, module).program;
        let last = program.variables.last().expect("a variable");
        (last.initial.relocations.clone(), last.initial.bytes.clone())
    };
    let (found, bytes) = all(
        "8.5",
        ".const .u64 x[4] = {1}; .global .u64 a[8] = {x, 7, x+4+8, generic(x), generic(x)+-8, x+(1<<3), a};",
    );
    let wanted = [
        relocation(0, 8, "x", 0, false),
        relocation(16, 8, "x", 12, false),
        relocation(24, 8, "x", 0, true),
        relocation(32, 8, "x", -8, true),
        relocation(40, 8, "x", 8, false),
        relocation(48, 8, "a", 0, false),
    ];
    assert_eq!(found, wanted);
    assert_eq!((bytes.len(), bytes[8]), (56, 7));
    // A 32-bit variable gets the lower half of the address.
    assert_eq!(all("8.5", ".global .u8 x; .global .u32 a = x+4;").0, [relocation(0, 4, "x", 4, false)]);
    // Before PTX 3.1 there were only generic addresses.
    assert_eq!(all("3.0", ".global .u8 x; .global .u64 a = x;").0, [relocation(0, 8, "x", 0, true)]);
    let (bytes_of, _) = all("8.5", ".global .u8 x[4]; .global .u32 a[2] = {0xff00(x), 0xff0000(generic(x)+2)};");
    let byte = |byte, relocation| Relocation { byte: Some(byte), ..relocation };
    assert_eq!(bytes_of, [byte(1, relocation(0, 1, "x", 0, false)), byte(2, relocation(4, 1, "x", 2, true))]);
    let (functions, _) = all("8.5", ".func f() { ret; } .global .u64 a[2] = {0, f};");
    assert_eq!(
        functions,
        [Relocation { to: RelocationTarget::Function("f".into()), ..relocation(8, 8, "", 0, false) }]
    );
}

#[test]
fn variables_of_bodies_have_contents_too() {
    let program = program(
        ".global .u64 x = 5; .entry k() { .reg .u64 %z; .global .u64 y[2];
         { .global .u64 x[] = {9, x, y+8}; ld.global.u64 %z, [x]; } .global .u64 w = x; .shared .u32 s; }",
    );
    let k = &program.functions[0];
    let body = k.body.as_ref().expect("a body");
    let name = |index: u32| (&*body.variables[index as usize].name, body.variables[index as usize].symbol.bytes);
    let found: Vec<_> = k.initials.iter().map(|(i, initial)| (name(*i), initial.bytes.len())).collect();
    assert_eq!(found, [(("x", Some(24)), 24), (("w", Some(8)), 8)]);
    let (inner, outer) = (&k.initials[0], &k.initials[1]);
    let to = |target: &RelocationTarget| match target {
        RelocationTarget::Local(index) => {
            format!("{}{}", body.variables[*index as usize].name, if *index == inner.0 { " itself" } else { "" })
        }
        RelocationTarget::Variable(name) => format!("module's {name}"),
        RelocationTarget::Function(name) => name.to_string(),
    };
    let led: Vec<_> = inner.1.relocations.iter().chain(&outer.1.relocations).map(|r| to(&r.to)).collect();
    assert_eq!(led, ["x itself", "y", "module's x"]);
}

#[test]
fn textures_keep_their_fields() {
    let program = program(
        ".global .texref t = { width = 5, filter_mode = nearest, addr_mode_0 = clamp_to_border };
         .global .surfref s[2] = { { width = 2 }, { height = 3 } };",
    );
    let fields: Vec<_> = program.variables.iter().flat_map(|v| &v.initial.fields).collect();
    let found: Vec<_> = fields.iter().map(|f| (f.element, f.name, f.value)).collect();
    assert_eq!(
        found,
        [
            (0, "width", FieldValue::Number(5)),
            (0, "filter_mode", FieldValue::Name("nearest")),
            (0, "addr_mode_0", FieldValue::Name("clamp_to_border")),
            (0, "width", FieldValue::Number(2)),
            (1, "height", FieldValue::Number(3)),
        ]
    );
}

#[test]
fn each_name_is_there_once_as_its_definition_has_it() {
    let program = program(
        ".extern .func (.reg .u32 r) e (.reg .u32 a); .visible .func f (.reg .u32 first) .noreturn; .extern .shared .align 16 .b8 dynamic[];
         .extern .global .u32 x; .visible .global .u32 x = 7; .weak .global .u32 y = 1; .global .u16 z<3>;
         .visible .func f (.reg .u32 second) .noreturn { exit; } .visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n) { ret; }",
    );
    let functions: Vec<_> = program.functions.iter().map(|f| (&*f.name, f.body.is_some(), f.kernel)).collect();
    assert_eq!(functions, [("e", false, false), ("f", true, false), ("k", true, true)]);
    let f = &program.functions[program.function("f").expect("f")];
    assert_eq!((&*f.parameters[0].name, f.noreturn, f.linkage), ("second", true, Some(".visible")));
    let k = &program.functions[2];
    let pointees: Vec<_> = k.pointees.iter().map(|p| p.map(|p| (p.space, p.align))).collect();
    assert_eq!(pointees, [Some((Some(".global"), Some(16))), None]);
    let variables: Vec<_> = program.variables.iter().map(|v| (&*v.name, v.symbol.bytes, v.linkage)).collect();
    assert_eq!(
        variables,
        [
            ("dynamic", None, Some(".extern")),
            ("x", Some(4), Some(".visible")),
            ("y", Some(4), Some(".weak")),
            ("z0", Some(2), None),
            ("z1", Some(2), None),
            ("z2", Some(2), None),
        ]
    );
    assert_eq!(program.variables[1].initial.bytes, [7, 0, 0, 0]);
    assert_eq!(program.variable("z2"), Some(5));
}

#[test]
fn an_alias_leads_to_its_function() {
    let program = program(".visible .func g; .visible .func f { ret; } .alias g, f;");
    assert_eq!(program.function("g").map(|i| &*program.functions[i].name), Some("f"));
    let ring = checked("8.5", ".func f; .func g; .alias f, g; .alias g, f;").program;
    assert!(ring.function("f").is_some());
}

#[test]
fn places_and_files() {
    let program = program(
        ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.func f() {\n.reg .u32 %r;\n.loc 1 4 7\n.loc 1 5 6\nmov.u32 %r, 1;\n{\n.loc 2 9 0, function_name L, inlined_at 1 5 6\n\
         mov.u32 %r, 2;\nmov.u32 %r, 3;\n}\nret;\n.loc 1 8 1\n}\n.section .debug_str { L: .b8 0 }",
    );
    assert_eq!(program.files, [(1, "a.cu".into()), (2, "b.cu".into())]);
    let found: Vec<_> =
        program.functions[0].locations.iter().map(|l| (l.instruction, l.file, l.line, l.column)).collect();
    assert_eq!(found, [(0, 1, 4, 7), (0, 1, 5, 6), (1, 2, 9, 0), (4, 1, 8, 1)]);
}

#[test]
fn errors_are_counted_by_function() {
    let program =
        checked("8.5", ".entry a() { ret; } .entry b() { nosuch; } .global .f32 x = 1; .entry c() { ret 5; nosuch; }")
            .program;
    let counts: Vec<usize> = program.functions.iter().map(|f| program.errors_in(f).len()).collect();
    assert_eq!((counts, program.errors.len()), (vec![0, 1, 2], 4));
}

/// The operands of the last instruction before the final `ret`.
fn operands(body: &str) -> Vec<(OperandValue, Option<i64>)> {
    let program = program(&format!(
        ".global .u32 g[4][8]; .global .v2 .u32 v[8]; .func (.reg .u32 r) f (.reg .u32 a) {{ ret; }}
         .entry k() {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %p<9>; {body} ret; }}"
    ));
    let k = program.functions.last().and_then(|f| f.body.as_ref()).expect("a body");
    assert!(k.complete, "{body}");
    k.operands_of(k.instructions.len() - 2).iter().map(|o| (o.value, o.offset)).collect()
}

/// Each of these addresses was read in the machine code of ptxas 13.0.
#[test]
fn offsets_of_addresses() {
    for (address, wanted) in [
        ("[g+8]", 8),
        ("[g+-8]", -8),
        ("[g+0xfffffffffffffff8]", -8),
        ("[g+(1<<3)]", 8),
        ("[g+4+8]", 12),
        ("g[1]", 4),
        ("g[1+2]", 12),
        ("v[3]", 12),
        ("[%rd1+WARP_SZ]", 32),
    ] {
        assert_eq!(operands(&format!("ld.global.u32 %r1, {address};"))[1].1, Some(wanted), "{address}");
    }
}

#[test]
fn floating_point_literals_keep_their_bits() {
    let value = |text: &str| operands(&format!("mov.f32 %f1, {text};"))[1].0;
    assert_eq!(value("0f7f800001"), OperandValue::Float(0x7f80_0001, true));
    assert_eq!(value("0d3ff0000000000000"), OperandValue::Float(1f64.to_bits(), false));
    assert_eq!(value("1.5"), OperandValue::Float(1.5f64.to_bits(), false));
}

#[test]
fn lists_know_functions_and_prototypes() {
    let program = program(
        ".func (.reg .u32 r) f (.reg .u32 a) { ret; } .func (.reg .u32 r) g (.reg .u32 a) { ret; }
         .entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>;
         T: .calltargets g, f; P: .callprototype _ (.param .u32 _, .param .align 8 .b8 x[24]) .noreturn;
         mov.u64 %rd1, f; call (%r1), %rd1, (%r2), T; ret; }",
    );
    let k = program.functions[2].body.as_ref().expect("a body");
    let targets: Vec<&str> = k.lists[0].functions.iter().map(|f| &*k.functions[*f as usize]).collect();
    assert_eq!(targets, ["g", "f"]);
    let prototype = k.lists[1].prototype.as_deref().expect("a prototype");
    let declared = prototype.declared_as(".func", "x");
    assert_eq!(declared, ".func x (.param .u32 _, .param .align 8 .b8 x[24]) .noreturn");
    assert!(k.lists[1].noreturn && k.lists[0].prototype.is_none());
}

#[test]
fn a_guard_may_be_a_special_register() {
    let program = program(".entry k() { .reg .b32 %r; @!%is_explicit_cluster mov.u32 %r, 1; ret; }");
    let k = program.functions[0].body.as_ref().expect("a body");
    let guard = k.instructions[0].guard.as_ref().expect("a guard");
    assert_eq!((guard.slot, guard.special.map(|s| s.name), guard.negated), (None, Some("%is_explicit_cluster"), true));
}

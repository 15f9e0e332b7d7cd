//! Tests of syntax errors: messages, similar code without an error, and fixes.

use crate::testing::{in_kernel, in_module, mended};
use crate::{Code, Diagnostic, Severity};

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// The messages about the body of a kernel, each with its help on the next line.
fn in_body(body: &str) -> Vec<String> {
    in_kernel(Code::SyntaxError, body).iter().map(Diagnostic::text).collect()
}

/// The messages, each with its help on the next line, about items of a module. The module header is added.
fn outside(items: &str) -> Vec<String> {
    in_module(Code::SyntaxError, &format!("{HEADER}{items}")).iter().map(Diagnostic::text).collect()
}

/// Asserts that the first fix turns `wrong` into `right`, and that `right` has no syntax error.
fn assert_mended(wrong: &str, right: &str) {
    assert_eq!(mended(Code::SyntaxError, &format!("{HEADER}{wrong}")), format!("{HEADER}{right}"));
    assert_eq!(outside(right), [""; 0]);
}

/// Like [`assert_mended`], with statements in the body of a kernel.
fn assert_statement_mended(wrong: &str, right: &str) {
    let kernel =
        |body: &str| format!(".entry k(.param .u64 p)\n{{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n{body}\nret;\n}}\n");
    assert_mended(&kernel(wrong), &kernel(right));
}

#[test]
fn separators_are_inserted() {
    let no_semicolon = "mov.u32 %r1, 0\nmov.u32 %r2, 0;";
    assert_eq!(in_body(no_semicolon), ["a `;` is missing after `0`"]);
    assert_statement_mended(no_semicolon, "mov.u32 %r1, 0;\nmov.u32 %r2, 0;");
    assert_eq!(in_body("mov.u32 %r1 0;"), ["a `,` is missing after `%r1`"]);
    assert_statement_mended("mov.u32 %r1 0;", "mov.u32 %r1, 0;");
    assert_eq!(in_body("ld.global.u32 %r1, [%rd1;"), ["a `]` is missing after `%rd1`"]);
    assert_statement_mended("ld.global.u32 %r1, [%rd1;", "ld.global.u32 %r1, [%rd1];");
}

#[test]
fn operands_that_are_missing() {
    let comma = "something is missing after this comma\nwrite the operand that follows it, or remove the comma";
    assert_eq!(in_body("mov.u32 %r1, ;"), [comma]);
    assert_eq!(in_body("mov.u32 %r1, 1 +;"), ["an operand is missing after this `+`"]);
    assert!(in_body("mov.u32 %r1, 1 + 2;").is_empty());
    assert_eq!(in_body("add. %r1, %r2, %r3;"), ["a modifier is missing after the dot"]);
}

#[test]
fn statements_of_other_languages() {
    assert_eq!(
        in_body("%r1 = 5;"),
        ["unexpected `%r1 =`: PTX has no assignments\nan instruction names its result first: write `mov.b32 %r1, 5;`"]
    );
    assert_eq!(in_body("mov.u32 %r1, +%r2;"), ["`+` is not allowed before this\nremove it"]);
    let subscript =
        "a subscript is allowed only after an array that is not in brackets\nwrite an offset in bytes, `[a+4]`";
    assert_eq!(in_body("ld.param.u64 %rd1, [p[0]];"), [subscript]);
    assert!(in_body("ld.param.u64 %rd1, [p+0];").is_empty());
}

#[test]
fn offsets_are_added() {
    let wrong = "ld.global.u32 %r1, [%rd1-4];";
    assert_eq!(in_body(wrong), ["an offset is added, never subtracted\nwrite `+-` in place of `-`"]);
    assert!(in_body("ld.global.u32 %r1, [%rd1+-4];").is_empty());
}

#[test]
fn a_word_alone_on_its_line_may_be_a_label() {
    let wrong = "bra.uni loop;\nloop\nmov.u32 %r1, 0;";
    assert_eq!(in_body(wrong), ["`loop` is not an instruction: if it is a label, `:` is missing after it"]);
    assert_statement_mended(wrong, "bra.uni loop;\nloop:\nmov.u32 %r1, 0;");
}

#[test]
fn parts_of_declarations() {
    assert_eq!(in_body(".reg .f23 x;"), ["`.f23` is not a type\ndid you mean `.f32`?"]);
    assert_statement_mended(".reg .f23 x;", ".reg .f32 x;");
    assert_eq!(in_body(".reg x;"), ["a type is missing here, such as `.b32`"]);
    assert_eq!(in_body(".local .b8 .b8 x;"), ["a declaration has one type; this is the second\nremove one of them"]);
    let order = "this must come before the type\n\
                 the order is: `.align` and `.attribute`, state space, vector length, type, names";
    assert_eq!(in_body(".local .align 4 .b8 .align 8 x;"), [order]);
    assert!(in_body(".local .align 8 .b8 x;").is_empty());
}

#[test]
fn headers_of_functions() {
    let name = "the name of this kernel is missing\nwrite its name before the parameters, as in `.entry name(…)`";
    assert_eq!(outside(".entry ()\n{\nret;\n}\n"), [name]);
    assert_eq!(outside(".entry (.param .u64 p)\n{\nret;\n}\n"), [name]);
    let parameter =
        "the name of the parameter is missing after this\nwrite a name after the type, as in `.param .b32 name`";
    assert_eq!(outside(".func f(.param .b32)\n{\nret;\n}\n"), [parameter]);
    let order = "`.u64` must come before `.ptr` in a declaration\nwrite `.param .u64 .ptr p`";
    assert_eq!(outside(".entry k(.param .ptr .u64 p)\n{\nret;\n}\n"), [order]);
    assert!(outside(".entry k(.param .u64 .ptr p)\n{\nret;\n}\n").is_empty());
    let no_brace = ".func f()\n.reg .b32 %r1;\nmov.u32 %r1, 0;\nret;\n}\n";
    assert_eq!(outside(no_brace), ["a `{` is missing after the header of this function"]);
    assert_mended(no_brace, ".func f()\n{\n.reg .b32 %r1;\nmov.u32 %r1, 0;\nret;\n}\n");
}

#[test]
fn functions_that_do_not_end() {
    let nested = ".entry k()\n{\nret;\n.entry l()\n{\nret;\n}\n";
    let text = "a `}` is missing after this: the next function begins inside this one";
    assert_eq!(outside(nested), [text]);
    assert_mended(nested, ".entry k()\n{\nret;\n}\n.entry l()\n{\nret;\n}\n");
    let open = ".entry k()\n{\nret;\n";
    assert_eq!(outside(open), ["a `}` is missing at the end"]);
    assert_mended(open, ".entry k()\n{\nret;\n}\n");
}

#[test]
fn statements_outside_of_functions() {
    let found = in_module(Code::SyntaxError, &format!("{HEADER}mov.u32 %r1, 0;\n"));
    assert_eq!(found[0].message(), "an instruction belongs in a function body");
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
}

#[test]
fn comments_end() {
    assert_eq!(outside("/* no end\n"), ["this comment is not closed: `*/` is missing"]);
    assert_mended("/* no end\n", "/* no end */\n");
}

#[test]
fn characters_that_are_not_ascii() {
    let none: [&str; 0] = [];
    assert_eq!(outside("// café\n/* π */\n\x0c.global .b32 x;"), none);
    assert_eq!(outside(".pragma \"café\";"), ["`é` is not ASCII: it is allowed only in comments"]);
    assert_eq!(outside(".global .b32 x;\x0b"), ["a vertical tab is not white space for the assembler"]);
    // What the parser reports is not reported twice.
    assert_eq!(outside(".global .b32 é;").len(), 1);
    let marked = in_module(Code::SyntaxError, &format!("\u{feff}{HEADER}"));
    let expected = "the assembler refuses this byte order mark (U+FEFF), which editors do not show\n\
                    save the file as UTF-8 without a byte order mark";
    assert_eq!(marked.iter().map(Diagnostic::text).collect::<Vec<_>>(), [expected]);
    assert_eq!(mended(Code::SyntaxError, &format!("\u{feff}{HEADER}")), HEADER);
}

use super::webs;
use crate::flow::Graph;
use crate::flow::tests::lowered;

/// The body with the number of its web after each place of `%r1` (of `%v` if there is no `%r1`); `*` marks a web of the
/// signature.
fn marked(body: &str) -> String {
    let head = ".func (.reg .b32 %res) f(.reg .b32 %a) { .reg .b32 %r<20>; .reg .pred %p<9>; .reg .v2 .f32 %v; .reg .b32 %o;\n";
    let text = format!("{head}{body}\n}}");
    let function = lowered(&text);
    assert!(function.complete, "{body}");
    let wanted = ["%r1", "%v", "%a", "%res"].into_iter().find(|n| body.contains(n)).unwrap();
    let number = if wanted == "%r1" { 1 } else { 0 };
    let name = wanted.trim_end_matches('1');
    let declaration = function.declarations.iter().position(|d| &*d.name == name).unwrap();
    let found = webs(&function, &Graph::new(&function), declaration as u32, number);
    let mut out = String::new();
    let mut from = head.len();
    for place in &found.places {
        let end = place.range.end as usize;
        out.push_str(&text[from..end]);
        let fixed = if found.webs[place.web as usize].fixed { "*" } else { "" };
        let unwritten = if found.webs[place.web as usize].unwritten { "?" } else { "" };
        out.push_str(&format!("‹{}{fixed}{unwritten}›", place.web));
        from = end;
    }
    out.push_str(text[from..].trim_end_matches("\n}"));
    out
}

#[track_caller]
fn check(expected: &str) {
    let plain: String = expected.split('‹').map(|p| p.split_once('›').map_or(p, |(_, rest)| rest)).collect();
    assert_eq!(marked(&plain), expected);
}

#[test]
fn one_after_the_other() {
    check("mov.u32 %r1‹0›, 1; add.u32 %r2, %r1‹0›, 1; mov.u32 %r1‹1›, 2; add.u32 %r3, %r1‹1›, %r1‹1›; ret;");
    check("mov.u32 %r1‹0›, 1; add.u32 %r1‹1›, %r1‹0›, 1; st.global.u32 [%r1+4‹1›], %r1‹1›; ret;");
}

#[test]
fn ways_that_meet() {
    check(
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra A; mov.u32 %r1‹0›, 2; bra B; A: mov.u32 %r1‹0›, 3; \
         B: mov.u32 %r3, %r1‹0›; mov.u32 %r1‹1›, 4; mov.u32 %r4, %r1‹1›; ret;",
    );
    // The value is dead where the paths meet: no read sees both writes.
    check(
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra A; mov.u32 %r1‹0›, 2; mov.u32 %r3, %r1‹0›; bra B; A: mov.u32 %r1‹1›, 3; \
         mov.u32 %r4, %r1‹1›; B: ret;",
    );
}

#[test]
fn loops() {
    check(
        "mov.u32 %r1‹0›, 0; L: add.u32 %r1‹0›, %r1‹0›, 1; setp.lt.u32 %p1, %r1‹0›, 9; @%p1 bra L; \
         mov.u32 %r1‹1›, 5; mov.u32 %r2, %r1‹1›; ret;",
    );
    check("L: mov.u32 %r1‹0›, 1; mov.u32 %r2, %r1‹0›; mov.u32 %r1‹1›, 2; mov.u32 %r3, %r1‹1›; bra L;");
}

#[test]
fn guards_keep_what_was_there() {
    check(
        "mov.u32 %r1‹0›, 1; @%p1 mov.u32 %r1‹0›, 2; mov.u32 %r3, %r1‹0›; mov.u32 %r1‹1›, 3; mov.u32 %r4, %r1‹1›; ret;",
    );
    check("mov.u32 %r1‹0›, 1; mov.u32 %r2, %r1‹0›; @%p1 mov.u32 %r1‹0›, 2; @%p1 mov.u32 %r3, %r1‹0›; ret;");
    check("@%p1 mov.u32 %r1‹0?›, 2; mov.u32 %r3, %r1‹0?›; ret;");
}

#[test]
fn elements_of_vectors() {
    check(
        "mov.f32 %v.x‹0›, 0f00000000; mov.f32 %v.y‹1›, %v.x‹0›; mov.f32 %v.x‹2›, %v.y‹1›; st.global.f32 [%r2], %v.x‹2›; ret;",
    );
    // An operand that names both joins them.
    check("mov.f32 %v.x‹0›, 0f00000000; mov.f32 %v.y‹0›, 0f00000000; st.global.v2.f32 [%r2], %v‹0›; ret;");
}

#[test]
fn the_signature() {
    check("add.u32 %r2, %a‹0*›, 1; mov.u32 %a‹1›, 2; mov.u32 %r3, %a‹1›; ret;");
    check("mov.u32 %res‹0›, 1; mov.u32 %r2, %res‹0›; mov.u32 %res‹1*›, 2; ret;");
}

#[test]
fn what_nothing_leads_to() {
    check("mov.u32 %r1‹0›, 1; ret; mov.u32 %r2, %r1‹1?›; mov.u32 %r1‹2›, 3; mov.u32 %r2, %r1‹2›; ret;");
}

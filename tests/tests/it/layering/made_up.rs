//! The finder of circles, tried on small crates.

use super::graph::Graph;
use super::source::Files;
use std::collections::BTreeSet;

fn graph(files: &[(&str, &str)]) -> Graph {
    let files: Files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Graph::read(&files, "lib.rs")
}

/// Returns the dependencies between the files of a crate with the modules `a`, `b` and `c`, whose `a` is the text.
fn edges_of(a: &str) -> Vec<String> {
    let b = "pub struct B; pub enum Kind { One } pub mod deep { pub struct D; } pub fn b() {}";
    let edges = graph(&[("lib.rs", "mod a; mod b; mod c;"), ("a.rs", a), ("b.rs", b), ("c.rs", "pub fn c() {}")]);
    edges.file_edges().into_iter().collect()
}

#[track_caller]
fn assert_edges(a: &str, expected: &[&str]) {
    assert_eq!(edges_of(a), expected, "{a}");
}

#[test]
fn all_ways_to_name_another_module() {
    for a in [
        "use crate::b::B;",
        "use super::b::B;",
        "use super::b::{self, B};",
        "use super::{b::B};",
        "use super::b::B as Other;",
        "use super::b::*;",
        "use crate::b::deep::D;",
        "use super::b; fn f() { b::b() }",
        "use super::b as other; fn f() { other::b() }",
        "fn f() { super::b::b() }",
        "fn f() { let _ = crate::b::Kind::One; }",
        "fn f(b: &crate::b::B) -> Vec<super::b::B> { vec![] }",
        "fn f() { println!(\"{}\", super::b::b()) }",
        "fn f() { for _ in 0..super::b::b() {} }",
        "impl Clone for super::b::B {}",
        "#[derive(crate::b::B)] struct A;",
        "mod inner { use super::super::b::B; }",
        "mod inner { fn f() { super::super::b::b() } }",
        "fn f() { use super::b::b; b() }",
        "macro_rules! m { () => { $crate::b::b() } }",
        "fn f<'b>() { Vec::<super::b::B>::new(); }",
        "#[cfg(not(test))] use super::b::B;",
        "#[cfg(any(test, unix))] use super::b::B;",
    ] {
        assert_edges(a, &["a.rs → b.rs"]);
    }
    assert_edges("use super::{b::B, c::c};", &["a.rs → b.rs", "a.rs → c.rs"]);
    assert_edges("use crate::{\n    b::{deep::D, Kind::{self, One}},\n    c,\n};", &["a.rs → b.rs"]);
}

#[test]
fn what_is_no_dependency() {
    for a in [
        "",
        "// use super::b::B;",
        "/// [`super::b::B`]\nfn f() {}",
        "fn f() { \"super::b::b()\"; }",
        "use other::b::B;",
        "use ::b::B;",
        "use super::b;",
        "pub(super) fn f() {}",
        "pub(in crate::b) fn f() {}",
        "fn f(x: X) { x.b(); let b = 1; }",
        "fn f() { self::g() } fn g() {}",
        "struct B; fn f() { B::new() }",
        "macro_rules! m { ($b:path) => { $b::b() } }",
        "#[cfg(test)] use super::b::B; fn f() {}",
        "#[cfg(all(test, unix))] mod tests { use super::super::b::B; }",
        "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}",
        "#[test] fn f() { super::b::b() }",
        "#[cfg(test)] #[allow(x)] pub(crate) const fn f() { super::b::b() }",
        "fn f() { #[cfg(test)] super::b::b(); }",
        "struct A { #[cfg(test)] b: super::b::B, c: u32 }",
        "#![cfg(test)] use super::b::B;",
    ] {
        assert_edges(a, &[]);
    }
    // What follows code for tests counts.
    for a in [
        "#[cfg(test)] use x::Y; use super::b::B;",
        "#[cfg(test)] mod tests {} use super::b::B;",
        "fn f() { #[cfg(test)] g(); super::b::b() }",
        "struct A { #[cfg(test)] c: u32, b: super::b::B }",
        "fn f() { match 1 { #[cfg(test)] 1 => {} 2 => super::b::b() } }",
    ] {
        assert_edges(a, &["a.rs → b.rs"]);
    }
}

#[test]
fn names_lead_to_where_they_are_declared() {
    // By a name that the root, or another module, passes on.
    let edges = graph(&[
        ("lib.rs", "mod a; mod b; mod c; pub use b::B;"),
        ("a.rs", "use crate::B; use crate::c::Passed;"),
        ("b.rs", "pub struct B;"),
        ("c/mod.rs", "mod d; pub use d::Declared as Passed;"),
        ("c/d.rs", "pub struct Declared;"),
    ]);
    assert_eq!(edges.file_edges(), BTreeSet::from(["a.rs → b.rs", "a.rs → c/d.rs"].map(str::to_owned)));
    // By a list of all names, and by names that only a macro declares.
    let edges = graph(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use super::b::*; fn f() { declared() }"),
        ("b.rs", "pub use super::c::*;"),
        ("c.rs", "pub fn declared() {}"),
        ("d.rs", "use super::a::MadeByMacro;"),
    ]);
    let expected = ["a.rs → b.rs", "a.rs → c.rs", "b.rs → c.rs", "d.rs → a.rs"];
    assert_eq!(edges.file_edges(), BTreeSet::from(expected.map(str::to_owned)));
    // A search for a name that means itself ends.
    let edges = graph(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use super::b::x;"), ("b.rs", "pub use super::b::x;")]);
    assert_eq!(edges.file_edges(), BTreeSet::from(["a.rs → b.rs".to_owned()]));
}

#[test]
fn macros_are_found_without_a_path() {
    let edges = graph(&[
        ("lib.rs", "#[macro_use] mod a; mod b;"),
        ("a.rs", "macro_rules! made { () => {} }"),
        ("b.rs", "made!(); println!();"),
    ]);
    assert_eq!(edges.file_edges(), BTreeSet::from(["b.rs → a.rs".to_owned()]));
}

#[test]
fn files_are_found_where_rust_finds_them() {
    let edges = graph(&[
        ("lib.rs", "mod a; mod b; #[cfg(unix)] #[path = \"on/unix.rs\"] mod system; #[cfg(windows)] mod system;"),
        ("a.rs", "pub mod inner; mod inline { mod below; }"),
        ("a/inner.rs", "use super::super::b::f;"),
        ("a/inline/below.rs", "use super::super::inner::X;"),
        ("b/mod.rs", "mod c; pub fn f() {}"),
        ("b/c.rs", "use crate::system::g;"),
        ("on/unix.rs", "mod deep; pub fn g() {}"),
        ("on/deep.rs", "use crate::a::inner::Y;"),
        ("system.rs", "pub fn g() {}"),
    ]);
    let expected = [
        "a/inline/below.rs → a/inner.rs",
        "a/inner.rs → b/mod.rs",
        "b/c.rs → on/unix.rs",
        "b/c.rs → system.rs",
        "on/deep.rs → a/inner.rs",
    ];
    assert_eq!(edges.file_edges(), BTreeSet::from(expected.map(str::to_owned)));
    // Each file knows one that knows another one; the rooms lead in a circle.
    assert!(edges.file_circles().is_empty());
    let [circle] = &edges.module_circles()[..] else { panic!("{:?}", edges.module_circles()) };
    assert_eq!(circle.nodes, BTreeSet::from(["a", "b", "system"].map(str::to_owned)));
    assert!(circle.edges.contains(&"a → b: super::super::b::f (a/inner.rs:1)".to_owned()), "{:?}", circle.edges);
}

#[test]
fn circles_are_told_from_chains() {
    let chain = [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use super::b::B;"), ("b.rs", "use super::c::C;")];
    let chain = |c| graph(&[&chain[..], &[("c.rs", c)]].concat());
    assert!(chain("").module_circles().is_empty());
    let circles = chain("fn f() { crate::a::f() }").module_circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].nodes.len(), 3);
    // Two circles, one of them inside of a module.
    let two = graph(&[
        ("lib.rs", "mod a; mod b; mod room;"),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::a::A; use crate::room::R;"),
        ("room/mod.rs", "mod x; mod y; pub struct R;"),
        ("room/x.rs", "use super::y::Y;"),
        ("room/y.rs", "use super::x::X;"),
    ]);
    let nodes = |circle: &super::graph::Circle| circle.nodes.iter().cloned().collect::<Vec<_>>();
    let found: Vec<_> = two.module_circles().iter().map(nodes).collect();
    assert_eq!(found, [["a", "b"], ["room::x", "room::y"]]);
    assert_eq!(two.file_circles().len(), 2);
}

#[test]
fn a_folder_and_the_file_beside_it() {
    let pair =
        |parent| graph(&[("lib.rs", "mod p;"), ("p.rs", parent), ("p/c.rs", "use super::Shared; pub fn f() {}")]);
    // A window to what is inside is not a dependency; a call is.
    assert!(pair("mod c; pub struct Shared; pub use c::f;").file_circles().is_empty());
    assert_eq!(pair("mod c; pub struct Shared; pub use c::f; fn g() { f() }").file_circles().len(), 1);
    assert_eq!(pair("mod c; pub struct Shared; fn g() { c::f() }").file_circles().len(), 1);
    assert!(pair("mod c; pub struct Shared; fn g() { c::f() }").module_circles().is_empty());
}

//! Compiles the generated parser and its scanner.

fn main() {
    let src = std::path::Path::new("src");
    let sources = [src.join("parser.c"), src.join("scanner.c")];

    // The parser is a single switch over a thousand states. Without optimisation it is several times slower, so
    // optimise it in every profile.
    let mut build = cc::Build::new();
    build.std("c11").include(src).files(&sources).opt_level(2).warnings(false);
    // Without a system there are no C headers. The crate tree-sitter-language brings those that the parser needs.
    if let Some(headers) = std::env::var_os("DEP_TREE_SITTER_LANGUAGE_WASM_HEADERS") {
        build.include(headers);
    }
    #[cfg(target_env = "msvc")]
    build.flag("-utf-8");
    build.compile("tree-sitter-ptx");

    for source in &sources {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rerun-if-changed=src/tree_sitter");
}

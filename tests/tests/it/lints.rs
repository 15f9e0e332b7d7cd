//! Folders with a `clippy.toml` of their own refuse the same functions of floating-point numbers as all others.

/// The refused methods of `f32` and `f64` in a configuration of Clippy.
fn refused(configuration: &str) -> Vec<&str> {
    let words = configuration.split('"').filter(|word| word.starts_with("f32::") || word.starts_with("f64::"));
    words.collect()
}

#[test]
fn no_folder_takes_bits_from_the_c_library() {
    let all = refused(include_str!("../../../clippy.toml"));
    assert!(["f32::mul_add", "f64::mul_add", "f64::sin", "f64::round"].iter().all(|method| all.contains(method)));
    assert_eq!(refused(include_str!("../../clippy.toml")), all);
    assert_eq!(refused(include_str!("../../../tree-sitter-ptx/clippy.toml")), all);
}

//! Lists of names.

/// Names as a list, `` `.a` `.b` ``, with at most `most` of them.
pub fn words<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(most).map(|n| format!("`{n}`")).collect();
    let rest = names.len().saturating_sub(most);
    let shown = shown.join(" ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

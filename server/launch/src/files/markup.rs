//! Distinguishes PTX from PreTeXt, whose documents are XML and also end in `.ptx`.

/// Whether a text is XML: no PTX module begins with `<`.
pub fn is_markup(text: impl IntoIterator<Item = char>) -> bool {
    text.into_iter().find(|c| !c.is_whitespace() && *c != '\u{feff}') == Some('<')
}

#[cfg(test)]
mod tests {
    use super::is_markup;

    #[test]
    fn by_the_first_character() {
        for (text, expected) in [
            ("<pretext/>", true),
            ("\u{feff}\r\n\t <?xml?>", true),
            ("", false),
            ("// <pretext/>", false),
            (".version 8.0", false),
        ] {
            assert_eq!(is_markup(text.chars()), expected, "{text}");
        }
    }
}

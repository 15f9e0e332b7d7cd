//! Characters that look like others, or like nothing: copied from a web page, a PDF or a word processor.

/// A character that is taken for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookAlike {
    /// Its name, `no-break space`.
    pub name: &'static str,
    /// The ASCII text that it looks like; empty for an invisible character.
    pub replacement: &'static str,
}

/// Characters with their names and what they are taken for.
const LOOK_ALIKES: &[(char, &str, &str)] = &[
    ('\u{a0}', "no-break space", " "),
    ('\u{1680}', "Ogham space mark", " "),
    ('\u{2000}', "en quad", " "),
    ('\u{2001}', "em quad", " "),
    ('\u{2002}', "en space", " "),
    ('\u{2003}', "em space", " "),
    ('\u{2004}', "three-per-em space", " "),
    ('\u{2005}', "four-per-em space", " "),
    ('\u{2006}', "six-per-em space", " "),
    ('\u{2007}', "figure space", " "),
    ('\u{2008}', "punctuation space", " "),
    ('\u{2009}', "thin space", " "),
    ('\u{200a}', "hair space", " "),
    ('\u{202f}', "narrow no-break space", " "),
    ('\u{205f}', "medium mathematical space", " "),
    ('\u{3000}', "ideographic space", " "),
    ('\u{85}', "next-line character", "\n"),
    ('\u{2028}', "line separator", "\n"),
    ('\u{2029}', "paragraph separator", "\n"),
    ('\u{ad}', "soft hyphen", ""),
    ('\u{200b}', "zero-width space", ""),
    ('\u{200c}', "zero-width non-joiner", ""),
    ('\u{200d}', "zero-width joiner", ""),
    ('\u{200e}', "left-to-right mark", ""),
    ('\u{200f}', "right-to-left mark", ""),
    ('\u{2060}', "word joiner", ""),
    ('\u{feff}', "byte order mark", ""),
    ('\u{2010}', "hyphen", "-"),
    ('\u{2011}', "no-break hyphen", "-"),
    ('\u{2012}', "figure dash", "-"),
    ('\u{2013}', "en dash", "-"),
    ('\u{2014}', "em dash", "-"),
    ('\u{2212}', "minus sign", "-"),
    ('\u{2018}', "left single quotation mark", "'"),
    ('\u{2019}', "right single quotation mark", "'"),
    ('\u{201c}', "left double quotation mark", "\""),
    ('\u{201d}', "right double quotation mark", "\""),
    ('\u{201e}', "low double quotation mark", "\""),
    ('\u{ab}', "left guillemet", "\""),
    ('\u{bb}', "right guillemet", "\""),
    ('\u{d7}', "multiplication sign", "*"),
    ('\u{f7}', "division sign", "/"),
    ('\u{2044}', "fraction slash", "/"),
    ('\u{2215}', "division slash", "/"),
    ('\u{37e}', "Greek question mark", ";"),
    ('\u{204f}', "reversed semicolon", ";"),
    ('\u{3001}', "ideographic comma", ","),
    ('\u{201a}', "low single quotation mark", ","),
    ('\u{3002}', "ideographic full stop", "."),
    ('\u{2024}', "one dot leader", "."),
    ('\u{b7}', "middle dot", "."),
    ('\u{a6}', "broken bar", "|"),
    ('\u{2223}', "divides sign", "|"),
];

/// Characters of full width, each with the ASCII character at its distance.
const FULL_WIDTH: std::ops::RangeInclusive<char> = '\u{ff01}'..='\u{ff5e}';

/// All ASCII characters that [`FULL_WIDTH`] has.
const ASCII: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// What a character is taken for; `None` if it looks like no character of PTX.
pub fn look_alike(character: char) -> Option<LookAlike> {
    if FULL_WIDTH.contains(&character) {
        let index = (u32::from(character) - u32::from(*FULL_WIDTH.start())) as usize;
        return Some(LookAlike { name: "full-width form", replacement: ASCII.get(index..=index)? });
    }
    let found = LOOK_ALIKES.iter().find(|(c, ..)| *c == character)?;
    Some(LookAlike { name: found.1, replacement: found.2 })
}

/// The message about such a character.
pub(super) fn message(character: char) -> Option<String> {
    let LookAlike { name, replacement } = look_alike(character)?;
    let code = u32::from(character);
    let article = if name.starts_with(['e', 'o', 'i', 'E', 'O', 'I']) { "an" } else { "a" };
    Some(match replacement {
        "" => format!("there is an invisible character here: {article} {name} (U+{code:04X})"),
        " " => format!("this is {article} {name} (U+{code:04X}), not a space"),
        "\n" => format!("this is {article} {name} (U+{code:04X}), not a line end"),
        ascii => format!("`{character}` is {article} {name} (U+{code:04X}), not `{ascii}`"),
    })
}

/// The help on such a character.
pub(super) fn help(character: char) -> Option<String> {
    Some(match look_alike(character)?.replacement {
        "" => "remove it; editors do not show it".to_owned(),
        " " => "write a space".to_owned(),
        "\n" => "write a line end".to_owned(),
        ascii => format!("write `{ascii}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::{ASCII, FULL_WIDTH, LOOK_ALIKES, look_alike};
    use crate::Code::SyntaxError;
    use crate::testing::{in_kernel, messages};

    #[test]
    fn they_are_named() {
        let of = |body: &str| {
            let found = in_kernel(SyntaxError, body);
            (messages(&found), found.first().and_then(|d| d.help()).unwrap_or_default())
        };
        let (message, help) = of("mov.u32\u{a0}%r1, 1;");
        assert_eq!(message, ["this is a no-break space (U+00A0), not a space"]);
        assert_eq!(help, "write a space");
        assert_eq!(of("mov.u32 %r1, \u{2013}1;").0, ["`\u{2013}` is an en dash (U+2013), not `-`"]);
        assert_eq!(of("mov.u32 %r1, 1\u{ff1b}").0, ["`\u{ff1b}` is a full-width form (U+FF1B), not `;`"]);
        assert_eq!(
            of("mov.u\u{200b}32 %r1, 1;").0,
            ["there is an invisible character here: a zero-width space (U+200B)"]
        );
    }

    #[test]
    fn the_table_has_each_character_once() {
        let mut all: Vec<char> = LOOK_ALIKES.iter().map(|row| row.0).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), LOOK_ALIKES.len());
        assert_eq!(FULL_WIDTH.count(), ASCII.len());
        assert_eq!(look_alike('\u{ff21}').map(|known| known.replacement), Some("A"));
        assert_eq!(look_alike('\u{e4}'), None);
    }
}

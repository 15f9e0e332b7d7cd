//! What may stand between the tokens of PTX. The fuzzer compiles this file too.

use ptx_syntax::trivia::{Extent, Trivia, opaque, trivia};

/// What may stand between two tokens: usual and unusual separators, whole and unfinished.
pub const SEPARATORS: &[&str] = &[
    "",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\r",
    "\r\r\n",
    "\u{b}",
    "\u{c}",
    "\u{feff}",
    "\0",
    "\\",
    "\\\n",
    "//\n",
    "// c\r\n",
    "// c\rmov.u32 %r1, %none;\n",
    "// c\r;\r\n",
    "// c\r\r\n",
    "// c\r/*\n",
    "// \"\n",
    "// c\\\n",
    "//",
    "/**/",
    "/* c */",
    "/* c\r\n */",
    "/* c\r */",
    "/* // */",
    "/* } ; \" */",
    "/*/ */",
    "/***/",
    "/*",
    "\n# 1 \"a.cu\"\n",
    "\n#line 1 \"a.cu\"\r\n",
    "\n# /*\n",
    "# c\\\n ret;\n",
    "\"",
    "\"\r",
    ";",
    "@_ ",
    "_",
    "\n.loc 1 2 3",
    "\n.loc 1 2 3\r",
    "L7:",
];

/// Replaces the separators at up to `most` places of a text, or inserts some there. `below` chooses a number below another one.
pub fn respaced(text: &str, most: usize, below: &mut impl FnMut(usize) -> usize) -> String {
    let mut gaps = Vec::new();
    let (bytes, mut at, mut in_word) = (text.as_bytes(), 0, false);
    while at < bytes.len() {
        let length = match trivia(&bytes[at..]) {
            Some((Trivia::White, extent)) => {
                gaps.push(at..at + extent.exact());
                in_word = false;
                extent.exact()
            }
            Some((_, extent)) => {
                gaps.push(at..at);
                extent.exact()
            }
            None => {
                let word = bytes[at].is_ascii_alphanumeric() || bytes[at] >= 0x80;
                if !(word && in_word) {
                    gaps.push(at..at);
                }
                in_word = word;
                opaque(&bytes[at..]).map_or(1, Extent::exact)
            }
        };
        at += length;
    }
    let mut chosen: Vec<_> = (0..below(most + 1)).filter_map(|_| gaps.get(below(gaps.len())).cloned()).collect();
    chosen.sort_by_key(|gap| gap.start);
    chosen.dedup_by_key(|gap| gap.start);
    let (mut out, mut end) = (String::with_capacity(text.len() + 64), 0);
    for gap in chosen {
        let (Some(before), true) = (text.get(end..gap.start), text.is_char_boundary(gap.end)) else { continue };
        out.push_str(before);
        out.push_str(SEPARATORS[below(SEPARATORS.len())]);
        end = gap.end;
    }
    out.push_str(text.get(end..).unwrap_or(""));
    out
}

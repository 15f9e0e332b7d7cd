//! Launches in separate files: TOML or JSON with the same keys.
//!
//! The keys are `entry grid block cluster shared params globals`. `buffers` contains memory that belongs to no parameter.
//! `expect` contains expectations as written above kernels, in one string or a list of strings. A file with several launches
//! begins each with `[[launch]]`. A quoted argument is read as in a `launch:` line: `x = "f32[64]:iota"`.

use super::tree::{self, LaunchEntry, LaunchNode, LaunchValue};
use ptx_launch_syntax::{
    Argument, Buffer, BufferContents, Field, Fill, Launch, LaunchMistake, NamedArgument, argument, dimensions,
    expectations, fill, hexadecimal, is_name, unknown_element,
};
use ptx_num::notation::{ElementFormat, Number};
use std::ops::Range;
use std::path::Path;

/// The languages of launch files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

impl Language {
    /// Returns the language by the file's name: JSON for `.json`, otherwise TOML.
    pub fn of(path: &Path) -> Self {
        let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        if json { Self::Json } else { Self::Toml }
    }
}

/// The keys of a launch.
const KEYS: [&str; 9] = ["entry", "grid", "block", "cluster", "shared", "params", "globals", "buffers", "expect"];

/// Returns the launches of a file and the mistakes in it. A missing `entry` is empty. Values that are not understood are
/// omitted and reported.
pub fn launches(text: &str, language: Language) -> (Vec<Launch>, Vec<LaunchMistake>) {
    let (entries, mut mistakes) = match language {
        Language::Toml => tree::toml(text),
        Language::Json => match tree::json(text) {
            Ok(LaunchNode { value: LaunchValue::Table(entries), .. }) => (entries, Vec::new()),
            Ok(LaunchNode { value: LaunchValue::List(all), .. }) => {
                let node = LaunchNode { value: LaunchValue::List(all), range: 0..0 };
                (vec![LaunchEntry { key: "launch".into(), key_range: 0..0, node }], Vec::new())
            }
            Ok(node) => (
                Vec::new(),
                vec![LaunchMistake::new(0..0, format!("expected a table of keys, but found {}", node.kind()))],
            ),
            Err(mistake) => (Vec::new(), vec![mistake]),
        },
    };
    if !mistakes.is_empty() {
        return (Vec::new(), mistakes);
    }
    let mut reader = LaunchFileReader { text, mistakes: Vec::new() };
    let mut out = Vec::new();
    let (several, own): (Vec<LaunchEntry>, Vec<LaunchEntry>) = entries.into_iter().partition(|e| e.key == "launch");
    if several.is_empty() || !own.is_empty() {
        out.push(reader.launch(own));
    }
    for entry in several {
        match entry.node.value {
            LaunchValue::List(all) => {
                for node in all {
                    match node.value {
                        LaunchValue::Table(entries) => out.push(reader.launch(entries)),
                        _ => reader.complain(&node.range, &format!("expected a launch, but found {}", node.kind())),
                    }
                }
            }
            LaunchValue::Table(entries) => out.push(reader.launch(entries)),
            _ => reader.complain(&entry.node.range, "`launch` is a list of launches: write `[[launch]]`"),
        }
    }
    mistakes.append(&mut reader.mistakes);
    mistakes.sort_by_key(|m| m.range.start);
    (out, mistakes)
}

struct LaunchFileReader<'t> {
    text: &'t str,
    mistakes: Vec<LaunchMistake>,
}

impl LaunchFileReader<'_> {
    fn complain(&mut self, range: &Range<usize>, words: &str) {
        self.mistakes.push(LaunchMistake::new(range.clone(), words));
    }

    /// Returns the offset of a string's text, if the text between the quotes contains no escapes.
    fn inside(&self, text: &str, range: &Range<usize>) -> Option<usize> {
        let raw = self.text.get(range.start + 1..range.end.checked_sub(1)?)?;
        (raw == text).then_some(range.start + 1)
    }

    /// Reads a string with the syntax of launch lines; mistakes in it are marked in the file.
    fn read<T>(
        &self,
        text: &str,
        range: &Range<usize>,
        read: impl FnOnce(&str, usize) -> T,
        moved: impl FnOnce(&mut T, &Range<usize>),
    ) -> T {
        match self.inside(text, range) {
            Some(base) => read(text, base),
            None => {
                let mut out = read(text, 0);
                moved(&mut out, range);
                out
            }
        }
    }

    fn launch(&mut self, entries: Vec<LaunchEntry>) -> Launch {
        let mut out = Launch::default();
        for LaunchEntry { key, key_range, node } in entries {
            match key.as_str() {
                "entry" => match &node.value {
                    LaunchValue::Text(name) => out.entry = name.as_str().into(),
                    _ => self.complain(&node.range, &format!("`entry` is the name of a kernel, not {}", node.kind())),
                },
                "grid" => out.grid = self.size(&node, "grid"),
                "block" => out.block = self.size(&node, "block"),
                "cluster" => out.cluster = self.size(&node, "cluster"),
                "shared" => match number(&node).and_then(Number::count).and_then(|n| u32::try_from(n).ok()) {
                    Some(bytes) => out.shared = Some(bytes),
                    None => self.complain(&node.range, &format!("`shared` is a number of bytes, not {}", node.kind())),
                },
                "params" => out.parameters = self.arguments(node, true),
                "globals" => out.globals = self.arguments(node, false),
                "buffers" => out.buffers = self.arguments(node, false),
                "expect" => self.expect(&node, &mut out),
                _ => {
                    let words = format!("`{key}` is not a key of a launch");
                    self.mistakes
                        .push(LaunchMistake::new(key_range, words).help(format!("there are {}", quoted(&KEYS))));
                }
            }
        }
        out
    }

    fn size(&mut self, node: &LaunchNode, name: &str) -> Option<[u32; 3]> {
        let text = match &node.value {
            LaunchValue::Number(text) | LaunchValue::Text(text) => Some(text.clone()),
            LaunchValue::List(all) => {
                let texts: Option<Vec<&str>> = all
                    .iter()
                    .map(|n| match &n.value {
                        LaunchValue::Number(text) => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                texts.map(|t| t.join(","))
            }
            _ => None,
        };
        let Some(text) = text else {
            self.complain(&node.range, &format!("`{name}` is one to three numbers, not {}", node.kind()));
            return None;
        };
        let read = dimensions(&text, 0, name);
        read.map_err(|m| self.mistakes.push(LaunchMistake { range: node.range.clone(), ..m })).ok()
    }

    fn expect(&mut self, node: &LaunchNode, out: &mut Launch) {
        match &node.value {
            LaunchValue::Text(text) => {
                let (mut found, mistakes) = self.read(text, &node.range, expectations, |(found, mistakes), range| {
                    found.iter_mut().for_each(|e| e.range = range.clone());
                    mistakes.iter_mut().for_each(|m| m.range = range.clone());
                });
                out.expectations.append(&mut found);
                self.mistakes.extend(mistakes);
            }
            LaunchValue::List(all) => all.iter().for_each(|node| self.expect(node, out)),
            _ => self.complain(&node.range, &format!("`expect` is a string or a list of them, not {}", node.kind())),
        }
    }

    fn arguments(&mut self, node: LaunchNode, parameters: bool) -> Vec<NamedArgument> {
        let LaunchValue::Table(entries) = node.value else {
            self.complain(&node.range, &format!("expected a table of names, but found {}", node.kind()));
            return Vec::new();
        };
        let mut out = Vec::new();
        for LaunchEntry { key, key_range, node } in entries {
            let (name, offset) = match key.split_once('+').filter(|_| parameters) {
                Some((name, offset)) => match offset.trim().parse() {
                    Ok(offset) => (name.trim(), Some(offset)),
                    Err(_) => {
                        self.complain(&key_range, &format!("`{offset}` is not a number of bytes"));
                        continue;
                    }
                },
                None => (key.as_str(), None),
            };
            if !is_name(name) {
                self.complain(&key_range, &format!("`{name}` cannot be the name of a parameter, variable or buffer"));
                continue;
            }
            let known = !key_range.is_empty();
            let range = if known { key_range.start..node.range.end.max(key_range.end) } else { 0..0 };
            match self.argument(&node) {
                Ok(argument) => out.push(NamedArgument { offset, range, ..NamedArgument::new(name, argument) }),
                Err(mistake) if known => self.mistakes.push(mistake),
                // JSON has no positions, so the message must name the key.
                Err(mistake) => {
                    self.mistakes.push(LaunchMistake { message: format!("`{key}`: {}", mistake.message), ..mistake })
                }
            }
        }
        out
    }

    fn argument(&self, node: &LaunchNode) -> Result<Argument, LaunchMistake> {
        let wrong = |words: &str| LaunchMistake::new(node.range.clone(), words);
        match &node.value {
            LaunchValue::Number(_) => {
                let number = number(node).ok_or_else(|| wrong("this is not a valid number for a launch"))?;
                Ok(Argument::Number(None, number))
            }
            LaunchValue::Text(text) => self.read(text, &node.range, argument, |out, range| {
                if let Err(mistake) = out {
                    mistake.range = range.clone();
                }
            }),
            LaunchValue::Table(entries) => self.table(entries, node),
            LaunchValue::List(_) => {
                Err(wrong("the type of the list's elements is missing")
                    .help("write `{ type = \"f32\", values = [1, 2] }`"))
            }
            _ => Err(wrong(&format!("expected a number, a string or a table, but found {}", node.kind()))),
        }
    }

    fn table(&self, entries: &[LaunchEntry], node: &LaunchNode) -> Result<Argument, LaunchMistake> {
        let get = |key: &str| entries.iter().find(|e| e.key == key).map(|e| &e.node);
        if ["image", "sampler", "tensor_map"].iter().any(|key| get(key).is_some()) {
            let fields = entries.iter().map(|e| Ok((e.key.clone(), field(&e.node)?)));
            return fields.collect::<Result<_, _>>().map(Argument::Table);
        }
        const KEYS: [&str; 10] =
            ["type", "len", "bytes", "fill", "values", "hex", "file", "value", "address", "offset"];
        if let Some(entry) = entries.iter().find(|e| !KEYS.contains(&e.key.as_str())) {
            let words = format!("`{}` is not a key of a parameter", entry.key);
            let range = if entry.key_range.is_empty() { node.range.clone() } else { entry.key_range.clone() };
            return Err(
                LaunchMistake::new(range, words).help(format!("the keys are {}, and those of images", quoted(&KEYS)))
            );
        }
        let wrong = |words: &str| LaunchMistake::new(node.range.clone(), words);
        let string = |key: &str| match get(key).map(|n| (&n.value, n)) {
            None => Ok(None),
            Some((LaunchValue::Text(text), node)) => Ok(Some((text.as_str(), node.range.clone()))),
            Some((_, node)) => {
                Err(LaunchMistake::new(node.range.clone(), format!("`{key}` is a string, not {}", node.kind())))
            }
        };
        let count = |key: &str| match get(key) {
            None => Ok(None),
            Some(node) => number(node).and_then(Number::count).map(Some).ok_or_else(|| {
                LaunchMistake::new(node.range.clone(), format!("`{key}` must be a non-negative whole number"))
            }),
        };
        let element = match string("type")? {
            Some((name, range)) => Some(ElementFormat::named(name).ok_or_else(|| unknown_element(name, range))?),
            None => None,
        };
        if let Some((name, _)) = string("address")? {
            let offset = get("offset").map_or(Some((false, 0)), |n| number(n).and_then(Number::whole));
            let (negative, distance) = offset.ok_or_else(|| wrong("`offset` is a whole number of bytes"))?;
            let distance = i64::try_from(distance).map_err(|_| wrong("`offset` is too large"))?;
            return Ok(Argument::Address(name.into(), if negative { -distance } else { distance }));
        }
        if let Some(node) = get("value") {
            let value = number(node).ok_or_else(|| LaunchMistake::new(node.range.clone(), "`value` is a number"))?;
            return Ok(Argument::Number(element, value));
        }
        let length = match (count("len")?, count("bytes")?) {
            (Some(_), Some(_)) => return Err(wrong("a buffer takes `len` (elements) or `bytes`, not both")),
            (Some(length), None) => Some(length),
            (None, Some(bytes)) => Some(element.unwrap_or(ElementFormat::byte()).count(bytes)),
            (None, None) => None,
        };
        let contents =
            [string("fill")?.is_some(), get("values").is_some(), get("hex").is_some(), get("file").is_some()];
        if contents.iter().filter(|c| **c).count() != 1 {
            return Err(wrong("a buffer takes only one of `fill`, `values`, `hex` and `file`")
                .help("such as `{ type = \"f32\", len = 64, fill = \"zero\" }`"));
        }
        let buffer = |element: ElementFormat, contents| Argument::Buffer(Buffer { element, length, contents });
        let typed = || element.ok_or_else(|| wrong("the buffer has no `type`").help("such as `type = \"f32\"`"));
        if let Some((text, range)) = string("fill")? {
            let fill = self.read(text, &range, fill, |out, range| {
                if let Err(mistake) = out {
                    mistake.range = range.clone();
                }
            })?;
            let element = match fill {
                Fill::Zero | Fill::Poison => element.unwrap_or(ElementFormat::byte()),
                _ => typed()?,
            };
            if let Some(why) = fill.mistake(element) {
                return Err(LaunchMistake::new(range, why));
            }
            if length.is_none() {
                return Err(wrong("the buffer has no length").help("write how many elements it has: `len = 64`"));
            }
            return Ok(buffer(element, BufferContents::Fill(fill)));
        }
        if let Some(node) = get("values") {
            let LaunchValue::List(all) = &node.value else {
                return Err(LaunchMistake::new(node.range.clone(), format!("`values` is a list, not {}", node.kind())));
            };
            let element = typed()?;
            let values = all.iter().map(|node| {
                let wrong = |why: String| LaunchMistake::new(node.range.clone(), why);
                let value =
                    number(node).ok_or_else(|| wrong(format!("expected a number, but found {}", node.kind())))?;
                value.encode(element).map_err(wrong)?;
                Ok(value)
            });
            return Ok(buffer(element, BufferContents::Elements(values.collect::<Result<_, _>>()?)));
        }
        let element = element.unwrap_or(ElementFormat::byte());
        if let Some((digits, range)) = string("hex")? {
            let bytes = hexadecimal(digits).map_err(|why| LaunchMistake::new(range, why))?;
            return Ok(buffer(element, BufferContents::Bytes(bytes)));
        }
        let (path, _) = string("file")?.ok_or_else(|| wrong("a buffer needs contents"))?;
        Ok(buffer(element, BufferContents::File(path.into())))
    }
}

/// Reads a number. Strings may contain numbers that the file's language lacks: `0f3F800000`, `nan`.
fn number(node: &LaunchNode) -> Option<Number> {
    let (LaunchValue::Number(text) | LaunchValue::Text(text)) = &node.value else { return None };
    Number::parse(text).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
}

fn field(node: &LaunchNode) -> Result<Field, LaunchMistake> {
    match &node.value {
        LaunchValue::Text(text) => Ok(Field::Text(text.clone())),
        LaunchValue::Truth(value) => Ok(Field::Truth(*value)),
        LaunchValue::List(all) => all.iter().map(field).collect::<Result<_, _>>().map(Field::List),
        LaunchValue::Number(text) => match text.parse() {
            Ok(whole) => Ok(Field::Integer(whole)),
            Err(_) => {
                let number = number(node).map(Number::value);
                number.map(Field::Number).ok_or_else(|| LaunchMistake::new(node.range.clone(), "this is not a number"))
            }
        },
        LaunchValue::Table(_) | LaunchValue::Other(_) => {
            Err(LaunchMistake::new(node.range.clone(), format!("expected a value, but found {}", node.kind())))
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Language, launches};
    use std::fmt::Write;

    fn read(text: &str, language: Language) -> String {
        let (launches, mistakes) = launches(text, language);
        let mut out = String::new();
        for launch in launches {
            let _ = write!(out, "{}: {}", launch.entry, launch.text().replace("//! ", ""));
        }
        for mistake in mistakes {
            let marked = text.get(mistake.range.clone()).unwrap_or("?");
            let _ = writeln!(out, "`{marked}`: {}", mistake.message);
            let _ = mistake.help.iter().try_for_each(|help| writeln!(out, "    {help}"));
        }
        out
    }

    const EXAMPLE: &str = r#"
entry = "saxpy"
grid  = [1]
block = [64]
cluster = [1]
shared = 0
expect = ["out[3]=6.0 out[63]=126.0 ±1e-6", "x=iota"]
[params]
n   = 64
a   = 2.0
x   = { type = "f32", len = 64, fill = "iota" }
y   = { hex = "0000803f0000004000004040" }
out = { bytes = 256, fill = "zero" }
v   = { type = "bf16", values = [1, -0.5, nan] }
w   = "f32[4]:const(0x3f800000)"
p   = { address = "x", offset = -4 }
h   = { type = "f16", value = 1.5 }
"s+8" = "&x"
big = 0xffff_ffff
img = { image = "2d", size = [4, 2], format = "f32", fill = "iota(1, 2)", normalized = true, lod_bias = 0.5 }
bin = { file = "input.bin" }
[buffers]
raw = "u8[4]:zero"
[globals]
table = { type = "f32", values = [1] }
"#;

    #[test]
    fn the_example_of_the_contract() {
        let expected = "saxpy: launch: grid=1 block=64 cluster=1 shared=0 n=64 a=2.0 x=f32[64]:iota \
            y=b8:hex(0000803f0000004000004040) out=b8[256]:zero v=bf16:[1,-0.5,nan] w=f32[4]:const(0x3f800000) p=&x-4 h=f16:1.5 \
            s+8=&x big=0xffffffff img={image=2d size=[4,2] format=f32 fill=\"iota(1, 2)\" normalized=true lod_bias=0.5} \
            bin=b8:file(\"input.bin\")\nglobals: table=f32:[1]\nbuffers: raw=u8[4]:zero\nexpect: out[3]=6.0±1e-6 out[63]=126.0±1e-6 x=iota\n";
        assert_eq!(read(EXAMPLE, Language::Toml), expected);
    }

    #[test]
    fn json_has_the_same_keys() {
        let text = r#"{"entry": "k", "grid": [2, 3], "block": 64, "params": {"a": 18446744073709551615, "b": -2.5,
            "x": {"type": "f32", "len": 4, "fill": "const(1)"}, "y": "u8:[1, 2]"}, "expect": "x[0]=1"}"#;
        let expected =
            "k: launch: grid=2,3 block=64 a=18446744073709551615 b=-2.5 x=f32[4]:const(1) y=u8:[1,2]\nexpect: x[0]=1\n";
        assert_eq!(read(text, Language::Json), expected);
        let several = r#"[{"entry": "a"}, {"entry": "b", "params": {"n": true}}]"#;
        let expected =
            "a: launch:\nb: launch:\n``: `n`: expected a number, a string or a table, but found true or false\n";
        assert_eq!(read(several, Language::Json), expected);
        assert_eq!(read("{\n \"a\": }", Language::Json), "``: expected value at line 2 column 7\n");
        assert_eq!(read("3", Language::Json), "``: expected a table of keys, but found a number\n");
    }

    #[test]
    fn several_launches_in_a_file() {
        let text = "[[launch]]\nentry = \"a\"\n[[launch]]\nentry = \"b\"\n[launch.params]\nn = 1\n";
        assert_eq!(read(text, Language::Toml), "a: launch:\nb: launch: n=1\n");
    }

    #[test]
    fn mistakes_are_marked() {
        for (text, expected) in [
            ("grid = 1.5", "`1.5`: expected a whole number, but found `1.5`\n"),
            ("grid = \"x\"", "`\"x\"`: expected a whole number, but found `x`\n"),
            ("grids = 1", "`grids`: `grids` is not a key of a launch\n    there are `entry`, `grid`"),
            ("entry = 1", "`1`: `entry` is the name of a kernel, not a number\n"),
            ("shared = -1", "`-1`: `shared` is a number of bytes, not a number\n"),
            ("expect = \"out[0]=\"", "`=`: expected a fill"),
            ("expect = \"out[0]\\u003d\"", "`\"out[0]\\u003d\"`: expected a fill"),
            (
                "[params]\n\"\u{fffd}+8\" = 1",
                "`\"\u{fffd}+8\"`: `\u{fffd}` cannot be the name of a parameter, variable or buffer\n",
            ),
            ("params = 3", "`3`: expected a table of names, but found a number\n"),
            ("[params]\nx = [1, 2]", "`[1, 2]`: the type of the list's elements is missing\n"),
            ("[params]\nx = \"f33[4]:iota\"", "`f33`: `f33` is not a type of elements\n    did you mean `f32`?\n"),
            ("[params]\nx = { type = \"f33\" }", "`\"f33\"`: `f33` is not a type of elements\n"),
            (
                "[params]\nx = { type = \"f32\", fill = \"iota\" }",
                "`{ type = \"f32\", fill = \"iota\" }`: the buffer has no length\n",
            ),
            (
                "[params]\nx = { fill = \"iota\", len = 3 }",
                "`{ fill = \"iota\", len = 3 }`: the buffer has no `type`\n",
            ),
            (
                "[params]\nx = { type = \"u8\", len = 3, fill = \"iot\" }",
                "`iot`: expected a fill, but found `iot`\n    did you mean `iota`?\n",
            ),
            ("[params]\nx = { type = \"u8\", values = [300] }", "`300`: `300` does not fit into `u8`\n"),
            (
                "[params]\nx = { type = \"u8\", values = [1], hex = \"00\" }",
                "`{ type = \"u8\", values = [1], hex = \"00\" }`: a buffer takes only one of",
            ),
            ("[params]\nx = { colour = 1 }", "`colour`: `colour` is not a key of a parameter\n"),
            ("[params]\nx = 1979-05-27", "`1979-05-27`: expected a number, a string or a table, but found a date\n"),
            ("[params]\n\"x+y\" = 1", "`\"x+y\"`: `y` is not a number of bytes\n"),
            ("x = ", "``: "),
        ] {
            let seen = read(text, Language::Toml);
            let seen = seen.split_once("launch:\n").map_or(seen.as_str(), |(_, rest)| rest);
            let seen = seen.trim_start_matches(": launch:");
            assert!(seen.trim_start().starts_with(expected), "{text}\n{seen}");
        }
    }
}

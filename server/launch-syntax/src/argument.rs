//! Parser for the arguments of `launch:`, `params:`, `globals:` and `buffers:` lines.

use super::cursor::{Cursor, CursorResult};
use super::fill::{Fill, SPELLINGS};
use super::launch::{Argument, Buffer, BufferContents, Field, Keyword, Launch, NamedArgument, SIZES};
use super::mistake::{LaunchMistake, list, nearest};
use ptx_num::notation::{ElementFormat, Number};
use std::ops::Range;

/// After this many errors the rest of a line is not parsed.
const MAX_MISTAKES: usize = 100;

/// Parses all `key=value` items of a line into a launch. Continues after errors and returns all of them.
pub(super) fn arguments(text: &str, base: usize, line: Keyword, launch: &mut Launch) -> Vec<LaunchMistake> {
    let mut cursor = Cursor::new(text, base);
    let mut mistakes = Vec::new();
    loop {
        cursor.spaces();
        if cursor.is_done() || mistakes.len() >= MAX_MISTAKES {
            return mistakes;
        }
        let mut ahead = cursor.clone();
        let item = ahead.item();
        if let Err(mistake) = one(&mut cursor, line, launch) {
            mistakes.push(mistake);
            // An unclosed bracket extends to the end of the line.
            cursor = if item.is_empty() { Cursor::new("", 0) } else { ahead };
        }
    }
}

fn one(cursor: &mut Cursor<'_>, line: Keyword, launch: &mut Launch) -> CursorResult<()> {
    let start = cursor.offset();
    let whole = cursor.here();
    let name = cursor.word();
    if name.is_empty() {
        return Err(cursor.expected("`name=value`").help(format!("such as {}", list(["n=64", "x=f32[64]:iota"]))));
    }
    let offset = if cursor.eat("+") { Some(cursor.product()?) } else { None };
    cursor.spaces();
    if !cursor.eat("=") {
        let found = cursor.found();
        return Err(LaunchMistake::new(whole, format!("expected `=` after `{name}`, but {found}"))
            .help("a launch consists of `name=value` items, with spaces only between items and in brackets"));
    }
    cursor.spaces();
    let repeated =
        |range: Range<usize>| LaunchMistake::new(range, format!("`{name}` is given twice")).help("keep one of them");
    if line == Keyword::Launch && offset.is_none() && SIZES.contains(&name) {
        if name == "shared" {
            let value = cursor.product()?;
            end(cursor)?;
            let size = u32::try_from(value).map_err(|_| {
                LaunchMistake::new(
                    cursor.since(start),
                    format!("`shared` is a number of bytes, and {value} is too large"),
                )
            })?;
            return if launch.shared.replace(size).is_some() { Err(repeated(cursor.since(start))) } else { Ok(()) };
        }
        let size = sizes(cursor, name)?;
        end(cursor)?;
        let place = match name {
            "grid" => &mut launch.grid,
            "block" => &mut launch.block,
            _ => &mut launch.cluster,
        };
        return if place.replace(size).is_some() { Err(repeated(cursor.since(start))) } else { Ok(()) };
    }
    let argument = value(cursor)?;
    end(cursor)?;
    let range = cursor.since(start);
    let all = match line {
        Keyword::Globals => &mut launch.globals,
        Keyword::Buffers => &mut launch.buffers,
        Keyword::Launch | Keyword::Parameters | Keyword::Expect => &mut launch.parameters,
    };
    if all.iter().any(|g| &*g.name == name && g.offset == offset) {
        return Err(repeated(range));
    }
    if all.len() >= MAX_NAMES {
        return Err(LaunchMistake::new(range, format!("a launch names at most {MAX_NAMES} things of each kind"))
            .help("a kernel has fewer parameters than that; large arrays are read from `file(…)`"));
    }
    all.push(NamedArgument { name: name.into(), offset, argument, range });
    Ok(())
}

/// Maximum number of arguments per list. Kernels have fewer parameters, which take at most 32,764 bytes. The limit exists because names are
/// compared pairwise.
const MAX_NAMES: usize = 10_000;

/// Checks that a value is followed by a space or the end of the line.
pub(super) fn end(cursor: &Cursor<'_>) -> CursorResult<()> {
    match cursor.rest().chars().next() {
        Some(c) if !c.is_whitespace() => Err(cursor
            .expected("a space before the next `name=value`")
            .help("spaces separate the arguments of a launch")),
        _ => Ok(()),
    }
}

/// Parses one to three sizes: `2`, `2,2`, `[2, 2, 1]`.
fn sizes(cursor: &mut Cursor<'_>, name: &str) -> CursorResult<[u32; 3]> {
    let start = cursor.offset();
    let close = if cursor.eat("[") {
        Some("]")
    } else if cursor.eat("(") {
        Some(")")
    } else {
        None
    };
    let numbers = match close {
        Some(close) => cursor.items(close, false, Cursor::product)?,
        None => {
            let mut numbers = vec![cursor.product()?];
            while cursor.eat(",") {
                numbers.push(cursor.product()?);
            }
            numbers
        }
    };
    three(&numbers, name, cursor.since(start))
}

fn three(numbers: &[u64], name: &str, range: Range<usize>) -> CursorResult<[u32; 3]> {
    let mut out = [1; 3];
    let words =
        |why: String| LaunchMistake::new(range.clone(), why).help(format!("such as `{name}=64` or `{name}=16,8`"));
    if numbers.is_empty() || numbers.len() > 3 {
        return Err(words(format!("`{name}` has one to three dimensions, not {}", numbers.len())));
    }
    for (to, from) in out.iter_mut().zip(numbers) {
        *to = u32::try_from(*from)
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(|| words(format!("a dimension of `{name}` is 1 to {}, not {from}", u32::MAX)))?;
    }
    Ok(out)
}

/// Parses sizes alone, such as the text `2,2`. `base` is the offset of the text in the file.
///
/// # Errors
/// If the text is not one to three sizes.
pub fn dimensions(text: &str, base: usize, name: &str) -> Result<[u32; 3], LaunchMistake> {
    let mut cursor = Cursor::new(text, base);
    cursor.spaces();
    let out = sizes(&mut cursor, name)?;
    nothing_more(&mut cursor)?;
    Ok(out)
}

fn nothing_more(cursor: &mut Cursor<'_>) -> CursorResult<()> {
    cursor.spaces();
    if cursor.is_done() { Ok(()) } else { Err(cursor.expected("nothing more")) }
}

/// Parses a single argument, such as the text `f32[64]:iota`. `base` is the offset of the text in the file.
///
/// # Errors
/// If the text is not an argument.
pub fn argument(text: &str, base: usize) -> Result<Argument, LaunchMistake> {
    let mut cursor = Cursor::new(text, base);
    cursor.spaces();
    let out = value(&mut cursor)?;
    nothing_more(&mut cursor)?;
    Ok(out)
}

/// Parses a single fill, such as the text `iota(1, 2)`. `base` is the offset of the text in the file.
///
/// # Errors
/// If the text is not a fill.
pub fn fill(text: &str, base: usize) -> Result<Fill, LaunchMistake> {
    let mut cursor = Cursor::new(text, base);
    cursor.spaces();
    let out = read_fill(&mut cursor)?;
    nothing_more(&mut cursor)?;
    Ok(out)
}

fn value(cursor: &mut Cursor<'_>) -> CursorResult<Argument> {
    let start = cursor.offset();
    if cursor.eat("&") {
        let name = cursor.word();
        if name.is_empty() {
            return Err(cursor.expected("the name of a buffer, a variable or a function after `&`"));
        }
        let sign = if cursor.eat("+") {
            1
        } else if cursor.eat("-") {
            -1
        } else {
            0
        };
        let offset = if sign == 0 { 0 } else { i64::try_from(cursor.product()?).unwrap_or(i64::MAX) };
        return Ok(Argument::Address(name.into(), sign * offset));
    }
    if cursor.eat("{") {
        return cursor.items("}", true, field).map(Argument::Table);
    }
    if let Some(number) = cursor.number() {
        return Ok(Argument::Number(None, number));
    }
    if cursor.rest().starts_with('[') {
        let range = cursor.here();
        return Err(LaunchMistake::new(range, "the type of the list's elements is missing")
            .help("write the type before it: `f32:[1, 2]`"));
    }
    let mut ahead = cursor.clone();
    let word = ahead.word();
    if !ahead.rest().starts_with(['[', ':']) {
        // Bytes without a type.
        if let Some(contents) = bytes_or_file(cursor)? {
            return Ok(Argument::Buffer(Buffer { element: ElementFormat::byte(), length: None, contents }));
        }
        let wrong = cursor.expected("a number, or a buffer such as `f32[64]:zero`");
        return Err(match SPELLINGS.iter().find(|(name, _)| *name == word) {
            Some(_) => wrong.help(format!("a fill needs a type and a length: `f32[64]:{word}`")),
            None => wrong,
        });
    }
    let element = read_element(cursor)?;
    let length = if cursor.eat("[") {
        let length = cursor.product()?;
        cursor.need("]")?;
        Some(length)
    } else {
        None
    };
    if !cursor.eat(":") {
        let what = cursor.since(start);
        return Err(LaunchMistake::new(what, format!("expected the contents of `{word}[…]`, but {}", cursor.found()))
            .help(format!("write `{element}[{}]:zero`, or another fill", length.unwrap_or(1))));
    }
    let at = cursor.offset();
    let contents = match length {
        // Without a length, a number after the type is a number, not a fill.
        None if let Some(number) = cursor.number() => {
            number.encode(element).map_err(|why| LaunchMistake::new(cursor.since(at), why))?;
            return Ok(Argument::Number(Some(element), number));
        }
        _ => read_contents(cursor, element)?,
    };
    if length.is_none() && matches!(contents, BufferContents::Fill(_)) {
        return Err(LaunchMistake::new(cursor.since(start), "the buffer has no length")
            .help(format!("write how many elements it has: `{element}[64]:{}`", cursor.text_since(at))));
    }
    let buffer = Buffer { element, length, contents };
    fits(&buffer, cursor.since(start))?;
    Ok(Argument::Buffer(buffer))
}

/// Checks that the contents are not longer than the buffer.
pub fn fits(buffer: &Buffer, range: Range<usize>) -> CursorResult<()> {
    let Some(length) = buffer.length else { return Ok(()) };
    let too_long = |has: u64, what: &str| {
        LaunchMistake::new(
            range.clone(),
            format!("the buffer has room for {length} elements, but {has} {what} are given"),
        )
        .help("make it longer, or omit the length, which then follows from the contents")
    };
    match (&buffer.contents, buffer.element.bytes(length)) {
        (_, None) => Err(LaunchMistake::new(range, "the buffer is too large")),
        (BufferContents::Elements(all), _) if all.len() as u64 > length => Err(too_long(all.len() as u64, "elements")),
        (BufferContents::Bytes(all), Some(room)) if all.len() as u64 > room => Err(too_long(all.len() as u64, "bytes")),
        _ => Ok(()),
    }
}

/// Parses the name of an element format.
pub(super) fn read_element(cursor: &mut Cursor<'_>) -> CursorResult<ElementFormat> {
    let start = cursor.offset();
    let word = cursor.word();
    ElementFormat::named(word).ok_or_else(|| unknown_element(word, cursor.since(start)))
}

/// The error for an unknown element format, with the most similar name.
pub fn unknown_element(word: &str, range: Range<usize>) -> LaunchMistake {
    let wrong = LaunchMistake::new(range, format!("`{word}` is not a type of elements"));
    let packed = word.rsplit_once('x').filter(|(e, n)| ElementFormat::named(e).is_some() && n.parse::<u8>().is_ok());
    match (packed, nearest(word, ElementFormat::all().map(ElementFormat::name))) {
        (Some((element, n)), _) => wrong.help(format!("give single elements: `{element}`, {n} times as many")),
        (None, Some(near)) => wrong.help(format!("did you mean `{near}`?")),
        (None, None) => wrong.help(format!("there are {}", list(ElementFormat::all().map(ElementFormat::name)))),
    }
}

/// Parses `hex(…)` or `file(…)`, if the text is one.
fn bytes_or_file(cursor: &mut Cursor<'_>) -> CursorResult<Option<BufferContents>> {
    let start = cursor.offset();
    if cursor.eat("hex(") {
        let digits = cursor.take(|c| c != ')');
        let range = cursor.since(start);
        cursor.need(")")?;
        return hexadecimal(digits)
            .map(|b| Some(BufferContents::Bytes(b)))
            .map_err(|why| LaunchMistake::new(range, why));
    }
    if cursor.eat("file(") {
        let path =
            if cursor.rest().starts_with('"') { cursor.quoted()? } else { cursor.take(|c| c != ')').trim().to_owned() };
        cursor.need(")")?;
        return Ok(Some(BufferContents::File(path.into())));
    }
    Ok(None)
}

/// The bytes of hexadecimal digits, two per byte, in the order of memory. White space and `_` are ignored.
///
/// # Errors
/// A message, if there are other characters or an odd number of digits.
pub fn hexadecimal(digits: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(digits.len() / 2);
    let mut half = None;
    for c in digits.chars().filter(|c| !c.is_whitespace() && *c != '_') {
        let digit = c.to_digit(16).ok_or_else(|| format!("`{c}` is not a hexadecimal digit"))? as u8;
        match half.take() {
            None => half = Some(digit),
            Some(high) => out.push(high << 4 | digit),
        }
    }
    if half.is_some() {
        Err("a byte has two hexadecimal digits, but the last one has only one".to_owned())
    } else {
        Ok(out)
    }
}

fn read_contents(cursor: &mut Cursor<'_>, element: ElementFormat) -> CursorResult<BufferContents> {
    if let Some(contents) = bytes_or_file(cursor)? {
        return Ok(contents);
    }
    if cursor.eat("[") {
        return cursor.items("]", false, |c| element_of(c, element)).map(BufferContents::Elements);
    }
    let start = cursor.offset();
    let fill = read_fill(cursor)?;
    match fill.mistake(element) {
        Some(why) => Err(LaunchMistake::new(cursor.since(start), why)),
        None => Ok(BufferContents::Fill(fill)),
    }
}

/// Parses a number that an element format can store.
pub(super) fn element_of(cursor: &mut Cursor<'_>, element: ElementFormat) -> CursorResult<Number> {
    let start = cursor.offset();
    let number = cursor.need_number()?;
    match number.encode(element) {
        Ok(_) => Ok(number),
        Err(why) => Err(LaunchMistake::new(cursor.since(start), why)),
    }
}

/// Parses a fill; a number alone is a constant fill.
pub(super) fn read_fill(cursor: &mut Cursor<'_>) -> CursorResult<Fill> {
    let start = cursor.offset();
    let mut ahead = cursor.clone();
    let word = ahead.word();
    if !SPELLINGS.iter().any(|(name, _)| *name == word) {
        if let Some(number) = cursor.number() {
            return Ok(Fill::Const(number));
        }
        let wrong = cursor.expected("a fill");
        let all = || SPELLINGS.iter().map(|(name, arguments)| format!("{name}{arguments}")).collect::<Vec<_>>();
        return Err(match nearest(word, SPELLINGS.iter().map(|(name, _)| *name)) {
            Some(near) => wrong.help(format!("did you mean `{near}`?")),
            None => wrong.help(format!("there are {}", list(all().iter().map(String::as_str)))),
        });
    }
    *cursor = ahead;
    let mut seed = None;
    let mut numbers = Vec::new();
    if cursor.eat("(") {
        let arguments = cursor.items(")", false, |c| {
            c.spaces();
            let at = c.offset();
            let named = c.eat("seed");
            if named {
                c.need("=")?;
            }
            c.need_number().map(|number| (named, number, c.since(at)))
        })?;
        for (named, number, range) in arguments {
            if !named {
                numbers.push(number);
            } else if let Some(value) = number.count() {
                seed = Some(value);
            } else {
                return Err(LaunchMistake::new(range, format!("a seed is a whole number of 64 bits, not `{number}`")));
            }
        }
    }
    let range = cursor.since(start);
    let seeded = matches!(word, "uniform" | "normal");
    // The seed may also be the last of three numbers.
    if seeded && numbers.len() == 3 && seed.is_none() {
        seed = numbers.pop().and_then(Number::count);
    }
    if seed.is_some() && !seeded {
        return Err(LaunchMistake::new(range, format!("`{word}` has no seed")).help("`uniform` and `normal` have one"));
    }
    let seed = seed.unwrap_or(0);
    let fill = match (word, numbers.as_slice()) {
        ("zero", []) => Fill::Zero,
        ("nan", []) => Fill::Nan,
        ("poison", []) => Fill::Poison,
        ("iota", []) => Fill::IOTA,
        ("iota", [start]) => Fill::Iota { start: *start, step: Number::integer(1) },
        ("iota", [start, step]) => Fill::Iota { start: *start, step: *step },
        ("const", [value]) => Fill::Const(*value),
        ("uniform", []) => Fill::Uniform { bounds: None, seed },
        ("uniform", [low, high]) => Fill::Uniform { bounds: Some((*low, *high)), seed },
        ("normal", []) => Fill::Normal { mean: 0.0, deviation: 1.0, seed },
        ("normal", [mean, deviation]) => Fill::Normal { mean: mean.value(), deviation: deviation.value(), seed },
        _ => {
            let (_, takes) = SPELLINGS.iter().find(|(name, _)| *name == word).copied().unwrap_or_default();
            return Err(LaunchMistake::new(range, format!("wrong number of values for `{word}`: {}", numbers.len()))
                .help(format!("it is `{word}{takes}`")));
        }
    };
    Ok(fill)
}

/// Parses a `key=value` of a table.
fn field(cursor: &mut Cursor<'_>) -> CursorResult<(String, Field)> {
    let name = cursor.word();
    if name.is_empty() {
        return Err(cursor.expected("`key=value`"));
    }
    cursor.need("=")?;
    cursor.spaces();
    Ok((name.to_owned(), field_value(cursor)?))
}

fn field_value(cursor: &mut Cursor<'_>) -> CursorResult<Field> {
    if cursor.rest().starts_with('"') {
        return cursor.quoted().map(Field::Text);
    }
    if cursor.eat("[") {
        return cursor.items("]", false, |c| field_value(c)).map(Field::List);
    }
    // Names such as `2d` begin like numbers, so the complete word decides.
    let mut depth = 0;
    let start = cursor.clone();
    let word = cursor.take(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0 || c == ')' && depth == 0 || !(c.is_whitespace() || matches!(c, ',' | ']' | '}' | ')'))
    });
    match Number::parse(word).filter(|(_, length)| *length == word.len()) {
        _ if word.is_empty() => Err(start.expected("a value")),
        Some((number, _)) => Ok(match number.whole() {
            Some((negative, value)) if !matches!(number, Number::Float(_)) => {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                Field::Integer(if negative { -value } else { value })
            }
            _ => Field::Number(number.value()),
        }),
        None if word == "true" || word == "false" => Ok(Field::Truth(word == "true")),
        None => Ok(Field::Text(word.to_owned())),
    }
}

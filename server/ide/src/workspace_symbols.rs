//! Search for symbol names by a few of their letters.

/// How well a name matches the query: a higher number is better; `None` if it does not match. The name must contain the
/// letters in their order, ignoring case. The best match is the name itself, then its beginning, then the beginnings of its
/// words, then any part of it.
pub fn fitness(query: &str, name: &str) -> Option<u32> {
    let query: Vec<char> = query.chars().filter(|c| !c.is_whitespace()).collect();
    if query.is_empty() {
        return Some(0);
    }
    let name: Vec<char> = name.chars().collect();
    // The best position may not be the first one: `map` in `my_map`.
    (0..name.len()).filter(|at| same(name[*at], query[0])).filter_map(|at| score(&query, &name, at)).max()
}

fn same(a: char, b: char) -> bool {
    a.eq_ignore_ascii_case(&b)
}

/// Whether a word begins at an index: `tile` in `load_tile`, `loadTile`, `_Z9load_tile`.
fn begins(name: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|i| name[i]) else { return true };
    let here = name[at];
    !before.is_alphanumeric()
        || (before.is_lowercase() && here.is_uppercase())
        || (before.is_ascii_digit() != here.is_ascii_digit())
}

/// The score of matching the letters one by one, the first of them at index `first`.
fn score(query: &[char], name: &[char], first: usize) -> Option<u32> {
    let mut out = 0;
    let mut at = first;
    let mut last = None;
    for letter in query {
        let next = (at..name.len()).find(|i| same(name[*i], *letter))?;
        out += 1;
        out += u32::from(name[next] == *letter);
        out += 4 * u32::from(last.is_some_and(|l| l + 1 == next));
        out += 3 * u32::from(begins(name, next));
        last = Some(next);
        at = next + 1;
    }
    out += 8 * u32::from(first == 0);
    out += 16 * u32::from(first == 0 && query.len() == name.len());
    Some(out)
}

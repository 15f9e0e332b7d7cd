//! Fixes are what the author meant: lists of mistakes, each with the program that was meant.

use ptx_tests::meant::{MeantMistake, MeantResult, attempt, meaning_assembles, parse};
use std::fs;
use std::path::Path;

/// A list, and the share of its mistakes, in thousandths, whose first fix must be what was meant.
struct MeantList {
    name: &'static str,
    min_right: usize,
}

/// `reader.txt` has all kinds of mistakes, also those that leave open what was meant.
const LISTS: [MeantList; 3] = [
    MeantList { name: "tuned.txt", min_right: 900 },
    MeantList { name: "unseen.txt", min_right: 855 },
    MeantList { name: "reader.txt", min_right: 640 },
];

fn lists() -> Vec<(String, MeantMistake)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("meant");
    let mut out = Vec::new();
    for MeantList { name, .. } in LISTS {
        let list = fs::read_to_string(folder.join(name)).expect("a list");
        out.extend(parse(&list).into_iter().map(|mistake| (name.to_owned(), mistake)));
    }
    out
}

#[test]
fn the_first_fix_is_what_was_meant() {
    let all = lists();
    assert!(all.len() >= 400, "only {} mistakes", all.len());
    let results: Vec<(&(String, MeantMistake), MeantResult)> = all.iter().map(|m| (m, attempt(&m.1))).collect();
    let astray: Vec<String> = results
        .iter()
        .flat_map(|((list, mistake), result)| {
            result.astray().map(move |fix| format!("{list}:{}: {} leads to {}", mistake.line, fix.title, fix.text))
        })
        .collect();
    assert_eq!(astray, Vec::<String>::new(), "fixes that assemble and do something else");
    for MeantList { name, min_right } in LISTS {
        let of_list: Vec<_> = results.iter().filter(|((list, _), _)| list == name).collect();
        let right = of_list.iter().filter(|(_, result)| result.first_is_meant()).count();
        assert!(right * 1000 >= of_list.len() * min_right, "{name}: {right} of {}", of_list.len());
    }
}

/// A list that is wrong itself measures nothing.
#[test]
fn what_was_meant_assembles_and_what_was_written_does_not() {
    let mut wrong = Vec::new();
    for (list, mistake) in lists() {
        let place = format!("{list}:{}: {}", mistake.line, mistake.wrong);
        if attempt(&mistake).errors.is_empty() {
            wrong.push(format!("{place} is no mistake"));
        }
        if !mistake.meant[0].contains('*') && !meaning_assembles(&mistake) {
            wrong.push(format!("{place}: `{}` has errors", mistake.meant[0]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Each error of an illegal combination says what to do.
#[test]
fn illegal_combinations_have_advice() {
    for (list, mistake) in lists() {
        for error in attempt(&mistake).errors {
            let silent = error.code() == ptx_check::Code::IllegalCombination && error.help().is_none();
            assert!(!silent, "{list}:{}: {}", mistake.line, error.message());
        }
    }
}

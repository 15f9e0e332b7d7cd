//! Diagnostics that appear temporarily while a kernel is typed. `cargo run -p ptx-tests --example typing` counts them
//! for all kernels.

use ptx_tests::typing::{Counts, Editor, Mode, declares, instructs, lines, retype_line, type_whole};
use std::time::Duration;

fn kernel(name: &str) -> String {
    let path = format!("{}/kernels/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a kernel")
}

fn retyped(text: &str, wanted: fn(&str) -> bool, every: usize) -> Counts {
    let mut out = Counts::default();
    for line in lines(text).filter(|line| wanted(&text[line.clone()])).step_by(every) {
        out += retype_line(text, line, true);
    }
    out
}

#[test]
fn a_line_that_is_typed_again_shows_errors_on_no_other_line() {
    let mut instructions = Counts::default();
    let mut declarations = Counts::default();
    for name in ["saxpy", "cp_async_pipeline"] {
        instructions += retyped(&kernel(name), instructs, 7);
        declarations += retyped(&kernel(name), declares, 3);
    }
    assert!(instructions.states > 100 && declarations.states > 100);
    assert!(instructions.share_elsewhere() <= 0.3, "{instructions:?}");
    assert!(declarations.share_elsewhere() <= 5.0, "{declarations:?}");
}

#[test]
fn a_kernel_that_is_typed_in_an_editor_that_closes_brackets_shows_errors_on_no_other_line() {
    let counts = type_whole(&kernel("saxpy"), Mode::Closed, true, Duration::ZERO);
    assert!(counts.states > 1000 && counts.share_elsewhere() <= 3.0, "{counts:?}");
}

#[test]
fn after_a_pause_or_a_save_everything_is_shown_that_a_fresh_document_shows() {
    let text = kernel("saxpy");
    assert!(text.is_ascii());
    let mut saves = false;
    for line in lines(&text).step_by(4) {
        let mut editor = Editor::open(&text, true);
        let middle = line.start + line.len() / 2;
        editor.edit(middle..line.end, "");
        saves = !saves;
        if saves {
            editor.save();
        } else {
            editor.pause(ptx_ide::holding::PAUSE);
        }
        assert_eq!(editor.shown, Editor::open(&editor.text, true).shown, "{}", editor.text);
    }
}

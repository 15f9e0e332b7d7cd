//! When a completion list opens automatically, and which lists are complete.

use crate::completion::{in_kernel, kernel};
use ptx_ide::{CompletionOptions, Completions, completion_list};
use ptx_syntax::Snapshot;

/// The list that opens at `$0` after the character before it was typed.
fn opened(marked: &str) -> Option<Completions> {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    completion_list(&Snapshot::new(&text), offset, CompletionOptions::default(), text[..offset].chars().next_back())
}

fn opened_in_kernel(statements: &str) -> bool {
    opened(&kernel("7.8", "sm_80", statements)).is_some()
}

#[test]
fn a_brace_opens_a_list_in_a_vector_only() {
    for nothing in ["{$0", "{$0}", "ret;\n    {$0\n    }"] {
        assert!(!opened_in_kernel(nothing), "{nothing}");
    }
    for header in [
        ".entry k(.param .u64 x)\n{$0",
        ".entry k()\n{$0}",
        ".func (.param .b32 r) f(.param .b32 a)\n{$0\n    ret;\n}\n",
    ] {
        assert!(opened(&format!(".version 8.0\n.target sm_80\n.address_size 64\n{header}")).is_none(), "{header}");
    }
    assert!(opened_in_kernel("ld.global.v2.f32 {$0"));
}

#[test]
fn a_blank_opens_a_list_for_operands_only() {
    for nothing in ["ret; $0", "add.f32 %f1, %f1, %f2; $0", "L: $0", "@%p0 $0", "{ $0"] {
        assert!(!opened_in_kernel(nothing), "{nothing}");
    }
    // Editors request completion again while they wait for a list.
    for nothing in ["ret;$0", "add.f32 %f1, %f1, %f2;$0", "L:$0"] {
        assert!(!opened_in_kernel(nothing), "{nothing}");
    }
    assert!(opened_in_kernel("add.f32 %f1, $0"));
    assert!(opened(".version 8.0\n.target $0").is_some());
    assert!(opened(".version 8.0\n.target sm_80\n.address_size 64\n $0").is_none());
}

#[test]
fn a_word_that_is_whole_opens_no_list() {
    for nothing in ["ret$0", "mov.u32 %r1, %tid.x$0;", "add.f32 %f1, %f1, %f2$0;", "ld.global.nc$0.f32 %f1, [%rd1];"] {
        assert!(!opened_in_kernel(nothing), "{nothing}");
    }
    for nothing in [".version 8.0\n.target sm_80$0", ".version 8.0\n.target sm_80\n.address_size 64$0"] {
        assert!(opened(nothing).is_none(), "{nothing}");
    }
    // Longer names begin with this word: the word itself comes first.
    let found = opened(".version 8.0\n.target sm_90$0").expect("a list");
    assert_eq!(found.items[0].label, "sm_90");
    assert!(found.items.iter().any(|i| i.label == "sm_90a"));
}

#[test]
fn lists_are_complete() {
    let many = kernel("7.8", "sm_80", "mov.u32 $0;").replace("%r<8>", "%r<800>");
    assert!(!opened(&many).expect("a list").incomplete);
    // Editors ask for no list where nothing is typed; who asks by hand gets another one for the first letter.
    // Many names of CUDA begin with `c` and with underscores.
    for place in ["$0", "c$0", "_$0", "__$0"] {
        assert!(in_kernel(place).incomplete, "{place}");
    }
    for place in ["cv$0", "__s$0"] {
        assert!(!in_kernel(place).incomplete, "{place}");
    }
    for place in [
        "a$0",
        "m$0",
        "s$0",
        "t$0",
        "fma.$0",
        "mma$0",
        "ld.$0",
        "mov.u32 %r1, $0",
        "mov.u32 %r1, %$0",
        ".r$0",
        ".reg .$0",
    ] {
        let found = in_kernel(place);
        assert!(!found.items.is_empty() && !found.incomplete, "{place}: {} items", found.items.len());
    }
}

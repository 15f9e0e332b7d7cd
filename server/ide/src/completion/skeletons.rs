//! Snippets of frequently written code.

use super::{Item, ItemKind, List, scope};
use ptx_isa::ISA;
use std::collections::HashSet;

/// A snippet of code.
#[derive(Debug)]
pub struct Skeleton {
    /// Its label, which the user types to find it.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The snippet text. It declares every register that it uses.
    pub text: &'static str,
}

/// Skeletons for the module level.
pub const OF_MODULE: &[Skeleton] = &[
    Skeleton {
        name: "kernel",
        summary: "a kernel with a parameter",
        text: ".visible .entry ${1:kernel}(\n\t.param .u64 ${2:data}\n)\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\
               \t.reg .b64 %rd<4>;\n\n\tld.param.u64 %rd1, [$2];\n\tcvta.to.global.u64 %rd2, %rd1;\n\t$0\n\tret;\n}",
    },
    Skeleton {
        name: "func",
        summary: "a function with a result",
        text: ".func (.param .b32 ${1:result}) ${2:function}(.param .b32 ${3:value})\n{\n\t.reg .b32 %r<2>;\n\n\
               \tld.param.b32 %r1, [$3];\n\t$0\n\tst.param.b32 [$1], %r1;\n\tret;\n}",
    },
];

/// Skeletons for function bodies.
pub const OF_BODY: &[Skeleton] = &[
    Skeleton {
        name: "loop",
        summary: "a loop that counts up",
        text: ".reg .pred ${1:%more};\n.reg .b32 ${2:%i};\n\nmov.u32 $2, 0;\n${3:LOOP}:\n$0\nadd.u32 $2, $2, 1;\n\
               setp.lt.u32 $1, $2, ${4:16};\n@$1 bra $3;",
    },
    Skeleton {
        name: "global-index",
        summary: "the number of the thread in the grid",
        text: ".reg .b32 ${1:%index}, ${2:%block}, ${3:%size}, ${4:%thread};\n\nmov.u32 $2, %ctaid.x;\nmov.u32 $3, %ntid.x;\n\
               mov.u32 $4, %tid.x;\nmad.lo.u32 $1, $2, $3, $4;\n$0",
    },
    Skeleton {
        name: "guarded-exit",
        summary: "threads past a bound exit",
        text: ".reg .pred ${1:%outside};\n.reg .b32 ${2:%number};\n\nmov.u32 $2, %tid.x;\nsetp.ge.u32 $1, $2, ${3:32};\n\
               @$1 exit;\n$0",
    },
    Skeleton {
        name: "grid-stride-loop",
        summary: "a loop over all elements with the whole grid",
        text: ".reg .pred ${1:%done};\n.reg .b32 ${2:%i}, ${3:%step}, ${4:%size}, ${5:%thread};\n\nmov.u32 $4, %ntid.x;\n\
               mov.u32 $5, %tid.x;\nmov.u32 $2, %ctaid.x;\nmad.lo.u32 $2, $2, $4, $5;\nmov.u32 $3, %nctaid.x;\n\
               mul.lo.u32 $3, $3, $4;\n${6:LOOP}:\nsetp.ge.u32 $1, $2, ${7:1024};\n@$1 bra ${8:DONE};\n$0\n\
               add.u32 $2, $2, $3;\nbra.uni $6;\n$8:",
    },
];

impl List<'_, '_> {
    pub(super) fn module_skeletons(&mut self) {
        if self.environment.version.is_none() && self.environment.target.is_none() {
            let item = Item::new("module", ItemKind::Snippet)
                .detail("the first lines of a module, and a kernel")
                .snippet(module());
            return self.push(item);
        }
        if self.items.iter().any(|i| i.label == ".entry") {
            self.skeletons(OF_MODULE);
        }
    }

    pub(super) fn body_skeletons(&mut self) {
        self.skeletons(OF_BODY);
    }

    fn skeletons(&mut self, list: &'static [Skeleton]) {
        let mut taken: HashSet<String> = scope::of_module(self.place).into_iter().map(|n| n.text).collect();
        taken.extend(scope::locals(self.place).into_iter().map(|n| n.text));
        taken.extend(scope::labels(self.place).into_iter().map(|l| l.name.text));
        for skeleton in list {
            let item = Item::new(skeleton.name, ItemKind::Snippet).detail(skeleton.summary);
            // The editor indents the later lines like the line at the cursor.
            self.push(item.snippet(fresh(skeleton.text, &|name| taken.contains(name))));
        }
    }
}

/// Renames the placeholders of a snippet so that they do not clash with existing names: `${1:%i}` becomes `${1:%i2}`.
fn fresh(text: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, place)) = rest.split_once("${") {
        let end = place.find('}').unwrap_or(place.len());
        let (inner, after) = place.split_at(end);
        out.push_str(before);
        out.push_str("${");
        match inner.split_once(':').filter(|(_, name)| taken(name)) {
            Some((number, name)) => {
                let free = (2..).map(|n| format!("{name}{n}")).find(|name| !taken(name));
                out.push_str(&format!("{number}:{}", free.unwrap_or_default()));
            }
            None => out.push_str(inner),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A skeleton of a whole module, for the newest version and any architecture.
fn module() -> String {
    let plain = |name: &str| name.strip_prefix("sm_").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let targets: Vec<&str> = ISA.targets.iter().rev().map(|t| t.name).filter(|n| plain(n)).collect();
    let kernel =
        OF_MODULE.first().map_or("", |s| s.text).replace("${2:", "${3:").replace("$2", "$3").replace("${1:", "${2:");
    format!(".version {}\n.target ${{1|{}|}}\n.address_size 64\n\n{kernel}", ISA.newest(), targets.join(","))
}

//! The launches in the comments above a kernel.

use ptx_analysis::ModuleItem;
use ptx_analysis::module::{is_function, items_of};
use ptx_launch_syntax::{FunctionSpan, Launch, launches};
use ptx_syntax::{Snapshot, fields};
use std::ops::Range;

/// The launches above the kernel that begins at an offset, as an evaluation reads them. Empty above anything else.
pub fn launches_above(snapshot: &Snapshot, start: usize) -> Vec<Launch> {
    let Some(kernel) = function_from(snapshot, start, |item| item.range.start == start).filter(|f| f.kernel) else {
        return Vec::new();
    };
    let before = function_from(snapshot, start, |item| item.range.start < start);
    // The text begins with the brace that ends the function before, so that the rest of that line is not taken for a line.
    let begin = before.map_or(0, |function| function.range.end.saturating_sub(1)).min(start);
    let text = snapshot.text(begin..start);
    launches(&text, begin, &[FunctionSpan { name: &kernel.name, range: kernel.range, kernel: true }]).launches
}

/// The block of the first launch above a kernel, which is the one that an evaluation runs.
pub(crate) fn launched_block(snapshot: &Snapshot, start: usize) -> Option<[u32; 3]> {
    launches_above(snapshot, start).first()?.block
}

/// A function that has a body or is a kernel.
struct Function {
    name: String,
    range: Range<usize>,
    kernel: bool,
}

/// The last function before or at an offset that `is_it` accepts. Only the chunks from there on backwards are searched.
fn function_from(snapshot: &Snapshot, start: usize, is_it: impl Fn(&ModuleItem<'_>) -> bool) -> Option<Function> {
    let f = fields();
    let function = |item: &ModuleItem<'_>| {
        let text = |node: ptx_syntax::Node<'_>| snapshot.text(node.byte_range()).into_owned();
        let kind = item.node.child_by_field_id(f.kind).filter(|_| is_function(item.node)).map(text)?;
        let name = item.node.child_by_field_id(f.name).map(text).unwrap_or_default();
        let kernel = kind == ".entry";
        let has_body = item.node.child_by_field_id(f.body).is_some();
        (kernel || has_body).then(|| Function { name, range: item.range.clone(), kernel })
    };
    let roots = snapshot.roots().rev().skip_while(|root| root.start_byte() > start);
    roots.into_iter().find_map(|root| items_of(snapshot, root).iter().rev().filter(|i| is_it(i)).find_map(function))
}

#[cfg(test)]
mod tests {
    use super::launches_above;
    use ptx_syntax::Snapshot;

    #[test]
    fn only_lines_between_two_functions_count() {
        let text = "//! launch: block=99\n.func f() { ret; } //! launch: block=98\n/*\n//! launch: block=97\n*/\n\
                    //! launch: grid=1 block=32,4\n.global .u32 x;\n//! launch: block=7\n// words\n.visible\n.entry k() { ret; }";
        for chunk in [8, 1 << 20] {
            let snapshot = Snapshot::with_chunk_size(text, 1, chunk);
            let blocks = |place: &str| {
                let launches = launches_above(&snapshot, text.find(place).expect("the place"));
                launches.iter().map(|l| (l.entry.to_string(), l.block)).collect::<Vec<_>>()
            };
            let expected = [("k".to_owned(), Some([32, 4, 1])), ("k".to_owned(), Some([7, 1, 1]))];
            assert_eq!((blocks(".visible"), blocks(".func")), (expected.to_vec(), vec![]));
        }
    }
}

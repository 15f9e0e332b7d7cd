//! Layouts as SVG.

use super::grid::{Grid, GridLine};
use std::fmt::Write;

/// Style sheet for the pictures. A page may override its variables, for example in a dark theme.
pub const FRAGMENT_CSS: &str = include_str!("fragment.css");

const CELL: usize = 68;
const WIDE: usize = 128;
const GAP: usize = 24;
const HEAD: usize = 56;
const LINE: usize = 22;

/// A grid as one `<svg>` element without a style sheet. Colours are classes (`fragment-0` … `fragment-7`) with default
/// values, so that the picture also works without the style sheet. `title` is the text for screen readers.
pub fn svg(grid: &Grid, title: &str) -> String {
    let bits = |line: &GridLine| match line {
        GridLine::Row(_, cells) => cells.iter().flatten().any(|c| c.bits.is_some()),
        GridLine::Gap => false,
    };
    let cell = if grid.lines.iter().any(bits) { WIDE } else { CELL };
    let wide = |head: &String| if head.is_empty() { GAP } else { cell };
    let width = HEAD + grid.heads.iter().map(wide).sum::<usize>() + 1;
    let height = LINE * (grid.lines.len() + 1) + 1;
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "<svg class=\"fragment\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{0}\" font-family=\"monospace\" font-size=\"12\" text-anchor=\"middle\"><title>{0}</title>",
        escaped(title)
    );
    let mut x = HEAD;
    for head in &grid.heads {
        let text = if head.is_empty() { "…" } else { head };
        label(&mut out, "fragment-head", x + wide(head) / 2, 0, text);
        x += wide(head);
    }
    for (index, line) in grid.lines.iter().enumerate() {
        let y = LINE * (index + 1);
        match line {
            GridLine::Gap => label(&mut out, "fragment-head", HEAD / 2, y, "⋮"),
            GridLine::Row(row, cells) => {
                label(&mut out, "fragment-head", HEAD / 2, y, row);
                let mut x = HEAD;
                for (cell, head) in cells.iter().zip(&grid.heads) {
                    let width = wide(head);
                    match cell {
                        Some(cell) => {
                            let colour = cell.register.unwrap_or(cell.thread % 4) % 8;
                            let _ = write!(
                                out,
                                "<rect class=\"fragment-{colour}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{LINE}\" fill=\"{}\" \
                                 stroke=\"#888\"/>",
                                COLOURS[colour as usize]
                            );
                            label(&mut out, "fragment-cell", x + width / 2, y, &cell.text());
                        }
                        None => {
                            label(&mut out, "fragment-head", x + width / 2, y, if head.is_empty() { "…" } else { "·" })
                        }
                    }
                    x += width;
                }
            }
        }
    }
    out.push_str("</svg>");
    out
}

/// Default colours for pages without the style sheet; the same as there.
const COLOURS: [&str; 8] = ["#d8e8fb", "#fbe3cf", "#dcf2d9", "#f6d9e6", "#e6dcf7", "#f7f0c4", "#d3f0ee", "#e4e4e4"];

fn label(out: &mut String, class: &str, x: usize, y: usize, text: &str) {
    let y = y + LINE * 7 / 10;
    let _ = write!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

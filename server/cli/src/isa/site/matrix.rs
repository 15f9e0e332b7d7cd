//! The table of forms by target, with the PTX version that introduced each.

use super::links::PageKind;
use super::text::PageContext;
use maud::{Markup, html};
use ptx_ide::reference::availability::{Availability, AvailabilityMatrix};

/// The matrix as a table.
pub fn table(matrix: &AvailabilityMatrix, place: PageContext<'_>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Targets and versions" {
            table.matrix {
                thead {
                    tr {
                        th scope="col" { "Form" }
                        @for (first, last) in &matrix.columns {
                            th scope="col" {
                                (place.name(PageKind::Target, first))
                                @if first != last { " … " (place.name(PageKind::Target, last)) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &matrix.rows {
                        tr.condition[row.condition] {
                            th scope="row" {
                                @if row.condition { (place.line(&row.label)) } @else { code { (row.label) } }
                            }
                            @for cell in &row.cells { (self::cell(*cell)) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(cell: Availability) -> Markup {
    match cell {
        Availability::Never => html! { td.no { span aria-hidden="true" { "–" } span.unseen { "no" } } },
        Availability::Always => html! { td.yes { span aria-hidden="true" { "✓" } span.unseen { "always" } } },
        Availability::From(version) => html! { td.since { (version) "+" } },
        Availability::Between(None, last) => html! { td.gone { "to " (last) } },
        Availability::Between(Some(first), last) => html! { td.gone { (first) "–" (last) } },
    }
}

/// The legend of the cells.
pub fn legend() -> Markup {
    html! {
        p.dim {
            "✓ in every version that knows the target; a number is the first PTX version that has it there; – not at all."
        }
    }
}

//! The pages of hand-written kernels.

use super::layout::SitePage;
use super::links::{Links, PageKind};
use super::text::PageContext;
use maud::html;
use ptx_ide::reference::code::{Token, tokens};
use ptx_ide::reference::kernels::KERNELS;

/// All pages.
pub fn pages(links: &Links) -> Vec<SitePage> {
    let page = |kernel: &'static ptx_ide::reference::kernels::Kernel| {
        let path = links.path(PageKind::Kernel, kernel.name).unwrap_or_default().to_owned();
        let place = PageContext { links, path: &path };
        let lines = lines(tokens(kernel.text.trim_end()));
        let body = html! {
            p.lead { (kernel.summary()) }
            div.scroll tabindex="0" role="region" aria-label="PTX" {
                pre.numbered {
                    code {
                        @for (index, line) in lines.iter().enumerate() {
                            span.line id={ "line" (index + 1) } { (place.tokens(line)) "\n" }
                        }
                    }
                }
            }
        };
        SitePage {
            kind: PageKind::Kernel,
            name: kernel.name.to_owned(),
            summary: kernel.summary().to_owned(),
            group: String::new(),
            body,
            is_code: true,
            path,
        }
    };
    KERNELS.iter().map(page).collect()
}

/// Groups tokens by line.
fn lines(tokens: Vec<Token>) -> Vec<Vec<Token>> {
    let mut out: Vec<Vec<Token>> = vec![Vec::new()];
    for token in tokens {
        for (index, part) in token.text.split('\n').enumerate() {
            if index > 0 {
                out.push(Vec::new());
            }
            if let (false, Some(line)) = (part.is_empty(), out.last_mut()) {
                line.push(Token { text: part.to_owned(), kind: token.kind });
            }
        }
    }
    out
}

//! Markdown and PTX as HTML, with links for names that have a page.

use super::links::{Links, PageKind};
use maud::{Markup, PreEscaped, html};
use ptx_ide::TokenKind;
use ptx_ide::reference::code::{CodeToken, tokens};
use ptx_isa::ISA;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html as writer};

/// The page that a text is rendered into: its path, and the links of the site.
#[derive(Debug, Clone, Copy)]
pub struct PageContext<'l> {
    /// The links of the site.
    pub links: &'l Links,
    /// The path of the page from the root of the site.
    pub path: &'l str,
}

impl PageContext<'_> {
    /// The relative path from this page to another.
    pub fn to(self, path: &str) -> String {
        relative(self.path, path)
    }

    /// The relative path to the page of a word, unless it is this page.
    fn word(self, word: &str) -> Option<String> {
        self.links.word(word).filter(|path| *path != self.path).map(|path| self.to(path))
    }

    /// A name as a link to its page, if it has one.
    pub fn name(self, kind: PageKind, name: &str) -> Markup {
        self.code(name, self.links.path(kind, name))
    }

    /// A modifier, type or state space as a link to its page.
    pub fn modifier(self, name: &str) -> Markup {
        self.code(name, self.links.modifier(name))
    }

    /// Code, as a link if it has another page.
    fn code(self, text: &str, path: Option<&str>) -> Markup {
        match path.filter(|p| *p != self.path) {
            Some(path) => html! { a href=(self.to(path)) { code { (text) } } },
            None => html! { code { (text) } },
        }
    }

    /// The CUDA C++ names for the subject of this page.
    pub fn cuda(self) -> Markup {
        let names = self.links.cuda(self.path);
        html! {
            @if !names.is_empty() {
                h2 #cuda { "In CUDA C++" }
                dl.slots {
                    @for name in names {
                        div {
                            dt { code { (name.name) } }
                            dd {
                                @for (index, spelling) in name.spellings().enumerate() {
                                    @if index > 0 { " or " }
                                    code { (spelling) }
                                }
                                @if !name.words.is_empty() { " – " (self.line(name.words)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders Markdown. Headings of the text become headings below `level`.
    pub fn markdown(self, text: &str, level: u8) -> Markup {
        // The texts contain no HTML: anything that looks like it is PTX.
        let mut out: Vec<Event<'_>> = Vec::new();
        let mut code: Option<String> = None;
        let mut linked = false;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "ptx" => {
                    code = Some(String::new());
                }
                Event::Text(more) if code.is_some() => {
                    if let Some(code) = &mut code {
                        code.push_str(&more);
                    }
                }
                Event::End(TagEnd::CodeBlock) if code.is_some() => {
                    let block = self.block(&tokens(code.take().unwrap_or_default().trim_end()));
                    out.push(Event::Html(CowStr::from(block.into_string())));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    // The table scrolls on its own, so the keyboard must be able to focus it.
                    out.push(Event::Html(CowStr::from(
                        r#"<div class="scroll" tabindex="0" role="region" aria-label="Text">"#,
                    )));
                    out.push(Event::Start(Tag::CodeBlock(kind)));
                }
                Event::End(TagEnd::CodeBlock) => {
                    out.push(Event::End(TagEnd::CodeBlock));
                    out.push(Event::Html(CowStr::from("</div>")));
                }
                Event::Start(Tag::Heading { level: own, id, classes, attrs }) => {
                    out.push(Event::Start(Tag::Heading { level: deeper(own, level), id, classes, attrs }));
                }
                Event::End(TagEnd::Heading(own)) => out.push(Event::End(TagEnd::Heading(deeper(own, level)))),
                Event::Start(Tag::Table(alignment)) => {
                    out.push(Event::Html(CowStr::from(
                        r#"<div class="scroll" tabindex="0" role="region" aria-label="Table">"#,
                    )));
                    out.push(Event::Start(Tag::Table(alignment)));
                }
                Event::End(TagEnd::Table) => {
                    out.push(Event::End(TagEnd::Table));
                    out.push(Event::Html(CowStr::from("</div>")));
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    linked = true;
                    let dest_url = CowStr::from(self.target(&dest_url));
                    out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
                Event::End(TagEnd::Link) => {
                    linked = false;
                    out.push(Event::End(TagEnd::Link));
                }
                Event::Code(word) if !linked => match self.word(&word) {
                    Some(way) => {
                        let link = html! { a href=(way) { code { (&*word) } } };
                        out.push(Event::InlineHtml(CowStr::from(link.into_string())));
                    }
                    None => out.push(Event::Code(word)),
                },
                Event::Html(text) | Event::InlineHtml(text) => out.push(Event::Text(text)),
                other => out.push(other),
            }
        }
        let mut html = String::new();
        writer::push_html(&mut html, out.into_iter());
        PreEscaped(html)
    }

    /// One line of Markdown without the paragraph around it.
    pub fn line(self, text: &str) -> Markup {
        let html = self.markdown(text, 6).into_string();
        let inner = html.trim();
        PreEscaped(inner.strip_prefix("<p>").and_then(|t| t.strip_suffix("</p>")).unwrap_or(inner).to_owned())
    }

    /// Like `line`, but without links: for headings and for the text of links.
    pub fn plain(self, text: &str) -> Markup {
        html! {
            @for (index, part) in text.split('`').enumerate() {
                @if index % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }

    /// The target of a link in a text: pages of diagnostics refer to each other by file name.
    fn target(self, url: &str) -> String {
        let file = url.rsplit('/').next().unwrap_or(url);
        let (file, _) = file.split_once('#').unwrap_or((file, ""));
        let page = file.strip_suffix(".md").and_then(|code| self.links.path(PageKind::Diagnostic, code));
        page.map_or_else(|| url.to_owned(), |path| self.to(path))
    }

    /// A block of PTX.
    pub fn block(self, tokens: &[CodeToken]) -> Markup {
        html! { div.scroll tabindex="0" role="region" aria-label="PTX" { pre { code { (self.tokens(tokens)) } } } }
    }

    /// PTX in colours, each word with a link to its page.
    pub fn tokens(self, tokens: &[CodeToken]) -> Markup {
        html! {
            @for (index, token) in tokens.iter().enumerate() {
                @match self.way(tokens, index) {
                    Some(way) => a.(class(token)) href=(way) { (token.text) },
                    None => (coloured(token)),
                }
            }
        }
    }

    fn way(self, tokens: &[CodeToken], index: usize) -> Option<String> {
        let token = &tokens[index];
        let text = token.text.as_str();
        let path = match token.kind? {
            TokenKind::Opcode => {
                let modifiers = tokens[index + 1..].iter().map_while(|t| is_modifier(t).then_some(t.text.as_str()));
                let entry = ISA.opcode(text)?.entry(&modifiers.collect::<Vec<_>>())?;
                self.links.path(PageKind::Instruction, entry.name)
            }
            TokenKind::Modifier | TokenKind::Type | TokenKind::StateSpace => self.links.modifier(text),
            TokenKind::Keyword => self.links.path(PageKind::Directive, text),
            TokenKind::SpecialRegister => self.links.register(text),
            TokenKind::EnumMember => self.links.path(PageKind::Target, text),
            _ => None,
        }?;
        (path != self.path).then(|| self.to(path))
    }
}

/// PTX in colours without links: where a link may not stand.
pub fn colours(tokens: &[CodeToken]) -> Markup {
    html! { @for token in tokens { (coloured(token)) } }
}

fn coloured(token: &CodeToken) -> Markup {
    let class = class(token);
    html! { @if class.is_empty() { (token.text) } @else { span.(class) { (token.text) } } }
}

fn is_modifier(token: &CodeToken) -> bool {
    matches!(token.kind, Some(TokenKind::Modifier | TokenKind::Type | TokenKind::StateSpace))
}

/// Short, since a page has thousands of them.
fn class(token: &CodeToken) -> &'static str {
    match token.kind {
        Some(TokenKind::Opcode) => "o",
        Some(TokenKind::Modifier) => "m",
        Some(TokenKind::Type) => "t",
        Some(TokenKind::StateSpace | TokenKind::EnumMember | TokenKind::SpecialRegister) => "s",
        Some(TokenKind::Keyword | TokenKind::Decorator) => "d",
        Some(TokenKind::Register | TokenKind::Predicate) => "r",
        Some(TokenKind::Number | TokenKind::String) => "n",
        Some(TokenKind::Comment) => "c",
        Some(TokenKind::Label | TokenKind::Function) => "l",
        _ => "",
    }
}

fn deeper(own: HeadingLevel, level: u8) -> HeadingLevel {
    let number = (own as u8).saturating_add(level).min(6);
    HeadingLevel::try_from(usize::from(number)).unwrap_or(HeadingLevel::H6)
}

/// The relative path from one page to another; both paths start at the root of the site.
pub fn relative(from: &str, to: &str) -> String {
    let up = "../".repeat(from.matches('/').count());
    match (from.rsplit_once('/'), to.rsplit_once('/')) {
        (Some((folder, _)), Some((other, file))) if folder == other => file.to_owned(),
        _ => format!("{up}{to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Links, PageContext};

    #[test]
    fn text_that_looks_like_html_stays_text() {
        let links = Links::new();
        let place = PageContext { links: &links, path: "types/b32.html" };
        assert_eq!(
            place.line("`%r<10>` and %r<b> and <i>, `.ftz` of `.b32`").into_string(),
            "<code>%r&lt;10&gt;</code> and %r&lt;b&gt; and &lt;i&gt;, \
             <a href=\"../modifiers/ftz.html\"><code>.ftz</code></a> of <code>.b32</code>"
        );
    }
}

// Keeps what the server's Markdown needs and removes all other HTML: documentation can quote the text of a link.
// @ts-check

const TAGS = new Set([
  ..."A B BLOCKQUOTE BR CODE DEL DIV EM H1 H2 H3 H4 H5 H6 HR I LI OL P PRE SPAN STRONG SUB SUP".split(" "),
  ..."TABLE TBODY TD TH THEAD TR UL".split(" "),
]);

/** The command of the server's links to its chapters. */
const EXPLAIN = "command:ptx-analyzer.explain?";

/** What the address of a chapter in the page begins with. */
const CHAPTER = "#explain=";

/** Returns the address of a chapter in the page. @param {string} query */
export const explainLink = (query) => CHAPTER + encodeURIComponent(query);

/** Returns the query of a link to a chapter. @param {string | null} href */
export function explainQuery(href) {
  return href?.startsWith(CHAPTER) ? decodeURIComponent(href.slice(CHAPTER.length)) : undefined;
}

/** Returns the query of a command, or undefined if it is another one. @param {string} href */
function queryOf(href) {
  if (!href.startsWith(EXPLAIN)) return undefined;
  try {
    const query = JSON.parse(decodeURIComponent(href.slice(EXPLAIN.length)))[0].query;
    return typeof query === "string" ? query : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Element} element */
function clean(element) {
  for (const child of [...element.children]) {
    if (!TAGS.has(child.tagName)) {
      // The text stays, as text.
      child.replaceWith(document.createTextNode(child.textContent ?? ""));
      continue;
    }
    const href = child.tagName === "A" ? (child.getAttribute("href") ?? "") : "";
    const color = child.tagName === "SPAN" ? (child.getAttribute("class") ?? "") : "";
    for (const { name } of [...child.attributes]) child.removeAttribute(name);
    if (/^https:\/\//.test(href)) {
      child.setAttribute("href", href);
      child.setAttribute("target", "_blank");
      child.setAttribute("rel", "noopener noreferrer");
    }
    const query = queryOf(href);
    if (query !== undefined) child.setAttribute("href", explainLink(query));
    if (/^ptx-\w+$/.test(color)) child.setAttribute("class", color);
    clean(child);
  }
}

/** Returns safe HTML. The document that parses it runs no scripts and loads nothing. @param {string} html */
export function sanitize(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  clean(body);
  return body.innerHTML;
}

// Makes the pages of the guide from README.md and all documents that it leads to, and links the reference with the playground.
// build.sh runs it.
import MarkdownIt from "markdown-it";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { linkReference } from "./reference.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [out] = process.argv.slice(2);
const repository = process.env.PTX_SITE_REPOSITORY;

/** All files of the repository: only these become pages. */
const tracked = new Set(execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).split("\0"));

/** Escapes text for HTML. */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const markdown = new MarkdownIt({ html: false, typographer: false });

/** The text of a heading without its marks. */
const textOf = (inline) => inline.children.filter(({ type }) => ["text", "code_inline"].includes(type)).map(({ content }) => content).join("");

/** Returns the anchor of a heading as GitHub forms it. */
function slug(text, used) {
  const base = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
  const count = used.get(base) ?? 0;
  used.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}

/** Returns the path of the page for a document. */
function pageOf(document) {
  if (document === "README.md") return "index.html";
  return document.endsWith("/README.md") ? document.replace(/README\.md$/, "index.html") : document.replace(/\.md$/, ".html");
}

/** Returns the path from one page to another file. */
const from = (page, file) => posix.relative(posix.dirname(page), file) || posix.basename(file);

const PICTURE = /\.(png|svg|gif|jpg)$/;

/** Turns the links of a document into those of its page; returns the documents and pictures that they lead to. */
function relink(tokens, document, page) {
  const documents = [];
  const pictures = [];
  /** Returns the new address of a link, or undefined if the site has no such file. */
  const address = (href) => {
    if (/^[a-z]+:/i.test(href) || href.startsWith("#")) return href;
    const [path, anchor] = href.split("#");
    let file = posix.normalize(posix.join(posix.dirname(document), decodeURI(path))).replace(/\/$/, "");
    if (tracked.has(`${file}/README.md`)) file += "/README.md";
    const suffix = anchor === undefined ? "" : `#${anchor}`;
    if (file.endsWith(".md") && tracked.has(file)) {
      documents.push(file);
      return from(page, pageOf(file)) + suffix;
    }
    if (PICTURE.test(file) && tracked.has(file)) {
      pictures.push(file);
      return from(page, file);
    }
    return repository === undefined ? undefined : `${repository}/blob/main/${file}${suffix}`;
  };
  for (const { children } of tokens.filter(({ type }) => type === "inline")) {
    let open;
    for (const token of children) {
      if (token.type === "image") token.attrSet("src", address(token.attrGet("src")) ?? "");
      if (token.type === "link_open") {
        const href = address(token.attrGet("href"));
        open = href === undefined ? token : undefined;
        if (href === undefined) [token.type, token.tag, token.attrs] = ["span_open", "span", null];
        else token.attrSet("href", href);
      } else if (token.type === "link_close" && open !== undefined) {
        [token.type, token.tag] = ["span_close", "span"];
        open = undefined;
      }
    }
  }
  return { documents, pictures };
}

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** Returns the page around a text. */
function layout(page, title, body) {
  const to = (file) => from(page, file);
  const part = page.split("/")[0];
  const link = (file, text, here) => `<a href="${to(file)}"${here ? ' aria-current="true"' : ""}>${text}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<link rel="icon" href="${to("icon.svg")}">
<link rel="stylesheet" href="${to("site.css")}">
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header><nav aria-label="Site">${link("index.html", "ptx-analyzer", page === "index.html")}
${link("playground/index.html", "Playground", false)}
${link("reference/index.html", "PTX reference", false)}
${link("docs/index.html", "User guide", part === "docs")}</nav></header>
<main id="main" tabindex="-1">
${body}</main>
<footer><p>Licensed under MIT or Apache-2.0, at your option. Not affiliated with NVIDIA. The site sets no cookies and loads nothing from elsewhere.</p></footer>
</body>
</html>
`;
}

/** The first thing on the landing page, below the first paragraph. */
const START = `<p class="start"><a class="button" href="playground/index.html">Open the playground</a>
<a href="reference/index.html">Read the reference</a>
<a href="docs/first-five-minutes.html">First five minutes</a></p>
`;

/** Makes the page of a document; returns what it leads to. */
function make(document) {
  const page = pageOf(document);
  const tokens = markdown.parse(readFileSync(join(root, document), "utf8"), {});
  const used = new Map();
  let title = document;
  tokens.forEach((token, at) => {
    if (token.type !== "heading_open") return;
    const text = textOf(tokens[at + 1]);
    token.attrSet("id", slug(text, used));
    if (token.tag === "h1") title = text;
  });
  const found = relink(tokens, document, page);
  let body = markdown.renderer.render(tokens, markdown.options, {});
  let tables = 0;
  // Wide content scrolls in itself, with the keyboard too.
  body = body.replaceAll("<pre>", '<pre tabindex="0">').replaceAll("<table>", () => `<div class="scroll" tabindex="0" role="region" aria-label="Table ${++tables}"><table>`).replaceAll("</table>", "</table></div>");
  if (document === "README.md") body = body.replace("</p>\n", `</p>\n${START}`);
  const file = join(out, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, layout(page, page === "index.html" ? "ptx-analyzer: a language server for NVIDIA PTX" : `${title} – ptx-analyzer`, body));
  return found;
}

const waiting = ["README.md"];
const seen = new Set(waiting);
const pictures = new Set();
for (let document = waiting.pop(); document !== undefined; document = waiting.pop()) {
  const found = make(document);
  found.pictures.forEach((picture) => pictures.add(picture));
  for (const other of found.documents) {
    if (!seen.has(other)) waiting.push(other);
    seen.add(other);
  }
}
for (const picture of pictures) {
  mkdirSync(dirname(join(out, picture)), { recursive: true });
  copyFileSync(join(root, picture), join(out, picture));
}
const sheets = ["../../editors/web/src/colours.css", "site.css"].map((file) => readFileSync(new URL(file, import.meta.url), "utf8"));
writeFileSync(join(out, "site.css"), sheets.join(""));
copyFileSync(join(root, "editors/vscode/images/icon.svg"), join(out, "icon.svg"));
// GitHub Pages would leave out names that begin with an underscore.
writeFileSync(join(out, ".nojekyll"), "");

const folder = join(out, "reference");
if (!existsSync(folder)) throw new Error(`${folder} has no reference`);
const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html"));
const links = pages.map((name) => linkReference(join(folder, name), name)).reduce((sum, one) => sum + one, 0);
if (links === 0) throw new Error("the reference has no example");
console.log(`${seen.size} pages of the guide, ${pictures.size} pictures, ${pages.length} pages of the reference with ${links} links to the playground`);

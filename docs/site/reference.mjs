// Links from the pages of the reference to the playground: each example opens there as a whole module.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

/** An example with its module: what precedes the module, the module, and the end. */
const EXAMPLE = /(<details class="example">.*?<pre><code>)(.*?)(<\/code><\/pre><\/div>)(<\/details>)/gs;
const EXAMPLE_START = '<details class="example">';

/** A hand-written kernel. */
const KERNEL = /(<p class="lead">.*?<\/p>)(.*?<pre class="numbered"><code>)(.*?)(<\/code><\/pre>)/s;

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Returns the text of HTML without its elements. */
const textOf = (html) => html.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]);

/** Returns a link to the playground with a text in it. @param {string} text @param {string} root */
function link(text, root) {
  const packed = deflateRawSync(Buffer.from(text), { level: 9 }).toString("base64url");
  return `<p><a href="${root}playground/index.html#text=${packed}">Try it in the playground</a></p>`;
}

/** Adds the links to a page, and one to the site; returns the number of links to the playground. @param {string} file @param {string} name its path in the reference */
export function linkReference(file, name) {
  const root = "../".repeat(name.split(/[\\/]/).length);
  const before = readFileSync(file, "utf8");
  let links = 0;
  let page = before.replace(EXAMPLE, (_, start, module, end, close) => {
    links += 1;
    return start + module + end + link(textOf(module), root) + close;
  });
  if (links !== before.split(EXAMPLE_START).length - 1) throw new Error(`${name}: an example has no module`);
  if (/^kernels[\\/](?!index\.html)/.test(name)) {
    page = page.replace(KERNEL, (_, lead, start, code, end) => {
      links += 1;
      return lead + link(textOf(code), root) + start + code + end;
    });
    if (links === 0) throw new Error(`${name}: there is no kernel`);
  }
  page = page.replace("<footer><p>", `<footer><p><a href="${root}index.html">ptx-analyzer</a> · <a href="${root}playground/index.html">Playground</a> · <a href="${root}docs/index.html">User guide</a></p><p>`);
  writeFileSync(file, page);
  return links;
}

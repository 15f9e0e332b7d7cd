// The whole site: every link leads somewhere, and in Chromium the examples of the reference work in the playground.
//
// SITE=folder is a site that build.sh made. OUT=folder keeps pictures. Uses the browser and the packages of tests/site.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = process.env.SITE;
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const packages = fileURLToPath(new URL("../../../tests/site/", import.meta.url));
const out = process.env.OUT;
const missing = [
  (folder === undefined || !existsSync(join(folder, "index.html"))) && "SITE names no site: run docs/site/build.sh",
  !existsSync(browserPath) && `no browser at ${browserPath}`,
  !existsSync(join(packages, "node_modules/playwright-core")) && "run `npm ci` in tests/site",
];
const skip = missing.find(Boolean) || false;

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png", ".ptx": "text/plain; charset=utf-8" };

let server;
let origin;
let browser;
before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const path = normalize(decodeURI(new URL(request.url, "http://localhost").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const found = existsSync(file);
    response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8" });
    response.end(found ? readFileSync(file) : undefined);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${server.address().port}`;
  const { chromium } = createRequire(packages)("playwright-core");
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
  if (out) mkdirSync(out, { recursive: true });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page. `check` fails if anything was blocked, thrown, or fetched from elsewhere. */
async function open(path, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => /^(data:|blob:)/.test(request.url()) || request.url().startsWith(origin) || troubles.push(`asks for ${request.url()}`));
  await page.goto(`${origin}/${path}`);
  return { page, check: () => assert.deepEqual(troubles, [], path), close: () => context.close() };
}

test("every link leads to a file, and in the guide to a heading", { skip }, () => {
  const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const broken = [];
  for (const [name, text] of texts) {
    for (const [, address] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|data:)/.test(address)) continue;
      const [path, anchor] = decodeURI(address).replaceAll("&amp;", "&").split("#");
      const file = relative(folder, join(folder, path === "" ? name : join(dirname(name), path)));
      if (address === "" || !existsSync(join(folder, file))) broken.push(`${name}: ${address}`);
      else if (anchor !== undefined && !anchor.startsWith("text=") && !texts.get(file)?.includes(` id="${anchor}"`)) broken.push(`${name}: ${address} (no such heading)`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(pages.length > 1000);
});

test("the landing page leads to the playground, the reference and the guide", { skip }, async () => {
  for (const [link, words] of [["Open the playground", "PTX playground"], ["Read the reference", "PTX reference"], ["User guide", "User guide"]]) {
    const { page, check, close } = await open("");
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await page.locator("h1", { hasText: words }).first().waitFor();
    check();
    await close();
  }
});

test("examples of the reference have no problems in the playground", { skip }, async () => {
  const examples = ["add", "cvt", "mma", "tcgen05.mma", "cp.async.bulk.tensor"];
  for (const name of examples) {
    const { page, check, close } = await open(`reference/instructions/${name}.html`);
    const example = page.locator("details.example").first();
    const module = await example.locator("pre").textContent();
    await example.locator("summary").click();
    await example.getByRole("link", { name: "Try it in the playground" }).click();
    await page.locator("#status", { hasText: "No problems" }).waitFor();
    assert.equal(await page.locator(".cm-content").evaluate((content) => content.cmTile.view.state.doc.toString()), module, name);
    check();
    await close();
  }
});

test("a kernel of the reference runs in the playground", { skip }, async () => {
  const { page, check, close } = await open("reference/kernels/saxpy.html");
  await page.getByRole("link", { name: "Try it in the playground" }).click();
  await page.locator("#status", { hasText: "No problems" }).waitFor();
  await page.click("#evaluate");
  await page.frameLocator("#view-warp iframe").locator(".badge.ok").waitFor();
  await page.click("#tab-reference");
  await page.getByRole("link", { name: "All pages" }).click();
  await page.locator("h1", { hasText: "PTX reference" }).waitFor();
  check();
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 1200]) {
    test(`axe finds nothing in ${colorScheme}, ${width} wide, and nothing is wider`, { skip }, async () => {
      for (const path of ["index.html", "docs/index.html", "docs/settings.html", "docs/diagnostics/operand-type.html", "docs/editors/vscode.html", "reference/instructions/fma.html"]) {
        const { page, check, close } = await open(path, { colorScheme, viewport: { width, height: 800 } });
        if (out) await page.screenshot({ path: join(out, `site-${path.replaceAll("/", "-")}-${colorScheme}-${width}.png`) });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, path);
        // Several regions of the reference have one name; tests/site examines it further.
        // Injected from outside the page: its policy allows no script.
        await page.evaluate(readFileSync(createRequire(packages).resolve("axe-core/axe.min.js"), "utf8"));
        const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], rules: { "landmark-unique": { enabled: !location.pathname.startsWith("/reference/") } } }));
        const found = violations.map((v) => `${path} ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.html.slice(0, 160)}`).join(" | ")}`);
        assert.deepEqual(found, []);
        check();
        await close();
      }
    });
  }
}

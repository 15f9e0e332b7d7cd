// The playground in Chromium, for the tests. Uses the browser and the packages of tests/site; build.sh makes the page.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";
import { deflateRawSync } from "node:zlib";
import { dist, launch, serve, site, skip } from "./chromium.mjs";

export { dist, launch, serve, skip };
export const out = process.env.OUT;

let server;
let browser;
let origin;

before(async () => {
  if (skip) return;
  ({ server, origin } = await serve(dist));
  browser = await launch();
  if (out) mkdirSync(out, { recursive: true });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens the page. `check` fails if anything was blocked by the policy, thrown, logged as an error, or fetched from elsewhere. */
export async function open(options = {}, fragment = "", prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => /^(data:|blob:)/.test(request.url()) || request.url().startsWith(origin) || troubles.push(`asks for ${request.url()}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await prepare(page);
  await page.goto(`${origin}/${fragment}`);
  const picture = async (name) => out && page.screenshot({ path: join(out, `${name}.png`) });
  return { page, troubles, picture, check: () => assert.deepEqual(troubles, []), close: () => context.close() };
}

/** The text of the editor. */
export const textOf = (page) => page.locator(".cm-content").evaluate((content) => content.cmTile.view.state.doc.toString());

/** Waits for the first diagnostics. */
export const checked = (page, words) => page.locator("#status", { hasText: words ?? /No problems|error|warning|hint/ }).waitFor();

/** Puts the cursor behind the first occurrence of a word. */
export const moveBehind = (page, word) =>
  page.locator(".cm-content").evaluate((content, wanted) => {
    const { view } = content.cmTile;
    const anchor = view.state.doc.toString().indexOf(wanted) + wanted.length;
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  }, word);

export const fragmentOf = (bytes) => `#text=${deflateRawSync(bytes).toString("base64url")}`;

export const KERNEL = `.version 8.0
.target sm_90
.address_size 64

.visible .entry add(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, 7;
    st.global.u32 [%rd2], %r2;
    ret;
}
`;

/** Fails if axe finds anything in a page or a frame. @param {any} page */
export async function accessible(page) {
  // Injected from outside the page: its policy allows no other script.
  await page.evaluate(readFileSync(createRequire(site).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], iframes: false }));
  const told = violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.html.slice(0, 160)}`).join(" | ")}`);
  assert.deepEqual(told, []);
}

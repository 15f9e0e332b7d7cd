// Measures keys in a text of about 1,000 lines: from the key to the next frame, while the server checks, with each view open.
//
//   node editors/web/tests/keys.mjs [KEYS]
//
// KEYS: keys for each view, 100 by default. Needs editors/web/dist.
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { dist, launch, serve } from "./chromium.mjs";

const keys = Number(process.argv[2] ?? 100);
const kernel = readFileSync(new URL("../../../tests/kernels/mma_matmul.ptx", import.meta.url), "utf8");
const start = kernel.search(/^\s*\.visible \.entry/m);
const name = /\.entry\s+(\w+)/.exec(kernel)[1];
let text = kernel;
for (let copy = 1; text.split("\n").length < 1000; copy++) text += kernel.slice(start).replaceAll(name, `${name}_${copy}`);
const fragment = `#text=${deflateRawSync(Buffer.from(text)).toString("base64url")}`;

const { server, origin } = await serve(dist);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
await page.goto(`${origin}/${fragment}`);
await page.locator("#status", { hasText: /No problems|error|warning|hint/ }).waitFor();
// Colours of names come from the second part of the module.
await page.waitForTimeout(3000);
await page.evaluate(() => {
  window.times = [];
  addEventListener("keydown", (event) => {
    if (event.key !== "a") return;
    const begin = performance.now();
    requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - begin)));
  }, true);
});
console.log(`${text.split("\n").length} lines, ${keys} keys for each view, milliseconds from a key to the end of the next frame`);
for (const view of ["none", "outline", "registers", "warp"]) {
  if (view === "warp") await page.click("#evaluate");
  else if (view !== "none") await page.click(`#tab-${view}`);
  if (view !== "none") await page.waitForTimeout(2000);
  await page.click(".cm-content .cm-line:nth-child(20)");
  await page.keyboard.press("End");
  await page.keyboard.type(" // ");
  await page.evaluate(() => void (window.times.length = 0));
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press("a");
    await page.waitForTimeout(60);
  }
  const times = (await page.evaluate(() => window.times)).sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  console.log(`${view}: p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${times.at(-1).toFixed(1)}`);
}
await browser.close();
server.close();

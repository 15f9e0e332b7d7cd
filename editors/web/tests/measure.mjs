// Measures a first visit to the playground over a slow connection.
//
//   node editors/web/tests/measure.mjs [FOLDER] [RUNS]
//
// FOLDER: the playground as build.sh makes it (editors/web/dist by default). It is served with gzip, as GitHub Pages does. RUNS: 9 by
// default; each begins with an empty profile. MBIT and LATENCY: the connection, 9 Mbit/s and 170 ms by default.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { TYPES, dist, fileOf, launch } from "./chromium.mjs";

const [folder = dist, runs = "9"] = process.argv.slice(2);
const MBIT = Number(process.env.MBIT ?? 9);
const LATENCY = Number(process.env.LATENCY ?? 170);

const bodies = new Map();
let sent = 0;
let needed = 0;
const server = createServer((request, response) => {
  const file = fileOf(folder, request.url);
  if (!existsSync(file)) return void response.writeHead(404).end();
  if (!bodies.has(file)) {
    const body = gzipSync(readFileSync(file), { level: 6 });
    bodies.set(file, { body, tag: `"${body.length}-${bodies.size}"` });
  }
  const { body, tag } = bodies.get(file);
  const headers = { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8", "content-encoding": "gzip", "cache-control": "max-age=600", etag: tag };
  if (request.headers["if-none-match"] === tag) return void response.writeHead(304, headers).end();
  sent += body.length;
  // It is asked for early, and arrives last.
  if (!file.endsWith("-rest.wasm")) needed += body.length;
  response.writeHead(200, headers).end(body);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;

/** Runs in the page before its scripts: notes when something happens, in milliseconds since the navigation. */
function observe() {
  const times = (window.times = {});
  const note = (name) => (times[name] ??= performance.now());
  const { Worker } = window;
  window.Worker = class extends Worker {
    constructor(...parameters) {
      super(...parameters);
      this.addEventListener("message", ({ data }) => {
        const message = typeof data === "string" ? JSON.parse(data) : data;
        if (message.result?.data !== undefined) note("colours");
      });
    }
  };
  new MutationObserver(() => {
    if (/No problems|error|warning|hint/.test(document.getElementById("status")?.textContent ?? "")) note("diagnostics");
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

async function visit(browser) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", { offline: false, latency: LATENCY, downloadThroughput: (MBIT * 1e6) / 8, uploadThroughput: (MBIT * 1e6) / 8 });
  await page.addInitScript(observe);
  sent = needed = 0;
  await page.goto(`${origin}/`, { waitUntil: "commit" });
  await page.waitForFunction(() => window.times?.diagnostics !== undefined);
  const untilDiagnostics = needed;
  await page.click("#evaluate");
  await page.frameLocator("#view-warp iframe").locator(".row .cell").first().waitFor();
  const out = await page.evaluate(() => ({ paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ...window.times, evaluation: performance.now() }));
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.waitForTimeout(500);
  await context.close();
  return { ...out, "kB until diagnostics": untilDiagnostics / 1e3, "kB in all": sent / 1e3 };
}

const browser = await launch();
const found = [];
for (let run = 0; run < Number(runs); run++) found.push(await visit(browser));
await browser.close();
server.close();
console.log(`${MBIT} Mbit/s, ${LATENCY} ms, ${runs} visits: median (least to most), milliseconds since the navigation`);
for (const name of ["paint", "diagnostics", "colours", "evaluation", "kB until diagnostics", "kB in all"]) {
  const values = found.map((one) => Math.round(one[name])).sort((a, b) => a - b);
  console.log(`${name}: ${values[values.length >> 1]} (${values[0]} to ${values.at(-1)})`);
}

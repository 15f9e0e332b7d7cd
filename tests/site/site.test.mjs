// The reference site in a real browser, opened from files as a user would: search, keyboard, widths, colours, accessibility.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const site = process.env.SITE;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const address = (path) => pathToFileURL(join(site, path)).href;
const pictures = process.env.OUT;

// One page of each kind, and the pages with the widest and longest contents.
const PAGES = [
  "index.html",
  "instructions/index.html",
  "instructions/fma.html",
  "instructions/cvt.html",
  "concepts/index.html",
  "concepts/tma.html",
  "instructions/mma.html",
  "instructions/cp.async.bulk.tensor.html",
  "instructions/wgmma.mma_async.html",
  "modifiers/index.html",
  "modifiers/ftz.html",
  "types/index.html",
  "types/f16x2.html",
  "state-spaces/shared-cta.html",
  "special-registers/tid.html",
  "directives/maxntid.html",
  "constants/WARP_SZ.html",
  "targets/index.html",
  "targets/sm_90a.html",
  "versions/8.0.html",
  "diagnostics/operand-type.html",
  "kernels/mma_matmul.html",
];

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  });
});
after(() => browser?.close());

// Opens a page; the test fails if anything is blocked, throws, or is loaded from elsewhere.
async function open(path, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => request.url().startsWith("file:") || troubles.push(`asks for ${request.url()}`));
  await page.goto(address(path));
  return { page, close: () => context.close(), check: () => assert.deepEqual(troubles, [], path) };
}

test("search finds every kind of thing, from a file", async () => {
  const { page, close, check } = await open("index.html");
  for (const [typed, name, kind] of [
    ["fma", "fma", "instruction"],
    ["mbarrier try", "mbarrier.try_wait", "instruction"],
    [".ftz", ".ftz", "modifier"],
    ["laneid", "%laneid", "special register"],
    [".maxntid", ".maxntid", "directive"],
    ["f16x2", ".f16x2", "type"],
    ["sm_90a", "sm_90a", "target"],
    ["operand-type", "operand-type", "diagnostic"],
    ["8.5", "8.5", "version"],
    ["saxpy", "saxpy", "kernel"],
    ["warp_sz", "WARP_SZ", "constant"],
    [".shared", ".shared", "state space"],
    ["fma.rn.ftz.f32", "fma", "instruction"],
    ["__shfl_xor_sync", "shfl.sync", "instruction"],
    ["threadIdx.x", "%tid", "special register"],
    ["atomicadd", "atom", "instruction"],
    ["syncthreads", "bar", "instruction"],
    ["__shared__", ".shared", "state space"],
    ["__syncthreads", "bar", "instruction"],
    ["tma load", "TMA, the tensor memory accelerator", "topic"],
    ["wgmma descriptor", "Matrix descriptor", "topic"],
    ["how to shuffle between lanes", "Shuffle: values between lanes", "topic"],
    ["bank conflicts", "Bank conflict", "topic"],
    ["denormals", "Subnormal numbers and flush to zero", "topic"],
    ["cuda::barrier", "mbarrier.init", "instruction"],
    ["wmma::mma_sync", "wmma.mma", "instruction"],
  ]) {
    await page.fill("#search", typed);
    await page.waitForSelector("#found li");
    const first = page.locator("#found li").first();
    assert.equal(await first.locator("code").textContent(), name, typed);
    const kinds = await page.locator("#found li", { has: page.locator(`code:text-is("${name}")`) }).locator(".kind").allTextContents();
    assert.ok(kinds.includes(kind), `${typed}: ${kinds}`);
  }
  // What has little of the words is not shown.
  await page.fill("#search", "zzzz");
  await page.waitForSelector("#said.shown");
  assert.equal(await page.locator("#said").textContent(), "Nothing found");
  check();
  await close();
});

test("a name of CUDA C++ is named in the list and on the page", async () => {
  const { page, close, check } = await open("index.html");
  await page.fill("#search", "__shfl_xor_s");
  await page.waitForSelector("#found li");
  assert.match(await page.locator("#found li .summary").first().textContent(), /^__shfl_xor_sync in CUDA C\+\+ – /);
  await page.locator("#found li").first().click();
  await page.waitForURL(address("instructions/shfl.sync.html"));
  assert.match(await page.locator("#cuda + dl").textContent(), /__shfl_xor_sync\s*shfl\.sync\.bfly\.b32/);
  check();
  await close();
});

test("the keyboard alone leads to a page", async () => {
  const { page, close, check } = await open("instructions/add.html");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.type("mul");
  await page.waitForSelector("#found li");
  assert.ok((await page.locator("#found li").count()) > 1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.getAttribute("#search", "aria-activedescendant"), "found0");
  await page.keyboard.press("Enter");
  await page.waitForURL(address("instructions/mul.html"));
  assert.equal(await page.locator("h1").textContent(), "mul");
  await page.keyboard.press("/");
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#found").isVisible(), false);
  assert.equal(await page.inputValue("#search"), "");
  check();
  await close();
});

test("a page says what the instruction does before its forms, and lists its sections", async () => {
  const { page, close, check } = await open("instructions/mma.html");
  const parts = page.locator("main section");
  assert.match(await parts.first().locator("details.form summary").first().textContent(), /\.f32\.f16\.f16\.f32/);
  assert.equal(await page.locator(".contents li").count(), await parts.count());
  const titles = await parts.first().locator("h3").allTextContents();
  const order = ["What it does", "Examples", "Forms", "Operands", "Targets and versions"].map((title) => titles.indexOf(title));
  assert.ok(order.every((place, index) => place >= 0 && (index === 0 || place > order[index - 1])), titles.join(", "));
  assert.deepEqual(await parts.first().locator(".sections a").allTextContents(), titles);
  await parts.first().locator(".sections a", { hasText: "Forms" }).click();
  assert.match(page.url(), /#part1-forms$/);
  check();
  await close();
});

test("forms open to their modifiers, and print unfolded", async () => {
  const { page, close, check } = await open("instructions/cvt.html");
  const form = page.locator("details.form").first();
  assert.equal(await form.getAttribute("open"), null);
  await form.locator("summary").click();
  assert.ok((await form.locator("dl a").count()) > 5);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("details:not([open])").count(), 0);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.ok((await page.locator("details:not([open])").count()) > 10);
  check();
  await close();
});

test("the colours can be chosen and stay chosen", async () => {
  const { page, close, check } = await open("index.html", { colorScheme: "light" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.click("#theme");
  assert.equal(await page.textContent("#theme"), "Light");
  assert.equal(await paper(), light);
  await page.click("#theme");
  assert.equal(await page.textContent("#theme"), "Dark");
  assert.notEqual(await paper(), light);
  await page.goto(address("types/f32.html"));
  assert.equal(await page.textContent("#theme"), "Dark");
  assert.notEqual(await paper(), light);
  check();
  await close();
});

for (const width of [360, 1280]) {
  test(`nothing is wider than a screen of ${width}`, async () => {
    const { page, close, check } = await open("index.html", { viewport: { width, height: 800 } });
    for (const path of PAGES) {
      await page.goto(address(path));
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${path} is ${wide} wide`);
      if (pictures) {
        await page.goto(address(path));
        await page.screenshot({ path: join(pictures, `${width}-${path.replaceAll("/", "-")}.png`) });
      }
    }
    check();
    await close();
  });
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious in ${colorScheme}`, async () => {
    const { page, close } = await open("index.html", { colorScheme, viewport: { width: 1000, height: 800 } });
    for (const path of PAGES) {
      await page.goto(address(path));
      if (path === "instructions/fma.html") {
        // Check with everything unfolded, including the search list.
        await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
        await page.fill("#search", "ld");
        await page.waitForSelector("#found li");
      }
      // Inject it from outside the page: its content policy allows no other script.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
      const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
      const told = serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
      assert.deepEqual(told, [], path);
    }
    await close();
  });
}

test("every page opens without a complaint", async () => {
  const { page, close, check } = await open("index.html");
  const folders = readdirSync(site, { withFileTypes: true }).filter((e) => e.isDirectory());
  // Check only a few pages of each folder: all of them would take minutes.
  for (const folder of folders) {
    const files = readdirSync(join(site, folder.name));
    for (const file of files.filter((_, index) => index % Math.ceil(files.length / 8) === 0)) {
      await page.goto(address(`${folder.name}/${file}`));
      assert.ok((await page.textContent("h1")).length > 0, file);
    }
  }
  check();
  await close();
});

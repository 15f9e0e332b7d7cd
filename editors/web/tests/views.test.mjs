// The views beside the text in Chromium: warp panel, outline, register report, reference; and the pickers of the module.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KERNEL, accessible, checked, fragmentOf, moveBehind, open, skip, textOf } from "./browser.mjs";

/** The panel's frame when it shows registers. */
async function panelOf(page) {
  const frame = await (await page.waitForSelector("#view-warp iframe")).contentFrame();
  await frame.locator(".row .cell").first().waitFor();
  return frame;
}

const stepOf = (frame) => frame.locator(".slide .number").inputValue().then(Number);

test("a kernel runs step by step", { skip }, async () => {
  const asked = [];
  const { page, picture, check, close } = await open({}, "", async (page) => page.on("request", (request) => asked.push(request.url())));
  await checked(page, "No problems");
  assert.ok(!asked.some((url) => /panel|warp|registers|outline|reference/.test(url)), asked.join(" "));
  await moveBehind(page, ".visible .entry");
  await page.keyboard.press("Control+Enter");
  const frame = await panelOf(page);
  assert.match(await frame.locator(".badge.ok").textContent(), /expectations? holds?|finished/);
  const first = await stepOf(frame);
  await page.locator(".step-line").waitFor();
  const line = await page.locator(".step-line").textContent();
  // The keyboard is in the panel.
  await page.keyboard.press("n");
  await page.waitForFunction((before) => document.getElementById("editor").shadowRoot.querySelector(".step-line")?.textContent !== before, line);
  assert.equal(await stepOf(frame), first + 1);
  await page.keyboard.press("b");
  await page.keyboard.press("b");
  assert.equal(await stepOf(frame), first - 1);
  // The text shows the values of the step.
  await page.locator(".hint", { hasText: "lane 0" }).first().waitFor();
  await frame.locator("[role=tab]", { hasText: "Results" }).click();
  await frame.locator(".expectations .ok").first().waitFor();
  await picture("warp");
  // Another view ends the evaluation in the text.
  await page.click("#tab-check");
  await page.locator(".step-line").waitFor({ state: "detached" });
  await page.locator(".hint", { hasText: "lane 0" }).first().waitFor({ state: "detached" });
  check();
  await close();
});

test("the panel follows edits, writes launches and shows faults", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await page.click("#evaluate");
  const frame = await panelOf(page);
  await frame.locator(".notice", { hasText: "Guessed launch" }).waitFor();
  await frame.locator("button", { hasText: "Write the launch line" }).click();
  await page.waitForFunction(() => document.getElementById("editor").shadowRoot.querySelector(".cm-content").cmTile.view.state.doc.toString().includes("//! launch:"));
  await frame.locator(".notice", { hasText: "Guessed launch" }).waitFor({ state: "detached" });
  const set = (from, to) =>
    page.locator(".cm-content").evaluate(
      (content, [from, to]) => {
        const { view } = content.cmTile;
        const at = view.state.doc.toString().indexOf(from);
        view.dispatch({ changes: { from: at, to: at + from.length, insert: to } });
      },
      [from, to],
    );
  await set("%r1, 7;", "%r1, 9;");
  await frame.locator(".place .statement, .cell", { hasText: "9" }).first().waitFor();
  await set("[%rd2]", "[%rd2+1048576]");
  await frame.locator(".badge.bad", { hasText: "fault" }).waitFor();
  await picture("fault");
  await set("add.s32", "add.s33");
  await frame.locator(".notice.bad").first().waitFor();
  check();
  await close();
});

test("another example is evaluated in the open panel", { skip }, async () => {
  const { page, check, close } = await open();
  await checked(page, "No problems");
  await page.click("#tab-warp");
  const frame = await panelOf(page);
  await page.selectOption("#example", "mma_matmul");
  await frame.locator(".head .entry option", { hasText: "mma_matmul" }).first().waitFor({ state: "attached" });
  await frame.locator(".badge.ok").waitFor();
  check();
  await close();
});

test("names in a text and messages from elsewhere are no HTML in the panel", { skip }, async () => {
  const text = KERNEL.replace(".visible", "//! launch: grid=1 block=32 out=u32[32] # <img src=x onerror=alert(1)>\n.visible");
  const { page, check, close } = await open({}, fragmentOf(text));
  await checked(page);
  await page.click("#evaluate");
  const frame = await (await page.waitForSelector("#view-warp iframe")).contentFrame();
  await frame.locator(".notice, .row").first().waitFor();
  assert.equal(await frame.locator("img, script:not([src])").count(), 0);
  await page.evaluate(() => window.postMessage({ type: "write", lines: ["bad"], replaces: null, above: 1 }, "*"));
  assert.equal(await textOf(page), text);
  check();
  await close();
});

test("below the last kernel, the first one is evaluated; without a kernel, the panel says so", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+Enter");
  const frame = await panelOf(page);
  assert.equal(await frame.locator(".head .entry").inputValue(), "add");
  await page.locator(".cm-content").evaluate((content) => content.cmTile.view.dispatch({ changes: { from: 0, to: content.cmTile.view.state.doc.length } }));
  await page.click("#evaluate");
  await frame.locator(".notice.bad", { hasText: /no kernel|no entry/ }).waitFor();
  check();
  await close();
});

test("a kernel without an end stops at the limit, and the text can be edited meanwhile", { skip }, async () => {
  const text = KERNEL.replace("    ret;", "again:\n    add.s32 %r2, %r2, 1;\n    bra again;");
  const { page, check, close } = await open({}, fragmentOf(text));
  await checked(page);
  await page.click("#evaluate");
  const frame = await (await page.waitForSelector("#view-warp iframe")).contentFrame();
  await moveBehind(page, "st.global.u32 [%rd2], %r2;");
  await page.keyboard.type(" // mine");
  await frame.locator(".badge.bad", { hasText: "limit" }).waitFor({ timeout: 60_000 });
  await frame.locator(".notice", { hasText: "Canceled" }).waitFor({ state: "detached" });
  assert.match(await textOf(page), /%r2; \/\/ mine/);
  check();
  await close();
});

test("the outline leads to declarations", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await page.click("#tab-outline");
  await page.locator(".outline button", { hasText: "add" }).first().click();
  await page.locator(".cm-activeLine", { hasText: ".entry add" }).waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type(".global .u32 counter;\n");
  await page.locator(".outline button", { hasText: "counter" }).waitFor();
  check();
  await close();
});

test("the register report follows the cursor", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await page.click("#tab-registers");
  await page.locator("#view-registers summary", { hasText: /add ≈ \d+ registers/ }).waitFor();
  await moveBehind(page, "add.s32 %r2");
  await page.locator("#view-registers h3", { hasText: "Live at line 12" }).waitFor();
  await picture("registers");
  await page.locator("#view-registers button", { hasText: "Most live" }).click();
  check();
  await close();
});

test("links of documentation and problems open chapters", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL.replace("%r2,", "%r9,").replace("ret;", "bar.sync 0;\n    ret;")));
  await checked(page, /error/);
  await page.locator("#problems a.code").first().click();
  await page.locator("#view-reference", { hasText: "without a declaration" }).waitFor();
  await page.click("#tab-check");
  await moveBehind(page, "cvt");
  const link = page.locator("#about a[href^='#explain=']").first();
  await link.waitFor();
  assert.doesNotMatch(await page.locator("#about").textContent(), /ptx-analyzer explain/);
  await link.click();
  await page.locator("#view-reference .documentation", { hasText: "cvta" }).waitFor();
  await picture("reference");
  await page.locator("#view-reference input").fill("shuffle");
  await page.keyboard.press("Enter");
  await page.locator("#view-reference", { hasText: "shfl.sync" }).waitFor();
  await page.locator("#view-reference input").fill("no such thing <b>x</b>");
  await page.keyboard.press("Enter");
  await page.locator("#view-reference", { hasText: "has nothing about" }).waitFor();
  assert.equal(await page.locator("#view-reference b").count(), 0);
  await page.locator("#view-reference button", { hasText: "Back" }).click();
  await page.locator("#view-reference", { hasText: "shfl.sync" }).waitFor();
  check();
  await close();
});

test("target and version are picked", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL.replace("ret;", "fence.acq_rel.cluster;\n    ret;")));
  await checked(page, "No problems");
  await page.waitForFunction(() => document.querySelectorAll("#target option").length > 20);
  assert.equal(await page.inputValue("#target"), "sm_90");
  assert.equal(await page.inputValue("#version"), "8.0");
  await page.selectOption("#target", "sm_80");
  await checked(page, /error/);
  assert.match(await textOf(page), /^\.target sm_80$/m);
  await page.selectOption("#version", "7.0");
  assert.match(await textOf(page), /^\.version 7\.0$/m);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await checked(page, "No problems");
  await page.waitForFunction(() => document.getElementById("target").value === "sm_90");
  check();
  await close();
});

test("the keyboard alone opens each view", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await page.locator("#tab-check").focus();
  for (const name of ["outline", "registers", "warp", "reference"]) {
    await page.locator(`#tab-${await page.locator("#tabs [aria-selected=true]").evaluate((tab) => tab.id.slice(4))}`).focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(`#tab-${name}[aria-selected=true]`).waitFor();
    if (name === "warp") await panelOf(page);
  }
  check();
  await close();
});

test("the parts of the page that open later say when they do not load", { skip }, async () => {
  const { page, close } = await open({}, fragmentOf(KERNEL), (page) => page.context().route("**/outline.js", (route) => route.fulfill({ status: 404 })));
  await checked(page, "No problems");
  await page.click("#tab-outline");
  await page.locator("#notice", { hasText: "did not load" }).waitFor();
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 1200]) {
    test(`axe finds nothing in the views in ${colorScheme}, ${width} wide, and nothing is wider`, { skip }, async () => {
      const { page, picture, close } = await open({ colorScheme, viewport: { width, height: 740 } });
      await checked(page, "No problems");
      const narrow = (frame) => frame.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
      await page.click("#evaluate");
      const frame = await panelOf(page);
      await picture(`warp-${colorScheme}-${width}`);
      await accessible(frame);
      assert.ok(await narrow(frame), "the panel is wider than its frame");
      for (const name of ["warp", "outline", "registers", "reference"]) {
        await page.click(`#tab-${name}`);
        if (name === "reference") {
          await page.locator("#view-reference input").fill("mma");
          await page.keyboard.press("Enter");
        }
        if (name !== "warp") await page.locator(`#view-${name} :is(li, summary)`).first().waitFor();
        await picture(`${name}-${colorScheme}-${width}`);
        await accessible(page);
        assert.ok(await narrow(page), `${name} is wider than the page`);
      }
      await close();
    });
  }
}

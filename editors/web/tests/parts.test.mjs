// The playground while the second part of the language server's module is loaded, and without it, in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KERNEL, checked, fragmentOf, moveBehind, open, skip, textOf } from "./browser.mjs";

const REST = "**/ptx-analyzer-rest.wasm";

test("what the user does before the second part arrives is not lost", { skip }, async () => {
  let arrive = () => {};
  const arrived = new Promise((done) => (arrive = done));
  const hold = async (route) => {
    await arrived;
    await route.continue();
  };
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL), (page) => page.context().route(REST, hold));
  await checked(page, "No problems");
  await moveBehind(page, "add.s32 %r2");
  await page.keyboard.type("9");
  await checked(page, "1 error");
  await page.keyboard.press("Backspace");
  await checked(page, "No problems");
  await page.keyboard.press("Control+Enter");
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".cm-line .ptx-parameter").count(), 0, "the colours of names need the second part");
  await picture("early");
  await moveBehind(page, "ret;");
  await page.keyboard.type(" // mine");
  arrive();
  await page.frameLocator("#view-warp iframe").locator(".row .cell").first().waitFor();
  await page.locator(".cm-line .ptx-parameter").first().waitFor();
  assert.equal(await textOf(page), KERNEL.replace("ret;", "ret; // mine"));
  await page.click("#tab-check");
  await checked(page, "No problems");
  await moveBehind(page, "cvta");
  await page.locator("#about", { hasText: "address" }).waitFor();
  check();
  await close();
});

test("without the second part the page says so, checks on, and tries again", { skip }, async () => {
  let status = 404;
  const answer = (route) => (status === 200 ? route.continue() : route.fulfill({ status }));
  const { page, picture, close } = await open({}, fragmentOf(KERNEL), (page) => page.context().route(REST, answer));
  await checked(page, "No problems");
  await page.locator(".cm-dialog, .cm-panel", { hasText: "Only diagnostics work" }).first().waitFor();
  await moveBehind(page, "add.s32 %r2");
  await page.keyboard.type("9");
  await checked(page, "1 error");
  await page.keyboard.press("Backspace");
  await checked(page, "No problems");
  await page.click("#evaluate");
  const panel = page.frameLocator("#view-warp iframe");
  await panel.locator(".notice", { hasText: "did not load" }).waitFor();
  await picture("no-rest");
  // With a network again, the colours come without a further action.
  status = 200;
  await page.locator(".cm-line .ptx-parameter").first().waitFor();
  await page.click("#tab-check");
  await page.click("#evaluate");
  await panel.locator(".row .cell").first().waitFor();
  await close();
});

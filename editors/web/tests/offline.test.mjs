// The playground without a network, and after an update, in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { KERNEL, checked, dist, fragmentOf, launch, moveBehind, serve, skip, textOf } from "./browser.mjs";

const build = fileURLToPath(new URL("../offline.mjs", import.meta.url));

/** Changes the title of the page, as an update would. */
function update(folder, title) {
  const file = join(folder, "index.html");
  writeFileSync(file, readFileSync(file, "utf8").replace(/<h1>.*<\/h1>/, `<h1>${title}</h1>`));
  execFileSync(process.execPath, [build, folder]);
}

/** Waits until the worker of the page is active. */
const installed = (page) => page.evaluate(async () => void (await navigator.serviceWorker.ready));

test("the page works without a network after the first visit, and says when a new version is there", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ptx-playground-"));
  cpSync(dist, folder, { recursive: true });
  const { server, origin } = await serve(folder);
  const browser = await launch();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/${fragmentOf(KERNEL)}`);
    await checked(page, "No problems");
    await installed(page);
    const title = page.locator("h1");

    await context.setOffline(true);
    server.refuse = true;
    await page.reload();
    await checked(page, "No problems");
    assert.equal(await textOf(page), KERNEL);
    await page.click("#evaluate");
    await page.frameLocator("#view-warp iframe").locator(".row .cell").first().waitFor();
    await page.click("#tab-check");
    await page.selectOption("#example", "mma_matmul");
    await page.locator(".cm-line", { hasText: /^\/\/ mma_matmul/ }).waitFor();

    // With a network again, the old version says that there is a new one.
    server.refuse = false;
    await context.setOffline(false);
    update(folder, "New playground");
    await page.goto("about:blank");
    await page.goto(`${origin}/${fragmentOf(KERNEL)}`);
    assert.equal(await title.textContent(), "PTX playground");
    await page.locator("#update", { hasText: "A new version" }).waitFor();
    await moveBehind(page, "ret;");
    await page.keyboard.type(" // mine");
    await page.locator("#update button").click();
    await page.locator("h1", { hasText: "New playground" }).waitFor();
    await checked(page, "No problems");
    assert.equal(await textOf(page), KERNEL.replace("ret;", "ret; // mine"));
    assert.ok(await page.locator("#update").isHidden());
    assert.equal((await page.evaluate(() => caches.keys())).length, 1);

    // A file of another version than the worker's is refused, and the page stays whole.
    update(folder, "Third playground");
    writeFileSync(join(folder, "page.css"), "body { display: none }");
    await page.goto("about:blank");
    await page.goto(`${origin}/${fragmentOf(KERNEL)}`);
    await checked(page, "No problems");
    await page.waitForTimeout(4_000);
    assert.equal(await title.textContent(), "New playground");
    assert.ok(await page.locator("#update").isHidden());
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true });
  }
});

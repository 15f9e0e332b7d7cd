// The playground in Chromium: the editor, the problems, examples and links.
//
// OUT=folder keeps pictures of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KERNEL, accessible, checked, fragmentOf, moveBehind, open, skip, textOf } from "./browser.mjs";

test("the page shows an example, checked and coloured", { skip }, async () => {
  const { page, picture, check, close } = await open();
  await checked(page, "No problems");
  assert.match(await textOf(page), /^\/\/ saxpy: /);
  assert.equal(await page.inputValue("#example"), "saxpy");
  await moveBehind(page, ".visible .entry saxpy");
  // Only the server knows that a name is a parameter.
  await page.locator(".cm-line .ptx-parameter").first().waitFor();
  await page.locator("#about", { hasText: "saxpy" }).waitFor();
  await picture("light");
  check();
  await close();
});

test("an error shows as it is typed, and goes again", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  await moveBehind(page, "add.s32 %r2");
  await page.keyboard.type("9");
  await checked(page, /\d error/);
  await page.locator(".cm-lintRange-error").waitFor();
  assert.match(await page.locator("#problems").textContent(), /12:\d+ error.*%r29/);
  await picture("error");
  await page.locator("#problems button").first().click();
  assert.equal(await page.locator(".cm-activeLine").textContent(), "    add.s32 %r29, %r1, 7;");
  await page.keyboard.press("Control+z");
  await checked(page, "No problems");
  assert.equal(await page.locator("#problems li").count(), 0);
  check();
  await close();
});

test("hover, description, completion and signature", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL));
  await checked(page, "No problems");
  // With the colours of names the words become other elements, under a pointer that does not move.
  await page.locator(".cm-line .ptx-parameter").first().waitFor();
  await page.locator(".cm-line .ptx-opcode", { hasText: "cvta" }).last().hover();
  await page.locator(".cm-lsp-hover-tooltip", { hasText: "address" }).waitFor();
  await picture("hover");
  await page.mouse.move(1, 1);
  await moveBehind(page, "cvta");
  await page.locator("#about", { hasText: "address" }).waitFor();
  await moveBehind(page, "%r1, 7;");
  await page.keyboard.type("\nmul.");
  await page.locator(".cm-tooltip-autocomplete li").first().waitFor();
  const offered = await page.locator(".cm-tooltip-autocomplete li").allTextContents();
  assert.ok(offered.some((one) => one.includes("lo")), offered.join(", "));
  await picture("completion");
  await page.keyboard.press("Escape");
  await page.keyboard.type("lo.s32 ");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+Space");
  await page.locator(".cm-lsp-signature-tooltip", { hasText: "mul.lo" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".cm-lsp-signature-tooltip").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+Shift+Space");
  await page.locator(".cm-lsp-signature-tooltip").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator(".cm-lsp-signature-tooltip").waitFor({ state: "hidden" });
  check();
  await close();
});

test("format, rename and definition", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL.replaceAll("    ", "")));
  await checked(page, "No problems");
  await page.click("#format");
  await page.waitForFunction(() => /\n    add\.s32/.test(document.getElementById("editor").shadowRoot.querySelector(".cm-content").cmTile.view.state.doc.toString()));
  await moveBehind(page, "[out");
  await page.keyboard.press("F2");
  await page.locator(".cm-lsp-rename-panel input").fill("result");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("editor").shadowRoot.querySelector(".cm-content").cmTile.view.state.doc.toString().split("result").length === 3);
  await moveBehind(page, "[result");
  await page.keyboard.press("F12");
  await page.locator(".cm-activeLine", { hasText: ".entry add" }).waitFor();
  check();
  await close();
});

test("a quick fix mends the text", { skip }, async () => {
  const { page, picture, check, close } = await open({}, fragmentOf(KERNEL.replace("add.s32 %r2", "add.s32 %r9")));
  await checked(page, "1 error");
  await page.locator("#problems .fix").first().waitFor();
  await picture("fixes");
  await page.locator("#problems .fix", { hasText: "%r9" }).first().click();
  await checked(page, /No problems|hint|warning/);
  assert.notEqual(await textOf(page), KERNEL);
  await page.keyboard.press("Control+z");
  await checked(page, "1 error");
  check();
  await close();
});

test("hints show the values of numbers that are written as bits", { skip }, async () => {
  const text = KERNEL.replace("    ret;", "    .reg .f32 %f;\n    mov.f32 %f, 0f40490FDB;\n    ret;");
  const { page, picture, check, close } = await open({}, fragmentOf(text));
  await page.locator(".hint", { hasText: "3.14159" }).waitFor();
  await picture("hints");
  assert.equal(await textOf(page), text);
  check();
  await close();
});

test("an example opens", { skip }, async () => {
  const { page, check, close } = await open();
  await checked(page, "No problems");
  assert.ok((await page.locator("#example option").count()) > 20);
  await page.selectOption("#example", "mma_matmul");
  await page.locator(".cm-line", { hasText: "mma_matmul: C = A * B" }).waitFor();
  await checked(page, "No problems");
  // A changed example can be chosen again.
  await page.locator(".cm-content").focus();
  await page.keyboard.type("// mine");
  assert.equal(await page.inputValue("#example"), "");
  await page.selectOption("#example", "mma_matmul");
  await page.locator(".cm-line", { hasText: /^\/\/ mma_matmul/ }).waitFor();
  await page.keyboard.press("Control+Home");
  assert.doesNotMatch(await textOf(page), /mine/);
  check();
  await close();
});

test("a link restores the text", { skip }, async () => {
  const first = await open({ permissions: ["clipboard-read", "clipboard-write"] }, fragmentOf(KERNEL));
  await checked(first.page, "No problems");
  const hostile = `// <img src=x onerror=alert(1)> </script><script>alert(2)</script> ä 漢 😀\n.func <b onclick=alert(3)>();\n`;
  await first.page.locator(".cm-content").evaluate((content, insert) => content.cmTile.view.dispatch({ changes: { from: 0, insert } }), hostile);
  await first.page.click("#share");
  await first.page.locator("#done", { hasText: "Link copied" }).waitFor();
  await first.picture("copied");
  const copied = await first.page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, first.page.url());
  first.check();
  await first.close();
  const second = await open({}, copied.slice(copied.indexOf("#")));
  await checked(second.page, /error/);
  assert.equal(await textOf(second.page), hostile + KERNEL);
  assert.equal(await second.page.locator("#editor img, #editor b, main script").count(), 0);
  // A link in the open page replaces the text.
  await second.page.evaluate((fragment) => (location.hash = fragment), fragmentOf(KERNEL));
  await checked(second.page, "No problems");
  assert.equal(await textOf(second.page), KERNEL);
  second.check();
  await second.close();
});

test("documentation that quotes the text contains no HTML of it", { skip }, async () => {
  const text = KERNEL.replace(".visible", `// <img src=x onerror=alert(1)> <a href="javascript:alert(2)">here</a> <form action=x><input></form>\n.visible`);
  const { page, check, close } = await open({}, fragmentOf(text));
  await checked(page, "No problems");
  await moveBehind(page, ".entry add");
  await page.locator("#about", { hasText: "add" }).waitFor();
  assert.equal(await page.locator("#about :is(img, form, input, a[href^=javascript])").count(), 0);
  check();
  await close();
});

test("damaged links and links to long texts are refused", { skip }, async () => {
  const bomb = fragmentOf(Buffer.alloc(50_000_000, 32));
  for (const [fragment, message] of [["#text=%25%25", "damaged"], ["#text=AAAA", "damaged"], [bomb, "longer than"], [fragmentOf(Buffer.from([0xff, 0xfe, 0x80])), "UTF-8"]]) {
    const { page, check, close } = await open({}, fragment);
    await page.locator("#notice", { hasText: message }).waitFor();
    assert.match(await textOf(page), /^\/\/ saxpy: /);
    check();
    await close();
  }
});

test("without the module, the page says so and the editor works", { skip }, async () => {
  const { page, picture, close } = await open({}, fragmentOf(KERNEL), (page) => page.context().route("**/*.wasm", (route) => route.fulfill({ status: 404 })));
  await page.locator("#notice", { hasText: "did not load" }).waitFor();
  await moveBehind(page, "7;");
  await page.keyboard.type(" // mine");
  assert.match(await textOf(page), /7; \/\/ mine/);
  assert.ok(await page.isEnabled("#share"));
  await picture("no-server");
  await close();
});

test("without the editor, the page says so", { skip }, async () => {
  const { page, close } = await open({}, "", (page) => page.context().route("**/editor.js", (route) => route.fulfill({ status: 404 })));
  await page.locator("#status", { hasText: "The editor did not load" }).waitFor();
  await close();
});

test("the keyboard alone reaches everything", { skip }, async () => {
  const { page, check, close } = await open({}, fragmentOf(KERNEL.replace("%r2,", "%r9,")));
  await checked(page, /error/);
  const reached = [];
  for (let index = 0; index < 14; index++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  assert.deepEqual(reached.slice(0, 8), ["example", "version", "target", "evaluate", "format", "share", "editor", "tab-check"]);
  assert.ok(reached.includes("BUTTON"), reached.join(", "));
  check();
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [360, 1200]) {
    test(`axe finds nothing in ${colorScheme}, ${width} wide, and nothing is wider`, { skip }, async () => {
      const { page, picture, close } = await open({ colorScheme, viewport: { width, height: 740 } }, fragmentOf(KERNEL.replace("%r2,", "%r9,")));
      await checked(page, /error/);
      await moveBehind(page, "cvta");
      await page.locator("#about", { hasText: "address" }).waitFor();
      await picture(`${colorScheme}-${width}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      await accessible(page);
      await close();
    });
  }
}

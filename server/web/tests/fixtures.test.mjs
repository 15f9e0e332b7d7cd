// The fixtures of the checker get the same diagnostics as from the program, and a text has the same ones after any edits.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { folder, kernel, native, pause, web } from "./client.mjs";
import { edits, numbers } from "./numbers.mjs";

const TIMEOUT = 20_000;

const fixtures = readdirSync(`${folder}tests/fixtures`, { recursive: true })
  .filter((name) => name.endsWith(".ptx"))
  .map((name) => `tests/fixtures/${name}`)
  .sort();

/** The last diagnostics of a version. */
const last = (client, uri, version) => client.messages.findLast(({ method, params }) => method === "textDocument/publishDiagnostics" && params.uri === uri && params.version === version)?.params.diagnostics;

/** Waits until both sessions have published the same diagnostics, which takes some time: lints run when nothing else does. */
async function same(one, other, what) {
  const deadline = performance.now() + TIMEOUT;
  while (performance.now() < deadline && !(other() !== undefined && isDeepStrictEqual(one(), other()))) await pause(50);
  assert.deepEqual(one(), other(), what);
}

test("the fixtures get the diagnostics that the program reports", async () => {
  const [inBrowser, program] = [web(), native()];
  await Promise.all([inBrowser.initialize(), program.initialize()]);
  const uri = (name) => `file:///${name}`;
  for (const name of fixtures) for (const client of [inBrowser, program]) client.open(uri(name), readFileSync(folder + name, "utf8"));
  // The program is done with all of them when it answers this.
  for (const name of fixtures) await program.request("workspace/executeCommand", { command: "ptx-analyzer.registerPressure", arguments: [{ uri: uri(name), wait: true }] });
  for (const name of fixtures) await same(() => last(inBrowser, uri(name), 1), () => last(program, uri(name), 1), name);
  assert.ok(fixtures.filter((name) => last(program, uri(name), 1).length > 0).length > fixtures.length / 2);
  program.connection.end();
});

const PIECES = ["", "\n", "{", "}", ";", "bad ", ".f32", "%r1", "ret;\n", "// ", "/*", "*/", ".reg .b32 %new;\n", "é"];

for (const [seed, name] of ["saxpy", "mma_matmul", "tma_pipeline"].entries()) {
  test(`${name} after each of many edits has the diagnostics of a text that was just opened`, async () => {
    const next = numbers(seed + 1);
    const [client, fresh] = [web(), web()];
    await Promise.all([client.initialize(), fresh.initialize()]);
    const uri = "file:///edited.ptx";
    let lines = kernel(name).split("\n");
    client.open(uri, lines.join("\n"));
    for (let version = 2; version < 22; version++) {
      // Several edits at once, as when somebody types fast.
      const edited = edits(lines, next, PIECES);
      lines = edited.lines;
      client.change(uri, version, ...edited.changes);
      const other = `file:///fresh-${version}.ptx`;
      fresh.open(other, lines.join("\n"), version);
      await fresh.request("workspace/executeCommand", { command: "ptx-analyzer.registerPressure", arguments: [{ uri: other, wait: true }] });
      const afresh = () => JSON.parse(JSON.stringify(last(fresh, other, version)).replaceAll(other, uri));
      await same(() => last(client, uri, version), afresh, `version ${version}, after ${JSON.stringify(edited.changes)}`);
      fresh.notify("textDocument/didClose", { textDocument: { uri: other } });
    }
  });
}

// Every kernel of tests/kernels has the same diagnostics and evaluates to the same bytes as in the native server.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { folder, kernel, native, web } from "./client.mjs";

const names = readdirSync(`${folder}tests/kernels`).filter((name) => name.endsWith(".ptx")).map((name) => name.slice(0, -4));

/** The result of each kernel. A long run that was limited by time is left out: it ends where the time does. */
async function results(client) {
  await client.initialize();
  const out = {};
  let milliseconds = 0;
  for (const name of names) {
    const uri = `untitled:${name}.ptx`;
    client.open(uri, kernel(name));
    const published = await client.message((m) => m.method === "textDocument/publishDiagnostics" && m.params.uri === uri);
    const begin = performance.now();
    const answer = await client.request("workspace/executeCommand", { command: "ptx-analyzer.evaluateWarp", arguments: [{ uri, brief: true }] });
    milliseconds += performance.now() - begin;
    const { status, buffers, faults, expectations, warp_instructions } = answer.result ?? {};
    out[name] = { diagnostics: published.params.diagnostics, error: answer.error, status, buffers, faults, expectations, warp_instructions };
    client.notify("textDocument/didClose", { textDocument: { uri } });
  }
  client.connection.end();
  return { out, milliseconds };
}

test("all kernels evaluate to the same bytes", async () => {
  const own = await results(web());
  const expected = await results(native());
  for (const name of names) assert.deepEqual(own.out[name], expected.out[name], name);
  const finished = names.filter((name) => own.out[name].status === "finished").length;
  console.log(`# ${names.length} kernels, ${finished} finished: ${own.milliseconds.toFixed(0)} ms, natively ${expected.milliseconds.toFixed(0)} ms`);
  assert.ok(finished > names.length / 2, `${finished} of ${names.length}`);
});

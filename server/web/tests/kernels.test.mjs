// Every kernel of tests/kernels has the same diagnostics and evaluates to the same bytes as in the native server, and all launches write
// the bytes that tests/portable/results.tsv records for every platform.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
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
    const answer = await client.request("workspace/executeCommand", { command: "ptx-analyzer.evaluateWarp", arguments: [{ uri }] });
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
  for (const name of names) {
    assert.ok(Object.keys(own.out[name].buffers).length > 0, name);
    assert.deepEqual(own.out[name], expected.out[name], name);
  }
  const finished = names.filter((name) => own.out[name].status === "finished").length;
  console.log(`# ${names.length} kernels, ${finished} finished: ${own.milliseconds.toFixed(0)} ms, natively ${expected.milliseconds.toFixed(0)} ms`);
  assert.ok(finished > names.length / 2, `${finished} of ${names.length}`);
});

/** FNV-1a of 64 bits, as in tests/tests/it/portable.rs. */
function digest(buffers) {
  let hash = 0xcbf29ce484222325n;
  const text = Object.keys(buffers).sort().map((name) => `${name}=${buffers[name]}\n`).join("");
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

test("all launches write the bytes that are recorded for every platform", async () => {
  const recorded = readFileSync(`${folder}tests/portable/results.tsv`, "utf8").trimEnd().split("\n").slice(1);
  const client = web();
  await client.initialize();
  const found = [];
  for (const line of recorded) {
    const [name, entry, number] = line.split("\t");
    const uri = `untitled:${name}-${entry}-${number}.ptx`;
    client.open(uri, readFileSync(`${folder}tests/${name}`, "utf8"));
    const argument = { uri, entry, number: Number(number) };
    const { result, error } = await client.request("workspace/executeCommand", { command: "ptx-analyzer.evaluateWarp", arguments: [argument] });
    assert.equal(error, undefined, line);
    found.push([name, entry, number, result.warp_instructions, digest(result.buffers)].join("\t"));
    client.notify("textDocument/didClose", { textDocument: { uri } });
  }
  client.connection.end();
  assert.deepEqual(found, recorded);
});

// The module in two parts: the first one checks texts, and what the user does before the second one arrives is not lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kernel, part, pause, web } from "./client.mjs";

const URI = "file:///kernels/one.ptx";
const TEXT = kernel("saxpy").replace("ret;", "ret.bogus;");
const textDocument = { uri: URI };
const position = { line: TEXT.split("\n").findIndex((line) => line.includes("ld.param")), character: 6 };
const start = { line: 0, character: 0 };
const CONTENT_MODIFIED = -32801;
const REQUEST_FAILED = -32803;

const rest = part("rest");

/** A server whose second part arrives when the test says so. */
function waiting(options = {}) {
  const loads = [];
  const client = web(options, () => new Promise((arrive, fail) => loads.push({ arrive: () => arrive(rest), fail: (reason) => fail(new Error(reason)) })));
  return { client, loads };
}

const hover = (client) => client.request("textDocument/hover", { textDocument, position });
const evaluate = (client) => client.request("workspace/executeCommand", { command: "ptx-analyzer.evaluateWarp", arguments: [{ uri: URI, count: 5 }] });
const told = (client) => client.messages.filter((m) => m.method === "window/showMessage").map((m) => m.params.message);
const codes = (diagnostics) => diagnostics.map(({ code }) => code);

/** The diagnostics of a text from the whole module. */
async function expected(text) {
  const client = web();
  await client.initialize();
  client.open(URI, text);
  return client.diagnostics(URI, 1);
}

test("diagnostics come before the second part, and everything else with it", async () => {
  const { client, loads } = waiting();
  const answer = await client.initialize();
  const whole = web();
  assert.deepEqual(answer, await whole.initialize());
  assert.equal(loads.length, 0);
  client.open(URI, TEXT);
  const first = await client.diagnostics(URI, 1, 400);
  assert.ok(codes(first).length > 0);
  assert.equal(loads.length, 1, "the rest is loaded after the first diagnostics");
  const [hovered, evaluated] = [hover(client), evaluate(client)];
  await pause(100);
  assert.equal(client.connection.server.isComplete, false);
  loads[0].arrive();
  assert.match(JSON.stringify((await hovered).result), /parameter space/);
  const { result, error } = await evaluated;
  assert.ok(result !== undefined || error.message.length > 0, JSON.stringify(error));
  assert.deepEqual(await client.diagnostics(URI, 1), await expected(TEXT));
  assert.equal(loads.length, 1);
  assert.equal(client.connection.server.starts, 1, "the same server goes on");
});

test("edits while the second part is loaded are checked, and requests about an older text are refused", async () => {
  const { client, loads } = waiting();
  await client.initialize();
  client.open(URI, TEXT);
  const before = hover(client);
  client.change(URI, 2, { range: { start, end: start }, text: "// typed\n" });
  const moved = await client.diagnostics(URI, 2, 400);
  assert.ok(moved.length > 0 && moved[0].range.start.line > 0);
  const tokens = client.request("textDocument/semanticTokens/full", { textDocument });
  client.change(URI, 3, { range: { start, end: start }, text: "bad\n" });
  const after = client.request("textDocument/documentSymbol", { textDocument });
  loads[0].arrive();
  client.change(URI, 4, { range: { start, end: { line: 1, character: 0 } }, text: "" });
  assert.equal((await before).error?.code, CONTENT_MODIFIED);
  assert.equal((await tokens).error?.code, CONTENT_MODIFIED);
  assert.notEqual((await after).result ?? (await after).error?.code, undefined);
  assert.deepEqual(await client.diagnostics(URI, 4), await expected(`// typed\n${TEXT}`));
  const { result } = await client.request("textDocument/semanticTokens/full", { textDocument });
  assert.ok(result.data.length > 0);
});

test("a kernel runs when the second part arrives", async () => {
  const { client, loads } = waiting();
  await client.initialize();
  client.open(URI, kernel("saxpy"));
  const evaluated = evaluate(client);
  loads[0].arrive();
  assert.equal((await evaluated).result?.status, "finished");
  client.change(URI, 2, { range: { start, end: start }, text: "\n" });
  assert.equal((await evaluate(client)).result?.status, "finished");
});

test("without the second part the server says so, checks on, and tries again", async () => {
  let later = 0;
  const { client, loads } = waiting({ now: () => performance.now() + later });
  await client.initialize();
  client.open(URI, TEXT);
  const evaluated = evaluate(client);
  loads[0].fail("no network");
  const { error } = await evaluated;
  assert.equal(error.code, REQUEST_FAILED);
  assert.match(error.message, /did not load: no network/);
  // Soon after, it is not loaded again.
  assert.match((await hover(client)).error.message, /no network/);
  assert.equal(loads.length, 1);
  client.change(URI, 2, { text: kernel("saxpy") });
  assert.deepEqual(await client.diagnostics(URI, 2, 400), []);
  later = 10_000;
  const again = evaluate(client);
  assert.equal(loads.length, 2);
  loads[1].fail("no network");
  assert.match((await again).error.message, /no network/);
  assert.equal(told(client).length, 1, told(client).join("\n"));
  later = 20_000;
  const last = evaluate(client);
  loads[2].arrive();
  assert.equal((await last).result?.status, "finished");
});

test("parts of two versions are not joined", async () => {
  const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 9, 7, ...new TextEncoder().encode("version"), 1]);
  const client = web({}, () => WebAssembly.compile(bytes));
  await client.initialize();
  client.open(URI, TEXT);
  assert.match((await hover(client)).error.message, /different versions/);
  assert.ok((await client.diagnostics(URI, 1, 400)).length > 0);
});

test("a failure before and after the second part arrives costs no text", async () => {
  let fails = false;
  const now = () => {
    if (fails) {
      fails = false;
      throw new Error("on purpose");
    }
    return performance.now();
  };
  const { client, loads } = waiting({ now, log: () => {} });
  const { server } = client.connection;
  await client.initialize();
  client.open(URI, TEXT);
  const before = hover(client);
  const first = await client.diagnostics(URI, 1, 400);
  fails = true;
  client.change(URI, 2, { range: { start, end: start }, text: "\n" });
  assert.equal((await before).error?.code, -32603);
  assert.deepEqual(codes(await client.diagnostics(URI, 2, 400)), codes(first));
  assert.equal(server.starts, 2);
  const waits = hover(client);
  loads[0].arrive();
  assert.notEqual((await waits).result, undefined);
  fails = true;
  client.change(URI, 3, { range: { start, end: start }, text: "\n" });
  assert.deepEqual(codes(await client.diagnostics(URI, 3, 400)), codes(await expected(`\n\n${TEXT}`)));
  assert.equal(server.starts, 3);
  assert.notEqual((await hover(client)).result, undefined);
  assert.equal(loads.length, 1);
});

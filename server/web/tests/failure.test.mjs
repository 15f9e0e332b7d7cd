// A failure of the module, whatever a client sends, costs no text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kernel, native, pause, web } from "./client.mjs";

const URI = "file:///kernels/one.ptx";
const TEXT = kernel("saxpy").replace("ret;", "ret.bogus;");

/** The module fails so many times while it works on a document. No text is known that makes it fail. */
let failures = 0;
/** It also fails each time it works on these. */
const cursed = new Set();

const Instance = WebAssembly.Instance;
WebAssembly.Instance = class extends Instance {
  constructor(module, { host }) {
    let working = false;
    let isCursed = false;
    const now = () => {
      if (isCursed) throw new Error("on purpose");
      if (working && failures > 0) {
        failures -= 1;
        throw new Error("on purpose");
      }
      return host.now();
    };
    const follow = (start, length) => {
      working = length > 0;
      isCursed = working && cursed.has(new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, start, length)));
      host.working(start, length);
    };
    super(module, { host: { ...host, now, working: follow } });
  }
};

const log = [];
const options = { log: (text) => log.push(text) };
const hover = (client, uri = URI) => client.request("textDocument/hover", { textDocument: { uri }, position: { line: 1, character: 2 } });
const told = (client) => client.messages.filter((m) => m.method === "window/showMessage").map((m) => m.params.message);
const starts = (client) => client.connection.server.starts;

async function begun() {
  const client = web(options);
  await client.initialize({ workspace: { configuration: true } });
  client.open(URI, TEXT);
  const first = await client.diagnostics(URI, 1, 400);
  assert.ok(first.length > 0);
  return [client, first];
}

test("a failure restarts the server with the texts", async () => {
  const [client, first] = await begun();
  const other = "file:///kernels/other.ptx";
  client.open(other, kernel("mma_matmul"));
  await client.diagnostics(other, 1, 400);
  const start = { line: 0, character: 0 };
  failures = 1;
  client.change(URI, 2, { range: { start, end: start }, text: "// a line\n// another line\n" });
  const waiting = hover(client);
  const moved = await client.diagnostics(URI, 2, 400);
  assert.equal(starts(client), 2);
  const down = (position) => ({ ...position, line: position.line + 2 });
  assert.deepEqual(moved.map((d) => [d.code, d.range]), first.map((d) => [d.code, { start: down(d.range.start), end: down(d.range.end) }]));
  const answer = await waiting;
  assert.ok(answer.error?.code === -32603 || answer.result !== undefined, JSON.stringify(answer));
  assert.match(told(client).join("\n"), /the server had an internal error in file:\/\/\/kernels\/one\.ptx/);
  assert.match(log.join("\n"), /one\.ptx.*on purpose/s);
  // Edits go on, of each document, and requests of the server reach the client.
  client.change(other, 2, { range: { start, end: start }, text: "bad\n" });
  assert.notDeepEqual(await client.diagnostics(other, 2), []);
  assert.notEqual((await hover(client)).result, undefined);
  assert.ok(client.messages.some((m) => m.method === "workspace/configuration" && String(m.id).startsWith("2/")));
  assert.equal(starts(client), 2);
});

test("a text that fails twice gets no diagnostics, the next one does", async () => {
  const [client, first] = await begun();
  failures = 2;
  const start = { line: 0, character: 0 };
  client.change(URI, 2, { range: { start, end: start }, text: "// a line\n" });
  assert.deepEqual(await client.diagnostics(URI, 2, 400), []);
  assert.equal(starts(client), 3);
  client.change(URI, 3, { text: TEXT });
  assert.deepEqual(await client.diagnostics(URI, 3, 400), first);
  assert.equal(starts(client), 3);
  assert.equal(told(client).length, 1, told(client).join("\n"));
});

test("the journal is replaced by the texts", async () => {
  const [client] = await begun();
  const start = { line: 0, character: 0 };
  for (let version = 2; version <= 501; version++) client.change(URI, version, { range: { start, end: start }, text: "//\n" });
  const expected = await client.diagnostics(URI, 501, 400);
  failures = 1;
  client.change(URI, 502, { range: { start, end: { line: 1, character: 0 } }, text: "//\n" });
  assert.deepEqual(await client.diagnostics(URI, 502, 400), expected);
  assert.equal(starts(client), 2);
});

test("a server that fails always ends", async () => {
  const [client] = await begun();
  failures = Infinity;
  for (let version = 2; version < 20; version++) {
    client.change(URI, version, { text: `${TEXT}// ${version}\n` });
    await pause(20);
  }
  await client.message((m) => m.method === "window/showMessage" && /has ended/.test(m.params.message));
  failures = 0;
  assert.equal((await hover(client)).error.code, -32603);
  assert.equal(starts(client), 6);
});

test("a server that has ended says so to its host", async () => {
  const reasons = [];
  const client = web({ ...options, ended: (reason) => reasons.push(reason) });
  await client.initialize();
  failures = Infinity;
  for (let version = 1; version < 20; version++) {
    if (version === 1) client.open(URI, TEXT);
    else client.change(URI, version, { text: `${TEXT}// ${version}\n` });
    await pause(20);
  }
  failures = 0;
  assert.equal(reasons.length, 1);
  assert.match(reasons[0], /one\.ptx.*has ended/);
  assert.ok(!told(client).some((message) => /has ended/.test(message)), "the host tells the user");
});

test("a document of another language that fails costs no other one", async () => {
  const client = web(options, undefined, "start_host");
  await client.initialize();
  const [bad, good] = ["file:///bad.cu", "file:///good.py"];
  const text = 'void f(int a) { asm("bad.u32 %0, %0;" : "+r"(a)); }\n';
  client.open(good, '@inline_ptx\ndef f():\n    asm = "add.u32 $0, $1, $1;"\n', 1, "python");
  client.open(bad, text, 1, "cuda-cpp");
  assert.ok((await client.diagnostics(bad, 1, 300)).length > 0);
  // The journal is replaced by the texts, each in its language.
  for (let version = 2; version <= 301; version++) client.change(bad, version, { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "//\n" });
  const before = await client.diagnostics(bad, 301, 300);
  failures = 1;
  client.change(bad, 302, { range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }, text: "//\n" });
  assert.deepEqual(await client.diagnostics(bad, 302, 300), before);
  assert.equal(starts(client), 2);
  cursed.add(bad);
  client.change(bad, 303, { text });
  assert.deepEqual(await client.diagnostics(bad, 303, 300).finally(() => cursed.clear()), []);
  client.change(bad, 304, { text });
  assert.ok((await client.diagnostics(bad, 304, 300)).length > 0);
});

test("files that are not open and fail are left out", async () => {
  const root = "vscode-vfs://files/project";
  const names = ["a", "b", "c", "d", "e"].map((name) => `${root}/${name}.ptx`);
  const client = web(options, undefined, "start_in_editor");
  client.answers["ptx-analyzer/findFiles"] = () => ({ files: names.map((uri) => ({ uri, length: TEXT.length, modified: 0 })), more: false });
  client.answers["ptx-analyzer/readFile"] = () => ({ bytes: TEXT });
  await client.initialize({ textDocument: { diagnostic: {} }, experimental: { files: true } }, { workspaceFolders: [{ uri: root, name: "project" }] });
  client.open(URI, TEXT);
  const [, bad, , worse] = names;
  cursed.add(bad).add(worse);
  const pull = () => client.request("workspace/diagnostic", { previousResultIds: [] });
  // The client asks again after each failure.
  let answer = await pull();
  for (let tries = 0; answer.error !== undefined; tries++) {
    assert.ok(tries < 3, JSON.stringify(answer));
    answer = await pull();
  }
  cursed.clear();
  const counts = Object.fromEntries(answer.result.items.map(({ uri, items }) => [uri, items.length]));
  assert.deepEqual(names.map((uri) => counts[uri] > 0), [true, false, true, false, true], JSON.stringify(counts));
  assert.equal(starts(client), 3);
  assert.equal(told(client).length, 2, told(client).join("\n"));
  assert.ok(counts[URI] > 0);
});

const HOSTILE = [
  "", "{", "null", "[]", "7", '"text"', "[[]]", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{}}', "\u0000", "\ud800",
  '{"jsonrpc":"2.0","id":9001,"method":7}',
  '{"jsonrpc":"2.0","id":9002,"method":"textDocument/hover"}',
  '{"jsonrpc":"2.0","id":9003,"method":"textDocument/hover","params":[1,2,3]}',
  '{"jsonrpc":"2.0","id":9004,"method":"textDocument/hover","params":{"textDocument":{"uri":"no uri"},"position":{"line":0,"character":0}}}',
  `{"jsonrpc":"2.0","id":9005,"method":"textDocument/hover","params":{"textDocument":{"uri":"${URI}"},"position":{"line":4294967295,"character":4294967295}}}`,
  `{"jsonrpc":"2.0","id":9006,"method":"textDocument/hover","params":{"textDocument":{"uri":"${URI}"},"position":{"line":-1,"character":1e99}}}`,
  '{"jsonrpc":"2.0","id":9007,"method":"workspace/executeCommand","params":{"command":"ptx-analyzer.evaluateWarp","arguments":[{"uri":7}]}}',
  '{"jsonrpc":"2.0","id":9008,"method":"workspace/executeCommand","params":{"command":"rm -rf","arguments":[]}}',
  '{"jsonrpc":"2.0","id":9009,"method":"workspace/executeCommand","params":{"command":"ptx-analyzer.compareRegisters","arguments":[]}}',
  '{"jsonrpc":"2.0","id":9010,"method":"__proto__","params":{"constructor":{"prototype":1}}}',
  '{"jsonrpc":"2.0","id":77,"result":{}}',
  '{"jsonrpc":"2.0","id":"2/3","error":{"code":1,"message":"x"}}',
  `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///never.ptx","version":1},"contentChanges":[{"text":""}]}}`,
  `{"jsonrpc":"2.0","id":9011,"method":"x","params":${"[".repeat(5000)}${"]".repeat(5000)}}`,
];

test("hostile messages are answered as by the native server", async () => {
  const answers = async (client) => {
    await client.initialize();
    client.open(URI, TEXT);
    await client.diagnostics(URI, 1, 300);
    for (const message of HOSTILE) client.connection.send(message);
    const last = await hover(client);
    await pause(500);
    // Requests are answered in any order.
    const order = (m) => `${m.id} ${JSON.stringify(m.error)}`;
    const all = client.messages.filter((m) => m.method === undefined).map(({ id, error, result }) => ({ id, error, result }));
    all.sort((a, b) => (order(a) < order(b) ? -1 : 1));
    client.connection.end();
    return { last, all };
  };
  const inBrowser = web(options);
  const [own, expected] = await Promise.all([answers(inBrowser), answers(native())]);
  assert.deepEqual(own, expected);
  assert.ok(expected.all.length > 10, `${expected.all.length} answers`);
  assert.equal(starts(inBrowser), 1);
});

test("hostile texts cost no other document", async () => {
  const [client, first] = await begun();
  const head = ".version 8.0\n.target sm_80\n";
  const texts = {
    braces: head + ".entry k()\n" + "{".repeat(100_000),
    blocks: `${head}.entry k()\n${"{\n".repeat(9000)}ret;\n${"}\n".repeat(9000)}`,
    parentheses: `${head}.const .u32 x = ${"(".repeat(50_000)}1${")".repeat(50_000)};\n`,
    operators: `${head}.const .u32 x = ${"-".repeat(50_000)}1;\n`,
    sums: `${head}.const .u32 x = 1${"+1".repeat(50_000)};\n`,
    comments: `${head}${"/*".repeat(100_000)}`,
    line: `${head}.entry k() { ${"mov.u32 %r1, %r2; ".repeat(20_000)} }`,
    odd: "\u0000\u0001\ufeff\ud83d\ude00\u202e".repeat(5000),
  };
  for (const [name, text] of Object.entries(texts)) {
    const uri = `file:///hostile/${name}.ptx`;
    client.open(uri, text);
    await client.diagnostics(uri, 1, 300);
    await client.request("textDocument/documentSymbol", { textDocument: { uri } });
    await client.request("textDocument/formatting", { textDocument: { uri }, options: { tabSize: 4, insertSpaces: true } });
    console.log(`# ${name}: ${starts(client)} starts`);
    client.notify("textDocument/didClose", { textDocument: { uri } });
    await pause(10);
  }
  client.change(URI, 2, { text: `${TEXT}\n` });
  assert.deepEqual(await client.diagnostics(URI, 2, 400), first);
});

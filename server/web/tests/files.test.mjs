// Files that are not open: the client supplies them, and the answers are those of the program about the same files on a disk.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { kernel, native, pause, web } from "./client.mjs";

const ROOT = "vscode-vfs://github/owner/project";

const disk = mkdtempSync(join(tmpdir(), "ptx-files-"));
after(() => rmSync(disk, { recursive: true }));

const wrong = (name) => kernel(name).replace(/^(\s*)ret;/m, "$1ret.bogus;");
const utf16 = (text) => Buffer.from(`\ufeff${text}`, "utf16le");

const FILES = {
  "one.ptx": wrong("saxpy"),
  "deep/er/two.ptx": wrong("mma_matmul"),
  "fine.ptx": kernel("warp_scan"),
  "with space.ptx": wrong("saxpy").replaceAll("saxpy", "spaced"),
  "wide.ptx": utf16(wrong("saxpy").replaceAll("saxpy", "wide")),
  "odd.ptx": Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x42, 0x0a]),
  "article.ptx": "<?xml version='1.0'?><pretext></pretext>",
  "empty.ptx": "",
  "build/skipped.ptx": wrong("saxpy"),
  ".hidden/hidden.ptx": wrong("saxpy"),
  "LOUD.PTX": wrong("layernorm_half"),
};

const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: { diagnostic: {}, publishDiagnostics: { relatedInformation: true } },
  workspace: { configuration: true, didChangeWatchedFiles: { dynamicRegistration: true }, symbol: { symbolKind: { valueSet: Array.from({ length: 26 }, (_, i) => i + 1) } } },
};

const uriOf = (root, name) => `${root}/${name.split("/").map(encodeURIComponent).join("/")}`;

/** Lets a client supply files, which may change. Counts what it was asked. */
function supply(client, files, { delay = 0 } = {}) {
  const asked = { finds: 0, reads: [], reading: 0, mostReading: 0 };
  const bytesOf = (name) => Buffer.from(files[name]);
  const nameOf = (uri) => decodeURIComponent(uri.slice(ROOT.length + 1));
  client.answers["ptx-analyzer/findFiles"] = ({ folder, max }) => {
    asked.finds += 1;
    assert.equal(folder, ROOT);
    assert.ok(max > 0);
    const found = Object.keys(files).filter((name) => /\.ptx$/i.test(name));
    return { files: found.slice(0, max).map((name) => ({ uri: uriOf(ROOT, name), length: bytesOf(name).length, modified: 1.5e12 })), more: found.length > max };
  };
  client.answers["ptx-analyzer/readFile"] = async ({ uri, max }) => {
    asked.reads.push(nameOf(uri));
    asked.reading += 1;
    asked.mostReading = Math.max(asked.mostReading, asked.reading);
    if (delay > 0) await pause(delay);
    asked.reading -= 1;
    const bytes = files[nameOf(uri)] === undefined ? undefined : bytesOf(nameOf(uri));
    return { bytes: bytes === undefined || bytes.length > max ? null : bytes.toString("latin1") };
  };
  return asked;
}

async function inBrowser(files, { delay = 0, options = {}, settings = null, capabilities = CAPABILITIES } = {}) {
  const client = web(options, undefined, "start_in_editor");
  const asked = supply(client, files, { delay });
  if (settings !== null) client.answers["workspace/configuration"] = ({ items }) => items.map(() => settings);
  await client.initialize({ ...capabilities, experimental: { files: true } }, { workspaceFolders: [{ uri: ROOT, name: "project" }], initializationOptions: settings });
  return { client, asked };
}

async function onDisk(files, settings) {
  rmSync(disk, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(disk, name)), { recursive: true });
    writeFileSync(join(disk, name), content);
  }
  const root = pathToFileURL(disk).href;
  const client = native();
  if (settings !== null) client.answers["workspace/configuration"] = ({ items }) => items.map(() => settings);
  await client.initialize(CAPABILITIES, { workspaceFolders: [{ uri: root, name: "project" }], initializationOptions: settings });
  return { client, root };
}

const pull = (client, previousResultIds = []) => client.request("workspace/diagnostic", { previousResultIds });
const check = (client) => client.request("workspace/executeCommand", { command: "ptx-analyzer.checkWorkspace" });

/** The diagnostics by the name of the file. */
function reports({ result }, root) {
  const sorted = result.items.map(({ uri, items }) => [decodeURIComponent(uri.slice(root.length + 1)), JSON.parse(JSON.stringify(items).replaceAll(root, ""))]);
  return Object.fromEntries(sorted.sort(([a], [b]) => (a < b ? -1 : 1)));
}

for (const [what, settings] of [
  ["usual settings", { workspace: {} }],
  ["settings that exclude", { workspace: { exclude: ["build", "/deep/**"] } }],
  ["settings with limits", { workspace: { files: 3 } }],
  ["settings of diagnostics", { target: "sm_50", diagnostics: { disabled: ["unknown-modifier"] } }],
]) {
  test(`with ${what}: the same diagnostics and symbols as of files on a disk`, async () => {
    const [{ client }, { client: program, root }] = await Promise.all([inBrowser(FILES, { settings }), onDisk(FILES, settings)]);
    const expected = reports(await pull(program), root);
    assert.deepEqual(reports(await pull(client), ROOT), expected);
    assert.ok(Object.values(expected).flat().length > 0);
    assert.ok(!("hidden.ptx" in expected));
    for (const query of ["saxpy", "wide", "mma", "", "nothing"]) {
      const names = ({ result }, base) => (result ?? []).map(({ name, location }) => `${name} ${location.uri.replace(base, "")} ${JSON.stringify(location.range)}`).sort();
      assert.deepEqual(names(await client.request("workspace/symbol", { query }), ROOT), names(await program.request("workspace/symbol", { query }), root), query);
    }
    const counts = ({ result }) => ({ ...result, seconds: 0 });
    assert.deepEqual(counts(await check(client)), counts(await check(program)));
    program.connection.end();
  });
}

test("a client that does not pull gets the diagnostics when it asks for a check", async () => {
  const { client } = await inBrowser(FILES, { capabilities: {} });
  const { result } = await check(client);
  assert.ok(result.files > 5 && result.errors > 3, JSON.stringify(result));
  const published = client.messages.filter(({ method }) => method === "textDocument/publishDiagnostics").map(({ params }) => params.uri);
  assert.ok(published.includes(uriOf(ROOT, "with space.ptx")), published.join(" "));
});

test("files are read again only when they have changed, and open ones not at all", async () => {
  const files = { ...FILES };
  const { client, asked } = await inBrowser(files);
  await client.message(({ method, params }) => method === "client/registerCapability" && params.registrations.some((one) => one.method === "workspace/didChangeWatchedFiles"));
  const before = reports(await pull(client), ROOT);
  asked.reads.length = 0;
  assert.deepEqual(reports(await pull(client), ROOT), before);
  assert.deepEqual(asked.reads, []);
  assert.equal(asked.finds, 1, "the list of files is remembered");
  // The same length and time: only the message says that it has changed.
  files["one.ptx"] = files["one.ptx"].replace("ret.bogus", "ret.uni  ");
  client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uriOf(ROOT, "one.ptx"), type: 2 }] });
  assert.notDeepEqual(reports(await pull(client), ROOT)["one.ptx"], before["one.ptx"]);
  assert.deepEqual(asked.reads, ["one.ptx"]);
  assert.equal(asked.finds, 2);
  await check(client);
  assert.equal(asked.finds, 3, "a check that the user asks for looks again");
  delete files["one.ptx"];
  client.notify("workspace/didDeleteFiles", { files: [{ uri: uriOf(ROOT, "one.ptx") }] });
  assert.ok(!("one.ptx" in reports(await pull(client), ROOT)));
  asked.reads.length = 0;
  const space = uriOf(ROOT, "with space.ptx");
  client.open(space, kernel("saxpy"));
  client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: ROOT, type: 2 }] });
  assert.deepEqual(reports(await pull(client), ROOT)["with space.ptx"], []);
  assert.ok(asked.reads.length > 3 && !asked.reads.includes("with space.ptx"), asked.reads.join(" "));
});

test("a client that cannot supply files is not asked", async () => {
  for (const [kind, experimental] of [["start_in_editor", {}], ["start", { files: true }]]) {
    const client = web({}, undefined, kind);
    const asked = supply(client, FILES);
    await client.initialize({ ...CAPABILITIES, experimental }, { workspaceFolders: [{ uri: ROOT, name: "project" }] });
    assert.deepEqual((await pull(client)).result.items, []);
    assert.equal(asked.finds, 0);
  }
});

test("answers that make no sense cost nothing", async () => {
  for (const answer of [null, 7, {}, { files: [{}], more: false }, { files: [{ uri: "no uri", length: 1, modified: 0 }], more: false }]) {
    const { client } = await inBrowser(FILES);
    client.answers["ptx-analyzer/findFiles"] = () => answer;
    assert.deepEqual((await pull(client)).result.items, []);
  }
  for (const answer of [null, 7, {}, { bytes: 7 }, { bytes: "€" }]) {
    const { client } = await inBrowser(FILES);
    client.answers["ptx-analyzer/readFile"] = () => answer;
    const { result } = await check(client);
    assert.ok(result.unreadable > 5 && result.errors === 0, JSON.stringify(result));
  }
});

/** Many files with several kernels each. */
function many(count) {
  const text = wrong("mma_matmul");
  const name = /\.entry\s+(\w+)/.exec(text)[1];
  const at = text.search(/^\s*\.visible \.entry|^\s*\.entry/m);
  const part = (index) => text.slice(at).replaceAll(name, `${name}_${index}`);
  return Object.fromEntries(Array.from({ length: count }, (_, file) => [`${file}.ptx`, text.slice(0, at) + Array.from({ length: 10 }, (_, i) => part(file * 10 + i)).join("\n")]));
}

test("edits and requests overtake the check of many files, and a cancellation ends it", async () => {
  const { client, asked } = await inBrowser(many(200));
  const uri = uriOf(ROOT, "open.ptx");
  client.open(uri, wrong("saxpy"));
  const checking = check(client);
  const id = client.idOf("workspace/executeCommand");
  let ended = false;
  void checking.then(() => (ended = true));
  await pause(300);
  const waits = [];
  for (let version = 2; version <= 8; version++) {
    const start = { line: 0, character: 0 };
    client.change(uri, version, { range: { start, end: start }, text: "// typed\n" });
    const asked = performance.now();
    const { result } = await client.request("textDocument/diagnostic", { textDocument: { uri } });
    assert.ok(result.items.length > 0);
    waits.push(performance.now() - asked);
  }
  assert.equal(ended, false, "the check goes on meanwhile");
  const read = asked.reads.length;
  client.notify("$/cancelRequest", { id });
  const cancelled = performance.now();
  assert.equal((await checking).error?.code, -32800);
  const wait = performance.now() - cancelled;
  await pause(500);
  console.log(`# diagnostics of an edit during a check of 200 files: ${waits.map((w) => w.toFixed(0)).join(", ")} ms; cancelled after ${read} files in ${wait.toFixed(0)} ms`);
  assert.ok(asked.reads.length < 150 && asked.reads.length - read < 10, `${asked.reads.length} files were read`);
  waits.sort((a, b) => a - b);
  assert.ok(waits[3] < 150, `half of the edits wait longer than ${waits[3]} ms`);
});

test("requests overtake the parse and the check of a large file", async () => {
  const [head, ...rest] = Object.values(many(20)).map((text) => text.replaceAll("ret.bogus", "ret"));
  const body = rest.map((text) => text.slice(text.search(/^\s*\.visible \.entry|^\s*\.entry/m)));
  const { client } = await inBrowser({ "large.ptx": [head, ...body].join("\n") });
  const uri = uriOf(ROOT, "open.ptx");
  client.open(uri, wrong("saxpy"));
  const line = kernel("saxpy").split("\n").findIndex((text) => text.includes("ld.param"));
  const hover = () => client.request("textDocument/hover", { textDocument: { uri }, position: { line, character: 6 } });
  await hover();
  let ended = false;
  const begin = performance.now();
  const checking = check(client).then((answer) => {
    ended = true;
    return answer;
  });
  const waits = [];
  while (!ended) {
    const asked = performance.now();
    assert.notEqual((await hover()).result, null);
    waits.push(performance.now() - asked);
    await pause(5);
  }
  const { result } = await checking;
  const time = performance.now() - begin;
  assert.equal(result.files, 1);
  waits.sort((a, b) => a - b);
  const length = [head, ...body].join("\n").length;
  console.log(`# a file of ${(length / 1e6).toFixed(1)} MB takes ${time.toFixed(0)} ms; the slowest of ${waits.length} hovers meanwhile takes ${waits.at(-1).toFixed(0)} ms`);
  assert.ok(waits.length > 5 && waits.at(-1) < time / 4, `${waits.at(-1)} ms`);
});

test("while one file is read, others are", async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.ptx`, wrong("saxpy")]));
  const { client, asked } = await inBrowser(files, { delay: 20 });
  const { result } = await check(client);
  assert.equal(result.files, 40);
  assert.equal(asked.mostReading, 4);
});

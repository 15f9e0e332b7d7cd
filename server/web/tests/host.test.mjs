// PTX in strings of other languages: the server in WebAssembly answers as the program with --inline, after any edits.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { folder, native, pause, web } from "./client.mjs";
import { edits, numbers } from "./numbers.mjs";

const TIMEOUT = 20_000;
const LANGUAGES = { cu: "cuda-cpp", py: "python", rs: "rust", ll: "llvm", jl: "julia" };

const files = ["tests/inline/probes", "tests/editors/fixture"]
  .flatMap((name) => readdirSync(folder + name).map((file) => `${name}/${file}`))
  .filter((name) => name.split(".").at(-1) in LANGUAGES)
  .sort();
const textOf = (name) => readFileSync(folder + name, "utf8");
const languageOf = (name) => LANGUAGES[name.split(".").at(-1)];
const uriOf = (name) => `file:///${name}`;

const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    hover: { contentFormat: ["markdown"] },
    completion: { completionItem: { snippetSupport: true, labelDetailsSupport: true, insertReplaceSupport: true } },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor"] } } },
    publishDiagnostics: { relatedInformation: true, tagSupport: { valueSet: [1, 2] } },
  },
  workspace: { workspaceEdit: { documentChanges: true } },
};

const inBrowser = (options = {}) => web(options, undefined, "start_host");
const last = (client, uri, version) => client.messages.findLast(({ method, params }) => method === "textDocument/publishDiagnostics" && params.uri === uri && params.version === version)?.params.diagnostics;

/** Waits until both sessions have published the same diagnostics. */
async function same(one, other, what) {
  const deadline = performance.now() + TIMEOUT;
  while (performance.now() < deadline && !(other() !== undefined && isDeepStrictEqual(one(), other()))) await pause(20);
  assert.deepEqual(one(), other(), what);
}

/** All answers about a file: at each fifth word of the lines with PTX. */
async function session(client, name) {
  const [text, uri] = [textOf(name), uriOf(name)];
  const textDocument = { uri };
  const out = {};
  const lines = text.split("\n");
  const whole = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  client.open(uri, text, 1, languageOf(name));
  out.inlayHint = await client.request("textDocument/inlayHint", { textDocument, range: whole });
  let word = 0;
  for (const [line, content] of lines.entries()) {
    if (!/asm|\.[a-z]+\d|%/.test(content)) continue;
    const kernel = await client.request("workspace/executeCommand", { command: "ptx-analyzer.inlineKernel", arguments: [{ uri, line }] });
    out[`kernel ${line}`] = kernel;
    for (const { index } of content.matchAll(/[\w%.]+/g)) {
      if (word++ % 5 !== 0) continue;
      const position = { line, character: index + 1 };
      for (const method of ["hover", "definition", "documentHighlight", "signatureHelp", "completion"]) {
        out[`${method} ${line}:${index}`] = await client.request(`textDocument/${method}`, { textDocument, position });
      }
    }
  }
  out.codeAction = await client.request("textDocument/codeAction", { textDocument, range: whole, context: { diagnostics: [] } });
  return out;
}

test("the same answers about each file, and the same diagnostics", async () => {
  assert.ok(files.length >= 10 && new Set(files.map(languageOf)).size >= 4, files.join(" "));
  const [browser, program] = [inBrowser(), native("--inline")];
  assert.deepEqual(await browser.initialize(CAPABILITIES), await program.initialize(CAPABILITIES));
  let [kernels, hovers] = [0, 0];
  for (const name of files) {
    const [own, expected] = await Promise.all([session(browser, name), session(program, name)]);
    for (const key of Object.keys(expected)) {
      assert.deepEqual(own[key], expected[key], `${name}: ${key}`);
      kernels += Number(key.startsWith("kernel") && expected[key].result?.text !== undefined);
      hovers += Number(key.startsWith("hover") && expected[key].result !== null);
    }
    await same(() => last(browser, uriOf(name), 1), () => last(program, uriOf(name), 1), name);
  }
  assert.ok(kernels > 20 && hovers > 50, `${kernels} kernels, ${hovers} hovers`);
  assert.ok(files.filter((name) => last(program, uriOf(name), 1).length > 0).length > 5);
  program.connection.end();
});

const PIECES = ["", "\n", "\"", ";", "bad ", ".f32", "%0", "asm(\"ret;\");", "// ", "/*", "*/", "(", ")", "é"];

for (const [seed, name] of files.filter((_, index) => index % 3 === 0).entries()) {
  test(`${name} after each of many edits has the diagnostics of a text that was just opened`, async () => {
    const next = numbers(seed + 1);
    const [client, fresh] = [inBrowser(), inBrowser()];
    await Promise.all([client.initialize(), fresh.initialize()]);
    const uri = uriOf(name);
    let lines = textOf(name).split("\n");
    client.open(uri, lines.join("\n"), 1, languageOf(name));
    for (let version = 2; version < 22; version++) {
      const edited = edits(lines, next, PIECES);
      lines = edited.lines;
      client.change(uri, version, ...edited.changes);
      const other = `file:///fresh-${version}/${name}`;
      fresh.open(other, lines.join("\n"), version, languageOf(name));
      const afresh = () => {
        const found = last(fresh, other, version);
        return found && JSON.parse(JSON.stringify(found).replaceAll(other, uri));
      };
      await same(() => last(client, uri, version), afresh, `version ${version}, after ${JSON.stringify(edited.changes)}`);
      fresh.notify("textDocument/didClose", { textDocument: { uri: other } });
    }
  });
}

/** A header with many statements, each of them different and wrong. */
const long = (count) => Array.from({ length: count }, (_, i) => `__device__ void f${i}(int *p) { asm volatile("add.u32 %0, %1, ${i}; bad.f${i} %0;" : "=r"(p[${i}]) : "r"(p[${i + 1}])); }`).join("\n");

test("an edit overtakes the check of a long text", async () => {
  const client = inBrowser();
  await client.initialize();
  const text = long(3000);
  const uri = "file:///long.cu";
  const begin = performance.now();
  client.open(uri, text, 1, "cuda-cpp");
  await client.message((m) => m.params?.uri === uri && m.params.version === 1);
  const whole = performance.now() - begin;
  const other = "file:///other.cu";
  client.open(other, text, 1, "cuda-cpp");
  const waits = [];
  for (let version = 2; version <= 6; version++) {
    await pause(whole / 20);
    const start = { line: 0, character: 0 };
    client.change(other, version, { range: { start, end: start }, text: "// typed\n" });
    const asked = performance.now();
    const { result } = await client.request("textDocument/hover", { textDocument: { uri: other }, position: { line: version - 1, character: text.indexOf("add") + 1 } });
    assert.match(JSON.stringify(result), /add/);
    waits.push(performance.now() - asked);
  }
  await client.message((m) => m.params?.uri === other && m.params.version === 6);
  console.log(`# a check of ${text.length} bytes: ${whole.toFixed(0)} ms; a hover during it: ${waits.map((w) => w.toFixed(0)).join(", ")} ms`);
  const published = client.messages.filter((m) => m.params?.uri === other && m.params.version !== undefined).map((m) => m.params.version);
  assert.ok(published.filter((version) => version < 6).length < 3, `the checks of most texts before were dropped: ${published}`);
  waits.sort((a, b) => a - b);
  assert.ok(waits[2] < whole / 4, `half of the hovers wait longer than ${waits[2]} ms of ${whole}`);
});

// A session with the server in WebAssembly gets the same answers as one with the native server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kernel, native, web } from "./client.mjs";

const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    hover: { contentFormat: ["markdown"] },
    completion: { completionItem: { snippetSupport: true, labelDetailsSupport: true, insertReplaceSupport: true } },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor"] } } },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    publishDiagnostics: { relatedInformation: true, tagSupport: { valueSet: [1, 2] } },
    rename: { prepareSupport: true },
  },
  workspace: { workspaceEdit: { documentChanges: true }, configuration: true },
};

/** Removes what differs between two runs of the same server. */
function steady(value) {
  if (Array.isArray(value)) return value.map(steady);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key]) => !["seconds", "resultId"].includes(key));
  return Object.fromEntries(entries.map(([key, part]) => [key, key === "markdown" ? part.replace(/[\d.]+ (ns|µs|ms|s)\b/g, "…") : steady(part)]));
}

/** All answers of a session about a kernel. */
async function session(client, text) {
  const uri = "file:///kernels/one.ptx";
  const textDocument = { uri };
  const lines = text.split("\n");
  const out = {};
  out.initialize = await client.initialize(CAPABILITIES);
  client.open(uri, text);
  out.diagnostics = await client.diagnostics(uri, 1);
  const whole = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
  for (const method of ["documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full"]) {
    out[method] = await client.request(`textDocument/${method}`, { textDocument });
  }
  out.inlayHint = await client.request("textDocument/inlayHint", { textDocument, range: whole });
  out.codeAction = await client.request("textDocument/codeAction", { textDocument, range: whole, context: { diagnostics: [] } });
  const formatting = { tabSize: 4, insertSpaces: true };
  out.formatting = await client.request("textDocument/formatting", { textDocument, options: formatting });
  // Each eleventh line, at its first word and at its last.
  for (let line = 0; line < lines.length; line += 11) {
    const first = Math.max(lines[line].search(/\S/), 0);
    for (const character of new Set([first, first + 4, Math.max(lines[line].lastIndexOf(" ") + 2, 0)])) {
      const position = { line, character };
      for (const method of ["hover", "definition", "documentHighlight", "signatureHelp", "completion", "prepareRename"]) {
        out[`${method} ${line}:${character}`] = await client.request(`textDocument/${method}`, { textDocument, position });
      }
    }
  }
  const command = (command, argument) => client.request("workspace/executeCommand", { command, arguments: [argument] });
  out.evaluation = await command("ptx-analyzer.evaluateWarp", { uri, count: 40 });
  out.launches = await command("ptx-analyzer.launches", { uri });
  out.registers = await command("ptx-analyzer.registerPressure", { uri, wait: true });
  out.explain = await command("ptx-analyzer.explain", { query: "fma.rn.f32" });
  out.syntaxTree = await command("ptx-analyzer.showSyntaxTree", { uri });
  out.workspace = await command("ptx-analyzer.checkWorkspace", null);
  // A mistake, and its fixes.
  const at = lines.findIndex((l) => /^\s+(add|mov|ld|mul)/.test(l));
  const end = { line: at, character: lines[at].indexOf(".") };
  client.change(uri, 2, { range: { start: end, end }, text: ".bogus" });
  out.mistake = await client.diagnostics(uri, 2);
  const range = { start: end, end };
  out.fixes = await client.request("textDocument/codeAction", { textDocument, range, context: { diagnostics: out.mistake } });
  client.change(uri, 3, { text });
  out.again = await client.diagnostics(uri, 3);
  client.notify("workspace/didChangeConfiguration", { settings: { "ptx-analyzer": { target: "sm_50", diagnostics: { disabled: ["dead-store"] } } } });
  await client.request("textDocument/hover", { textDocument, position: { line: 0, character: 0 } });
  client.change(uri, 4, { text: `${text}// end\n` });
  out.older = await client.diagnostics(uri, 4);
  client.notify("textDocument/didClose", { textDocument });
  out.closed = await client.request("textDocument/hover", { textDocument, position: { line: 0, character: 0 } });
  out.unknown = await client.request("textDocument/nothing", {});
  out.shutdown = await client.request("shutdown");
  client.connection.end();
  return steady(out);
}

for (const name of ["saxpy", "mma_matmul", "tma_pipeline", "layernorm_half"]) {
  test(`the same answers about ${name}`, async () => {
    const text = kernel(name);
    const [inBrowser, natively] = await Promise.all([session(web(), text), session(native(), text)]);
    for (const key of Object.keys(natively)) assert.deepEqual(inBrowser[key], natively[key], key);
    assert.ok(natively.evaluation.result !== undefined, JSON.stringify(natively.evaluation));
  });
}

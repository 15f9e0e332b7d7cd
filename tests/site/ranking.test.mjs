// The search of the site and the tool `search` of `ptx-analyzer mcp` rank alike: they give the same first result for each question.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import vm from "node:vm";

const site = process.env.SITE;
const questions = readFileSync(new URL("questions.txt", import.meta.url), "utf8").split("\n").filter(Boolean);
// What a line of the tool begins with.
const KINDS = [
  "instruction", "topic", "family", "register", "directive", "state space", "type", "constant", "modifier", "code", "target", "version", "CUDA C++", "SASS",
];

// The search of the site, without a page around it.
function siteSearch() {
  const window = {};
  const context = vm.createContext({ window });
  for (const file of ["search-index.js", "search.js"]) vm.runInContext(readFileSync(join(site, file), "utf8"), context);
  const index = window.PTX_SEARCH.prepared(window.PTX_INDEX);
  return (query) => window.PTX_SEARCH.search(index, query)[0]?.name;
}

// The tool `search` of a server; `ask` gives its text.
function toolSearch() {
  const server = spawn(process.env.PTX_ANALYZER, ["mcp"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  const request = (method, params) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send({ id: last, method, params });
    });
  const start = async () => {
    await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } });
    send({ method: "notifications/initialized" });
  };
  const ask = async (query) => (await request("tools/call", { name: "search", arguments: { query, max: 1 } })).result.content[0].text;
  return { start, ask, end: () => server.kill() };
}

test("the site and the tool `search` have the same first result", async () => {
  const search = siteSearch();
  const tool = toolSearch();
  await tool.start();
  const differences = [];
  let named = 0;
  for (const question of questions) {
    const lines = (await tool.ask(question)).split("\n");
    // A message of a tool or a release stands before the results.
    const line = lines.find((text) => KINDS.some((kind) => text.startsWith(kind + " ")));
    const first = search(question);
    named += first === undefined ? 0 : 1;
    const isSame = first === undefined ? line === undefined : KINDS.some((kind) => (line + ":").startsWith(`${kind} ${first}:`));
    if (!isSame) differences.push(`${question}: the site has ${first}, the tool ${line ?? lines[0]}`);
  }
  tool.end();
  assert.deepEqual(differences, []);
  assert.ok(questions.length >= 60 && named >= 60, `${questions.length} questions, ${named} with a result`);
});

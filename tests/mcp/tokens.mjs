// Counts the tokens of typical answers of `ptx-analyzer mcp`, and of what a client reads at the start, with the vocabulary o200k_base.
//
//   npm install --no-save gpt-tokenizer && node tests/mcp/tokens.mjs
//
// PTX_ANALYZER names another binary than that of `cargo build --release`.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = process.env.PTX_ANALYZER ?? `${root}target/release/ptx-analyzer`;
const server = spawn(program, ["mcp", "--root", root], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result, error } = JSON.parse(line);
  waiting.get(id)?.(result ?? { content: [{ text: JSON.stringify(error) }] });
});

let last = 0;
/** Sends a request and returns its result. */
function ask(method, params) {
  last += 1;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
  return new Promise((resolve) => waiting.set(last, resolve));
}

const three = `.version 8.5
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 out, .param .f32 factor)
{
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %r1;
    mul.f32.rnd %f2, %f1, %f1;
    st.global.f32 [%rd3], %f3;
    ret;
}
`;
const calls = [
  ["check, a clean kernel", "check", { path: "tests/kernels/saxpy.ptx" }],
  ["check, three errors", "check", { text: three }],
  ["the same with `json`: what that adds", "check", { text: three, json: true }],
  ["check, a mistake in an `asm` statement", "check", { text: 'float f(float x) { float y; asm("add.f32.rnd %0, %1, %1;" : "=f"(y) : "f"(x)); return y; }', language: "cpp" }],
  ["explain `fma.rn.f32`", "explain", { query: "fma.rn.f32" }],
  ["explain `mbarrier.try_wait`", "explain", { query: "mbarrier.try_wait" }],
  ["explain the code `operand-type`", "explain", { query: "operand-type" }],
  ["complete the modifiers of `setp`", "complete", { path: "tests/kernels/saxpy.ptx", line: 37, column: 10 }],
  ["registers of a kernel", "registers", { path: "tests/kernels/wgmma_tile.ptx" }],
  ["evaluate a launch with 8 expectations", "evaluate", { path: "tests/kernels/saxpy.ptx" }],
  ["evaluate, values of two lanes at a line", "evaluate", { path: "tests/kernels/saxpy.ptx", line: 36, lanes: [0, 31] }],
  ["search `asynchronous copy to shared memory`", "search", { query: "asynchronous copy to shared memory" }],
];

const row = (what, text) => console.log(`| ${what} | ${countTokens(text)} | ${text.length} |`);
console.log("| answer | tokens | characters |\n|---|---|---|");
const info = await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tokens", version: "0" } });
row("instructions, once a session", info.instructions);
const { tools } = await ask("tools/list", {});
row("names, descriptions and schemas of the tools, once a session", JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))));
for (const [what, name, args] of calls) {
  const { content, structuredContent } = await ask("tools/call", { name, arguments: args });
  row(what, args.json ? JSON.stringify(structuredContent) : content[0].text);
  if (process.env.SHOW) console.log(content[0].text);
}
server.stdin.end();

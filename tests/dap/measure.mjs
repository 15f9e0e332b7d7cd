// Measures the delays of the debug adapter that a user notices. usage: PTX_ANALYZER=… node measure.mjs
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Session, example } from "./session.mjs";

const ms = (from) => (performance.now() - from).toFixed(1);

for (const name of readdirSync(example("")).filter((n) => n.endsWith(".ptx"))) {
  const begin = performance.now();
  const session = await Session.launch({ program: example(name) });
  const first = ms(begin);
  const times = [];
  for (let i = 0; i < 20; i++) {
    const step = performance.now();
    if (!(await session.go("next"))) break;
    const [top] = await session.frames();
    const { scopes } = await session.ask("scopes", { frameId: top.id });
    for (const scope of scopes) await session.parts(scope.variablesReference);
    times.push(performance.now() - step);
  }
  times.sort((a, b) => a - b);
  console.log(`${name}: first stop after ${first} ms (with the start of the process), a step with all variables ${times[times.length >> 1].toFixed(1)} ms`);
  await session.close();
}

// A run of a million warp instructions, and the way back to its beginning.
const folder = mkdtempSync(path.join(os.tmpdir(), "ptx-dap-"));
const file = path.join(folder, "loop.ptx");
writeFileSync(
  file,
  `.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel()
{
    .reg .pred %p;
    .reg .u32 %i;
    mov.u32 %i, 0;
loop:
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 333333;
    @%p bra loop;
    ret;
}
`,
);
let begin = performance.now();
const session = await Session.launch({ program: file, launch: "grid=1 block=32" });
console.log(`a million instructions: first stop after ${ms(begin)} ms`);
await session.breakpoints(file, [{ line: 13 }]);
begin = performance.now();
await session.go("continue");
console.log(`continue over them: ${ms(begin)} ms`);
await session.breakpoints(file, [{ line: 8 }]);
begin = performance.now();
await session.go("reverseContinue");
console.log(`reverseContinue over them: ${ms(begin)} ms`);
await session.breakpoints(file, [{ line: 12, condition: "%i == 333332" }]);
begin = performance.now();
await session.go("continue");
console.log(`continue to a condition in the loop: ${ms(begin)} ms`);
begin = performance.now();
await session.go("stepBack");
console.log(`step back at its end: ${ms(begin)} ms`);
await session.close();
rmSync(folder, { recursive: true });

// Tests the debug adapter with an independent client: the built binary, driven by Microsoft's client library.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Session, diverging, example, lineOf } from "./session.mjs";

// The capabilities that `initialize` announces; the test that uses one removes it from the set.
const open = new Set();
const covers = (...names) => names.forEach((name) => open.delete(name));

const named = (variables, name) => {
  const found = variables.find((v) => v.name === name);
  assert.ok(found, `${name} is not in ${variables.map((v) => v.name)}`);
  return found;
};

test("what is announced", async () => {
  const session = await Session.launch({ program: diverging });
  for (const [name, value] of Object.entries(session.capabilities)) if (value !== false) open.add(name);
  assert.ok(open.size > 25);
  assert.equal(session.stop.reason, "entry");
  assert.equal(session.stop.allThreadsStopped, true);
  const { threads } = await session.ask("threads");
  assert.deepEqual(threads.map((t) => t.name), ["CTA (0,0,0) warp 0", "CTA (0,0,0) warp 1"]);
  covers("supportsConfigurationDoneRequest");
  await session.close();
});

test("a breakpoint is hit, as the library checks it", async () => {
  const session = new Session();
  await session.client.start();
  const line = lineOf(diverging, "st.global.u32");
  await session.client.hitBreakpoint({ program: diverging, stopOnEntry: false }, { path: diverging, line });
  await session.close();
});

test("the examples run to their ends", async () => {
  for (const name of ["saxpy.ptx", "block_reduce.ptx", "indirect_call.ptx", "mma_matmul.ptx", "tma_pipeline.ptx"]) {
    const session = new Session();
    await session.client.start();
    const exited = session.client.waitForEvent("exited");
    await Promise.all([
      session.client.configurationSequence(),
      session.client.launch({ program: example(name), stopOnEntry: false }),
      session.client.waitForEvent("terminated"),
    ]);
    assert.equal((await exited).body.exitCode, 0, `${name}\n${session.said}`);
    assert.match(session.said, /finished after [\d,]+ warp instructions/);
    await session.close();
  }
});

test("lines, conditions, hits, messages", async () => {
  const line = lineOf(diverging, "add.u32 %i, %i, 1");
  const session = await Session.launch({ program: diverging }, async (s) => {
    const told = await s.breakpoints(diverging, [{ line: lineOf(diverging, ".shared .align"), condition: "%tid.x == 40" }, { line: 1000 }]);
    assert.deepEqual(told.map((b) => b.verified), [true, false]);
    assert.equal(told[0].line, lineOf(diverging, "mov.u32 %lane"));
    assert.match(told[1].message, /no instruction of `kernel` follows here/);
  });
  let stop = await session.go("continue");
  assert.deepEqual([stop.reason, stop.threadId], ["breakpoint", 2]);
  assert.match(stop.description, /the condition holds in lane 8/);
  await session.breakpoints(diverging, [{ line, hitCondition: "2" }]);
  // The first warp has executed this line before.
  stop = await session.go("reverseContinue");
  assert.deepEqual([stop.reason, stop.threadId], ["breakpoint", 1]);
  assert.equal(await session.evaluate("%i@0"), "1");
  await session.breakpoints(diverging, [{ line, logMessage: "i = {%i}" }]);
  assert.equal(await session.go("continue"), undefined);
  assert.match(session.said, /^i = 0$/m);
  const { breakpoints } = await session.ask("breakpointLocations", { source: { path: diverging }, line, endLine: line + 2 });
  assert.deepEqual(breakpoints.map((b) => b.line), [line, line + 1, line + 2]);
  covers("supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints", "supportsLogPoints", "supportsBreakpointLocationsRequest");
  await session.close();
});

test("functions, instructions and the disassembly", async () => {
  const session = await Session.launch({ program: diverging }, async (s) => {
    const told = await s.ask("setFunctionBreakpoints", { breakpoints: [{ name: "twice" }, { name: "nobody" }] });
    assert.deepEqual(told.breakpoints.map((b) => b.verified), [true, false]);
  });
  const [entry] = await session.frames();
  assert.equal((await session.go("continue")).reason, "function breakpoint");
  const frames = await session.frames();
  assert.deepEqual(
    frames.map((f) => [f.name, f.presentationHint ?? "normal"]),
    [
      ["twice [lanes 0–15]", "normal"], ["kernel [lanes 0–15]", "normal"],
      ["lanes 16–31: can continue", "label"], ["kernel [lanes 16–31]", "normal"],
    ],
  );
  const page = await session.ask("stackTrace", { threadId: 1, startFrame: 3, levels: 5 });
  assert.deepEqual([page.totalFrames, page.stackFrames.length], [4, 1]);
  await session.ask("setFunctionBreakpoints", { breakpoints: [] });
  const code = await session.ask("disassemble", { memoryReference: entry.instructionPointerReference, instructionOffset: -2, instructionCount: 6 });
  assert.equal(code.instructions.length, 6);
  assert.deepEqual(code.instructions.map((i) => i.presentationHint ?? "normal").slice(0, 3), ["invalid", "invalid", "normal"]);
  assert.equal(code.instructions[2].instruction, "mov.u32 %lane, %tid.x;");
  const last = code.instructions[5];
  const set = await session.ask("setInstructionBreakpoints", { breakpoints: [{ instructionReference: last.address }] });
  assert.equal(set.breakpoints[0].verified, true);
  assert.equal((await session.go("continue")).reason, "instruction breakpoint");
  assert.equal(await session.line(), last.line);
  covers("supportsFunctionBreakpoints", "supportsInstructionBreakpoints", "supportsDisassembleRequest", "supportsDelayedStackTraceLoading");
  await session.close();
});

test("steps, forwards and backwards", async () => {
  const call = lineOf(diverging, "call (%v)");
  const session = await Session.launch({ program: diverging }, (s) => s.breakpoints(diverging, [{ line: call }]));
  await session.go("continue");
  await session.breakpoints(diverging, []);
  const seen = [await session.line()];
  for (const [command, more] of [["stepIn", {}], ["next", {}], ["stepOut", {}], ["stepBack", {}], ["next", {}], ["stepBack", { granularity: "instruction" }]]) {
    assert.equal((await session.go(command, more)).reason, "step");
    seen.push(await session.line());
  }
  const inside = lineOf(diverging, "add.u32 %t");
  assert.deepEqual(seen, [call, inside, inside + 1, call + 1, call, call + 1, inside + 2]);
  await session.go("reverseContinue");
  assert.equal(await session.line(), lineOf(diverging, "mov.u32 %lane"));
  covers("supportsStepBack", "supportsSteppingGranularity");
  await session.close();
});

test("data breakpoints", async () => {
  const session = await Session.launch({ program: diverging });
  const { dataId, accessTypes } = await session.ask("dataBreakpointInfo", { name: "[out+8]:u32" });
  assert.deepEqual(accessTypes, ["read", "write", "readWrite"]);
  await session.ask("setDataBreakpoints", { breakpoints: [{ dataId, accessType: "write" }] });
  const stop = await session.go("continue");
  assert.equal(stop.reason, "data breakpoint");
  assert.equal(stop.text, "[out+8]:u32: 0x0 (0) → 0x6 (6) by lane 2");
  const shared = named(await session.scope("Shared"), "table");
  const bytes = await session.ask("dataBreakpointInfo", { name: shared.memoryReference, asAddress: true, bytes: 256 });
  await session.ask("setDataBreakpoints", { breakpoints: [{ dataId: bytes.dataId, accessType: "readWrite", condition: "%laneid == 0" }] });
  assert.equal((await session.go("reverseContinue")).reason, "data breakpoint");
  covers("supportsDataBreakpoints", "supportsDataBreakpointBytes");
  await session.close();
});

test("findings", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "ptx-dap-"));
  const file = path.join(folder, "races.ptx");
  const { readFileSync } = await import("node:fs");
  writeFileSync(file, readFileSync(diverging, "utf8").replace("st.global.u32 [%a], %v;", "st.global.u32 [%a+512], %v;"));
  const session = await Session.launch({ program: file }, async (s) => {
    const filters = s.capabilities.exceptionBreakpointFilters;
    assert.ok(filters.every((f) => f.label && f.description));
    await s.client.setExceptionBreakpointsRequest({ filters: [], filterOptions: [{ filterId: "memory", condition: "%laneid < 99" }] });
  });
  const stop = await session.go("continue");
  assert.equal(stop.reason, "exception");
  const info = await session.ask("exceptionInfo", { threadId: stop.threadId });
  assert.equal(info.exceptionId, "out-of-bounds");
  assert.match(info.details.stackTrace, /line \d+: st\.global\.u32/);
  assert.equal(await session.go("continue"), undefined);
  covers("exceptionBreakpointFilters", "supportsExceptionInfoRequest", "supportsExceptionFilterOptions");
  await session.close();
  rmSync(folder, { recursive: true });
});

test("scopes, values and pages", async () => {
  const session = await Session.launch({ program: diverging }, (s) => s.breakpoints(diverging, [{ line: lineOf(diverging, "// here") }]));
  await session.go("continue");
  assert.equal(named(await session.scope("Uniform registers"), "%n").value, "3");
  const lane = named(await session.scope("Varying registers"), "%lane");
  assert.deepEqual([lane.value, lane.indexedVariables], ["0 1 2 … 31", 32]);
  const some = await session.parts(lane.variablesReference, { filter: "indexed", start: 4, count: 2, format: { hex: true } });
  assert.deepEqual(some.map((v) => [v.name, v.value]), [["[4]", "0x00000004"], ["[5]", "0x00000005"]]);
  assert.equal(named(await session.scope("Predicates"), "%p").value, "0x0000ffff (lanes 0–15)");
  assert.equal(named(await session.scope("Shared"), "table").type, ".u32[64]");
  assert.match(named(await session.scope("Parameters"), "out").value, /→ out$/);
  assert.equal(named(await session.scope("Special registers"), "%ctaid.x").value, "0");
  covers("supportsValueFormattingOptions");
  // Every name that the adapter returns as an expression can be evaluated.
  for (const scope of ["Uniform registers", "Varying registers", "Predicates", "Shared", "Parameters", "Buffers", "Special registers"])
    for (const variable of await session.scope(scope)) {
      if (variable.evaluateName) await session.evaluate(variable.evaluateName);
      if (variable.variablesReference)
        for (const part of (await session.parts(variable.variablesReference, { start: 0, count: 3 }))) await session.evaluate(part.evaluateName);
    }
  await session.close();
});

test("expressions, the console and its completions", async () => {
  const session = await Session.launch({ program: diverging }, (s) => s.breakpoints(diverging, [{ line: lineOf(diverging, "// here") }]));
  await session.go("continue");
  const [{ id }] = await session.frames();
  assert.equal(await session.evaluate("%lane + %n", { frameId: id, context: "hover" }), "3 4 5 … 34");
  assert.equal(await session.evaluate("%lane@3..5", { context: "clipboard" }), "3 4 5 in lanes 3–5");
  assert.equal(await session.evaluate("[table+4]:u32", { format: { hex: true } }), "0x00000006");
  const invalidated = session.client.waitForEvent("invalidated");
  assert.match(await session.evaluate("lane 5", { context: "repl" }), /^lane 5 is selected/);
  assert.deepEqual((await invalidated).body.areas, ["variables"]);
  assert.equal(await session.evaluate("%lane"), "lane 5: 5");
  await session.ask("ptx/focusLane", { lane: null });
  assert.match(await session.refused("evaluate", { expression: "%nobody" }), /%nobody/);
  const { targets } = await session.ask("completions", { frameId: id, text: "%la", column: 4 });
  assert.deepEqual(targets.map((t) => t.label), ["%lane", "%laneid"]);
  covers("supportsEvaluateForHovers", "supportsClipboardContext", "supportsCompletionsRequest", "completionTriggerCharacters");
  await session.close();
});

test("values are changed", async () => {
  const session = await Session.launch({ program: diverging }, (s) => s.breakpoints(diverging, [{ line: lineOf(diverging, "setp.lt.u32 %p") }]));
  await session.go("continue");
  const [top] = await session.frames();
  const { scopes } = await session.ask("scopes", { frameId: top.id });
  const uniform = scopes.find((s) => s.name === "Uniform registers").variablesReference;
  assert.equal((await session.ask("setVariable", { variablesReference: uniform, name: "%n", value: "5" })).value, "5");
  const memory = session.client.waitForEvent("memory");
  const set = await session.ask("setExpression", { expression: "[out+4]:u32", value: "0x10", format: { hex: true } });
  assert.equal(set.value, "0x00000010");
  assert.equal((await memory).body.memoryReference, set.memoryReference);
  const read = await session.ask("readMemory", { memoryReference: set.memoryReference, count: 4 });
  assert.equal(read.data, "EAAAAA==");
  await session.ask("writeMemory", { memoryReference: set.memoryReference, data: "IAAAAA==" });
  assert.equal(await session.evaluate("[out+4]:u32"), "32");
  assert.equal(await session.go("continue", {}).then(() => session.evaluate("%n")), "3", "the other warp keeps its own");
  await session.breakpoints(diverging, []);
  assert.equal(await session.go("continue"), undefined);
  assert.match(session.said, /not as expected: out\[0\]=6: .*10/);
  covers("supportsSetVariable", "supportsSetExpression", "supportsReadMemoryRequest", "supportsWriteMemoryRequest");
  await session.close();
});

test("restart, terminate, sources", async () => {
  const session = await Session.launch({ program: diverging });
  const { sources } = await session.ask("loadedSources");
  assert.deepEqual(sources.map((s) => s.path), [diverging]);
  const { content } = await session.ask("source", { source: sources[0], sourceReference: 0 });
  assert.match(content, /^\/\/ diverging/);
  assert.match(await session.refused("source", { source: { path: "/etc/passwd" }, sourceReference: 0 }), /is not a source of this kernel/);
  await session.client.restartRequest({ arguments: { program: diverging, launch: "grid=1 block=32 n=2 out=u32[32]:zero" } });
  assert.equal((await session.end()).reason, "entry");
  const terminated = session.client.waitForEvent("terminated");
  await session.client.terminateRequest();
  await terminated;
  covers("supportsLoadedSourcesRequest", "supportsRestartRequest", "supportsTerminateRequest");
  await session.close();
});

test("a launch that cannot be done says why", async () => {
  const session = new Session();
  await session.client.start();
  await session.client.initializeRequest({ adapterID: "ptx" });
  await assert.rejects(session.client.launchRequest({ program: diverging, entry: "nobody" }), /there is no kernel `nobody` in this module: there are `kernel`/);
  await assert.rejects(session.client.attachRequest({}), /there is nothing to attach to/);
  await session.close();
});

test("what takes long can be cancelled, and ends with its client", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "ptx-dap-"));
  const file = path.join(folder, "endless.ptx");
  writeFileSync(file, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry kernel()\n{\nloop:\n    bra loop;\n}\n");
  const launch = { program: file, limit: 1e15 };
  const session = new Session();
  await session.client.start();
  await session.client.initializeRequest({ adapterID: "ptx", supportsProgressReporting: true });
  const progress = session.client.waitForEvent("progressStart");
  const answer = assert.rejects(session.client.launchRequest(launch), /cancelled/);
  const { progressId } = (await progress).body;
  const begin = Date.now();
  const ended = session.client.waitForEvent("progressEnd");
  await session.ask("cancel", { progressId });
  await answer;
  await ended;
  assert.ok(Date.now() - begin < 1000);
  covers("supportsCancelRequest");
  await session.close();
  // A client that disconnects without a request.
  const process_ = spawn(process.env.PTX_ANALYZER, ["dap"], { stdio: ["pipe", "ignore", "inherit"] });
  const body = JSON.stringify({ seq: 1, type: "request", command: "launch", arguments: launch });
  process_.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const gone = new Promise((resolve) => process_.on("exit", resolve));
  const closed = Date.now();
  process_.stdin.end();
  assert.equal(await gone, 0);
  assert.ok(Date.now() - closed < 1000);
  rmSync(folder, { recursive: true });
});

after(() => assert.deepEqual([...open], [], "announced, but not tested"));

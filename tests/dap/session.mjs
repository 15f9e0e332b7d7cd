// A session with `ptx-analyzer dap`, using Microsoft's client library.
import { DebugClient } from "@vscode/debugadapter-testsupport";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const here = path.dirname(fileURLToPath(import.meta.url));
export const diverging = path.join(here, "diverging.ptx");
export const example = (name) => path.join(here, "../kernels", name);

/// The line, from 1, of the first occurrence of a text.
export function lineOf(file, what) {
  const at = readFileSync(file, "utf8").split("\n").findIndex((l) => l.includes(what));
  assert.notEqual(at, -1, `${what} is not in ${file}`);
  return at + 1;
}

export class Session {
  constructor() {
    const server = process.env.PTX_ANALYZER;
    this.client = new DebugClient(server, "dap", "ptx", undefined, true);
    this.client.defaultTimeout = 30_000;
    this.said = "";
    this.client.on("output", (event) => (this.said += event.body.output));
    this.thread = 1;
    // Queues of stop and end events, and of callers that wait for the next one.
    this.ends = [];
    this.waiting = [];
    for (const name of ["stopped", "terminated"])
      this.client.on(name, (event) => {
        const waiting = this.waiting.shift();
        if (waiting) waiting(event);
        else this.ends.push(event);
      });
  }

  /// Starts, initialises and launches; `configure` sets breakpoints. Returns the first stop, or nothing if the kernel
  /// ran to its end.
  static async launch(launch, configure) {
    const session = new Session();
    await session.client.start();
    session.capabilities = (
      await session.client.initializeRequest({
        clientID: "tests", adapterID: "ptx", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path",
        supportsInvalidatedEvent: true, supportsMemoryEvent: true, supportsProgressReporting: true,
      })
    ).body;
    const initialized = session.client.waitForEvent("initialized");
    await session.client.launchRequest(launch);
    await initialized;
    if (configure) await configure(session);
    await session.client.configurationDoneRequest();
    session.stop = await session.end();
    return session;
  }

  /// The next stop, or nothing if the kernel ends first.
  async end() {
    const event = this.ends.shift() ?? (await new Promise((resolve) => this.waiting.push(resolve)));
    if (event.event === "terminated") return undefined;
    this.thread = event.body.threadId;
    return event.body;
  }

  /// Sends a request and waits for the next stop.
  async go(command, more = {}) {
    await this.ask(command, { threadId: this.thread, ...more });
    return this.end();
  }

  async ask(command, args) {
    return (await this.client.customRequest(command, args)).body;
  }

  /// Sends a request that must be refused, and returns the message for the user.
  async refused(command, args) {
    try {
      await this.client.customRequest(command, args);
    } catch (error) {
      return error.message;
    }
    assert.fail(`${command} is not refused`);
  }

  async frames() {
    return (await this.ask("stackTrace", { threadId: this.thread })).stackFrames;
  }

  async line() {
    return (await this.frames())[0].line;
  }

  async scope(name) {
    const [top] = await this.frames();
    const { scopes } = await this.ask("scopes", { frameId: top.id });
    const found = scopes.find((s) => s.name === name);
    return found ? this.parts(found.variablesReference) : [];
  }

  async parts(variablesReference, more = {}) {
    return (await this.ask("variables", { variablesReference, ...more })).variables;
  }

  async evaluate(expression, more = {}) {
    return (await this.ask("evaluate", { expression, context: "watch", ...more })).result;
  }

  async breakpoints(source, breakpoints) {
    return (await this.ask("setBreakpoints", { source: { path: source }, breakpoints })).breakpoints;
  }

  async close() {
    await this.client.stop();
  }
}

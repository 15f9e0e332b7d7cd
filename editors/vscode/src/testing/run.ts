// Runs of tests: asks the server for each launch, or debugs it.

import * as vscode from 'vscode';
import { COMMANDS, SERVER_COMMANDS } from '../commandNames';
import { launch } from '../debug';
import type { EvaluateArguments, Evaluation } from '../protocol';
import { executeCommand, RequestRefused } from '../requests';
import { messageOf, type Server } from '../server';
import type { LaunchTest, TestTree } from './tree';
import { failures, reasons, type Failure } from './verdict';

/** Number of launches that are requested at a time; the server runs two. */
const AT_ONCE = 2;

/** Receives the outcome of a test and its messages. */
export type Report = (item: vscode.TestItem, outcome: string[]) => void;

interface Test {
    item: vscode.TestItem;
    uri: vscode.Uri;
    launch: LaunchTest;
}

export class TestRunner {
    constructor(
        private readonly controller: vscode.TestController,
        private readonly tree: TestTree,
        private readonly server: Server,
        private readonly report: Report,
    ) {}

    /** Runs the tests of a request, a few at a time; or debugs them, one after the other. */
    async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, debug: boolean): Promise<void> {
        const run = this.controller.createTestRun(request);
        try {
            await this.server.ensure();
            const tests = await this.#collect(request, token);
            tests.forEach(({ item }) => {
                run.enqueued(item);
            });
            const next = async (): Promise<void> => {
                for (let test = tests.shift(); test; test = tests.shift()) {
                    if (token.isCancellationRequested) this.#skip(run, test);
                    else if (debug) await this.#debug(run, test, token);
                    else await this.#evaluate(run, test, token);
                }
            };
            await Promise.all(Array.from({ length: debug ? 1 : AT_ONCE }, next));
        } finally {
            run.end();
        }
    }

    /** The launches below the requested items. Lists those of each file again, because its text may have changed. */
    async #collect({ include, exclude }: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<Test[]> {
        const excluded = new Set(exclude);
        const files = new Set<string>();
        const tests: Test[] = [];
        const visit = async (item: vscode.TestItem): Promise<void> => {
            if (excluded.has(item) || token.isCancellationRequested) return;
            const { uri } = item;
            if (!uri) return;
            if (!files.has(uri.toString())) {
                files.add(uri.toString());
                await this.tree.update(uri);
            }
            const found = this.tree.launch(item);
            if (found) tests.push({ item, uri, launch: found });
            for (const child of listed(item.children)) await visit(child);
        };
        if (!include) await this.tree.findFiles(token);
        for (const item of include ?? listed(this.controller.items)) await visit(item);
        return tests;
    }

    async #evaluate(run: vscode.TestRun, test: Test, token: vscode.CancellationToken): Promise<void> {
        const { item, uri } = test;
        const { entry, number, line } = test.launch;
        run.started(item);
        const started = Date.now();
        try {
            // The server reads open documents only. VS Code closes those that are not shown after a while.
            const document = await vscode.workspace.openTextDocument(uri);
            const argument: EvaluateArguments = { uri: uri.toString(), entry, number, count: 0, brief: true, follow: false };
            const answer = await executeCommand<Evaluation>(this.server.client, SERVER_COMMANDS.evaluateWarp, [argument], token);
            const found = failures(answer, line);
            const duration = answer.seconds * 1000;
            if (found.length === 0) {
                run.passed(item, duration);
                this.#report(run, test, 'passed');
            } else {
                run.failed(item, messages(uri, found), duration);
                this.#report(run, test, 'failed', found);
            }
            // The text was edited during the run.
            if (document.version !== answer.version) this.controller.invalidateTestResults(item);
        } catch (error) {
            if (token.isCancellationRequested) {
                this.#skip(run, test);
                return;
            }
            const found = reasons(messageOf(error), error instanceof RequestRefused ? error.data : undefined, line);
            run.errored(item, messages(uri, found), Date.now() - started);
            this.#report(run, test, 'errored', found);
        }
    }

    /** Debugs a launch. If the kernel ran to its end, its result is the one of a run. */
    async #debug(run: vscode.TestRun, test: Test, token: vscode.CancellationToken): Promise<void> {
        const { item, uri } = test;
        const { entry, number, line } = test.launch;
        const document = await vscode.workspace.openTextDocument(uri);
        if (document.isUntitled || (document.isDirty && !(await document.save()))) {
            const found = [{ text: 'Save the kernel as a file first: the debugger reads it from disk.', line }];
            run.errored(item, messages(uri, found));
            this.#report(run, test, 'errored', found);
            return;
        }
        run.started(item);
        const name = `Debug ${entry}, launch in line ${(item.range?.start.line ?? line) + 1}`;
        const configuration = { ...launch(name, uri.fsPath, entry), number, stopOnEntry: !hasBreakpoint(uri) };
        if (await debugged(configuration, uri, run, token)) await this.#evaluate(run, test, token);
        else this.#skip(run, test);
    }

    #skip(run: vscode.TestRun, test: Test): void {
        run.skipped(test.item);
        this.#report(run, test, 'skipped');
    }

    /** Writes an outcome into the output of the run. */
    #report(run: vscode.TestRun, { item, uri, launch: { entry } }: Test, outcome: string, found: Failure[] = []): void {
        const lines = found.map(({ text, line }) => `line ${line + 1}: ${text}`);
        const file = vscode.workspace.asRelativePath(uri);
        const title = `${outcome.padEnd(8)}${entry} ${file}:${(item.range?.start.line ?? 0) + 1}`;
        run.appendOutput([title, ...lines.map((text) => `        ${text}`), ''].join('\r\n'), undefined, item);
        this.report(item, [outcome, ...lines]);
    }
}

/** Runs a session of the debugger. Returns whether the kernel ran to its end. */
async function debugged(
    configuration: vscode.DebugConfiguration,
    uri: vscode.Uri,
    testRun: vscode.TestRun,
    token: vscode.CancellationToken,
): Promise<boolean> {
    let exited = false;
    const disposables: vscode.Disposable[] = [];
    const own = (session: vscode.DebugSession): boolean => session.type === configuration.type && session.name === configuration.name;
    try {
        const ended = new Promise<void>((resolve) => {
            disposables.push(
                vscode.debug.registerDebugAdapterTrackerFactory(configuration.type, {
                    createDebugAdapterTracker: (session) => ({
                        onDidSendMessage: (message: { type?: string; event?: string }) => {
                            if (own(session) && message.type === 'event' && message.event === 'exited') exited = true;
                        },
                    }),
                }),
                vscode.debug.onDidStartDebugSession((session) => {
                    const stop = (): void => void vscode.debug.stopDebugging(session);
                    if (own(session)) disposables.push(token.onCancellationRequested(stop));
                }),
                vscode.debug.onDidTerminateDebugSession((session) => {
                    if (own(session)) resolve();
                }),
            );
        });
        if (!(await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration, { testRun }))) return false;
        await ended;
        return exited;
    } finally {
        vscode.Disposable.from(...disposables).dispose();
    }
}

function hasBreakpoint(uri: vscode.Uri): boolean {
    return vscode.debug.breakpoints.some(
        (one) => one.enabled && one instanceof vscode.SourceBreakpoint && one.location.uri.toString() === uri.toString(),
    );
}

function listed(items: vscode.TestItemCollection): vscode.TestItem[] {
    return [...items].map(([, item]) => item);
}

function messages(uri: vscode.Uri, found: Failure[]): vscode.TestMessage[] {
    return found.map(({ text, line }) => {
        const message = new vscode.TestMessage(text);
        message.location = new vscode.Location(uri, new vscode.Position(line, 0));
        return message;
    });
}

/** The profiles of the Test Explorer. In a browser there is no debugger. */
export function addProfiles(controller: vscode.TestController, runner: TestRunner, unavailable: Readonly<Record<string, string>>): void {
    controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request, token) => runner.run(request, token, false), true);
    if (COMMANDS.debugEntry in unavailable) return;
    controller.createRunProfile('Debug', vscode.TestRunProfileKind.Debug, (request, token) => runner.run(request, token, true), true);
}

// The language server: starts it, monitors it, restarts it.

import * as vscode from 'vscode';
import {
    CloseAction,
    DidChangeConfigurationNotification,
    ErrorAction,
    State,
    type BaseLanguageClient,
    type ErrorHandler,
    type LanguageClientOptions,
    type Middleware,
    type StaticFeature,
} from 'vscode-languageclient';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';
import type { Platform, ServerIdentity, ServerPlace, ServerProgram } from './platform';
import { forServer, initializationOptions } from './settings';
import { STATEMENT_SCHEME } from './text';
import { versionMismatch } from './version';

export type ServerState =
    | { kind: 'stopped' }
    | { kind: 'starting' }
    | { kind: 'running'; version: string | undefined; place: ServerPlace; warning: string | undefined }
    | { kind: 'failed'; problem: string };

/** If the server ends this often within this number of milliseconds, it is not restarted automatically. */
const MAX_ENDS = 4;
const ENDS_PERIOD = 3 * 60 * 1000;
/** Milliseconds that a start may last once a restart, a stop or a command waits for it. A program that is not a server never answers. */
const START_TIMEOUT = 3000;

/**
 * The schemes of the documents that the server receives: the usual ones, and those of the workspace's folders. Other
 * documents, such as old revisions in a comparison, are only highlighted.
 */
export function schemes(): string[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme);
    return [...new Set(['file', 'untitled', 'vscode-vfs', ...folders])];
}

/** One of the two servers: both are the same program. */
export interface ServerKind extends ServerIdentity {
    /** The documents that the server receives; it does not start if there are none. */
    selector: () => { scheme: string; language: string }[];
    /** Settings that take effect only after a restart of the server. */
    restarting: string[];
    /** Whether a failure is shown as a message, rather than in the log only. */
    announced: boolean;
}

export const PTX_SERVER: ServerKind = {
    id: 'ptx-analyzer',
    name: 'PTX Analyzer',
    arguments: [],
    selector: () => [...schemes(), STATEMENT_SCHEME].map((scheme) => ({ scheme, language: 'ptx' })),
    restarting: ['ptx-analyzer.server', 'ptx-analyzer.ptxas', 'ptx-analyzer.nvdisasm'],
    announced: true,
};

/**
 * The commands of this extension that the server may use in code lenses, actions and completion items. The client does not
 * push changed settings: it does so even while it is stopped. `Server` pushes them.
 */
const extensionFeature: StaticFeature = {
    fillClientCapabilities(capabilities) {
        capabilities.workspace = { ...capabilities.workspace, didChangeConfiguration: { dynamicRegistration: false } };
        const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
        const commands = [COMMANDS.rename, COMMANDS.showReferences, COMMANDS.showWarp, COMMANDS.suggest, SERVER_COMMANDS.explain];
        capabilities.experimental = { ...experimental, commands: { commands } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
};

/**
 * Turns off the client's own restarts. They miss a server that dies between its first answer and the client's
 * `initialized`, and one that the client gives up after transmission errors. So this class monitors the client's state
 * and creates a new client itself.
 */
const ENDS_ARE_OURS: ErrorHandler = {
    error: (_error, _message, count) => ({
        action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
    }),
    closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
};

export class Server implements vscode.Disposable {
    readonly #changed = new vscode.EventEmitter<ServerState>();
    readonly #created = new vscode.EventEmitter<BaseLanguageClient>();
    readonly #disposables: vscode.Disposable[] = [this.#changed, this.#created];
    #state: ServerState = { kind: 'stopped' };
    #client: BaseLanguageClient | undefined;
    #program: ServerProgram | undefined;
    #ends: number[] = [];
    /** Starts and stops run one after the other in this queue. */
    #queue: Promise<void> = Promise.resolve();
    #wanted = false;
    /** The restart that waits in the queue. */
    #waitingRestart: Promise<void> | undefined;
    /** Ends the wait for a client that starts. */
    #abandonStart: (() => void) | undefined;

    readonly onDidChangeState = this.#changed.event;
    /** Fires when a client was created and is about to start, so that notification handlers can be registered. */
    readonly onWillStart = this.#created.event;

    constructor(
        private readonly context: vscode.ExtensionContext,
        private readonly platform: Platform,
        readonly log: vscode.LogOutputChannel,
        private readonly middleware: Middleware,
        private readonly kind: ServerKind = PTX_SERVER,
    ) {
        this.#disposables.push(
            vscode.workspace.onDidGrantWorkspaceTrust(() => (this.#wanted ? this.restart() : undefined)),
            vscode.workspace.onDidChangeConfiguration((event) => {
                if (!this.#wanted || !event.affectsConfiguration('ptx-analyzer')) return;
                // A new server begins with the current settings.
                if (kind.restarting.some((section) => event.affectsConfiguration(section))) void this.restart();
                else this.#pushSettings();
            }),
        );
    }

    get state(): ServerState {
        return this.#state;
    }

    get client(): BaseLanguageClient | undefined {
        return this.#client;
    }

    start(): Promise<void> {
        this.#wanted = true;
        return this.#enqueue(() => this.#start());
    }

    /** Starts the server unless it was started before, and waits for starts and restarts under way, but not long. */
    ensure(): Promise<void> {
        if (!this.#wanted) return this.start();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const timeout = new Promise<void>((resolve) => {
            timer = setTimeout(resolve, START_TIMEOUT);
        });
        return Promise.race([this.#queue, timeout]).finally(() => {
            clearTimeout(timer);
        });
    }

    /** Restarts the server. Several restarts that wait become one, since it uses the settings at its beginning. */
    restart(): Promise<void> {
        this.#wanted = true;
        this.#waitingRestart ??= this.#enqueueReplacement(async () => {
            this.#waitingRestart = undefined;
            this.#ends = [];
            await this.#stop();
            await this.#start();
        });
        return this.#waitingRestart;
    }

    stop(): Promise<void> {
        this.#wanted = false;
        return this.#enqueueReplacement(() => this.#stop());
    }

    dispose(): void {
        this.#disposables.forEach((disposable) => {
            disposable.dispose();
        });
    }

    #enqueue(work: () => Promise<void>): Promise<void> {
        this.#queue = this.#queue.then(work, work);
        return this.#queue;
    }

    /** Queues work that ends the current server, and limits the time of a start before it. */
    #enqueueReplacement(work: () => Promise<void>): Promise<void> {
        const timer = setTimeout(() => this.#abandonStart?.(), START_TIMEOUT);
        return this.#enqueue(() => {
            clearTimeout(timer);
            return work();
        });
    }

    /**
     * Reports changed settings to the server, which then requests them. A client that starts sends this once its server
     * runs; to one that stops or whose server has died, it does not matter, because the next server requests them anyway.
     */
    #pushSettings(): void {
        this.#client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null }).catch((error: unknown) => {
            this.log.debug(`The changed settings are left to the next server: ${messageOf(error)}`);
        });
    }

    #set(state: ServerState): void {
        this.#state = state;
        this.#changed.fire(state);
    }

    async #start(): Promise<void> {
        if (this.kind.selector().length === 0) return;
        const found = this.platform.findServer(this.kind);
        if ('problem' in found) {
            this.#fail(found.problem);
            return;
        }
        this.log.info(`Starting ${[found.file, ...this.kind.arguments].join(' ')} (${describe(found.place)})`);
        const client = found.createClient(this.#options());
        client.registerFeature(extensionFeature);
        this.#client = client;
        this.#program = found;
        const life = { ran: false };
        client.onDidChangeState(({ newState }) => {
            if (this.#client !== client) return;
            if (newState === State.Starting) this.#set({ kind: 'starting' });
            else if (newState === State.Running) {
                life.ran = true;
                this.#running(client, found.place);
            } else void this.#enqueue(() => this.#ended(client));
        });
        this.#created.fire(client);
        const abandoned = new Promise<void>((resolve) => {
            this.#abandonStart = resolve;
        });
        try {
            await Promise.race([client.start(), abandoned]);
        } catch (error) {
            if (life.ran || this.#ends.length > 0) await this.#ended(client);
            else {
                await this.#discard(client);
                this.#fail(`The server \`${found.file}\` did not start: ${messageOf(error)}`);
            }
        } finally {
            this.#abandonStart = undefined;
        }
    }

    async #stop(): Promise<void> {
        if (this.#client) await this.#discard(this.#client);
        this.#set({ kind: 'stopped' });
    }

    async #discard(client: BaseLanguageClient): Promise<void> {
        const program = this.#client === client ? this.#program : undefined;
        if (this.#client === client) this.#client = undefined;
        // A server whose start was abandoned must not answer any more: its client would register commands a second time.
        if (!client.isRunning()) program?.end();
        try {
            await client.dispose(2000);
        } catch (error) {
            // The server never ran, or died during the start: there is nothing to stop.
            this.log.debug(`Stopping the server: ${messageOf(error)}`);
        } finally {
            program?.end();
        }
    }

    /** Handles an unexpected end of the server: restarts it, unless it has ended too often. */
    async #ended(client: BaseLanguageClient): Promise<void> {
        if (this.#client !== client) return;
        const reason = this.#program?.endReason();
        await this.#discard(client);
        if (reason !== undefined) {
            // It has worked, so the user misses it.
            this.#fail(reason, true);
            return;
        }
        const now = Date.now();
        this.#ends = [...this.#ends.filter((end) => now - end < ENDS_PERIOD), now];
        if (this.#ends.length < MAX_ENDS) {
            this.log.warn('The server ended unexpectedly and is started again');
            this.#set({ kind: 'starting' });
            await this.#start();
        } else {
            this.#fail(
                `The PTX language server ended ${MAX_ENDS} times in a row and is not started again. ` + 'The log shows its last words.',
            );
        }
    }

    #running(client: BaseLanguageClient, place: ServerPlace): void {
        const version = client.initializeResult?.serverInfo?.version;
        const own = (this.context.extension.packageJSON as { version: string }).version;
        const warning = versionMismatch(version, own);
        if (warning !== undefined) this.log.warn(warning);
        this.log.info(`The server ${this.kind.name} runs, version ${version ?? 'unknown'}`);
        this.#set({ kind: 'running', version, place, warning });
    }

    #fail(problem: string, isAnnounced = this.kind.announced): void {
        this.log.error(problem);
        this.#set({ kind: 'failed', problem });
        if (!isAnnounced) return;
        const restart = 'Start Again';
        const settings = 'Open Settings';
        const log = 'Show Log';
        const section = this.platform.serverSettings;
        void vscode.window.showErrorMessage(plain(problem), restart, ...(section === undefined ? [] : [settings]), log).then((chosen) => {
            if (chosen === restart) void this.restart();
            else if (chosen === settings) void vscode.commands.executeCommand('workbench.action.openSettings', section);
            else if (chosen === log) this.log.show(true);
        });
    }

    #options(): LanguageClientOptions {
        const section = vscode.workspace.getConfiguration('ptx-analyzer');
        return {
            documentSelector: this.kind.selector(),
            outputChannel: this.log,
            traceOutputChannel: this.log,
            initializationOptions: initializationOptions(section, vscode.workspace.isTrusted),
            initializationFailedHandler: () => false,
            errorHandler: ENDS_ARE_OURS,
            // Hovers contain links to the full chapters, so they may run this one command.
            markdown: { isTrusted: { enabledCommands: [SERVER_COMMANDS.explain] } },
            diagnosticPullOptions: { onChange: true, onTabs: false, onSave: false },
            middleware: {
                ...this.middleware,
                workspace: {
                    ...this.middleware.workspace,
                    configuration: async (params, token, next) => {
                        const answers = await next(params, token);
                        return Array.isArray(answers) ? answers.map(forServer) : answers;
                    },
                },
            },
        };
    }
}

export function describe(place: ServerPlace): string {
    return { setting: 'named by ptx-analyzer.server.path', package: 'of this extension', PATH: 'found on PATH', browser: 'of this extension, in the browser' }[place];
}

/** Notifications in VS Code do not render Markdown. */
export function plain(text: string): string {
    return text.replaceAll('`', '');
}

export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

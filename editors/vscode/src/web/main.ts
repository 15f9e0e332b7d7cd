// The extension in a browser: the server is a WebAssembly module in a Web Worker.

import * as vscode from 'vscode';
import {
    AbstractMessageReader,
    AbstractMessageWriter,
    LanguageClient,
    type DataCallback,
    type Disposable,
    type Message,
    type MessageReader,
    type MessageTransports,
    type MessageWriter,
} from 'vscode-languageclient/browser';
import { quiet } from '../client';
import { start, stop, type Api } from '../extension';
import { INLINE_SERVER } from '../inline';
import type { Platform } from '../platform';
import { supplyFiles } from './files';
import { UNAVAILABLE } from './unavailable';
import type { WorkerEnd, WorkerStart } from './worker';

const MODULE = 'ptx-analyzer.wasm';

const Client = quiet(LanguageClient);

export function activate(context: vscode.ExtensionContext): Promise<Api> {
    return start(context, browser(context.extensionUri));
}

export function deactivate(): Promise<void> {
    return stop();
}

function browser(extension: vscode.Uri): Platform {
    // Compiled once: each server that starts later uses the same module.
    let compiled: Promise<WebAssembly.Module> | undefined;
    const module = (): Promise<WebAssembly.Module> => {
        compiled ??= compile(extension).catch((error: unknown) => {
            compiled = undefined;
            throw error;
        });
        return compiled;
    };
    return {
        findServer({ id, name }) {
            const isInline = id === INLINE_SERVER.id;
            let worker: Worker | undefined;
            let ended = false;
            let reason: string | undefined;
            const startWorker = async (): Promise<MessageTransports> => {
                const code = await module();
                if (ended) throw new Error('The server was stopped before it ran.');
                worker = new Worker(vscode.Uri.joinPath(extension, 'dist', 'worker.js').toString(true), { name: id });
                await loaded(worker, { module: code, kind: isInline ? 'start_host' : 'start_in_editor' });
                const onEnd = (why: string): void => {
                    reason = why;
                };
                // Not the worker itself: VS Code replaces `Worker`, so the client does not recognize it.
                return { reader: new ObjectReader(worker, onEnd), writer: new TextWriter(worker) };
            };
            return {
                file: MODULE,
                place: 'browser',
                createClient: (options) => {
                    const client = new Client(id, name, startWorker, options);
                    if (!isInline) supplyFiles(client);
                    return client;
                },
                endReason: () => reason,
                end: () => {
                    ended = true;
                    worker?.terminate();
                },
            };
        },
        unavailable: UNAVAILABLE,
        serverSettings: undefined,
        register: () => [],
    };
}

async function compile(extension: vscode.Uri): Promise<WebAssembly.Module> {
    const file = vscode.Uri.joinPath(extension, 'server', MODULE);
    if (file.scheme === 'https' || file.scheme === 'http') {
        try {
            // Compiles what has arrived while the rest is loaded.
            return await WebAssembly.compileStreaming(fetch(file.toString()));
        } catch {
            // The server sends another content type or refuses the request, so VS Code reads the file.
        }
    }
    let bytes: Uint8Array;
    try {
        bytes = await vscode.workspace.fs.readFile(file);
    } catch {
        throw new Error('This package of the extension contains no server for browsers. Install the package for the web.');
    }
    return WebAssembly.compile(new Uint8Array(bytes));
}

/** Reads messages, which are objects, and the last one of a worker whose server has ended. */
class ObjectReader extends AbstractMessageReader implements MessageReader {
    constructor(
        private readonly worker: Worker,
        private readonly onEnd: (reason: string) => void,
    ) {
        super();
    }

    listen(callback: DataCallback): Disposable {
        this.worker.onmessage = ({ data }: MessageEvent<Message | WorkerEnd>) => {
            if ('ended' in data) {
                this.onEnd(data.ended);
                this.fireClose();
            } else callback(data);
        };
        this.worker.onerror = ({ message }) => {
            this.fireError(new Error(message));
        };
        return {
            dispose: () => {
                this.worker.onmessage = null;
                this.worker.onerror = null;
            },
        };
    }
}

/** Writes messages as JSON text. The objects may hold what cannot be passed to a worker, such as settings with methods. */
class TextWriter extends AbstractMessageWriter implements MessageWriter {
    constructor(private readonly worker: Worker) {
        super();
    }

    write(message: Message): Promise<void> {
        this.worker.postMessage(JSON.stringify(message));
        return Promise.resolve();
    }

    end(): void {
        // The worker lives until it is terminated.
    }
}

/** Passes the module to the worker and waits until the server runs. */
function loaded(worker: Worker, first: WorkerStart): Promise<void> {
    return new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
            worker.onmessage = null;
            worker.onerror = null;
            act();
        };
        worker.onmessage = () => {
            settle(resolve);
        };
        worker.onerror = ({ message }) => {
            settle(() => {
                worker.terminate();
                reject(new Error(message || 'The browser could not load the worker.'));
            });
        };
        worker.postMessage(first);
    });
}

// The Web Worker with a server. Its first message says which one, and it answers when the server runs. Then it takes the
// messages of the language server protocol as JSON text and sends the server's as objects. When the server has ended, it sends
// the reason as its last message.

import { PtxServer, type Kind } from '../../../../server/web/js/server.js';

/** The first message to the worker. */
export interface WorkerStart {
    /** The compiled module. */
    module: WebAssembly.Module;
    kind: Kind;
}

/** The last message of a worker whose server has ended. */
export interface WorkerEnd {
    ended: string;
}

let server: PtxServer | undefined;

self.onmessage = ({ data }: MessageEvent<unknown>): void => {
    if (server !== undefined) {
        server.receive(data as string);
        return;
    }
    const { module, kind } = data as WorkerStart;
    const send = (message: object): void => {
        self.postMessage(message);
    };
    const ended = (reason: string): void => {
        send({ ended: reason } satisfies WorkerEnd);
    };
    server = new PtxServer(module, send, { ended }, undefined, kind);
    send({ ready: true });
};

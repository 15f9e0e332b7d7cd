// The Web Worker with the server. Its first message is the compiled module, which it answers; then both sides exchange
// the messages of the language server protocol as objects.

import { PtxServer } from '../../../../server/web/js/server.js';

let server: PtxServer | undefined;

self.onmessage = ({ data }: MessageEvent<unknown>): void => {
    if (server !== undefined) {
        server.receive(data as object);
        return;
    }
    server = new PtxServer(data as WebAssembly.Module, (message) => {
        self.postMessage(message);
    });
    self.postMessage('ready');
};

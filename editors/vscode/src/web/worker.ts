// The Web Worker with the server. Its first message is the compiled module, which it answers. Then it takes the
// messages of the language server protocol as JSON text and sends the server's as objects.

import { PtxServer } from '../../../../server/web/js/server.js';

let server: PtxServer | undefined;

self.onmessage = ({ data }: MessageEvent<unknown>): void => {
    if (server !== undefined) {
        server.receive(data as string);
        return;
    }
    server = new PtxServer(data as WebAssembly.Module, (message) => {
        self.postMessage(message);
    });
    self.postMessage('ready');
};

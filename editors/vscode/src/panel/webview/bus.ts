// Communication with the host: requests with answers, and messages without.

import { fromHost, type FromHost, type FromPage, type Question, type WarpQuestion, asEvaluation } from '../messages';
import type { Evaluation, Refusal } from '../../protocol';

/** A refused request: a sentence for the user, and positions to go to. */
export class Refused extends Error {
    constructor(
        message: string,
        readonly refusal: Refusal | undefined,
    ) {
        super(message);
    }
}

/** What surrounds the page: VS Code, or the playground in editors/web. */
export interface Host {
    /** True if the host can open another panel while this one keeps its kernel. */
    readonly keepsPanels: boolean;
    postMessage(message: unknown): void;
    /** Calls the listener with each message for this page. */
    listen(listener: (message: unknown) => void): void;
}

interface Waiting {
    resolve: (body: unknown) => void;
    reject: (error: Error) => void;
}

export class Bus {
    private readonly waiting = new Map<number, Waiting>();
    private next = 1;

    constructor(
        private readonly host: Host,
        private readonly heard: (message: FromHost) => void,
    ) {
        host.listen((received) => {
            const message = fromHost(received);
            if (message !== undefined) this.take(message);
        });
    }

    send(message: FromPage): void {
        this.host.postMessage(message);
    }

    ask(question: Question): Promise<unknown> {
        const id = this.next;
        this.next += 1;
        this.send({ type: 'ask', id, question });
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }

    async evaluate(question: WarpQuestion): Promise<Evaluation> {
        return asEvaluation(await this.ask({ kind: 'evaluate', arguments: question }));
    }

    private take(message: FromHost): void {
        if (message.type !== 'answer' && message.type !== 'failure') {
            this.heard(message);
            return;
        }
        const waiting = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.type === 'answer') waiting?.resolve(message.body);
        else waiting?.reject(new Refused(message.message, message.refusal ?? undefined));
    }
}

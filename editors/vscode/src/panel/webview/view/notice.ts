// The notice bar: it explains problems and offers actions against them. Without a run it is the only content of the
// panel.

import type { Evaluation } from '../../../protocol';
import type { Session } from '../session';
import { button, element, prose, sentence, withoutTicks } from './dom';

export class Notice {
    readonly node = element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
    private shown = '';

    constructor(
        private readonly session: Session,
        private readonly actions: { again: () => void; reveal: (line: number, column: number) => void; writeLaunch: () => void; launch: () => void },
    ) {}

    update(): void {
        const { session } = this;
        const { evaluation, phase, stale, refused } = session;
        const key = JSON.stringify([phase, stale, refused, evaluation?.status, evaluation?.stopped_at, evaluation?.guessed, session.launch]);
        if (key === this.shown) return;
        this.shown = key;
        const list: HTMLElement[] = [];
        const again = (): HTMLElement => button('Evaluate again', 'Evaluate again', this.actions.again);
        if (phase === 'gone') list.push(this.strip('bad', 'The PTX language server does not run. What is shown was evaluated before.', again()));
        else if (phase === 'waiting' || (phase === 'evaluating' && evaluation === undefined)) list.push(this.strip('busy', 'Evaluating…'));
        if (refused !== undefined && phase !== 'gone') list.push(this.refusal(again()));
        else if (stale && phase === 'ready') list.push(this.strip('busy', 'Edited since. Evaluating again…', again()));
        if (evaluation !== undefined && phase !== 'refused') list.push(...this.ofRun());
        this.node.replaceChildren(...list);
    }

    private refusal(again: HTMLElement): HTMLElement {
        const { refused, evaluation } = this.session;
        const title = evaluation === undefined ? '' : 'Not evaluated: ';
        const strip = this.strip('bad', `${title}${refused?.message ?? ''}`, again);
        if (refused?.refusal?.kind === 'launch') {
            strip.append(button('Launch…', 'Edit the launch', this.actions.launch));
        }
        // Places in the launch of the form are marked there.
        const places = (refused?.refusal?.places ?? []).filter((place) => 'line' in place);
        if (places.length > 0) {
            const items = element('ul');
            for (const place of places.slice(0, 20)) {
                const go = button(prose(`Line ${place.line}: ${place.message}`), withoutTicks(`Line ${place.line}: ${place.message}`), () => {
                    this.actions.reveal(place.line, place.column);
                });
                go.className = 'link';
                items.append(element('li', {}, go));
            }
            strip.append(items);
        }
        return strip;
    }

    private ofRun(): HTMLElement[] {
        const { evaluation } = this.session;
        const out: HTMLElement[] = [];
        if (evaluation === undefined) return out;
        const { status, stopped_at: at } = evaluation;
        if (status === 'limit' || status === 'deadlock') {
            const strip = this.strip('warn', `${sentence(evaluation.ended)}${at === undefined ? '' : ' '}`);
            if (at !== undefined) {
                const go = button(`Line ${at.line}`, `Show line ${at.line} in the editor`, () => {
                    this.actions.reveal(at.line, at.column);
                });
                go.className = 'link';
                strip.append(go);
            }
            out.push(strip);
        }
        const { guessed = [] } = evaluation;
        if (guessed.length > 0 && this.session.launch === undefined) {
            out.push(
                this.strip(
                    'note',
                    guessWords(evaluation),
                    button('Write the launch line', 'Write the launch that was guessed above the kernel', this.actions.writeLaunch),
                    button('Edit', 'Edit the launch', this.actions.launch),
                ),
            );
        } else if (this.session.launch !== undefined) {
            out.push(this.strip('note', 'This run used the launch of the form, not of the source.', button('Edit', 'Edit the launch', this.actions.launch)));
        }
        return out;
    }

    private strip(kind: 'bad' | 'warn' | 'note' | 'busy', text: string, ...more: HTMLElement[]): HTMLElement {
        const sign = { bad: '✗', warn: '⚠', note: 'i', busy: '…' }[kind];
        return element('div', { class: `notice ${kind}` }, element('span', { class: 'sign', 'aria-hidden': 'true' }, sign), element('span', { class: 'text' }, prose(text)), ...more);
    }
}

/** One or two sentences about the guessed parts of the launch. */
function guessWords(evaluation: Evaluation): string {
    const { guessed = [] } = evaluation;
    return `Guessed launch: ${guessed.join(', ')}.${evaluation.guessed_lengths === undefined ? '' : ` ${evaluation.guessed_lengths}`}`;
}

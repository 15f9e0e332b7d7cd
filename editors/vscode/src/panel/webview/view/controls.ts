// Controls for stepping: buttons, a slider, an input for the step number, and a sentence with the current position.

import type { Step } from '../../../protocol';
import { laneCount, LANES, lanesInWords, laneRanges } from '../model/lanes';
import { executes } from '../model/timeline';
import { findOrigin, type Origin, type Scope, type WarpName, type Writer } from '../origin';
import type { Session } from '../session';
import { button, element, grouped, icon, prose, setAttribute, setClass, setText } from './dom';

/** Speeds of playback, in steps per second. */
const SPEEDS = [1, 2, 5, 10, 30, 60] as const;

export class Controls {
    readonly node: HTMLElement;
    readonly place: HTMLElement;
    /** Announces the position to screen readers; updated after a move, not during playback. */
    readonly live = element('div', { class: 'unseen', 'aria-live': 'polite', role: 'status' });
    /** What is wrong at the step, or what it did. */
    readonly answer = element('div', { class: 'answer' });
    private readonly slider = element('input', { type: 'range', min: '1', max: '1', step: '1', class: 'slider', 'aria-label': 'Step' });
    private readonly number = element('input', { type: 'number', min: '1', class: 'number', 'aria-label': 'Step number' });
    private readonly total = element('span', { class: 'quiet total' });
    private readonly text = element('code', { class: 'statement' });
    private readonly where = element('button', { type: 'button', class: 'link line', title: 'Show this line in the editor' });
    private readonly lanes = element('span', { class: 'quiet' });
    private readonly play: HTMLButtonElement;
    private readonly followButton: HTMLButtonElement;
    private readonly speed = element('select', { title: 'Steps a second when playing', 'aria-label': 'Steps a second when playing' });
    /** The origin of a value that the user asked for at a position, in place of the step's answer. */
    private origin: { position: number; content: Node[] } | undefined;
    /** The steps from which the user went to the writer of a value. */
    private readonly left: (WarpName & { position: number })[] = [];
    private playing = false;
    private due = 0;
    private speaking: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly session: Session,
        private readonly reveal: (line: number, column: number) => void,
    ) {
        const go = (act: () => void) => (): void => {
            this.stop();
            act();
        };
        this.play = button('', 'Play', () => {
            this.togglePlay();
        }, 'Space');
        for (const speed of SPEEDS) this.speed.append(element('option', { value: `${speed}` }, `${speed}/s`));
        this.speed.value = '5';
        const buttons = element(
            'div',
            { class: 'buttons', role: 'toolbar', 'aria-label': 'Steps' },
            button(icon('M3 3v10M13 3 6 8l7 5z'), 'First step', go(() => { this.first(); }), 'G'),
            button(icon('M11 3 4 8l7 5z'), 'Step back', go(() => { this.back(); }), 'B or ,'),
            this.play,
            button(icon('M5 3l7 5-7 5z'), 'Step forward', go(() => { this.forward(); }), 'N or .'),
            button(icon('M13 3v10M3 3l7 5-7 5z'), 'Last step', go(() => { this.last(); }), 'Shift+G'),
            element('span', { class: 'gap' }),
            button(icon('M8 13V4M4 8l4-4 4 4M3 2h10'), 'Previous execution of this line', go(() => { this.ofLine(-1); }), 'Shift+B'),
            button(icon('M8 3v9M4 8l4 4 4-4M3 14h10'), 'Next execution of this line', go(() => { this.ofLine(1); }), 'Shift+N'),
            button(icon('M5 2h6M8 2v12M5 14h6', 'M11 8h4M13 6l2 2-2 2'), 'Next execution of the line under the cursor of the editor', go(() => { this.ofCursor(1); }), 'C'),
            button(icon('M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.5v1'), 'Next fault', go(() => { this.fault(1); }), 'E'),
            this.speed,
        );
        this.followButton = element('button', { type: 'button', class: 'chip-button', title: 'The panel goes to the line of the editor’s cursor (L). Stepping here never moves the cursor.', 'aria-pressed': 'true' }, 'Follow cursor');
        this.followButton.addEventListener('click', () => {
            session.remember({ follow: !session.preferences.follow });
            if (session.preferences.follow && session.cursorLine > 0) session.followCursor(session.cursorLine);
        });
        buttons.append(this.followButton);
        this.setPlaying(false);
        this.slider.addEventListener('input', go(() => {
            session.goTo(Number(this.slider.value) - 1);
        }));
        this.number.addEventListener('change', go(() => {
            const wanted = Number(this.number.value);
            if (Number.isInteger(wanted)) session.goTo(wanted - 1);
        }));
        this.where.addEventListener('click', () => {
            const { current } = session;
            if (current !== undefined) this.reveal(current.line, current.column);
        });
        this.node = element('div', { class: 'controls' }, buttons, element('div', { class: 'slide' }, this.slider, this.number, this.total));
        this.place = element('div', { class: 'place' }, this.where, this.text, this.lanes, this.live);
    }

    first(): void {
        this.session.goTo(0);
    }

    last(): void {
        this.session.goTo(this.session.steps - 1);
    }

    back(): void {
        this.session.goTo(this.session.position - 1);
    }

    forward(): void {
        this.session.goTo(this.session.position + 1);
    }

    ofLine(direction: 1 | -1, line = this.session.glance(this.session.position)?.line): void {
        if (line === undefined) return;
        void this.session.search(direction, (view) => executes(view, line)).then((step) => {
            if (step !== undefined) this.session.goTo(step);
            else this.say(`Line ${line} is not executed ${direction === 1 ? 'after' : 'before'} this step.`);
        });
    }

    preferencesChanged(): void {
        setAttribute(this.followButton, 'aria-pressed', String(this.session.preferences.follow));
    }

    toggleFollow(): void {
        this.followButton.click();
    }

    /** Shows that the warp does not execute the line of the cursor. */
    notExecuted(line: number): void {
        this.say(`This warp does not execute line ${line}.`);
    }

    /** Goes to an execution of the line of the editor's cursor. */
    ofCursor(direction: 1 | -1): void {
        const { cursorLine } = this.session;
        if (cursorLine === 0) this.say('Put the cursor of the editor into a line of the kernel first.');
        else this.ofLine(direction, cursorLine);
    }

    /** Goes to the next fault of this warp; after the last one follows the first. */
    fault(direction: 1 | -1): void {
        const { session } = this;
        const steps = session.faultsHere().map((fault) => fault.step);
        steps.sort((one, other) => (one - other) * direction);
        const next = steps.find((step) => (step - session.position) * direction > 0) ?? steps[0];
        if (next === undefined) this.say('No fault was found in this warp.');
        else session.goTo(next);
    }

    togglePlay(): void {
        if (this.playing) {
            this.stop();
            return;
        }
        if (this.session.position >= this.session.steps - 1) this.session.goTo(0);
        this.setPlaying(true);
        this.due = performance.now();
        requestAnimationFrame((now) => {
            this.tick(now);
        });
    }

    stop(): void {
        if (this.playing) this.setPlaying(false);
    }

    private setPlaying(playing: boolean): void {
        this.playing = playing;
        this.play.replaceChildren(playing ? icon('M5 3v10M11 3v10') : icon('M4 2.5l9 5.5-9 5.5z'));
        setAttribute(this.play, 'aria-label', playing ? 'Pause' : 'Play');
        setAttribute(this.play, 'title', playing ? 'Pause (Space)' : 'Play (Space)');
    }

    private tick(now: number): void {
        if (!this.playing) return;
        const pause = 1000 / Number(this.speed.value);
        if (now - this.due >= pause) {
            this.due = Math.max(this.due + pause, now - pause);
            // Playback waits for windows that are still loading, and skips no step.
            if (this.session.rows() !== undefined) this.forward();
            if (this.session.position >= this.session.steps - 1) this.stop();
        }
        requestAnimationFrame((later) => {
            this.tick(later);
        });
    }

    private say(text: string): void {
        setText(this.live, text);
        setText(this.lanes, text);
    }

    update(): void {
        const { session } = this;
        const { steps, position } = session;
        const here = session.glance(position);
        setAttribute(this.slider, 'max', `${Math.max(1, steps)}`);
        this.slider.value = `${position + 1}`;
        setAttribute(this.number, 'max', `${Math.max(1, steps)}`);
        if (document.activeElement !== this.number) this.number.value = `${steps === 0 ? 0 : position + 1}`;
        setText(this.total, `of ${grouped(steps)}`);
        setAttribute(this.total, 'title', 'Instructions that this warp executed. The values are those after this step; what it wrote is bold, with a bar.');
        for (const input of [this.slider, this.number]) input.disabled = steps === 0;
        if (here === undefined) {
            setText(this.where, '');
            setText(this.text, steps === 0 ? 'This warp executed nothing.' : '…');
            setText(this.lanes, '');
            this.drawAnswer();
            return;
        }
        const words = this.words(here.line, here.active, here.executed);
        setText(this.where, `Line ${here.line}`);
        const { current } = session;
        const text = (current === undefined ? undefined : session.text(current)) ?? session.textOfLine(here.line) ?? '';
        setText(this.text, text);
        setAttribute(this.text, 'title', text);
        this.drawAnswer();
        const function_ = current !== undefined && current.depth > 0 ? ` · in ${current.function}` : '';
        const times = session.timeline.length <= 100_000 ? session.timeline.executions(here.line, position) : undefined;
        const often = times === undefined || times.of < 2 ? '' : ` · execution ${times.number} of ${times.of}`;
        setText(this.lanes, `${laneCount(here.executed)} of ${laneCount(session.present)} lanes${often}${function_}${this.waiting()}`);
        setAttribute(this.lanes, 'title', lanesInWords(here.executed));
        setAttribute(this.slider, 'aria-valuetext', words);
        clearTimeout(this.speaking);
        if (!this.playing) {
            this.speaking = setTimeout(() => {
                setText(this.live, words);
            }, 150);
        }
    }

    /** The answer of the step in a line. It is always there, so that nothing below it moves. */
    private drawAnswer(): void {
        if (this.origin?.position !== this.session.position) this.origin = undefined;
        if (this.origin !== undefined) {
            if (this.answer.dataset['key'] === 'origin') return;
            this.answer.dataset['key'] = 'origin';
            setClass(this.answer, 'answer');
            this.answer.replaceChildren(...this.origin.content);
            return;
        }
        const answer = this.session.answer();
        const key = answer === undefined ? '' : `${answer.kind} ${answer.text} ${answer.detail}`;
        if (this.answer.dataset['key'] === key) return;
        this.answer.dataset['key'] = key;
        const state = answer === undefined ? '' : { fault: ' bad', fails: ' bad', holds: ' good', does: '' }[answer.kind];
        setClass(this.answer, `answer${state}`);
        if (answer === undefined) {
            this.answer.replaceChildren();
            return;
        }
        const sign = { fault: '⚠ ', fails: '✗ ', holds: '✓ ', does: '' }[answer.kind];
        this.answer.replaceChildren(sign, prose(answer.text), ...(answer.detail === '' ? [] : [' ', element('span', { class: 'quiet' }, answer.detail)]));
    }

    /**
     * Says which step and lane wrote a value, with a link to it; `go` goes there at once. `name` is the value in words, with code
     * between backticks.
     */
    async showOrigin(name: string, writes: (step: Step) => number | undefined, scope: Scope, go: boolean): Promise<void> {
        const { session } = this;
        const { position, evaluation } = session;
        const { writer, complete } = await findOrigin(session, writes, scope).catch((): Origin => ({ writer: undefined, complete: false }));
        if (session.position !== position || session.evaluation !== evaluation) return;
        const isHere = writer !== undefined && this.isOwn(writer) && writer.step.step === position;
        const leap = (): void => {
            if (writer !== undefined) this.leap(writer);
        };
        if (go && !isHere && writer !== undefined) {
            leap();
            return;
        }
        const rest = complete ? '' : ' Not every warp was searched.';
        const words = writer === undefined
            ? `${name}: no step up to here wrote it.${rest}`
            : `${name}: written by lane ${writer.lane}${this.isOwn(writer) ? '' : ` of ${warpInWords(writer)}`} in ${isHere ? 'this step' : `step ${writer.step.step + 1}, line ${writer.step.line}`}.${rest}`;
        const content: Node[] = [prose(words)];
        if (writer !== undefined && !isHere) {
            const link = button('Go there', 'Go to the step that wrote the value; Backspace leads back', leap);
            link.className = 'link';
            content.push(document.createTextNode(' '), link);
        }
        this.answer.dataset['key'] = '';
        this.origin = { position, content };
        this.drawAnswer();
        setText(this.live, words.replaceAll('`', ''));
    }

    private isOwn({ cta, warp }: WarpName): boolean {
        return warp === this.session.warp && cta.every((one, at) => one === this.session.cta[at]);
    }

    /** Goes to the writer of a value. */
    private leap({ cta, warp, step, lane }: Writer): void {
        const { session } = this;
        this.stop();
        this.left.push({ cta: session.cta, warp: session.warp, position: session.position });
        void this.goToStep({ cta, warp, position: step.step }).then(() => {
            session.setFocus(lane);
        });
    }

    /** Goes to a step of a warp, and shows that warp if it is another one. */
    private async goToStep({ cta, warp, position }: WarpName & { position: number }): Promise<void> {
        const { session } = this;
        if (this.isOwn({ cta, warp })) {
            session.goTo(position);
            return;
        }
        session.cta = cta;
        session.warp = warp;
        await session.start({ step: position });
    }

    /** Goes back to where the user left for the writer of a value. */
    comeBack(): void {
        const place = this.left.pop();
        if (place === undefined) this.say('Nowhere to go back to: go to the writer of a value first.');
        else void this.goToStep(place);
    }

    /** What all lanes wait for after the step. Where they are not together, their groups are listed. */
    private waiting(): string {
        const groups = this.session.moment?.state?.groups ?? [];
        const only = groups.length === 1 ? groups[0] : undefined;
        return only === undefined || only.state === 'running' ? '' : ` · ${only.text}`;
    }

    private words(line: number, active: number, executed: number): string {
        const { session } = this;
        const present = laneCount(session.present);
        const masked = laneCount((active & ~executed) >>> 0);
        const written = (session.current?.registers ?? []).map((change) => change.name);
        const wrote = written.length === 0 ? '' : written.length > 3 ? `; ${written.length} registers written` : `; ${written.join(', ')} written`;
        const which = laneCount(executed) > 0 && laneCount(executed) < LANES ? ` (${laneRanges(executed)})` : '';
        return `Step ${session.position + 1} of ${session.steps}, line ${line}, ${laneCount(executed)} of ${present} lanes${which}${masked > 0 ? `, guard false in ${masked}` : ''}${wrote}`;
    }
}

function warpInWords({ cta, warp }: WarpName): string {
    return `warp ${warp} of CTA (${cta.join(', ')})`;
}

// The model of the panel: the run, the warp, the step, and the necessary windows of the trace. Views observe it; it
// does not access the page.

import type { Evaluation, Fault, LaneMask, Refusal, Step, Triple, WarpState } from '../../protocol';
import { asStatements, FIRST_TIMELINE, firstQuestion, type Preferences, type WarpQuestion, WINDOW } from '../messages';
import { type Bus, Refused } from './bus';
import { hasLane, LANES } from './model/lanes';
import { CHUNK, type Found, TimelineStore, type TimelineStepView } from './model/timeline';
import { type Missing, type RegisterFile, Trace } from './model/trace';

/** Longer timelines are loaded only where they are shown. */
export const WHOLE_TIMELINE = 400_000;

export type Change = 'run' | 'step' | 'timeline' | 'focus' | 'texts' | 'notice' | 'preferences';

export interface RefusedRun {
    message: string;
    refusal: Refusal | undefined;
}

/** The phase of the view of a document. */
export type Phase = 'waiting' | 'evaluating' | 'ready' | 'refused' | 'gone';

export class Session {
    phase: Phase = 'waiting';
    /** True if the source was edited since the evaluation; the panel still shows the old run. */
    stale = false;
    refused: RefusedRun | undefined;
    evaluation: Evaluation | undefined;
    trace = new Trace(0);
    timeline = new TimelineStore(0);
    position = 0;
    focus = 0;
    cta: Triple = [0, 0, 0];
    warp = 0;
    /** A launch from the form, which replaces the one in the source. */
    launch: string | undefined;
    number = 0;
    cursorLine = 0;
    /** The lanes that have exited at the end of the run. */
    private exitedAtEnd: LaneMask = 0;
    private lastOfLane: Int32Array | undefined;
    private readonly texts = new Map<string, string>();
    private generation = 0;
    private readonly asked = new Set<string>();
    private readonly listeners = new Set<(changes: ReadonlySet<Change>) => void>();

    constructor(
        private readonly bus: Bus,
        public preferences: Preferences,
    ) {}

    listen(listener: (changes: ReadonlySet<Change>) => void): void {
        this.listeners.add(listener);
    }

    emit(...changes: Change[]): void {
        const all = new Set(changes);
        for (const listener of this.listeners) listener(all);
    }

    get steps(): number {
        return this.evaluation?.steps ?? 0;
    }

    get present(): LaneMask {
        return this.evaluation?.target.present ?? 0;
    }

    get current(): Step | undefined {
        return this.trace.step(this.position);
    }

    /** The registers at the position; undefined while they are loading. */
    file(): RegisterFile | undefined {
        return this.trace.at(this.position);
    }

    /** A state near the position, for values that are constant in the warp: special registers, parameters. */
    nearbyState(): WarpState | undefined {
        return this.trace.at(this.position)?.anchor;
    }

    /** Line and lanes of a step, from the trace or the timeline. */
    glance(step: number): TimelineStepView | undefined {
        return this.trace.step(step) ?? this.timeline.at(step);
    }

    exited(position: number): LaneMask {
        const last = this.lastOfLane;
        if (last === undefined) return this.nearbyState()?.exited ?? 0;
        let mask = 0;
        for (let lane = 0; lane < LANES; lane += 1) {
            if (hasLane(this.exitedAtEnd, lane) && (last[lane] ?? -1) <= position) mask |= 1 << lane;
        }
        return mask >>> 0;
    }

    /** The text of a step's instruction, if it is loaded. */
    text(step: { line: number; column: number }): string | undefined {
        return this.texts.get(`${step.line}:${step.column}`);
    }

    textOfLine(line: number): string | undefined {
        for (const [place, text] of this.texts) if (place.startsWith(`${line}:`)) return text;
        return undefined;
    }

    faultsHere(): (Fault & { fatal?: boolean; step?: number })[] {
        const { cta, warp } = this;
        return (this.evaluation?.faults ?? []).filter((fault) => fault.warp === warp && fault.cta.every((one, at) => one === cta[at]));
    }

    /** Evaluates, or evaluates again after an edit; keeps the step if possible. */
    async start(wanted: { line?: number | undefined; keep?: boolean; step?: number | undefined } = {}): Promise<void> {
        this.generation += 1;
        const generation = this.generation;
        this.asked.clear();
        if (this.evaluation === undefined) this.phase = 'evaluating';
        this.emit('notice');
        const keep = wanted.keep === true ? this.position : (wanted.step ?? 0);
        try {
            const answer = await this.bus.evaluate(firstQuestion(keep, this.focus, this.target()));
            if (generation !== this.generation) return;
            this.take(answer, keep, wanted);
        } catch (error) {
            if (generation !== this.generation) return;
            this.refuse(error);
        }
    }

    private take(answer: Evaluation, keep: number, wanted: { line?: number | undefined; keep?: boolean; step?: number | undefined }): void {
        this.evaluation = answer;
        this.phase = 'ready';
        this.stale = false;
        this.refused = undefined;
        this.cta = answer.target.cta;
        this.warp = answer.target.warp;
        this.trace = new Trace(answer.steps);
        this.timeline = new TimelineStore(answer.steps);
        this.texts.clear();
        this.lastOfLane = undefined;
        this.exitedAtEnd = answer.status === 'finished' ? answer.target.present : 0;
        if (!hasLane(answer.target.present, this.focus)) this.focus = 0;
        this.trace.add(answer.trace ?? [], answer.state);
        const whole = answer.steps <= FIRST_TIMELINE && answer.timeline !== undefined;
        if (whole) this.addTimeline(answer);
        this.position = Math.min(keep, Math.max(0, answer.steps - 1));
        if (wanted.keep !== true && wanted.step === undefined) this.position = this.firstPosition(wanted.line) ?? this.position;
        this.emit('run', 'timeline', 'notice');
        this.goTo(this.position, false);
        this.askTexts();
        if (answer.status !== 'finished') this.load(this.askEnd());
        if (!whole) this.load(this.fetchTimeline(wanted.keep === true ? undefined : wanted.line));
    }

    /** Shows the error of a request about this run; an edit cancels such requests. */
    private load(request: Promise<void>): void {
        const { generation } = this;
        request.catch((error: unknown) => {
            if (generation === this.generation) this.refuse(error);
        });
    }

    /**
     * The initial position: the requested line, otherwise a fault, the line of the cursor, or the first interesting
     * step.
     */
    private firstPosition(line: number | undefined): number | undefined {
        const asked = this.firstOfLine(line);
        const fault = this.faultsHere()[0];
        if (asked !== undefined || fault !== undefined) return asked ?? (fault && this.timeline.stepOfFault(fault));
        return this.firstOfLine(this.preferences.follow ? this.cursorLine : undefined) ?? this.firstInteresting();
    }

    /** The first step that executes a line, among loaded steps. */
    private firstOfLine(line: number | undefined): number | undefined {
        if (line === undefined) return undefined;
        const found = this.timeline.find(-1, 1, (view) => view.line === line);
        return found.kind === 'step' ? found.step : undefined;
    }

    /** The first interesting step: a memory access other than to parameters, or a divergence. */
    private firstInteresting(): number | undefined {
        for (let step = 0; step < Math.min(this.steps, WINDOW); step += 1) {
            const own = this.trace.step(step);
            if (own?.accesses?.some((access) => access.space !== 'param') === true) return step;
            if (own !== undefined && own.active !== this.present) return step;
        }
        return Math.min(this.steps, WINDOW) - 1;
    }

    /** Goes to the nearest step that executes a line of the source; returns whether there is one. */
    followCursor(line: number): boolean {
        this.cursorLine = line;
        if (!this.preferences.follow || this.stale || this.evaluation === undefined) return true;
        const step = this.timeline.nearest(line, this.position);
        if (step !== undefined && step !== this.position) this.goTo(step, false);
        return step !== undefined;
    }

    private refuse(error: unknown): void {
        this.refused = {
            message: error instanceof Error ? error.message : String(error),
            refusal: error instanceof Refused ? error.refusal : undefined,
        };
        if (this.evaluation === undefined) this.phase = 'refused';
        this.emit('notice');
    }

    refuseLater(message: string, refusal: Refusal | undefined): void {
        this.refused = { message, refusal };
        this.stale = this.evaluation !== undefined;
        if (this.evaluation === undefined) this.phase = 'refused';
        this.emit('notice');
    }

    /** The common arguments of all requests about this run. */
    target(): WarpQuestion {
        return {
            ...(this.launch === undefined ? (this.number === 0 ? {} : { number: this.number }) : { launch: this.launch }),
            cta: this.cta,
            warp: this.warp,
        };
    }

    async question(question: WarpQuestion): Promise<Evaluation | undefined> {
        const generation = this.generation;
        const answer = await this.bus.evaluate({ ...this.target(), ...question });
        return generation === this.generation ? answer : undefined;
    }

    /** Goes to a step; with `reveal` the editor shows its line. */
    goTo(position: number, reveal = true): void {
        this.position = Math.max(0, Math.min(position, this.steps - 1));
        const missing = this.steps === 0 ? undefined : this.trace.missing(this.position);
        if (missing !== undefined) void this.fetch(missing);
        else this.prefetch();
        this.emit('step');
        this.announce(reveal);
    }

    setFocus(lane: number): void {
        if (!hasLane(this.present, lane)) return;
        this.focus = lane;
        this.emit('focus');
        this.announce(false);
    }

    private announce(reveal: boolean): void {
        const here = this.glance(this.position);
        if (here === undefined) return;
        const column = this.current?.column ?? 1;
        this.bus.send({ type: 'at', step: this.position, line: here.line, column, lane: this.focus, reveal });
    }

    selectWarp(cta: Triple, warp: number): void {
        this.cta = cta;
        this.warp = warp;
        this.position = 0;
        void this.start();
    }

    private async fetch(missing: Missing): Promise<void> {
        const from = missing.kind === 'window' ? Math.floor(missing.from / WINDOW) * WINDOW : missing.from;
        const key = `${missing.kind} ${from}`;
        if (this.asked.has(key)) return;
        this.asked.add(key);
        try {
            const answer = await this.question(
                missing.kind === 'window'
                    ? { brief: true, from, count: WINDOW, state: true, accesses: true }
                    : { brief: true, count: 0, from, state: from },
            );
            if (answer === undefined) return;
            this.trace.add(answer.trace ?? [], answer.state);
            // Only at the end of the run, the server may return the state at a different step than requested.
            if (answer.state !== undefined && answer.state.step !== from) this.trace.add([], { ...answer.state, step: from });
            this.askTexts();
            const more = this.trace.missing(this.position);
            if (more === undefined) {
                this.emit('step');
                this.announce(false);
                this.prefetch();
            } else {
                void this.fetch(more);
            }
        } catch (error) {
            this.asked.delete(key);
            this.refuse(error);
        }
    }

    /** Loads windows on both sides in advance, and the state for the next step if it is in another call. */
    private prefetch(): void {
        for (const near of [this.position + WINDOW / 2, this.position - WINDOW / 2, this.position + 1]) {
            if (near < 0 || near >= this.steps) continue;
            const missing = this.trace.missing(near);
            if (missing !== undefined) void this.fetch(missing);
        }
    }

    private addTimeline(answer: Evaluation): void {
        if (answer.timeline === undefined) return;
        this.timeline.add(answer.timeline);
        this.lastOfLane = this.timeline.lastSteps();
    }

    async fetchChunk(chunk: number): Promise<void> {
        const key = `timeline ${chunk}`;
        if (this.asked.has(key) || this.timeline.hasChunk(chunk)) return;
        this.asked.add(key);
        const answer = await this.question({ brief: true, count: 0, timeline: { from: chunk * CHUNK, count: CHUNK } });
        if (answer === undefined) return;
        this.addTimeline(answer);
        this.emit('timeline');
    }

    private async fetchTimeline(line: number | undefined): Promise<void> {
        const generation = this.generation;
        const before = this.position;
        for (let chunk = 0; chunk * CHUNK < Math.min(this.steps, WHOLE_TIMELINE); chunk += 1) {
            await this.fetchChunk(chunk);
            if (generation !== this.generation) return;
        }
        const first = this.firstPosition(line);
        if (first !== undefined && this.position === before && before === 0) this.goTo(first, false);
    }

    private async askEnd(): Promise<void> {
        const answer = await this.question({ brief: true, count: 0, state: this.steps });
        if (answer?.state === undefined) return;
        this.exitedAtEnd = answer.state.exited;
        this.emit('step');
    }

    /** Searches the timeline, and loads missing chunks on the way. */
    async search(direction: 1 | -1, wanted: (view: TimelineStepView, step: number) => boolean): Promise<number | undefined> {
        const generation = this.generation;
        const look = (): Found => this.timeline.find(this.position, direction, wanted);
        let found = look();
        while (found.kind === 'missing') {
            await this.fetchChunk(found.chunk);
            if (generation !== this.generation || !this.timeline.hasChunk(found.chunk)) return undefined;
            found = look();
        }
        return found.kind === 'step' ? found.step : undefined;
    }

    private askTexts(): void {
        const wanted = new Map<string, { line: number; column: number }>();
        const first = Math.max(0, this.position - WINDOW);
        for (let at = first; at < this.position + WINDOW; at += 1) {
            const step = this.trace.step(at);
            if (step === undefined) continue;
            const key = `${step.line}:${step.column}`;
            if (!this.texts.has(key)) wanted.set(key, { line: step.line, column: step.column });
        }
        if (wanted.size === 0) return;
        const generation = this.generation;
        const places = [...wanted.values()];
        void this.bus.ask({ kind: 'statements', places }).then((body) => {
            if (generation !== this.generation) return;
            asStatements(body).texts.forEach((text, at) => {
                const place = places[at];
                if (place !== undefined) this.texts.set(`${place.line}:${place.column}`, text);
            });
            this.emit('texts');
        });
    }

    remember(change: Partial<Preferences>): void {
        this.preferences = { ...this.preferences, ...change };
        this.bus.send({ type: 'remember', preferences: this.preferences });
        this.emit('preferences');
    }
}

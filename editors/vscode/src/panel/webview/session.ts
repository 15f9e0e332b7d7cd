// The model of the panel: the run, the warp, the step, and the necessary windows of the trace. Views observe it; it
// does not access the page.

import type { Evaluated, Evaluation, Fault, LaneMask, MemoryRequest, ReadingChoice, Refusal, Row as RowData, Step, Triple } from '../../protocol';
import { asStatements, FIRST_TIMELINE, firstQuestion, type Preferences, styleOfRows, type WarpQuestion, WINDOW } from '../messages';
import { type Bus, Refused } from './bus';
import { type Answer, answerOf } from './model/answer';
import { hasLane, LANES } from './model/lanes';
import { CHUNK, executes, type Found, TimelineStore, type TimelineStepView } from './model/timeline';
import { type Row, Trace } from './model/trace';

/** Milliseconds to wait before asking for state, memory and matrices. During fast stepping nobody reads them. */
const PAUSE = 60;

/** Maximum number of windows that the search for a writer loads. */
const MAX_SEARCHED = 200;

/** Longer timelines are loaded only where they are shown. */
export const WHOLE_TIMELINE = 400_000;

export type Change = 'run' | 'step' | 'moment' | 'timeline' | 'focus' | 'texts' | 'notice' | 'preferences';

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
    /** What was asked about the position besides its step: state, memory, matrices; undefined until the answer arrives. */
    moment: Evaluation | undefined;
    /** The memory to ask for at the position. */
    wantedMemory: () => MemoryRequest | undefined = () => undefined;
    /** The kernel that is asked for, if its name is known. */
    entry: string | undefined;
    /** How often rows were asked for in another style. */
    private restyled = 0;
    private pausing: ReturnType<typeof setTimeout> | undefined;
    /** How often the moment was asked for: only the newest answer counts. */
    private moments = 0;
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

    /** The rows of registers at the position; undefined while they are loading. */
    rows(): readonly Row[] | undefined {
        return this.trace.at(this.position);
    }

    /** Line and lanes of a step, from the trace or the timeline. */
    glance(step: number): TimelineStepView | undefined {
        return this.trace.step(step) ?? this.timeline.at(step);
    }

    exited(position: number): LaneMask {
        const last = this.lastOfLane;
        if (last === undefined) return this.moment?.state?.exited ?? 0;
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

    /** The answer of the step at the position; undefined while it is loading. */
    answer(): Answer | undefined {
        const { evaluation, current, position } = this;
        if (evaluation === undefined || current === undefined) return undefined;
        const faults = this.faultsHere().filter((fault) => fault.step === position);
        return answerOf(evaluation, { step: current, rows: this.rows(), faults, isLast: position === this.steps - 1, present: this.present });
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
            const answer = await this.bus.evaluate(firstQuestion(this.style(), keep, this.focus, this.target()));
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
        this.trace.add(answer.trace);
        this.moment = undefined;
        const whole = answer.steps <= FIRST_TIMELINE && answer.timeline !== undefined;
        if (whole) this.addTimeline(answer);
        this.position = Math.min(keep, Math.max(0, answer.steps - 1));
        const choice = wanted.keep !== true && wanted.step === undefined;
        if (choice) this.position = this.firstPosition(wanted.line) ?? this.position;
        this.emit('run', 'timeline', 'notice');
        this.goTo(this.position, choice && this.isElsewhere(wanted.line));
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
        if (asked !== undefined || fault !== undefined) return asked ?? fault?.step;
        return this.firstOfLine(this.preferences.follow ? this.cursorLine : undefined) ?? this.firstInteresting();
    }

    /** Whether the user may not see a step that the panel has chosen: it is not the line from which the panel was opened. */
    private isElsewhere(line: number | undefined, position = this.position): boolean {
        const view = this.glance(position);
        return line === undefined || view === undefined || !executes(view, line);
    }

    /** The first step that executes a line, among loaded steps. */
    private firstOfLine(line: number | undefined): number | undefined {
        if (line === undefined) return undefined;
        const found = this.timeline.find(-1, 1, (view) => executes(view, line));
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

    /**
     * Whether an evaluation that the server tells of changes nothing here: its answer is on the way, or it is of the
     * same text and another launch, which another view has asked for.
     */
    knows({ version, entry, status, faults, steps }: Evaluated): boolean {
        const { evaluation } = this;
        if (evaluation === undefined) return this.phase === 'evaluating';
        if (this.stale || this.refused !== undefined || version !== evaluation.version) return false;
        const own = this.launch === undefined && this.number === 0 && entry === evaluation.entry;
        return !own || (status === evaluation.status && faults === evaluation.faults.length && steps === evaluation.warp_instructions);
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
        this.moment = undefined;
        this.askMoment(PAUSE);
        if (this.steps > 0 && this.trace.at(this.position) === undefined) void this.fetch(this.position);
        else this.prefetch();
        this.emit('step');
        this.announce(reveal);
    }

    /** Asks for the state, the memory and the matrices after the step, after a pause in milliseconds. */
    askMoment(pause: number): void {
        clearTimeout(this.pausing);
        if (this.steps === 0) return;
        this.moments += 1;
        const { generation, position, moments } = this;
        this.pausing = setTimeout(() => {
            const memory = this.wantedMemory();
            const question: WarpQuestion = { brief: true, count: 0, state: position + 1, matrices: true, rows: { state: false }, ...(memory === undefined ? {} : { memory: [memory] }) };
            this.question(question)
                .then((answer) => {
                    if (answer === undefined || moments !== this.moments) return;
                    this.moment = answer;
                    this.emit('moment');
                })
                .catch((error: unknown) => {
                    if (generation === this.generation) this.refuse(error);
                });
        }, pause);
    }

    private style(): WarpQuestion['rows'] {
        return styleOfRows(this.preferences, this.functionName);
    }

    private get functionName(): string {
        return this.current?.function ?? this.evaluation?.entry ?? this.entry ?? '';
    }

    /** The readings of a row, in the order of a menu. */
    readingsOf(data: RowData): readonly ReadingChoice[] {
        return this.evaluation?.readings?.[`${data.size}`] ?? [];
    }

    /** The reading of a row: the one that was chosen last, even if its answer is still on its way. */
    readingOf(data: RowData): string {
        const chosen = this.preferences.formats[`${this.functionName} ${data.name}`];
        return chosen !== undefined && this.readingsOf(data).some((reading) => reading.name === chosen) ? chosen : data.reading;
    }

    /** Shows a register in another reading from now on. */
    setReading(register: string, reading: string): void {
        this.remember({ formats: { ...this.preferences.formats, [`${this.functionName} ${register}`]: reading } });
        void this.restyle();
    }

    /** Loads the rows again, written in another way. Until they arrive the old ones are shown. */
    private async restyle(): Promise<void> {
        this.restyled += 1;
        const { restyled } = this;
        const from = Math.floor(this.position / WINDOW) * WINDOW;
        const answer = await this.question({ brief: true, from, count: WINDOW, accesses: true, rows: this.style() }).catch(() => undefined);
        if (answer === undefined || restyled !== this.restyled) return;
        this.asked.clear();
        this.trace = new Trace(this.steps);
        this.trace.add(answer.trace);
        if (this.trace.at(this.position) === undefined) void this.fetch(this.position);
        this.emit('step');
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

    /** Loads the window of steps with a position. */
    private async fetch(position: number): Promise<void> {
        const from = Math.floor(position / WINDOW) * WINDOW;
        const key = `window ${from}`;
        if (this.asked.has(key)) return;
        this.asked.add(key);
        const { trace } = this;
        try {
            const answer = await this.question({ brief: true, from, count: WINDOW, accesses: true, rows: this.style() });
            if (answer === undefined || trace !== this.trace) return;
            this.trace.add(answer.trace);
            this.askTexts();
            if (this.trace.at(this.position) === undefined) return;
            this.emit('step');
            this.announce(false);
            this.prefetch();
        } catch (error) {
            this.asked.delete(key);
            this.refuse(error);
        }
    }

    /** Loads windows on both sides in advance. */
    private prefetch(): void {
        for (const near of [this.position + WINDOW / 2, this.position - WINDOW / 2, this.position + 1]) {
            if (near >= 0 && near < this.steps && this.trace.step(near) === undefined) void this.fetch(near);
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
        if (first !== undefined && this.position === before && before === 0) this.goTo(first, this.isElsewhere(line, first));
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

    /**
     * The last step of this warp up to the position for which `writes` returns a lane, and that lane: the writer of what is seen
     * after the step at the position. Loads earlier windows on the way.
     */
    async writer(writes: (step: Step) => number | undefined): Promise<{ step: Step; lane: number } | undefined> {
        const { trace } = this;
        let loads = 0;
        for (let at = this.position; at >= 0; at -= 1) {
            if (trace.step(at) === undefined) {
                loads += 1;
                if (loads > MAX_SEARCHED) return undefined;
                const from = Math.floor(at / WINDOW) * WINDOW;
                const answer = await this.question({ brief: true, from, count: WINDOW, accesses: true, rows: this.style() });
                if (answer === undefined || trace !== this.trace) return undefined;
                trace.add(answer.trace);
            }
            const step = trace.step(at);
            const lane = step === undefined ? undefined : writes(step);
            if (step !== undefined && lane !== undefined) return { step, lane };
        }
        return undefined;
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
        const { width } = this.preferences;
        this.preferences = { ...this.preferences, ...change };
        if (this.preferences.width !== width && this.evaluation !== undefined) void this.restyle();
        this.bus.send({ type: 'remember', preferences: this.preferences });
        this.emit('preferences');
    }
}

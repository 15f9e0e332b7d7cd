// A minimal simulator that answers the server's commands, to test the warp panel without a server. A kernel is a list
// of instructions, each with a text and a function of one lane. The group of lanes with the lowest program counter runs
// first. Answers have the same format as the server's.

export const LANES = 32;
const ALL = 0xffffffff;
const BYTES = { '.b16': 2, '.u16': 2, '.f16': 2, '.b32': 4, '.u32': 4, '.s32': 4, '.f32': 4, '.b64': 8, '.u64': 8, '.f64': 8, '.b128': 16, '.f16x2': 4 };

export const GLOBAL = 0x7f0000001000n;

function bytesOf(type, value) {
    const size = BYTES[type];
    const view = new DataView(new ArrayBuffer(16));
    if (type === '.f32') view.setFloat32(0, value, true);
    else if (type === '.f64') view.setFloat64(0, value, true);
    else {
        const bits = BigInt.asUintN(size * 8, BigInt(value));
        view.setBigUint64(0, BigInt.asUintN(64, bits), true);
        view.setBigUint64(8, bits >> 64n, true);
    }
    return new Uint8Array(view.buffer.slice(0, size));
}

const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function maskHex(mask) {
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, mask >>> 0, true);
    return hexOf(new Uint8Array(view.buffer));
}

/** The register file of a warp: the values of 32 lanes, and the written lanes. */
class Registers {
    constructor(declared) {
        this.declared = declared;
        this.values = new Map(declared.map(([name]) => [name, new Array(LANES).fill(0)]));
        this.known = new Map(declared.map(([name]) => [name, 0]));
        this.open = new Map(declared.map(([name]) => [name, 0]));
        this.near = new Map(declared.map(([name]) => [name, 0]));
    }

    type(name) {
        return this.declared.find(([own]) => own === name)?.[1] ?? '.b32';
    }

    hex(name) {
        const type = this.type(name);
        const values = this.values.get(name);
        if (type === '.pred') return maskHex(values.reduce((mask, value, lane) => (value ? mask | (1 << lane) : mask), 0));
        return values.map((value) => hexOf(bytesOf(type, value))).join('');
    }
}

/**
 * Runs a kernel to its end: `{name, registers: [[name, type]], code: [{line, text, act}]}`. `act(lane)` receives the
 * registers `r` and returns the effect.
 */
export class Run {
    constructor(kernel, { present = ALL, limit = 20_000, version = 1 } = {}) {
        this.kernel = kernel;
        this.present = present >>> 0;
        this.version = version;
        this.steps = [];
        this.snapshots = [];
        this.faults = [];
        this.status = 'finished';
        this.memory = new Map(Object.entries(kernel.memory ?? {}).map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
        this.before = new Map([...this.memory].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));
        this.sharedBytes = new Uint8Array(kernel.shared ?? 0);
        this.sharedKnown = new Uint8Array(kernel.shared ?? 0);
        this.registers = new Registers(kernel.registers);
        this.run(limit);
    }

    run(limit) {
        const { code } = this.kernel;
        const pc = new Array(LANES).fill(0);
        let alive = this.present;
        while (alive !== 0) {
            if (this.steps.length >= limit) {
                this.status = 'limit';
                break;
            }
            const lowest = Math.min(...pc.filter((_, lane) => (alive >>> lane) & 1));
            const active = pc.reduce((mask, at, lane) => (at === lowest && (alive >>> lane) & 1 ? mask | (1 << lane) : mask), 0) >>> 0;
            this.snapshots.push(this.steps.length % 64 === 0 ? this.snapshot(pc, alive) : undefined);
            const step = this.execute(code[lowest], active, pc);
            alive = (alive & ~step.exited) >>> 0;
            delete step.exited;
            this.steps.push(step);
            if (this.status === 'fault') break;
        }
        this.end = this.snapshot(pc, alive);
    }

    execute(instruction, active, pc) {
        const { registers } = this;
        const before = new Map();
        let executed = 0;
        let exited = 0;
        let access;
        const written = new Set();
        const results = [];
        for (let lane = 0; lane < LANES; lane += 1) {
            if (!((active >>> lane) & 1)) continue;
            const r = (name) => registers.values.get(name)[lane];
            const done = instruction.act({ lane, r, memory: this.memory, shared: this.sharedBytes }) ?? {};
            results.push([lane, done]);
        }
        for (const [lane, done] of results) {
            if (done.skip) {
                pc[lane] += 1;
                continue;
            }
            executed |= 1 << lane;
            for (const [name, value] of Object.entries(done.set ?? {})) {
                if (!written.has(name)) {
                    before.set(name, registers.hex(name));
                    written.add(name);
                }
                registers.values.get(name)[lane] = value;
                registers.known.set(name, (registers.known.get(name) | (1 << lane)) >>> 0);
                for (const [marks, there] of [[registers.open, done.unspecified], [registers.near, done.approximate]]) {
                    marks.set(name, there ? (marks.get(name) | (1 << lane)) >>> 0 : (marks.get(name) & ~(1 << lane)) >>> 0);
                }
            }
            if (done.access) {
                access ??= { kind: done.access.kind, space: done.access.space, bytes: done.access.bytes, lanes: 0, addresses: new Array(LANES).fill(null), names: new Array(LANES).fill(null) };
                access.lanes = (access.lanes | (1 << lane)) >>> 0;
                access.addresses[lane] = done.access.address.toString(16);
                access.names[lane] = done.access.name ?? null;
            }
            if (done.fault) {
                this.faults.push({ kind: done.fault.kind, line: instruction.line, column: 5, end_line: instruction.line, end_column: 30, message: done.fault.message, lanes: (1 << lane) >>> 0, cta: [0, 0, 0], warp: 0, fatal: true, count: 1 });
                this.status = 'fault';
            }
            for (const [at, bytes] of done.storeShared ?? []) {
                this.sharedBytes.set(bytes, at);
                this.sharedKnown.fill(1, at, at + bytes.length);
            }
            if (done.exit) exited |= 1 << lane;
            pc[lane] = done.to ?? pc[lane] + 1;
        }
        if (access) this.judge(access);
        const changes = [...written].map((name) => {
            const one = { name, type: registers.type(name), before: before.get(name), after: registers.hex(name) };
            const [open, near] = [registers.open.get(name), registers.near.get(name)];
            return { ...one, ...(open ? { unspecified: open } : {}), ...(near ? { approximate: near } : {}) };
        });
        const step = this.steps.length;
        return { step, time: step, function: this.kernel.name, line: instruction.line, column: 5, end_line: instruction.line, active, executed: executed >>> 0, depth: 0, registers: changes, ...(access ? { accesses: [access] } : {}), exited: exited >>> 0 };
    }

    /** The number of passes or sectors that hardware would need for an access. */
    judge(access) {
        const addresses = access.addresses.filter((one) => one !== null).map((one) => BigInt(`0x${one}`));
        if (access.space === 'shared') {
            const banks = Array.from({ length: 32 }, () => []);
            const words = Array.from({ length: 32 }, () => new Set());
            access.addresses.forEach((one, lane) => {
                if (one === null) return;
                const word = Number.parseInt(one, 16) >> 2;
                banks[word % 32].push(lane);
                words[word % 32].add(word);
            });
            access.conflict = Math.max(...words.map((set) => set.size));
            access.wavefronts = access.conflict;
            access.banks = banks;
        } else if (access.space === 'global') {
            const size = BigInt(access.bytes);
            const sectors = new Set(addresses.flatMap((at) => [at / 32n, (at + size - 1n) / 32n].map(String)));
            access.sectors = sectors.size;
            access.ideal = Math.ceil((addresses.length * access.bytes) / 32);
            access.lines = new Set(addresses.map((at) => String(at / 128n))).size;
            access.efficiency = access.ideal / access.sectors;
        }
    }

    snapshot(pc, alive) {
        return {
            values: new Map([...this.registers.values].map(([name, list]) => [name, [...list]])),
            known: new Map(this.registers.known),
            open: new Map(this.registers.open),
            near: new Map(this.registers.near),
            pc: [...pc],
            alive,
        };
    }

    /** The state of the warp before a step: the nearest snapshot plus the changes of the following steps. */
    state(wanted) {
        const last = Math.max(0, this.steps.length - 1);
        const step = Math.min(wanted, last);
        const at = Math.floor(step / 64) * 64;
        const base = this.snapshots[at];
        const registers = new Registers(this.kernel.registers);
        registers.values = base.values;
        const values = new Map(this.kernel.registers.map(([name]) => [name, registers.hex(name)]));
        const known = new Map(base.known);
        const open = new Map(base.open);
        const near = new Map(base.near);
        for (const done of this.steps.slice(at, step)) {
            for (const change of done.registers) {
                values.set(change.name, change.after);
                known.set(change.name, (known.get(change.name) | done.executed) >>> 0);
                open.set(change.name, change.unspecified ?? 0);
                near.set(change.name, change.approximate ?? 0);
            }
        }
        const current = this.steps[step];
        const specials = [['%tid.x', (lane) => lane], ['%ctaid.x', () => 0], ['%laneid', (lane) => lane]];
        return {
            step,
            time: step,
            groups: [{ mask: current?.active ?? 0, line: current?.line ?? 0, column: 5, depth: 0, state: 'running' }],
            exited: wanted >= this.steps.length ? (this.present & ~this.end.alive) >>> 0 : 0,
            present: this.present,
            frames: [{ function: this.kernel.name, line: current?.line ?? 0 }],
            registers: this.kernel.registers.map(([name, type]) => ({
                name,
                type,
                value: values.get(name),
                known: known.get(name),
                uniform: false,
                ...(open.get(name) ? { unspecified: open.get(name) } : {}),
                ...(near.get(name) ? { approximate: near.get(name) } : {}),
            })),
            specials: specials.map(([name, value]) => ({ name, type: '.u32', value: Array.from({ length: LANES }, (_, lane) => hexOf(bytesOf('.u32', value(lane)))).join('') })),
            parameters: this.kernel.parameters ?? [],
        };
    }

    memoryBlock(request, memory = this.memory) {
        if (request.buffer !== undefined) {
            const bytes = (memory.get(request.buffer) ?? new Uint8Array()).slice(request.offset ?? 0, (request.offset ?? 0) + (request.length ?? 1 << 20));
            return { name: request.buffer, space: 'global', address: (GLOBAL + BigInt(request.offset ?? 0)).toString(16), offset: request.offset ?? 0, bytes: hexOf(bytes), known: [[0, bytes.length]] };
        }
        if (request.space === 'shared') {
            const bytes = this.sharedBytes.slice(request.offset, request.offset + request.length);
            const known = [];
            bytes.forEach((_, at) => {
                if (this.sharedKnown[request.offset + at] !== 1) return;
                const last = known.at(-1);
                if (last?.[1] === at) last[1] = at + 1;
                else known.push([at, at + 1]);
            });
            return { name: 'shared', space: 'shared', address: (0x7e0000000000n + BigInt(request.offset)).toString(16), offset: request.offset, bytes: hexOf(bytes), known };
        }
        const offset = Number(BigInt(`0x${request.address ?? '0'}`) - GLOBAL);
        const [name, all] = [...this.memory][0] ?? ['', new Uint8Array()];
        const bytes = all.slice(Math.max(0, offset), Math.max(0, offset) + request.length);
        return { name, space: 'global', address: request.address ?? '0', offset, bytes: hexOf(bytes), known: [[0, bytes.length]] };
    }

    /** The answer to a request of the panel. */
    evaluate(question = {}) {
        const { from = 0, count = 256 } = question;
        const trace = this.steps.slice(from, from + count).map((step) => (question.accesses ? step : { ...step, accesses: undefined }));
        const wanted = question.timeline === true ? { from: 0, count: 20_000 } : question.timeline;
        const memory = question.memory?.map((request) => this.memoryBlock(request, question.state === 0 ? this.before : this.memory));
        const answer = {
            status: this.status,
            ...(this.status === 'limit' ? { limited_by: 'steps', stopped_at: { line: this.steps.at(-1).line, column: 5 } } : {}),
            warp_instructions: this.steps.length,
            faults: this.faults,
            buffers: Object.fromEntries([...this.memory].map(([name, bytes]) => [name, hexOf(bytes)])),
            expectations: this.kernel.expectations ?? [],
            seconds: 0.0012,
            entry: this.kernel.name,
            launch: this.kernel.launch ?? 'grid=1 block=32',
            guessed: this.kernel.guessed,
            printed: this.kernel.printed,
            unwritten: {},
            version: this.version,
            grid: { grid: [2, 1, 1], block: [64, 1, 1], cluster: [1, 1, 1], ctas: 2, warps: 2, threads: 64 },
            target: { cta: question.cta ?? [0, 0, 0], warp: question.warp ?? 0, present: this.present },
            steps: this.steps.length,
            trace: count === 0 ? undefined : trace,
            state: question.state === undefined ? undefined : this.state(question.state === true ? from : question.state),
            timeline: wanted ? { from: wanted.from, steps: this.steps.slice(wanted.from, wanted.from + wanted.count).map((step) => [step.line, step.active, step.executed, step.depth, step.end_line]) } : undefined,
            memory,
            markdown: '',
        };
        // Copy it as if sent over the wire: without undefined values and shared objects.
        return JSON.parse(JSON.stringify(answer));
    }

    launches() {
        const own = this.kernel.launch ?? 'grid=1 block=32';
        const written = this.kernel.guessed === undefined;
        return {
            entries: [
                {
                    name: this.kernel.name,
                    line: 3,
                    launches: written ? [{ line: 1, text: own, lines: [`//! launch: ${own}`, '//! expect: out[0]=1.0'] }] : [],
                    guess: { text: own, lines: [`//! launch: ${own}`], guessed: this.kernel.guessed ?? [] },
                    parameters: [
                        { name: 'n', type: '.u32', pointer: false },
                        { name: 'x', type: '.u64', pointer: true },
                        { name: 'out', type: '.u64', pointer: true },
                    ],
                },
            ],
        };
    }

    statements(places) {
        const texts = new Map(this.kernel.code.map((instruction) => [instruction.line, instruction.text]));
        return { texts: places.map((place) => texts.get(place.line) ?? '') };
    }
}

const f32 = Math.fround;
const floats = (count, value) => new Uint8Array(Float32Array.from({ length: count }, (_, at) => value(at)).buffer);
const readF32 = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset).getFloat32(at, true);
const writeF32 = (bytes, at, value) => new DataView(bytes.buffer, bytes.byteOffset).setFloat32(at, value, true);

/** A kernel that loads, diverges, uses shared memory with a bank conflict, loops, and stores. */
export function sampleKernel({ fault = false, guessed = false } = {}) {
    const code = [];
    const add = (text, act) => code.push({ line: 10 + code.length, text, act });
    add('mov.u32 %tid_x, %tid.x;', ({ lane }) => ({ set: { '%tid_x': lane } }));
    add('ld.param.u64 %x, [x];', () => ({ set: { '%x': GLOBAL }, access: { kind: 'load', space: 'param', bytes: 8, address: 8 } }));
    add('mad.wide.u32 %at, %tid_x, 4, %x;', ({ r }) => ({ set: { '%at': r('%x') + BigInt(r('%tid_x')) * 4n } }));
    add('ld.global.f32 %v, [%at];', ({ lane, r, memory }) => ({ set: { '%v': readF32(memory.get('x'), lane * 4) }, access: { kind: 'load', space: 'global', bytes: 4, address: r('%at'), name: `x+${lane * 4}` } }));
    add('setp.lt.u32 %p_low, %tid_x, 16;', ({ r }) => ({ set: { '%p_low': r('%tid_x') < 16 } }));
    const branch = code.length;
    add('@!%p_low bra high;', ({ r }) => (r('%p_low') ? { skip: true } : { to: branch + 4 }));
    add('rcp.approx.f32 %w, %v;', ({ r }) => ({ set: { '%w': f32(1 / r('%v')) }, approximate: true }));
    add('mul.f32 %v, %v, 0.5;', ({ r }) => ({ set: { '%v': f32(r('%v') * 0.5) } }));
    add('bra joined;', () => ({ to: branch + 6 }));
    add('high: add.f32 %v, %v, 0.1;', ({ r }) => ({ set: { '%v': f32(r('%v') + 0.1) } }));
    add('shl.b32 %h, %tid_x, 28;', ({ r }) => ({ set: { '%h': BigInt.asUintN(32, BigInt(r('%tid_x')) << 28n) }, unspecified: true }));
    add('joined: shl.b32 %s, %tid_x, 3;', ({ r }) => ({ set: { '%s': r('%tid_x') * 8 } }));
    add('st.shared.f32 [%s], %v;', ({ r }) => {
        const bytes = new Uint8Array(4);
        writeF32(bytes, 0, r('%v'));
        return { storeShared: [[r('%s'), bytes]], access: { kind: 'store', space: 'shared', bytes: 4, address: r('%s') } };
    });
    add('bar.sync 0;', () => ({}));
    add('mov.u32 %i, 0;', () => ({ set: { '%i': 0 } }));
    const loop = code.length;
    add('loop: fma.rn.f32 %sum, %v, %v, %sum;', ({ r }) => ({ set: { '%sum': f32(r('%v') * r('%v') + r('%sum')) } }));
    add('add.u32 %i, %i, 1;', ({ r }) => ({ set: { '%i': r('%i') + 1 } }));
    add('setp.lt.u32 %p_more, %i, 4;', ({ r }) => ({ set: { '%p_more': r('%i') < 4 } }));
    add('@%p_more bra loop;', ({ r }) => (r('%p_more') ? { to: loop } : { skip: true }));
    add('@%p_low st.global.f32 [%at+128], %sum;', ({ lane, r, memory }) => {
        if (!r('%p_low')) return { skip: true };
        writeF32(memory.get('out'), lane * 4, r('%sum'));
        const outside = fault && lane === 7;
        return {
            access: { kind: 'store', space: 'global', bytes: 4, address: r('%at') + 128n, name: `out+${lane * 4}` },
            ...(outside ? { fault: { kind: 'out-of-bounds', message: 'store of 4 bytes at out+4096, but out has 128 bytes' } } : {}),
        };
    });
    add('ret;', () => ({ exit: true }));
    return {
        name: 'sample',
        registers: [['%p_low', '.pred'], ['%p_more', '.pred'], ['%tid_x', '.b32'], ['%i', '.b32'], ['%s', '.b32'], ['%h', '.b32'], ['%x', '.b64'], ['%at', '.b64'], ['%v', '.f32'], ['%w', '.f32'], ['%sum', '.f32'], ['%never', '.b32']],
        code,
        shared: 256,
        memory: { x: floats(32, (at) => at + 1), out: floats(32, () => 0) },
        launch: 'grid=2 block=64 n=32 x=f32[32]:iota(1) out=f32[32]:zero',
        ...(guessed ? { guessed: ['block=32', 'x=f32[32]:iota'] } : {}),
        expectations: fault ? [{ name: 'out[7]=1.0', ok: false, message: 'out[7] is 0.0' }] : [{ name: 'out[0]=1.0', ok: true }, { name: 'out[1]=4.0', ok: true }],
        parameters: [
            { name: 'n', type: '.u32', offset: 0, value: '20000000' },
            { name: 'x', type: '.u64', offset: 8, value: '001000000000007f', points_to: 'x' },
        ],
        printed: 'lane 0 says hello\n',
    };
}

/** A kernel whose lanes stay together, with values of every width that a grid shows: the cells must fit them. */
export function straightKernel({ guessed = false } = {}) {
    const half = (lane) => 0x3c00 + lane * 37;
    const code = [
        ['mov.u32 %i, %tid.x;', ({ lane }) => ({ set: { '%i': lane } })],
        ['mov.b32 %pair, %i;', ({ lane }) => ({ set: { '%pair': half(lane) + half(31 - lane) * 0x10000 } })],
        ['mov.b32 %bits, %i;', ({ lane }) => ({ set: { '%bits': 0x9e3779b9n * BigInt(lane + 1) } })],
        ['mul.f32 %f, %g, %g;', ({ lane }) => ({ set: { '%f': -1 / (lane + 3) } })],
        ['mul.f64 %d, %e, %e;', ({ lane }) => ({ set: { '%d': 1e9 / (lane + 7) } })],
        ['sub.s32 %n, %i, %i;', ({ lane }) => ({ set: { '%n': -(lane * lane) - 5 } })],
        ['@%p add.u32 %i, %i, 0;', ({ lane }) => (lane % 2 === 0 ? { skip: true } : {})],
        ['ret;', () => ({ exit: true })],
    ].map(([text, act], at) => ({ line: 10 + at, text, act }));
    return {
        name: 'straight',
        registers: [['%i', '.u32'], ['%pair', '.f16x2'], ['%bits', '.b32'], ['%f', '.f32'], ['%d', '.f64'], ['%n', '.s32'], ['%p', '.pred']],
        code,
        ...(guessed ? { guessed: ['grid=1', 'block=64'] } : {}),
    };
}

/** Many registers, many steps, diverging lanes: for measurements. */
export function largeKernel(registers, rounds) {
    const names = Array.from({ length: registers }, (_, at) => `%f${at}`);
    const code = names.map((name, at) => ({
        line: 10 + at,
        text: `fma.rn.f32 ${name}, ${names[(at + 1) % registers]}, 1.5, 0.25;`,
        act: ({ lane, r }) => (at % 7 === 3 && lane % 3 === 0 ? { skip: true } : { set: { [name]: f32(r(names[(at + 1) % registers]) * 1.5 + lane * 0.37 + at) } }),
    }));
    code.push({ line: 10 + registers, text: 'add.u32 %round, %round, 1;', act: ({ r }) => ({ set: { '%round': r('%round') + 1 } }) });
    code.push({ line: 11 + registers, text: `@%more bra again;`, act: ({ r }) => (r('%round') < rounds ? { to: 0 } : { skip: true }) });
    code.push({ line: 12 + registers, text: 'ret;', act: () => ({ exit: true }) });
    return { name: 'large', registers: [...names.map((name) => [name, '.f32']), ['%round', '.u32']], code };
}

/** The matrices of `mma.m16n8k8` with `.tf32`-like single registers, which is enough for the pane. */
export function sampleFragments() {
    const elements = (rows, columns, registers) => {
        const list = [];
        for (let lane = 0; lane < LANES; lane += 1) {
            for (let register = 0; register < registers; register += 1) {
                const row = Math.floor(lane / 4) + (register >= registers / 2 ? rows / 2 : 0);
                list.push([lane, register, 0, row % rows, ((lane % 4) * 2 + (register % 2)) % columns]);
            }
        }
        return list;
    };
    return {
        instruction: 'mma.sync.aligned.m16n8k8',
        operands: [
            { operand: 'd', type: '.f32', rows: 16, columns: 8, registers: ['%sum', '%v', '%w', '%v'], elements: elements(16, 8, 4) },
            { operand: 'a', type: '.f16', rows: 8, columns: 8, registers: ['%v', '%w'], elements: elements(8, 8, 2) },
        ],
    };
}

// The formats of values, and the text of a value in each of them.

import { BF16, F16, F32, F64, floatText, type FloatFormat, SMALL_FLOATS } from './floats';

export type FormatName = 'hex' | 'signed' | 'unsigned' | 'float' | 'half' | 'half2' | 'bf16' | 'bf16x2' | 'bits' | 'float2' | 'fp8';

export interface Format {
    name: FormatName;
    /** The name in a menu. */
    title: string;
    /** The short name in the narrow column beside a register's name. */
    short: string;
}

const FORMATS: Readonly<Record<FormatName, Format>> = {
    hex: { name: 'hex', title: 'Hexadecimal', short: 'hex' },
    signed: { name: 'signed', title: 'Signed', short: 'int' },
    unsigned: { name: 'unsigned', title: 'Unsigned', short: 'uint' },
    float: { name: 'float', title: 'Floating point', short: 'float' },
    half: { name: 'half', title: 'Half (f16)', short: 'f16' },
    half2: { name: 'half2', title: 'Halves (f16 pairs)', short: 'f16×2' },
    bf16: { name: 'bf16', title: 'bf16', short: 'bf16' },
    bf16x2: { name: 'bf16x2', title: 'bf16 pairs', short: 'bf16×2' },
    float2: { name: 'float2', title: 'Singles (f32 pairs)', short: 'f32×2' },
    fp8: { name: 'fp8', title: 'Bytes as e4m3', short: 'e4m3' },
    bits: { name: 'bits', title: 'Bits', short: 'bits' },
};

const BY_SIZE: Readonly<Record<number, readonly FormatName[]>> = {
    1: ['hex', 'signed', 'unsigned', 'fp8', 'bits'],
    2: ['hex', 'signed', 'unsigned', 'half', 'bf16', 'fp8', 'bits'],
    4: ['hex', 'signed', 'unsigned', 'float', 'half2', 'bf16x2', 'fp8', 'bits'],
    8: ['hex', 'signed', 'unsigned', 'float', 'float2', 'half2', 'bf16x2', 'fp8', 'bits'],
    16: ['hex', 'unsigned', 'float2', 'half2', 'bf16x2', 'fp8', 'bits'],
};

/** The formats for a value of this number of bytes. A predicate (0 bytes) only has its dots. */
export function formatsFor(bytes: number): readonly Format[] {
    return (BY_SIZE[bytes] ?? []).map((name) => FORMATS[name]);
}

export function formatNamed(name: FormatName): Format {
    return FORMATS[name];
}

/** The format of a type in a register of this number of bytes; undefined for untyped bits. */
export function formatOfType(type: string, bytes: number): FormatName | undefined {
    const bare = type.replace(/^\./, '');
    if (/^(f16x2|f16)$/.test(bare)) return bytes === 2 ? 'half' : bytes >= 4 ? 'half2' : undefined;
    if (/^(bf16x2|bf16)$/.test(bare)) return bytes === 2 ? 'bf16' : bytes >= 4 ? 'bf16x2' : undefined;
    if (/^(f32|tf32)$/.test(bare)) return bytes === 4 ? 'float' : bytes === 8 ? 'float2' : undefined;
    if (bare === 'f64') return bytes === 8 ? 'float' : undefined;
    // 64-bit integers are nearly always addresses and offsets.
    if (/^[su]\d+$/.test(bare) && bytes >= 8) return 'hex';
    if (/^s\d+$/.test(bare)) return 'signed';
    if (/^u\d+$/.test(bare)) return 'unsigned';
    return undefined;
}

/**
 * The format for a register that is declared as untyped bits: that of the first type in the instruction that writes it
 * (`ld.global.f32`, `cvt.f32.s32`, `mad.lo.u32`).
 */
export function formatOfInstruction(text: string, bytes: number): FormatName | undefined {
    const opcode = /^(?:@!?\S+\s+)?([a-z][\w.:]*)/.exec(text.trim())?.[1] ?? '';
    const types = opcode.split('.').slice(1).filter((part) => /^(?:[usf]\d+(?:x2)?|bf16(?:x2)?|tf32)$/.test(part));
    const first = types[0];
    if (first === undefined) return undefined;
    return formatOfType(first, bytes);
}

export function defaultFormat(type: string, bytes: number, writtenBy: string | undefined): FormatName {
    return formatOfType(type, bytes) ?? (writtenBy === undefined ? undefined : formatOfInstruction(writtenBy, bytes)) ?? 'hex';
}

function pieces(digits: string, size: number, read: (own: string) => string): string {
    const parts: string[] = [];
    for (let end = digits.length; end > 0; end -= size) parts.push(read(digits.slice(Math.max(0, end - size), end)));
    return parts.join(' ');
}

function signedText(digits: string): string {
    return BigInt.asIntN(digits.length * 4, BigInt(`0x${digits}`)).toString();
}

/**
 * The text of a value. `digits` are its bytes, the most significant first. If there are several elements, the lowest
 * one comes first.
 */
export function valueText(format: FormatName, digits: string): string {
    switch (format) {
        case 'hex':
            // Long values are mostly addresses: leading zeros would take the space of significant digits.
            return digits.length > 8 ? digits.replace(/^0+(?=.{8})/, '') : digits;
        case 'unsigned':
            return digits.length <= 8 ? String(Number.parseInt(digits, 16)) : BigInt(`0x${digits}`).toString();
        case 'signed':
            return digits.length === 8 ? String(Number.parseInt(digits, 16) | 0) : signedText(digits);
        case 'float':
            return floatText(floatOfDigits(digits.length), digits);
        case 'half':
        case 'half2':
            return pieces(digits, 4, (own) => floatText(F16, own));
        case 'bf16':
        case 'bf16x2':
            return pieces(digits, 4, (own) => floatText(BF16, own));
        case 'float2':
            return pieces(digits, 8, (own) => floatText(F32, own));
        case 'fp8':
            return pieces(digits, 2, (own) => floatText(SMALL_FLOATS['e4m3'] as FloatFormat, own));
        case 'bits':
            return Array.from(digits, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('_');
    }
}

function floatOfDigits(digits: number): FloatFormat {
    return digits === 4 ? F16 : digits === 16 ? F64 : F32;
}

/**
 * Shortens a text visibly to a number of characters, where it does the least harm. A hexadecimal number or bits lose
 * their front, a float loses digits of its fraction, so that its magnitude stays correct.
 */
export function fitText(format: FormatName, text: string, room: number): string {
    if (text.length <= room) return text;
    if (format === 'hex' || format === 'bits') return `…${text.slice(text.length - room + 1)}`;
    const scientific = /^(-?\d(?:\.\d*)?)(e-?\d+)$/.exec(text);
    if (scientific) {
        const [, digits = '', exponent = ''] = scientific;
        return `${digits.slice(0, Math.max(1, room - exponent.length - 1))}…${exponent}`;
    }
    return `${text.slice(0, room - 1)}…`;
}

/** The size of an element type in bits: `.f16` 16, `.e4m3` 8, `.b1` 1. */
export function typeBits(type: string): number {
    const bare = type.replace(/^\./, '');
    const small = SMALL_FLOATS[bare];
    if (small) return small.bits;
    if (bare === 'tf32') return 32;
    const number = /(\d+)(?:x\d)?$/.exec(bare)?.[1];
    return number === undefined ? 32 : Number(number);
}

/** The text of one element, from the digits of its register; `stride` is the distance between elements in bits. */
export function elementText(type: string, digits: string, element: number, stride = typeBits(type)): string {
    const bare = type.replace(/^\./, '');
    const bits = typeBits(type);
    const whole = BigInt(`0x${digits || '0'}`);
    const own = (whole >> BigInt(element * stride)) & ((1n << BigInt(bits)) - 1n);
    const ownDigits = own.toString(16).padStart(Math.ceil(bits / 4), '0');
    const small = SMALL_FLOATS[bare];
    if (small) return floatText(small, ownDigits);
    if (bare === 'f16' || bare === 'f16x2') return floatText(F16, ownDigits);
    if (bare === 'bf16' || bare === 'bf16x2') return floatText(BF16, ownDigits);
    if (bare === 'f32' || bare === 'tf32') return floatText(F32, ownDigits);
    if (bare === 'f64') return floatText(F64, ownDigits);
    if (bare.startsWith('s')) return BigInt.asIntN(bits, own).toString();
    if (bare.startsWith('u')) return own.toString();
    return bits === 1 ? own.toString() : ownDigits;
}

// Short texts of values for narrow columns. The tooltip shows all digits. A shortened text either ends in `…` or is a
// rounded number.

import { fitText, type FormatName } from './formats';

const FLOATS: readonly FormatName[] = ['float', 'half', 'bf16'];
const PAIRS: readonly FormatName[] = ['half2', 'bf16x2', 'float2', 'fp8'];

/** A text of limited length, if that is possible without ambiguity. */
export function shortText(format: FormatName, text: string, room: number): string {
    if (text.length <= room) return text;
    if (FLOATS.includes(format)) return shortFloat(text, room) ?? fitText(format, text, room);
    if (PAIRS.includes(format)) {
        const parts = text.split(' ').map((part) => part.replace(/\.0$/, ''));
        const plain = parts.join(' ');
        if (plain.length <= room) return plain;
        const own = Math.floor((room - parts.length + 1) / parts.length);
        const short = parts.map((part) => (part.length <= own ? part : shortFloat(part, own)));
        if (short.every((part) => part !== undefined)) return short.join(' ');
        // Show only the first element, completely: a part of a number would be a different number.
        const [first = ''] = parts;
        return first.length < room ? `${first}…` : (shortFloat(first, room) ?? fitText(format, plain, room));
    }
    return fitText(format, text, room);
}

/** The number with as many digits as fit; undefined if not even its magnitude fits. */
function shortFloat(text: string, room: number): string | undefined {
    const whole = text.replace(/\.0$/, '');
    if (whole.length <= room) return whole;
    const number = Number(text);
    if (!Number.isFinite(number)) return undefined;
    for (let digits = room; digits > 0; digits -= 1) {
        const rounded = Number(number.toPrecision(digits));
        for (const one of [`${rounded}`, thousands(rounded), rounded.toExponential().replace('e+', 'e'), `${rounded}`.replace(/^(-?)0\./, '$1.')]) {
            if (one.length <= room) return one;
        }
    }
    return undefined;
}

const UNITS = ['', 'k', 'M', 'G', 'T'] as const;

/** A number with a unit prefix, such as `-20k` or `1.3M`: it has room for one digit more than with an exponent. */
function thousands(number: number): string {
    const size = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.abs(number)) / 3));
    return size > 0 ? `${Number((number / 1000 ** size).toPrecision(12))}${UNITS[size] ?? ''}` : `${number}`;
}

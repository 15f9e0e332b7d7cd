// Floating-point values from their bits, as the shortest decimal that rounds to the same bits in the same format.

/** A binary format: an optional sign, an exponent, a fraction. */
export interface FloatFormat {
    name: string;
    bits: number;
    exponent: number;
    fraction: number;
    bias: number;
    /**
     * The meaning of the highest exponent: infinity and NaN as in IEEE 754 (`ieee`), NaN only if all bits are set
     * (`one-nan`), or a number like any other (`none`).
     */
    special: 'ieee' | 'one-nan' | 'none';
}

const ieee = (name: string, bits: number, exponent: number, fraction: number): FloatFormat => ({
    name,
    bits,
    exponent,
    fraction,
    bias: 2 ** (exponent - 1) - 1,
    special: 'ieee',
});

export const F16 = ieee('f16', 16, 5, 10);
export const BF16 = ieee('bf16', 16, 8, 7);
export const F32 = ieee('f32', 32, 8, 23);
export const F64 = ieee('f64', 64, 11, 52);

/** Element formats that are smaller than a register, by the name of their PTX type. */
export const SMALL_FLOATS: Readonly<Record<string, FloatFormat>> = {
    e4m3: { name: 'e4m3', bits: 8, exponent: 4, fraction: 3, bias: 7, special: 'one-nan' },
    e5m2: ieee('e5m2', 8, 5, 2),
    e3m2: { name: 'e3m2', bits: 6, exponent: 3, fraction: 2, bias: 3, special: 'none' },
    e2m3: { name: 'e2m3', bits: 6, exponent: 2, fraction: 3, bias: 1, special: 'none' },
    e2m1: { name: 'e2m1', bits: 4, exponent: 2, fraction: 1, bias: 1, special: 'none' },
};

const words = new DataView(new ArrayBuffer(8));

/** The value of the bits in a format; a double can represent every format here. */
export function floatValue(format: FloatFormat, bits: bigint): number {
    if (format === F64) {
        words.setBigUint64(0, bits);
        return words.getFloat64(0);
    }
    const pattern = Number(bits);
    if (format === F32) {
        words.setUint32(0, pattern);
        return words.getFloat32(0);
    }
    const fraction = pattern % 2 ** format.fraction;
    const exponent = Math.floor(pattern / 2 ** format.fraction) % 2 ** format.exponent;
    const sign = Math.floor(pattern / 2 ** (format.bits - 1)) % 2 === 1 ? -1 : 1;
    const highest = 2 ** format.exponent - 1;
    if (format.special === 'ieee' && exponent === highest) return fraction === 0 ? sign * Infinity : NaN;
    if (format.special === 'one-nan' && exponent === highest && fraction === 2 ** format.fraction - 1) return NaN;
    const scale = 2 ** (Math.max(exponent, 1) - format.bias - format.fraction);
    return sign * (fraction + (exponent === 0 ? 0 : 2 ** format.fraction)) * scale;
}

/**
 * The nearest number of a format, with ties to even. It determines whether a shorter decimal still denotes the same
 * bits.
 */
function roundTo(format: FloatFormat, value: number): number {
    if (format === F64) return value;
    if (format === F32) return Math.fround(value);
    const size = Math.abs(value);
    if (size === 0) return value;
    const lowest = 1 - format.bias;
    const exponent = Math.max(Math.floor(Math.log2(size)), lowest);
    const unit = 2 ** (exponent - format.fraction);
    const units = size / unit;
    let rounded = Math.floor(units);
    const rest = units - rounded;
    if (rest > 0.5 || (rest === 0.5 && rounded % 2 === 1)) rounded += 1;
    return Math.sign(value) * rounded * unit;
}

/** The decimal with the next larger magnitude and the same number of digits: `1.234e-7` becomes `1.235e-7`. */
function nextDecimal(decimal: string): string {
    const [digits = '', exponent = '0'] = decimal.split('e');
    const places = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0;
    const grown = BigInt(digits.replace('.', '')) + (digits.startsWith('-') ? -1n : 1n);
    return `${grown}e${Number(exponent) - places}`;
}

function shortest(format: FloatFormat, value: number): string {
    if (format === F64) return written(value);
    // Any decimal with this number of digits survives the conversion to a normal number and back. So a shorter decimal
    // with the same value would be this one without its trailing zeros.
    const normal = Math.abs(value) >= 2 ** (1 - format.bias);
    const power = Number.isInteger(Math.log2(Math.abs(value)));
    for (let digits = normal ? Math.max(1, Math.floor(format.fraction * Math.LOG10E * Math.LN2)) : 1; digits < 17; digits += 1) {
        const decimal = value.toExponential(digits - 1);
        if (roundTo(format, Number(decimal)) === value) return written(Number(decimal));
        // Numbers are twice as dense below a power of two as above it. So the next decimal above may fit even if the
        // nearest one, which is below, does not.
        if (!power) continue;
        const above = nextDecimal(decimal);
        if (roundTo(format, Number(above)) === value) return written(Number(above));
    }
    return written(value);
}

/** Uses an exponent if zeros would only fill the cell. */
function written(value: number): string {
    const size = Math.abs(value);
    const text = size !== 0 && (size >= 1e10 || size < 1e-5) ? value.toExponential() : String(value);
    const plain = text.replace('e+', 'e');
    return /^-?\d+$/.test(plain) ? `${plain}.0` : plain;
}

const remembered = new Map<string, string>();
const MOST_REMEMBERED = 50_000;

/**
 * A floating-point value as text: `1.0`, `-0.0`, `6.1e-5`, `inf`. The NaN that arithmetic produces is `nan`; another
 * NaN shows its payload, with an `s` if it is signalling.
 */
export function floatText(format: FloatFormat, digits: string): string {
    const key = `${format.name}${digits}`;
    let text = remembered.get(key);
    if (text === undefined) {
        text = makeFloatText(format, BigInt(`0x${digits}`));
        if (remembered.size >= MOST_REMEMBERED) remembered.clear();
        remembered.set(key, text);
    }
    return text;
}

function makeFloatText(format: FloatFormat, bits: bigint): string {
    const value = floatValue(format, bits);
    if (Number.isNaN(value)) return nanText(format, bits);
    if (value === Infinity) return 'inf';
    if (value === -Infinity) return '-inf';
    if (Object.is(value, -0)) return '-0.0';
    return shortest(format, value);
}

function nanText(format: FloatFormat, bits: bigint): string {
    if (format.special !== 'ieee') return 'nan';
    const fraction = bits & ((1n << BigInt(format.fraction)) - 1n);
    const negative = (bits >> BigInt(format.bits - 1)) & 1n;
    const quiet = (bits >> BigInt(format.fraction - 1)) & 1n;
    const payload = fraction & ((1n << BigInt(format.fraction - 1)) - 1n);
    const usual = quiet === 1n && (payload === 0n || payload === (1n << BigInt(format.fraction - 1)) - 1n);
    const sign = negative === 1n && !usual ? '-' : '';
    // For doubles, instructions do not produce a NaN with all bits set. But a quiet NaN without payload is the standard
    // NaN in every format.
    if (usual) return 'nan';
    return `${sign}${quiet === 1n ? '' : 's'}nan:${payload.toString(16)}`;
}

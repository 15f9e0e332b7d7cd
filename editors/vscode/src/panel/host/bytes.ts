// Columns of the server that count bytes of UTF-8, in texts whose positions count UTF-16 units.

/** Splits a line in front of the column, which counts bytes from 1. */
export function splitAtColumn(line: string, column: number): [string, string] {
    const bytes = new TextEncoder().encode(line);
    const at = Math.max(0, column - 1);
    const text = (part: Uint8Array): string => new TextDecoder().decode(part);
    return [text(bytes.subarray(0, at)), text(bytes.subarray(at))];
}

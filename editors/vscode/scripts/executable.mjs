// Tells from an executable's header what it runs on. A package with another executable would be useless.

/** The kind of executable that each platform of VS Code runs. Static programs for Alpine differ from others only in what they link. */
export const EXECUTABLE_KINDS = {
    'linux-x64': 'Linux, x86-64',
    'linux-arm64': 'Linux, ARM64',
    'alpine-x64': 'Linux, x86-64',
    'alpine-arm64': 'Linux, ARM64',
    'darwin-x64': 'macOS, x86-64',
    'darwin-arm64': 'macOS, ARM64',
    'win32-x64': 'Windows, x86-64',
    'win32-arm64': 'Windows, ARM64',
};

/** The names of processors in the headers of ELF, Mach-O and PE files. */
const PROCESSORS = {
    Linux: { 0x3e: 'x86-64', 0xb7: 'ARM64' },
    macOS: { 0x01000007: 'x86-64', 0x0100000c: 'ARM64' },
    Windows: { 0x8664: 'x86-64', 0xaa64: 'ARM64' },
};

/** Returns the system and processor of an executable (a Buffer); undefined if it is another kind of file. */
export function executableKind(bytes) {
    const named = (system, processor) => (PROCESSORS[system][processor] ? `${system}, ${PROCESSORS[system][processor]}` : undefined);
    if (bytes.length < 0x40) return undefined;
    if (bytes.readUInt32BE(0) === 0x7f454c46) return named('Linux', bytes.readUInt16LE(18));
    if (bytes.readUInt32LE(0) === 0xfeedfacf) return named('macOS', bytes.readUInt32LE(4));
    // The header of DOS names the place of the other one.
    const header = bytes.readUInt32LE(0x3c);
    if (bytes.readUInt16BE(0) === 0x4d5a && header + 6 <= bytes.length && bytes.readUInt32BE(header) === 0x50450000) {
        return named('Windows', bytes.readUInt16LE(header + 4));
    }
    return undefined;
}

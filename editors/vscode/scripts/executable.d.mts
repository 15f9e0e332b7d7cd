export const EXECUTABLE_KINDS: Record<string, string>;
export function executableKind(bytes: Buffer): string | undefined;

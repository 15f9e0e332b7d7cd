// Names of registers: patterns that they match, and their order.

/** A name fits a pattern with `*` and `?`; without them, it is enough that the text occurs in it. */
export function matches(pattern: string, name: string): boolean {
    if (!/[*?]/.test(pattern)) return name.includes(pattern);
    const expression = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
    return new RegExp(`^${expression}$`).test(name);
}

const names = new Intl.Collator('en', { numeric: true });

export function compareNames(one: string, other: string): number {
    return names.compare(one, other);
}

// Register names: matching patterns.

/** Whether a name matches a pattern with `*` and `?`. A pattern without these matches any part of the name. */
export function matches(pattern: string, name: string): boolean {
    if (!/[*?]/.test(pattern)) return name.includes(pattern);
    const expression = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
    return new RegExp(`^${expression}$`).test(name);
}

const names = new Intl.Collator('en', { numeric: true });

export function compareNames(one: string, other: string): number {
    return names.compare(one, other);
}

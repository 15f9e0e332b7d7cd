// Checks values against JSON Schemas, as far as the server's schemas use them. A library would be larger than the page
// that it guards, and take ten times as long (docs/dev/measurements.md).

export interface Schema {
    readonly $ref?: string;
    readonly $defs?: Readonly<Record<string, Schema>>;
    readonly additionalProperties?: Schema;
    readonly anyOf?: readonly Schema[];
    readonly enum?: readonly unknown[];
    readonly items?: Schema;
    readonly maxItems?: number;
    readonly minItems?: number;
    readonly minimum?: number;
    readonly prefixItems?: readonly Schema[];
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly type?: string | readonly string[];
}

/** All keywords that `misfit` knows. A test compares them with those of the schemas. */
export const KEYWORDS: readonly string[] = [
    '$ref', '$defs', 'additionalProperties', 'anyOf', 'enum', 'items', 'maxItems', 'minItems', 'minimum', 'prefixItems', 'properties', 'required', 'type',
];

function typeOf(value: unknown): string {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'array';
    return typeof value;
}

function hasType(value: unknown, type: string): boolean {
    if (type === 'integer') return Number.isSafeInteger(value);
    return typeOf(value) === type;
}

/** The place of a value that does not fit into a schema, such as `/state/groups/0`; undefined if all fit. */
export function misfit(value: unknown, schema: Schema, root: Schema = schema, at = ''): string | undefined {
    if (schema.$ref !== undefined) {
        const definition = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
        return definition === undefined ? at : misfit(value, definition, root, at);
    }
    if (schema.anyOf !== undefined && schema.anyOf.every((one) => misfit(value, one, root, at) !== undefined)) return at;
    const { type } = schema;
    if (type !== undefined && !(typeof type === 'string' ? hasType(value, type) : type.some((one) => hasType(value, one)))) return at;
    if (schema.enum !== undefined && !schema.enum.includes(value)) return at;
    if (schema.minimum !== undefined && typeof value === 'number' && value < schema.minimum) return at;
    if (Array.isArray(value)) return misfitOfList(value, schema, root, at);
    if (typeof value === 'object' && value !== null) return misfitOfObject(value as Record<string, unknown>, schema, root, at);
    return undefined;
}

function misfitOfList(list: readonly unknown[], schema: Schema, root: Schema, at: string): string | undefined {
    if (list.length < (schema.minItems ?? 0) || list.length > (schema.maxItems ?? Infinity)) return at;
    for (const [index, item] of list.entries()) {
        const own = schema.prefixItems?.[index] ?? schema.items;
        const found = own === undefined ? undefined : misfit(item, own, root, `${at}/${index}`);
        if (found !== undefined) return found;
    }
    return undefined;
}

function misfitOfObject(fields: Record<string, unknown>, schema: Schema, root: Schema, at: string): string | undefined {
    for (const name of schema.required ?? []) if (!(name in fields)) return `${at}/${name}`;
    for (const [name, field] of Object.entries(fields)) {
        const own = schema.properties?.[name] ?? schema.additionalProperties;
        const found = own === undefined ? undefined : misfit(field, own, root, `${at}/${name}`);
        if (found !== undefined) return found;
    }
    return undefined;
}

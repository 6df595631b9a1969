// The parts of an OpenAPI document, of the API or of the control plane, that the page reads.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly schema?: Schema; readonly example?: unknown }>
  >;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>;
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Follows a reference such as `#/components/schemas/Account`. */
export function resolve<T extends object>(document: OpenapiDocument, value: T): T {
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return value;
  const names = $ref.slice(2).split('/');
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

/** The schema of a JSON body, with its references followed. */
export function bodySchema(document: OpenapiDocument, body: Body | undefined): Schema | null {
  const schema = body?.content?.['application/json']?.schema;
  return schema === undefined ? null : resolve(document, schema);
}

export const typesOf = ({ type = [] }: Schema): readonly string[] => [type].flat();

/** The type of a member in words. */
export function typeWords(document: OpenapiDocument, member: Schema): string {
  const schema = resolve(document, member);
  if (schema.enum !== undefined) return schema.enum.map(String).join(', ');
  if (schema.items !== undefined) return `list of ${typeWords(document, schema.items)}`;
  return typesOf(schema).join(' or ') || 'any';
}

// The description of the plane in OpenAPI 3.1, made from the very rows that answer.

import type { Schema } from '../../fixtures/schemas/kit.ts';
import type { Row } from './row.ts';
import * as journalShapes from './schemas/journal.ts';
import * as shapes from './schemas/records.ts';

export interface ControlDocumentOptions {
  /** The plane's address. */
  readonly url: string;
  readonly version: string;
}

type Json = Readonly<Record<string, unknown>>;

const tagWords: Readonly<Record<string, string>> = {
  Sandbox: 'The sandbox itself, and what happens in it as it happens.',
  Clock: 'The one clock of everything: settlement, keys, allowances, tokens, retries.',
  Credentials: 'Who may call.',
  Firms: 'What firms may do, and how fast.',
  Money: 'Accounts, trading accounts and transactions, with what the API does not show.',
  Faults: 'What is to go wrong on order.',
  Names: 'What webhook hostnames resolve to, and where deliveries really go.',
  Journal: 'Every call with its checks and reasons, idempotency keys, allowances.',
  Events: 'The numbered log of events.',
  Deliveries: 'Webhook subscriptions and what was sent to them.',
  State: 'The whole world as a document.',
  Worlds: 'Isolated worlds in the same process.',
};

/** Schemas that have a name of their own: Clock, Credential and so on. */
const named = new Map<Schema, string>(
  Object.entries({ ...shapes, ...journalShapes }).flatMap(([name, schema]) =>
    name.endsWith('Schema')
      ? [[schema as Schema, `${name[0]?.toUpperCase()}${name.slice(1, -'Schema'.length)}`] as const]
      : [],
  ),
);

/** The schema with every named one inside it referred to by its name. */
function spell(schema: Schema, top = false): Json {
  const name = named.get(schema);
  if (name !== undefined && !top) return { $ref: `#/components/schemas/${name}` };
  const { properties, items, additionalProperties, required, ...rest } = schema;
  const spelled: Record<string, unknown> = { ...rest };
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const members = Object.entries(properties).map(([key, member]) => [key, spell(member)]);
    spelled.properties = Object.fromEntries(members);
  }
  if (required !== undefined && required.length > 0) spelled.required = required;
  if (items !== undefined) spelled.items = spell(items);
  if (additionalProperties !== undefined) {
    spelled.additionalProperties =
      typeof additionalProperties === 'object' ? spell(additionalProperties) : additionalProperties;
  }
  return spelled;
}

const problemSchema: Json = {
  type: 'object',
  description: 'What is wrong, and where.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What to do about it; it names the field.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, message: { type: 'string' } },
        required: ['field', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'errors'],
};

function refusal(words: string): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description: words, content: { 'application/problem+json': { schema } } };
}

function responsesOf(row: Row): Json {
  const { status, words, schema, type = 'application/json' } = row.answer;
  const content =
    status === 204
      ? {}
      : {
          content: {
            [type]: { schema: schema === undefined ? { type: 'string' } : spell(schema) },
          },
        };
  const refusals: Record<number, string> = {
    401: 'A control token is wanted.',
    403: 'The Host or the Origin is foreign.',
    ...(row.path.includes('{') ? { 404: 'There is none of that name.' } : {}),
    ...(row.body === undefined ? {} : { 400: 'The body is not JSON.' }),
    ...(row.method === 'GET' ? {} : { 415: 'The body is not application/json.' }),
    ...(row.body === undefined && row.query === undefined
      ? {}
      : { 422: 'A field is unknown, missing or wrong; it is named.' }),
    ...row.refusals,
  };
  const refused = Object.entries(refusals).map(([code, said]) => [code, refusal(said)]);
  return { [status]: { description: words, ...content }, ...Object.fromEntries(refused) };
}

function parametersOf(row: Row): Json[] {
  const inPath = row.segments
    .filter((part) => part.startsWith('{'))
    .map((part) => ({
      name: part.slice(1, -1),
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
  const inQuery = Object.entries(row.query ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: row.requiredQuery?.includes(name) ?? false,
    description,
    schema: spell(schema),
  }));
  return [...inPath, ...inQuery];
}

function operationOf(row: Row): Json {
  const { name, tag, summary, description, body } = row;
  const parameters = parametersOf(row);
  const required = (body?.required?.length ?? 0) > 0 || (body?.minProperties ?? 0) > 0;
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : { requestBody: { required, content: { 'application/json': { schema: spell(body) } } } }),
    responses: responsesOf(row),
  };
}

/** The whole document as plain data, ready for JSON. */
export function controlDocument(
  rows: readonly Row[],
  { url, version }: ControlDocumentOptions,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    const path = `/${row.path}`;
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row) };
  }
  const schemas = [...named].map(([schema, name]) => [name, spell(schema, true)]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control plane of the trading platform sandbox',
      version,
      summary: 'What an operator, a test or time would do to the platform.',
      description:
        'Outside authentication, limits, faults and the journal of the API. It answers to this machine only. Every row but those of worlds is there for each world under `worlds/{name}/` too.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url, description: 'This sandbox.' }],
    security: [{}, { control: [] }],
    tags: Object.entries(tagWords).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...Object.fromEntries(schemas), Problem: problemSchema },
      securitySchemes: {
        control: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token given with --control-token; nothing where none was given.',
        },
      },
    },
  };
}

// The description of the plane in OpenAPI 3.1, made from its rows.

import type { Schema } from '../../fixtures/schemas/kit.ts';
import { tags } from './all-rows.ts';
import type { Row } from './row.ts';
import * as journalShapes from './schemas/journal.ts';
import * as shapes from './schemas/records.ts';

export interface ControlDocumentOptions {
  /** The plane's address. */
  readonly url: string;
  readonly version: string;
}

type Json = Readonly<Record<string, unknown>>;

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
  const { answer, stream } = row;
  const status = row.status ?? (answer === undefined && stream === undefined ? 204 : 200);
  const schema = answer === undefined ? { type: 'string' } : spell(answer);
  const type = stream ? 'text/event-stream' : 'application/json';
  const refusals: Record<number, string> = {
    401: 'The control token is missing or wrong.',
    403: 'The Host or the Origin is foreign.',
    ...(row.path.includes('{') ? { 404: 'There is none of that name.' } : {}),
    ...(row.body === undefined ? {} : { 400: 'The body is not JSON.' }),
    ...(row.method === 'GET' ? {} : { 415: 'The body is not application/json.' }),
    ...(row.body === undefined && Object.keys(row.query.properties).length === 0
      ? {}
      : { 422: 'A field is unknown, missing or wrong; it is named.' }),
    ...row.refusals,
  };
  return {
    [status]: {
      description: answer?.description ?? (stream ? 'An endless stream.' : 'Done.'),
      ...(status === 204 ? {} : { content: { [type]: { schema } } }),
    },
    ...Object.fromEntries(Object.entries(refusals).map(([code, words]) => [code, refusal(words)])),
  };
}

function parametersOf({ params, query }: Row): Json[] {
  const schema = { type: 'string' };
  const inPath = params.map((name) => ({ name, in: 'path', required: true, schema }));
  const properties: Readonly<Record<string, Schema>> = query.properties;
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const required = (query.required as readonly string[]).includes(name);
    return { name, in: 'query', required, description, schema: spell(schema) };
  });
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

/** Stands in the text of the document for the address under which it is requested. */
const anyUrl = 'http://address-of-this-plane.invalid';
const texts = new Map<string, string>();

/** The whole document as JSON text, built once. */
export function controlDocument(
  rows: readonly Row[],
  { url, version }: ControlDocumentOptions,
): string {
  const text = texts.get(version) ?? JSON.stringify(describe(rows, version));
  texts.set(version, text);
  return text.replaceAll(anyUrl, url);
}

function describe(rows: readonly Row[], version: string): Json {
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
    servers: [{ url: anyUrl, description: 'This sandbox.' }],
    security: [{}, { control: [] }],
    tags: tags.map(([name, description]) => ({ name, description })),
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

// The description of the plane in OpenAPI 3.1, made from its rows.

import { anyText, object, type Schema } from '../../fixtures/schemas/kit.ts';
import manifest from '../../package.json' with { type: 'json' };
import { rows, tags } from './all-rows.ts';
import * as journalShapes from './journal.ts';
import * as shapes from './records.ts';
import type { Row } from './row.ts';

type Json = Readonly<Record<string, unknown>>;

/** Named schemas: Clock, Credential and so on. */
const named = new Map<unknown, string>(
  Object.entries({ ...shapes, ...journalShapes }).flatMap(([name, schema]) =>
    name.endsWith('Schema')
      ? [[schema, `${name[0]?.toUpperCase()}${name.slice(1, -'Schema'.length)}`] as const]
      : [],
  ),
);

/** For JSON.stringify: refers to named schemas by their names, and leaves empty parts out. */
function spell(key: string, value: unknown): unknown {
  const name = named.get(value);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  const isPart = ['properties', 'required', 'parameters'].includes(key);
  return isPart && Object.keys(Object(value)).length === 0 && typeof value === 'object'
    ? undefined
    : value;
}

const word = { type: 'string' } as const;
const problemSchema = object('What is wrong, and where.', {
  type: word,
  title: word,
  status: { type: 'integer' },
  detail: anyText('What to do about it; it names the field.'),
  errors: { type: 'array', items: object('A field.', { field: word, message: word }) },
});
named.set(problemSchema, 'Problem');

const refusal = (words: string): Json => ({
  description: words,
  content: { 'application/problem+json': { schema: problemSchema } },
});

function responsesOf(row: Row): Json {
  const { answer, stream } = row;
  const status = row.status ?? (answer === undefined && stream === undefined ? 204 : 200);
  const schema = answer === undefined ? { type: 'string' } : answer;
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
    return { name, in: 'query', required, description, schema: schema };
  });
  return [...inPath, ...inQuery];
}

function operationOf(row: Row): Json {
  const { name, tag, summary, description, body } = row;
  const required = (body?.required?.length ?? 0) > 0 || (body?.minProperties ?? 0) > 0;
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    parameters: parametersOf(row),
    ...(body === undefined
      ? {}
      : { requestBody: { required, content: { 'application/json': { schema: body } } } }),
    responses: responsesOf(row),
  };
}

/** Placeholder for the address of the request for the document. */
const anyUrl = 'http://address-of-this-plane.invalid';
let text: string | null = null;

/** The whole document as JSON text, built once; `url` is the plane's address. */
export function controlDocument(url: string): string {
  text ??= JSON.stringify(describe(), spell);
  return text.replaceAll(anyUrl, url);
}

function describe(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    const path = `/${row.path}`;
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(row) };
  }
  // Copies, so that they are written out here and not replaced by a reference.
  const schemas = [...named].map(([schema, name]) => [name, { ...(schema as Schema) }]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control plane of the trading platform sandbox',
      version: manifest.version,
      summary: 'What an operator, a test or time would do to the platform.',
      description:
        'Outside authentication, limits, faults and the journal of the API. It serves this machine only. Every row but those of worlds is there for each world under `worlds/{name}/` too.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: anyUrl, description: 'This sandbox.' }],
    security: [{}, { control: [] }],
    tags,
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
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

// Reads a report back from its JSON. The file may be torn, or written by another program.
import { type Schema, validate } from '../../fixtures/schemas/validate.ts';
import type { Report } from './report.ts';

const text: Schema = { type: 'string' };
const textOrNull: Schema = { type: ['string', 'null'] };
const number: Schema = { type: 'number' };
const whole: Schema = { type: 'integer', minimum: 0 };
const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** Every member is required, except those of the second list. */
function record(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const headers = listOf({ type: 'array', items: text, minItems: 2, maxItems: 2 });

const exchange = record({
  n: whole,
  kind: { type: 'string', enum: ['call', 'delivery', 'operator'] },
  as: textOrNull,
  request: record({ method: text, url: text, headers, body: textOrNull }),
  response: { ...record({ status: number, headers, body: textOrNull }), type: ['object', 'null'] },
  failure: textOrNull,
  at_ms: number,
  duration_ms: number,
});

const finding = record({
  scenario: text,
  verdict: text,
  expected: text,
  actual: text,
  exchanges: listOf(number),
  replay: text,
  fingerprint: text,
});

const schema = record({
  schema: { type: 'integer', enum: [1] },
  tool: record({ name: { type: 'string', enum: ['conformance'] }, version: text }),
  target: record({ base_url: text, control_url: textOrNull, headers: listOf(text) }, ['headers']),
  started_at: text,
  verdict: text,
  mark: text,
  rules: listOf(
    record({ id: text, words: text, verdict: text, findings: listOf(finding) }, ['words']),
  ),
  scenarios: listOf(
    record({ id: text, title: text, why: textOrNull, exchanges: listOf(exchange) }),
  ),
  observed: listOf(
    record({
      id: text,
      question: text,
      observed: textOrNull,
      settings: { type: 'object', properties: {}, additionalProperties: {} },
    }),
  ),
});

/** The report in a document, or what is wrong with it, each with its field first. */
export function parseReport(
  given: unknown,
): { readonly report: Report } | { readonly problems: readonly string[] } {
  const problems = validate(schema, given, 'the report');
  if (problems.length === 0) return { report: given as Report };
  return { problems: problems.map(({ field, message }) => `${field} ${message}`) };
}

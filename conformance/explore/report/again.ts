// Reads a difference of an earlier report, to play it again or to print it as a script. The file may
// come from anywhere: what is not a sequence of steps is refused by its field.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import type { HeaderLine } from '../../engine/send/headers.ts';
import { REDACTED } from '../../reports/redact.ts';
import { curlScript } from '../../reports/replay.ts';
import type { ReportExchange } from '../../reports/report.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import { callsOf, type Sequence, type Step } from '../sequence.ts';
import type { ExploreReport, ReportDifference, ReportStep } from './report.ts';

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0, maximum: 1_000_000 };
const record: Schema = { type: 'object' };
const list: Schema = { type: 'array' };
const flag: Schema = { type: 'boolean' };

const object = (properties: Readonly<Record<string, Schema>>, optional: string[] = []): Schema => ({
  ...{ type: 'object', properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const call = object(
  {
    ...{ n: whole, operation: { ...text, enum: Object.keys(OPERATIONS) }, as: text },
    ...{ query: record, raw: text, headers: record, fault: object({ effect: record }) },
    meanwhile: { ...list, items: record },
  },
  ['query', 'raw', 'headers', 'fault', 'meanwhile'],
);

/** The members of each kind of step that decide how it is played. */
const STEPS: Readonly<Record<Step['do'], Schema>> = {
  call,
  burst: object({ n: whole, calls: { ...list, items: call, minItems: 1, maxItems: 1000 } }),
  many: object({ n: whole, count: whole, call }),
  advance: object({ n: whole, byMs: { type: 'number', minimum: 0, maximum: 1e13 } }),
  open: object({ n: whole, account: {} }),
  place: object({ n: whole, kind: text }),
  mint: object({ n: whole, name: text, wish: record }),
  rescope: object({ n: whole, name: text, scopes: { ...list, items: text } }),
  settle: object({ n: whole, id: {} }),
  ledger: object({ n: whole, tradingAccount: {} }),
  hook: object({ n: whole, answers: { ...list, items: { type: 'integer' } } }),
  permit: object({ n: whole, operation: text, allowed: flag }),
};

const differences: Schema = { ...list, items: object({ id: text }) };
const report = object({ differences, unexplained: differences }, ['unexplained']);
const sequence = object({ steps: { ...list, items: record, minItems: 1 } });
const answer: Schema = { type: ['object', 'null'] };
const texts: Schema = { ...record, properties: {}, additionalProperties: text };
const sent = object({ method: text, path: text, headers: texts, body: {} }, ['headers', 'body']);
const answered = object({ headers: texts, body: {} }, ['headers', 'body']);
const script = object({
  ...{ title: text, mark: text },
  steps: {
    ...list,
    items: object({ n: whole, as: { type: ['string', 'null'] }, request: answer, target: answer }),
  },
});

export function isExploreReport(given: unknown): given is object {
  return (
    typeof given === 'object' && given !== null && Reflect.get(given, 'schema') === 'explore/1'
  );
}

/** Throws a TypeError that names the field. */
function demand(schema: Schema, given: unknown, name: string, field = ''): void {
  const [problem] = validate(schema, given, name, field);
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
}

/** Undefined if the report has no difference of that id; throws a TypeError if it is no report. */
export function sequenceIn(given: unknown, id: string): Sequence | undefined {
  const found = differenceIn(given, id);
  if (found === undefined) return undefined;
  demand(sequence, found.sequence, `${id}.sequence`, `${id}.sequence`);
  for (const [at, step] of found.sequence.steps.entries()) {
    const field = `steps[${at}]`;
    const kind: unknown = step.do;
    if (typeof kind !== 'string' || !Object.hasOwn(STEPS, kind)) {
      throw new TypeError(`${field}.do must be one of ${Object.keys(STEPS).join(', ')}`);
    }
    demand(STEPS[step.do], step, field, field);
  }
  return found.sequence;
}

/** The calls as curl commands; null if curl cannot show the difference. */
export function scriptIn(given: unknown, id: string): string | null | undefined {
  const found = differenceIn(given, id);
  if (found === undefined) return undefined;
  demand(script, found, id, id);
  for (const [at, { request, target }] of found.steps.entries()) {
    const field = `${id}.steps[${at}]`;
    if (request !== null) demand(sent, request, field, `${field}.request`);
    if (target != null) demand(answered, target, field, `${field}.target`);
  }
  const { target, started_at } = given as ExploreReport;
  const steps = found.sequence == null ? [] : sequenceIn(given, id)!.steps;
  const isLong = steps.some((step) => step.do === 'many');
  const isHeld = callsOf(steps).some(({ meanwhile }) => meanwhile !== undefined);
  if (isLong || isHeld || found.steps.length > MOST_CALLS) return null;
  let atMs = 0;
  const exchanges = found.steps.map((step): ReportExchange => {
    const exchange = exchangeOf(step, atMs);
    atMs = Math.max(atMs, exchange.at_ms + exchange.duration_ms);
    return exchange;
  });
  return curlScript(
    {
      target: { base_url: String(target?.base_url), control_url: null },
      started_at,
      mark: found.mark,
    },
    { id, title: found.title, exchanges },
  );
}

/** No one reads a longer script. */
const MOST_CALLS = 120;

function exchangeOf(
  { n, as, request, operator, target, at_once: times }: ReportStep,
  atMs: number,
) {
  const url = { url: '', headers: [], body: null };
  if (request === null) {
    const done = { method: operator ?? '', ...url };
    return {
      ...EMPTY,
      n,
      kind: 'operator',
      as: null,
      request: done,
      at_ms: atMs,
    } as ReportExchange;
  }
  const headers = Object.entries(request.headers ?? {});
  const own = headers.find(([name]) => name === 'authorization')?.[1];
  // A token that an earlier step has got is a variable of the script.
  const [, from] = /^the (token of step \d+)$/.exec(String(own)) ?? [];
  const others = headers.filter(([name]) => from === undefined || name !== 'authorization');
  const isBearer = from !== undefined || (own === undefined && as !== 'anonymous');
  const token: HeaderLine[] = isBearer ? [['authorization', `Bearer ${REDACTED}`]] : [];
  return {
    ...EMPTY,
    ...{ n, as: from ?? (own === undefined ? as : null) },
    request: {
      ...{ method: request.method, url: request.path, headers: [...others, ...token] },
      body: request.body === null ? null : textOf(request.body),
    },
    response: target?.status == null ? null : responseOf(target),
    // Concurrent calls overlap, every other call begins when the one before has ended.
    at_ms: times === undefined ? atMs : times.sent_ms,
    duration_ms: times === undefined ? 1 : times.answered_ms - times.sent_ms,
  } as ReportExchange;
}

const EMPTY = { kind: 'call', failure: null, response: null, duration_ms: 0 } as const;

const responseOf = ({ status, headers, body }: NonNullable<ReportStep['target']>) => ({
  ...{ status, headers: Object.entries(headers ?? {}), body: textOf(body) },
});

const textOf = (body: unknown): string =>
  typeof body === 'string' ? body : (JSON.stringify(body) ?? '');

function differenceIn(given: unknown, id: string): ReportDifference | undefined {
  if (!isExploreReport(given)) throw new TypeError('it is no JSON report of conformance explore');
  demand(report, given, 'the report');
  const { differences: all, unexplained = [] } = given as ExploreReport;
  return [...all, ...unexplained].find((each) => each.id === id);
}

/** The settings of the model with which the differences of a report were found. */
export function settingsIn(given: unknown): unknown {
  const { coverage } = (given ?? {}) as { readonly coverage?: unknown };
  const { settings_learned } = (coverage ?? {}) as { readonly settings_learned?: unknown };
  return settings_learned ?? {};
}

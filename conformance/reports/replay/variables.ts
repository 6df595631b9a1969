// Finds in a recorded scenario what must be another in each repetition: names that the run made up,
// and ids and tags that an earlier answer gave.
import type { ReportExchange } from '../report.ts';

/** A value of the recording that the script keeps in a variable. */
export interface ReplayVariable {
  readonly value: string;
  readonly variable: string;
  /** Where the script finds it, for what an answer gives. */
  readonly from?: VariableSource;
}

export interface VariableSource {
  readonly exchange: number;
  /** A path such as `.rows[0].id`, or the header that has it. */
  readonly path?: string;
  readonly header?: string;
}

// Firms and brands are there before a scenario begins, and stay the same.
const ID_MEMBER = /^(id|(?!firm_|brand_|request_)[a-z_]+_id|(?!firm|brand)[a-z]+Id)$/;

/**
 * Values that answers gave and that later requests name. One that the scenario sent itself before
 * is its own and stays.
 */
export function namedByAnswers(exchanges: readonly ReportExchange[]): ReplayVariable[] {
  const named: ReplayVariable[] = [];
  const taken = new Set<string>();
  exchanges.forEach((exchange, at) => {
    for (const { value, ...from } of given(exchange)) {
      const textOf = from.header === undefined ? sentText : headerText;
      const before = exchanges.slice(0, at + 1).map(textOf);
      const after = exchanges.slice(at + 1).map(textOf);
      if (taken.has(value) || before.some((text) => hasWhole(text, value))) continue;
      if (!after.some((text) => hasWhole(text, value))) continue;
      taken.add(value);
      const kind = from.header === undefined ? 'ID' : 'TAG';
      named.push({ value, variable: `${kind}_${exchange.n}_${named.length + 1}`, from });
    }
  });
  return named;
}

/** Phones are made from the run's mark but do not show it; a repetition needs others. */
export function phonesIn(exchanges: readonly ReportExchange[]): ReplayVariable[] {
  const found = new Set<string>();
  for (const { request } of exchanges) {
    for (const [, phone] of (request.body ?? '').matchAll(/"phone"\s*:\s*"(\+447[45]\d{8})"/g)) {
      found.add(phone!);
    }
  }
  return [...found].map((value, at) => ({ value, variable: `PHONE_${at + 1}` }));
}

/** Keys of calls that named none themselves: a key used again would get the old answer. */
export function keysIn(exchanges: readonly ReportExchange[]): ReplayVariable[] {
  const found = new Set<string>();
  for (const { request } of exchanges) {
    for (const [, value] of request.headers) {
      if (/^key-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) found.add(value);
    }
  }
  return [...found].map((value, at) => ({ value, variable: `KEY_${at + 1}` }));
}

function sentText({ request }: ReportExchange): string {
  return [request.url, headerText({ request }), request.body ?? ''].join('\n');
}

function headerText({ request }: Pick<ReportExchange, 'request'>): string {
  return request.headers.map(([, value]) => value).join('\n');
}

/** Whether a text names a value as a whole: `12` is not in `123`, nor in `1.12`. */
export function hasWhole(text: string, value: string): boolean {
  return wholePattern(value).test(text);
}

export function wholePattern(value: string): RegExp {
  const literal = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.-])${literal}(?![\\w-]|\\.\\d)`, 'g');
}

function given(exchange: ReportExchange): ({ value: string } & VariableSource)[] {
  const { n, kind, response } = exchange;
  if (response === null || kind === 'delivery') return [];
  const found: ({ value: string } & VariableSource)[] = [];
  const etag = response.headers.find(([name]) => name.toLowerCase() === 'etag')?.[1];
  if (etag !== undefined) found.push({ value: etag, exchange: n, header: 'etag' });
  for (const { path, value } of idsIn(parsed(response.body), '')) {
    found.push({ value, exchange: n, path });
  }
  return found;
}

/** Undefined for what is no JSON. */
export function parsed(body: string | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Batches answer with a thousand rows; nobody goes on with more than the first few. */
const ROWS_READ = 20;

function idsIn(value: unknown, path: string): { path: string; value: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.slice(0, ROWS_READ).flatMap((each, at) => idsIn(each, `${path}[${at}]`));
  }
  return Object.entries(value).flatMap(([name, member]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) return [];
    const at = `${path}.${name}`;
    if (typeof member === 'object') return idsIn(member, at);
    const isId = typeof member === 'string' || typeof member === 'number';
    return isId && ID_MEMBER.test(name) && String(member) !== ''
      ? [{ path: at, value: String(member) }]
      : [];
  });
}

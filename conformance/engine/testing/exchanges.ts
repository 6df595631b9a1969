// Exchanges and scenario results for tests of the judge.
import type { HeaderLine } from '../send/headers.ts';
import type { Exchange, Judged, RuleId, ScenarioResult } from '../types.ts';

export interface Written {
  readonly n?: number;
  readonly method?: string;
  /** Below /api/v1. */
  readonly path?: string;
  readonly url?: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Null for no answer. */
  readonly status?: number | null;
  readonly type?: string;
  readonly headers?: readonly HeaderLine[];
  /** Text as it is, anything else as JSON. */
  readonly answer?: unknown;
  readonly durationMs?: number;
}

const bytesOf = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

export function exchangeOf(written: Written = {}): Exchange {
  const { n = 1, method = 'POST', path = '/accounts', key, durationMs = 1 } = written;
  const { url = `http://target.test/api/v1${path}` } = written;
  const { status = 201, type = 'application/json', headers = [], answer = {} } = written;
  const sent: HeaderLine[] = key === undefined ? [] : [['idempotency-key', key]];
  const lines: HeaderLine[] = [['content-type', type], ...headers];
  const body = bytesOf(written.body ?? {});
  return {
    ...{ n, kind: 'call', as: 'firm', atMs: 0, durationMs },
    request: { method, url, headers: sent, body },
    response: status === null ? null : { status, headers: lines, body: bytesOf(answer) },
    failure: status === null ? 'the connection ended: ECONNRESET' : null,
  };
}

/** A scenario of these rules, played once. */
export function resultOf(
  id: string,
  byRule: Readonly<Partial<Record<RuleId, Judged | 'not_selected'>>>,
  over: Partial<ScenarioResult> = {},
): ScenarioResult {
  const [verdict = 'passed'] = Object.values(byRule);
  return {
    ...{ id, rules: Object.keys(byRule) as RuleId[], verdict, byRule, findings: [] },
    ...{ observations: [], exchanges: [], why: null, missing: [], attempts: 1, durationMs: 1 },
    ...over,
  };
}

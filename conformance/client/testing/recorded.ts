// Handwritten runs of clients: calls as tests need them, assigned to sites as the gateway assigns
// them.

import { operationOf } from '../../spec/operations.ts';
import type { ApiCall, Ending, Recording } from '../recording.ts';
import { Intents, type SentRequest } from '../requests.ts';

export interface Written {
  /** `POST transactions`, below /api/v1. */
  readonly line: string;
  readonly key?: string | null;
  readonly json?: unknown;
  /** The status of the answer; null: no answer. */
  readonly status?: number | null;
  readonly fault?: string;
  readonly atMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly answer?: unknown;
  readonly fate?: ApiCall['fate'];
  readonly abandonedAtMs?: number;
}

export function sentRequest(line: string, key: string | null, json?: unknown): SentRequest {
  const [method = '', target = ''] = line.split(' ');
  const { pathname: path, searchParams: query } = new URL(`/api/v1/${target}`, 'http://sandbox');
  const body = json === undefined ? '' : JSON.stringify(json);
  return { operation: operationOf(method, path) ?? null, method, path, query, body, json, key };
}

export function recorded(
  written: readonly Written[],
  ending: Partial<Ending> = {},
  secrets: readonly string[] = [],
): Recording {
  const book = new Intents();
  const calls = written.map((each, index): ApiCall => {
    const request = sentRequest(each.line, each.key ?? null, each.json);
    const { status = 201, atMs = index * 100, answer } = each;
    const headers = Object.entries(each.answerHeaders ?? {});
    const body = answer === undefined ? '' : JSON.stringify(answer);
    return {
      ...request,
      n: index + 1,
      atMs,
      target: `/api/v1/${each.line.split(' ')[1]}`,
      headers: Object.entries(each.headers ?? {}),
      token: 'token',
      site: book.place(request)?.site ?? null,
      fate: each.fate ?? 'answered',
      fault: each.fault ?? null,
      response: status === null ? null : { status, headers, body },
      answeredAtMs: each.fate === 'silent' ? null : atMs + 5,
      abandonedAtMs: each.abandonedAtMs ?? null,
    };
  });
  const ended = {
    code: 0,
    signal: null,
    killed: false,
    cutShort: false,
    durationMs: 1_000,
    output: '',
    ...ending,
  };
  return { calls, ending: ended, secrets, lagMs: 0, followsEvents: false };
}

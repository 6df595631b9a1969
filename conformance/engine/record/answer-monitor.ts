// Checks every answer of a run, whichever scenario sent the request, for what no answer may be. It
// only finds deviations: that a rule is kept is for scenarios to show.

import { ERROR_TABLE } from '../../spec/errors.ts';
import { OPERATIONS, operationOf } from '../../spec/operations.ts';
import { problemFormError, problemLinkError } from '../judge/problem-form.ts';
import { Answer } from '../send/answer.ts';
import { apiPathOf } from '../send/client.ts';
import { Headers } from '../send/headers.ts';
import type { Exchange, Finding, RuleId } from '../types.ts';

export const MONITORED_RULES = [
  'HOOK-3',
  'ERR-1a',
  'ERR-1b',
  'ERR-4',
  'LIM-8',
] as const satisfies readonly RuleId[];

type MonitoredRule = (typeof MONITORED_RULES)[number];

/** After this many answers with an id, an answer is expected to have one. */
const ENOUGH_IDS = 3;

/** A defect in every answer is reported a few times, not hundreds. */
const MOST_FINDINGS = 3;

const API = /^\/api\/v1\/(accounts|positions|transactions|webhooks)(\/|$)/;
const TOKENS = '/api/v1/oauth/token';
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const TABLE_CODES = new Set(Object.values(ERROR_TABLE).flat());

/** One answer with what is known of its request. */
interface InspectedAnswer {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly answer: Answer;
}

export class AnswerMonitor {
  readonly #keyOfId = new Map<string, string | undefined>();
  readonly #statusesOfKey = new Map<string, readonly number[]>();
  /** Answers of the token endpoint that had an id: ERR-4 does not ask for one there. */
  #tokenAnswersWithId = 0;
  readonly #secrets = new Set<string>();
  readonly #findings = new Map<MonitoredRule, number>();

  /** `ownToken` is false if the scenario sent another Authorization than its credential's. */
  inspect(exchange: Exchange, ownToken: boolean): Finding[] {
    if (apiPathOf(exchange.request.url) === TOKENS && hasId(exchange)) {
      this.#tokenAnswersWithId += 1;
    }
    const seen = inspectedAnswerOf(exchange);
    if (seen === undefined) return [];
    const { answer } = seen;
    const before = this.#statusesBefore(seen);
    const isOrdinary = ownToken && isOrdinaryRefusal(answer);
    // IDEM-4a: a replay that has kept its body and not its status is judged there.
    const hasLinks = isOrdinary && !isReplayUnder(answer, before);
    const checks: readonly (readonly [MonitoredRule, string, string | undefined])[] = [
      ['LIM-8', 'rate-limit headers with a 429 only', rateHeaderIn(answer)],
      ['ERR-4', 'an X-Request-Id that no other call has had', this.#idError(seen)],
      ['HOOK-3', 'no secret but in the answers of create and rotate', this.#secretIn(seen)],
      [
        'ERR-1a',
        'a problem in the form of the error table',
        isOrdinary ? problemFormError(answer) : undefined,
      ],
      [
        'ERR-1b',
        'type ending in /errors/ and the code, status as sent',
        hasLinks ? problemLinkError(answer) : undefined,
      ],
    ];
    return checks.flatMap(([rule, expected, actual]): Finding[] => {
      const count = this.#findings.get(rule) ?? 0;
      if (actual === undefined || count >= MOST_FINDINGS) return [];
      this.#findings.set(rule, count + 1);
      return [{ rules: [rule], verdict: 'deviates', expected, actual, exchanges: [exchange.n] }];
    });
  }

  /** ERR-4: whether an answer has no id although this target's answers have ids. */
  isForeign(exchange: Exchange): boolean {
    const { method, url } = exchange.request;
    if (exchange.response === null || hasId(exchange)) return false;
    if (apiPathOf(url) === TOKENS) return this.#tokenAnswersWithId >= ENOUGH_IDS;
    return isWrite(method, apiPathOf(url)) && this.#keyOfId.size >= ENOUGH_IDS;
  }

  /** Statuses of earlier answers under the same key. */
  #statusesBefore({ key, answer }: InspectedAnswer): readonly number[] {
    if (key === undefined) return [];
    const before = this.#statusesOfKey.get(key) ?? [];
    this.#statusesOfKey.set(key, [...before, answer.status]);
    return before;
  }

  /** ERR-4: of the nine writes; that others carry one too is advice, which a scenario gives. */
  #idError({ answer, key, method, path }: InspectedAnswer): string | undefined {
    if (!isWrite(method, path)) return undefined;
    const id = answer.headers.get('x-request-id');
    if (id === undefined || id === '') return `no X-Request-Id with ${answer.summary}`;
    const isKnown = this.#keyOfId.has(id);
    // IDEM-5: what a replay does to the header is judged there.
    const isReplayed = key !== undefined && key === this.#keyOfId.get(id);
    this.#keyOfId.set(id, key);
    return isKnown && !isReplayed ? `${id}, which an earlier call had` : undefined;
  }

  #secretIn({ method, path, answer }: InspectedAnswer): string | undefined {
    const operation = operationOf(method, path);
    if (operation === 'createWebhook' || operation === 'rotateWebhookSecret') {
      const secret = answer.status < 300 ? answer.at('secret') : undefined;
      if (typeof secret === 'string' && secret.length >= 8) this.#secrets.add(secret);
      if (answer.status < 300) return undefined;
    }
    if (path.startsWith('/api/v1/webhooks') && hasSecret(answer.json)) return 'a member "secret"';
    for (const secret of this.#secrets) {
      if (answer.text.includes(secret)) return 'a secret that was issued earlier';
    }
    return undefined;
  }
}

/** Undefined for what is not the service's own answer to an operation of the specification. */
function inspectedAnswerOf({ n, kind, request, response }: Exchange): InspectedAnswer | undefined {
  const path = apiPathOf(request.url);
  if (kind !== 'call' || response === null || !API.test(path)) return undefined;
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const answer = new Answer({ n, status, headers, body, atMs: 0, durationMs: 0 });
  if (answer.source !== 'service') return undefined;
  // NS-31: what a router says of a path or method that it does not know is no operation's answer.
  if ((status === 404 || status === 405) && !isProblem(answer)) return undefined;
  const key = new Headers(request.headers).get('idempotency-key')?.trim();
  return { method: request.method, path, key, answer };
}

/** One of the nine write operations. */
function isWrite(method: string, path: string): boolean {
  const operation = operationOf(method, path);
  return operation !== undefined && OPERATIONS[operation].keyed;
}

function hasId({ response }: Exchange): boolean {
  return response !== null && new Headers(response.headers).has('x-request-id');
}

function rateHeaderIn(answer: Answer): string | undefined {
  // A refusal that may be sent again later can say when; a success has no use for it.
  const names = [...RATE_HEADERS, ...(answer.status < 300 ? ['Retry-After'] : [])];
  const name = names.find((each) => answer.headers.has(each));
  return name && `${name}: ${answer.headers.get(name)} with ${answer.summary}`;
}

function isReplayUnder(answer: Answer, before: readonly number[]): boolean {
  const status = answer.at('status');
  return status !== answer.status && before.some((each) => each === status);
}

/** NS-16: how a bad token is refused is open; so are 405 and 415. */
function isOrdinaryRefusal(answer: Answer): boolean {
  return answer.status >= 400 && ![401, 405, 415].includes(answer.status) && isProblem(answer);
}

/** By its content type or, if that is wrong, by a code of the error table. */
function isProblem(answer: Answer): boolean {
  if (answer.headers.mediaType() === 'application/problem+json') return true;
  return answer.code !== undefined && TABLE_CODES.has(answer.code);
}

function hasSecret(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, inner]) => name === 'secret' || hasSecret(inner));
}

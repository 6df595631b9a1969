// Watches every answer of a run, whatever scenario asked for it, for what no answer may be. It can
// only find deviations: that a rule is kept is for scenarios to show.

import { problemFormError, problemLinkError } from '../judge/problem-form.ts';
import { Answer } from '../send/answer.ts';
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

/** So many answers with an id make an id something to expect. */
const FEW = 3;

/** A defect in every answer is told a few times, not hundreds. */
const MOST_FINDINGS = 3;

const API = /^\/api\/v1\/(accounts|positions|transactions|webhooks)(\/|$)/;
const TOKENS = '/api/v1/oauth/token';
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const TABLE_CODES = new Set([
  'idempotency_key_required',
  'forbidden',
  'read_only_credential',
  'not_found',
  'idempotency_in_flight',
  'invalid_state',
  'revision_conflict',
  'scope_too_wide',
  'validation_failed',
  'not_implemented',
]);

/** One answer with what is known of its request. */
interface InspectedAnswer {
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly ownToken: boolean;
  readonly answer: Answer;
}

export class AnswerMonitor {
  readonly #keyOfId = new Map<string, string | undefined>();
  readonly #statusesOfKey = new Map<string, readonly number[]>();
  /** Answers of the token endpoint that had an id: ERR-4 does not ask it for one. */
  #tokenAnswersWithId = 0;
  readonly #secrets = new Set<string>();
  readonly #told = new Map<MonitoredRule, number>();

  /** `ownToken` is false where the scenario sent another Authorization than its credential's. */
  inspect(exchange: Exchange, ownToken: boolean): Finding[] {
    if (isOfTokens(exchange) && hasId(exchange)) this.#tokenAnswersWithId += 1;
    const seen = inspectedAnswerOf(exchange, ownToken);
    if (seen === undefined) return [];
    const found: Finding[] = [];
    const tell = (rule: MonitoredRule, expected: string, actual: string | undefined) => {
      const told = this.#told.get(rule) ?? 0;
      if (actual === undefined || told >= MOST_FINDINGS) return;
      this.#told.set(rule, told + 1);
      const rest = { verdict: 'deviates', expected, actual, exchanges: [seen.n] } as const;
      found.push({ rules: [rule], ...rest });
    };
    tell('LIM-8', 'rate-limit headers with a 429 only', rateHeaderIn(seen.answer));
    tell('ERR-4', 'an X-Request-Id that no other call has had', this.#idAmiss(seen));
    tell('HOOK-3', 'no secret but in the answers of create and rotate', this.#secretIn(seen));
    const before = this.#statusesBefore(seen);
    if (isOrdinaryRefusal(seen)) {
      tell('ERR-1a', 'a problem in the form of the error table', problemFormError(seen.answer));
      tell(
        'ERR-1b',
        'type ending in /errors/ and the code, status as sent',
        // IDEM-4a: a replay that has kept its body and not its status is judged there.
        isReplayUnder(seen.answer, before) ? undefined : problemLinkError(seen.answer),
      );
    }
    return found;
  }

  /** ERR-4: whether an answer has no id though this target's answers have ids. */
  isForeign(exchange: Exchange): boolean {
    if (exchange.response === null || hasId(exchange)) return false;
    if (isOfTokens(exchange)) return this.#tokenAnswersWithId >= FEW;
    const { method } = exchange.request;
    return isWrite({ method, path: pathOf(exchange) }) && this.#keyOfId.size >= FEW;
  }

  /** Statuses of earlier answers under the same key. */
  #statusesBefore({ key, answer }: InspectedAnswer): readonly number[] {
    if (key === undefined) return [];
    const before = this.#statusesOfKey.get(key) ?? [];
    this.#statusesOfKey.set(key, [...before, answer.status]);
    return before;
  }

  /** ERR-4: of the nine writes; that others carry one too is advice, which a scenario gives. */
  #idAmiss({ answer, key, ...request }: InspectedAnswer): string | undefined {
    const id = answer.headers.get('x-request-id');
    if (!isWrite(request)) return undefined;
    if (id === undefined || id === '') return `no X-Request-Id with ${answer.summary}`;
    const known = this.#keyOfId.has(id);
    const keyBefore = this.#keyOfId.get(id);
    this.#keyOfId.set(id, key);
    // IDEM-5: what a replay does to the header is judged there.
    const replayed = key !== undefined && key === keyBefore;
    return known && !replayed ? `${id}, which an earlier call had` : undefined;
  }

  #secretIn({ method, path, answer }: InspectedAnswer): string | undefined {
    if (!path.startsWith('/api/v1/webhooks')) return this.#knownSecretIn(answer);
    const issues = /^\/api\/v1\/webhooks(\/[^/]+\/rotate-secret)?$/.test(path);
    if (method === 'POST' && issues && answer.status < 300) {
      const secret = answer.at('secret');
      if (typeof secret === 'string' && secret.length >= 8) this.#secrets.add(secret);
      return undefined;
    }
    return hasSecret(answer.json) ? 'a member "secret"' : this.#knownSecretIn(answer);
  }

  #knownSecretIn(answer: Answer): string | undefined {
    for (const secret of this.#secrets) {
      if (answer.text.includes(secret)) return 'a secret that was issued earlier';
    }
    return undefined;
  }
}

/** Undefined for what is not the service's own answer to an operation of the specification. */
function inspectedAnswerOf(exchange: Exchange, ownToken: boolean): InspectedAnswer | undefined {
  const { n, kind, request, response } = exchange;
  if (kind !== 'call' || response === null) return undefined;
  const path = pathOf(exchange);
  if (!API.test(path)) return undefined;
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const answer = new Answer({ n, status, headers, body, atMs: 0, durationMs: 0 });
  if (answer.source !== 'service') return undefined;
  // NS-31: what a router says of a path or method that it does not know is no operation's answer.
  if ((status === 404 || status === 405) && !isProblem(answer)) return undefined;
  const key = new Headers(request.headers).get('idempotency-key')?.trim();
  return { n, method: request.method, path, key, ownToken, answer };
}

function pathOf({ request }: Exchange): string {
  return new URL(request.url).pathname;
}

const ACCOUNT_WRITE = /^(POST \/api\/v1\/accounts(\/bulk)?|PATCH \/api\/v1\/accounts\/[^/]+)$/;
const OTHER_WRITE = /^POST \/api\/v1\/(positions\/\w+|transactions(\/[^/]+\/\w+)?)$/;

/** One of the nine write operations. */
function isWrite({ method, path }: Pick<InspectedAnswer, 'method' | 'path'>): boolean {
  const line = `${method} ${path}`;
  return ACCOUNT_WRITE.test(line) || OTHER_WRITE.test(line);
}

function isOfTokens(exchange: Exchange): boolean {
  return pathOf(exchange) === TOKENS;
}

function hasId({ response }: Exchange): boolean {
  return response !== null && new Headers(response.headers).has('x-request-id');
}

function rateHeaderIn(answer: Answer): string | undefined {
  const names = [...RATE_HEADERS];
  // A refusal that may be sent again later can say when; a success has no use for it.
  if (answer.status < 300) names.push('Retry-After');
  const name = names.find((each) => answer.headers.has(each));
  return name && `${name}: ${answer.headers.get(name)} with ${answer.summary}`;
}

function isReplayUnder(answer: Answer, before: readonly number[]): boolean {
  const status = answer.at('status');
  return status !== answer.status && before.some((each) => each === status);
}

/** NS-16: how a bad token is refused is open; so are 405 and 415. */
function isOrdinaryRefusal({ answer, ownToken }: InspectedAnswer): boolean {
  if (answer.status < 400 || [401, 405, 415].includes(answer.status) || !ownToken) return false;
  return isProblem(answer);
}

/** By its content type or, where that is wrong, by a code of the error table. */
function isProblem(answer: Answer): boolean {
  if (answer.headers.mediaType() === 'application/problem+json') return true;
  return answer.code !== undefined && TABLE_CODES.has(answer.code);
}

function hasSecret(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, inner]) => name === 'secret' || hasSecret(inner));
}

// Checks every answer of a run, in every scenario, for defects that no answer may have. It only
// finds deviations; only scenarios show that a rule passes.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { ERROR_TABLE } from '../../spec/errors.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Answer } from '../send/answer.ts';
import { membersIn, printJson } from '../send/json.ts';
import type { Finding, RuleId } from '../types.ts';

export const MONITORED_RULES: readonly RuleId[] = ['HOOK-3', 'ERR-1a', 'ERR-1b', 'ERR-4', 'LIM-8'];

/** After this many answers with an id, every answer is expected to have one. */
const ENOUGH_IDS = 3;
/** A defect in every answer is reported a few times, not hundreds of times. */
const MAX_FINDINGS = 3;

const API = /^\/api\/v1\/(accounts|positions|transactions|webhooks)(\/|$)/;
const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const PROBLEM_FORM = 'a problem in the form of the error table';
const PROBLEM_LINK = 'type ending in /errors/ and the code, status as sent';
const TABLE_CODES = new Set(Object.values(ERROR_TABLE).flat());

export class AnswerMonitor {
  readonly #keyOfId = new Map<string, string | undefined>();
  readonly #statusesOfKey = new Map<string, readonly number[]>();
  /** Answers of the token endpoint that had an id: ERR-4 does not require one there. */
  #tokenAnswersWithId = 0;
  readonly #secrets = new Set<string>();
  readonly #counts = new Map<RuleId, number>();

  /** `ownToken` is false if the scenario sent an Authorization header other than its credential's. */
  inspect(answer: Answer, ownToken: boolean): Finding[] {
    if (answer.operation === 'issueToken' && answer.headers.has('x-request-id')) {
      this.#tokenAnswersWithId += 1;
    }
    if (!isOfAnOperation(answer)) return [];
    const isReplay = this.#isReplay(answer);
    const isOrdinary = ownToken && isOrdinaryRefusal(answer);
    // IDEM-4a judges a replay that has the original body but not its status.
    const linkError = isOrdinary && !isReplay && problemLinkError(answer);
    const checks: readonly (readonly [RuleId, string, string | undefined | false])[] = [
      ['LIM-8', 'rate-limit headers with a 429 only', rateHeaderIn(answer)],
      ['ERR-4', 'an X-Request-Id that no other call has had', this.#idError(answer)],
      ['HOOK-3', 'no secret but in the answers of create and rotate', this.#secretIn(answer)],
      ['ERR-1a', PROBLEM_FORM, isOrdinary && problemFormError(answer)],
      ['ERR-1b', PROBLEM_LINK, linkError],
    ];
    return checks.flatMap(([rule, expected, actual]): Finding[] => {
      const count = this.#counts.get(rule) ?? 0;
      if (!actual || count >= MAX_FINDINGS) return [];
      this.#counts.set(rule, count + 1);
      return [{ rules: [rule], verdict: 'deviates', expected, actual, exchanges: [answer.n] }];
    });
  }

  /** ERR-4: whether an answer has no id although this target's answers have ids. */
  isForeign(answer: Answer): boolean {
    if (answer.headers.has('x-request-id')) return false;
    if (answer.operation === 'issueToken') return this.#tokenAnswersWithId >= ENOUGH_IDS;
    return isWrite(answer) && this.#keyOfId.size >= ENOUGH_IDS;
  }

  /** Whether an earlier answer under the same key had the status that the body names. */
  #isReplay(answer: Answer): boolean {
    const key = answer.key?.trim();
    if (key === undefined) return false;
    const before = this.#statusesOfKey.get(key) ?? [];
    this.#statusesOfKey.set(key, [...before, answer.status]);
    const status = answer.at('status');
    return status !== answer.status && before.some((each) => each === status);
  }

  /** ERR-4: required for the nine writes; for other operations it is advice, which a scenario gives. */
  #idError(answer: Answer): string | undefined {
    if (!isWrite(answer)) return undefined;
    const id = answer.headers.get('x-request-id');
    if (id === undefined || id === '') return `no X-Request-Id with ${answer.summary}`;
    const key = answer.key?.trim();
    const isKnown = this.#keyOfId.has(id);
    // IDEM-5 judges the header of a replay.
    const isReplayed = key !== undefined && key === this.#keyOfId.get(id);
    this.#keyOfId.set(id, key);
    return isKnown && !isReplayed ? `${id}, which an earlier call had` : undefined;
  }

  #secretIn(answer: Answer): string | undefined {
    const { operation, path } = answer;
    const isIssued = operation === 'createWebhook' || operation === 'rotateWebhookSecret';
    if (isIssued && answer.isServed) {
      const secret = answer.at('secret');
      if (typeof secret === 'string' && secret.length >= 8) this.#secrets.add(secret);
      return undefined;
    }
    if (path.startsWith('/api/v1/webhooks') && hasSecret(answer)) return 'a member "secret"';
    const isShown = [...this.#secrets].some((secret) => answer.text.includes(secret));
    return isShown ? 'a secret that was issued earlier' : undefined;
  }
}

/** Whether it is the service's own answer to an operation of the specification. */
function isOfAnOperation(answer: Answer): boolean {
  // NS-31: a router's answer to an unknown path or method is not an answer of an operation.
  const isRouters = [404, 405].includes(answer.status) && !isProblem(answer);
  return API.test(answer.path) && answer.source === 'service' && !isRouters;
}

/** One of the nine write operations. */
function isWrite({ operation }: Answer): boolean {
  return operation !== undefined && OPERATIONS[operation].keyed;
}

function rateHeaderIn(answer: Answer): string | undefined {
  // A refusal that may be retried later can say when; a success has no use for it.
  const names = [...RATE_HEADERS, ...(answer.status < 300 ? ['Retry-After'] : [])];
  const name = names.find((each) => answer.headers.has(each));
  return name && `${name}: ${answer.headers.get(name)} with ${answer.summary}`;
}

/** NS-16: the refusal of a bad token is open; so are 405 and 415. */
function isOrdinaryRefusal(answer: Answer): boolean {
  return answer.status >= 400 && ![401, 405, 415].includes(answer.status) && isProblem(answer);
}

/** By its content type or, if that is wrong, by a code of the error table. */
function isProblem(answer: Answer): boolean {
  if (answer.headers.mediaType() === 'application/problem+json') return true;
  return answer.code !== undefined && TABLE_CODES.has(answer.code);
}

/** Whether it has a member of that name at any depth. */
export function hasSecret({ json }: Answer): boolean {
  return membersIn(json).some(([path]) => path.at(-1) === 'secret');
}

/** ERR-1a: the members of a problem with their types. */
const MEMBERS: readonly [name: string, words: string, test: (value: unknown) => boolean][] = [
  ['type', 'a string', isText],
  ['title', 'a string', isText],
  ['status', 'an integer', Number.isInteger],
  ['code', 'a string', isText],
  ['detail', 'a string', isText],
  ['request_id', 'a string', isText],
  ['errors', 'an array', Array.isArray],
];

/** ERR-1a: the error in its content type or in a member; undefined if there is none. */
export function problemFormError(answer: Answer): string | undefined {
  const type = answer.headers.mediaType();
  if (type !== 'application/problem+json') return `content type: ${type || 'none'}`;
  for (const [name, words, test] of MEMBERS) {
    const value = answer.at(name);
    if (!test(value)) return `${name}, which should be ${words}: ${printJson(value)}`;
  }
  return undefined;
}

/**
 * ERR-1b: `type` does not end in the code under `/errors/`, or `status` is not the status. ERR-1a
 * judges a member that is missing or has another type.
 */
export function problemLinkError(answer: Answer): string | undefined {
  const { type, code, status } = (answer.json ?? {}) as Record<string, unknown>;
  if (isText(type) && isText(code)) {
    const isLinked = parseUrl(type) !== null && code !== '' && type.endsWith(`/errors/${code}`);
    if (!isLinked) return `type: ${type}`;
  }
  if (Number.isInteger(status) && status !== answer.status) {
    return `status ${status} in the body of a ${answer.status}`;
  }
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

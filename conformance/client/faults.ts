// The faults of a run: which calls they affect, and how. A fault affects the sites that its run
// aims at.
import { parseJson } from '../../fixtures/lenient.ts';
import { Headers } from '../engine/send/headers.ts';
import { ERROR_TABLE } from '../spec/errors.ts';
import { PROFILE_MEMBERS } from '../spec/literals.ts';
import type { ApiCall, ApiResponse, Fate, Site } from './recording.ts';
import { membersOf, type SentRequest, sameButForReferences, sameRequest } from './requests.ts';

/** A call that has arrived, before the fault or the platform handles it. */
export type ArrivedCall = Omit<ApiCall, 'fate' | 'fault' | 'response' | 'answeredAtMs'> & {
  /** The first call or a repeat of a site that the run aims at; null for any other call. */
  readonly aimed: 'first' | 'repeat' | null;
  /** The client that its token belongs to; null without a known token. */
  readonly clientId: string | null;
  /** The token endpoint issued its token in this run. */
  readonly isIssued: boolean;
};

export interface Treatment {
  readonly fate: Fate;
  readonly fault: string;
  /** Sent instead of the platform's; nothing runs then. */
  readonly response?: ApiResponse;
  /** How long the response is held back. */
  readonly holdMs?: number;
}

/** Requests of the judge itself to the platform. */
export interface Backstage {
  readonly send: (
    request: Pick<ApiCall, 'method' | 'target' | 'body'> & {
      readonly headers: Readonly<Record<string, string>>;
    },
  ) => Promise<ApiResponse>;
  /** A token of another client with the same permissions. */
  readonly otherToken: string;
  /** Since the start of the run. */
  readonly nowMs: () => number;
}

export type Wire = Pick<ApiCall, 'target' | 'body'>;

export interface Fault {
  /** null: the call is served normally. */
  readonly handle?: (
    call: ArrivedCall,
    backstage: Backstage,
  ) => Treatment | null | Promise<Treatment | null>;
  /** Every answer of the platform, as the client sees it. */
  readonly reshape?: (answer: ApiResponse, path: string) => ApiResponse;
  /** A request as the platform sees it. */
  readonly translate?: (request: Wire) => Wire;
  /** The command's environment variables, if they differ too. */
  readonly variables?: (
    variables: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** No later call can change the verdict, so the run can end. */
  readonly seenEnough?: (calls: readonly ApiCall[]) => boolean;
  /** The time limit is reached before the decisive calls: extend it by the same time. */
  readonly needsMoreTime?: (calls: readonly ApiCall[]) => boolean;
}

export function statusOf(code: string): number {
  const row = Object.entries(ERROR_TABLE).find(([, codes]) => codes.includes(code));
  return Number(row?.[0]);
}

/** ERR-1a: the refusal as problem+json. `n` makes its request id. */
function problem(code: string, n: number, headers: ApiResponse['headers'] = []): ApiResponse {
  const status = statusOf(code);
  const requestId = `req_judge${String(n).padStart(6, '0')}`;
  const type = `https://docs.trading-platform.example/errors/${code}`;
  const [title, detail] = [code.replaceAll('_', ' '), 'The platform refuses this request.'];
  return {
    status,
    headers: [
      ['content-type', 'application/problem+json; charset=utf-8'],
      ['x-request-id', requestId],
      ...headers,
    ],
    body: JSON.stringify({ type, title, status, code, detail, request_id: requestId, errors: [] }),
  };
}

function refusal(code: string, n: number): Treatment {
  const fault = `answered ${statusOf(code)} ${code} instead of the platform`;
  return { fate: 'refused', fault, response: problem(code, n) };
}

/** Affects the first call of each site; its repeats are served. */
function onFirst(treat: (call: ArrivedCall) => Treatment): Fault {
  return { handle: (call) => (call.aimed === 'first' ? treat(call) : null) };
}

const losses = {
  answer_lost: 'it ran, and the connection was cut instead of sending the response',
  request_lost: 'the connection was cut before it ran',
  silent: 'it ran, and no response was ever sent',
} as const;

export function loseFirst(fate: keyof typeof losses): Fault {
  return onFirst(() => ({ fate, fault: losses[fate] }));
}

export function refuseFirst(code: string): Fault {
  return onFirst(({ n }) => refusal(code, n));
}

/** A permanent refusal: every repeat is refused, even under another reference. */
function refuseForever(
  treat: (call: ArrivedCall) => Treatment,
  isDisguised: (first: SentRequest, call: ArrivedCall) => boolean,
): Fault {
  let first: SentRequest | null = null;
  return {
    handle: (call) => {
      if (call.aimed === 'first') first = call;
      if (first === null) return null;
      return call.aimed !== null || isDisguised(first, call) ? treat(call) : null;
    },
  };
}

/** IDEM-4d. */
export function refuseAlways(code: string): Fault {
  return refuseForever(
    ({ n }) => refusal(code, n),
    (first, call) =>
      call.operation === first.operation &&
      (sameRequest(first, call) || sameButForReferences(first, call)),
  );
}

/** ERR-2: an unreadable body is refused in plain text. */
export function refuseInText(): Fault {
  // No status in the words: a client that prints one has read it from the status line.
  const response: ApiResponse = {
    status: 422,
    headers: [['content-type', 'text/plain; charset=utf-8']],
    body: 'The body could not be read: a member that is required is missing.\n',
  };
  const fault = 'answered 422 in plain text instead of the platform';
  return refuseForever(() => ({ fate: 'refused', fault, response }), sameRequest);
}

/** One write always fails, under any reference. */
export function breakFor(site: Site, most: number): Fault {
  let broken = false;
  return {
    handle: ({ aimed, site: own, operation, n }) => {
      if (operation !== site.operation || own === null) return null;
      if (aimed !== null) broken = true;
      // A write that the first run did not have may be the same one under a new reference.
      const isNew = broken && Number(own.split('#')[1]) > site.of;
      return aimed !== null || isNew ? refusal('internal_error', n) : null;
    },
    seenEnough: (calls) =>
      calls.filter((call) => call.fault !== null && call.site === site.id).length > most,
    // Seven attempts with exponential backoff take more than a minute, and are correct.
    needsMoreTime: () => broken,
  };
}

/** How long the 429 is held back, so that calls that were sent before it arrive first. */
const holdMs = 150;

/** LIM-6: the credential of the first call of each site is limited for this many seconds. */
export function limit(seconds: number): Fault {
  const untilMs = new Map<string, number>();
  const refuse = (n: number, waitS: number, held: number): Treatment => {
    const wait = String(waitS);
    const response = problem('rate_limited', n, [
      ['retry-after', wait],
      ['x-ratelimit-reset', wait],
      ['x-ratelimit-limit', '5'],
      ['x-ratelimit-remaining', '0'],
    ]);
    const fault = `answered 429 with Retry-After: ${wait}`;
    return { fate: 'refused', fault, response, holdMs: held };
  };
  return {
    handle: ({ aimed, clientId, operation, n }, { nowMs }) => {
      const who = clientId ?? 'unknown';
      // AUTH-3c: token requests have a separate limit.
      if (operation === 'issueToken') return null;
      const now = nowMs();
      const leftMs = (untilMs.get(who) ?? 0) - now;
      if (leftMs > 0) return refuse(n, Math.ceil(leftMs / 1000), 0);
      if (aimed !== 'first') return null;
      untilMs.set(who, now + holdMs + seconds * 1000);
      return refuse(n, seconds, holdMs);
    },
  };
}

/** IDEM-14a: how long an attempt keeps running after its connection was cut. */
export const runsOnMs = 3_000;

export function runOn(): Fault {
  const overAtMs = new Map<string | null, number>();
  const fault = 'the connection was cut while the attempt runs for 3 more seconds';
  return {
    handle: ({ aimed, site, n }, { nowMs }) => {
      if (aimed === 'repeat') return nowMs() < (overAtMs.get(site) ?? 0) ? inFlight(n) : null;
      if (aimed === null) return null;
      overAtMs.set(site, nowMs() + runsOnMs);
      return { fate: 'answer_lost', fault };
    },
  };
}

/** The first response is the 409, and the repeat is served. */
export function answerInFlight(): Fault {
  return onFirst(({ n }) => inFlight(n));
}

function inFlight(n: number): Treatment {
  const fault = 'answered 409 idempotency_in_flight: the earlier attempt is still running';
  return { fate: 'refused', fault, response: problem('idempotency_in_flight', n) };
}

/** One call gets an error of a gateway that cannot reach the platform. */
export function failAtGateway(): Fault {
  const head = '<head><title>Bad Gateway</title></head>';
  const page = '<center><h1>Bad Gateway</h1></center>\r\n<hr><center>nginx</center>';
  return onFirst(() => ({
    fate: 'refused',
    fault: 'answered 502 with a page of HTML, as a gateway does',
    response: {
      status: 502,
      headers: [['content-type', 'text/html; charset=utf-8']],
      body: `<html>\r\n${head}\r\n<body>\r\n${page}\r\n</body>\r\n</html>\r\n`,
    },
  }));
}

/** UPD-7: another client changes the account just before the client's own update arrives. */
export function overtake(): Fault {
  return {
    handle: async ({ aimed, target, headers, json, n }, { send, otherToken }) => {
      const tag = new Headers(headers).get('if-match');
      if (aimed !== 'first' || tag === undefined) return null;
      const wanted = membersOf(json);
      // Another field, so that the client's own change is still a change.
      const field = PROFILE_MEMBERS.findLast((each) => !(each in wanted)) ?? 'status';
      const { status } = await send({
        method: 'PATCH',
        target,
        headers: {
          authorization: `Bearer ${otherToken}`,
          'idempotency-key': `judge-${n}`,
          'if-match': tag,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ [field]: `changed-by-another-client-${n}` }),
      });
      if (status !== 200) return null;
      return {
        fate: 'answered',
        fault: 'another client updated the account just before it arrived',
      };
    },
  };
}

/** ACC-5, TXN-2: the same create runs just before under another key, so the client's gets 200. */
export function createBefore(): Fault {
  return {
    handle: async ({ aimed, method, target, headers, body, n }, { send }) => {
      if (aimed !== 'first') return null;
      const kept = headers.filter(([name]) => name.toLowerCase() !== 'idempotency-key');
      const own = { ...Object.fromEntries(kept), 'idempotency-key': `judge-${n}` };
      const { status } = await send({ method, target, headers: own, body });
      if (status !== 201 && status !== 200) return null;
      return { fate: 'answered', fault: 'its reference existed already' };
    },
  };
}

/** The token of a site's first call expires; only a token that the client requested can expire. */
export function expireToken(): Fault {
  let expired: string | null = null;
  return {
    handle: async ({ token, isIssued, aimed, method, target, body, key }, { send }) => {
      if (aimed === 'first' && isIssued) expired ??= token;
      if (token === null || token !== expired) return null;
      const headers = { authorization: 'Bearer expired', 'idempotency-key': key ?? 'none' };
      const response = await send({ method, target, headers, body });
      return { fate: 'refused', fault: 'its token has expired', response };
    },
  };
}

/** Members that a later version may add; none of them exists. */
const unknown = { x_added_later: 'a member of a later version', x_more: { of: ['it', 1, null] } };

/** Responses with unknown members, in another order, printed with spaces. */
export const withUnknownMembers: Fault = {
  reshape: (answer) => {
    const json = parseJson(answer.body);
    if (typeof json !== 'object' || json === null) return answer;
    return { ...answer, body: `${JSON.stringify(grown(json), null, 2)}\n` };
  },
};

function grown(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(grown);
  if (typeof json !== 'object' || json === null) return json;
  const own = Object.entries(json).map(([name, value]) => [name, grown(value)] as const);
  return Object.fromEntries([...Object.entries(unknown), ...own.reverse()]);
}

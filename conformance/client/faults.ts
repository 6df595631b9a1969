// What goes wrong in a run: which calls a fault meets, and what happens to them.

import type { ApiCall, ApiResponse, Site } from './recording.ts';
import {
  membersOf,
  parseJson,
  type SentRequest,
  sameButForReferences,
  sameRequest,
} from './requests.ts';

/** A call that has arrived, before anything is done about it. */
export type Met = Omit<ApiCall, 'fate' | 'struck' | 'response' | 'answeredAtMs'> & {
  /** The first call of its site, so not a repeat. */
  readonly isFirst: boolean;
  /** The client that its token belongs to; null without a known token. */
  readonly clientId: string | null;
  /** The token endpoint issued its token in this run. */
  readonly isIssued: boolean;
};

export type Treatment = { readonly struck: string } & (
  | { readonly kind: 'lose_answer' | 'lose_request' | 'stay_silent' | 'serve' }
  | { readonly kind: 'answer'; readonly response: ApiResponse; readonly holdMs?: number }
);

/** The platform, for calls that are not the client's. */
export interface Backstage {
  readonly send: (request: {
    readonly method: string;
    readonly target: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }) => Promise<ApiResponse>;
  /** A token of another client with the same permissions. */
  readonly otherToken: string;
  /** Since the start of the run. */
  readonly nowMs: () => number;
}

export interface Wire {
  readonly target: string;
  readonly body: string;
}

export interface Fault {
  /** null: the call is served as it is. */
  readonly meet?: (met: Met, backstage: Backstage) => Treatment | null | Promise<Treatment | null>;
  /** Every answer of the platform, as the client sees it. */
  readonly reshape?: (answer: ApiResponse, path: string) => ApiResponse;
  /** A request as the platform sees it. */
  readonly translate?: (request: Wire) => Wire;
  /** The command's variables, if they differ too. */
  readonly variables?: (
    variables: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** No later call can change the verdict, so the run can end. */
  readonly seenEnough?: (calls: readonly ApiCall[]) => boolean;
  /** The time of the run is up, but what matters is still to come: it gets the same time again. */
  readonly needsMoreTime?: (calls: readonly ApiCall[]) => boolean;
}

/** ERR-3: status, title and detail of each refusal. */
const refusals = {
  forbidden: [403, 'Forbidden', 'The scope for this is missing.'],
  not_found: [404, 'Not found', 'There is no such record.'],
  invalid_state: [409, 'Invalid state', 'The state of the record refuses this.'],
  validation_failed: [422, 'Validation failed', 'The request is not valid as it is.'],
  not_implemented: [501, 'Not implemented', 'This is done in the back office.'],
  idempotency_in_flight: [
    409,
    'In flight',
    'An earlier attempt with this key is still running. Repeat the identical request soon.',
  ],
  rate_limited: [429, 'Rate limited', 'Wait as Retry-After says, with some jitter.'],
  internal_error: [500, 'Internal error', 'Repeat the request with the same key.'],
  write_contention: [503, 'Write contention', 'Repeat the request with the same key.'],
} as const satisfies Readonly<Record<string, readonly [number, string, string]>>;

export type RefusalCode = keyof typeof refusals;

export function statusOf(code: RefusalCode): number {
  return refusals[code][0];
}

/** ERR-1a: the refusal as problem+json. `n` makes its request id. */
function problem(
  code: RefusalCode,
  n: number,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  const [status, title, detail] = refusals[code];
  const requestId = `req_judge${String(n).padStart(6, '0')}`;
  const type = `https://docs.trading-platform.example/errors/${code}`;
  const body = { type, title, status, code, detail, request_id: requestId, errors: [] };
  return {
    status,
    headers: [
      ['content-type', 'application/problem+json; charset=utf-8'],
      ['x-request-id', requestId],
      ...Object.entries(headers),
    ],
    body: JSON.stringify(body),
  };
}

function refusal(code: RefusalCode, n: number): Treatment {
  const struck = `answered ${statusOf(code)} ${code} instead of the platform`;
  return { kind: 'answer', struck, response: problem(code, n) };
}

/** Something happens to the first call of each site; its repeats are served. */
function onFirst(sites: ReadonlySet<string>, treat: (met: Met) => Treatment): Fault {
  return {
    meet: (met) => (met.isFirst && met.site !== null && sites.has(met.site) ? treat(met) : null),
  };
}

const losses = {
  lose_answer: 'it ran, and the connection was cut instead of sending the response',
  lose_request: 'the connection was cut before it ran',
  stay_silent: 'it ran, and no answer was ever sent',
} as const;

export function loseFirst(kind: keyof typeof losses, sites: ReadonlySet<string>): Fault {
  return onFirst(sites, () => ({ kind, struck: losses[kind] }));
}

export function refuseFirst(code: RefusalCode, sites: ReadonlySet<string>): Fault {
  return onFirst(sites, ({ n }) => refusal(code, n));
}

/** IDEM-4d: a permanent refusal, so every repeat is refused too. */
export function refuseAlways(code: RefusalCode, site: string): Fault {
  let refused: SentRequest | null = null;
  return {
    meet: (met) => {
      if (met.isFirst && met.site === site) refused = met;
      if (refused === null || met.operation !== refused.operation) return null;
      const again = met.site === site || sameRequest(refused, met);
      return again || sameButForReferences(refused, met) ? refusal(code, met.n) : null;
    },
  };
}

/** One write fails under any reference, without end. */
export function breakFor(site: Site, most: number): Fault {
  let broken = false;
  return {
    meet: ({ site: own, operation, n }) => {
      if (operation !== site.operation || own === null) return null;
      if (own === site.id) broken = true;
      // A write that the first run did not have may be this one under a new reference.
      const isNew = broken && Number(own.split('#')[1]) > site.of;
      return own === site.id || isNew ? refusal('internal_error', n) : null;
    },
    seenEnough: (calls) =>
      calls.filter((call) => call.struck !== null && call.site === site.id).length > most,
    // Seven tries with doubled waits take longer than a minute, and are right.
    needsMoreTime: () => broken,
  };
}

/** How long the 429 is held back, so that calls that were sent before it arrive first. */
const holdMs = 150;

/** LIM-6: the credential of the first call of each site is limited for so many seconds. */
export function limit(sites: ReadonlySet<string>, seconds: number): Fault {
  const untilMs = new Map<string, number>();
  const refuse = (n: number, waitS: number, held: number): Treatment => {
    const wait = String(waitS);
    const headers = {
      ...{ 'retry-after': wait, 'x-ratelimit-reset': wait },
      ...{ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' },
    };
    const response = problem('rate_limited', n, headers);
    return {
      kind: 'answer',
      struck: `answered 429 with Retry-After: ${wait}`,
      response,
      holdMs: held,
    };
  };
  return {
    meet: ({ site, isFirst, clientId, operation, n }, { nowMs }) => {
      const who = clientId ?? 'unknown';
      // AUTH-3c: token requests have a separate limit.
      if (operation === 'issueToken') return null;
      const now = nowMs();
      const leftMs = (untilMs.get(who) ?? 0) - now;
      if (leftMs > 0) return refuse(n, Math.ceil(leftMs / 1000), 0);
      if (!isFirst || site === null || !sites.has(site)) return null;
      untilMs.set(who, now + holdMs + seconds * 1000);
      return refuse(n, seconds, holdMs);
    },
  };
}

/** IDEM-14a: how long an attempt runs on after its connection was cut. */
export const runsOnMs = 3_000;

export function runOn(sites: ReadonlySet<string>): Fault {
  return inFlight(sites, runsOnMs, {
    kind: 'lose_answer',
    struck: 'the connection was cut while the attempt runs for 3 more seconds',
  });
}

/** The first response is the 409, and the repeat is served. */
export function meetInFlight(sites: ReadonlySet<string>): Fault {
  return inFlight(sites, 0, null);
}

function inFlight(sites: ReadonlySet<string>, lastMs: number, first: Treatment | null): Fault {
  const overAtMs = new Map<string, number>();
  const struck = 'answered 409 idempotency_in_flight: the earlier attempt is still running';
  return {
    meet: ({ site, isFirst, n }, { nowMs }) => {
      if (site === null || !sites.has(site)) return null;
      const refuse = (): Treatment => {
        return { kind: 'answer', struck, response: problem('idempotency_in_flight', n) };
      };
      if (!isFirst) return nowMs() < (overAtMs.get(site) ?? 0) ? refuse() : null;
      overAtMs.set(site, nowMs() + lastMs);
      return first ?? refuse();
    },
  };
}

/** ERR-2: a body that cannot be read is refused in plain text each time. */
export function refuseInText(site: string): Fault {
  let refused: SentRequest | null = null;
  // No status in the words: a client that prints one has read it from the status line.
  const response: ApiResponse = {
    status: 422,
    headers: [['content-type', 'text/plain; charset=utf-8']],
    body: 'The body could not be read: a member that is required is missing.\n',
  };
  return {
    meet: (met) => {
      if (met.isFirst && met.site === site) refused = met;
      const again = refused !== null && (met.site === site || sameRequest(refused, met));
      const struck = 'answered 422 in plain text instead of the platform';
      return again ? { kind: 'answer', struck, response } : null;
    },
  };
}

/** One call meets a gateway that has lost the platform. */
export function meetGateway(site: string): Fault {
  const head = '<head><title>Bad Gateway</title></head>';
  const page = '<center><h1>Bad Gateway</h1></center>\r\n<hr><center>nginx</center>';
  return onFirst(new Set([site]), () => ({
    kind: 'answer',
    struck: 'answered 502 with a page of HTML, as a gateway does',
    response: {
      status: 502,
      headers: [['content-type', 'text/html; charset=utf-8']],
      body: `<html>\r\n${head}\r\n<body>\r\n${page}\r\n</body>\r\n</html>\r\n`,
    },
  }));
}

const fields = ['language', 'country', 'last_name', 'first_name', 'status'] as const;

/** UPD-7: another client changes the account just before the client's own update arrives. */
export function overtake(site: string): Fault {
  return {
    meet: async ({ site: own, isFirst, target, headers, json, n }, { send, otherToken }) => {
      if (own !== site || !isFirst) return null;
      const tag = headers.find(([name]) => name.toLowerCase() === 'if-match')?.[1];
      if (tag === undefined) return null;
      const wanted = membersOf(json);
      // Another field, so that the client's own change is still a change.
      const field = fields.find((each) => !(each in wanted)) ?? fields[0];
      const { status } = await send({
        method: 'PATCH',
        target,
        headers: {
          authorization: `Bearer ${otherToken}`,
          'idempotency-key': `judge-${site}-${n}`,
          'if-match': tag,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ [field]: `changed-by-another-client-${n}` }),
      });
      if (status !== 200) return null;
      return { kind: 'serve', struck: 'another client updated the account just before it arrived' };
    },
  };
}

/** ACC-5, TXN-2: the same create runs just before under another key, so the client's gets 200. */
export function createBefore(sites: ReadonlySet<string>): Fault {
  return {
    meet: async ({ site, isFirst, method, target, headers, body, n }, { send }) => {
      if (site === null || !isFirst || !sites.has(site)) return null;
      const kept = headers.filter(([name]) => name.toLowerCase() !== 'idempotency-key');
      const own = { ...Object.fromEntries(kept), 'idempotency-key': `judge-${site}-${n}` };
      const { status } = await send({ method, target, headers: own, body });
      if (status !== 201 && status !== 200) return null;
      return { kind: 'serve', struck: 'its reference existed already' };
    },
  };
}

/** The token of a site's first call expires; only a token that the client has asked for can. */
export function expireAt(site: string): Fault {
  const expired = new Set<string>();
  return {
    meet: async ({ token, isIssued, isFirst, method, target, body, ...met }, { send }) => {
      if (token === null) return null;
      if (met.site === site && isFirst && isIssued && expired.size === 0) expired.add(token);
      if (!expired.has(token)) return null;
      const headers = { authorization: 'Bearer expired', 'idempotency-key': met.key ?? 'none' };
      const response = await send({ method, target, headers, body });
      return { kind: 'answer', struck: 'its token has expired', response };
    },
  };
}

/** What a later version may add; none of these members exists. */
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

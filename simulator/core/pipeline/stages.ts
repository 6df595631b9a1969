// The checks that every call passes. The first one that refuses decides.

import { defaultPort } from '../../../fixtures/constants.ts';
import { decodePercent } from '../../../fixtures/lenient.ts';
import type { OperationName, OperationRow } from '../../../fixtures/operations.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { Demand } from '../behaviour.ts';
import { type Cite, citesIf, type Decision, type Reply } from '../call.ts';
import { type Change, putAt } from '../change.ts';
import { readBody } from './body.ts';
import {
  callerOf,
  headerOf,
  operationOf,
  operationRowOf,
  type RequestContext,
  refusalReply,
  refuse,
  refuseUnnamed,
  type Stage,
  scopesOf,
} from './request-context.ts';

type Table = Readonly<Record<OperationName, OperationRow>>;

const compiled = new WeakMap<Table, ReturnType<typeof compileRoutes>>();

function routesOf(table: Table) {
  let routes = compiled.get(table);
  if (routes === undefined) {
    routes = compileRoutes(table);
    compiled.set(table, routes);
  }
  return routes;
}

function compileRoutes(table: Table) {
  /** Operations by method and path; patterns are only tried if the path is not found here. */
  const literal = new Map<string, OperationName>();
  const forms: { name: OperationName; method: string; form: RegExp }[] = [];
  for (const [name, { method, path: own, absent }] of Object.entries(table)) {
    if (absent === true) continue;
    const path = own.startsWith('/') ? own : `/api/v1/${own}`;
    if (!path.includes(':id')) literal.set(`${method} ${path}`, name as OperationName);
    const form = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(':id', '([^/]*)');
    forms.push({ name: name as OperationName, method, form: new RegExp(`^${form}$`) });
  }
  return { literal, forms };
}

function findRoute(context: RequestContext): Decision | null {
  const { behaviour, call, path } = context;
  const { literal, forms } = routesOf(behaviour.table);
  context.operation = literal.get(`${call.method} ${path}`) ?? null;
  if (context.operation !== null) return null;
  for (const { name, method, form } of forms) {
    const match = method === call.method ? form.exec(path) : null;
    if (match === null) continue;
    context.operation = name;
    const segment = match[1] ?? '';
    // Malformed percent-encoding is never an id; the operation refuses the text.
    context.pathId = segment.includes('%') ? (decodePercent(segment) ?? segment) : segment;
    return null;
  }
  return refuseRoute(context, methodsAt(behaviour.table, path));
}

/** The methods that this path accepts; none if the path is unknown. */
export function methodsAt(table: Table, path: string): readonly string[] {
  const { forms } = routesOf(table);
  return forms.filter(({ form }) => form.test(path)).map(({ method }) => method);
}

/** NS-31: an unknown path is an unknown record; a known path answers with its methods. */
function refuseRoute(context: RequestContext, allowed: readonly string[]): Decision {
  const { behaviour, path } = context;
  const { method } = context.call;
  const status = behaviour.settings.unknown_method_status;
  const isSlashed = path.endsWith('/') && methodsAt(behaviour.table, path.slice(0, -1)).length > 0;
  const place = path.startsWith('/api/v1/')
    ? 'All paths: /openapi.json.'
    : 'The API is at /api/v1.';
  const hint = isSlashed ? `Leave out the slash at the end: ${path.slice(0, -1)}.` : place;
  if (allowed.length === 0 || status === 404) {
    const detail = `There is nothing at ${method} ${path}. ${hint}`;
    return refuse(context, 'not_found', ['NS-31', 'ERR-1a'], detail);
  }
  const allow = [...new Set(allowed)].sort().join(', ');
  const detail = `${path} does not take ${method}. ${isSlashed ? hint : `It takes ${allow}.`}`;
  const problem = { status, title: 'Method not allowed', code: 'method_not_allowed', detail };
  return refuseUnnamed(context, problem, ['NS-31', 'ERR-1a'], { allow });
}

function readKey(context: RequestContext): Decision | null {
  if (!operationRowOf(context).key) return null;
  const { repeated_key: repeated } = context.behaviour.settings;
  const given = context.call.headers['idempotency-key'];
  const several = Array.isArray(given) && given.length > 1;
  // NS-58: the specification does not say which of them counts.
  if (several && repeated === 'refused') {
    const detail = 'Send one Idempotency-Key header, not several.';
    return refuseKey(context, detail, ['IDEM-1a', 'NS-58']);
  }
  const header = several && repeated === 'first' ? given[0] : headerOf(context, 'idempotency-key');
  context.key = context.behaviour.keys.parse(header);
  if (context.key !== null) return null;
  const trimmed = header?.trim() ?? '';
  const detail =
    header === undefined
      ? 'Send an Idempotency-Key header of 1 to 255 characters with every write.'
      : 'The Idempotency-Key header must have 1 to 255 characters besides surrounding spaces.';
  return refuseKey(context, detail, [
    trimmed === '' ? 'IDEM-1a' : 'IDEM-1b',
    ...citesIf(header !== undefined && header !== trimmed, 'IDEM-1c'),
    // Without a token the call is refused anyway, but the key is checked first.
    ...citesIf(context.call.headers.authorization === undefined, 'IDEM-1d'),
  ]);
}

const refuseKey = (context: RequestContext, detail: string, cites: readonly Cite[]): Decision =>
  refuse(context, 'idempotency_key_required', cites, detail, 'Idempotency-Key');

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

/** The token of a call: from the header, or on the events channel also from the query (NS-12). */
export function tokenText(context: RequestContext): string | null {
  const header = headerOf(context, 'authorization');
  const fromHeader = header === undefined ? null : (bearer.exec(header)?.[1] ?? null);
  if (fromHeader !== null || context.operation !== 'streamEvents') return fromHeader;
  return context.query.get('access_token');
}

/** The command that prints tokens, for the port that this call was sent to. */
function infoCommand(context: RequestContext): string {
  const port = Number(/:(\d{1,5})$/.exec(headerOf(context, 'host') ?? '')?.[1] ?? defaultPort);
  return `\`npx sandbox info${port === defaultPort ? '' : ` --port ${port}`}\``;
}

function authenticate(context: RequestContext): Decision | null {
  if (operationRowOf(context).auth !== 'bearer') return null;
  const text = tokenText(context);
  if (text === null) {
    const detail = `Send Authorization: Bearer TOKEN; ${infoCommand(context)} prints tokens.`;
    return refuseToken(context, detail);
  }
  const token = context.world.tokens.get(text);
  if (token === undefined) {
    const command = infoCommand(context);
    return refuseToken(
      context,
      `This access token is not known here: ${command} prints those that are.`,
    );
  }
  if (token.expires_at_ms !== null && token.expires_at_ms <= context.atMs) {
    return refuseToken(context, 'This access token has expired. Get a new one.');
  }
  context.token = token;
  context.credential = context.world.credentials.get(token.client_id) ?? null;
  if (context.credential !== null) return null;
  return refuseToken(context, 'The credential of this access token no longer exists.');
}

/** AUTH-1, NS-16: the specification names no status; RFC 6750 requires this header. */
export function refuseToken(context: RequestContext, detail: string): Decision {
  const { unauthorized_status: status, unauthorized_code: code } = context.behaviour.settings;
  const problem = { status, title: 'Unauthorized', code, detail };
  return refuseUnnamed(context, problem, ['AUTH-1', 'NS-16'], { 'www-authenticate': 'Bearer' });
}

function drawAllowance(context: RequestContext): Decision | null {
  if (context.credential === null) return null;
  const { limits } = context.behaviour;
  const demands = limits.demands(context);
  const cost = limits.cost(context);
  const draws: Change[] = [];
  let short: Demand | null = null;
  let waitMs = 0;
  for (const demand of demands) {
    const { bucket, rate } = demand;
    const level = limits.level(context.world.buckets.get(bucket), rate, context.atMs);
    if (demand === demands[0]) {
      context.allowance = rate;
      context.allowanceLeft = Math.max(0, Math.floor((level - cost) / 1000));
    }
    if (level < cost) {
      short ??= demand;
      // A bucket fills by `rate` thousandths of a request per millisecond.
      waitMs = Math.max(waitMs, Math.ceil((cost - level) / rate));
    }
    draws.push(putAt('buckets', bucket, { units: level - cost, atMs: context.atMs }));
  }
  // LIM-3: served only if both have room. LIM-5: a refused call draws from neither.
  if (short !== null) return refuseRate(context, short, waitMs);
  context.changes.push(...draws);
  return null;
}

function refuseRate(context: RequestContext, short: Demand, waitMs: number): Decision {
  context.allowanceLeft = 0;
  const { credential, call } = context;
  const isFirms = short.bucket.startsWith('firm:');
  const whose = isFirms ? 'The firm' : 'This credential';
  const many = `${short.rate} ${short.rate === 1 ? 'request' : 'requests'} a second`;
  const detail = `${whose} may send ${many}. Wait as Retry-After says, with some jitter.`;
  const own: Cite = credential?.rate_per_second == null ? 'LIM-1' : 'LIM-4';
  const cites: readonly Cite[] = [
    isFirms ? 'LIM-3' : own,
    'LIM-2',
    ...citesIf(credential?.minted_by != null && !isFirms, 'LIM-10'),
    ...citesIf(call.method === 'GET', 'LIM-11'),
    'LIM-5',
    'LIM-6',
  ];
  return { reply: rateRefusal(context, waitMs, detail), changes: [], cites };
}

/** LIM-6: the answer to a limited request, also when a fault orders it. */
export function rateRefusal(context: RequestContext, waitMs: number, detail: string): Reply {
  const { limits } = context.behaviour;
  const rate = context.allowance ?? limits.tokenRequests;
  const headers = limits.headers(rate, waitMs);
  return { ...refusalReply(context, 'rate_limited', detail), headers };
}

function findReplay(context: RequestContext): Decision | null {
  if (!operationRowOf(context).key) return null;
  const { keys } = context.behaviour;
  const operation = operationOf(context);
  const subject = keys.subjects[operation];
  if (subject === undefined) throw new Error(`no idempotency subject for ${operation}`);
  context.subject = subject(context);
  context.keyId = keys.id(context);
  const record = keys.find(context.world, context.keyId, context.atMs);
  if (record === undefined) {
    context.idempotency = 'first';
    return null;
  }
  context.firstCall = record.firstCall;
  if (record.reply === null) {
    context.idempotency = 'in_flight';
    const detail =
      'An attempt with this key is still running. Repeat the same request in a moment.';
    return refuse(context, 'idempotency_in_flight', ['IDEM-14a', 'IDEM-15'], detail);
  }
  context.idempotency = 'replayed';
  return {
    reply: keys.replay(record.reply, context),
    changes: [],
    cites: [
      ...(['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-8', 'NS-29'] as const),
      ...citesIf(record.reply.status >= 400, 'IDEM-4d', 'IDEM-11'),
    ],
  };
}

function checkScope(context: RequestContext): Decision | null {
  const row = operationRowOf(context);
  if (row.auth !== 'bearer') return null;
  const credential = callerOf(context);
  const detail = 'This token was minted read-only. Use one that may write.';
  const readOnly =
    row.writes && credential.read_only
      ? refuse(context, 'read_only_credential', ['AUTH-2', 'NS-57'], detail)
      : null;
  const unscoped = refuseScope(context, row);
  // NS-57: report `read_only_credential` first, because adding a scope would not help.
  const { read_only_before_scope: isFirst } = context.behaviour.settings;
  const [first, second] = isFirst ? [readOnly, unscoped] : [unscoped, readOnly];
  return first ?? second ?? refuseByFirm(context, operationOf(context));
}

function refuseScope(
  context: RequestContext,
  { scopes: wanted, scopeRule }: OperationRow,
): Decision | null {
  if (wanted.length === 0) return null;
  const held = scopesOf(context);
  if (wanted.some((scope) => held.includes(scope))) return null;
  const detail = `This needs the scope ${wanted.join(' or ')}.`;
  return refuse(context, 'forbidden', [scopeRule ?? 'AUTH-4', 'AUTH-4'], detail);
}

/** AUTH-8: also checked for an operation that runs as part of another (BULK-3). */
export function refuseByFirm(context: RequestContext, operation: OperationName): Decision | null {
  const firm = context.world.firms.get(callerOf(context).firm_id);
  if (firm?.permissions[operation] !== false) return null;
  return refuse(context, 'forbidden', ['AUTH-8'], `The firm may not use ${operation} any more.`);
}

/** By name; NS-17 says in which order they run. */
export const stages: Readonly<Record<Settings['check_order'][number], Stage['decide']>> = {
  route: findRoute,
  key: readKey,
  token: authenticate,
  rate: drawAllowance,
  readable: readBody,
  replay: findReplay,
  scope: checkScope,
};

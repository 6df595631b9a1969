// A small stand-in for the platform, in process, into which tests plant one defect: accounts,
// batches, keys, a control plane.
import type { FetchLike } from '../send/sender.ts';

interface FakeAccount {
  readonly id: string;
  readonly reference: string;
  readonly email: string;
  readonly shown: Record<string, unknown>;
}

interface FakeWorld {
  readonly tokens: Map<string, { scopes: string[]; brandId: string | null }>;
  readonly accounts: FakeAccount[];
  readonly keys: Map<string, { status: number; body: string; headers: Record<string, string> }>;
}

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly headers: globalThis.Headers;
  readonly text: string;
}

export interface FakeReply {
  readonly status: number;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** Bends the reply of one call; undefined lets it through as it is. Null cuts the connection. */
export type Defect = (call: FakeCall, reply: FakeReply) => FakeReply | null | undefined;

export const FAKE_BASE_URL = 'http://fake.test';
export const FAKE_CONTROL_URL = `${FAKE_BASE_URL}/_sandbox`;

/**
 * Serves `createAccount`, `bulkCreateAccounts` and just enough of the control plane to play them.
 */
export class FakeTarget {
  readonly fetch: FetchLike;
  readonly calls: FakeCall[] = [];
  worldsMade = 0;
  worldsDropped = 0;
  readonly #root: FakeWorld = newWorld();
  readonly #worlds = new Map<string, FakeWorld>();
  #ids = 1000;
  #requests = 0;

  constructor(defect: Defect = () => undefined) {
    this.fetch = async (request) => {
      const url = new URL(request.url);
      const text = await request.text();
      const path = url.pathname + url.search;
      const call = { method: request.method, path, headers: request.headers, text };
      if (path.startsWith('/_sandbox')) return this.#control(call);
      this.calls.push(call);
      const reply = this.#reply(call);
      const bent = defect(call, reply);
      if (bent === null) throw new TypeError('fetch failed');
      const { status, body, headers } = bent ?? reply;
      return new Response(body, { status, headers });
    };
  }

  #control(call: FakeCall): Response {
    const steps = call.path.slice('/_sandbox/'.length).split('/');
    let world = this.#root;
    if (steps[0] === 'worlds' && steps.length > 2) {
      world = this.#worlds.get(steps[1]!)!;
      steps.splice(0, 2);
    }
    const body = call.text === '' ? {} : JSON.parse(call.text);
    if (steps[0] === 'health') return json(200, { status: 'ready' });
    if (steps[0] === 'worlds' && call.method === 'DELETE') {
      this.worldsDropped += 1;
      this.#worlds.delete(steps[1]!);
      return json(200, {});
    }
    if (steps[0] === 'worlds') {
      this.worldsMade += 1;
      const name = `w${this.worldsMade}`;
      this.#worlds.set(name, newWorld());
      return json(201, { name });
    }
    if (steps[0] === 'credentials') {
      this.#ids += 1;
      const token = `token-of-${body.name}-${this.#ids}`;
      world.tokens.set(token, { scopes: body.scopes, brandId: body.brand_id ?? null });
      return json(201, {
        ...body,
        token,
        client_id: `client-${this.#ids}`,
        client_secret: 'secret-of-a-client',
      });
    }
    if (steps[0] === 'firms') return json(200, body);
    return json(404, { code: 'not_found' });
  }

  #reply(call: FakeCall): FakeReply {
    this.#requests += 1;
    const requestId = `req-${this.#requests}`;
    const stamp = (reply: FakeReply) => ({
      ...reply,
      headers: { ...reply.headers, 'x-request-id': requestId },
    });
    const refuse = (status: number, code: string, detail = code) =>
      stamp(problem(status, code, detail, requestId));
    const token = (call.headers.get('authorization') ?? '').replace(/^Bearer /, '');
    const world = [this.#root, ...this.#worlds.values()].find((each) => each.tokens.has(token));
    const credential = world?.tokens.get(token);
    if (world === undefined || credential === undefined) return refuse(401, 'unauthorized');
    const key = call.headers.get('idempotency-key')?.trim() ?? '';
    if (key === '' || key.length > 255) return refuse(400, 'idempotency_key_required');
    if (!credential.scopes.includes('accounts:write')) return refuse(403, 'forbidden');
    const body = JSON.parse(call.text);
    const subject = `${token}|${key}|${JSON.stringify(body.accounts ?? body.client_reference_id)}`;
    const kept = world.keys.get(subject);
    if (kept !== undefined) return stamp(kept);
    const reply = call.path.endsWith('/bulk')
      ? this.#bulk(world, credential.brandId, body.accounts, requestId)
      : this.#create(world, body, requestId);
    world.keys.set(subject, reply);
    return stamp(reply);
  }

  #create(world: FakeWorld, row: Record<string, string>, requestId: string): FakeReply {
    if (typeof row.client_reference_id !== 'string' || typeof row.email !== 'string') {
      return { status: 422, body: 'unreadable', headers: { 'content-type': 'text/plain' } };
    }
    if (row.client_reference_id.length > 255) {
      return problem(422, 'validation_failed', 'too long', requestId);
    }
    const reference = row.client_reference_id.toLowerCase();
    const known = world.accounts.find((each) => each.reference === reference);
    if (known !== undefined) return shown(200, known);
    if (!row.email.includes('@')) return problem(422, 'validation_failed', 'email', requestId);
    if (world.accounts.some((each) => each.email === row.email)) {
      return problem(409, 'invalid_state', 'email exists', requestId);
    }
    this.#ids += 1;
    const id = String(this.#ids);
    const { email, ...rest } = row;
    const account = { id, reference, email, shown: { id, revision: 1, ...rest, status: 'New' } };
    world.accounts.push(account);
    return shown(201, account);
  }

  #bulk(
    world: FakeWorld,
    brandId: string | null,
    rows: Record<string, string>[],
    requestId: string,
  ): FakeReply {
    if (rows.length === 0) return problem(422, 'validation_failed', 'no rows', requestId);
    if (rows.length > 1000) return problem(413, 'scope_too_wide', 'too many rows', requestId);
    for (const [index, row] of rows.entries()) {
      const lacking = row.client_reference_id === undefined;
      const named = row.brand_id ?? brandId;
      const foreign = brandId === null ? named === OTHER_FIRMS_BRAND : named !== brandId;
      if (lacking)
        return problem(422, 'validation_failed', `row ${index}: no reference`, requestId);
      if (foreign) return problem(403, 'forbidden', `row ${index}: another brand`, requestId);
    }
    const entries = rows.map((row) => {
      const { status, body } = this.#create(world, row, requestId);
      const said = JSON.parse(body);
      const { code = null, detail = null, id = null } = said;
      return { client_reference_id: row.client_reference_id, status, id, code, detail };
    });
    const created = entries.filter((each) => each.id !== null).length;
    const result = { total: rows.length, created, failed: rows.length - created, rows: entries };
    return { status: 200, body: JSON.stringify(result), headers: JSON_TYPE };
  }
}

const OTHER_FIRMS_BRAND = '20';
const JSON_TYPE = { 'content-type': 'application/json' };

function newWorld(): FakeWorld {
  return { tokens: new Map(), accounts: [], keys: new Map() };
}

function shown(status: number, account: FakeAccount): FakeReply {
  return { status, body: JSON.stringify(account.shown), headers: { ...JSON_TYPE, etag: '"1"' } };
}

function problem(status: number, code: string, detail: string, requestId: string): FakeReply {
  const type = `https://docs.example.com/errors/${code}`;
  const body = { type, title: code, status, code, detail, request_id: requestId, errors: [] };
  const headers = { 'content-type': 'application/problem+json' };
  return { status, body: JSON.stringify(body), headers };
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: JSON_TYPE });
}

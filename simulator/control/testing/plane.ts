// A sandbox with its control plane for tests: no socket, a frozen clock, deliveries recorded in a
// list.

import { validate } from '../../../fixtures/schemas/validate.ts';
import { defaultWorld } from '../../../fixtures/worlds/built-in.ts';
import type { DeliveryOutcome, DeliveryRequest } from '../../host/delivery/deliverer.ts';
import { Sandbox, type SandboxHostOptions } from '../../host/world/sandbox.ts';
import { type ControlPlane, controlPlane } from '../../transports/control.ts';
import { fetchCall } from '../../transports/fetch.ts';
import { rows } from '../all-rows.ts';
import type { ControlPlaneOptions } from '../plane.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are validated against their schemas first.
type Answer = any;

export interface PlaneAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

export interface TestPlane {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  /** Every delivery that was sent, in order. */
  readonly sent: DeliveryRequest[];
  /** How receivers respond from now on. */
  receiver: (request: DeliveryRequest) => DeliveryOutcome | Promise<DeliveryOutcome>;
  /** Sends a request to the plane; throws if the response does not match the schema of its row. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<PlaneAnswer>;
  /** Calls the API with a credential of the first world, or with a token. */
  readonly call: (
    who: string,
    method: string,
    path: string,
    more?: CallOptions,
  ) => Promise<PlaneAnswer>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const startMs = Date.UTC(2026, 2, 2, 12);

export interface TestPlaneOptions {
  readonly options?: Partial<SandboxHostOptions>;
  readonly plane?: Omit<ControlPlaneOptions, 'sandbox'>;
}

type Hook = (run: (place: TestPlane) => Promise<void>) => void;

/** Gives each test of a suite its own plane. */
export function withPlane(tests: { before: { each: Hook }; after: { each: Hook } }): void {
  tests.before.each(async (place) => {
    await createTestPlane({}, place);
  });
  tests.after.each(({ sandbox }) => sandbox.close());
}

export async function createTestPlane(
  { options = {}, plane: more = {} }: TestPlaneOptions = {},
  place = {} as TestPlane,
): Promise<TestPlane> {
  const sent: DeliveryRequest[] = [];
  const sandbox = await Sandbox.create({
    worldName: 'default',
    fixture: defaultWorld,
    seed: '1',
    clock: { mode: 'frozen', nowMs: startMs },
    plan: 'sandbox',
    deliverer: {
      deliver: async (request) => {
        sent.push(request);
        return place.receiver(request);
      },
      resolve: async () => ['93.184.216.34'],
      close: async () => undefined,
    },
    ...options,
  });
  const plane = controlPlane({ sandbox, ...more });
  let keys = 0;
  return Object.assign(place, {
    sandbox,
    plane,
    sent,
    receiver: () => ({ status: 204, error: null }),
    ask: async (method, path, body) => {
      const response = await plane.fetch(requestOf(method, `_sandbox/${path}`, body));
      const result = await readAnswer(response);
      assertMatchesSchema(method, path, result);
      return result;
    },
    call: (who, method, path, { body, key, headers = {} } = {}) => {
      keys += 1;
      const request = requestOf(method, `api/v1/${path}`, body, {
        authorization: `Bearer ${tokenOf(sandbox, who)}`,
        'idempotency-key': key ?? `key-${keys}`,
        ...headers,
      });
      return fetchCall(sandbox, request).then(readAnswer);
    },
  } satisfies TestPlane);
}

/** Counts the streams that follow the first world from now on. */
export function countFollowers({ sandbox: { first } }: TestPlane): () => number {
  let count = 0;
  const { listen } = first;
  first.listen = (listener) => {
    const stop = listen.call(first, listener);
    count += 1;
    return () => {
      count -= 1;
      return stop();
    };
  };
  return () => count;
}

function tokenOf(sandbox: Sandbox, who: string): string {
  for (const { token, client_id: clientId } of sandbox.first.world.tokens.values()) {
    if (sandbox.first.world.credentials.get(clientId)?.name === who) return token;
  }
  return who;
}

function requestOf(
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Request {
  if (body === undefined) return new Request(`http://sandbox/${path}`, { method, headers });
  return new Request(`http://sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function readAnswer(response: Response): Promise<PlaneAnswer> {
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status, headers, body: response.body };
  }
  const text = await response.text();
  const isJson = headers.get('content-type')?.includes('json');
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

/** Rows declare their responses; every test validates them. */
function assertMatchesSchema(method: string, path: string, { status, body }: PlaneAnswer): void {
  const segments = (path.split('?')[0] ?? '').replace(/^worlds\/[^/]+\/(?=.)/, '').split('/');
  const row = rows.find(
    (each) =>
      each.method === method &&
      each.segments.length === segments.length &&
      each.segments.every((part, at) => part.startsWith('{') || part === segments[at]),
  );
  if (status >= 400) {
    if (typeof body?.detail === 'string' && body.status === status) return;
    throw new Error(`${method} ${path}: ${status} is no problem: ${JSON.stringify(body)}`);
  }
  const expected = row?.status ?? ((row?.answer ?? row?.stream) ? 200 : 204);
  if (row === undefined || expected !== status) throw new Error(`${method} ${path}: ${status}`);
  const problems = row.answer === undefined ? [] : validate(row.answer, body, 'body');
  if (problems.length > 0) {
    throw new Error(`${method} ${path}: ${JSON.stringify(problems)} in ${JSON.stringify(body)}`);
  }
}

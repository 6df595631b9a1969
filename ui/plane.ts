// The control plane, its stream, and the API, as the page calls them.
import type { CredentialShown } from '../simulator/control/records.ts';
import { parseJson } from './format.ts';
import { firstWorld } from './route.ts';

const tokenKey = 'sandbox-control-token';

/** Keeps the token of `--control-token` for this tab. */
export const keepToken = (token: string) => sessionStorage.setItem(tokenKey, token);

function authorization(): Record<string, string> {
  const token = sessionStorage.getItem(tokenKey);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** A refusal with an actionable message. Status 0: there was no response. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Plane {
  readonly world: string;
  readonly url: (path: string) => string;
  readonly text: (path: string) => Promise<string>;
  readonly get: <T>(path: string) => Promise<T>;
  readonly send: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

export function planeOf(world: string): Plane {
  const base = world === firstWorld ? '' : `worlds/${encodeURIComponent(world)}/`;
  const url = (path: string) => `/_sandbox/${base}${path}`;
  const text = async (path: string) => textOf(await send(url(path), { headers: authorization() }));
  return {
    world,
    url,
    text,
    get: async <T>(path: string) => JSON.parse(await text(path)) as T,
    send: async <T>(method: string, path: string, body?: unknown) => {
      const headers = { ...authorization(), ...(body === undefined ? {} : json) };
      const response = await send(url(path), { method, headers, ...bodyOf(body) });
      return (parseJson(await textOf(response)) ?? null) as T;
    },
  };
}

/** The control plane of the process: it knows all worlds. */
export const wholePlane = planeOf(firstWorld);

const json = { 'content-type': 'application/json' };
const bodyOf = (body: unknown) =>
  body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new RefusedError(response.status, detailOf(text, response.status));
  return text;
}

/** Rejects with a message if there is no response. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    // A browser reports no reason for the failure.
    if (error instanceof TypeError) throw new RefusedError(0, 'The sandbox does not respond.');
    throw error;
  }
}

function detailOf(text: string, status: number): string {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown };
  if (typeof detail === 'string') return detail;
  return text.trim() === '' ? `The response is ${status}.` : text.slice(0, 300);
}

export interface ApiCall {
  readonly token: string;
  readonly method: string;
  /** Path and query, from `/api/v1/` on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls the API as a client does, with a fresh idempotency key. */
export function sendApi({ token, method, path, headers, body }: ApiCall): Promise<Response> {
  const all = {
    authorization: `Bearer ${token}`,
    ...(method === 'GET' ? {} : { 'idempotency-key': freshKey() }),
    ...(body === undefined ? {} : json),
    ...headers,
  };
  return send(path, { method, headers: all, ...bodyOf(body) });
}

/** Calls the API; a refusal rejects with the problem's message. */
export async function callApi<T>(call: ApiCall): Promise<T> {
  return (parseJson(await textOf(await sendApi(call))) ?? null) as T;
}

export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The token of a credential with permission for a record; a firm-wide one if possible. */
export async function tokenFor(
  plane: Plane,
  record: { readonly firm_id: string; readonly brand_id: string | null },
  ...scopes: readonly string[]
): Promise<string> {
  const { credentials } = await plane.get<{ credentials: CredentialShown[] }>('credentials');
  const fitting = credentials.filter(
    ({ token, kind, firm_id, brand_id, scopes: own }) =>
      token !== null &&
      kind === 'server' &&
      firm_id === record.firm_id &&
      (brand_id === null || brand_id === record.brand_id) &&
      scopes.every((scope) => own.includes(scope)),
  );
  const found = fitting.find(({ brand_id }) => brand_id === null) ?? fitting[0];
  if (found?.token) return found.token;
  const needed = scopes.join(' and ');
  throw new RefusedError(403, `No credential of the firm has ${needed} and a token: make one.`);
}

export interface StreamItem {
  readonly kind: string;
  readonly value: unknown;
}

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'lost' }
  | { readonly state: 'refused'; readonly status: number; readonly why: string };

export interface StreamReader {
  readonly onItem: (item: StreamItem) => void;
  readonly onConnection: (connection: Connection) => void;
}

const firstWaitMs = 400;
const longestWaitMs = 5000;
/** The plane sends a heartbeat every 15 s; after three missing ones the connection is dead. */
const silenceMs = 50_000;

/** Follows a world's stream and reconnects automatically; returns a function to stop. */
export function followStream(plane: Plane, reader: StreamReader): () => void {
  const ending = new AbortController();
  void keepFollowing(plane, reader, ending.signal);
  return () => ending.abort();
}

async function keepFollowing(plane: Plane, reader: StreamReader, end: AbortSignal) {
  let waitMs = firstWaitMs;
  while (!end.aborted) {
    const outcome = await followOnce(plane, reader, end);
    if (end.aborted) return;
    const isRefused = outcome.state === 'refused' && outcome.status !== 503;
    reader.onConnection(isRefused ? outcome : { state: 'lost' });
    if (isRefused && outcome.status === 401) return;
    if (outcome.state === 'live') waitMs = firstWaitMs;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(longestWaitMs, waitMs * 1.6);
  }
}

/** One connection, from its beginning to its end. EventSource cannot send the control token. */
async function followOnce(
  plane: Plane,
  reader: StreamReader,
  end: AbortSignal,
): Promise<Connection> {
  const silence = new AbortController();
  const signal = AbortSignal.any([end, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await fetch(plane.url('stream'), { headers: authorization(), signal });
    if (!response.ok || response.body === null) {
      const why = detailOf(await response.text(), response.status);
      return { state: 'refused', status: response.status, why };
    }
    reader.onConnection({ state: 'live' });
    let rest = '';
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return { state: 'live' };
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      const frames = (rest + value).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) readFrame(frame, reader.onItem);
    }
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
    return { state: 'lost' };
  } finally {
    clearTimeout(timer);
  }
}

function readFrame(frame: string, onItem: (item: StreamItem) => void): void {
  const kind = /^event: (.*)$/m.exec(frame)?.[1];
  const text = /^data: (.*)$/m.exec(frame)?.[1];
  if (kind !== undefined && text !== undefined) onItem({ kind, value: JSON.parse(text) });
}

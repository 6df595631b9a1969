// The control plane as methods: one for each row by its name, and a generic form for any path.
import type { Readable } from 'node:stream';
import type { RowTypes } from '../control/all-rows.ts';
import type { Plane } from '../control/plane.ts';
import type { ControlReply } from '../control/reply.ts';
import { controlPrefix, type Row, type StreamedNotice } from '../control/row.ts';
import { closedMessage } from './waits.ts';

/** An error of the control plane: which arguments are invalid, by field. A TypeError, as elsewhere. */
export class ControlError extends TypeError {
  override readonly name = 'ControlError';
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

type Method<Given, Answer> = keyof Given extends never
  ? () => Promise<Answer>
  : Record<never, never> extends Given
    ? (options?: Given) => Promise<Answer>
    : (options: Given) => Promise<Answer>;

/**
 * The rows of the control plane by the names of its description. Each takes the parts of its path,
 * query and body as members of one object.
 */
export type ControlRows = {
  readonly [N in keyof RowTypes]: Method<RowTypes[N]['given'], RowTypes[N]['answer']>;
};

/** Any row by method and path; resolves to its JSON, or to null if it has none. */
export type ControlCall = (method: string, path: string, body?: unknown) => Promise<unknown>;

export type SandboxControl = ControlRows & ControlCall;

export interface ControlledWorld {
  /** null: the first world. */
  readonly name: string | null;
  readonly plane: Plane;
  readonly token: string | undefined;
  readonly isClosed: () => boolean;
}

export function controlOf({ name, plane, token, isClosed }: ControlledWorld): SandboxControl {
  const call: ControlCall = async (method, path, body) => {
    if (isClosed()) throw new Error(closedMessage);
    const reply = await plane.handle({
      method,
      target: `${controlPrefix}/${pathIn(name, path)}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      base: 'http://localhost',
      read: async () => Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    });
    return readReply(reply);
  };
  const methods = plane.rows.map((row) => {
    const invoke = (given: Given = {}) => {
      const { path, body } = requestOf(row, given);
      return call(row.method, path, body);
    };
    return [row.name, invoke];
  });
  return Object.assign(call, Object.fromEntries(methods) as ControlRows);
}

type Given = Readonly<Record<string, unknown>>;

/** Path, query and body of a row, from the members of one object. */
function requestOf({ method, path, params, query }: Row, given: Given) {
  const rest = { ...given };
  const take = (name: string) => {
    const { [name]: value } = rest;
    delete rest[name];
    return String(value);
  };
  const filled = params.reduce(
    (text, name) => text.replace(`{${name}}`, () => encodeURIComponent(take(name))),
    path,
  );
  // A GET has no body: an unknown member is refused as a parameter.
  const names = Object.keys(method === 'GET' ? rest : query.properties);
  const search = new URLSearchParams(
    names.filter((name) => rest[name] !== undefined).map((name) => [name, take(name)]),
  );
  return { path: `${filled}?${search}`, body: rest };
}

async function readReply({ status, headers, body }: ControlReply): Promise<unknown> {
  if (headers['content-type']?.startsWith('text/event-stream')) {
    return readEventStream(body as Readable);
  }
  let text = '';
  if (typeof body === 'string') text = body;
  else for await (const piece of body) text += piece;
  const json = text === '' ? null : (JSON.parse(text) as unknown);
  if (status < 400) return json;
  throw new ControlError(status, (json as { readonly detail: string }).detail);
}

/** A path as the description lists it, with or without a leading slash. */
function pathIn(name: string | null, path: string): string {
  const bare = path.replace(/^\/(?:_sandbox\/)?/, '');
  // Worlds are rows of the whole plane, so they have no world prefix.
  const isOuter = name === null || /^worlds(?:[/?]|$)/.test(bare);
  return isOuter ? bare : `worlds/${encodeURIComponent(name)}/${bare}`;
}

/** Ends with the stream; leaving the loop ends the stream. */
async function* readEventStream(pieces: Readable): AsyncGenerator<StreamedNotice, void> {
  // Each piece contains whole frames.
  for await (const piece of pieces) {
    for (const frame of String(piece).split('\n\n')) {
      const event = /^event: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}

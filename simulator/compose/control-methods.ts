// The control plane as methods: one for each row by its name, and a generic form for any path.
import type { RowTypes } from '../control/all-rows.ts';
import { controlPrefix, type Row, type StreamedNotice } from '../control/row.ts';
import type { ControlPlane } from '../transports/control.ts';
import { closedMessage } from './waits.ts';

/** An error of the control plane: what was wrong with the arguments, by field. */
export class ControlError extends Error {
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
    ? (given?: Given) => Promise<Answer>
    : (given: Given) => Promise<Answer>;

/**
 * The rows of the control plane by the names that its description gives them. Each takes parts of
 * the path, of the query and of the body as members of one object.
 */
export type ControlRows = {
  readonly [N in keyof RowTypes]: Method<RowTypes[N][0], RowTypes[N][1]>;
};

/** Any row by method and path; resolves to its JSON, to null where there is none. */
export type ControlCall = (method: string, path: string, body?: unknown) => Promise<unknown>;

export type SandboxControl = ControlRows & ControlCall;

export interface ControlledWorld {
  /** null: the first one. */
  readonly name: string | null;
  readonly plane: ControlPlane;
  readonly rows: readonly Row[];
  readonly token: string | undefined;
  readonly isClosed: () => boolean;
}

export function controlOf(world: ControlledWorld): SandboxControl {
  const call: ControlCall = async (method, path, body) => {
    if (world.isClosed()) throw new Error(closedMessage);
    return send(world, method, path, body);
  };
  const methods = world.rows.map((row) => [
    row.name,
    (given: Given = {}) => {
      const { path, body } = spread(row, given);
      return call(row.method, path, body);
    },
  ]);
  return Object.assign(call, Object.fromEntries(methods) as ControlRows);
}

type Given = Readonly<Record<string, unknown>>;

/** Parts that the path names go there, then the query's; whatever is left is the body. */
function spread({ segments, query = {}, method }: Row, given: Given) {
  const rest = new Map(Object.entries(given));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const path = segments.map((part) =>
    part.startsWith('{') ? encodeURIComponent(String(take(part.slice(1, -1)))) : part,
  );
  const asked = new URLSearchParams();
  // A GET has no body: what is no parameter is refused there by its name.
  for (const name of method === 'GET' ? [...rest.keys()] : Object.keys(query)) {
    const value = take(name);
    if (value !== undefined) asked.set(name, String(value));
  }
  const search = asked.size === 0 ? '' : `?${asked}`;
  const body = rest.size === 0 ? undefined : Object.fromEntries(rest);
  return { path: `${path.join('/')}${search}`, body };
}

async function send(world: ControlledWorld, method: string, path: string, body: unknown) {
  const { plane, token } = world;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  const request = new Request(`http://localhost${controlPrefix}/${pathIn(world, path)}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await plane.fetch(request);
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return readEventStream(response.body as ReadableStream<Uint8Array>);
  }
  const text = await response.text();
  const json = text === '' ? null : (JSON.parse(text) as unknown);
  if (response.ok) return json;
  const detail = (json as { detail?: string } | null)?.detail ?? `status ${response.status}`;
  throw new ControlError(response.status, detail);
}

/** As the description lists paths, with a slash before them, or without. */
function pathIn({ name }: ControlledWorld, path: string): string {
  const bare = path.replace(/^\/(?:_sandbox\/)?/, '');
  // Worlds are rows of the whole plane: no world has them.
  const isOuter = name === null || /^worlds(?:[/?]|$)/.test(bare);
  return isOuter ? bare : `worlds/${encodeURIComponent(name)}/${bare}`;
}

/** Ends with the stream; leaving the loop ends the stream. */
async function* readEventStream(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamedNotice, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const event = /^event: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}

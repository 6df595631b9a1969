// The control plane: finds the world and the row that a request names, validates the input, and
// calls the handler of the row.

import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { decodePercent } from '../../fixtures/lenient.ts';
import { object, type Schema } from '../../fixtures/schemas/kit.ts';
import { type FieldProblem, validate } from '../../fixtures/schemas/validate.ts';
import { readJson } from '../host/bodies/json.ts';
import { firstWorldName, type Sandbox } from '../host/world/sandbox.ts';
import { UnkeptInputError } from '../host/world/world-host.ts';
import { rows } from './all-rows.ts';
import { controlDocument } from './document.ts';
import { answer, type ControlReply, found, problem, Refusal, refuseInvalid } from './reply.ts';
import { controlPrefix, type Row } from './row.ts';

/** A request whose body is read only if its head is valid. */
export interface ControlRequest {
  readonly method: string;
  /** Path and query, for example `/_sandbox/clock`. */
  readonly target: string;
  /** Names are lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address under which the caller knows this server. */
  readonly base: string;
  /** The body; null if it is larger than `maxBytes`. */
  readonly read: (maxBytes: number) => Promise<Uint8Array | null>;
}

export interface ControlPlaneOptions {
  readonly sandbox: Sandbox;
  /** Required as a bearer token with every request; none by default. */
  readonly token?: string | undefined;
  /** Set by `--forward-to`. */
  readonly subscription?: Readonly<Record<string, unknown>> | null;
}

export class Plane {
  readonly sandbox: Sandbox;
  readonly rows = rows;
  readonly options: ControlPlaneOptions;
  readonly #onClose = new Set<() => void>();

  constructor(options: ControlPlaneOptions) {
    this.sandbox = options.sandbox;
    this.options = options;
  }

  /** Answers one request; never rejects. */
  async handle(request: ControlRequest): Promise<ControlReply> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      if (error instanceof UnkeptInputError) return problem(500, error.message);
      // A broken invariant: printed, and answered.
      process.stderr.write(`control plane failure: ${(error as Error).stack ?? error}\n`);
      return problem(500, 'The simulator itself failed here; please report this.');
    }
  }

  async #answer(request: ControlRequest): Promise<ControlReply> {
    const { token } = this.options;
    if (token !== undefined) requireToken(request, token);
    const [path = '', ...search] = request.target.split('?');
    const { row, ...place } = this.#find(request.method, path);
    checkBodyHead(row, request);
    const query = parseQuery(row, search.join('?'));
    const body = await readBody(row, request);
    const value = await row.run({ plane: this, ...place, base: request.base, query, body });
    if (row.stream === true) return { status: 200, headers: streamed, body: value as Readable };
    if (value === undefined) return { status: 204, headers: {}, body: '' };
    return answer(value, row.status);
  }

  /** The row and the world of a path, with the parts of the path by name. */
  #find(method: string, path: string) {
    const nowhere = `There is nothing at ${path}; ${controlPrefix}/openapi.json lists what there is.`;
    if (!path.startsWith(`${controlPrefix}/`)) throw new Refusal(404, nowhere);
    const parts = path.slice(controlPrefix.length + 1).split('/');
    const all = parts.map((part) => decodePercent(part));
    if (all.includes(null)) throw new Refusal(404, nowhere);
    const inWorld = all[0] === 'worlds' && all.length > 2;
    const worldName = inWorld ? (all[1] as string) : firstWorldName;
    const host = found(this.sandbox.worlds.get(worldName), `world ${worldName}`);
    const segments = (inWorld ? all.slice(2) : all) as string[];
    const fitting = rows
      .filter(({ outer }) => outer !== true || worldName === firstWorldName)
      .filter((row) => matchesPath(row, segments))
      // A literal segment comes before `{id}`.
      .sort((one, other) => one.params.length - other.params.length);
    if (fitting.length === 0) throw new Refusal(404, nowhere);
    const row = fitting.find((each) => each.method === method);
    if (row === undefined) {
      const allow = [...new Set(fitting.map((each) => each.method))].sort().join(', ');
      const detail = `${segments.join('/')} takes ${allow}, not ${method}.`;
      throw new Refusal(405, detail, [], { allow });
    }
    const values = segments.filter((_, at) => row.segments[at]?.startsWith('{'));
    const params = row.params.map((name, at) => [name, values[at] as string]);
    return { row, host, worldName, params: Object.fromEntries(params) };
  }

  /** The address of a world's own plane. */
  controlUrl(base: string, worldName: string): string {
    const first = `${base}${controlPrefix}`;
    return worldName === firstWorldName
      ? first
      : `${first}/worlds/${encodeURIComponent(worldName)}`;
  }

  /** The description of the plane under the address that the caller used. */
  document(base: string): string {
    return controlDocument(`${base}${controlPrefix}`);
  }

  /** Calls `end` when the plane closes; returns a function that cancels this. */
  onClose(end: () => void): () => void {
    this.#onClose.add(end);
    return () => this.#onClose.delete(end);
  }

  /** Ends the streams, so that a server need not wait for their readers. */
  close(): void {
    for (const end of [...this.#onClose]) end();
  }
}

const streamed = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

function matchesPath(row: Row, segments: readonly string[]): boolean {
  if (row.segments.length !== segments.length) return false;
  return row.segments.every((part, at) => part.startsWith('{') || part === segments[at]);
}

function requireToken({ headers }: ControlRequest, token: string): void {
  const { authorization } = headers;
  const shown = /^bearer +(\S+) *$/i.exec(String(authorization ?? ''))?.[1];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (shown !== undefined && timingSafeEqual(digest(shown), digest(token))) return;
  const detail = 'Send `Authorization: Bearer TOKEN` with the control token.';
  throw new Refusal(401, detail, [], { 'www-authenticate': 'Bearer realm="control"' });
}

const utf8 = new TextDecoder();
const noMembers: Schema = object('Nothing is taken.', {});
const mebibyte = 1024 * 1024;

/** Refuses a body that the head alone shows to be invalid, before any of it is read. */
function checkBodyHead(row: Row, { method, headers }: ControlRequest): void {
  if (method === 'GET') return;
  const type = headers['content-type'];
  const isJson = typeof type === 'string' && /^application\/json *(;|$)/i.test(type.trim());
  // Contract: a form on another site can post any type except JSON without a preflight request.
  if (type !== undefined && !isJson) throw notJson();
  if (Number(headers['content-length']) > (row.maxBytes ?? mebibyte)) throw tooLarge(row);
}

/** The body in the form of the row; undefined for a GET, which has none. */
async function readBody(row: Row, { method, headers, read }: ControlRequest): Promise<unknown> {
  if (method === 'GET') return undefined;
  const maxBytes = row.maxBytes ?? mebibyte;
  const bytes = await read(maxBytes);
  if (bytes === null || bytes.byteLength > maxBytes) throw tooLarge(row);
  const isEmpty = bytes.byteLength === 0;
  if (!isEmpty && headers['content-type'] === undefined) throw notJson();
  const value = isEmpty ? {} : parseJson(bytes);
  refuseInvalid(validate(row.body ?? noMembers, value, 'body'));
  return value;
}

function tooLarge({ path, maxBytes = mebibyte }: Row): Refusal {
  const most = `${maxBytes / mebibyte} MiB`;
  return new Refusal(413, `The body is larger than the ${most} that ${path} takes.`);
}

function notJson(): Refusal {
  const detail = 'Send the body as Content-Type: application/json.';
  return new Refusal(415, detail, [], { accept: 'application/json' });
}

function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new Refusal(400, 'The body is not UTF-8.');
  const read = readJson(utf8.decode(bytes));
  if ('problem' in read) throw new Refusal(400, `The body ${read.problem}.`);
  return read.value;
}

/** The query as an object of values of the row's types. */
function parseQuery({ query }: Row, search: string): unknown {
  const schemas: Readonly<Record<string, Schema>> = query.properties;
  const parameters = new URLSearchParams(search);
  const values: [string, unknown][] = [];
  const problems: FieldProblem[] = [];
  for (const name of new Set(parameters.keys())) {
    const [first = '', second] = parameters.getAll(name);
    if (second !== undefined) problems.push({ field: name, message: 'is given more than once' });
    const isWhole = Object.hasOwn(schemas, name) && schemas[name]?.type === 'integer';
    // Text that is not a whole number stays text, which the schema then refuses.
    values.push([name, isWhole && /^-?\d{1,16}$/.test(first) ? Number(first) : first]);
  }
  const value = Object.fromEntries(values);
  refuseInvalid([...problems, ...validate(query, value, 'query')]);
  return value;
}

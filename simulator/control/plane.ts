// The control plane: finds the world and the row that a request names, validates what it brings, and
// lets the row's handler answer.
import { createHash, timingSafeEqual } from 'node:crypto';
import { object, type Schema } from '../../fixtures/schemas/kit.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import type { FieldProblem } from '../../fixtures/settings/parse.ts';
import manifest from '../../package.json' with { type: 'json' };
import { isTooDeep } from '../host/bodies/json-depth.ts';
import { syntaxWords } from '../host/bodies/json-syntax.ts';
import { firstWorldName, type Sandbox } from '../host/world/sandbox.ts';
import { UnkeptInputError, type WorldHost } from '../host/world/world-host.ts';
import { rows } from './all-rows.ts';
import { controlDocument } from './document.ts';
import { answer, ControlReply, invalidFields, problem } from './reply.ts';
import { controlPrefix, type Row } from './row.ts';

/** The head of a request. Header names are lower case. */
export interface ControlHead {
  readonly method: string;
  /** Path and query, for example `/_sandbox/clock`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address of a request that came without a socket. */
  readonly inProcess?: string;
}

/** A request whose head is good: how much of its body is read, and what answers it. */
export interface Admitted {
  readonly mostBytes: number;
  /**
   * The body is null if more came than is read. The signal is aborted when the caller leaves. Never
   * rejects.
   */
  readonly answer: (body: Uint8Array | null, signal?: AbortSignal) => Promise<ControlReply>;
}

export interface ControlPlaneOptions {
  readonly sandbox: Sandbox;
  /** Required as a bearer token with every request; none by default. */
  readonly token?: string | undefined;
  /** Made by `--forward-to`. */
  readonly subscription?: Readonly<Record<string, unknown>> | null;
}

/** A row in a world, with the parts of the path by name. */
interface Place {
  readonly row: Row;
  readonly host: WorldHost;
  readonly worldName: string;
  readonly params: Readonly<Record<string, string>>;
}

type Given = Readonly<Record<string, unknown>>;

export class Plane {
  readonly sandbox: Sandbox;
  readonly version: string = manifest.version;
  readonly rows = rows;
  readonly options: ControlPlaneOptions;
  readonly #onClose = new Set<() => void>();

  constructor(options: ControlPlaneOptions) {
    this.sandbox = options.sandbox;
    this.options = options;
  }

  /** Answers one request; never rejects. */
  async handle({
    body,
    ...head
  }: ControlHead & { readonly body: Uint8Array }): Promise<ControlReply> {
    const admitted = this.admit(head);
    if (admitted instanceof ControlReply) return admitted;
    return admitted.answer(body.byteLength > admitted.mostBytes ? null : body);
  }

  /** Judges a request by its head; nothing of its body is read. */
  admit(head: ControlHead): ControlReply | Admitted {
    const { token } = this.options;
    if (token !== undefined && !hasToken(head, token)) {
      const detail = 'Send Authorization: Bearer and the token given with --control-token.';
      return problem(401, detail, [], { 'www-authenticate': 'Bearer realm="control"' });
    }
    const [path = '', ...search] = head.target.split('?');
    const place = this.#find(head.method, path);
    if (place instanceof ControlReply) return place;
    const { row } = place;
    const refused = refuseBodyHead(row, head);
    if (refused !== null) return refused;
    const query = parseQuery(row, search.join('?'));
    if (query instanceof ControlReply) return query;
    const base = head.inProcess ?? `http://${String(head.headers.host)}`;
    return {
      mostBytes: mostBytesOf(row),
      answer: async (bytes, signal) => {
        const body = parseBody(row, head, bytes);
        if (body instanceof ControlReply) return body;
        return this.#run(place, { base, query, body: body.value, signal });
      },
    };
  }

  /** Runs a row in this process: path, query and body are members of one object. */
  async invoke(row: Row, worldName: string, given: Given = {}): Promise<ControlReply> {
    const host = this.sandbox.worlds.get(worldName);
    if (host === undefined) return problem(404, `There is no world ${worldName}.`);
    // As JSON has it: without members that are undefined, and never the caller's own objects.
    const rest = new Map(Object.entries(JSON.parse(JSON.stringify(given)) as Given));
    const take = (names: readonly string[]) => {
      const taken = names.flatMap((name) => (rest.has(name) ? [[name, rest.get(name)]] : []));
      for (const name of names) rest.delete(name);
      return Object.fromEntries(taken) as Given;
    };
    const params = Object.fromEntries(
      Object.entries(take(row.params)).map(([name, value]) => [name, String(value)]),
    );
    // A GET has no body: what is no parameter is refused as one.
    const query = take(row.method === 'GET' ? [...rest.keys()] : Object.keys(row.query.properties));
    const body = Object.fromEntries(rest);
    const problems = [
      ...validate(row.query, query, 'query'),
      ...validate(row.body ?? noMembers, body, 'body'),
    ];
    if (problems.length > 0) return invalidFields(problems);
    const place = { row, host, worldName, params };
    return this.#run(place, { base: 'http://localhost', query, body, signal: undefined });
  }

  async #run(
    { row, ...place }: Place,
    brought: {
      readonly base: string;
      readonly query: unknown;
      readonly body: unknown;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<ControlReply> {
    try {
      const handled = await row.run({ plane: this, ...place, ...brought });
      if (handled instanceof ControlReply) return handled;
      return handled === undefined ? new ControlReply(204, {}, '') : answer(handled, row.status);
    } catch (error) {
      if (error instanceof UnkeptInputError) return problem(500, error.message);
      // A broken invariant: printed, and answered.
      process.stderr.write(`control plane failure: ${(error as Error).stack ?? error}\n`);
      return problem(500, 'The simulator itself failed here; please report this.');
    }
  }

  #find(method: string, path: string): Place | ControlReply {
    const nowhere = () =>
      problem(
        404,
        `There is nothing at ${path}; ${controlPrefix}/openapi.json lists what there is.`,
      );
    if (!path.startsWith(`${controlPrefix}/`)) return nowhere();
    const all = path
      .slice(controlPrefix.length + 1)
      .split('/')
      .map(decode);
    if (all.includes(null)) return nowhere();
    const inWorld = all[0] === 'worlds' && all.length > 2;
    const worldName = inWorld ? (all[1] as string) : firstWorldName;
    const host = this.sandbox.worlds.get(worldName);
    if (host === undefined) return problem(404, `There is no world ${worldName}.`);
    const segments = (inWorld ? all.slice(2) : all) as string[];
    const fitting = rows
      .filter(({ outer }) => outer !== true || worldName === firstWorldName)
      .filter((row) => matchesPath(row, segments))
      // A segment that is spelled out comes before `{id}`.
      .sort((one, other) => one.params.length - other.params.length);
    if (fitting.length === 0) return nowhere();
    const row = fitting.find((each) => each.method === method);
    if (row === undefined) {
      const allow = [...new Set(fitting.map((each) => each.method))].sort().join(', ');
      return problem(405, `${segments.join('/')} takes ${allow}, not ${method}.`, [], { allow });
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
    return controlDocument(rows, { url: `${base}${controlPrefix}`, version: this.version });
  }

  /** Calls `end` when the plane closes; returns how to take that back. */
  onClose(end: () => void): () => void {
    this.#onClose.add(end);
    return () => this.#onClose.delete(end);
  }

  /** Ends the streams, so that a server need not wait for their readers. */
  close(): void {
    for (const end of [...this.#onClose]) end();
  }
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function matchesPath(row: Row, segments: readonly string[]): boolean {
  if (row.segments.length !== segments.length) return false;
  return row.segments.every((part, at) => part.startsWith('{') || part === segments[at]);
}

function hasToken({ headers }: ControlHead, token: string): boolean {
  const { authorization } = headers;
  const shown = /^bearer +(\S+) *$/i.exec(String(authorization ?? ''))?.[1];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return shown !== undefined && timingSafeEqual(digest(shown), digest(token));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const noMembers: Schema = object('Nothing is taken.', {});
const mebibyte = 1024 * 1024;
const mostBytesOf = ({ mostBytes = mebibyte }: Row): number => mostBytes;

/** What the head alone shows to be wrong with the body, before any of it is read. */
function refuseBodyHead(row: Row, { method, headers }: ControlHead): ControlReply | null {
  if (method === 'GET') return null;
  const type = headers['content-type'];
  const isJson = typeof type === 'string' && /^application\/json *(;|$)/i.test(type.trim());
  // Contract: a form on a foreign page can post every type but this one without asking first.
  if (type !== undefined && !isJson) return notJson();
  return Number(headers['content-length']) > mostBytesOf(row) ? tooLarge(row) : null;
}

/** `bytes` is null if more came than the row reads. */
function parseBody(
  row: Row,
  { method, headers }: ControlHead,
  bytes: Uint8Array | null,
): { readonly value: unknown } | ControlReply {
  if (method === 'GET') return { value: undefined };
  if (bytes === null) return tooLarge(row);
  const isEmpty = bytes.byteLength === 0;
  if (!isEmpty && headers['content-type'] === undefined) return notJson();
  const parsed = isEmpty ? { value: {} } : parseJson(bytes);
  if (parsed instanceof ControlReply) return parsed;
  const problems = validate(row.body ?? noMembers, parsed.value, 'body');
  return problems.length > 0 ? invalidFields(problems) : parsed;
}

function tooLarge(row: Row): ControlReply {
  const most = `${mostBytesOf(row) / mebibyte} MiB`;
  return problem(413, `The body is larger than the ${most} that ${row.path} takes.`);
}

function notJson(): ControlReply {
  const detail = 'Send the body as Content-Type: application/json.';
  return problem(415, detail, [], { accept: 'application/json' });
}

function parseJson(bytes: Uint8Array): { readonly value: unknown } | ControlReply {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return problem(400, 'The body is not UTF-8.');
  }
  if (isTooDeep(text)) return problem(400, 'The body is nested too deeply.');
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return problem(400, `The body is not JSON: ${syntaxWords(text, error)}.`);
  }
}

/** The query as an object of values of the row's types. */
function parseQuery({ query }: Row, search: string): Given | ControlReply {
  const schemas: Readonly<Record<string, Schema>> = query.properties;
  const parameters = new URLSearchParams(search);
  const values: [string, unknown][] = [];
  const problems: FieldProblem[] = [];
  for (const name of new Set(parameters.keys())) {
    const [first = '', second] = parameters.getAll(name);
    if (second !== undefined) problems.push({ field: name, message: 'is given more than once' });
    const isWhole = Object.hasOwn(schemas, name) && schemas[name]?.type === 'integer';
    // A text that is no whole number stays a text, which the schema then refuses.
    values.push([name, isWhole && /^-?\d{1,16}$/.test(first) ? Number(first) : first]);
  }
  const value = Object.fromEntries(values);
  problems.push(...validate(query, value, 'query'));
  return problems.length > 0 ? invalidFields(problems) : value;
}

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
import {
  type Admitted,
  answer,
  type ControlHead,
  ControlReply,
  type ControlRequest,
  invalidFields,
  problem,
} from './reply.ts';
import { controlPrefix, type HandlerContext, paramNames, type Row } from './row.ts';

/** What a program knows of the sandbox that the sandbox does not know itself. */
export interface Described {
  /** Made by `--forward-to`. */
  readonly subscription?: Readonly<Record<string, unknown>> | null;
}

/** A webhook receiver on this machine, and what deliveries to it are signed with. */
export interface ReceiverToJudge {
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly subscriptionId: string;
  /** A URL that answers how often the side effect has happened. */
  readonly effectProbe: string | null;
}

export type ReceiverJudged =
  | { readonly report: Readonly<Record<string, unknown>> }
  | { readonly refused: { readonly field: string; readonly message: string } };

export interface ControlPlaneOptions {
  readonly sandbox: Sandbox;
  /** Required as a bearer token with every request; none by default. */
  readonly token?: string | undefined;
  readonly describe?: () => Described;
  /** Judges a webhook receiver, if the program has a judge. */
  readonly judgeReceiver?: (receiver: ReceiverToJudge) => Promise<ReceiverJudged>;
}

interface WorldPath {
  readonly host: WorldHost;
  readonly worldName: string;
  /** Segments of the row. */
  readonly segments: readonly string[];
  readonly outer: boolean;
}

type Given = Readonly<Record<string, unknown>>;
type Parsed = { readonly value: unknown } | ControlReply;

export class Plane {
  readonly sandbox: Sandbox;
  readonly version: string = manifest.version;
  readonly #options: ControlPlaneOptions;
  readonly #onClose = new Set<() => void>();

  constructor(options: ControlPlaneOptions) {
    this.sandbox = options.sandbox;
    this.#options = options;
  }

  /** Answers one request; never rejects. */
  async handle({ body, ...head }: ControlRequest): Promise<ControlReply> {
    const admitted = this.admit(head);
    if (admitted instanceof ControlReply) return admitted;
    return admitted.answer(body.byteLength > admitted.mostBytes ? null : body);
  }

  /** Judges a request by its head; nothing of its body is read. */
  admit(head: ControlHead): ControlReply | Admitted {
    const { token } = this.#options;
    if (token !== undefined && !hasToken(head, token)) {
      const detail = 'Send Authorization: Bearer and the token given with --control-token.';
      return problem(401, detail, [], { 'www-authenticate': 'Bearer realm="control"' });
    }
    const [path = '', ...search] = head.target.split('?');
    const found = this.#find(path);
    if (found instanceof ControlReply) return found;
    const row = match(found, head.method);
    if (row instanceof ControlReply) return row;
    const refused = refuseBodyHead(row, head);
    if (refused !== null) return refused;
    const query = parseQuery(row, search.join('?'));
    if (query instanceof ControlReply) return query;
    const { host, worldName, segments } = found;
    const base = head.inProcess ?? `http://${String(head.headers.host)}`;
    return {
      mostBytes: mostBytesOf(row),
      answer: async (bytes, signal) => {
        const parsed = parseBody(row, head, bytes);
        if (parsed instanceof ControlReply) return parsed;
        const params = paramsOf(row, segments);
        const body = parsed.value;
        return this.#run(row, {
          ...{ plane: this, host, worldName, base, params, signal },
          ...{ query: query.value, body },
        });
      },
    };
  }

  /** Runs a row in this process: path, query and body are members of one object. */
  async invoke(row: Row, worldName: string, given: Given): Promise<ControlReply> {
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
      Object.entries(take(paramNames(row))).map(([name, value]) => [name, String(value)]),
    );
    // A GET has no body: what is no parameter is refused as one.
    const query = take(row.method === 'GET' ? [...rest.keys()] : Object.keys(row.query ?? {}));
    const body = Object.fromEntries(rest);
    const problems = [
      ...validate(queryShape(row), query, 'query'),
      ...validate(row.body ?? noMembers, body, 'body'),
    ];
    if (problems.length > 0) return invalidFields(problems);
    const base = 'http://localhost';
    return this.#run(row, {
      ...{ plane: this, host, worldName, base, params, query, body, signal: undefined },
    });
  }

  async #run(row: Row, context: HandlerContext): Promise<ControlReply> {
    try {
      const handled = await row.run(context);
      if (handled instanceof ControlReply) return handled;
      return handled === undefined ? new ControlReply(204, {}, '') : answer(handled, row.status);
    } catch (error) {
      if (error instanceof UnkeptInputError) return problem(500, error.message);
      // A broken invariant: printed, and answered.
      process.stderr.write(`control plane failure: ${(error as Error).stack ?? error}\n`);
      return problem(500, 'The simulator itself failed here; please report this.');
    }
  }

  #find(path: string): WorldPath | ControlReply {
    if (!path.startsWith(`${controlPrefix}/`)) return nowhere(path);
    const segments: string[] = [];
    for (const part of path.slice(controlPrefix.length + 1).split('/')) {
      const segment = decode(part);
      if (segment === null) return nowhere(path);
      segments.push(segment);
    }
    if (segments[0] !== 'worlds' || segments.length < 3) {
      return { host: this.sandbox.first, worldName: firstWorldName, segments, outer: true };
    }
    const worldName = segments[1] as string;
    const host = this.sandbox.worlds.get(worldName);
    if (host === undefined) return problem(404, `There is no world ${worldName}.`);
    return { host, worldName, segments: segments.slice(2), outer: worldName === firstWorldName };
  }

  get described(): Described {
    return this.#options.describe?.() ?? {};
  }

  get judgeReceiver(): ControlPlaneOptions['judgeReceiver'] {
    return this.#options.judgeReceiver;
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

function nowhere(path: string): ControlReply {
  const remedy = `${controlPrefix}/openapi.json lists what there is`;
  return problem(404, `There is nothing at ${path}; ${remedy}.`);
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function match({ segments, outer }: WorldPath, method: string): Row | ControlReply {
  const fitting = rows
    .filter((row) => (outer || row.outer !== true) && matchesPath(row, segments))
    // A segment that is spelled out comes before `{id}`.
    .sort((a, b) => paramNames(a).length - paramNames(b).length);
  const row = fitting.find((each) => each.method === method);
  if (row !== undefined) return row;
  const path = segments.join('/');
  if (fitting.length === 0) return nowhere(`${controlPrefix}/${path}`);
  const allow = [...new Set(fitting.map((each) => each.method))].sort().join(', ');
  return problem(405, `${path} takes ${allow}, not ${method}.`, [], { allow });
}

function matchesPath(row: Row, segments: readonly string[]): boolean {
  if (row.segments.length !== segments.length) return false;
  return row.segments.every((part, at) => part.startsWith('{') || part === segments[at]);
}

function paramsOf(row: Row, segments: readonly string[]): Readonly<Record<string, string>> {
  const values = segments.filter((_, at) => row.segments[at]?.startsWith('{'));
  return Object.fromEntries(paramNames(row).map((name, at) => [name, values[at] as string]));
}

function hasToken({ headers }: ControlHead, token: string): boolean {
  const { authorization } = headers;
  const shown =
    typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return shown !== undefined && equalInConstantTime(shown, token);
}

function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const noMembers = object('Nothing is taken.', {});
const mebibyte = 1024 * 1024;

function mostBytesOf({ mostBytes = mebibyte }: Row): number {
  return mostBytes;
}

/** What the head alone shows to be wrong with the body, before any of it is read. */
function refuseBodyHead(row: Row, { method, headers }: ControlHead): ControlReply | null {
  if (method === 'GET') return null;
  const type = headers['content-type'];
  // Contract: a form on a foreign page can post every type but this one without asking first.
  if (type !== undefined && !isJson(type)) return notJson();
  return Number(headers['content-length']) > mostBytesOf(row) ? tooLarge(row) : null;
}

/** `bytes` is null where more came than the row reads. */
export function parseBody(row: Row, head: ControlHead, bytes: Uint8Array | null): Parsed {
  if (head.method === 'GET') return { value: undefined };
  if (bytes === null) return tooLarge(row);
  const isEmpty = bytes.byteLength === 0;
  if (!isEmpty && head.headers['content-type'] === undefined) return notJson();
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

function isJson(type: string | readonly string[]): boolean {
  return typeof type === 'string' && /^application\/json *(;|$)/i.test(type.trim());
}

function parseJson(bytes: Uint8Array): Parsed {
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
function parseQuery(row: Row, search: string): Parsed {
  const schemas: Readonly<Record<string, Schema>> = row.query ?? {};
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
  problems.push(...validate(queryShape(row), value, 'query'));
  return problems.length > 0 ? invalidFields(problems) : { value };
}

function queryShape({ query: properties = {}, requiredQuery: required = [] }: Row): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

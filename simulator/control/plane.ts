// The control plane: finds the world and the row that a request names, and lets the row answer.
import { createHash, timingSafeEqual } from 'node:crypto';
import manifest from '../../package.json' with { type: 'json' };
import { firstWorldName, type Sandbox } from '../host/world/sandbox.ts';
import { UnkeptInputError, type WorldHost } from '../host/world/world-host.ts';
import { rows } from './all-rows.ts';
import { controlDocument } from './document.ts';
import { mostBytesOf, parseQuery, parseRequestBody, refuseBodyHead } from './parse-request.ts';
import {
  type Admitted,
  type ControlHead,
  type ControlReply,
  type ControlRequest,
  notFound,
  problem,
} from './reply.ts';
import { controlPrefix, type Row } from './row.ts';

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
  /** Answers how often the side effect has happened. */
  readonly effectProbe: string | null;
}

export type ReceiverJudged =
  | { readonly report: Readonly<Record<string, unknown>> }
  | { readonly refused: { readonly field: string; readonly message: string } };

export interface ControlPlaneOptions {
  readonly sandbox: Sandbox;
  /** Wanted as a bearer token with every request; none when left out. */
  readonly token?: string | undefined;
  readonly describe?: () => Described;
  /** Judges a receiver; whoever puts the parts together may have a judge. */
  readonly judgeReceiver?: (receiver: ReceiverToJudge) => Promise<ReceiverJudged>;
}

interface WorldPath {
  readonly host: WorldHost;
  readonly worldName: string;
  /** Segments of the row. */
  readonly segments: readonly string[];
  readonly outer: boolean;
}

interface Asked {
  readonly query: unknown;
  readonly signal: AbortSignal | undefined;
}

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
    if ('status' in admitted) return admitted;
    return admitted.answer(body.byteLength > admitted.mostBytes ? null : body);
  }

  /** Judges a request by its head: nothing of a stranger's body is read. */
  admit(head: ControlHead): ControlReply | Admitted {
    const { token } = this.#options;
    const stranger = token === undefined ? null : refuseToken(head, token);
    if (stranger !== null) return stranger;
    const mark = head.target.indexOf('?');
    const found = this.#find(mark < 0 ? head.target : head.target.slice(0, mark));
    if ('status' in found) return found;
    const matched = match(found, head.method);
    if ('status' in matched) return matched;
    const { row } = matched;
    const refused = refuseBodyHead(row, head);
    if (refused !== null) return refused;
    const query = parseQuery(row, mark < 0 ? '' : head.target.slice(mark + 1));
    if ('refused' in query) return query.refused;
    return {
      mostBytes: mostBytesOf(row),
      answer: (body, signal) =>
        this.#answer(head, found, { ...matched, query: query.value, signal }, body),
    };
  }

  async #answer(
    head: ControlHead,
    { host, worldName }: WorldPath,
    { row, params, query, signal }: Matched & Asked,
    bytes: Uint8Array | null,
  ): Promise<ControlReply> {
    try {
      const body = parseRequestBody(row, head, bytes);
      if ('refused' in body) return body.refused;
      const base = baseOf(head);
      const asked = { params, query, body: body.value, signal };
      return await row.run({ plane: this, host, worldName, base, ...asked });
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
    if (host === undefined) return notFound(`There is no world ${worldName}.`);
    return { host, worldName, segments: segments.slice(2), outer: worldName === firstWorldName };
  }

  get described(): Described {
    return this.#options.describe?.() ?? {};
  }

  get judgeReceiver(): ControlPlaneOptions['judgeReceiver'] {
    return this.#options.judgeReceiver;
  }

  /** Where a world's own plane is. */
  controlUrl(base: string, worldName: string): string {
    const first = `${base}${controlPrefix}`;
    return worldName === firstWorldName
      ? first
      : `${first}/worlds/${encodeURIComponent(worldName)}`;
  }

  /** The description of the plane as this caller reaches it. */
  document(base: string): unknown {
    return controlDocument(rows, { url: `${base}${controlPrefix}`, version: this.version });
  }

  /** Has something done when the plane closes; call what it answers to take that back. */
  onClose(end: () => void): () => void {
    this.#onClose.add(end);
    return () => this.#onClose.delete(end);
  }

  /** Ends the streams, so that a server need not wait for those who follow them. */
  close(): void {
    for (const end of [...this.#onClose]) end();
  }
}

function nowhere(path: string): ControlReply {
  return notFound(
    `There is nothing at ${path}; ${controlPrefix}/openapi.json lists what there is.`,
  );
}

function baseOf({ inProcess, headers }: ControlHead): string {
  return inProcess ?? `http://${String(headers.host)}`;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

interface Matched {
  readonly row: Row;
  readonly params: Readonly<Record<string, string>>;
}

function match({ segments, outer }: WorldPath, method: string): Matched | ControlReply {
  const fitting = rows.filter((row) => (outer || row.outer !== true) && matchesPath(row, segments));
  // A name that is spelled out wins over `{id}`.
  fitting.sort((a, b) => wildcards(a) - wildcards(b));
  const row = fitting.find((each) => each.method === method);
  if (row !== undefined) return { row, params: paramsOf(row, segments) };
  const path = segments.join('/');
  if (fitting.length === 0) return nowhere(`${controlPrefix}/${path}`);
  const allow = [...new Set(fitting.map((each) => each.method))].sort().join(', ');
  return problem(405, `${path} takes ${allow}, not ${method}.`, [], { allow });
}

function matchesPath(row: Row, segments: readonly string[]): boolean {
  if (row.segments.length !== segments.length) return false;
  return row.segments.every((part, at) => part.startsWith('{') || part === segments[at]);
}

function wildcards(row: Row): number {
  return row.segments.filter((part) => part.startsWith('{')).length;
}

function paramsOf(row: Row, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, part] of row.segments.entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[at] as string;
  }
  return params;
}

/** Why a caller is not let in; null when it shows the token. */
function refuseToken({ headers }: ControlHead, token: string): ControlReply | null {
  const { authorization } = headers;
  const given =
    typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  if (given !== undefined && equalInSecret(given, token)) return null;
  const detail = 'Send Authorization: Bearer and the token given with --control-token.';
  return problem(401, detail, [], { 'www-authenticate': 'Bearer realm="control"' });
}

/** Takes as long whatever is wrong with it. */
function equalInSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

// A client of the sandbox's control plane, for setup only: every failure here is the setup's, never
// the target's.

import { Blocked, RefusedByOperator, Unreachable } from '../engine/scenario-errors.ts';
import type { Json } from '../engine/send/answer.ts';
import type { Sender } from '../engine/send/sender.ts';

export type Row = { readonly [name: string]: Json };

const TIMEOUT_MS = 30_000;
/** Whether there is one shows quickly. */
const PROBE_MS = 5_000;
const decoder = new TextDecoder();

export class ControlPlaneClient {
  readonly url: string;
  readonly #sender: Sender;
  readonly #token: string | undefined;

  constructor(url: string, sender: Sender, token?: string) {
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#sender = sender;
    this.#token = token;
  }

  /** The same plane for a world in it. */
  at(url: string): ControlPlaneClient {
    return new ControlPlaneClient(url, this.#sender, this.#token);
  }

  /** Asks, and gives the JSON of a 2xx answer; anything else is Blocked, in words. */
  async ask(
    method: string,
    path: string,
    body?: object,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<Row> {
    const headers: [string, string][] = [];
    if (this.#token !== undefined) headers.push(['authorization', `Bearer ${this.#token}`]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const answer = await this.#sender.send({
      // Its lists may be long, and it is the target's operator who answers.
      limitBytes: 64 * 1024 * 1024,
      method,
      url: `${this.url}/${path}`,
      headers,
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      timeoutMs,
    });
    const text = decoder.decode(answer.body);
    if (answer.status >= 300) {
      const said = `${answer.status} ${text.slice(0, 300)}`;
      throw new RefusedByOperator(answer.status, `control plane: ${method} ${path}: ${said}`);
    }
    if (text === '') return {};
    try {
      return JSON.parse(text) as Row;
    } catch {
      throw new Blocked(`control plane: ${method} ${path}: the answer is not JSON`);
    }
  }

  /** Why no control plane answers here, in words; null where one does. */
  async absence(timeoutMs: number = PROBE_MS): Promise<string | null> {
    try {
      const health = await this.ask('GET', 'health', undefined, Math.min(timeoutMs, PROBE_MS));
      return health.status === 'ready' ? null : 'what answers is no control plane';
    } catch (error) {
      if (error instanceof Unreachable) return error.message;
      if (!(error instanceof Blocked)) throw error;
      const status = / health: (\d{3}) /.exec(error.message)?.[1];
      if (status !== '401') return status === undefined ? error.message : `answered ${status}`;
      return this.#token === undefined
        ? 'answered 401: where that is one, name its token with --control-token-env'
        : 'answered 401: the token of --control-token-env is not the one it wants';
    }
  }
}

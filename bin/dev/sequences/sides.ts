// The two platforms that a sequence is played on, seen in one way: the simulator and the second
// mind. Each plays in a world of its own, whose clock stands still until a step moves it.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox, type SandboxHandle } from '../../../simulator/index.ts';
import type { SecondMind } from '../../e2e/testing/second-mind/mind.ts';
import { control as controlMind } from '../../e2e/testing/second-mind/server/control-rows.ts';
import { WorldHost } from '../../e2e/testing/second-mind/server/world-host.ts';
import { isObject, type Json, type JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Person } from './steps.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface Seen {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

export interface Side {
  readonly send: (sent: Sent) => Promise<Seen>;
  /** A row of the control plane; throws where it is not answered with success. */
  readonly control: (method: string, path: string, body?: JsonObject) => Promise<JsonObject>;
  readonly close: () => Promise<void>;
}

/** The second mind, at a time to begin with. */
export function mindSide(mind: SecondMind): Side {
  const host = new WorldHost(mind);
  const hosts = { main: host, worlds: [], make: () => host };
  return {
    async send({ method, path, headers, body }) {
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const answer = await host.call({
        method,
        target: path,
        headers: Object.entries(headers),
        body: bytes,
      });
      if (answer === null) throw new Error('no answer');
      const { status, headers: given, body: text } = answer;
      const header = (name: string) =>
        given.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1] ?? null;
      return { status, header, text };
    },
    async control(method, path, body = {}) {
      const url = new URL(path, 'http://control/');
      const parts = url.pathname.slice(1).split('/');
      const [status, told] = await controlMind(hosts, {
        method,
        parts,
        query: url.searchParams,
        body,
      });
      return readTold(`${method} ${path}`, status, told);
    },
    close: async () => host.close(),
  };
}

function readTold(row: string, status: number, told: Json): JsonObject {
  if (status >= 300 || !isObject(told))
    throw new Error(`${row}: ${status} ${JSON.stringify(told)}`);
  return told;
}

/** One simulator, with a world for each sequence. */
export class Simulator {
  readonly #sandbox: SandboxHandle;
  readonly #controlUrl: string;
  readonly #receiver: Server;

  private constructor(sandbox: SandboxHandle, baseUrl: string, receiver: Server) {
    this.#sandbox = sandbox;
    this.#controlUrl = `${baseUrl}/_sandbox`;
    this.#receiver = receiver;
  }

  /** With a receiver that takes every delivery, for both sides. */
  static async start(): Promise<Simulator> {
    const receiver = createServer((request, response) => {
      request.resume();
      response.end();
    });
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
    const sandbox = await createSandbox({ clock: 'frozen' });
    const { base_url: baseUrl } = await sandbox.listen({ port: 0 });
    return new Simulator(sandbox, baseUrl, receiver);
  }

  get receiverUrl(): string {
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}`;
  }

  async side(): Promise<Side> {
    const made = await this.#ask('POST', 'worlds', { clock: 'frozen' });
    const world = `worlds/${String(made.name)}`;
    return {
      send: (sent) => this.#send(sent),
      control: (method, path, body) => this.#ask(method, `${world}/${path}`, body),
      close: async () => {
        await this.#ask('DELETE', world);
      },
    };
  }

  async #send({ method, path, headers, body }: Sent): Promise<Seen> {
    const response = await this.#sandbox.fetch(`http://sandbox${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, header: (name) => response.headers.get(name), text };
  }

  async #ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    const response = await fetch(`${this.#controlUrl}/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const told = text === '' ? {} : (JSON.parse(text) as Json);
    return readTold(`${method} ${path}`, response.status, told);
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
    this.#receiver.closeAllConnections();
    await new Promise((done) => this.#receiver.close(done));
  }
}

export function pick<T>(list: readonly T[], at: number): T | undefined {
  return list.length === 0 ? undefined : list[at % list.length];
}

export function withoutNumbers(seen: Seen): Seen {
  return { ...seen, text: seen.text.replace(/"account_id":\d+/, '"account_id":0') };
}

export function personOf(person: Person): JsonObject {
  const body: JsonObject = { client_reference_id: person.reference, email: person.email };
  if (person.phone !== null) body.phone = person.phone;
  if (person.region !== null) body.phone_region = person.region;
  if (person.brand !== null) body.brand_id = person.brand;
  if (person.first !== null) body.first_name = person.first;
  if (person.last !== null) body.last_name = person.last;
  return body;
}

/** Where webhooks of the sequences go. */
export const HOOKS = 'https://hooks.example.com';

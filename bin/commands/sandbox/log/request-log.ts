// Shows each request as it is answered: a line for a person, or an event for a program.

import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { hideInTarget } from '../../../../simulator/control/views/hide-secrets.ts';
import { findEntry, type JournalEntry } from '../../../../simulator/core/journal.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { type Paint, type RequestLine, requestLine } from './request-line.ts';

export interface LogOptions {
  readonly json: boolean;
  readonly paint?: Paint | undefined;
  readonly say: (line: string) => void;
}

/** Collects the lines of one turn into one write, in order. */
export function batchLines(write: (text: string) => void): (line: string) => void {
  let lines: string[] = [];
  const flush = () => {
    write(`${lines.join('\n')}\n`);
    lines = [];
  };
  return (line) => {
    if (lines.length === 0) setImmediate(flush);
    lines.push(line);
  };
}

/**
 * Logs the requests of the first world one by one. JSON has those of every world; for a person the
 * requests of other worlds, such as those that a judge makes, become one line once they pause.
 */
export function logRequests(sandbox: Sandbox, { json, paint, say }: LogOptions): void {
  const others = new OtherWorlds(say);
  const follow = (name: string, host: WorldHost) => {
    host.listen((notice) => {
      if (notice.kind !== 'request') return;
      if (!json && host !== sandbox.first) {
        others.count(name);
        return;
      }
      const entry = findEntry(host.world.journal, notice.n);
      if (entry) say(json ? requestEvent(name, entry) : lineOf(host, entry, paint));
    });
  };
  for (const [name, host] of sandbox.worlds) follow(name, host);
  sandbox.watchWorlds((name, host) => {
    if (host) follow(name, host);
  });
}

const pauseMs = 1000;

/** Counts the requests of worlds beside the first, and says one line when they pause. */
class OtherWorlds {
  readonly #say: (line: string) => void;
  readonly #names = new Set<string>();
  #requests = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  count(name: string): void {
    this.#names.add(name);
    this.#requests += 1;
    if (this.#timer !== null) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#sum(), pauseMs).unref();
  }

  #sum(): void {
    const [first] = this.#names;
    const where =
      this.#names.size === 1 ? `world ${first}` : `${this.#names.size} worlds beside the first`;
    const requests = this.#requests === 1 ? 'request' : 'requests';
    const time = new Date().toISOString().slice(11, 23);
    this.#say(`${time}  ${this.#requests.toLocaleString('en')} ${requests} in ${where}`);
    this.#names.clear();
    this.#requests = 0;
    this.#timer = null;
  }
}

function lineOf(host: WorldHost, entry: JournalEntry, paint?: Paint): string {
  const { atMs, call, idempotency, clientId, cites, hints } = entry;
  const credential = clientId === null ? undefined : host.world.credentials.get(clientId);
  const line: RequestLine = {
    atMs,
    method: call.method,
    target: hideInTarget(call.target),
    status: entry.reply?.status ?? (entry.reset ? 'cut' : 'held'),
    idempotency,
    caller: credential?.name ?? clientId,
    cites,
    faults: entry.faults.map(({ id }) => id),
    hints,
  };
  return requestLine(line, paint);
}

function requestEvent(world: string, entry: JournalEntry): string {
  const { n, requestId, atMs, call, operation, clientId, idempotency, cites, hints } = entry;
  return jsonText({
    event: 'request',
    world,
    n,
    request_id: requestId,
    at_ms: atMs,
    method: call.method,
    target: hideInTarget(call.target),
    operation,
    client_id: clientId,
    status: entry.reply?.status ?? null,
    held: entry.reply === null && !entry.reset,
    idempotency,
    cites,
    hints,
  });
}

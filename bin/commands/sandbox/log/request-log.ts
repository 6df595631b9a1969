// Shows each request as it is answered: a line for a person, or an event for a program.

import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { hideInTarget } from '../../../../simulator/control/views/hide-secrets.ts';
import { findEntry, type JournalEntry } from '../../../../simulator/core/journal.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { requestLine } from './request-line.ts';

export interface RequestLogOptions {
  readonly json: boolean;
  readonly write: (text: string) => void;
}

/** Follows every world of the sandbox, those made later included. */
export function logRequests(sandbox: Sandbox, { json, write }: RequestLogOptions): void {
  let lines: string[] = [];
  const flush = () => {
    write(`${lines.join('\n')}\n`);
    lines = [];
  };
  // Under load many requests are answered before the next turn: they share one write.
  const add = (line: string) => {
    if (lines.length === 0) setImmediate(flush);
    lines.push(line);
  };
  const follow = (name: string, host: WorldHost) => {
    host.listen((notice) => {
      if (notice.kind !== 'request') return;
      const entry = findEntry(host.world.journal, notice.n);
      if (entry) add(json ? requestEvent(name, entry) : lineOf(host, entry));
    });
  };
  for (const [name, host] of sandbox.worlds) follow(name, host);
  sandbox.watchWorlds((name, host) => {
    if (host) follow(name, host);
  });
}

function lineOf(host: WorldHost, entry: JournalEntry): string {
  const { atMs, call, idempotency, clientId, cites, hints } = entry;
  const credential = clientId === null ? undefined : host.world.credentials.get(clientId);
  return requestLine({
    atMs,
    method: call.method,
    target: hideInTarget(call.target),
    status: entry.reply?.status ?? (entry.reset ? 'cut' : 'held'),
    idempotency,
    caller: credential?.name ?? clientId,
    cites,
    faults: entry.faults.map(({ id }) => id),
    hints,
  });
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

// Shows each request as it is answered: a line for a person, or an event for a program.

import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { hideInTarget } from '../../../../simulator/control/views/hide-secrets.ts';
import { findEntry, type JournalEntry } from '../../../../simulator/core/journal.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { requestLine } from './request-line.ts';

export interface RequestLogOptions {
  readonly json: boolean;
  readonly say: (line: string) => void;
}

/**
 * Under load many are told before the next turn: they share one write. Who shares this keeps the
 * order in which things were told.
 */
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

/** Follows every world of the sandbox, those made later included. */
export function logRequests(sandbox: Sandbox, { json, say }: RequestLogOptions): void {
  const follow = (name: string, host: WorldHost) => {
    host.listen((notice) => {
      if (notice.kind !== 'request') return;
      const entry = findEntry(host.world.journal, notice.n);
      if (entry) say(json ? requestEvent(name, entry) : lineOf(host, entry));
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

// Logs each request when it is answered: as a line for people, or as an event for programs.
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { hideInTarget } from '../../../../simulator/control/hide-secrets.ts';
import { faultWords } from '../../../../simulator/control/journal.ts';
import { findEntry, type JournalEntry } from '../../../../simulator/core/journal.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { terminalLine } from '../../terminal.ts';

export interface LogOptions {
  readonly json: boolean;
  readonly paint?: Paint | undefined;
  readonly print: (line: string) => void;
}

/** `12:00:01.250` */
export const clockTime = (atMs: number) => new Date(atMs).toISOString().slice(11, 23);

/** Follows all existing worlds, and new ones. */
export function eachWorld(sandbox: Sandbox, follow: (name: string, host: WorldHost) => void): void {
  for (const [name, host] of sandbox.worlds) follow(name, host);
  sandbox.watchWorlds((name, host) => {
    if (host) follow(name, host);
  });
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
 * Logs the requests of the first world one by one. JSON covers every world; in lines the requests of
 * other worlds, such as those of a judge, are summed up in one line when they pause.
 */
export function logRequests(sandbox: Sandbox, { json, paint, print }: LogOptions): void {
  const countOther = otherWorlds(print);
  eachWorld(sandbox, (name, host) => {
    host.listen((notice) => {
      if (notice.kind !== 'request') return;
      if (!json && host !== sandbox.first) {
        countOther(name);
        return;
      }
      const entry = findEntry(host.world.journal, notice.n);
      if (!entry) return;
      const event = requestEvent(name, host, entry);
      print(json ? jsonText(event) : requestLine(event, paint));
    });
  });
}

const pauseMs = 1000;

/** Counts the requests of the other worlds, and prints one line when they pause. */
function otherWorlds(print: (line: string) => void): (name: string) => void {
  const names = new Set<string>();
  let requests = 0;
  let timer: NodeJS.Timeout | null = null;
  const sum = () => {
    const where = names.size === 1 ? `world ${[...names][0]}` : `${names.size} other worlds`;
    const what = requests === 1 ? 'request' : 'requests';
    print(`${clockTime(Date.now())}  ${requests.toLocaleString('en')} ${what} in ${where}`);
    names.clear();
    requests = 0;
    timer = null;
  };
  return (name) => {
    names.add(name);
    requests += 1;
    timer = timer === null ? setTimeout(sum, pauseMs).unref() : timer.refresh();
  };
}

function requestEvent(world: string, host: WorldHost, entry: JournalEntry) {
  const { n, requestId, atMs, call, operation, clientId, idempotency, cites, hints } = entry;
  const credential = clientId === null ? undefined : host.world.credentials.get(clientId);
  return {
    event: 'request',
    world,
    n,
    request_id: requestId,
    at_ms: atMs,
    method: call.method,
    target: hideInTarget(call.target),
    operation,
    client_id: clientId,
    client_name: credential?.name ?? clientId,
    status: entry.reply?.status ?? null,
    held: entry.reply === null && !entry.reset,
    idempotency,
    cites,
    faults: entry.faults.map(({ id }) => id),
    fault_effects: entry.faults.map(faultWords),
    hints,
  };
}

export type RequestEvent = ReturnType<typeof requestEvent>;

const targetWidth = 40;
const maxCites = 3;
// Aligned with the method of the request.
const hintIndent = ' '.repeat(14);

/** Colours an outcome by its status; returns it unchanged without colours. */
export type Paint = (text: string, status: number | null) => string;

/** `12:00:01.250  POST /api/v1/accounts  201 first  brand-a  ACC-1`; hints below it. */
export function requestLine(event: RequestEvent, paint: Paint = (text) => text): string {
  const { at_ms, method, target, status, held, idempotency, client_name, cites } = event;
  // Rules are more important than open questions, so they come first.
  const isOpen = (cite: string) => Number(cite.startsWith('NS-'));
  const rules = [...cites].sort((a, b) => isOpen(a) - isOpen(b)).slice(0, maxCites);
  const outcome = [status ?? (held ? 'held' : 'cut'), idempotency?.replace('_', ' ')];
  const first = [
    clockTime(at_ms),
    `${method.padEnd(6)} ${shorten(terminalLine(target)).padEnd(targetWidth)}`,
    paint(outcome.filter(Boolean).join(' ').padEnd(13), status),
    terminalLine(client_name ?? '-').padEnd(10),
    [...rules, ...event.fault_effects.map((each) => `(${terminalLine(each)})`)].join(' '),
  ];
  const hints = event.hints.map(
    ({ code, words }) => `${hintIndent}hint ${code}: ${terminalLine(words)}`,
  );
  return [first.join('  ').trimEnd(), ...hints].join('\n');
}

/** Cuts the query first: the end of a path is more specific, and than its middle too. */
function shorten(text: string): string {
  if (text.length <= targetWidth) return text;
  const [path = ''] = text.split('?');
  const end = path.length < targetWidth ? '' : path.slice(-Math.floor(targetWidth / 3));
  return `${text.slice(0, targetWidth - 1 - end.length)}…${end}`;
}

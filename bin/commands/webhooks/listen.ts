// `sandbox webhooks listen`: a receiver that verifies deliveries and prints them with the reasons.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import chalk from 'chalk';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { parseJson } from '../../../fixtures/lenient.ts';
import { readBody } from '../../../simulator/host/bodies/read-body.ts';
import { diagnoseWebhook } from '../../../simulator/webhooks.ts';
import { endSignals } from '../end-signals.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, UsageError } from '../io.ts';
import { addOptions, numberFrom } from '../options.ts';
import { describeCauses } from './verify.ts';
import {
  type HeaderNames,
  headerRows,
  printLines,
  type SigningOptions,
  secretRows,
  secretsOf,
} from './webhook-options.ts';

interface ListenOptions extends Partial<SigningOptions>, HeaderNames {
  readonly port: number;
  readonly host: string;
  readonly status?: number;
  readonly count?: number;
  readonly json?: boolean;
}

export function addListen(parent: Command, io: CommandIo): void {
  const command = parent
    .command('listen')
    .description('receive deliveries, verify them and print them');
  const always = 'respond to every delivery with this status, to watch the retries';
  addOptions(command, [
    ...secretRows(io, ' (default: none, nothing is verified)'),
    ['--port <n>', 'port to listen on; 0 picks a free one', numberFrom(0, 65_535, true), 9000],
    ['--host <address>', 'address to bind', undefined, '127.0.0.1'],
    ['--status <code>', always, numberFrom(200, 599, true)],
    ['--count <n>', 'stop after this many', numberFrom(1, 999_999_999, true)],
    ...headerRows,
    ['--json', 'print each arrival as one line of JSON'],
  ]);
  addHelp(command, {
    words: [
      'Responds 204 to a delivery that verifies and 400 to one that does not, unless --status says otherwise. Exits with 0 when it is stopped; with --count, with 1 if a delivery did not verify.',
    ],
    examples: ['SECRET=whsec_… npx sandbox webhooks listen --port 3000 --secret-env SECRET'],
  });
  command.action((options: ListenOptions) => listen(io, options));
}

async function listen(io: CommandIo, options: ListenOptions): Promise<void> {
  const { secretEnv, host, port, json, count, status = null } = options;
  const secrets = secretEnv === undefined ? null : secretsOf({ ...options, secretEnv });
  const receiver: Receiver = { ...options, secrets, status, seen: new Set() };
  let [arrived, refused] = [0, 0];
  let enough = () => {};
  const complete = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const onArrival = (arrival: Arrival, body: Uint8Array) => {
    arrived += 1;
    if (arrival.verified === false) refused += 1;
    printLines(io, json ? [jsonText(arrival)] : describeArrival(arrival, body));
    // After the last response has been sent.
    if (arrived === count) setImmediate(enough);
  };
  const server = createServer((request, response) => {
    receive(request, response, receiver, onArrival).catch((error: Error) => {
      // The sender closed the connection early: no response is possible.
      if (!request.destroyed && !response.destroyed) throw error;
    });
  });
  // By default Node drops headers after the first 2000, such as a second signature.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EADDRINUSE') throw new UsageError(`cannot listen on ${host}:${port} (${code})`);
    throw new UsageError(`--port: ${port} is in use; choose another, or 0 for a free one`, 3);
  });
  const bound = server.address() as AddressInfo;
  const address = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  const url = `http://${address}:${bound.port}`;
  printLines(io, [
    json ? jsonText({ event: 'listening', url }) : `listening on ${chalk.bold(url)}`,
  ]);
  await Promise.race([complete, stopped(io)]);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  io.finish(count !== undefined && refused > 0 ? 1 : 0);
}

/** Resolves when the command is stopped. */
function stopped({ stop }: CommandIo): Promise<void> {
  return new Promise((resolve) => {
    stop?.addEventListener('abort', () => resolve());
    for (const signal of endSignals) process.once(signal, () => resolve());
  });
}

interface Receiver extends HeaderNames {
  /** Null: nothing is verified. */
  readonly secrets: ReturnType<typeof secretsOf> | null;
  /** The status of every response; null: 204 for a verified delivery and 400 for any other. */
  readonly status: number | null;
  /** The latest ids of accepted events: a delivery may be repeated (EVT-4). */
  readonly seen: Set<string>;
}

type Arrival = ReturnType<typeof arrivalOf>;

const maxBodyBytes = 10 * 1024 * 1024;
const maxSeen = 10_000;

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  receiver: Receiver,
  onArrival: (arrival: Arrival, body: Uint8Array) => void,
): Promise<void> {
  // Null if it is larger than any delivery can be.
  const body = await new Promise<Uint8Array | null>((resolve) =>
    readBody(request, maxBodyBytes, resolve),
  );
  if (body === null) {
    response.writeHead(413).end();
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end('deliveries are POSTed\n');
    return;
  }
  const arrival = arrivalOf(request, body, receiver);
  // Reported before the response: a sender that has the response can rely on the report.
  onArrival(arrival, body);
  response.writeHead(arrival.answered).end();
}

/** One received delivery, under the names that --json prints. */
function arrivalOf(
  { headers, url = '/' }: IncomingMessage,
  body: Uint8Array,
  { signatureHeader, subscriptionHeader, secrets, status, seen }: Receiver,
) {
  const headerOf = (name: string) => [headers[name.toLowerCase()] ?? []].flat().join() || null;
  const signature = headerOf(signatureHeader);
  const diagnosis = secrets && diagnoseWebhook({ header: signature, body, ...secrets });
  const isAccepted = diagnosis?.verified !== false;
  const { id = null, kind = null, seq = null } = eventIn(body);
  const isAgain = isAccepted && id !== null && seen.has(id);
  if (isAccepted && id !== null) seen.add(id);
  const [oldest] = seen;
  if (seen.size > maxSeen) seen.delete(oldest!);
  return {
    event: 'delivery',
    at_ms: Date.now(),
    path: url,
    subscription_id: headerOf(subscriptionHeader),
    signature,
    body_bytes: body.length,
    event_id: id,
    kind,
    seq,
    seen_before: isAgain,
    verified: diagnosis?.verified ?? null,
    reason: diagnosis?.reason ?? null,
    explanation: diagnosis?.explanation ?? null,
    causes: diagnosis?.causes ?? [],
    answered: status ?? (isAccepted ? 204 : 400),
  };
}

/** The event's id, kind and number, if the body has them; verified or not. */
function eventIn(body: Uint8Array): { id?: string; kind?: string; seq?: number | null } {
  const { id, kind, seq } = Object(parseJson(Buffer.from(body).toString('utf8')));
  if (typeof id !== 'string') return {};
  const number = typeof seq === 'number' ? seq : null;
  return { id, kind: typeof kind === 'string' ? kind : '', seq: number };
}

const whereSecretIs =
  'give --secret-env with the secret that creating or rotating the subscription returned, which the dashboard shows under Webhooks';

function describeArrival(arrival: Arrival, body: Uint8Array): string[] {
  const { event_id: id, kind, seq, subscription_id: subscription, verified, answered } = arrival;
  const time = new Date(arrival.at_ms).toISOString().slice(11, 23);
  const from = subscription === null ? '' : ` to subscription ${subscription}`;
  const number = seq === null ? '' : ` seq ${seq}`;
  const what = id === null ? `${body.length} bytes` : `${kind} ${id}${number}`;
  const again = arrival.seen_before ? chalk.yellow(' (came before)') : '';
  const findings =
    verified === null
      ? [`${chalk.yellow('not verified')}: ${whereSecretIs}`, Buffer.from(body).toString('utf8')]
      : [
          verified
            ? chalk.green('verified')
            : chalk.red(`${arrival.reason}: ${arrival.explanation}`),
          ...describeCauses(arrival.causes),
        ];
  return [
    `${chalk.dim(time)} → POST ${arrival.path} ${what}${from}${again}`,
    ...findings.map((line) => `    ${line}`),
    `← ${answered}`,
  ];
}

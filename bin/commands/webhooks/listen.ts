// `sandbox webhooks listen`: a receiver that verifies what arrives and prints it with its reasons.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import chalk from 'chalk';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { readBody } from '../../../simulator/host/bodies/read-body.ts';
import { diagnoseWebhook } from '../../../simulator/webhooks.ts';
import {
  addHeaderNames,
  type CommandIo,
  type HeaderNames,
  parseHeaderNames,
  parseWhole,
  portInUseExit,
  readSecrets,
  refuseUsage,
  type SecretOptions,
} from '../command-io.ts';
import { addHelp } from '../help-text.ts';
import { describeCauses } from './verify.ts';

interface ListenOptions extends Partial<SecretOptions>, HeaderNames {
  readonly port: string;
  readonly host: string;
  readonly status?: string;
  readonly count?: string;
  readonly json?: boolean;
}

export function addListen(parent: Command, io: CommandIo): void {
  const command = parent
    .command('listen')
    .description('receive deliveries, verify them and print them')
    .option(
      '--secret-env <name>',
      'environment variable that holds the signing secret (default: none, nothing is verified)',
    )
    .option('--port <n>', 'port to listen on; 0 picks a free one', '9000')
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option('--previous-secret-env <name>', 'variable with the secret before the last rotation')
    .option('--status <code>', 'answer this whatever arrives, to see how the sender goes on')
    .option('--count <n>', 'stop after this many');
  addHeaderNames(command).option('--json', 'print each arrival as one line of JSON');
  addHelp(command, {
    words: [
      'Responds 204 to a delivery that verifies and 400 to one that does not, unless --status says otherwise. Exits with 0 when it is stopped; with --count, with 1 if a delivery did not verify.',
    ],
    examples: ['SECRET=whsec_… npx sandbox webhooks listen --port 3000 --secret-env SECRET'],
  });
  command.action((options: ListenOptions) => listen(command, io, options));
}

async function listen(command: Command, io: CommandIo, options: ListenOptions): Promise<void> {
  const { secretEnv, host, json } = options;
  const whole = (option: string, text: string | undefined, range: [number, number]) =>
    text === undefined ? null : parseWhole(command, option, text, range);
  const receiver: Receiver = {
    ...parseHeaderNames(command, options),
    secrets: secretEnv === undefined ? null : readSecrets(command, io, { ...options, secretEnv }),
    status: whole('--status', options.status, [200, 599]),
    seen: new Set(),
  };
  const count = whole('--count', options.count, [1, 999_999_999]);
  const port = parseWhole(command, '--port', options.port, [0, 65_535]);
  let [arrived, refused] = [0, 0];
  let enough = () => {};
  const complete = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const onArrival = (arrival: Arrival, body: Uint8Array) => {
    arrived += 1;
    if (arrival.verified === false) refused += 1;
    for (const line of json ? [jsonText(arrival)] : describeArrival(arrival, body)) io.out(line);
    // Once the answer to the last one is out.
    if (arrived === count) setImmediate(enough);
  };
  const server = createServer((request, response) => {
    receive(request, response, receiver, onArrival).catch((error: Error) => {
      // The sender closed the connection in the middle: no response is possible.
      if (!request.destroyed && !response.destroyed) throw error;
    });
  });
  // Node leaves out what comes after the first 2000, such as a second signature.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    if (error.code !== 'EADDRINUSE') {
      return refuseUsage(command, `cannot listen on ${host}:${port} (${error.code})`);
    }
    const message = `--port: ${port} is in use; choose another, or 0 for a free one`;
    return refuseUsage(command, message, portInUseExit);
  });
  const bound = server.address() as AddressInfo;
  const address = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  const url = `http://${address}:${bound.port}`;
  io.out(json ? jsonText({ event: 'listening', url }) : `listening on ${chalk.bold(url)}`);
  await Promise.race([complete, io.stopped()]);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  io.finish(count !== null && refused > 0 ? 1 : 0);
}

interface Receiver extends HeaderNames {
  /** Without them nothing is verified. */
  readonly secrets: ReturnType<typeof readSecrets> | null;
  /** The status of every response; null: 204 to what verifies and 400 to what does not. */
  readonly status: number | null;
  /** The latest ids of events that were accepted: one may come again (EVT-4). */
  readonly seen: Set<string>;
}

type Arrival = ReturnType<typeof arrivalOf>;

const maxBodyBytes = 10 * 1024 * 1024;
const mostSeen = 10_000;

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  receiver: Receiver,
  onArrival: (arrival: Arrival, body: Uint8Array) => void,
): Promise<void> {
  // Null when it is larger than any delivery could be.
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
  // Reported before it is answered: a sender with the answer can rely on the report.
  onArrival(arrival, body);
  response.writeHead(arrival.answered).end();
}

/** One delivery as it came, under the names that --json prints. */
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
  if (seen.size > mostSeen) seen.delete(oldest!);
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

/** The event's id, kind and number, as far as the body has them; verified or not. */
function eventIn(body: Uint8Array): { id?: string; kind?: string; seq?: number | null } {
  try {
    const { id, kind, seq } = Object(JSON.parse(Buffer.from(body).toString('utf8')));
    if (typeof id !== 'string') return {};
    const number = typeof seq === 'number' ? seq : null;
    return { id, kind: typeof kind === 'string' ? kind : '', seq: number };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
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
    `${chalk.dim(time)} --> POST ${arrival.path} ${what}${from}${again}`,
    ...findings.map((line) => `    ${line}`),
    `<-- ${answered}`,
  ];
}

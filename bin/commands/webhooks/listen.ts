// `sandbox webhooks listen`: a receiver that verifies what arrives and prints it with its reasons.

import chalk from 'chalk';
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { settingSpecs } from '../../../fixtures/settings.ts';
import {
  type CommandIo,
  parseHeaderName,
  parseWhole,
  portInUseExit,
  readSecrets,
  refuseUsage,
  type SecretOptions,
} from '../command-io.ts';
import { addHelp, type HelpText } from '../help-text.ts';
import { describeCauses } from './verify.ts';
import { type Arrival, type Listener, startListener } from './webhook-listener.ts';

interface ListenOptions extends Partial<SecretOptions> {
  readonly port: string;
  readonly host: string;
  readonly status?: string;
  readonly count?: string;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly json?: boolean;
}

const help: HelpText = {
  words: [
    'Responds 204 to a delivery that verifies and 400 to one that does not, unless --status says otherwise. Exits with 0 when it is stopped; with --count, with 1 if a delivery did not verify.',
  ],
  examples: ['SECRET=whsec_… npx sandbox webhooks listen --port 3000 --secret-env SECRET'],
};

export function addListen(parent: Command, io: CommandIo): void {
  const { signature_header, subscription_header } = settingSpecs;
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
    .option('--count <n>', 'stop after this many')
    .option('--signature-header <name>', 'header of the signature', signature_header.default)
    .option('--subscription-header <name>', 'header of the id', subscription_header.default)
    .option('--json', 'print each arrival as one line of JSON');
  addHelp(command, help);
  command.action((options: ListenOptions) => listen(command, io, options));
}

async function listen(command: Command, io: CommandIo, options: ListenOptions): Promise<void> {
  const { secretEnv, previousSecretEnv } = options;
  const secrets =
    secretEnv === undefined
      ? { secret: undefined }
      : readSecrets(command, io, {
          secretEnv,
          ...(previousSecretEnv === undefined ? {} : { previousSecretEnv }),
        });
  const whole = (option: string, text: string | undefined, range: [number, number]) =>
    text === undefined ? null : parseWhole(command, option, text, range);
  const status = whole('--status', options.status, [200, 599]);
  const count = whole('--count', options.count, [1, 999_999_999]);
  const port = parseWhole(command, '--port', options.port, [0, 65_535]);
  const { signatureHeader, subscriptionHeader, host } = options;
  let arrived = 0;
  let refused = 0;
  let enough = () => {};
  const complete = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const onArrival = (arrival: Arrival) => {
    arrived += 1;
    if (arrival.diagnosis?.verified === false) refused += 1;
    if (options.json) io.out(printArrival(arrival));
    else for (const line of describeArrival(arrival)) io.out(line);
    // Once the answer to the last one is out.
    if (arrived === count) setImmediate(enough);
  };
  const listener = await start(command, {
    ...{ port, host, ...secrets, status, onArrival },
    signatureHeader: parseHeaderName(command, '--signature-header', signatureHeader),
    subscriptionHeader: parseHeaderName(command, '--subscription-header', subscriptionHeader),
  });
  const ready = { event: 'listening', url: listener.url };
  io.out(options.json ? jsonText(ready) : `listening on ${chalk.bold(listener.url)}`);
  await Promise.race([complete, io.stopped()]);
  await listener.close();
  io.finish(count !== null && refused > 0 ? 1 : 0);
}

async function start(
  command: Command,
  options: Parameters<typeof startListener>[0],
): Promise<Listener> {
  try {
    return await startListener(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const message = `--port: ${options.port} is in use; choose another, or 0 for a free one`;
      return refuseUsage(command, message, portInUseExit);
    }
    if (code === undefined) throw error;
    return refuseUsage(command, `cannot listen on ${options.host}:${options.port} (${code})`);
  }
}

const whereSecretIs =
  'give --secret-env with the secret that creating or rotating the subscription returned, which the dashboard shows under Webhooks';

function describeArrival(arrival: Arrival): string[] {
  const { event, diagnosis, subscription, answered } = arrival;
  const time = new Date(arrival.atMs).toISOString().slice(11, 23);
  const from = subscription === null ? '' : ` to subscription ${subscription}`;
  const seq = event?.seq == null ? '' : ` seq ${event.seq}`;
  const what = event === null ? `${arrival.bodyBytes} bytes` : `${event.kind} ${event.id}${seq}`;
  const again = arrival.seenBefore ? chalk.yellow(' (came before)') : '';
  if (diagnosis === null) {
    return [
      `${chalk.dim(time)} --> POST ${arrival.path} ${what}${from}${again}`,
      `    ${chalk.yellow('not verified')}: ${whereSecretIs}`,
      `    ${arrival.body}`,
      `<-- ${answered}`,
    ];
  }
  const verdict = diagnosis.verified
    ? chalk.green('verified')
    : chalk.red(`${diagnosis.reason}: ${diagnosis.explanation}`);
  return [
    `${chalk.dim(time)} --> POST ${arrival.path} ${what}${from}${again}`,
    `    ${verdict}`,
    ...describeCauses(diagnosis.causes).map((line) => `    ${line}`),
    `<-- ${answered}`,
  ];
}

function printArrival(arrival: Arrival): string {
  const { diagnosis, event } = arrival;
  return jsonText({
    event: 'delivery',
    at_ms: arrival.atMs,
    path: arrival.path,
    subscription_id: arrival.subscription,
    signature: arrival.signature,
    body_bytes: arrival.bodyBytes,
    event_id: event?.id ?? null,
    kind: event?.kind ?? null,
    seq: event?.seq ?? null,
    seen_before: arrival.seenBefore,
    verified: diagnosis?.verified ?? null,
    reason: diagnosis?.reason ?? null,
    explanation: diagnosis?.explanation ?? null,
    causes: diagnosis?.causes ?? [],
    answered: arrival.answered,
  });
}

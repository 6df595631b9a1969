// `conformance receiver`: tests the signature check of a webhook receiver.
import type { Command } from 'commander';
import { addHelp } from '../help-text.ts';
import { runInterruptibly, systemIo, UsageError } from '../io.ts';
import {
  addOptions,
  headerName,
  matching,
  REQUIRED,
  reads,
  type Secret,
  SIGNATURE,
  SUBSCRIPTION,
  secretFrom,
} from '../options.ts';
import { addReportOptions, optionsOf, type ReportOptions } from './options.ts';

export interface ReceiverOptions extends ReportOptions {
  readonly url: string;
  readonly secretEnv: Secret;
  readonly previousSecretEnv?: Secret;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly subscriptionId: string;
  readonly effectProbe?: string;
  readonly iOwnThisHost?: boolean;
  readonly dryRun?: boolean;
}

export function defineReceiver(command: Command, io = systemIo()): void {
  addHelp(command, {
    words: [
      'Sends a valid delivery first, then deliveries that must be accepted, deliveries that must be refused, and deliveries that only lead to advice. After each group a valid delivery is sent again. `conformance list` shows the checks, `conformance explain ID` shows one of them.',
    ],
    examples: [
      'SECRET=whsec_… npx conformance receiver \\',
      '  --url http://127.0.0.1:3000/hooks --secret-env SECRET',
    ],
    exits: [
      '0 passes every check',
      '1 fails checks',
      '2 usage',
      '3 a valid delivery is refused, so that nothing could be judged',
      '4 not everything could be judged',
      '6 stale baseline',
      '130 interrupted',
    ],
  });
  const secret = secretFrom(io.env);
  const id = matching('an id such as 3', /^[\w.-]{1,100}$/);
  addOptions(command.optionsGroup('Receiver:'), [
    ['--url <url>', 'URL of the receiver, such as http://127.0.0.1:3000/hooks', readUrl, REQUIRED],
    ['--secret-env <name>', 'variable with the signing secret', secret, REQUIRED],
    ['--previous-secret-env <name>', 'variable with the secret before a rotation', secret],
    ['--signature-header <name>', 'header with the signature', headerName, SIGNATURE],
    ['--subscription-header <name>', 'header with the subscription', headerName, SUBSCRIPTION],
    ['--subscription-id <id>', 'value of that header', id, '1'],
    ['--effect-probe <url>', 'returns how often the side effect has happened', readUrl],
    ['--dry-run', 'say what would be sent, and send nothing'],
    ['--i-own-this-host', 'send hostile deliveries beyond this machine'],
  ]);
  addReportOptions(command, 'checks', 'RCV-refuses-*').action(() =>
    runInterruptibly(io, async (stop) => {
      const options = checked(optionsOf<ReceiverOptions>(command));
      const { judgeReceiver } = await import('./judge-receiver.ts');
      return judgeReceiver(options, io, stop);
    }),
  );
}

const readUrl = reads('an http or https URL', (text) =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined,
);

/** Refuses hosts that are not this machine. */
function checked(options: ReceiverOptions): ReceiverOptions {
  const { url, effectProbe, iOwnThisHost: isOwned } = options;
  for (const [option, text] of Object.entries({ '--url': url, '--effect-probe': effectProbe })) {
    const hostname = text === undefined ? 'localhost' : new URL(text).hostname;
    const isLoopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\]|.+\.localhost)$/i.test(hostname);
    if (isLoopback || isOwned) continue;
    const advice = 'add --i-own-this-host if it is yours';
    throw new UsageError(`${option}: ${hostname} is not this machine; ${advice}`);
  }
  return options;
}

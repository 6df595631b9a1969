// `sandbox webhooks send URL`: sends one signed delivery, well made or wrong in one chosen way.

import { type Command, Option } from 'commander';
import { categoryOf, type EventCategory, eventCategories } from '../../../fixtures/event-kinds.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { settingSpecs } from '../../../fixtures/settings.ts';
import { syntaxWords } from '../../../simulator/host/bodies/json-syntax.ts';
import { isLoopbackHost } from '../../../simulator/host/delivery/loopback.ts';
import { defaultToleranceMs } from '../../../simulator/webhooks.ts';
import {
  type CommandIo,
  parseHeaderName,
  parseTime,
  parseWhole,
  readBody,
  readSecrets,
  refuseUsage,
  type SecretOptions,
} from '../command-io.ts';
import { addHelp, type HelpText } from '../help-text.ts';
import { sampleEvent } from './sample-event.ts';
import { describeReport, isAsExpected, printReport, type SendReport } from './send-report.ts';
import { sendWebhook } from './send-webhook.ts';
import { type Signed, signWell, type TamperKind, tamperings, tamperKinds } from './tamper.ts';

interface SendOptions extends SecretOptions {
  readonly category?: EventCategory;
  readonly kind?: string;
  readonly data?: string;
  readonly eventId?: string;
  readonly seq?: string;
  readonly bodyFile?: string;
  readonly subscriptionId: string;
  readonly tamper?: TamperKind;
  readonly at?: string;
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  readonly iOwnThisHost?: boolean;
  readonly timeoutS: string;
  readonly json?: boolean;
}

const help: HelpText = {
  words: [
    'Exits with 0 when the receiver answered as it should: 2xx to a good delivery, anything else to one that is tampered with or signed more than five minutes from now; 1 when it did not; 2 on wrong usage.',
    'Ways to tamper (the receiver should refuse it, if not said otherwise):',
  ],
  list: tamperKinds.map(describeTampering),
  examples: [
    'SECRET=whsec_… npx sandbox webhooks send http://localhost:3000/hooks \\',
    '  --secret-env SECRET --kind transaction.approved --tamper body',
  ],
};

function describeTampering(kind: TamperKind): readonly [string, string] {
  const { story, expect } = tamperings[kind];
  return [kind, `${story}${expect === 'accepted' ? ' (to be accepted)' : ''}`];
}

export function addSend(parent: Command, io: CommandIo): void {
  const { signature_header, subscription_header } = settingSpecs;
  const command = parent
    .command('send <url>')
    .description('send one signed delivery to a receiver')
    .requiredOption('--secret-env <name>', 'environment variable that holds the signing secret')
    .option('--previous-secret-env <name>', 'variable with a previous secret, which signs as well')
    .addOption(new Option('--category <name>', 'category of the event').choices(eventCategories))
    .option('--kind <name>', 'kind of the event, such as transaction.approved')
    .option('--data <json>', 'the event’s data (default: a sample record)')
    .option('--event-id <id>', 'id of the event, a new one each time if left out')
    .option('--seq <n>', 'sequence number of the event')
    .option('--body-file <file>', 'send these bytes instead of an event; - for standard input')
    .option('--subscription-id <id>', 'value of the subscription header', '1')
    .addOption(new Option('--tamper <kind>', 'sign it wrongly (see below)').choices(tamperKinds))
    .option('--at <time>', 'sign it for this time: ISO, epoch milliseconds, or such as -10m')
    .option('--signature-header <name>', 'header of the signature', signature_header.default)
    .option('--subscription-header <name>', 'header of the id', subscription_header.default)
    .option('--i-own-this-host', 'allow a receiver that is not on this machine')
    .option('--timeout-s <seconds>', 'how long the receiver may take', '15')
    .option('--json', 'print what was sent and answered as JSON');
  addHelp(command, help);
  command.action((url: string, options: SendOptions) => send(command, io, url, options));
}

async function send(
  command: Command,
  io: CommandIo,
  text: string,
  options: SendOptions,
): Promise<void> {
  const url = checkTarget(command, text, options.iOwnThisHost === true);
  const secrets = readSecrets(command, io, options);
  const nowMs = io.nowMs();
  const tMs = chooseTime(command, options, nowMs);
  const timeoutS = parseWhole(command, '--timeout-s', options.timeoutS, [1, 3600]);
  const { label, body } = await chooseBody(command, io, options, nowMs);
  const { tamper } = options;
  const sign = tamper === undefined ? signWell : tamperings[tamper].sign;
  const signed = sign({ ...secrets, tMs, body });
  const headers = makeHeaders(command, options, signed);
  const timeoutMs = timeoutS * 1000;
  const answer = await sendWebhook({ url, headers, body: signed.body, timeoutMs });
  const isFresh = Math.abs(nowMs - tMs) <= defaultToleranceMs;
  const wish = tamper === undefined ? 'accepted' : tamperings[tamper].expect;
  const sent = { url, label, tamper: tamper ?? null, headers, body: signed.body };
  const report: SendReport = { sent, answer, expected: isFresh ? wish : 'refused' };
  if (options.json) io.out(printReport(report));
  else for (const line of describeReport(report)) io.out(line);
  io.finish(isAsExpected(report) ? 0 : 1);
}

function checkTarget(command: Command, text: string, isOwned: boolean): string {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    refuseUsage(
      command,
      `"${text}" is not a URL that begins with http:// or https:// and has no user name`,
    );
  }
  if (!isOwned && !isLoopbackHost(url.hostname)) {
    const why = `${url.hostname} is not this machine`;
    refuseUsage(command, `${why}; if you run that host, say so with --i-own-this-host`);
  }
  url.hash = '';
  return url.href;
}

function chooseTime(command: Command, { at, tamper }: SendOptions, nowMs: number): number {
  if (at === undefined) return nowMs;
  if (tamper === 'stale' || tamper === 'future' || tamper === 'seconds') {
    refuseUsage(command, `--at: --tamper ${tamper} sets the time itself; leave one of them out`);
  }
  return parseTime(command, '--at', at, nowMs);
}

async function chooseBody(
  command: Command,
  io: CommandIo,
  options: SendOptions,
  nowMs: number,
): Promise<{ label: string; body: Uint8Array }> {
  const { bodyFile, category, kind, eventId } = options;
  const wishes = { category, kind, data: options.data, eventId, seq: options.seq };
  if (bodyFile !== undefined) {
    const both = Object.entries(wishes).find(([, value]) => value !== undefined);
    if (both) {
      const name = both[0] === 'eventId' ? 'event-id' : both[0];
      refuseUsage(command, `--body-file is sent as it is; leave --${name} out`);
    }
    const body = await readBody(command, io, bodyFile);
    return { label: `${body.length} bytes`, body };
  }
  const named = kind === undefined ? category : (categoryOf(kind) ?? undefined);
  if (kind !== undefined && (named === undefined || (category ?? named) !== named)) {
    const forms = eventCategories.map((each) => `${each}.…`).join(', ');
    const list = category === undefined ? forms : `${category}.… under --category ${category}`;
    refuseUsage(command, `--kind: "${kind}" must be one of ${list}`);
  }
  const data = options.data === undefined ? undefined : parseJson(command, options.data);
  const seq = options.seq && parseWhole(command, '--seq', options.seq, [1, 999_999_999]);
  const event = sampleEvent({ category, kind, data, id: eventId, seq: seq || undefined }, nowMs);
  const label = `${event.kind} ${event.id} seq ${event.seq}`;
  return { label, body: new TextEncoder().encode(JSON.stringify(event)) };
}

function parseJson(command: Command, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuseUsage(command, `--data: is not JSON: ${syntaxWords(text, error)}`);
  }
}

function makeHeaders(
  command: Command,
  options: SendOptions,
  { header }: Signed,
): Record<string, string> {
  const { subscriptionId } = options;
  if (!/^[\x21-\x7e]+$/.test(subscriptionId)) {
    refuseUsage(command, '--subscription-id: must be visible ASCII characters');
  }
  const signatureName = parseHeaderName(command, '--signature-header', options.signatureHeader);
  const idName = parseHeaderName(command, '--subscription-header', options.subscriptionHeader);
  return {
    'content-type': 'application/json',
    [idName]: subscriptionId,
    ...(header === null ? {} : { [signatureName]: header }),
  };
}

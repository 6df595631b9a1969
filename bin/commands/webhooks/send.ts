// `sandbox webhooks send URL`: sends one signed delivery, valid or wrong in one chosen way, and
// reports the response.
import chalk from 'chalk';
import type { Command } from 'commander';
import { Unreachable } from '../../../conformance/engine/scenario-errors.ts';
import { socketSender } from '../../../conformance/engine/send/sender.ts';
import { type Check, isTolerance } from '../../../conformance/receiver/check.ts';
import { tamperings } from '../../../conformance/receiver/checks.ts';
import {
  type Delivery,
  deliveryOf,
  macOf,
  probesOf,
  type SigningOptions as SigningSettings,
} from '../../../conformance/receiver/delivery.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import {
  categoryOf,
  type EventCategory,
  eventCategories,
  likelyKind,
} from '../../../fixtures/event-kinds.ts';
import { eventsOf } from '../../../fixtures/openapi/schemas.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { readJson } from '../../../simulator/host/bodies/json.ts';
import { isLoopbackHost } from '../../../simulator/host/delivery/loopback.ts';
import { defaultToleranceMs } from '../../../simulator/webhooks.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, UsageError } from '../io.ts';
import { addOptions, matching, numberFrom, type Reader, timeFrom } from '../options.ts';
import { suggestIds } from '../suggest-ids.ts';
import {
  type HeaderNames,
  headerRows,
  printLines,
  readBody,
  type SigningOptions,
  secretRows,
  secretsOf,
} from './webhook-options.ts';

interface SendOptions extends SigningOptions, HeaderNames {
  readonly category?: EventCategory;
  readonly kind?: string;
  readonly data?: { readonly json: unknown };
  readonly eventId?: string;
  readonly seq?: number;
  readonly bodyFile?: string;
  readonly subscriptionId: string;
  readonly tamper?: Check;
  readonly at?: number;
  readonly iOwnThisHost?: boolean;
  readonly timeoutS: number;
  readonly json?: boolean;
}

export function addSend(parent: Command, io: CommandIo): void {
  const command = parent
    .command('send <url>')
    .description('send one signed delivery to a receiver');
  const visible = matching('visible ASCII characters', /^[\x21-\x7e]+$/);
  const bytes = 'send these bytes instead of an event; - for standard input';
  const tamper = 'tamper with it like a receiver check, such as byte-changed';
  const tampering: Reader = (option) => (text) => {
    const found = tamperings.get(text.replace(/^RCV-[a-z]+-/, ''));
    if (found !== undefined) return found;
    const near =
      suggestIds(text, [...tamperings.keys()]) || "; `conformance list 'RCV-*'` lists them";
    throw new UsageError(`${option}: there is no receiver check "${text}"${near}`);
  };
  const signedFor = 'sign it for this time: ISO, epoch milliseconds, or such as -10m';
  addOptions(command, [
    ...secretRows(io),
    ['--category <name>', 'category of the event', eventCategories],
    ['--kind <name>', 'kind of the event, such as transaction.approved'],
    ['--data <json>', 'the event’s data (default: a sample record)', () => parseData],
    ['--event-id <id>', 'id of the event (default: a new one)'],
    ['--seq <n>', 'sequence number of the event', numberFrom(1, 999_999_999, true)],
    ['--body-file <file>', bytes],
    ['--subscription-id <id>', 'value of the subscription header', visible, '1'],
    ['--tamper <kind>', tamper, tampering],
    ['--at <time>', signedFor, timeFrom(io.nowMs)],
    ...headerRows,
    ['--i-own-this-host', 'allow a receiver that is not on this machine'],
    ['--timeout-s <seconds>', 'how long the receiver may take', numberFrom(1, 3600, true), 15],
    ['--json', 'print the delivery and the response as JSON'],
  ]);
  addHelp(command, {
    words: [
      'Exit codes: 0 the receiver responded correctly (2xx to a valid delivery, another status to a delivery that is tampered with or signed more than five minutes from now), 1 it did not, 2 usage.',
      '--tamper takes the name of a receiver check without its prefix: byte-changed for RCV-refuses-byte-changed. `conformance list` shows the checks; those that need a special event are not available.',
    ],
    examples: [
      'SECRET=whsec_… npx sandbox webhooks send http://localhost:3000/hooks \\',
      '  --secret-env SECRET --kind transaction.approved --tamper byte-changed',
    ],
  });
  command.action((url: string, options: SendOptions) => send(io, url, options));
}

async function send(io: CommandIo, text: string, options: SendOptions): Promise<void> {
  const { tamper: check, subscriptionId, signatureHeader, subscriptionHeader } = options;
  const url = checkTarget(text, options.iOwnThisHost === true);
  const nowMs = io.nowMs();
  const { at: tMs = nowMs } = options;
  if (options.at !== undefined && check !== undefined) {
    throw new UsageError('--at: --tamper sets the time itself; leave one of them out');
  }
  const { label, body } = await chooseBody(io, options, nowMs);
  const names = { signature: signatureHeader, subscription: subscriptionHeader };
  const { secret, previousSecret = null } = secretsOf(options);
  const signing = { secret, previousSecret, names, subscriptionId, mark: 'sent' };
  // EVT-7: one v1, or two during a rotation.
  const macs = [secret, previousSecret]
    .filter((each) => each !== null)
    .map((each) => `v1=${macOf(each, String(tMs), body)}`);
  const delivery =
    check === undefined
      ? deliveryOf(signing, { body, signature: [[`t=${tMs}`, ...macs].join()] })
      : tampered(check, signing, body);
  const answer = await post(url, delivery, options.timeoutS * 1000);
  const isFresh = Math.abs(nowMs - tMs) <= defaultToleranceMs;
  const isGood = check === undefined || check.group === 'accept' || isTolerance(check);
  const expected = isFresh && isGood ? 'accepted' : 'refused';
  const { status } = answer;
  // EVT-9a: 2xx is acceptance. No response is an error, whatever was expected.
  const isAccepted = status !== null && status >= 200 && status <= 299;
  const asExpected = status !== null && isAccepted === (expected === 'accepted');
  const headers = Object.fromEntries(delivery.headers);
  const tamper = check?.id ?? null;
  const sent = { url, tamper, headers, body: Buffer.from(delivery.body).toString('utf8') };
  const report: Report = { ...sent, ...answer, expected, as_expected: asExpected };
  printLines(io, options.json ? [jsonText(report)] : describe(report, label, check));
  io.finish(asExpected ? 0 : 1);
}

function tampered(check: Check, signing: SigningSettings, body: Uint8Array): Delivery {
  try {
    return probesOf(signing, 'sent', check.difference ?? {}, body)[0]!.delivery;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`--tamper: ${check.title} needs a body in JSON`);
  }
}

function checkTarget(text: string, isOwned: boolean): string {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    const form = 'a URL that begins with http:// or https:// and has no user name';
    throw new UsageError(`"${text}" is not ${form}`);
  }
  if (!isOwned && !isLoopbackHost(url.hostname)) {
    const why = `${url.hostname} is not this machine`;
    throw new UsageError(`${why}; if you run that host, say so with --i-own-this-host`);
  }
  url.hash = '';
  return url.href;
}

async function chooseBody(io: CommandIo, options: SendOptions, nowMs: number) {
  const { bodyFile, category, kind, eventId, data, seq } = options;
  if (bodyFile !== undefined) {
    const both = Object.entries({ category, kind, data, 'event-id': eventId, seq }).find(
      ([, value]) => value !== undefined,
    );
    if (both) throw new UsageError(`--body-file is sent as it is; leave --${both[0]} out`);
    const body = await readBody(io, bodyFile);
    return { label: `${body.length} bytes`, body };
  }
  const own = categoryOf(kind ?? '') ?? undefined;
  const named = kind === undefined ? category : own;
  if (kind !== undefined && (named === undefined || (category ?? named) !== named)) {
    const forms = eventCategories.map((each) => `${each}.…`).join(', ');
    const list = category === undefined ? forms : `${category}.… under --category ${category}`;
    throw new UsageError(`--kind: "${kind}" must be one of ${list}`);
  }
  const meant = likelyKind(kind ?? '');
  if (meant !== null) io.err(`--kind: "${kind}" is sent as it is; did you mean ${meant}?\n`);
  const chosen = named ?? 'transaction';
  const events = eventsOf(defaultSettings).filter(({ categories }) => categories.includes(chosen));
  const like = events.find((each) => each.kind === kind) ?? events[0];
  const event = {
    ...like?.example,
    // A new id each time, so that the receiver does not take it for a duplicate.
    id: eventId ?? `evt_${crypto.randomUUID().replaceAll('-', '')}`,
    seq: seq ?? 1,
    category: chosen,
    kind: kind ?? like?.kind ?? category,
    occurred_at: nowMs,
    ...(data === undefined ? {} : { data: data.json }),
  };
  const label = `${event.kind} ${event.id} seq ${event.seq}`;
  return { label, body: new TextEncoder().encode(JSON.stringify(event)) };
}

function parseData(text: string): SendOptions['data'] {
  const read = readJson(text);
  if ('problem' in read) throw new UsageError(`--data: ${read.problem}`);
  return { json: read.value };
}

/** The response of a receiver; `status` is null if there was none, and `error` says why. */
interface Answer {
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly answer: string;
  readonly duration_ms: number;
}

/** The delivery, the response, and whether it is right, under the names that --json prints. */
interface Report extends Answer {
  readonly url: string;
  /** The id of the check. */
  readonly tamper: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expected: 'accepted' | 'refused';
  readonly as_expected: boolean;
}

const shownBytes = 2_000;

/**
 * Sends one POST, without redirects or retries. EVT-9b: `timeoutMs` covers the whole exchange, even
 * if the response arrives slowly.
 */
async function post(url: string, delivery: Delivery, timeoutMs: number): Promise<Answer> {
  const sender = await socketSender();
  const startMs = performance.now();
  const { headers, body } = delivery;
  const answer = await sender
    .send({ method: 'POST', url, headers, body, timeoutMs, limitBytes: shownBytes, isCut: true })
    .catch((error: unknown) => {
      if (error instanceof Unreachable) return error;
      throw error;
    })
    .finally(() => sender.close());
  const duration_ms = Math.round(performance.now() - startMs);
  if (answer instanceof Unreachable) {
    return { status: null, error: answer.message, answer: '', duration_ms };
  }
  const text = Buffer.from(answer.body).toString('utf8');
  return { status: answer.status, error: null, answer: text, duration_ms };
}

function describe(report: Report, label: string, check: Check | undefined): string[] {
  const { url, headers, status, error, answer, duration_ms: ms, expected } = report;
  const flaw = check === undefined ? '' : chalk.yellow(` (${check.title})`);
  const first = answer.trim().split('\n')[0]?.slice(0, 200) ?? '';
  return [
    `→ POST ${url} ${label}${flaw}`,
    ...Object.entries(headers).map(([name, value]) => chalk.dim(`    ${name}: ${value}`)),
    `← ${status ?? error}, after ${ms} ms`,
    ...(first === '' ? [] : [chalk.dim(`    ${first}`)]),
    ...(report.as_expected
      ? [chalk.green(`✓ the receiver ${expected} it, as it should`)]
      : [chalk.red(`✗ the receiver ${failureOf(report)}`), ...remediesFor(report)]),
  ];
}

function failureOf({ status, expected }: Report): string {
  const should = expected === 'accepted' ? 'accepted it' : 'refused it (any response except 2xx)';
  const wrong = expected === 'accepted' ? 'did not respond with 2xx' : 'accepted it';
  return `${status === null ? 'did not respond' : wrong}, and should have ${should}`;
}

/** The likeliest reasons why a delivery that should have been accepted was refused. */
function remediesFor({ status, expected }: Report): string[] {
  const isRefusal = status !== null && status >= 400 && status < 500;
  if (expected !== 'accepted' || !isRefusal) return [];
  return ['  does the receiver have another secret? It must verify with the one in --secret-env'];
}

// Checks how a client takes a response: permanent refusals, stale tags, large ids, unknown members,
// 200 for 201, text that is not JSON.
import { parseJson } from '../../../fixtures/lenient.ts';
import { Headers } from '../../engine/send/headers.ts';
import { shortKey } from '../../reports/exchanges.ts';
import type { OperationName } from '../../spec/operations.ts';
import {
  createBefore,
  failAtGateway,
  overtake,
  refuseAlways,
  refuseInText,
  statusOf,
  withUnknownMembers,
} from '../faults.ts';
import { idsIn, isLarge, isRounded, withLargeIds } from '../large-ids.ts';
import { crashInParser } from '../parser-crash.ts';
import {
  type ApiCall,
  callsAt,
  chosen,
  endingWords,
  isSuccess,
  type Observation,
  type Recording,
  type Site,
  sitesOf,
  succeeded,
} from '../recording.ts';
import { membersOf, sameRequest } from '../requests.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  everywhere,
  fail,
  missed,
  notMet,
  type Outcome,
  pass,
  seconds,
  unclear,
} from './check.ts';

const codes = [
  'validation_failed',
  'invalid_state',
  'not_found',
  'forbidden',
  'not_implemented',
] as const;
type Refusal = (typeof codes)[number];

const refused: Check = {
  id: 'CLT-refused',
  title: 'a write is refused permanently',
  orders:
    'A write is answered 403, 404, 409 invalid_state, 422 or 501, and so is every repeat of it.',
  expected: 'does not send it again as it is, under whatever key',
  atStake:
    'The response will not change: every repeat uses up the rate limit of requests that can succeed, and hides the mistake from the people who could fix it.',
  mend: 'Repeat only what can succeed: 409 idempotency_in_flight, 429, 500 and 503. Report everything else at once. A corrected request is a new operation under a new key.',
  rules: ['IDEM-4d', 'IDEM-11'],
  aims: ({ sites }) => refusalAims(chosen(sites)),
  aimsPerRun: 1,
  fault: ({ variant }) => refuseAlways(variant ?? 'not_found'),
  judge: judgeRefused,
};

/** The refusals of the platform for each operation, the most specific first. */
const natural: Partial<Readonly<Record<OperationName, readonly Refusal[]>>> = {
  createAccount: ['invalid_state', 'validation_failed', 'forbidden'],
  updateAccount: ['not_found', 'validation_failed', 'forbidden'],
  bulkCreateAccounts: ['validation_failed', 'forbidden'],
  createTransaction: ['validation_failed', 'not_found', 'forbidden'],
  approveTransaction: ['not_implemented', 'invalid_state', 'not_found', 'forbidden'],
  rejectTransaction: ['invalid_state', 'not_found', 'forbidden'],
  cancelTransaction: ['forbidden', 'invalid_state', 'not_found'],
};
const ofPositions: readonly Refusal[] = ['forbidden', 'not_found', 'validation_failed'];

function naturalAt({ operation }: Site): readonly Refusal[] {
  return natural[operation] ?? ofPositions;
}

/** Every site gets a refusal, and every refusal occurs, at a suitable operation if possible. */
function refusalAims(sites: readonly Site[]): Aim[] {
  const [any] = sites;
  if (any === undefined) return [];
  const pairs: [Site, Refusal][] = [];
  const uses = (code: Refusal) => pairs.filter(([, each]) => each === code).length;
  for (const site of sites) {
    const [code] = naturalAt(site).toSorted((a, b) => uses(a) - uses(b));
    pairs.push([site, code ?? 'forbidden']);
  }
  for (const code of codes.filter((each) => uses(each) === 0)) {
    pairs.push([sites.find((site) => naturalAt(site).includes(code)) ?? any, code]);
  }
  return pairs.map(([site, code]) => {
    const words = `${site.words}, answered ${statusOf(code)} ${code}`;
    return { id: `${site.id} ${code}`, site, variant: code, words };
  });
}

function judgeRefused(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const { site } = aim;
  if (site === null) return missed(aim);
  const failed = recording.calls.filter((call) => call.fault !== null);
  const [first] = failed;
  if (first === undefined) return missed(aim);
  const summary = `the write was answered ${first.response?.status} ${aim.variant}`;
  const same = failed.filter((call) => sameRequest(first, call));
  // A test may send one request twice on purpose, to show that it converges.
  const [again] = same.slice(site.calls);
  if (again !== undefined) {
    const later = seconds(again.atMs - (first.answeredAtMs ?? first.atMs));
    const how = again.key === first.key ? 'under the same key' : `under ${shortKey(again.key)}`;
    const words = `${summary}, and sent again as it was, ${how}, ${later} later`;
    return fail('sent-again', words, same);
  }
  const renamed = failed.filter((call) => call.site !== site.id && !sameRequest(first, call));
  const now = sitesOf(recording, site.operation).length;
  if (renamed.length > 0 && now > sitesOf(seen.first, site.operation).length) {
    const words = `${summary}, and sent again with only its reference changed`;
    return fail('sent-again', words, [first, ...renamed]);
  }
  const { ending } = recording;
  if (ending.killed) {
    return advise('hangs', `${summary}; it was not sent again, but ${endingWords(ending)}`, [
      first,
    ]);
  }
  return pass(`${summary}, and not sent again`, [first]);
}

const staleTag: Check = {
  id: 'CLT-stale-tag',
  title: 'another client updates first (412)',
  orders:
    'Just before each update arrives, another client changes the same account: the update is answered 412 revision_conflict.',
  expected:
    'does not repeat with that tag, reads the account again, and sends under a new tag and a new key, or ends with an error',
  atStake:
    'Two people edit one customer. A client that does not read again silently undoes the work of the other one, or drops its own.',
  mend: 'On 412 read the account again, apply the change to what it is now, and send it as a new operation: a new tag, a new key.',
  rules: ['UPD-7', 'UPD-12'],
  aims: ({ sites }) =>
    aimsAt(chosen(sites.filter(({ operation }) => operation === 'updateAccount'))),
  aimsPerRun: 1,
  fault: () => overtake(),
  judge: judgeStale,
};

function tagOf({ headers }: ApiCall): string | null {
  return new Headers(headers).get('if-match')?.trim() ?? null;
}

/** How often the first run sends under a stale tag, as a test of the 412 does on purpose. */
function staleOnPurpose({ first }: Observation): number {
  const updates = first.calls.filter(({ operation }) => operation === 'updateAccount');
  return updates.filter(({ response }) => response?.status === 412).length;
}

function judgeStale(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const failed = callsAt(recording, aim.site?.id).find((call) => call.fault !== null);
  if (failed === undefined || failed.response?.status !== 412) return missed(aim);
  const { ending } = recording;
  const updates = recording.calls.filter(
    ({ n, operation, path }) =>
      n > failed.n && operation === 'updateAccount' && path === failed.path,
  );
  const summary = `the update under the tag ${tagOf(failed)} was answered 412`;
  const underIt = updates.filter((call) => tagOf(call) === tagOf(failed));
  const stale = underIt[staleOnPurpose(seen)];
  if (stale !== undefined) {
    return fail('same-tag', `${summary}, and sent again with the same tag`, [failed, stale]);
  }
  const next = updates.find((call) => !underIt.includes(call));
  if (next === undefined) return judgeLeft(recording, failed, summary);
  if (tagOf(next) === null) {
    return fail('no-tag', `${summary}, and sent again without any tag`, [failed, next]);
  }
  if (next.key === failed.key) {
    const words = `${summary}, and sent again with a new tag under the old key, which replays the 412`;
    return fail('same-key', words, [failed, next]);
  }
  const read = recording.calls.find(
    (call) => call.n > failed.n && call.n < next.n && shows(call, tagOf(next)),
  );
  if (read === undefined) {
    const words = `${summary}, and sent again with the tag ${tagOf(next)}, which no response had shown`;
    return fail('guessed-tag', words, [failed, next]);
  }
  if (ending.killed) {
    return advise('hangs', `${summary}, read again and sent; but ${endingWords(ending)}`, [next]);
  }
  return pass(`${summary}, read again, and sent under a new tag and a new key`, [
    failed,
    read,
    next,
  ]);
}

function judgeLeft(recording: Recording, failed: ApiCall, summary: string): Outcome {
  const { ending } = recording;
  const end = endingWords(ending);
  if (ending.code !== 0) return pass(`${summary}, and the command ${end}`, [failed]);
  const read = recording.calls.find(({ n, method }) => n > failed.n && method === 'GET');
  if (read !== undefined) {
    const words = `${summary}; it read again, sent nothing, and the command ${end}`;
    return advise('left', words, [failed, read]);
  }
  const words = `${summary}, it was not sent again, and the command ${end} as if it had succeeded`;
  return fail('taken-for-done', words, [failed]);
}

/** A response that shows the tag, in its header or as the revision of an account. */
function shows({ response }: ApiCall, tag: string | null): boolean {
  if (response === null || tag === null) return false;
  if (new Headers(response.headers).get('etag') === tag) return true;
  return revisionsIn(parseJson(response.body)).includes(tag.replaceAll('"', ''));
}

function revisionsIn(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(revisionsIn);
  const members = membersOf(json);
  const own = members.revision;
  const inner = Object.values(members).flatMap((value) =>
    typeof value === 'object' ? revisionsIn(value) : [],
  );
  return typeof own === 'number' ? [String(own), ...inner] : inner;
}

const largeIds: Check = {
  id: 'CLT-large-ids',
  title: 'ids begin above 2^53',
  orders: 'Every id of accounts, transactions and positions is larger than 9007199254740992.',
  expected: 'never names a rounded id',
  atStake:
    'A program that reads such an id as a number rounds it, and the rounded id belongs to another account, which gets the deposit.',
  mend: 'Keep ids as the strings that they are: beyond 2^53 a double skips every second whole number. Where a list gives them as JSON numbers, read those with a parser that keeps all digits.',
  rules: ['CONV-1a', 'CONV-1b', 'CONV-3'],
  aims: ({ first }) => (first.calls.length > 0 ? [everywhere] : []),
  aimsPerRun: 1,
  fault: () => withLargeIds,
  judge: judgeLargeIds,
};

function judgeLargeIds(recording: Recording, _: Aim, seen: Observation): Outcome {
  // Ids in the client's own first requests may be its own, and were never enlarged.
  const own = new Set(seen.first.calls.flatMap((call) => idsIn(call)));
  const named = recording.calls.flatMap((call) => idsIn(call).map((id) => ({ call, id })));
  const wrong = named.find(({ id }) => isRounded(id) && !own.has(id));
  if (wrong !== undefined) {
    return fail('rounded', `it names the id ${wrong.id}, which no response has shown`, [
      wrong.call,
    ]);
  }
  const large = named.filter(({ id }) => isLarge(id)).map(({ call }) => call);
  if (!succeeded(recording)) {
    // Events keep their ids, so a client that waits for an event waits for another id.
    const { calls, followsEvents } = seen.first;
    const listens = calls.some(({ operation }) => operation === 'createWebhook');
    if (listens || followsEvents)
      return notMet('it waits for events, whose ids are left as they are');
    const end = endingWords(recording.ending);
    const words = `no rounded id was named, but with ids above 2^53 the command ${end}`;
    return advise('no-success', words, large.slice(-1));
  }
  if (large.length === 0) return notMet('it names no id that it was given');
  return pass(`it named ${large.length} large ids as they were given`, large.slice(0, 3));
}

/** How many intents of an operation were accepted. */
function accepted({ calls }: Recording, operation: OperationName): number {
  return sitesOf({ calls: calls.filter(isSuccess) }, operation).length;
}

/** It must succeed as before, with every write of the first run. */
function judgeAsBefore(recording: Recording, seen: Observation, what: string): Outcome {
  const { ending } = recording;
  if (ending.killed) {
    return fail('hangs', `${what}, and the command ${endingWords(ending)}`);
  }
  if (!succeeded(recording)) {
    const last = recording.calls.slice(-1);
    return fail('no-success', `${what}, and the command ${endingWords(ending)}`, last);
  }
  for (const { operation } of seen.sites) {
    const [before, now] = [seen.first, recording].map((each) => accepted(each, operation));
    if (now! >= before!) continue;
    const words = `${what}, and of ${before} ${operation} as before only ${now} came`;
    return fail('left-out', words, recording.calls.slice(-1));
  }
  return pass(`${what}, and it succeeded as before`);
}

const unknownFields: Check = {
  id: 'CLT-unknown-fields',
  title: 'responses have members that are not known yet',
  orders:
    'Every response has members of a later version, in another order, printed with spaces and line breaks.',
  expected: 'succeeds as before',
  atStake:
    'The platform adds a field, as it may on any day, and every client that counts fields stops.',
  mend: 'Read the members that you need by name, and ignore all others.',
  rules: ['ACC-18', 'TXN-8'],
  aims: ({ first }) => (first.calls.length > 0 ? [everywhere] : []),
  aimsPerRun: 1,
  fault: () => withUnknownMembers,
  judge: (recording, _, seen) =>
    judgeAsBefore(recording, seen, 'responses had unknown members in another order'),
};

const creates: readonly string[] = ['createAccount', 'createTransaction', 'bulkCreateAccounts'];

const converged: Check = {
  id: 'CLT-converged',
  title: 'the reference exists already',
  orders: 'Just before each create the same create has run: it is answered 200 instead of 201.',
  expected: 'succeeds as before',
  atStake:
    'The record is there, exactly as wanted, and the client reports that it could not be made.',
  mend: 'Treat any 2xx as success: 200 means that the reference names this record already, which is what was wanted.',
  rules: ['ACC-5', 'TXN-2', 'IDEM-12'],
  aims: ({ sites }) => aimsAt(sites.filter(({ operation }) => creates.includes(operation))),
  aimsPerRun: 20,
  fault: () => createBefore(),
  judge: (recording, aim, seen) => {
    const failed = callsAt(recording, aim.site?.id).find((call) => call.fault !== null);
    if (failed === undefined || failed.response?.status !== 200) return missed(aim);
    const outcome = judgeAsBefore(
      recording,
      seen,
      'the create was answered 200, as the record existed',
    );
    return outcome.calls.length > 0 ? outcome : { ...outcome, calls: [failed.n] };
  },
};

const texts = ['422 in plain text', '502 in HTML'] as const;

const plainText: Check = {
  id: 'CLT-plain-text',
  title: 'a response is not JSON',
  orders:
    'A write is refused with 422 in plain text, or meets a gateway that answers 502 with a page of HTML.',
  expected: 'ends in order: no crash in its JSON parser, no endless wait',
  atStake:
    'The log has "Unexpected token <" instead of what went wrong, and no one can tell whether the payment was made.',
  mend: 'Look at the status and the content type before you parse: without JSON, report the status and the first line of the text.',
  rules: ['ERR-2'],
  aims: ({ sites }) => textAims(chosen(sites)),
  aimsPerRun: 1,
  fault: ({ variant }) => (variant === texts[0] ? refuseInText() : failAtGateway()),
  judge: judgePlainText,
};

/** Every site gets one of the two texts, and both occur. */
function textAims(sites: readonly Site[]): Aim[] {
  if (sites.length === 0) return [];
  return Array.from({ length: Math.max(sites.length, texts.length) }, (_, n) => {
    const site = sites[n % sites.length]!;
    const variant = texts[n % texts.length]!;
    return { id: `${site.id} ${variant}`, site, variant, words: `${site.words}, ${variant}` };
  });
}

function judgePlainText(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const failed = recording.calls.filter((call) => call.fault !== null);
  if (failed.length === 0) return missed(aim);
  const { ending } = recording;
  const summary = `the write was answered ${aim.variant}`;
  if (ending.killed) {
    return fail(
      'endless',
      `${summary}, and the command ${endingWords(ending)}`,
      failed.slice(0, 3),
    );
  }
  const crash = crashInParser(ending.output, seen.first.ending.output);
  if (crash !== null) {
    return fail('parser-crash', `${summary}, and its parser broke: ${crash}`, failed.slice(0, 1));
  }
  if (ending.code === null) {
    return unclear('crashed', `${summary}, and the command ${endingWords(ending)}`, failed);
  }
  return pass(`${summary}, and the command ${endingWords(ending)}`, failed.slice(0, 3));
}

export const responseChecks: readonly Check[] = [
  ...[refused, staleTag, largeIds, unknownFields, converged, plainText],
];

// Checks how a client parses responses: large ids, unknown members, 200 for 201, text that is not
// JSON.
import type { OperationName } from '../../spec/operations.ts';
import { createBefore, failAtGateway, refuseInText, withUnknownMembers } from '../faults.ts';
import { idsIn, isLarge, isRounded, withLargeIds } from '../large-ids.ts';
import { crashInParser } from '../parser-crash.ts';
import {
  callsAt,
  chosen,
  endingWords,
  isSuccess,
  type Observation,
  type Recording,
  type Site,
  succeeded,
} from '../recording.ts';
import { isWrite } from '../requests.ts';
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
  unclear,
} from './check.ts';

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

/** How many intents of each operation were accepted. */
function accepted({ calls }: Recording): Map<OperationName, number> {
  const sites = new Map<OperationName, Set<string>>();
  for (const { operation, site } of calls.filter(isSuccess)) {
    if (operation === null || site === null) continue;
    sites.set(operation, (sites.get(operation) ?? new Set()).add(site));
  }
  return new Map([...sites].map(([operation, own]) => [operation, own.size]));
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
  const now = accepted(recording);
  for (const [operation, count] of accepted(seen.first)) {
    const made = now.get(operation) ?? 0;
    if (!isWrite(operation) || made >= count) continue;
    const words = `${what}, and of ${count} ${operation} as before only ${made} came`;
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

export const shapeChecks: readonly Check[] = [largeIds, unknownFields, converged, plainText];

// How every repeat is judged: the same key, the same request, no second record.
import { shortKey } from '../../reports/exchanges.ts';
import { type ApiCall, type ApiResponse, endingWords, type Recording, succeeded } from '../call.ts';
import type { FollowUp } from '../follow-up.ts';
import { followUp } from '../follow-up.ts';
import { parseJson } from '../json.ts';
import { isSuccess, type Observation } from '../observation.ts';
import { isWrite, membersOf } from '../operations.ts';
import { type Aim, advise, fail, missed, type Outcome, pass, seconds, unclear } from './check.ts';

export interface RepeatRule {
  /** `its answer was lost`. */
  readonly after: string;
  /** The verdict on a client that ends with an error instead of repeating. */
  readonly givingUp: 'passed' | 'advisory' | 'fails';
  /** Whether a command that fails after its repeat was served is wrong. */
  readonly mustSucceed: boolean;
}

/** A wrong way to repeat; null: there is none in this run. */
export function wrongRepeat({ struck, ...then }: FollowUp, after: string): Outcome | null {
  const key = shortKey(struck.key);
  const [rekeyed] = then.rekeyed;
  if (rekeyed !== undefined) {
    const how =
      rekeyed.key === null ? 'without a key' : `under a new key, ${shortKey(rekeyed.key)}`;
    const later = seconds(rekeyed.atMs - struck.atMs);
    const first = `${after} (call ${struck.n}, key ${key})`;
    const words = `${first}, and ${later} later it was sent again ${how}`;
    return withDouble(fail('new-key', words, [struck, rekeyed]), struck, rekeyed);
  }
  const [changed] = then.changed;
  if (changed !== undefined) {
    const words = `${after} (call ${struck.n}), and its key ${key} came again with another body`;
    return fail('changed-body', words, [struck, changed]);
  }
  const [renamed] = then.renamed;
  if (renamed !== undefined) {
    const words = `${after} (call ${struck.n}), and it was sent again under another reference`;
    return withDouble(fail('new-reference', words, [struck, renamed]), struck, renamed);
  }
  return null;
}

/** Adds what the second call made, if both have run. */
function withDouble(outcome: Outcome, struck: ApiCall, again: ApiCall): Outcome {
  const name = struck.operation === 'openPosition' ? 'position_id' : 'id';
  const [first, second] = [struck, again].map(({ fate, response }) =>
    fate === 'request_lost' || fate === 'refused' ? undefined : idIn(response, name),
  );
  if (first === undefined || second === undefined || first === second) return outcome;
  const actual = `${outcome.actual}: now there are two of it, ${first} and ${second}`;
  return { ...outcome, actual, doubled: true };
}

function idIn(response: ApiResponse | null, name = 'id'): string | undefined {
  const { [name]: id } = membersOf(parseJson(response?.body ?? ''));
  return isSuccess(response?.status ?? null) && typeof id === 'string' ? id : undefined;
}

export function judgeRepeats(
  recording: Recording,
  aim: Aim,
  seen: Observation,
  rule: RepeatRule,
): Outcome {
  const then = aim.site === null ? null : followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const wrong = wrongRepeat(then, rule.after);
  if (wrong !== null) return wrong;
  const { struck, repeats } = then;
  if (repeats.length === 0) return judgeLeft(recording, then, rule);
  const shown = [struck, ...repeats];
  const later = seconds(repeats[0]!.atMs - struck.atMs);
  const again = `repeated after ${later} with the same key and the same body`;
  if (isSuccess(then.last) && succeeded(recording)) return pass(again, shown);
  const end = endingWords(recording.ending);
  if (isSuccess(then.last) && wentOn(recording, repeats.at(-1)!.n)) return pass(again, shown);
  if (recording.ending.killed) {
    return unclear('killed', `${again}; the command ${end} before it could show more`, shown);
  }
  const words = `${again}, which was answered ${then.last ?? 'nothing'}; yet the command ${end}`;
  return rule.mustSucceed ? fail('no-success', words, shown) : advise('no-success', words, shown);
}

/** Something else was wanted afterwards, so what came before did not end the client. */
function wentOn({ calls }: Recording, n: number): boolean {
  const site = calls.find((call) => call.n === n)?.site;
  return calls.some((call) => call.n > n && call.site !== null && call.site !== site);
}

function judgeLeft(recording: Recording, { struck }: FollowUp, rule: RepeatRule): Outcome {
  const { ending } = recording;
  const end = endingWords(ending);
  if (ending.killed) {
    const words = `${rule.after}, it was not repeated, and the command ${end}`;
    return unclear('killed', words, [struck]);
  }
  const read = findRead(recording, struck);
  if (read !== null) {
    const words = `${rule.after}; it was not repeated, for a read showed that it had run`;
    const isFirst = recording.calls
      .slice(struck.n, read.n)
      .every(({ operation }) => !isWrite(operation));
    // A list that is asked for later may show it by chance.
    return isFirst ? pass(words, [struck, read]) : advise('read-later', words, [struck, read]);
  }
  if (ending.code === 0) {
    const words = `${rule.after}; it was never repeated, and yet the command ${end}`;
    return fail('taken-for-done', `${words} as if everything had succeeded`, [struck]);
  }
  const words = `${rule.after}; it was not repeated, and the command ${end}`;
  if (rule.givingUp === 'fails') {
    return fail('gave-up', `${words}, although a repeat would have succeeded`, [struck]);
  }
  const so = `${words}: nothing is lost, since nothing was sent twice`;
  return rule.givingUp === 'passed'
    ? pass(so, [struck])
    : advise('gave-up', `${so}; but its caller does not know whether it ran`, [struck]);
}

/** A read that shows what the write made, so that the client need not repeat it. */
function findRead({ calls }: Recording, struck: ApiCall): ApiCall | null {
  const id = struck.fate === 'refused' ? undefined : idIn(struck.response);
  if (id === undefined) return null;
  const shown = new RegExp(`"id"\\s*:\\s*"${id}"`);
  const isShown = ({ n, method, response }: ApiCall) =>
    n > struck.n &&
    method === 'GET' &&
    isSuccess(response?.status ?? null) &&
    shown.test(response?.body ?? '');
  return calls.find(isShown) ?? null;
}

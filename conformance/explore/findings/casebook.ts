// What an exploration has found so far: each difference once, and what turned out to be open.
import { acrossOperations, type Difference, signatureOf } from '../compare/difference.ts';
import { sameValue } from '../draw/scene.ts';
import type { Excuse } from '../open/case.ts';
import type { Found } from './investigate.ts';
import { rulesFor } from './rules.ts';
import { evidenceOf, statusOf } from './signs/evidence.ts';
import { titleOf } from './title.ts';

/** Of one signature, unless something was found. */
const MOST_LOOKS = 3;

export class Casebook {
  readonly inconclusive: string[] = [];
  /** Open questions that differences turned out to be of, with how often. */
  readonly open = new Map<string, number>();
  readonly #unexplained = new Map<string, Found>();
  readonly #found = new Map<string, Found>();
  /** The first that broke a rule in a way. */
  readonly #causes = new Map<string, Found>();
  /** How often each signature was looked at, as it was met before anything was shrunk. */
  readonly #looks = new Map<string, number>();
  readonly #openAs = new Map<string, Excuse>();

  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  /** Differences from what the model does by no rule: its own assumptions, so nobody is accused. */
  get unexplained(): readonly Found[] {
    return [...this.#unexplained.values()];
  }

  /**
   * Whether a difference of this signature is known, and need not be looked at; it is counted once
   * more then. What was open, or was not met again, may be another thing the next time.
   */
  knows(difference: Difference): boolean {
    const signature = signatureOf(difference);
    const everywhere =
      this.#found.get(acrossOperations(difference)) ??
      this.#causes.get(lastingMember(difference) ?? '');
    const all = [...this.found, ...this.unexplained];
    const known = everywhere ?? all.find(({ metAs }) => metAs.has(signature));
    if (known !== undefined) known.times += 1;
    if (known !== undefined) return true;
    const looks = (this.#looks.get(signature) ?? 0) + 1;
    this.#looks.set(signature, looks);
    if (looks <= MOST_LOOKS) return false;
    const open = this.#openAs.get(signature);
    if (open !== undefined) this.excuse(open);
    return true;
  }

  excuse({ question, why }: Excuse): void {
    const name = question ?? why;
    this.open.set(name, (this.open.get(name) ?? 0) + 1);
  }

  /** From now on whatever has this signature is of this question. */
  isOpen(signature: string, excuse: Excuse): void {
    this.#openAs.set(signature, excuse);
    this.excuse(excuse);
  }

  /** One defect is told once, however often and however it is met. */
  add(found: Found, met: string): void {
    const { difference, elsewhere } = found;
    const own = signatureOf(difference);
    const signature = elsewhere === undefined ? own : acrossOperations(difference);
    const [rule] = rulesFor(found);
    const all = rule === undefined ? this.#unexplained : this.#found;
    const cause = rule === undefined ? signature : causeOf(rule, difference);
    const known = all.get(signature) ?? this.#causes.get(cause) ?? this.#plainerThan(found);
    if (known === undefined || isPlainer(found, known)) {
      this.#takeIn(found);
      found.metAs.add(met).add(signature);
      all.set(signature, found);
      this.#causes.set(cause, found);
      return;
    }
    known.times += 1;
    if (!known.metAs.has(signature)) known.also.add(titleOf(found));
    known.metAs.add(met).add(signature);
  }

  /** The plainest repeat that ran again, of which this one is a consequence. */
  #plainerThan(found: Found): Found | undefined {
    const own = ranAgain(found);
    if (own === undefined) return undefined;
    return this.found.find((each) => {
      const other = ranAgain(each);
      return other?.isPlain === true && other.operation === own.operation;
    });
  }

  /** What was told before its plainest form was known. */
  #takeIn(found: Found): void {
    const own = ranAgain(found);
    if (own?.isPlain !== true) return;
    for (const [signature, each] of this.#found) {
      if (each === found || ranAgain(each)?.operation !== own.operation) continue;
      this.#found.delete(signature);
      found.times += each.times;
      for (const title of [titleOf(each), ...each.also]) found.also.add(title);
      for (const name of each.metAs) found.metAs.add(name);
      for (const [cause, told] of this.#causes) if (told === each) this.#causes.set(cause, found);
    }
  }
}

/**
 * What a record has from its creation on and no operation changes: where it is wrong, it is so by
 * one defect, whichever answer shows it. Undefined of anything else.
 */
function lastingMember({ operation, at }: Difference): string | undefined {
  const isLasting =
    /^body\.(created_at|currency|client_reference_id|(account|trading_account|brand|firm)_id)$/;
  const record = /Account|Transaction|Webhook/.exec(operation)?.[0];
  return record !== undefined && isLasting.test(at) ? `${record} | ${at}` : undefined;
}

/** Of a repeat that ran again any part of the answer may be the first that differs. */
const REPEATED = /^IDEM-4[abc]$/;
/** What holds of keys alike in all operations. */
const OF_KEYS = /^IDEM-(1|5|6|7|14|15)/;

/**
 * The same where one rule is broken in one way, whichever operation has shown it: that is one
 * defect more often than two.
 */
function causeOf(rule: string, difference: Difference): string {
  const { at, modelAnswer, targetAnswer } = difference;
  const lasting = lastingMember(difference);
  if (lasting !== undefined) return lasting;
  if (at === 'replay.bytes') return at;
  if (REPEATED.test(rule)) return 'IDEM-4';
  // IDEM-4d: one refusal may be kept and another not.
  if (rule === 'IDEM-4d') return `${rule} | ${modelAnswer}`;
  if (OF_KEYS.test(rule)) return rule;
  const place = at.split(/[^a-z_-]/).at(-1) || at;
  const isAnswer = at === 'status' || at === 'code';
  return [rule, place, ...(isAnswer ? [modelAnswer, targetAnswer] : [])].join(' | ');
}

/**
 * A repeat that ran again. Where the plainest one of an operation does, no key is kept for it at
 * all: that its refusals and its repeats after a while run too is the same defect.
 */
interface RanAgain {
  /** Decisions share their keys' subject, the account (IDEM-10). */
  readonly operation: string;
  /** An exact repeat at once of what was served: nothing else can be the reason. */
  readonly isPlain: boolean;
}

function isPlainer(found: Found, known: Found): boolean {
  const [own, other] = [ranAgain(found), ranAgain(known)];
  return own?.isPlain === true && other?.isPlain === false && own.operation === other.operation;
}

/** Undefined where the model repeats nothing, or the target has repeated it in other bytes. */
function ranAgain(found: Found): RanAgain | undefined {
  const { call, others, difference, due, isReplayed, isAtOnce, hasPaused } = evidenceOf(found);
  if (call === undefined || !isReplayed || isAtOnce || difference.at === 'replay.bytes') {
    return undefined;
  }
  const isDecision = /^(approve|reject|cancel)T/.test(call.operation);
  const first = others.find(
    ({ operation, key }) => operation === call.operation && sameValue(key, call.key),
  );
  const isExact =
    first !== undefined &&
    first.as === call.as &&
    sameValue(first.id, call.id) &&
    sameValue(first.body, call.body);
  const isPlain = isExact && !hasPaused && statusOf(due) < 300;
  return { operation: isDecision ? 'a decision' : call.operation, isPlain };
}

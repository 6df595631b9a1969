// IDEM-4d, IDEM-4a, IDEM-4b, IDEM-5: one refusal repeated under its key, and the corrected request
// after it.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { bytesWithRequestIdOf, expectOwnRequestIds, isReplayOf } from './is-replay-of.ts';

export type Send = (key: string) => Promise<Answer>;

/**
 * A request that is refused, and the same without its fault, which its key must not let through.
 */
export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly send: Send;
  /** The subject is the same; under a key of its own it would be served. */
  readonly corrected?: Send;
}

/** What was seen of the kinds so far. */
export interface Seen {
  /** True once a refusal that was certainly kept came with another request_id (IDEM-5). */
  renumbered: boolean;
}

/** What a scenario lists that judges kinds. */
export const REFUSAL_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4d', 'IDEM-5'] as const;

export async function judgeKinds(
  t: ScenarioContext,
  kinds: readonly Refused[],
  seen: Seen = { renumbered: false },
): Promise<Seen> {
  for (const kind of kinds) {
    const words = `a ${kind.status} ${kind.code} under one key`;
    await t.branch(REFUSAL_RULES, words, async () => {
      const { first, again, corrected } = await tryKind(t, kind);
      if (corrected === undefined && seen.renumbered) return;
      const numbered = sameNumber(again, first);
      const kept = isKept(first, again, corrected);
      // Its bytes are judged below.
      const replayed = kept || numbered === true;
      const status = again.status === first.status;
      const [shown, detail] = [corrected ?? again, again.at('detail') === first.at('detail')];
      t.expect('IDEM-4d', shown)
        .is(
          `the first refusal again: ${describeAnswer(first)}`,
          replayed,
          describeAnswer(shown),
          first,
          again,
        )
        .is(`with its status: ${first.status}`, status, describeAnswer(again), first)
        .is(`with its code: ${first.code}`, again.code === first.code, describeAnswer(again), first)
        .is('with the detail that it had', detail, describeAnswer(again), first);
      if (replayed) {
        const same = `${first.status}, as in exchange ${first.n}`;
        t.expect('IDEM-4a', again).is(same, status, again.summary, first);
      } else if (!status) await t.branch('IDEM-4a', words, notKept);
      if (!kept) return await t.branch(['IDEM-4b', 'IDEM-5'], words, notKept);
      // Where the corrected one shows that replays keep their number, this refusal came before the
      // key was looked up at all: that is not what a replay does (IDEM-8).
      const stored = corrected && [first, again].some((each) => sameNumber(corrected, each));
      if (numbered === false && stored === true) return;
      await judgeKept(t, first, again, seen);
    });
  }
  return seen;
}

/** The bytes and numbers of a repeat that is known to be the refusal kept under its key. */
export async function judgeKept(
  t: ScenarioContext,
  first: Answer,
  again: Answer,
  seen: Seen,
): Promise<void> {
  if (sameNumber(again, first) === false) seen.renumbered = true;
  expectSameBytes(t, first, again);
  await expectOwnRequestIds(t, first, [again]);
}

async function tryKind(t: ScenarioContext, kind: Refused) {
  const key = t.fresh.key();
  const first = await kind.send(key);
  if (first.status !== kind.status || (first.code ?? kind.code) !== kind.code) {
    throw new Blocked(`expected to be refused with ${kind.status}, but ${first.summary}`);
  }
  const again = await kind.send(key);
  const corrected = await kind.corrected?.(key);
  return { first, again, corrected };
}

async function notKept(): Promise<void> {
  throw new Blocked('what is not kept as it was cannot be compared any further');
}

/**
 * A refusal made anew bears the number of its own call, which a replay does not (IDEM-5). Where a
 * body has none, or replays are given new ones, the corrected request tells.
 */
function isKept(first: Answer, again: Answer, corrected: Answer | undefined): boolean {
  if (!isReplayOf(again, first)) return false;
  const numbered = sameNumber(again, first);
  if (numbered === true) return true;
  return corrected === undefined ? numbered === undefined : isReplayOf(corrected, first);
}

/** Undefined where the bodies have no request_id. */
function sameNumber(again: Answer, first: Answer): boolean | undefined {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  return id === undefined ? undefined : id === idBefore;
}

/** IDEM-5 where only the request_id differs, IDEM-4b where anything else does. */
function expectSameBytes(t: ScenarioContext, first: Answer, again: Answer): void {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  const words = `request_id of the first attempt: ${JSON.stringify(idBefore)}`;
  t.expect('IDEM-5', again).is(words, id === idBefore, JSON.stringify(id), first);
  const same = bytesWithRequestIdOf(again, first) === first.text;
  const bytes = `the ${first.body.length} bytes of exchange ${first.n}`;
  const expected = `${bytes}: ${describeAnswer(first)}`;
  t.expect('IDEM-4b', again).is(expected, same, again.text.slice(0, 300), first);
}

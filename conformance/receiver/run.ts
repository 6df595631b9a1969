// One run against a receiver: a valid delivery first, the checks group by group, and a valid
// delivery again after each group.
import { setTimeout as pause } from 'node:timers/promises';
import type { Selection } from '../engine/run/select.ts';
import type { Exchange } from '../engine/types.ts';
import { mannerChecks } from './behaviour.ts';
import type { Check } from './check.ts';
import { checksOf, groupsInOrder } from './checks.ts';
import { type SigningOptions, validDelivery } from './delivery.ts';
import { diagnose } from './diagnose.ts';
import {
  type CheckResult,
  describeExchange,
  isAccepted,
  isGone,
  isUnreached,
  type Judgement,
  judgeCheck,
  judgeEnded,
  leaksMac,
  unjudged,
} from './judge.ts';
import { Interrupted, openProbeSender } from './probe-sender.ts';
import { type EffectCounter, judgeEffects } from './side-effects.ts';

export interface ReceiverRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly results: readonly CheckResult[];
  /** Why nothing was judged; null if the first valid delivery was accepted. */
  readonly refused: string | null;
  readonly interrupted: boolean;
  /** Additional measurements, one sentence each. */
  readonly observed: readonly string[];
}

export interface ReceiverRunOptions {
  readonly url: string;
  readonly signing: SigningOptions;
  readonly effects: EffectCounter | null;
  readonly selection?: Selection;
  /** Ends the run; results so far are kept. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: CheckResult, done: number, total: number) => void;
}

/** How long the supervisor of a receiver may take to restart it. */
const returnLimitMs = 5000;
const returnStepMs = 250;
const interruptedWords = 'interrupted before it was judged';

export async function runReceiver(options: ReceiverRunOptions): Promise<ReceiverRun> {
  const { url, signing, effects, selection, signal, onResult } = options;
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const sender = await openProbeSender(url, startedAtMs, signal);
  /** The checks of this run, in the order of the report. */
  const wanted = checksOf(effects !== null, selection);
  const results: CheckResult[] = [];
  const observed: string[] = [];
  const valid: Exchange[] = [];
  const leaking: Exchange[] = [];
  const repeated = new Set<Check>();
  let refused: string | null = null;
  /** Checks of the current group, until the valid delivery after it decides whether they count. */
  let played: CheckResult[] = [];

  /** The first result of a check is kept. */
  const add = (result: CheckResult) => {
    if (results.some(({ check }) => check === result.check)) return;
    results.push(result);
    onResult?.(result, results.length, wanted.length);
  };

  /** Marks every check that has no result as not judged. */
  const addRest = (why: string, isWanted: (check: Check) => boolean = () => true) => {
    for (const check of wanted.filter(isWanted)) {
      add({ check, judgement: unjudged(check, why), exchanges: [] });
    }
  };

  const addManners = (isWanted: (judgement: Judgement) => boolean = () => true) => {
    for (const check of mannerChecks) {
      const { shown: exchanges, ...judgement } = check.judge(valid, leaking);
      if (!wanted.includes(check) || !isWanted(judgement)) continue;
      add({ check, judgement, exchanges });
    }
  };

  /** Adds the checks of a group to the results; `why` invalidates all except failures. */
  const settle = (why: string | null) => {
    for (const each of played) {
      const isKept = why === null || each.judgement.verdict === 'deviates';
      add(isKept ? each : { ...each, judgement: unjudged(each.check, why) });
    }
    played = [];
  };

  const sendValid = (name: string) =>
    sender.send(validDelivery(signing, `${name}-${sender.sentCount()}`));

  /** Sends a valid delivery that counts for the response times. */
  const sendControl = async (): Promise<Exchange> => {
    const exchange = await sendValid('control');
    valid.push(exchange);
    return exchange;
  };

  /** All deliveries of a check, up to the first one without a response. */
  const sendProbes = async (check: Check): Promise<readonly Exchange[]> => {
    const exchanges: Exchange[] = [];
    for (const probe of check.probes(signing)) {
      const exchange = await sender.send(probe.delivery);
      exchanges.push(exchange);
      if (leaksMac(probe, exchange)) leaking.push(exchange);
      if (exchange.response === null) break;
    }
    if (check.group === 'accept') valid.push(...exchanges);
    return exchanges;
  };

  /** Judges the check at which the receiver ended, and returns its id. */
  const blame = (check: Check, exchanges: readonly Exchange[], control: Exchange): string => {
    const reached = exchanges.filter((each) => !isUnreached(each));
    const before = played.at(-1);
    const isOwn = reached.length > 0 || before === undefined;
    if (!isOwn) played.pop();
    const blamed = isOwn ? { check, exchanges: reached } : before;
    const judgement = judgeEnded(blamed.check, blamed.exchanges, control);
    played.push({ check: blamed.check, judgement, exchanges: [...blamed.exchanges, control] });
    return blamed.check.id;
  };

  const hasReturned = async (): Promise<boolean> => {
    const untilMs = performance.now() + returnLimitMs;
    while (performance.now() < untilMs) {
      await pause(returnStepMs);
      if (isAccepted(await sendValid('return'))) return true;
    }
    return false;
  };

  /** Returns why the run cannot continue, if the receiver terminated and does not restart. */
  const playCheck = async (check: Check): Promise<string | null> => {
    const exchanges = await sendProbes(check);
    const last = exchanges.at(-1);
    const control = last !== undefined && isGone(last) ? await sendControl() : null;
    if (control === null || !isGone(control)) {
      played.push({ check, judgement: judgeCheck(check, exchanges), exchanges });
      return null;
    }
    const blamed = blame(check, exchanges, control);
    if (!(await hasReturned())) return `the receiver went away when ${blamed} was sent`;
    if (blamed === check.id) return null;
    // The delivery never reached the receiver, so it is sent again.
    if (repeated.has(check)) return 'the receiver went away again and again';
    repeated.add(check);
    return playCheck(check);
  };

  /** Returns why the run cannot continue; null while valid deliveries are accepted. */
  const playGroup = async (checks: readonly Check[]): Promise<string | null> => {
    for (const check of checks) {
      const gone = await playCheck(check);
      if (gone === null) continue;
      settle(null);
      return gone;
    }
    const control = await sendControl();
    // The refusals of a receiver that no longer accepts anything prove nothing.
    const why = isAccepted(control)
      ? null
      : `a valid delivery was no longer accepted (${describeExchange(control)})`;
    settle(why);
    return why;
  };

  const playAll = async (): Promise<void> => {
    const control = await sendControl();
    if (!isAccepted(control)) {
      refused = await diagnose(signing, control, sender.send);
      return addRest(refused);
    }
    let lost: string | null = null;
    for (const group of groupsInOrder) {
      const checks = wanted.filter((each) => each.group === group);
      if (lost === null && checks.length > 0) lost = await playGroup(checks);
    }
    if (lost !== null) {
      observed.push(`The run ended early: ${lost}.`);
      addRest(lost, ({ group }) => group !== 'behaviour');
    }
    addManners();
    if (lost !== null) return addRest(lost);
    if (effects === null) {
      observed.push('Side effects were not counted, because --effect-probe is missing.');
      return;
    }
    for (const result of await judgeEffects(effects, wanted, signing, sender.send)) add(result);
  };

  /** Earlier results are kept; an interrupted delivery does not count against the receiver. */
  const interrupt = () => {
    if (results.length + played.length === 0) refused = interruptedWords;
    played = played.filter(({ judgement }) => judgement.verdict === 'deviates');
    settle(null);
    addManners(({ verdict }) => verdict === 'deviates');
    addRest(interruptedWords);
  };

  try {
    await playAll();
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    interrupt();
  } finally {
    await sender.close();
  }
  const durationMs = performance.now() - startedAtMs;
  const [requests, interrupted] = [sender.sentCount(), signal?.aborted ?? false];
  return { startedAt, durationMs, requests, results, refused, interrupted, observed };
}

// One run against a receiver: a valid delivery first, the checks group by group, and a valid
// delivery again after each group.
import { setTimeout as pause } from 'node:timers/promises';
import type { Selection } from '../engine/run/select.ts';
import { Unreachable } from '../engine/scenario-errors.ts';
import { socketSender } from '../engine/send/sender.ts';
import type { Exchange } from '../engine/types.ts';
import { type EffectCounter, judgeEffects, mannerChecks } from './behaviour.ts';
import type { Check } from './check.ts';
import { checksOf, groupsInOrder } from './checks.ts';
import { type Delivery, type SigningOptions, validDelivery } from './delivery.ts';
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

export interface ReceiverRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  /** In the order of the checks. */
  readonly results: readonly CheckResult[];
  /** Why nothing was judged; null if the first valid delivery was accepted. */
  readonly refused: string | null;
  readonly interrupted: boolean;
  /** Additional measurements, one sentence each. */
  readonly observed: readonly string[];
}

interface ReceiverRunOptions {
  readonly url: string;
  readonly signing: SigningOptions;
  readonly effects: EffectCounter | null;
  readonly selection?: Selection;
  /** Ends the run; results so far are kept. */
  readonly signal?: AbortSignal;
  readonly onResult?: (done: number, total: number) => void;
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
  const wanted = checksOf(effects !== null, selection);
  const results = new Map<Check, CheckResult>();
  const observed: string[] = [];
  /** Exchanges that count for the response times. */
  const valid: Exchange[] = [];
  const leaking: Exchange[] = [];
  const repeated = new Set<Check>();
  let refused: string | null = null;
  /** Checks of the current group, until the valid delivery after it decides whether they count. */
  let played: CheckResult[] = [];

  /** The first result of a check is kept. */
  const add = (result: CheckResult) => {
    if (results.has(result.check)) return;
    results.set(result.check, result);
    onResult?.(results.size, wanted.length);
  };

  const addUnjudged = (why: string) => {
    for (const check of wanted) add({ check, judgement: unjudged(check, why), exchanges: [] });
  };

  const addManners = (isWanted: (judgement: Judgement) => boolean = () => true) => {
    for (const check of mannerChecks.filter((each) => wanted.includes(each))) {
      const { shown: exchanges, ...judgement } = check.judge(valid, leaking);
      if (isWanted(judgement)) add({ check, judgement, exchanges });
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

  /** Judges the check at which the receiver ended: this one, or the one before if none of it arrived. */
  const blame = (check: Check, exchanges: readonly Exchange[], control: Exchange): Check => {
    const reached = exchanges.filter((each) => !isUnreached(each));
    const before = reached.length > 0 ? undefined : played.pop();
    const blamed = before ?? { check, exchanges: reached };
    const judgement = judgeEnded(blamed.check, blamed.exchanges, control);
    played.push({ check: blamed.check, judgement, exchanges: [...blamed.exchanges, control] });
    return blamed.check;
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
    if (!(await hasReturned())) return `the receiver went away when ${blamed.id} was sent`;
    if (blamed === check) return null;
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
      return addUnjudged(refused);
    }
    let lost: string | null = null;
    for (const group of groupsInOrder) {
      const checks = wanted.filter((each) => each.group === group);
      if (lost === null && checks.length > 0) lost = await playGroup(checks);
    }
    addManners();
    if (lost !== null) {
      observed.push(`The run ended early: ${lost}.`);
      return addUnjudged(lost);
    }
    if (effects === null) {
      observed.push('Side effects were not counted, because --effect-probe is missing.');
      return;
    }
    for (const result of await judgeEffects(effects, wanted, signing, sender.send)) add(result);
  };

  /** Earlier results are kept; an interrupted delivery does not count against the receiver. */
  const interrupt = () => {
    if (results.size + played.length === 0) refused = interruptedWords;
    played = played.filter(({ judgement }) => judgement.verdict === 'deviates');
    settle(null);
    addManners(({ verdict }) => verdict === 'deviates');
    addUnjudged(interruptedWords);
  };

  try {
    await playAll();
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    interrupt();
  } finally {
    await sender.close();
  }
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    requests: sender.sentCount(),
    results: wanted.flatMap((check) => results.get(check) ?? []),
    refused,
    interrupted: signal?.aborted ?? false,
    observed,
  };
}

/** EVT-9b: a receiver that takes longer than 15 s has failed. */
const timeoutMs = 16_000;
/** The rest of a longer response is not judged. */
const limitBytes = 65_536;

/** The run was stopped; deliveries in flight show nothing about the receiver. */
class Interrupted extends Error {}

/** Sends deliveries to a receiver and records the exchanges, byte for byte. */
export async function openProbeSender(
  url: string,
  startedAtMs: number,
  signal: AbortSignal = new AbortController().signal,
) {
  const sender = await socketSender();
  let sent = 0;
  /** Rejects with `Interrupted` once the run is stopped. */
  const send = async (delivery: Delivery): Promise<Exchange> => {
    if (signal.aborted) throw new Interrupted();
    sent += 1;
    const n = sent;
    const { headers, body, chunked } = delivery;
    const request = { method: 'POST', url, headers, body };
    const chunks = chunked ? { chunks: inChunks(delivery) } : {};
    const beganMs = performance.now();
    const result = await sender
      .send({ ...request, ...chunks, timeoutMs, limitBytes, isCut: true, signal })
      .then((response) => ({ response, failure: null }))
      .catch((error: unknown) => {
        if (signal.aborted) throw new Interrupted();
        if (error instanceof Unreachable) return { response: null, failure: error.message };
        throw error;
      });
    // The sender adds this header itself.
    const shown = chunked ? [...headers, ['transfer-encoding', 'chunked'] as const] : headers;
    return {
      ...{ n, kind: 'delivery', as: null, request: { ...request, headers: shown }, ...result },
      atMs: Math.round(beganMs - startedAtMs),
      durationMs: Math.round(performance.now() - beganMs),
    };
  };
  return { send, sentCount: () => sent, close: () => sender.close() };
}

/** Long enough for the receiver to read the chunks separately. */
const cutPauseMs = 20;

async function* inChunks({ body, cutsAt }: Delivery): AsyncGenerator<Uint8Array> {
  if (cutsAt === undefined) {
    for (let at = 0; at < body.byteLength; at += 48) yield body.slice(at, at + 48);
    return;
  }
  let from = 0;
  for (const to of cutsAt) {
    yield body.slice(from, to);
    await pause(cutPauseMs);
    from = to;
  }
  yield body.slice(from);
}

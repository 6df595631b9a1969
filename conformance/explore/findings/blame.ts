// Names the rules that a difference breaks. Models with one named deviation each are tried: if one
// does what the target did, it names the rule. Otherwise the rules that the model's answer cites name
// it, together with the place of the difference.

import { keyOf } from '../compare/answers.ts';
import { type Difference, isLike, rulesOf } from '../compare/difference.ts';
import { hasAgreed, type Reference } from '../compare/reference.ts';
import { hasBursts } from '../compare/run.ts';
import type { Coverage } from '../draw/corpus.ts';
import type { Models, Variant } from '../model.ts';
import { isFurther } from '../open/other-answer.ts';
import { answersIn, type CallOutcome, type Outcome, summaryOf } from '../play/outcome.ts';
import { type CallStep, callsOf, type Step, sameValue } from '../sequence.ts';
import type { Shown } from './found.ts';

const BY_PLACE: readonly (readonly [place: RegExp, rules: readonly string[]])[] = [
  [/^header\.etag/, ['ACC-19']],
  [/^header\.x-request-id/, ['ERR-4', 'IDEM-5']],
  [/^header\.(x-ratelimit|retry-after)/, ['LIM-6', 'LIM-8']],
  [/^header\.content-type/, ['ERR-1a', 'ERR-2']],
  [/^body\.(request_id|errors|title|detail)$/, ['ERR-1a']],
  [/^replay\./, ['IDEM-4b', 'IDEM-4c', 'IDEM-4a']],
  [/^attempt\.operation/, ['IDEM-3']],
  [/^attempt\.credential/, ['IDEM-2b']],
  [/^attempt/, ['IDEM-2a', 'IDEM-2c']],
  [/^order/, ['POS-4', 'POS-3']],
  [/^signature\.t/, ['EVT-5b']],
  [/^signature/, ['EVT-6', 'EVT-7']],
  [/^subscription header|^method/, ['EVT-3']],
  [/^envelope\.id/, ['EVT-2b', 'EVT-2a']],
  [/^envelope/, ['EVT-2a']],
  [/^count/, ['EVT-4', 'EVT-1', 'EVT-12', 'EVT-13', 'IDEM-4c']],
  [/^(entries|balance)/, ['TXS-10', 'TXS-4', 'TXS-1']],
  [/(^|\.)is_ftd$/, ['TXS-2']],
  [/(^|\.)secret$/, ['HOOK-3', 'HOOK-4']],
  [/(^|\.)(record_id)/, ['CONV-3']],
  [/(^|\.)phone$/, ['ACC-11']],
  [/(^|\.)amount$/, ['CONV-2a']],
  [/(^|\.)method$/, ['TXN-6']],
  [/(^|\.)(first_name|last_name)$/, ['UPD-3', 'ACC-13']],
  [/(^|\.)(country|language)$/, ['ACC-14', 'UPD-3']],
  [/^body\.rows\.\d+\.(id|client_reference_id)$/, ['BULK-2']],
  [/(^|\.)(total|created|failed)$/, ['BULK-4', 'BULK-2']],
  [/^body\.rows/, ['BULK-3', 'BULK-2']],
  [/(^|\.)last_delivered_seq$/, ['EVT-10a', 'EVT-12', 'EVT-13', 'EVT-1']],
  [/(^|\.)revision$/, ['UPD-1', 'ACC-19']],
];

const BY_OPERATION: Readonly<Record<string, string>> = {
  ...{ createAccount: 'ACC-1', updateAccount: 'UPD-1', bulkCreateAccounts: 'BULK-1' },
  ...{ openPosition: 'POS-1', closePosition: 'POS-1', createTransaction: 'TXN-1' },
  ...{ approveTransaction: 'TXS-1', rejectTransaction: 'TXS-6', cancelTransaction: 'TXS-8' },
  ...{ createWebhook: 'HOOK-1', listWebhooks: 'HOOK-11', getWebhook: 'HOOK-11' },
  ...{ rotateWebhookSecret: 'HOOK-4', disableWebhook: 'HOOK-5', issueToken: 'AUTH-3a' },
  ...{ delivery: 'EVT-4', ledger: 'TXS-10' },
};

export interface Blame {
  /** The most likely first; empty if no rule defines the correct behavior. */
  readonly rules: readonly string[];
  readonly variant?: Variant;
  /** The variant also explains the first, long sequence. */
  readonly isSure?: boolean;
}

/** `met` is the play that first showed the difference. */
export async function blame(
  shown: Shown,
  met: Shown,
  reference: Reference,
  variants: Models['variants'],
  coverage: Coverage,
): Promise<Blame> {
  const { ofAnswer, likely, refusing } = likelyRules(shown, coverage);
  const rank = (rule: string) => likely.indexOf(rule) >>> 0;
  const rankOf = ({ breaks }: Variant) => Math.min(...breaks.map(rank));
  const isLikely = ({ breaks }: Variant) => breaks.some((rule) => likely.includes(rule));
  const ownRules = ofAnswer.filter((rule) => !rule.startsWith('NS-'));
  // Unlikely rules are tried if some rule decides, and no order of concurrent calls is searched.
  const isWide = ownRules.length > 0 && !hasBursts(shown.recorded.sequence);
  const ranked = variants
    .filter((each) => isWide || isLikely(each))
    .sort((one, other) => rankOf(one) - rankOf(other));
  // A rule of the refusal that came is likelier than a coincidence in a short sequence.
  const cited = refusing.length > 0 ? refusing : likely;
  let sure: Variant | undefined;
  let likelier: Variant | undefined;
  for (const variant of ranked) {
    if (!(await explains(variant, shown, reference))) continue;
    if (await showsInSeries(variant, shown, reference)) continue;
    // Several deviations explain a short sequence: the right one explains the first, long one too.
    const inWhole = await explains(variant, met, reference);
    if (inWhole !== undefined) sure ??= variant;
    if (inWhole === 'all') sure = variant;
    if (inWhole === 'all') break;
    if (variant.breaks.some((rule) => cited.includes(rule))) likelier ??= variant;
  }
  const named = sure ?? likelier;
  // If neither a rule of the model nor the place decides, it is an assumption of the model.
  if (named === undefined) return { rules: ownRules };
  const rules = [...named.breaks].sort((one, other) => rank(one) - rank(other));
  return { rules, variant: named, isSure: sure !== undefined };
}

function likelyRules(
  { difference, recorded, compared }: Shown,
  { rules: counts, refusals }: Coverage,
) {
  const { at, operation, basis, form = [], modelAnswer, targetAnswer, n } = difference;
  const { steps } = recorded.sequence;
  const byPlace = BY_PLACE.filter(([place]) => place.test(at)).flatMap(([, rules]) => rules);
  const calls = callsOf(steps).filter((each) => each.n !== n);
  const citesOf = (all: readonly CallStep[]) =>
    all.flatMap((each) => {
      const outcome = compared.model.outcomes.get(each.n);
      return outcome?.kind === 'answer' ? rulesOf(outcome.basis) : [];
    });
  const own = BY_OPERATION[operation] ?? 'ERR-3';
  // A rule that an answer of the same operation cites, and that was kept there, is less likely.
  const kept = new Set(citesOf(calls.filter((each) => each.operation === operation)));
  // The rule that the fewest answers cite is the most specific one.
  const rarity = (rule: string) => counts.get(rule) ?? 0;
  const cited = [...rulesOf(basis)].sort((one, other) => rarity(one) - rarity(other));
  const doubtful = cited.filter((rule) => !kept.has(rule));
  const ofCites = [
    ...doubtful,
    ...(doubtful.length < 1 && cited.length > 0 ? [own] : []),
    ...cited,
  ];
  const isReplay = basis?.idempotency === 'replayed' || basis?.idempotency === 'in_flight';
  // A refusal of a call that has to be served applies the rule of such refusals where it does not hold.
  const isDue = at === 'status' && Number.parseInt(modelAnswer, 10) < 400 && !isReplay;
  const refusing = (isDue && refusals.get(`${operation} ${targetAnswer}`)) || [];
  const isForeign = at.startsWith('attempt');
  const first = [
    ...[form].flat(),
    ...(at === 'no_answer' ? [own] : []),
    ...(isForeign ? byPlace : []),
    ...keptFailureAt(recorded, n),
    ...(isLateRepeat(steps, n) ? LATE_REPEAT : []),
    ...rulesAtOnce(steps),
    ...refusing,
    ...(/^(status|code|no_answer)$/.test(at) || isReplay ? ofCites : []),
    ...[...byPlace, ...ofCites],
  ];
  const ofAnswer = [...new Set(first.length > 0 ? first : [own])];
  // Those of earlier answers come last, the latest first.
  const before = [...citesOf(calls.reverse()), own];
  // The place tells for sure that the answer is that of another call.
  const likely = isForeign ? byPlace : [...new Set([...ofAnswer, ...before])];
  return { ofAnswer, likely, refusing };
}

/** A failure that passes is not kept under its key (IDEM-6): the rule of each. */
const NEVER_KEPT: Readonly<Record<number, string>> = {
  429: 'IDEM-6a',
  503: 'IDEM-6b',
  500: 'IDEM-6c',
};

/** The rule, if the target answers a call with the passing failure of an earlier one under its key. */
export function keptFailureAt({ target }: Shown['recorded'], n: number): readonly string[] {
  const calls = answersIn(target.outcomes);
  const own = calls.find((each) => each.n === n);
  const rule = NEVER_KEPT[own?.status ?? 0];
  if (own === undefined || rule === undefined || keyOf(own) === undefined) return [];
  const isFirst = (each: CallOutcome) =>
    each.n !== n && each.status === own.status && keyOf(each) === keyOf(own);
  return calls.some(isFirst) ? [rule] : [];
}

const LATE_REPEAT = ['IDEM-7b', 'IDEM-7a'];
/** After a shorter pause the lifetime of a key does not matter. */
const LATE_MS = 3_600_000;

function isLateRepeat(steps: readonly Step[], n: number): boolean {
  const last = callsOf(steps).find((each) => each.n === n);
  const isRepeated = (step: Step) =>
    callsOf([step]).some((each) => each.n !== n && sameValue(each.key, last?.key));
  const at = steps.findIndex(isRepeated);
  const isLong = (step: Step) => step.do === 'advance' && step.byMs >= LATE_MS;
  return at >= 0 && steps.slice(at).some(isLong);
}

/** The rules about calls that are sent at once: shrinking has shown that the difference needs that. */
function rulesAtOnce(steps: readonly Step[]): readonly string[] {
  const calls = steps.flatMap((step) => (step.do === 'burst' ? step.calls : []));
  const hasRepeat = calls.some(({ key }, at) =>
    calls.slice(at + 1).some((other) => sameValue(other.key, key)),
  );
  const isOf = (names: RegExp) => calls.some(({ operation }) => names.test(operation));
  return [
    ...(hasRepeat ? ['IDEM-15', 'IDEM-14a'] : []),
    ...(isOf(/^update/) ? ['UPD-12'] : []),
    ...(isOf(/^(approve|reject|cancel)/) ? ['TXS-4'] : []),
  ];
}

/**
 * Whether the deviation shows without concurrent calls as well. If the calls of a shrunk sequence are
 * concurrent, the target has shown nothing in series.
 */
async function showsInSeries(
  variant: Variant,
  { recorded: { sequence } }: Shown,
  reference: Reference,
): Promise<boolean> {
  if (!hasBursts(sequence)) return false;
  const inSeries = (step: Step): readonly Step[] => (step.do === 'burst' ? step.calls : [step]);
  const series = sequence.steps.flatMap(inSeries);
  const [own, other] = await Promise.all([reference.play(series), reference.play(series, variant)]);
  const summaries = (all: readonly Outcome[] = []) =>
    all.map((each) => (each.kind === 'answer' ? summaryOf(each) : each.kind)).join();
  return summaries(own) !== summaries(other);
}

/**
 * How much of a run a model with this deviation explains: all of it, or the difference, after which
 * others show that were not compared before. Undefined: not even the difference.
 */
async function explains(
  variant: Variant,
  { recorded, compared, difference }: Shown,
  reference: Reference,
): Promise<'all' | 'difference' | undefined> {
  const { differences, open, why } = await reference.compareWith(recorded, {}, variant);
  // Open differences mask the rest: with more of them nothing is explained.
  if (why !== undefined || open.length > compared.open.length) return undefined;
  if (differences.some((each) => isLike(each, difference))) return undefined;
  const isSeen = (each: Difference) =>
    compared.differences.some((one) => isLike(each, one)) ||
    (reference.isKnown(each) && !hasAgreed(compared, each));
  const others = differences.filter((each) => !isSeen(each));
  if (others.length === 0) return 'all';
  // A deviation that differs where the model agrees explains nothing.
  const isLater = (each: Difference) =>
    each.n === difference.n
      ? difference.at.startsWith('body.') && isFurther(difference, each)
      : each.n > difference.n && !hasAgreed(compared, each);
  return others.every(isLater) ? 'difference' : undefined;
}

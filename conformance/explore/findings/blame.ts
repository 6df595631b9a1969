// Names the rules that a difference breaks: the model is made wrong in named ways, one after the
// other, and the one under which it does what the target did says which. Else the rules that the
// model's answer rests on say it, and the place where the two differ.

import { likenessOf, rulesOf } from '../compare/difference.ts';
import { type CompareOptions, compareRun } from '../compare/run.ts';
import type { Model, Variant } from '../model.ts';
import { callsOf } from '../sequence.ts';
import type { Shown } from './found.ts';

/** So many wrong models are tried, the likeliest first. */
const MOST_VARIANTS = 60;

/** Rules about a part of an answer, whichever operation gives it. */
const BY_PLACE: readonly (readonly [place: RegExp, rules: readonly string[]])[] = [
  [/^header\.etag/, ['ACC-19']],
  [/^header\.x-request-id/, ['ERR-4', 'IDEM-5']],
  [/^header\.(x-ratelimit|retry-after)/, ['LIM-6', 'LIM-8']],
  [/^header\.content-type/, ['ERR-1a', 'ERR-2']],
  [/^body\.(type)$/, ['ERR-1b']],
  [/^body\.(request_id|errors|title|detail)$/, ['ERR-1a']],
  [/^replay\./, ['IDEM-4b', 'IDEM-4c', 'IDEM-4a']],
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
  [/(^|\.)(total|created|failed)$/, ['BULK-4', 'BULK-2']],
  [/^body\.rows/, ['BULK-3', 'BULK-2']],
  [/(^|\.)last_delivered_seq$/, ['EVT-10a']],
  [/(^|\.)revision$/, ['UPD-1', 'ACC-19']],
];

/** The rule that a call of each operation is right by, where nothing else is known. */
const BY_OPERATION: Readonly<Record<string, string>> = {
  createAccount: 'ACC-1',
  updateAccount: 'UPD-1',
  bulkCreateAccounts: 'BULK-1',
  openPosition: 'POS-1',
  closePosition: 'POS-1',
  createTransaction: 'TXN-1',
  approveTransaction: 'TXS-1',
  rejectTransaction: 'TXS-6',
  cancelTransaction: 'TXS-8',
  createWebhook: 'HOOK-1',
  listWebhooks: 'HOOK-11',
  getWebhook: 'HOOK-11',
  rotateWebhookSecret: 'HOOK-4',
  disableWebhook: 'HOOK-5',
  issueToken: 'AUTH-3a',
  delivery: 'EVT-4',
  ledger: 'TXS-10',
};

export interface BlameOptions {
  readonly variants: (rules: ReadonlySet<string>) => readonly Variant[];
  /** Compares with another model than the one it was found with. */
  readonly compareWith: <T>(
    model: Model,
    compare: (options: CompareOptions) => Promise<T>,
  ) => Promise<T>;
  readonly settings: Readonly<Record<string, unknown>>;
}

export async function rulesBroken(shown: Shown, options: BlameOptions): Promise<readonly string[]> {
  const likely = likelyRules(shown);
  const named = await variantFor(shown, likely, options);
  // What no rule of the model decides, and no place does, is an assumption of its own.
  const rules = [...rankedBreaks(named, likely), ...likely];
  return [...new Set(rules)].filter((rule) => !rule.startsWith('NS-'));
}

/** The rules that the answer rests on, that its place is about, and that the last change rests on. */
function likelyRules({ difference, recorded, compared }: Shown): readonly string[] {
  const { at, operation, basis } = difference;
  const isAnswer = at === 'status' || at === 'code' || at === 'no_answer';
  const byPlace = BY_PLACE.filter(([place]) => place.test(at)).flatMap(([, rules]) => rules);
  const ofAnswer = rulesOf(basis);
  const calls = callsOf(recorded.sequence.steps).filter(({ n }) => n !== difference.n);
  const before = calls.reverse().flatMap(({ n }) => {
    const outcome = compared.model.outcomes.get(n);
    return outcome?.kind === 'answer' ? rulesOf(outcome.basis) : [];
  });
  const own = BY_OPERATION[operation] ?? 'ERR-3';
  const isReplay = basis?.idempotency === 'replayed' || basis?.idempotency === 'in_flight';
  const first = isAnswer || isReplay ? [...ofAnswer, ...byPlace] : [...byPlace, ...ofAnswer];
  return [...new Set([...first, ...(first.length > 0 ? [] : [own]), ...before, own])];
}

const rankedBreaks = (
  variant: Variant | undefined,
  likely: readonly string[],
): readonly string[] => {
  const rank = (rule: string) => likely.indexOf(rule) >>> 0;
  return [...(variant?.breaks ?? [])].sort((one, other) => rank(one) - rank(other));
};

async function variantFor(
  shown: Shown,
  likely: readonly string[],
  { variants, compareWith, settings }: BlameOptions,
): Promise<Variant | undefined> {
  const rank = ({ breaks }: Variant) =>
    Math.min(...breaks.map((rule) => likely.indexOf(rule) >>> 0));
  const ranked = [...variants(new Set(likely))].sort((one, other) => rank(one) - rank(other));
  const wanted = likenessOf(shown.difference);
  const before = new Set(shown.compared.differences.map(likenessOf));
  for (const variant of ranked.slice(0, MOST_VARIANTS)) {
    const model = await variant.open(settings);
    try {
      const { differences, why } = await compareWith(model, (options) =>
        compareRun(shown.recorded, options),
      );
      const likenesses = differences.map(likenessOf);
      const explains = likenesses.every((each) => each !== wanted && before.has(each));
      if (why === undefined && explains) return variant;
    } finally {
      await model.close();
    }
  }
  return undefined;
}

// LIM: a refusal for the rate that was not due, or one that was due and did not come.
import { callsOf, type Step } from '../../sequence.ts';
import type { Evidence } from './evidence.ts';

export function limitRules({ difference, due, came, steps, hasPaused }: Evidence) {
  const { n, operation, at } = difference;
  const [isDue, hasCome] = [due, came].map((each) => each.startsWith('429'));
  const isToken = operation === 'issueToken';
  if (/^header\.(x-ratelimit|retry-after)/.test(at) && isDue === hasCome) {
    if (!isDue) return ['LIM-8'];
    return isToken ? ['AUTH-3b', 'LIM-6'] : ['LIM-6'];
  }
  if (isDue && hasCome) return ['LIM-6'];
  if (isDue === hasCome) return [];
  if (isToken) return ['AUTH-3b', 'AUTH-3c'];
  // LIM-2: a pause that is needed says that it is about what is saved up.
  const saved = isDue || hasPaused ? ['LIM-2'] : [];
  const earlier = hasCome ? earlierRules(steps, n) : [];
  return [...saved, ...earlier, ...bucketRules(steps, n), 'LIM-2', 'LIM-7', 'LIM-5'];
}

/** Whose allowance it is: of a plan, of its own, of a minter, of the firm. */
function bucketRules(steps: readonly Step[], n: number): readonly string[] {
  const as = callsOf(steps).find((each) => each.n === n)?.as;
  const minted = steps.flatMap((step) => (step.do === 'mint' && step.name === as ? [step] : []));
  const wish = minted[0]?.wish;
  if (steps.some(({ do: what }) => what === 'firmRate')) return ['LIM-3', 'LIM-1'];
  if (wish?.mintedBy !== undefined) return ['LIM-10', 'LIM-1'];
  return typeof wish?.perSecond === 'number' ? ['LIM-1', 'LIM-4'] : ['LIM-1', 'LIM-3'];
}

/** LIM-9, LIM-11: what the call before it may have cost. */
function earlierRules(steps: readonly Step[], n: number): readonly string[] {
  const before = callsOf(steps).filter((each) => each.n !== n);
  if (before.some(({ operation }) => operation === 'bulkCreateAccounts')) return ['LIM-9'];
  return before.length === 1 ? ['LIM-11'] : [];
}

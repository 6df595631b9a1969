// EVT, HOOK: what was delivered, and what a subscription says of it.
import type { Step } from '../../sequence.ts';
import type { Evidence } from './evidence.ts';

export function deliveryRules(evidence: Evidence): readonly string[] {
  const { difference, steps, others, hasPaused } = evidence;
  const { at, operation } = difference;
  const after = (name: string) => others.some((each) => each.operation === name);
  // HOOK-4: the secret of a rotation is there, and is no new one.
  if (operation === 'rotateWebhookSecret' && /secret$/.test(at)) return ['HOOK-4'];
  if (/last_delivered_seq$/.test(at)) return lastRules(evidence);
  if (operation !== 'delivery') return [];
  if (at === 'signature') return signatureRules(evidence, after('rotateWebhookSecret'));
  if (at !== 'count') return [];
  const [came, due] = countsOf(evidence);
  const hasMore = came > due;
  if (hasMore && after('disableWebhook')) return ['EVT-13', 'HOOK-5'];
  if (!hasPaused) return [];
  // EVT-9a: what is no failure was taken for one, or what is one was not.
  const answers = answersOf(steps);
  const isMistaken = answers.some(isOdd) || (hasMore && answers.every((each) => each === 200));
  return isMistaken ? ['EVT-9a', 'EVT-8a'] : ['EVT-8a'];
}

/** EVT-10a: which events count as delivered goes by what was answered. */
function lastRules({ steps, call }: Evidence): readonly string[] {
  // HOOK-2: of a subscription that is new.
  if (call?.operation === 'createWebhook') return ['HOOK-2', 'EVT-10a'];
  return answersOf(steps).some(isOdd) ? ['EVT-9a', 'EVT-10a'] : ['EVT-10a'];
}

function signatureRules({ difference }: Evidence, isRotated: boolean): readonly string[] {
  // EVT-5a: the header itself cannot be read.
  if (!difference.target.startsWith('signed by the') && !/unknown/.test(difference.target)) {
    return ['EVT-5a', 'EVT-3'];
  }
  return isRotated ? ['EVT-7', 'EVT-6'] : ['EVT-6', 'EVT-5a'];
}

const countsOf = ({ difference: { target, model } }: Evidence) =>
  [target, model].map((each) => Number.parseInt(each, 10)) as [number, number];

const answersOf = (steps: readonly Step[]): readonly number[] =>
  steps.flatMap((step) => (step.do === 'hook' ? step.answers : []));

/** Shrinking makes 200 and 500 of all others, unless it is about them. */
const isOdd = (status: number): boolean => status !== 200 && status !== 500;

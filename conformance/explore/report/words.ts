// Words that the readable reports of an exploration share.
import { findRule } from '../../../fixtures/rules.ts';
import { count } from '../../reports/verdict-words.ts';
import type { ExploreReport, ReportDifference, ReportStep } from './report.ts';

/** Only the first few of the rules are said: the rest only had a part in the model's answer. */
const MOST_RULES = 3;

export function ruleLines({ rules }: ReportDifference): readonly string[] {
  return rules.slice(0, MOST_RULES).map((id) => {
    const words = findRule(id)?.words;
    return words === undefined ? id : `${id}: ${words}`;
  });
}

const SAYS = {
  deviates: (rule: string) => `The judge's own scenarios for ${rule} deviate too.`,
  passes: (rule: string) =>
    `The judge's own scenarios for ${rule} pass: it shows only in a mixture like this one.`,
  'cannot tell': (rule: string) => `The judge's own scenarios for ${rule} could not tell.`,
  'was not asked': () => 'The judge was not asked of it.',
} as const;

export function judgeLine({ judge }: ReportDifference): string {
  return SAYS[judge.says](judge.rule ?? '');
}

/** Null for a step by itself. */
export function timeline({ at_once: times }: ReportStep): string | null {
  if (times === undefined) return null;
  return `at once: sent at ${times.sent_ms} ms, answered at ${times.answered_ms} ms`;
}

export function inventoryLine({ inventory }: ExploreReport): string | null {
  if (inventory === null) return null;
  const { accounts, transactions, positions, subscriptions, enabled } = inventory;
  const made = [
    count(accounts, 'account'),
    count(transactions, 'transaction'),
    count(positions, 'position'),
    count(subscriptions, 'subscription'),
  ].join(', ');
  const still = enabled.length === 0 ? 'none enabled' : `still enabled: ${enabled.join(', ')}`;
  return `Made on the target, and left there: ${made} (${still}).`;
}

export const UNEXPLAINED =
  'Where no rule says what is right: the model does otherwise by an assumption of its own.';

// What a run made on its target and what it left enabled there, in the words of every format.
import { KINDS, type Kind, kindWords } from '../../engine/inventory/made.ts';
import type { ReportInventory } from '../report.ts';
import { count } from '../verdict-words.ts';

/** `217 accounts, 75 accounts by bulk`; kinds of which there are none are left out. */
export function madeWords(made: Readonly<Record<Kind, number>>): string {
  const parts = KINDS.filter((kind) => made[kind] > 0).map((kind) =>
    count(made[kind], ...kindWords[kind]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** One sentence each. */
export function inventoryLines(inventory: ReportInventory): string[] {
  const { made, mark, enabled, unanswered, kept } = inventory;
  const what = madeWords(made);
  if (!kept && what === 'nothing')
    return ["Made nothing but worlds of the run's own, which are gone."];
  if (!kept) return [`Made ${what}, in worlds of the run's own, which are gone.`];
  if (what === 'nothing' && unanswered === 0) return ['Nothing was made on the target.'];
  const ids = enabled.map(({ id }) => id).join(', ');
  const open = `${count(enabled.length, 'subscription')} ${ids}`;
  const left =
    enabled.length === 0
      ? 'Every subscription that it made is disabled again.'
      : `Still enabled, and to be disabled by hand: ${open}.`;
  const lost = `What came of ${count(unanswered, 'write')} without an answer is not known.`;
  const named = `${mark} stands in their names. Records stay there.`;
  const known = what === 'nothing' ? 'nothing that is known of.' : `${what}; ${named}`;
  return [
    `Made on the target: ${known}`,
    ...(made.subscriptions > 0 ? [left] : []),
    ...(unanswered > 0 ? [lost] : []),
  ];
}

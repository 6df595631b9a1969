// What a run created on the target and what remains there, in words.
import { KINDS, type Kind, kindWords } from '../engine/inventory/inventory.ts';
import { item, section, words } from './parts.ts';
import type { ReportInventory } from './report.ts';
import { count } from './verdict-words.ts';

/** `217 accounts, 75 accounts by bulk`; kinds with a count of zero are left out. */
export function madeWords(made: Readonly<Record<Kind, number>>): string {
  const parts = KINDS.filter((kind) => made[kind] > 0).map((kind) =>
    count(made[kind], kindWords[kind][0], kindWords[kind][1]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** What a run created and left on the target. If nothing of it remains, one sentence says so. */
export function inventoryParts(inventory: ReportInventory | undefined) {
  const lines = inventory === undefined ? [] : inventoryLines(inventory);
  const isLeft = inventory?.kept === true && lines.length > 1;
  return {
    about: isLeft ? [] : lines.map((each) => words(each)),
    end: isLeft
      ? section(
          'Left on the target',
          lines.map((each) => item(each)),
        )
      : [],
  };
}

/** One sentence each. */
export function inventoryLines(inventory: ReportInventory): string[] {
  const { made, mark, enabled, unanswered, kept } = inventory;
  const { positions = [], pending = [], approved = [] } = inventory;
  const what = madeWords(made);
  if (what === 'nothing' && (!kept || unanswered === 0)) return ['Made nothing on the target.'];
  if (!kept) return [`Made ${what}, in worlds of its own that no longer exist.`];
  const left = (text: string, ids: readonly string[]) => {
    const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
    const listed = `${ids.slice(0, 10).join(', ')}${more}`;
    return ids.length === 0 ? [] : [`${text}: ${ids.length} (${listed}).`];
  };
  const enabledIds = enabled.map(({ id }) => id).join(', ');
  const subscriptions = `${count(enabled.length, 'subscription')} ${enabledIds}`;
  return [
    what === 'nothing'
      ? 'Made nothing on the target that it knows of.'
      : `Made on the target: ${what}. The names contain ${mark}. The records stay there.`,
    ...(made.subscriptions > 0 && enabled.length === 0
      ? ['Every subscription that it made is disabled again.']
      : []),
    ...(enabled.length === 0 ? [] : [`Still enabled: ${subscriptions}. Disable them.`]),
    ...left('Positions still open', positions),
    ...left('Transactions still pending', pending),
    ...left('Transactions approved and not settled', approved),
    ...(unanswered === 0
      ? []
      : [`${count(unanswered, 'write')} got no response and may or may not have run.`]),
  ];
}

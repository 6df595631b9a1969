// Makes the change that records an event, or none where a setting says that kind is not emitted
// (NS-11).
import type { Attempt } from './attempt.ts';
import type { Behaviour } from './behaviour.ts';
import type { Change } from './change.ts';
import type { Category } from './records.ts';

interface Place {
  readonly firmId: string;
  readonly brandId: string | null;
}

/** One event for one state change; the body is the record as the API shows it (EVT-2a, NS-9). */
export function emit(
  { behaviour }: Pick<Attempt, 'behaviour'>,
  category: Category,
  kind: string,
  record: Place & ({ readonly id: string } | { readonly accountId: string }),
  body: string,
): readonly Change[] {
  const accountId = 'accountId' in record ? record.accountId : record.id;
  return happen(behaviour, category, kind, { ...pick(record), accountId }, body);
}

function pick({ firmId, brandId }: Place): Place {
  return { firmId, brandId };
}

export function happen(
  behaviour: Behaviour,
  category: Category,
  kind: string,
  place: Place & { readonly accountId: string | null },
  body: string,
): readonly Change[] {
  const names = behaviour.settings.event_kinds as Readonly<Record<string, string | null>>;
  const name = kind in names ? names[kind] : kind;
  if (name === null || name === undefined) return [];
  return [{ type: 'event-recorded', happening: { category, kind: name, ...place, body } }];
}

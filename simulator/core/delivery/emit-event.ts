// Makes the change that records an event, or none where a setting says that kind is not emitted
// (NS-11).

import { categoryOf, type EventCategory, type EventKind } from '../../../fixtures/event-kinds.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Change } from '../change.ts';
import type { RequestContext } from '../pipeline/request-context.ts';

interface Place {
  readonly firmId: string;
  readonly brandId: string | null;
}

/** One event for one state change; the body is the record as the API shows it (EVT-2a, NS-9). */
export function emit(
  { behaviour }: Pick<RequestContext, 'behaviour'>,
  kind: EventKind,
  record: Place & ({ readonly id: string } | { readonly accountId: string }),
  body: string,
): readonly Change[] {
  const accountId = 'accountId' in record ? record.accountId : record.id;
  const { firmId, brandId } = record;
  return recordEvent(behaviour, categoryOf(kind), kind, { firmId, brandId, accountId }, body);
}

function recordEvent(
  behaviour: Behaviour,
  category: EventCategory,
  kind: string,
  { firmId, brandId, accountId }: Place & { readonly accountId: string | null },
  body: string,
): readonly Change[] {
  const names = behaviour.settings.event_kinds as Readonly<Record<string, string | null>>;
  const named = names[kind];
  if (named === null) return [];
  const draft = { category, kind: named ?? kind, firmId, brandId, accountId, body };
  return [{ type: 'event-recorded', draft }];
}

// Makes the change that records an event, or none where a setting says that kind is not emitted
// (NS-11).

import { categoryOf, type EventKind } from '../../../fixtures/event-kinds.ts';
import type { Change } from '../change.ts';
import type { RequestContext } from '../pipeline/request-context.ts';

/** An account, or a record of one. */
type EventSubject = { readonly firmId: string; readonly brandId: string | null } & (
  | { readonly id: string }
  | { readonly accountId: string }
);

/** One event for one state change; the body is the record as the API shows it (EVT-2a, NS-9). */
export function emit(
  { behaviour }: Pick<RequestContext, 'behaviour'>,
  kind: EventKind,
  record: EventSubject,
  body: string,
): readonly Change[] {
  const names = behaviour.settings.event_kinds as Readonly<Record<string, string | null>>;
  const named = names[kind];
  if (named === null) return [];
  const { firmId, brandId } = record;
  const accountId = 'accountId' in record ? record.accountId : record.id;
  const category = categoryOf(kind);
  const draft = { category, kind: named ?? kind, firmId, brandId, accountId, body };
  return [{ type: 'event-recorded', draft }];
}

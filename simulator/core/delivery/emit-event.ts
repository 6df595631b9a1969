// Makes the change that records an event, or none where a setting says that kind is not emitted
// (NS-11).

import { categoryOf, type EventKind } from '../../../fixtures/event-kinds.ts';
import type { Change } from '../change.ts';
import type { RequestContext } from '../pipeline/request-context.ts';

/** An account, or a record of one. */
type EventSubject = { readonly firm_id: string; readonly brand_id: string | null } & (
  | { readonly id: string }
  | { readonly account_id: string }
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
  const { firm_id, brand_id } = record;
  const account_id = 'account_id' in record ? record.account_id : record.id;
  const category = categoryOf(kind);
  const draft = { category, kind: named ?? kind, firm_id, brand_id, account_id, body };
  return [{ type: 'event-recorded', draft }];
}

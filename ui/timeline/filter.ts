// Which rows of the timeline are wanted.
import type { RowKind, TimelineRow } from '../live/timeline-rows.ts';

export interface Filter {
  readonly kinds: readonly RowKind[];
  /** `2` for 2xx and so on; empty for any. */
  readonly status: string;
  readonly credential: string;
  /** An account's id; empty for any. */
  readonly account: string;
  readonly text: string;
}

export const kindWords = [
  ['request', 'Requests'],
  ['event', 'Events'],
  ['delivery', 'Deliveries'],
  ['fault', 'Faults'],
  ['clock', 'Clock'],
] as const satisfies readonly (readonly [RowKind, string])[];

export const everything: Filter = {
  kinds: kindWords.map(([kind]) => kind),
  status: '',
  credential: '',
  account: '',
  text: '',
};

/** The wanted rows, the newest first. */
export function filterRows(rows: readonly TimelineRow[], filter: Filter): TimelineRow[] {
  const kinds = new Set(filter.kinds);
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: TimelineRow[] = [];
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at] as TimelineRow;
    if (!kinds.has(row.kind)) continue;
    if (filter.status !== '' && !hasStatus(row, filter.status)) continue;
    if (filter.credential !== '' && row.credential !== filter.credential) continue;
    if (filter.account !== '' && !row.accounts.includes(filter.account)) continue;
    if (words.every((word) => row.text.includes(word))) found.push(row);
  }
  return found;
}

function hasStatus({ status, kind }: TimelineRow, wanted: string): boolean {
  if (wanted === 'none') return status === null && (kind === 'request' || kind === 'delivery');
  return status !== null && String(status).startsWith(wanted);
}

// What the reads show: the specification tells of two members alone, and that they are numbers.
import type { OperationName } from '../../engine/operations.ts';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { READ_ROWS } from './shapes.ts';
import { type Mismatch, shown } from './values.ts';

const NUMBERS = ['record_id', 'account_id'] as const;

/**
 * CONV-3: what a page is held to whose rows are of a form of their own (NS-2). Undefined where each
 * is the record as the API shows it, under a number that can be read: it is compared like one then.
 */
export function compareOpenRead(
  operation: OperationName,
  page: Json | undefined,
): Mismatch | null | undefined {
  const read = READ_ROWS[operation];
  if (read === undefined) return undefined;
  const rows = memberAt(page, read.list);
  if (!Array.isArray(rows)) return undefined;
  // An empty page does not show of which form a row of it would be, nor what it is a page of.
  const isOurs = rows.every((row) =>
    read.members.every((name) => memberAt(row, name) !== undefined),
  );
  if (rows.length > 0 && isOurs && rows.every(isReadable)) return undefined;
  for (const row of rows) {
    for (const name of NUMBERS) {
      const value = memberAt(row, name);
      if (value === undefined || typeof value === 'number') continue;
      return { at: `body.${read.list}.*.${name}`, target: shown(value), model: 'a JSON number' };
    }
  }
  return null;
}

/** Of a number beyond those that JSON holds in full it is not known whose it is. */
function isReadable(row: Json): boolean {
  return NUMBERS.every((name) => {
    const value = memberAt(row, name);
    return typeof value !== 'number' || Number.isSafeInteger(value);
  });
}

// Suggests ids that resemble an unknown one.
import { findNearest } from '../../fixtures/schemas/validate.ts';

const MOST = 6;

/** `; did you mean IDEM-4a, IDEM-4b, IDEM-4c or IDEM-4d?`, or empty if no id is similar. */
export function suggestIds(text: string, ids: readonly string[]): string {
  const wanted = plain(text);
  const within = ids.filter((id) => wanted.length > 2 && plain(id).includes(wanted));
  const nearest = within.length > 0 ? null : findNearest(wanted, ids.map(plain));
  const found = nearest === null ? within : [ids.find((id) => plain(id) === nearest)!];
  if (found.length === 0 || found.length > MOST) return '';
  const last = found.at(-1)!;
  const list = found.length === 1 ? last : `${found.slice(0, -1).join(', ')} or ${last}`;
  return `; did you mean ${list}?`;
}

const plain = (id: string) => id.toLowerCase().replaceAll('-', '_');

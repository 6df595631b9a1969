// BULK-9, BULK-10: whether the message of a refused batch names a row by its index.

/** A number as a subscript or in a path (accounts[7], accounts.7, /accounts/7) counts from 0. */
const SUBSCRIPT = /\[(\d+)\]|(?<=[a-z_]\.)(\d+)|(?<=[a-z_]\/)(\d+)/gi;

/**
 * In words rows may be counted from 1, so that "row 8" names the row with index 7. A subscript always
 * counts from 0; if there is one, it decides which row is meant.
 */
export function namesRow(message: string, index: number): boolean {
  const subscripts = [...message.matchAll(SUBSCRIPT)].map((found) =>
    Number(found.slice(1).join('')),
  );
  if (subscripts.includes(index)) return true;
  if (subscripts.includes(index + 1)) return false;
  return new RegExp(`(?<!\\d)(${index}|${index + 1})(?!\\d)`).test(message);
}

// The members that are never part of a transaction, told by their names.

const KEPT =
  /reason|provider|psp|gateway|processor|operator|note|comment|remark|(approv|reject|cancel|decid)\w*_?by/i;

/**
 * TXN-9: whether a member of this name would show a reason, a provider or what an operator wrote.
 */
export function keptFromClients(name: string): boolean {
  return KEPT.test(name);
}

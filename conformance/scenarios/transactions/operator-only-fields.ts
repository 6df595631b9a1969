// The members that are never part of a transaction, told by their names.

const WORDS = /reason|provider|psp|gateway|processor|operator|note|comment|remark/i;

/** Such as `approved_by`. */
const WHO = /(approv|reject|cancel|decid)\w*_?by/i;

/**
 * TXN-9: whether a member of this name would show a reason, a provider or what an operator wrote.
 */
export function isOperatorOnlyField(name: string): boolean {
  return WORDS.test(name) || WHO.test(name);
}

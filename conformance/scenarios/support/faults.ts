// Faults that several families use.
import { body, type Fault, rows } from '../../cases/refusals.ts';
import { MOST_ROWS } from '../../spec/literals.ts';
import { updatedOnce } from './account-assertions.ts';

export const reference = (client_reference_id: string) => body({ client_reference_id });
export const referenceOf = (length: number) =>
  body((t) => ({ client_reference_id: t.fresh.text(length) }));

export const emailWithoutAt = body((t) => ({ email: t.fresh.text() }));
export const emailInUse: Fault = async (t, valid) =>
  body({ email: (await t.given.account()).email })(t, valid);

export const noAmount = body((t) => ({ amount: t.fresh.text() }));
/** An empty one, which is as good as none. */
export const noReason = body({ reason: '' });

export const tooManyRows = rows((all) => Array.from({ length: MOST_ROWS + 1 }, () => all[0]!));

/** The tag that the account had before its last update. */
export const staleTag: Fault = async (t, valid) => {
  const { id, stale } = await updatedOnce(t);
  return { call: { ...valid, id, ifMatch: stale } };
};

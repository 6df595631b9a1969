// Whose email and phone an account may not have (ACC-8, ACC-9, ACC-10).
import { meets } from '../checks/races.ts';
import type { RequestContext } from '../request-context.ts';
import { textOr } from '../values/json.ts';
import { hasDigits } from '../values/phones.ts';
import type { Account } from '../values/records.ts';
import { phoneOf } from './stored-values.ts';

const DAY_MS = 86_400_000;

/** ACC-8, ACC-9 */
export function isTaken(ctx: RequestContext, brandId: string, email: string, phone: string | null) {
  const { mind, credential, operation } = ctx;
  const isAtHand = (each: Account, everywhere: boolean) =>
    each.brandId === brandOfBatch(ctx, brandId) ||
    (everywhere && each.firmId === credential.firmId);
  const isSelf = (each: Account) =>
    each.reference.toLowerCase() === textOr(ctx.body.client_reference_id, '').toLowerCase();
  // Who is created once more would meet his own email.
  const isDuplicated =
    operation.name === 'bulkCreateAccounts' ||
    mind.defects.some((each) =>
      /^(acc-ref|comb-case|time-|race-same-r|race-reference|race-create-u)/.test(each),
    );
  const meetsAnother = meets(ctx, 'createAccount') && mind.has('race-same-email');
  const form = (each: string) => comparedEmail(ctx, each);
  const isBatch = operation.name === 'bulkCreateAccounts';
  if (isBatch && mind.has('race-batch-email') && meets(ctx, 'bulkCreateAccounts')) return false;
  const isTainted = mind.refusedEmails.includes(email.toLowerCase());
  if (mind.has('comb-refused-email-taken') && isTainted) return true;
  return mind.accounts.some(
    (each) =>
      !(isDuplicated && isSelf(each)) &&
      !isLeft(ctx, each) &&
      ((!mind.has('acc-email-free') &&
        !meetsAnother &&
        !(mind.has('time-email-two-days') && mind.now() - each.createdAtMs >= 2 * DAY_MS) &&
        !(mind.has('comb-batch-email-twins') && each.bornIn === ctx.requestId) &&
        !(mind.has('size-email-newest-30') && !mind.accounts.slice(-30).includes(each)) &&
        isAtHand(each, spansBrands(ctx)) &&
        !isApart(ctx, each) &&
        form(each.email) === form(email)) ||
        (isAtHand(each, hasSpread(ctx, each)) &&
          !isTwin(ctx, each) &&
          !(mind.has('race-same-phone') && meets(ctx, 'createAccount')) &&
          hasPhone(ctx, each, phone))),
  );
}

/** The own one; a defect looks at the brand of what the same batch has made first. */
function brandOfBatch({ mind, requestId, operation }: RequestContext, brandId: string): string {
  if (operation.name !== 'bulkCreateAccounts' || !mind.has('comb-batch-one-brand')) return brandId;
  return mind.accounts.find(({ bornIn }) => bornIn === requestId)?.brandId ?? brandId;
}

/** Of whom a defect does not think any more. */
const isLeft = ({ mind }: RequestContext, { status }: Account): boolean =>
  mind.has('comb-closed-frees') && /^(closed|inactive|deleted|archived|disabled)$/i.test(status);

/** A defect in where an email is looked for. */
const spansBrands = ({ mind, operation }: RequestContext): boolean =>
  mind.has('acc-email-across-brands') ||
  (operation.name === 'bulkCreateAccounts' && mind.has('comb-bulk-email-brands'));

/** One of the two has named the brand. */
const isApart = ({ mind, body }: RequestContext, { namedBrand }: Account): boolean =>
  mind.has('comb-brand-apart') && namedBrand !== (typeof body.brand_id === 'string');

/** Defects in where a phone is looked for. */
const hasSpread = ({ mind }: RequestContext, { revision }: Account): boolean =>
  mind.has('acc-phone-across-brands') ||
  (mind.has('comb-update-spreads-phone') && revision !== mind.style.firstRevision);

/** Of the batch that it is in itself. */
const isTwin = ({ mind, requestId }: RequestContext, { bornIn }: Account): boolean =>
  mind.has('comb-batch-phone-twins') && bornIn === requestId;

function comparedEmail({ mind, operation }: RequestContext, email: string): string {
  const isInBatch = operation.name === 'bulkCreateAccounts';
  const isByCase = mind.style.emailsByCase || (isInBatch && mind.has('comb-bulk-email-case'));
  const plain = isByCase ? email : email.toLowerCase();
  return mind.has('size-email-64') ? plain.slice(0, 64) : plain;
}

function hasPhone({ mind, body }: RequestContext, each: Account, phone: string | null): boolean {
  if (phone === null || !hasDigits(phone) || mind.has('acc-phone-free')) return false;
  const sent = textOr(body.phone, '');
  if (mind.has('time-phone-month') && mind.now() - each.createdAtMs >= 30 * DAY_MS) return false;
  if (mind.has('acc-phone-as-typed')) return each.sentPhone === sent;
  const isNational = (one: string | null | undefined) => !one?.startsWith('+');
  const isOfOtherForm = isNational(sent) !== isNational(each.sentPhone);
  if (isOfOtherForm && mind.has('comb-phone-forms')) return false;
  if (mind.has('comb-phone-after-null') && /^\+.* /.test(sent)) return false;
  if (mind.has('size-phone-7')) return lastSeven(each.phone) === lastSeven(phone);
  return each.phone === phone;
}

const lastSeven = (phone: string | null) => phone?.replace(/\D/g, '').slice(-7);

/** A reference that was lost with a row of a batch. */
export function isReserved({ mind }: RequestContext, reference: string, brandId: string): boolean {
  return mind.counts[reservation(reference, brandId)] !== undefined;
}

export function reserve({ mind, body }: RequestContext): void {
  if (!mind.has('comb-row-reserves')) return;
  mind.count(reservation(textOr(body.client_reference_id, ''), textOr(body.brand_id, '')));
}

const reservation = (reference: string, brandId: string) =>
  `reserved ${brandId} ${reference.toLowerCase()}`;

/** Defects in which a create that is under way takes what another one wants. */
export function isRacedFor(
  { mind, overlaps, body }: RequestContext,
  email: string,
  phone: string | null,
) {
  const racing = overlaps.filter(
    (each) =>
      each.operation.name === 'createAccount' &&
      each.body.client_reference_id !== body.client_reference_id,
  );
  const isSameEmail = (each: RequestContext) => each.body.email === email;
  const isSamePhone = (each: RequestContext) =>
    phone !== null && phoneOf(each) === phone && !mind.underway.includes(each);
  return (
    (mind.has('race-both-refused') && racing.some(isSameEmail)) ||
    (mind.has('race-phone-brands') && racing.some(isSamePhone))
  );
}

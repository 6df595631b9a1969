// The register of hints: what a careful reader would tell a caller whom the platform answers
// without complaint. Each rests on a rule or on an open question.
import type { QuestionId } from '../../../fixtures/questions.ts';
import type { RuleId } from '../../../fixtures/rules.ts';

interface RegisteredHint {
  readonly code: string;
  /** What it means, in one sentence. */
  readonly words: string;
  readonly cite: RuleId | QuestionId;
}

export const hintRegister = [
  {
    code: 'unknown_member',
    words: 'The body has a member that the operation does not know; it was ignored.',
    cite: 'NS-27',
  },
  {
    code: 'not_updatable',
    words: 'An update names an email or a phone; it was ignored, they cannot be changed here.',
    cite: 'UPD-11',
  },
  {
    code: 'null_not_cleared',
    words: 'An update sends null for a field; that counts as not sent and clears nothing.',
    cite: 'NS-55',
  },
  {
    code: 'unknown_parameter',
    words: 'The query has a parameter that the operation does not know; it was ignored.',
    cite: 'NS-2',
  },
  {
    code: 'body_ignored',
    words: 'The operation takes no body; the one that came was not looked at.',
    cite: 'NS-58',
  },
  {
    code: 'body_unlike_first',
    words: 'The key was used before with another body; the first answer came again.',
    cite: 'IDEM-8',
  },
  {
    code: 'corrected_under_old_key',
    words: 'A refused request was corrected under its old key; the refusal came again.',
    cite: 'IDEM-11',
  },
  {
    code: 'key_across_transactions',
    words: 'The key was used on another transaction of the account, whose answer came again.',
    cite: 'IDEM-10',
  },
  {
    code: 'converged_unlike',
    words: 'The reference names a record already, which is not as this body has it.',
    cite: 'IDEM-12',
  },
  {
    code: 'key_not_taken',
    words: 'Webhook routes take no Idempotency-Key: sent again, the call runs again.',
    cite: 'HOOK-1',
  },
  {
    code: 'subscription_brand',
    words: 'A subscription takes no brand_id; it is bound as its credential is.',
    cite: 'HOOK-10',
  },
  {
    code: 'local_url',
    words: 'A subscription to this machine was refused; a forward leads deliveries there.',
    cite: 'HOOK-8',
  },
  {
    code: 'sign_against_type',
    words:
      'The sign of the amount, or the method, disagrees with the type, which decides what is booked.',
    cite: 'NS-43',
  },
  {
    code: 'other_currency',
    words: 'The currency is not that of the trading account; the amount is booked as it is.',
    cite: 'NS-60',
  },
  {
    code: 'phone_without_region',
    words: 'A national phone number came without its phone_region, so it could not be normalised.',
    cite: 'ACC-12',
  },
  {
    code: 'guessed_tag',
    words: 'The tag of If-Match was never issued for that account.',
    cite: 'UPD-7',
  },
  {
    code: 'path_beside_api',
    words: 'The path is close to one of the API, which is served under /api/v1.',
    cite: 'NS-31',
  },
  {
    code: 'before_retry_after',
    words: 'The caller was limited, and called again before Retry-After was over.',
    cite: 'LIM-7',
  },
  {
    code: 'token_again',
    words: 'A token was asked for again and again while the one before was good.',
    cite: 'AUTH-3b',
  },
] as const satisfies readonly RegisteredHint[];

export type HintCode = (typeof hintRegister)[number]['code'];

/** One hint on one call. */
export interface Hint {
  readonly code: HintCode;
  /** What it is about here: the member, the difference, what to do instead. */
  readonly words: string;
}

export const noHints: readonly Hint[] = Object.freeze([]);

/** The codes in one line each, for descriptions and guides. */
export function describeHints(): string {
  return hintRegister.map(({ code, words, cite }) => `\`${code}\`: ${words} (${cite})`).join('\n');
}

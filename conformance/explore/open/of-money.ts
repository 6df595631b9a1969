// What is open of transactions: their words and amounts, when money arrives, and how decisions are
// refused.
import { memberAt } from '../../engine/send/answer.ts';
import type { CallOutcome } from '../play/outcome.ts';
import { bothRefuse, cites, isText, type Row } from './case.ts';
import {
  amountIn,
  hasOtherDirection,
  hasSpacesFor,
  hasUnknownWord,
  isBeyondDigits,
  isOddDecimal,
  jsonOfSent,
} from './sent.ts';

/** ERR-3. */
const isInvalid = ({ status, json }: CallOutcome): boolean =>
  status === 422 && memberAt(json, 'code') === 'validation_failed';

export const OF_MONEY: readonly Row[] = [
  {
    question: null,
    why: 'whether a word that is none of the named ones is invalid or cannot be read (TXN-6, TXN-7)',
    covers: (each) =>
      bothRefuse(each) &&
      [each.target, each.model].every((answer) => isText(answer) || isInvalid(answer)) &&
      hasUnknownWord(each.target),
  },
  {
    question: null,
    why: 'whether a method that gainsays the type of a transaction is refused',
    covers: ({ step, target, model }) =>
      step.operation === 'createTransaction' &&
      [target, model].some(({ status }) => status === 422) &&
      [target, model].some(({ status }) => status < 300) &&
      hasOtherDirection(target),
  },
  {
    question: 'NS-3',
    why: 'whether money that arrives at once has arrived before another call at once is answered',
    covers: ({ target, model, settlesMeanwhile }) =>
      settlesMeanwhile === true &&
      [target, model].every(({ status }) => status < 300) &&
      memberAt(target.json, 'status') === 'approved' &&
      memberAt(model.json, 'status') === 'settled',
  },
  {
    question: 'NS-43',
    why: 'whether a transaction whose type and method gainsay each other pays out',
    covers: ({ step, target, model }) =>
      step.operation === 'approveTransaction' &&
      ((target.status === 501 && gainsays(model)) || (model.status === 501 && gainsays(target))),
  },
  {
    question: 'NS-49',
    why: 'which ways to write a decimal are taken',
    covers: ({ step, target }) =>
      step.operation === 'createTransaction' && isOddDecimal(amountIn(target.sent.body)),
  },
  {
    question: null,
    why: 'whether an amount is taken of more than fifteen digits or two decimals (CONV-2a)',
    covers: ({ step, target, model }) =>
      step.operation === 'createTransaction' &&
      target.status === 422 &&
      model.status < 300 &&
      isBeyondDigits(amountIn(target.sent.body)),
  },
  {
    question: null,
    why: 'how a query without `account_id` is refused, which is no body that cannot be read',
    covers: (each) =>
      bothRefuse(each) && cites(each, 'TXS-15') && !/[?&]account_id=/.test(each.target.sent.target),
  },
  {
    question: null,
    why: 'whether a text of spaces alone is an empty one',
    covers: ({ target, model }) =>
      target.status !== model.status &&
      [target, model].some(({ status }) => status === 422) &&
      hasSpacesFor(target, ['reason', 'currency']),
  },
  {
    question: null,
    why: 'whether a decision that changes nothing may come with an empty reason (TXS-14)',
    covers: ({ step, target, model }) =>
      /^(reject|cancel)Transaction$/.test(step.operation) &&
      model.status === 200 &&
      model.basis?.idempotency !== 'replayed' &&
      target.status === 422 &&
      memberAt(jsonOfSent(target.sent.body), 'reason') === '',
  },
];

/** TXN-6: one that says Withdrawal in one place and not in the other. */
function gainsays({ json }: CallOutcome): boolean {
  const [type, method] = ['transaction_type', 'method'].map((name) => memberAt(json, name));
  return type !== undefined && (type === 'Withdrawal') !== (method === 'Withdrawal');
}

// What each open question leaves free in an answer, and where. One table: before two answers are
// compared, what is free is projected away. Nothing else in this folder knows a question.
import { memberAt } from '../../engine/send/answer.ts';
import type { Difference } from '../compare/difference.ts';
import { type Excuse, isRefusal, isServed, type Pair } from './pair.ts';
import { type Oddity, odditiesOf } from './request.ts';

/**
 * What is free: `refusal`, how a call is refused that is refused anyway; `taken`, whether it is
 * refused as invalid or served; `all`, everything about the answer; `body`, what a success shows.
 */
type Freedom = 'refusal' | 'taken' | 'body' | 'all';

interface Row extends Excuse {
  readonly frees: readonly Freedom[];
  /** The request has one of these oddities. */
  readonly odd?: readonly Oddity[];
  /** The model's answer rests on the question of this row. */
  readonly cited?: true;
  readonly where?: (pair: Pair, difference: Difference) => boolean;
}

const TAKEN: readonly Freedom[] = ['refusal', 'taken'];
const REFUSAL: readonly Freedom[] = ['refusal'];
const ALL: readonly Freedom[] = ['all'];
const isOf =
  (operations: RegExp) =>
  ({ step }: Pair) =>
    operations.test(step.operation);
const isText = ({ headers }: Pair['model']): boolean => headers.mediaType() === 'text/plain';
const codeOf = ({ json }: Pair['model']) => memberAt(json, 'code');
const cites = ({ model }: Pair, rule: string) => model.basis?.cites.includes(rule) ?? false;
const statuses = ({ target, model }: Pair) => [target.status, model.status];

const ODD_VALUES: readonly Oddity[] = ['odd characters', 'blank text', 'empty text', 'odd email'];

const ROWS: readonly Row[] = [
  // Requests that the specification does not show to be right or wrong.
  { question: 'NS-27', why: 'unknown members of a body', odd: ['unknown member'], frees: TAKEN },
  { question: 'NS-55', why: 'null for a member', odd: ['null member'], frees: ALL },
  { question: null, why: 'a member of another type', odd: ['wrong type'], frees: ALL },
  { question: null, why: 'texts of which no length is shown', odd: ['long text'], frees: TAKEN },
  { question: null, why: 'texts that are empty, blank or odd', odd: ODD_VALUES, frees: TAKEN },
  {
    question: 'NS-44',
    why: 'what an empty text is stored as',
    odd: ['empty text', 'blank text'],
    frees: ['body'],
  },
  { question: 'NS-49', why: 'ways to write a decimal', odd: ['odd decimal'], frees: ALL },
  { question: 'NS-46', why: 'a decimal as a number', odd: ['number as decimal'], frees: ALL },
  { question: 'NS-27', why: 'an amount of zero', odd: ['zero amount'], frees: TAKEN },
  {
    question: null,
    why: 'amounts of more than fifteen digits or two decimals (CONV-2a)',
    odd: ['many digits'],
    frees: ['refusal', 'taken', 'body'],
  },
  { question: 'NS-48', why: 'an id with leading zeros', odd: ['padded id'], frees: ALL },
  { question: null, why: 'ids of more than 19 digits', odd: ['large id'], frees: REFUSAL },
  { question: 'NS-60', why: 'which currencies there are', odd: ['odd currency'], frees: TAKEN },
  {
    question: 'NS-60',
    why: 'a currency other than that of the trading account',
    odd: ['other currency'],
    frees: TAKEN,
  },
  {
    question: 'NS-27',
    why: 'an amount or a method that does not fit the type',
    odd: ['other direction'],
    frees: TAKEN,
  },
  {
    question: 'NS-43',
    why: 'whether a transaction with an amount or method of another direction pays out',
    frees: ALL,
    where: (pair) => {
      const [type, method, amount] = ['transaction_type', 'method', 'amount'].map((name) =>
        String(memberAt(pair.model.json, name) ?? memberAt(pair.target.json, name) ?? ''),
      );
      const isMixed = (type === 'Withdrawal') !== (method === 'Withdrawal');
      return statuses(pair).includes(501) && (isMixed || amount!.startsWith('-'));
    },
  },
  {
    question: 'NS-23',
    why: 'which public urls are taken',
    frees: TAKEN,
    where: (pair) => isOf(/^createWebhook$/)(pair) && isServed(pair.model),
  },
  { question: 'NS-53', why: 'odd lists of categories', odd: ['odd list'], frees: ALL },
  { question: 'NS-39', why: 'tags that are no revision', odd: ['odd tag'], frees: REFUSAL },
  {
    question: 'NS-39',
    why: '`*`, lists and other tags that are no revision',
    odd: ['odd tag'],
    frees: ['taken'],
    where: ({ step }) => /[*,]/.test(String(step.ifMatch ?? '')),
  },
  { question: 'NS-14', why: 'other media types', odd: ['media type'], frees: ALL },
  { question: null, why: 'a decision without `account_id`', odd: ['no query'], frees: REFUSAL },
  { question: 'NS-58', why: 'a body on approve', odd: ['body on approve'], frees: TAKEN },
  { question: 'NS-58', why: 'odd characters in a key', odd: ['odd key'], frees: ALL },
  { question: 'NS-33', why: 'rows that lack something', odd: ['odd row'], frees: ALL },
  {
    question: null,
    why: 'a word that is none of those named',
    odd: ['no such word'],
    frees: REFUSAL,
  },

  // Answers whose form is not shown.
  { question: 'NS-14', why: 'the refusal of an unreadable body', frees: REFUSAL, cited: true },
  {
    question: 'NS-14',
    why: 'the status of a refusal in plain text',
    frees: REFUSAL,
    where: ({ target, model }) => isText(target) && isText(model),
  },
  { question: 'NS-16', why: 'a call without a valid token', frees: REFUSAL, cited: true },
  { question: 'NS-18', why: 'an update without a tag', frees: REFUSAL, cited: true },
  {
    question: 'NS-6',
    why: 'how a whole batch is refused',
    frees: REFUSAL,
    cited: true,
    // BULK-9, BULK-10: that the words name the row is not open.
    where: (_, { at }) => at !== 'body.detail',
  },
  { question: 'NS-23', why: 'how a webhook url is refused', frees: REFUSAL, cited: true },
  { question: 'NS-63', why: 'a brand of another firm', frees: REFUSAL, cited: true },
  { question: 'NS-15', why: 'how large a body may be', frees: TAKEN, cited: true },
  { question: 'NS-31', why: 'unknown paths and methods', frees: REFUSAL, cited: true },
  {
    question: 'NS-45',
    why: 'an id of a webhook that is no number',
    frees: REFUSAL,
    where: ({ step, target }) => {
      const [, id = ''] = /\/webhooks\/([^/?]+)/.exec(target.sent.target) ?? [];
      return /Webhook/.test(step.operation) && !(/^\d+$/.test(id) && Number.isSafeInteger(+id));
    },
  },
  {
    question: 'NS-57',
    why: 'a token that may only read and lacks the scope too',
    frees: REFUSAL,
    where: ({ step, model }) =>
      codeOf(model) === 'read_only_credential' && !/position|transaction/i.test(step.operation),
  },
  {
    question: 'NS-7',
    why: 'what answers the disabling of a subscription',
    frees: ['body'],
    where: isOf(/^disableWebhook$/),
  },
  {
    question: 'NS-7',
    why: 'whether a subscription that is disabled may be disabled or rotated once more',
    frees: ['all'],
    where: (pair) => statuses(pair).includes(409) && isOf(/^(disable|rotate)Webhook/)(pair),
  },
  {
    question: 'NS-8',
    why: 'in which form tokens are asked for and given, and how the request is refused',
    frees: ['refusal', 'body'],
    where: (pair) => isOf(/^issueToken$/)(pair) && !statuses(pair).includes(429),
  },
  {
    question: 'NS-8',
    why: 'in which form tokens are asked for',
    frees: ALL,
    where: (pair) =>
      isOf(/^issueToken$/)(pair) && isServed(pair.model) && pair.isTokenFormKnown !== true,
  },
  {
    question: null,
    why: 'how the token endpoint counts a minute (AUTH-3b)',
    frees: ALL,
    where: (pair) => isOf(/^issueToken$/)(pair) && pair.hasPaused && statuses(pair).includes(429),
  },
  {
    question: 'NS-8',
    why: 'how long a token lives',
    frees: ALL,
    where: (pair) =>
      pair.hasPaused &&
      !(pair.isTokenLive === true && pair.target.status === 401) &&
      pair.step.headers?.authorization !== undefined &&
      (pair.target.status === 401) !== (pair.model.status === 401),
  },
  {
    question: 'NS-2',
    why: 'the paths, pages, fields and scopes of the reads',
    frees: ALL,
    where: (pair) =>
      isOf(/^list(Accounts|Transactions)$|Status$/)(pair) &&
      !(isServed(pair.target) && isServed(pair.model)),
  },
  {
    question: 'NS-1',
    why: 'what is sent and answered when positions are opened and closed',
    frees: ['body'],
    where: (pair, { target, model }) =>
      isOf(/Position$/)(pair) &&
      // CONV-2a: in whatever member, a decimal is written as one.
      !(/^"-?\d+(\.\d+)?e[+-]?\d+"$/i.test(target) && /^"-?\d+(\.\d+)?"$/.test(model)),
  },
  {
    question: 'NS-1',
    why: 'which orders are taken, and when',
    frees: ALL,
    where: (pair) => isOf(/Position$/)(pair) && statuses(pair).some(isOrderRefusal),
  },
  {
    question: 'NS-64',
    why: 'what a delegated token may do besides trading and funds',
    frees: ALL,
    where: ({ step, target, model, isDelegated }) =>
      isDelegated === true &&
      /Account|Webhook/.test(step.operation) &&
      [target, model].some((each) => isRefusal(each)),
  },

  // Repeats, states and times.
  {
    question: 'NS-30',
    why: 'whether a refusal for want of a scope is kept under its key',
    frees: ALL,
    where: ({ model, target, first }) =>
      model.basis?.idempotency === 'replayed' &&
      first?.basis?.step === 'scope' &&
      target.status === model.status,
  },
  {
    question: 'NS-30',
    why: 'whether a refusal is kept that the model gives before it looks the key up',
    frees: ALL,
    where: ({ again }) => again !== undefined && isText(again.model),
  },
  {
    question: 'NS-26',
    why: 'whether two accounts have revisions in common, so that the tag of one fits the other',
    frees: ALL,
    where: (pair) =>
      statuses(pair).includes(412) &&
      pair.tagOf !== undefined &&
      !pair.target.sent.target.endsWith(`/${pair.tagOf}`),
  },
  {
    question: 'NS-3',
    why: 'whether money that arrives at once has arrived before another call is answered',
    frees: ['body'],
    where: ({ target, model, settlesMeanwhile }) =>
      settlesMeanwhile === true &&
      memberAt(target.json, 'status') === 'approved' &&
      memberAt(model.json, 'status') === 'settled',
  },
  {
    question: null,
    why: 'whether a decision that changes nothing may come with an empty reason (TXS-14)',
    frees: ALL,
    where: ({ step, model, target }) =>
      /^(reject|cancel)Transaction$/.test(step.operation) &&
      model.status === 200 &&
      target.status === 422 &&
      model.basis?.idempotency !== 'replayed' &&
      memberAt(step.body as never, 'reason') === '',
  },
  {
    question: null,
    why: 'how large "about one second\'s allowance" is (LIM-2)',
    frees: ALL,
    where: ({ target, model, metered }) => {
      if (metered === undefined || (target.status === 429) === (model.status === 429)) return false;
      const { served, perSecond } = metered;
      if (target.status === 429) return served >= Math.max(1, perSecond * 0.75);
      return served <= perSecond * 1.5 + 1;
    },
  },
];

const isOrderRefusal = (status: number): boolean => [400, 409, 415, 422].includes(status);

/** The open question that leaves the difference free; undefined where none does. */
export function excuseFor(pair: Pair, difference: Difference): Excuse | undefined {
  const odd = odditiesOf(pair.step, pair.target);
  const found = ROWS.find((row) => {
    const { question, odd: wanted, cited, where } = row;
    if (wanted !== undefined && !wanted.some((each) => odd.has(each))) return false;
    if (cited === true && !cites(pair, question ?? '')) return false;
    if (where !== undefined && !where(pair, difference)) return false;
    return row.frees.some((freedom) => isFree(freedom, pair, difference));
  });
  if (found !== undefined || pair.first === undefined) return found;
  if (pair.model.basis?.idempotency !== 'replayed') return undefined;
  // What was open when it was answered first is so when it is answered again.
  return excuseFor({ ...pair, model: pair.first, first: undefined }, difference);
}

function isFree(freedom: Freedom, { target, model }: Pair, { at }: Difference): boolean {
  const [own, due] = [target, model].map(isServed);
  switch (freedom) {
    case 'all':
      return true;
    case 'refusal':
      // ERR-1, IDEM-5: in whatever form, headers and bytes of a repeat are not free.
      return isRefusal(target) && isRefusal(model) && !/^(replay|attempt|header\.x-)/.test(at);
    case 'taken':
      return own !== due && [target, model].some(isInvalid);
    case 'body':
      return (
        own === true && due === true && (/^(status|body)/.test(at) || at === 'header.content-type')
      );
  }
}

/** A refusal of what the request says, and not of who makes it or of what is there. */
const isInvalid = (answer: Pair['model']): boolean =>
  [400, 413, 415, 422].includes(answer.status) && codeOf(answer) !== 'idempotency_key_required';

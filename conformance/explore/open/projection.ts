// What each open question leaves free in an answer, and under which condition. One table: free parts
// are removed before two answers are compared. Nothing else in this folder names a question.
import { type Json, memberAt } from '../../engine/send/json.ts';
import { isDecision } from '../../spec/operations.ts';
import type { Difference } from '../compare/difference.ts';
import { isOpenRead } from '../compare/shapes.ts';
import { type Field, OPS } from '../draw/operations.ts';
import { type CallOutcome, jsonSent } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';

/** The answers of both sides to one call, with everything that may explain their difference. */
export interface Pair {
  readonly step: CallStep;
  readonly target: CallOutcome;
  readonly model: CallOutcome;
  readonly first?: CallOutcome | undefined;
  /** The earlier call whose refusal the target has repeated, if any. */
  readonly again?: { readonly target: CallOutcome; readonly model: CallOutcome } | undefined;
  /** The account whose response carried the tag that was sent. */
  readonly tagOf?: string | undefined;
  readonly hasPaused: boolean;
  /** NS-3: money may settle unobserved, even during the call, and the call concerns such money. */
  readonly maySettle?: boolean;
  readonly isUnsettled?: boolean;
  /** By the `expires_in` of the target's own token response, the token has not expired. */
  readonly isTokenLive?: boolean;
  /** NS-8: the target is known to accept token requests in this form. */
  readonly isTokenFormKnown?: boolean;
  /** The sequence has changed the permissions of a credential or the firm. */
  readonly isRescoped?: boolean;
  readonly hooks?: number;
  /** One of them is to the URL of this call. */
  readonly isSubscribed?: boolean;
  /** NS-64: the caller's token is for one account. */
  readonly isDelegated?: boolean;
  /**
   * The allowance of a metered credential, its calls since the clock was last advanced, and how many
   * of them were metered at least (NS-59).
   */
  readonly metered?: {
    readonly perSecond: number;
    readonly served: number;
    readonly least: number;
  };
  /** NS-5: money of the account in the answer has been decided on before. */
  readonly isDecidedOn?: boolean;
}

/** An open question of the register, or a description if the register has none for it. */
export type Excuse = string;

/**
 * The part that is free: `refusal`, how a call is refused that is refused anyway; `taken`, whether
 * it is refused as invalid or served; `all`, the whole answer; `body`, the body of a success.
 */
type Freedom = 'refusal' | 'taken' | 'body' | 'all';

/** A member of the body or of a row; `field` is undefined if no schema has the member. */
interface SentMember {
  readonly field: Field | undefined;
  readonly value: Json;
}

type Where = (pair: Pair, difference: Difference) => boolean;
interface Row {
  /** `NS-55 null for a member`: the question, if the register has one, and the detail. */
  readonly about: string;
  readonly frees: readonly Freedom[];
  readonly where: Where;
}

const freeing =
  (...frees: readonly Freedom[]) =>
  (about: string, where: Where): Row => ({ about, frees, where });
const all = freeing('all');
const body = freeing('body');
const refusal = freeing('refusal');
const taken = freeing('refusal', 'taken');

const isServed = ({ status }: CallOutcome): boolean => status < 400;
const isRefusal = ({ status }: CallOutcome): boolean => status >= 400 && status < 500;
const isText = ({ headers }: CallOutcome): boolean => headers.mediaType() === 'text/plain';
const codeOf = ({ json }: CallOutcome) => memberAt(json, 'code');
const statuses = ({ target, model }: Pair) => [target.status, model.status];
const isOf =
  (operations: RegExp) =>
  ({ step }: Pair): boolean =>
    operations.test(step.operation);
const pathOf = ({ target }: Pair): string => target.sent.target;
const headerOf = ({ target }: Pair, name: string): string | undefined =>
  target.sent.headers.find(([each]) => each.toLowerCase() === name)?.[1];

const bodyOf = ({ target }: Pair): Json | undefined => jsonSent(target);

const rowAt = ({ at }: Difference): number | undefined => {
  const [, row] = /^body\.rows\.(\d+)\./.exec(at) ?? [];
  return row === undefined ? undefined : Number(row);
};

const isBulk = isOf(/^bulk/);

/** The rows of a batch, or the one that differs, or the one body. */
function rowsOf(pair: Pair, difference: Difference): readonly Json[] {
  const body = bodyOf(pair);
  if (!isBulk(pair)) return body === undefined ? [] : [body];
  const [rows, at] = [memberAt(body, 'accounts'), rowAt(difference)];
  if (!Array.isArray(rows)) return [];
  return at === undefined ? rows : rows.slice(at, at + 1);
}

const isNoObject = (row: Json): boolean =>
  row === null || typeof row !== 'object' || Array.isArray(row);

/** A new member of a schema is covered by its kind. */
function membersOf(pair: Pair, difference: Difference): readonly SentMember[] {
  const { fields } = OPS[pair.step.operation];
  return rowsOf(pair, difference)
    .filter((row) => !isNoObject(row))
    .flatMap((row) => Object.entries(row as { [name: string]: Json }))
    .map(([name, value]) => ({ field: fields.find((each) => each.name === name), value }));
}

const anyMember =
  (is: (member: SentMember) => boolean): Where =>
  (pair, difference) =>
    membersOf(pair, difference).some(is);
/** Whether any text in a member of one of these kinds satisfies the condition. */
const text = (is: (text: string, field: Field) => boolean, ...kinds: readonly Field['kind'][]) =>
  anyMember(({ field, value }) => {
    if (field === undefined || typeof value !== 'string') return false;
    return (kinds.length === 0 || kinds.includes(field.kind)) && is(value, field);
  });
const unlike = (plain: RegExp, ...kinds: readonly Field['kind'][]) =>
  text((value) => !plain.test(value), ...kinds);

const anyOf =
  (...all: readonly Where[]): Where =>
  (pair, difference) =>
    all.some((each) => each(pair, difference));

const isEmpty = text((value, { required }) => value === '' && !required);
// ACC-2, TXN-3: a blank reference is refused.
const isBlank = text(
  (value, { kind }) => kind !== 'reference' && value !== '' && value.trim() === '',
);
const hasOddCharacters = anyOf(
  text((value) => value.trim() !== '' && value !== value.trim()),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is odd
  text((value) => /[\u0000-\u001f\u007f]/.test(value)),
  unlike(/^[A-Z]{2}$/, 'region'),
  // Which characters a name may have is not shown: all take letters, digits and what joins words.
  unlike(/^[\p{L}\p{M}\p{N} .,'_-]*$/u, 'text'),
);
/** CONV-1b: a number as an id is refused, and so is any other type. */
const isOtherType = anyMember(({ field, value }) => {
  if (field === undefined || value === null || typeof value === 'string') return false;
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (field.kind === 'list' || (isNumber && field.kind === 'decimal')) return false;
  return field.kind !== 'id' && field.kind !== 'flag';
});

/**
 * Texts without a specified limit may be refused beyond this length; the texts that are sent
 * everywhere else are shorter.
 */
const LONG = 32;
/** UPD-4: a status is any string. */
const LONG_STATUS = 100;
const LONG_EMAIL = 64;
const isLong = text((value, { name, kind }) => {
  if (kind === 'reference' || kind === 'phone' || kind === 'url') return false;
  const most = kind === 'email' ? LONG_EMAIL : name === 'status' ? LONG_STATUS : LONG;
  return [...value].length > most;
});

/** TXN-5: a text that no parser reads as a decimal is refused. */
const isOddDecimal = text(
  (value) =>
    !/^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) &&
    /^\s*[+-]?(\d[\d,. ]*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value),
  'decimal',
);
const hasManyDigits = text((value) => {
  const [, whole = '', part = ''] = /^-?(0|[1-9]\d*)(?:\.(\d+))?$/.exec(value) ?? [];
  return part.length > 2 || whole.length + part.length > 15;
}, 'decimal');

/** HOOK-9: a list without any known name is refused, even if it has other entries. */
const isOddList = anyMember(({ field, value }) => {
  if (field?.kind !== 'list' || value === null) return false;
  if (!Array.isArray(value) || new Set(value).size < value.length) return true;
  const known = value.filter((each) => field.words.includes(String(each)));
  return known.length > 0 && known.length < value.length;
});

const hasId = (odd: RegExp) =>
  anyOf(
    (pair) => (pathOf(pair).match(/\d+/g) ?? []).some((each) => odd.test(each)),
    text((value) => odd.test(value), 'id'),
  );

/** The members that tell which way a transaction moves money, from the first that has each. */
const moveIn = (...sources: readonly (Json | undefined)[]) => {
  const textOf = (name: string) =>
    String(sources.map((each) => memberAt(each, name)).find((value) => value != null) ?? '');
  const type = textOf('transaction_type');
  return { type, method: textOf('method'), isMinus: textOf('amount').startsWith('-') };
};

/** TXN-6: the type of a transaction moves money one way and its method or sign the other way. */
const isOtherDirection: Where = (pair) => {
  if (pair.step.operation !== 'createTransaction') return false;
  const { type, method, isMinus } = moveIn(bodyOf(pair));
  return isMinus || /^(Withdrawal|Debit)$/.test(type) !== (method === 'Withdrawal');
};

/** Whether the currency is not taken from the trading account that the call names. */
const isOtherCurrency: Where = ({ step }) => {
  const [own, place] = ['currency', 'trading_account_id'].map(
    (name) => (memberAt(step.body as Json, name) as { $of?: number } | undefined)?.$of,
  );
  return step.operation === 'createTransaction' && (own === undefined || own !== place);
};

/** NS-33: a row with a blank reference, without email, or without a brand that can be used. */
const hasOddRow: Where = (pair, difference) =>
  isBulk(pair) &&
  rowsOf(pair, difference).some((row) => {
    const [reference, email, brand] = ['client_reference_id', 'email', 'brand_id'].map((name) =>
      memberAt(row, name),
    );
    const isNameless = typeof reference === 'string' && reference.trim() === '';
    const isOddBrand = typeof brand === 'string' && !/^\d+$/.test(brand);
    return isNameless || email === undefined || brand === undefined || isOddBrand;
  });

/** ACC-6, ACC-9: what identifies a person, however it is written: of a phone, its last digits. */
function namesIn(row: Json | undefined): readonly string[] {
  const [reference, email, phone] = ['client_reference_id', 'email', 'phone'].map((name) => {
    const value = memberAt(row, name);
    return typeof value === 'string' ? value.toLowerCase() : '';
  });
  return [reference!, email!, phone!.replace(/\D/g, '').slice(-9)].filter((each) => each !== '');
}

/** The statuses of the rows that name the same person as the row that differs, in any order. */
function statusesBeside({ json }: CallOutcome, pair: Pair, at: number): string {
  const rows = memberAt(bodyOf(pair), 'accounts');
  const own = namesIn(memberAt(rows, String(at)));
  const statuses = (Array.isArray(rows) ? rows : []).flatMap((row, index) => {
    const isBeside = namesIn(row).some((name) => own.includes(name));
    return isBeside ? [String(memberAt(json, `rows.${index}.status`))] : [];
  });
  return statuses.sort().join();
}

/** Rows that name one person have the same answers on both sides, in another order. */
const isOtherOrder: Where = (pair, difference) => {
  const at = rowAt(difference);
  if (at === undefined) return false;
  const [own, due] = [pair.target, pair.model].map((each) => statusesBeside(each, pair, at));
  return own === due && own!.includes(',');
};

const hasMoreThanRows: Where = (pair) =>
  isBulk(pair) && Object.keys(Object(bodyOf(pair))).length > 1;

const hasOddTag: Where = (pair) =>
  pair.step.operation === 'updateAccount' && !/^"\d+"$/.test(headerOf(pair, 'if-match') ?? '');
const cites =
  (question: string): Where =>
  ({ model }) =>
    model.basis?.cites.includes(question) ?? false;
const isOfTokens = isOf(/^issueToken$/);
const isOfOrders = isOf(/Position$/);
const isUnlimitedToken: Where = (pair) => isOfTokens(pair) && !statuses(pair).includes(429);
const PLAIN_EMAIL = /^[a-z0-9._+-]{1,32}@[a-z0-9-]+(\.[a-z]+)+$/i;

const isOtherPayout: Where = (pair) => {
  const { type, method, isMinus } = moveIn(pair.model.json, pair.target.json);
  const isMixed = (type === 'Withdrawal') !== (method === 'Withdrawal');
  return statuses(pair).includes(501) && (isMixed || isMinus);
};

/** No limit is specified; a lower one would make the API unusable. */
const MANY = 5;
/** Amounts that every service takes. */
const isOrdinary = (amount: number): boolean => Math.abs(amount) >= 10 && Math.abs(amount) <= 1000;

/** The subscription of a rotation, or of a disabling (HOOK-13), was disabled before the call. */
const wasDisabled = ({ step: { operation }, model: { json, basis } }: Pair): boolean =>
  operation === 'rotateWebhookSecret'
    ? memberAt(json, 'disabled') === true
    : operation === 'disableWebhook' && basis?.cites.includes('HOOK-13') === true;

/** The URL of a receiver as it is, which a target takes if it delivers anything at all. */
function isPlainHook({ step: { body } }: Pair): boolean {
  const url: unknown = Reflect.get(Object(body), 'url');
  return typeof url === 'object' && url !== null && '$of' in url;
}

const ROWS: readonly Row[] = [
  // Requests that the specification neither allows nor forbids.
  taken(
    'NS-27 unknown members of a body',
    anyOf(
      anyMember(({ field }) => field === undefined),
      hasMoreThanRows,
    ),
  ),
  all(
    'NS-55 null for a member',
    anyMember(({ field, value }) => field !== undefined && value === null),
  ),
  all(
    'a member of another type',
    anyOf(isOtherType, (pair, difference) => rowsOf(pair, difference).some(isNoObject)),
  ),
  taken('texts of which no length is shown', isLong),
  taken(
    'texts that are empty, blank or odd',
    anyOf(isEmpty, isBlank, hasOddCharacters, unlike(PLAIN_EMAIL, 'email')),
  ),
  body('NS-44 what an empty text is stored as', anyOf(isEmpty, isBlank)),
  all('NS-49 ways to write a decimal', isOddDecimal),
  all(
    'NS-46 a decimal as a number',
    anyMember(({ field, value }) => field?.kind === 'decimal' && typeof value === 'number'),
  ),
  taken(
    'NS-27 an amount of zero',
    text((value) => /^-?0(\.0+)?$/.test(value), 'decimal'),
  ),
  taken(
    'the smallest and the largest amount',
    text((value) => /^-?\d+(\.\d+)?$/.test(value) && !isOrdinary(Number(value)), 'decimal'),
  ),
  ...[taken, body].map((free) => free('amounts of too many digits (CONV-2a)', hasManyDigits)),
  all('NS-48 an id with leading zeros', hasId(/^0\d/)),
  refusal('ids of more than 19 digits', hasId(/^\d{20,}$/)),
  taken('NS-60 which currencies there are', unlike(/^[A-Z]{3}$/, 'currency')),
  taken('NS-60 a currency other than that of the trading account', isOtherCurrency),
  taken('NS-27 an amount or a method that does not fit the type', isOtherDirection),
  all('NS-43 whether one of another direction pays out', isOtherPayout),
  taken(
    'NS-23 which public urls are taken',
    (pair) => pair.step.operation === 'createWebhook' && isServed(pair.model) && !isPlainHook(pair),
  ),
  all(
    'how many subscriptions there may be, and to one URL',
    ({ step, target, model, hooks = 0, isSubscribed = false }) =>
      step.operation === 'createWebhook' &&
      isServed(model) &&
      isRefusal(target) &&
      (hooks >= MANY || isSubscribed),
  ),
  all('NS-53 odd lists of categories', isOddList),
  refusal('NS-39 tags that are no revision', hasOddTag),
  freeing('taken')(
    'NS-39 `*` and lists of tags',
    (pair, difference) =>
      hasOddTag(pair, difference) && /[*,]/.test(String(pair.step.ifMatch ?? '')),
  ),
  all(
    'NS-14 other media types',
    (pair) =>
      OPS[pair.step.operation].fields.length > 0 &&
      headerOf(pair, 'content-type') !== 'application/json',
  ),
  refusal(
    'a decision without `account_id`',
    (pair) => isDecision(pair.step.operation) && !/[?&]account_id=/.test(pathOf(pair)),
  ),
  taken(
    'NS-58 a body on approve',
    (pair) => pair.step.operation === 'approveTransaction' && bodyOf(pair) !== undefined,
  ),
  all('NS-58 odd characters in a key', (pair) =>
    /[^ -~]|\s{2}|[,"\\]/.test((headerOf(pair, 'idempotency-key') ?? '').trim()),
  ),
  all('NS-33 rows that lack something', hasOddRow),
  all('the order in which the rows of a batch are processed', isOtherOrder),
  refusal(
    'a word that is none of those named',
    text((value, { words }) => !words.includes(value), 'word'),
  ),

  all(
    'a row of a batch that has to be sent again (IDEM-6b)',
    ({ target }, difference) => sideOf(target, rowAt(difference)).code === 'write_contention',
  ),

  // Responses whose form is not specified.
  ...['NS-6', 'NS-14', 'NS-16', 'NS-18', 'NS-23', 'NS-31', 'NS-63'].map((question) =>
    refusal(question, cites(question)),
  ),
  refusal(
    'NS-14 the status of a refusal in plain text',
    ({ target, model }) => isText(target) && isText(model),
  ),
  taken('NS-15 how large a body may be', cites('NS-15')),
  refusal('NS-45 an id of a webhook that is no number', (pair) => {
    const [, id = ''] = /\/webhooks\/([^/?]+)/.exec(pathOf(pair)) ?? [];
    const isNumber = /^\d+$/.test(id) && Number.isSafeInteger(Number(id));
    return /Webhook/.test(pair.step.operation) && !isNumber;
  }),
  refusal(
    'NS-57 a token that may only read and lacks the scope too',
    ({ step, model }) =>
      codeOf(model) === 'read_only_credential' && !/position|transaction/i.test(step.operation),
  ),
  body('NS-7 what answers the disabling of a subscription', isOf(/^disableWebhook$/)),
  all(
    'NS-7 whether a disabled subscription may be disabled or rotated',
    (pair) => pair.target.status === 409 && wasDisabled(pair),
  ),
  ...[refusal, body].map((free) => free('NS-8 how tokens are asked for', isUnlimitedToken)),
  all(
    'NS-8 in which form tokens are asked for',
    (pair) => isOfTokens(pair) && isServed(pair.model) && pair.isTokenFormKnown !== true,
  ),
  all(
    'how the token endpoint counts a minute (AUTH-3b)',
    (pair) => isOfTokens(pair) && pair.hasPaused && statuses(pair).includes(429),
  ),
  all(
    'NS-8 how long a token lives',
    ({ step, target, model, hasPaused, isTokenLive }) =>
      hasPaused &&
      !(isTokenLive === true && target.status === 401) &&
      step.headers?.authorization !== undefined &&
      (target.status === 401) !== (model.status === 401),
  ),
  all(
    'NS-2 the paths, pages, fields and scopes of the reads',
    ({ step, target, model }) =>
      isOpenRead(step.operation) && !(isServed(target) && isServed(model)),
  ),
  body(
    'NS-1 what is sent and answered when positions are opened and closed',
    // CONV-2a: a decimal is written in decimal notation in every member.
    (pair, { target, model }) =>
      isOfOrders(pair) &&
      !(/^"-?\d+(\.\d+)?e[+-]?\d+"$/i.test(target) && /^"-?\d+(\.\d+)?"$/.test(model)),
  ),
  all(
    'NS-1 which orders are taken, and when',
    (pair) =>
      isOfOrders(pair) && statuses(pair).some((each) => [400, 409, 415, 422].includes(each)),
  ),
  all(
    'NS-64 what a delegated token may do besides trading and funds',
    ({ step, target, model, isDelegated }) =>
      isDelegated === true &&
      /Account|Webhook/.test(step.operation) &&
      [target, model].some(isRefusal),
  ),

  // Repeats, states and times.
  all(
    'NS-30 whether a refusal for want of a scope is kept under its key',
    ({ model, first }) => model.basis?.idempotency === 'replayed' && first?.basis?.step === 'scope',
  ),
  all(
    'NS-17 whether it is asked who may before a repeat is answered',
    ({ target, model, isRescoped }) =>
      isRescoped === true &&
      codeOf(target) === 'forbidden' &&
      model.basis?.idempotency === 'replayed',
  ),
  all(
    'NS-30 whether a refusal is kept that the model gives before keys',
    ({ again }) => again !== undefined && isText(again.model),
  ),
  all(
    'NS-26 which revisions an account has',
    // The tag in an answer must fit the account that it shows, and no other tag need fit it.
    (pair) =>
      statuses(pair).includes(412) &&
      statuses(pair).some((status) => status < 300) &&
      (pair.tagOf === undefined ||
        !pathOf(pair).endsWith(`/${pair.tagOf}`) ||
        pair.isDecidedOn === true),
  ),
  body(
    'NS-5 whether a decision on its money changes an account',
    ({ isDecidedOn }, { at }) => isDecidedOn === true && /^body\.(status|revision)$/.test(at),
  ),
  all(
    'NS-3 whether money has arrived before the call is answered',
    ({ step, target, model, maySettle, isUnsettled }, { at }) => {
      const states = [target, model].map(({ json }) => String(memberAt(json, 'status')));
      const isArriving = states.every((state) => /^(approved|settled)$/.test(state));
      return (
        (maySettle === true && isArriving && /^body\.(status|is_ftd)$/.test(at)) ||
        (isUnsettled === true && isDecision(step.operation))
      );
    },
  ),
  all(
    'whether a decision without effect may have an empty reason (TXS-14)',
    ({ step, model, target }) =>
      /^(reject|cancel)Transaction$/.test(step.operation) &&
      model.status === 200 &&
      target.status === 422 &&
      model.basis?.idempotency !== 'replayed' &&
      memberAt(step.body as Json, 'reason') === '',
  ),
  all('how large "about one second\'s allowance" is (LIM-2)', ({ target, model, metered }) => {
    if (metered === undefined || (target.status === 429) === (model.status === 429)) return false;
    const { served, least, perSecond } = metered;
    if (target.status === 429) return served >= Math.max(1, perSecond * 0.75);
    return least <= perSecond * 1.5 + 1;
  }),
];

/** The open question that leaves the difference free; undefined if none does. */
export function excuseFor(pair: Pair, difference: Difference): Excuse | undefined {
  const row = ROWS.find(
    ({ frees, where }) =>
      frees.some((freedom) => isFree(freedom, pair, difference)) && where(pair, difference),
  );
  if (row !== undefined) return /^NS-\d+/.exec(row.about)?.[0] ?? row.about;
  const { first, model } = pair;
  if (first === undefined || model.basis?.idempotency !== 'replayed') return undefined;
  // A difference that was open in the first answer is open in its replay too.
  return excuseFor({ ...pair, model: first, first: undefined }, difference);
}

function isFree(freedom: Freedom, { target, model }: Pair, difference: Difference): boolean {
  const { at } = difference;
  const [own, due] = [target, model].map((each) => sideOf(each, rowAt(difference)));
  const isRefused = ({ status }: Side) => status >= 400 && status < 500;
  switch (freedom) {
    case 'all':
      return true;
    case 'refusal':
      // ERR-1, IDEM-5: the form is free, but the headers and bytes of a repeat are not.
      return isRefused(own!) && isRefused(due!) && !/^(replay|attempt|header\.x-)/.test(at);
    case 'taken':
      return own!.status < 400 !== due!.status < 400 && [own!, due!].some(isInvalid);
    case 'body':
      if (own!.status >= 400 || due!.status >= 400) return false;
      return /^(status|body)/.test(at) || at === 'header.content-type';
  }
}

interface Side {
  readonly status: number;
  readonly code: Json | undefined;
}

/** BULK-3: a row of a batch is answered like a single create. */
function sideOf({ status, json }: CallOutcome, row: number | undefined): Side {
  const shown = row === undefined ? undefined : memberAt(json, `rows.${row}`);
  const own = memberAt(shown, 'status');
  if (typeof own !== 'number') return { status, code: memberAt(json, 'code') };
  return { status: own, code: memberAt(shown, 'code') };
}

/** A refusal of the content of a request, not of its caller or of the state of a record. */
const isInvalid = ({ status, code }: Side): boolean =>
  [400, 413, 415, 422].includes(status) && code !== 'idempotency_key_required';

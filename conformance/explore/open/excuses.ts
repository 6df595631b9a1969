// What a target may answer otherwise than the model because the specification leaves it open: known
// by the question, and only where no setting of the model says it.
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { Difference } from '../compare/difference.ts';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import { bothRefuse, type Case, cites, type Excuse, isRefusal, isText, type Row } from './case.ts';
import { OF_MONEY } from './of-money.ts';
import { hasEmptyText, hasOddTag, hasOpenRow, hasUnknown, isAllEmpty } from './sent.ts';

const codeOf = ({ json }: CallOutcome): Json | undefined => memberAt(json, 'code');

const ROWS: readonly Row[] = [
  {
    question: 'NS-16',
    why: 'what answers a call without a valid token',
    covers: (each) => cites(each, 'NS-16') && isRefusal(each.target),
  },
  {
    question: 'NS-14',
    why: 'the status of the plain-text refusal of an unreadable body',
    covers: (each) => bothRefuse(each) && isText(each.model) && isText(each.target),
  },
  {
    question: 'NS-7',
    why: 'what answers the disabling of a subscription',
    covers: ({ step, difference, target, model }) =>
      step.operation === 'disableWebhook' &&
      [target, model].every(({ status }) => status < 300) &&
      (/^(status|code|body)$/.test(difference.at) || difference.target === 'nothing'),
  },
  {
    question: 'NS-7',
    why: 'whether a subscription that is disabled may be disabled or rotated once more',
    covers: (each) => each.target.status === 409 && each.model.status < 300 && isOfDisabled(each),
  },
  {
    question: 'NS-27',
    why: 'how a member that is not known is refused',
    covers: (each) =>
      bothRefuse(each) &&
      (cites(each, 'NS-27') || (isText(each.model) && hasUnknown(each.step, each.target))),
  },
  {
    question: 'NS-27',
    why: 'whether a member that is not known is refused',
    covers: ({ step, target, model }) =>
      [target, model].some(({ status }) => status === 400 || status === 422) &&
      [target, model].some(({ status }) => status < 300) &&
      hasUnknown(step, target),
  },
  {
    question: 'NS-18',
    why: 'what answers an update without a tag',
    covers: (each) => bothRefuse(each) && cites(each, 'NS-18') && each.step.ifMatch === undefined,
  },
  {
    question: null,
    why: 'whether a strong tag that is no revision is malformed or stale',
    covers: (each) =>
      [each.target, each.model].every(({ status }) => status === 412 || status === 422) &&
      hasOddTag(each.target),
  },
  {
    question: 'NS-6',
    why: 'how a whole batch is refused',
    // Not that it names the row (BULK-9, BULK-10).
    covers: (each) =>
      bothRefuse(each) && cites(each, 'NS-6') && each.difference.at !== 'body.detail',
  },
  {
    question: 'NS-33',
    why: 'whether a row that lacks something fails alone or refuses the batch',
    covers: ({ step, target, model }) =>
      step.operation === 'bulkCreateAccounts' && hasOpenRow(target) && bothAnswer(target, model),
  },
  {
    question: 'NS-57',
    why: 'which is said first, that a token may only read or that it lacks the scope',
    covers: ({ target, model, step }) =>
      codeOf(model) === 'read_only_credential' &&
      codeOf(target) === 'forbidden' &&
      !/position|transaction/i.test(step.operation),
  },
  {
    question: 'NS-30',
    why: 'whether a refusal for want of a scope is kept under its key',
    covers: ({ model, target, first }) =>
      model.basis?.idempotency === 'replayed' &&
      first?.basis?.step === 'scope' &&
      target.status === model.status,
  },
  {
    question: 'NS-30',
    why: 'whether a refusal is kept that the model gives before it looks the key up',
    covers: ({ again }) => again !== undefined && isText(again.model),
  },
  {
    question: 'NS-8',
    why: 'the form of the answers of the token endpoint',
    covers: ({ step, target, model }) =>
      step.operation === 'issueToken' && target.status < 300 && model.status < 300,
  },
  {
    question: 'NS-8',
    why: 'how long a token lives',
    covers: ({ step, target, model, hasPaused, isTokenLive }) =>
      hasPaused &&
      !(isTokenLive === true && target.status === 401) &&
      step.headers?.authorization !== undefined &&
      (target.status === 401) !== (model.status === 401),
  },
  {
    question: 'NS-23',
    why: 'how a webhook url or category is refused',
    covers: (each) => bothRefuse(each) && cites(each, 'NS-23'),
  },
  {
    question: 'NS-54',
    why: 'where and how the status of an account is read',
    covers: ({ step }) => step.operation === 'getAccountStatus',
  },
  {
    question: 'NS-2',
    why: 'the paths, pages and fields of the reads',
    covers: ({ step, target }) => isRead(step) && (isRefusal(target) || !isPage(target)),
  },
  {
    question: 'NS-1',
    why: 'what is sent and answered when positions are opened and closed',
    covers: ({ step, difference, target, model }) =>
      /Position$/.test(step.operation) &&
      // CONV-2a: in whatever member, a decimal is written as one.
      !hasExponent(difference) &&
      (difference.at.startsWith('body.') ||
        [target, model].some((each) => each.status === 422 || isText(each))),
  },
  {
    question: 'NS-63',
    why: 'how a firm-wide credential is refused that names a brand of another firm',
    covers: (each) => bothRefuse(each) && cites(each, 'NS-63'),
  },
  {
    question: 'NS-45',
    why: 'what answers an id in the path of a webhook route that is no number, or too large for one',
    covers: (each) => bothRefuse(each) && /Webhook/.test(each.step.operation) && hasOddId(each),
  },
  {
    question: 'NS-26',
    why: 'whether two accounts have revisions in common, so that the tag of one fits the other',
    covers: ({ target, model, tagOf }) =>
      [target, model].some(({ status }) => status === 412) &&
      [target, model].some(({ status }) => status < 300) &&
      tagOf !== undefined &&
      !target.sent.target.endsWith(`/${tagOf}`),
  },
  {
    question: 'NS-44',
    why: 'whether a member that was never given, and reads as empty, is changed by an empty text',
    covers: (each) => each.step.operation === 'updateAccount' && isOfEmptyTexts(each),
  },
  ...OF_MONEY,
];

/** The open question that the difference is one of; undefined when it is none. */
export function excuseOf(each: Case): Excuse | undefined {
  const found = ROWS.find(({ covers }) => covers(each));
  if (found !== undefined || each.first === undefined) return found;
  if (each.model.basis?.idempotency !== 'replayed') return undefined;
  // What was open when it was answered first is so when it is answered again.
  return excuseOf({ ...each, model: each.first, first: undefined });
}

const hasExponent = ({ target, model }: Difference): boolean =>
  /^"-?\d+(\.\d+)?e[+-]?\d+"$/i.test(target) && /^"-?\d+(\.\d+)?"$/.test(model);

/** HOOK-5 is cited where something is disabled, and HOOK-13 alone where it has been already. */
function isOfDisabled(each: Case): boolean {
  const { step, model } = each;
  if (step.operation === 'disableWebhook') return cites(each, 'HOOK-13') && !cites(each, 'HOOK-5');
  return step.operation === 'rotateWebhookSecret' && memberAt(model.json, 'disabled') === true;
}

/** HOOK-2: an id is a JSON number. */
function hasOddId({ target }: Case): boolean {
  const [, id = ''] = /\/webhooks\/([^/?]+)/.exec(target.sent.target) ?? [];
  return id !== '' && !(/^\d+$/.test(id) && Number.isSafeInteger(Number(id)));
}

/** UPD-8: beside the empty texts stands nothing, or only what changes nothing. */
function isOfEmptyTexts(each: Case): boolean {
  const { target, model } = each;
  const statuses = [target.status, model.status];
  if (!statuses.includes(200) || !statuses.includes(422)) return false;
  return isAllEmpty(target) || (cites(each, 'UPD-8') && hasEmptyText(target));
}

const isRead = ({ operation }: CallStep): boolean =>
  operation === 'listAccounts' || operation === 'listTransactions';

const isPage = ({ json }: CallOutcome): boolean =>
  Array.isArray(memberAt(json, 'accounts')) || Array.isArray(memberAt(json, 'transactions'));

const bothAnswer = (target: CallOutcome, model: CallOutcome): boolean =>
  [target, model].every(({ status }) => status === 200 || (status >= 400 && status < 500));

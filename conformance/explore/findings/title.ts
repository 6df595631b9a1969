// Says in words what differs, so that it can be the title of a bug.

import type { OperationName } from '../../engine/operations.ts';
import { span } from '../../reports/verdict-words.ts';
import type { CallStep } from '../sequence.ts';
import type { Found } from './investigate.ts';
import { type Evidence, evidenceOf } from './signs/evidence.ts';

const DOING: Readonly<Record<OperationName, string>> = {
  createAccount: 'creating an account',
  updateAccount: 'updating an account',
  bulkCreateAccounts: 'creating accounts in bulk',
  openPosition: 'opening a position',
  closePosition: 'closing a position',
  createTransaction: 'recording a transaction',
  approveTransaction: 'approving a transaction',
  rejectTransaction: 'rejecting a transaction',
  cancelTransaction: 'cancelling a transaction',
  createWebhook: 'creating a webhook subscription',
  listWebhooks: 'listing webhook subscriptions',
  getWebhook: 'reading a webhook subscription',
  rotateWebhookSecret: 'rotating a webhook secret',
  disableWebhook: 'disabling a webhook subscription',
  issueToken: 'asking for a token',
  listAccounts: 'listing accounts',
  listTransactions: 'listing transactions',
  getAccountStatus: "reading an account's status",
};

export function titleOf(found: Found): string {
  const evidence = evidenceOf(found);
  const { operation, at, model, target, modelAnswer } = found.difference;
  if (operation === 'ledger') {
    return `The ${at} of a trading account: ${target} in place of ${model}`;
  }
  if (operation === 'delivery') return `Webhook deliveries, ${at}: ${target} in place of ${model}`;
  if (operation === 'channel') return `The events channel, ${at}: ${target} in place of ${model}`;
  if (operation === 'burst') return `Calls at once, ${at}: ${target} in place of ${model}`;
  const what = `${capitalised(DOING[operation])}${circumstances(evidence)}`;
  if (at === 'status' || at === 'code') {
    const { elsewhere } = found;
    const also = elsewhere === undefined ? '' : `, and so does ${DOING[elsewhere]}`;
    return `${what} answers ${target} in place of ${model}${also}`;
  }
  if (at.startsWith('replay.')) return `${what} is not answered with the bytes of the first answer`;
  if (at.startsWith('header.')) {
    return `${what} answers ${modelAnswer} with ${at.slice(7)} ${target}, expected ${model}`;
  }
  const member = at.replace(/^body\./, '');
  return `${what} answers ${modelAnswer} with ${member} ${target} in place of ${model}`;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function callerWords(call: CallStep | undefined): readonly string[] {
  if (call?.headers?.authorization !== undefined) return ['under a token issued before'];
  return call === undefined || call.as === 'firm' ? [] : [`as ${call.as}`];
}

/** By whom, under which key, after what time: shrinking has left only what it takes. */
function circumstances({ call, isReplayed, isAtOnce, steps }: Evidence): string {
  const pausedMs = steps.reduce((sum, step) => sum + (step.do === 'advance' ? step.byMs : 0), 0);
  return [
    ...(isReplayed ? ['again under its key'] : []),
    ...callerWords(call),
    ...(isAtOnce ? ['at once with another call'] : []),
    ...(pausedMs > 1 ? [`after ${span(pausedMs)}`] : []),
  ]
    .map((each) => ` ${each}`)
    .join('');
}

// What a call does, as a title says it.
import type { OperationName } from '../../engine/operations.ts';

export const DOING: Readonly<Record<OperationName, string>> = {
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

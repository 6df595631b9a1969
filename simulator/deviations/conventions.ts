// Deviations of ids, amounts and times (CONV).
import { refuseUnreadable } from '../core/pipeline/request-context.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  inSeconds,
  type Json,
  members,
  type Override,
  policy,
  reading,
  refuseAs,
  sentObject,
  shown,
  stage,
  writeOperations,
} from './overrides.ts';

const positions = ['openPosition', 'closePosition'] as const;

const isNumberId = ([name, value]: readonly [string, unknown]): boolean =>
  name.endsWith('_id') && typeof value === 'number';

function hasNumberId(body: Json): boolean {
  return Object.entries(body).some(isNumberId);
}

const reads = (change: (body: Json) => Json): Override =>
  policy('serialize', (serialize) => ({
    accountRead: (account) =>
      JSON.stringify(change(JSON.parse(serialize.accountRead(account)) as Json)),
    transactionRead: (transaction) =>
      JSON.stringify(change(JSON.parse(serialize.transactionRead(transaction)) as Json)),
  }));

export const conventionDeviations: DeviationFamily = {
  'transaction-amount-as-number': {
    breaks: ['CONV-2a'],
    story: 'Responses show the amount as a JSON number.',
    override: shown('transaction', (body) => ({ ...body, amount: Number(body.amount) })),
  },
  'transaction-amount-string-refused': {
    breaks: ['CONV-2b'],
    story: 'The amount has to be a JSON number.',
    override: (behaviour) => ({
      ...behaviour,
      read: (context, text) => {
        const result = behaviour.read(context, text);
        const isString =
          'body' in result &&
          context.operation === 'createTransaction' &&
          String(result.body.amount).includes('.');
        return isString ? refuseUnreadable(422, 'amount must be a number.', []) : result;
      },
    }),
  },
  'transaction-id-as-number': {
    breaks: ['CONV-1a'],
    story: 'The id is a number in the database and is sent as one.',
    override: shown('transaction', (body) => ({ ...body, id: Number(body.id) })),
  },
  'transaction-account-id-as-number': {
    breaks: ['CONV-1a'],
    story: 'Foreign keys are sent as numbers.',
    override: shown('transaction', (body) => ({ ...body, account_id: Number(body.account_id) })),
  },
  'order-id-as-number': {
    breaks: ['CONV-1a'],
    story: 'Orders come from a service that numbers them.',
    override: members(positions, (body) => ({ ...body, id: Number(body.id) })),
  },
  'transaction-time-in-seconds': {
    breaks: ['CONV-4'],
    story: 'created_at is a Unix time in seconds.',
    override: shown('transaction', inSeconds),
  },
  'id-as-number-accepted': {
    breaks: ['CONV-1b'],
    story: 'An id may be sent as a number, for convenience.',
    override: reading(writeOperations, (sent) =>
      hasNumberId(sent)
        ? Object.fromEntries(
            Object.entries(sent).map(([name, value]) => [
              name,
              isNumberId([name, value]) ? String(value) : value,
            ]),
          )
        : null,
    ),
  },
  'id-as-number-is-problem': {
    breaks: ['CONV-1b'],
    story: 'A number in an id is a validation problem like any other.',
    override: stage('readable', (given, context) =>
      given !== null && hasNumberId(sentObject(context) ?? {})
        ? refuseAs(context, 'validation_failed')
        : given,
    ),
    alsoSeenAs: { 'ERR-2': 'it is not in plain text' },
  },
  'id-hexadecimal-accepted': {
    breaks: ['CONV-1c'],
    story: 'Ids are read with Number(), which takes 0x10 and 1e3.',
    override: policy('values', (values) => ({
      id: (text) =>
        values.id(text) ??
        (text.trim() !== '' && Number.isInteger(Number(text)) ? String(Number(text)) : null),
    })),
    alsoSeenAs: { 'TXS-15': 'the account in the query is read the same way' },
  },
  'read-record-id-as-text': {
    breaks: ['CONV-3'],
    story: 'The bulk reads send record_id as a string.',
    override: reads((body) => ({ ...body, record_id: String(body.record_id) })),
  },
  'read-account-id-as-text': {
    breaks: ['CONV-3'],
    story: 'In the bulk reads only record_id is a number.',
    override: reads((body) => ({ ...body, account_id: String(body.account_id) })),
  },
};

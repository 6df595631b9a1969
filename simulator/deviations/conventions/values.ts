// Wrong ways of writing amounts, ids and times (CONV).
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { type Json, members, policy } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { create, shown } from '../transactions/bends.ts';

export const conventionDeviations: readonly Deviation[] = [
  {
    id: 'transaction-amount-as-number',
    breaks: ['CONV-2a'],
    story: 'The amount is answered as a JSON number.',
    bend: shown((body) => ({ ...body, amount: Number(body.amount) })),
  },
  {
    id: 'transaction-amount-string-refused',
    breaks: ['CONV-2b'],
    story: 'Amounts have to be JSON numbers.',
    bend: (behaviour) => ({
      ...behaviour,
      read: (context, text) => {
        const result = behaviour.read(context, text);
        const isString =
          'body' in result &&
          context.operation === create &&
          String(result.body.amount).includes('.');
        return isString ? { status: 422, message: 'amount must be a number.', cites: [] } : result;
      },
    }),
  },
  {
    id: 'transaction-id-as-number',
    breaks: ['CONV-1a'],
    story: 'The id is a number in the database, and so it is sent.',
    bend: shown((body) => ({ ...body, id: Number(body.id) })),
  },
  {
    id: 'transaction-account-id-as-number',
    breaks: ['CONV-1a'],
    story: 'Foreign keys are sent as numbers.',
    bend: shown((body) => ({ ...body, account_id: Number(body.account_id) })),
  },
  {
    id: 'order-id-as-number',
    breaks: ['CONV-1a'],
    story: 'Orders come from another service, which counts.',
    bend: members(['openPosition', 'closePosition'], (body) => ({ ...body, id: Number(body.id) })),
  },
  {
    id: 'transaction-time-in-seconds',
    breaks: ['CONV-4'],
    story: 'created_at is in seconds, as Unix has it.',
    bend: shown((body) => ({ ...body, created_at: Math.floor(Number(body.created_at) / 1000) })),
  },
  {
    id: 'id-as-number-accepted',
    breaks: ['CONV-1b'],
    story: 'Ids are taken in either form, to be kind.',
    bend: readingIds((value) => (typeof value === 'number' ? String(value) : value)),
  },
  {
    id: 'id-as-number-is-problem',
    breaks: ['CONV-1b'],
    story: 'A number in an id is a validation problem like any other.',
    bend: (behaviour) => ({
      ...behaviour,
      stages: behaviour.stages.map((stage) =>
        stage.name !== 'readable'
          ? stage
          : {
              name: 'readable',
              decide: (context: RequestContext) => {
                const refused = stage.decide(context);
                return refused !== null && /_id must be of type/.test(refused.reply.body)
                  ? refuseAs(context, 422, 'validation_failed', refused.reply.body.trim())
                  : refused;
              },
            },
      ),
    }),
    alsoSeenAs: { 'ERR-2': 'it is not in plain text' },
  },
  {
    id: 'id-hexadecimal-accepted',
    breaks: ['CONV-1c'],
    story: 'Number() reads ids, 0x10 and 1e3 among them.',
    bend: policy('values', (values) => ({
      id: (text) =>
        values.id(text) ??
        (text.trim() !== '' && Number.isInteger(Number(text)) ? String(Number(text)) : null),
    })),
    alsoSeenAs: { 'TXS-15': 'the account in the query too' },
  },
  {
    id: 'read-record-id-as-text',
    breaks: ['CONV-3'],
    story: 'The reads were tidied up early and send texts.',
    bend: reading((body) => ({ ...body, record_id: String(body.record_id) })),
  },
  {
    id: 'read-account-id-as-text',
    breaks: ['CONV-3'],
    story: 'Only record_id is a number.',
    bend: reading((body) => ({ ...body, account_id: String(body.account_id) })),
  },
];

function readingIds(change: (value: unknown) => unknown): Deviation['bend'] {
  return (behaviour) => ({
    ...behaviour,
    read: (context, text) => {
      const result = behaviour.read(context, text);
      if ('body' in result || !/_id must be of type/.test(result.message)) return result;
      const body = JSON.parse(text) as Json;
      for (const name of Object.keys(body))
        if (name.endsWith('_id')) body[name] = change(body[name]);
      return behaviour.read(context, JSON.stringify(body));
    },
  });
}

function reading(change: (body: Json) => Json): Deviation['bend'] {
  return policy('serialize', (serialize) => ({
    accountRead: (account) =>
      JSON.stringify(change(JSON.parse(serialize.accountRead(account)) as Json)),
    transactionRead: (transaction) =>
      JSON.stringify(change(JSON.parse(serialize.transactionRead(transaction)) as Json)),
  }));
}

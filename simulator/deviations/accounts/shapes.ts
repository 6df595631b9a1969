// Wrong shapes of accounts: members, types, tags, what comes with them (ACC-14, ACC-18 to ACC-22,
// CONV-1a).
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Account } from '../../core/records.ts';
import { decision, type Json, only, policy } from '../bend.ts';
import { unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Changes the account that a create makes, in the world and in the answer. */
function made(change: (account: Account, context: RequestContext) => Account): Deviation['bend'] {
  return decision('createAccount', (given, context) => {
    const [created] = only(given.changes, 'account-created');
    if (created === undefined) return given;
    const account = change(created.account, context);
    const { behaviour } = context;
    return {
      ...given,
      reply: {
        ...given.reply,
        body: behaviour.serialize.account(account),
        etag: behaviour.values.etag(account),
      },
      changes: given.changes.map((each) => (each === created ? { ...created, account } : each)),
    };
  });
}

const shown = (change: (body: Json) => Json): Deviation['bend'] =>
  policy('serialize', (serialize) => ({
    account: (account) => JSON.stringify(change(JSON.parse(serialize.account(account)) as Json)),
  }));

export const accountShapeDeviations: readonly Deviation[] = [
  {
    id: 'account-country-in-capitals',
    breaks: ['ACC-14'],
    story: 'Countries are stored as two capitals.',
    bend: made((account) => ({
      ...account,
      country: account.country?.toUpperCase().slice(0, 2) ?? null,
    })),
  },
  {
    id: 'account-language-lower-case',
    breaks: ['ACC-14'],
    story: 'Languages are stored in lower case.',
    bend: made((account) => ({ ...account, language: account.language?.toLowerCase() ?? null })),
  },

  {
    id: 'account-shows-email',
    breaks: ['ACC-18'],
    story: 'The whole record is printed, the email with it.',
    bend: policy('serialize', (serialize) => ({
      account: (account) =>
        JSON.stringify({
          ...(JSON.parse(serialize.account(account)) as Json),
          email: account.email,
        }),
    })),
  },
  {
    id: 'account-lacks-language',
    breaks: ['ACC-18'],
    story: 'A member was forgotten in the answer.',
    bend: shown(({ language: _, ...rest }) => rest),
  },
  {
    id: 'account-revision-as-text',
    breaks: ['ACC-18'],
    story: 'Numbers are sent as strings throughout.',
    bend: shown((body) => ({ ...body, revision: String(body.revision) })),
  },
  {
    id: 'account-id-as-number',
    breaks: ['CONV-1a'],
    story: 'The id is a number in the database, and so it is sent.',
    bend: shown((body) => ({ ...body, id: Number(body.id) })),
  },
  {
    id: 'account-in-camel-case',
    breaks: ['ACC-18'],
    story: 'The serialiser writes camel case.',
    bend: shown(({ first_name: firstName, last_name: lastName, ...rest }) => ({
      ...rest,
      firstName,
      lastName,
    })),
  },
  {
    id: 'account-etag-is-a-hash',
    breaks: ['ACC-19'],
    story: 'The framework computes tags from the body.',
    bend: policy('values', () => ({
      etag: (account) => `"${account.id}-${account.revision}"`,
      ifMatch: hashed,
    })),
  },
  {
    id: 'account-replayed-without-etag',
    breaks: ['ACC-19'],
    story: 'Only status and body are kept under a key.',
    bend: policy('keys', (keys) => ({
      replay: (stored, context) => ({ ...keys.replay(stored, context), etag: undefined }),
    })),
  },
  {
    id: 'account-starts-active',
    breaks: ['ACC-20'],
    story: 'New accounts are active at once.',
    bend: policy('accounts', () => ({ firstStatus: 'Active' })),
  },
  {
    id: 'account-create-unscoped',
    breaks: ['ACC-21'],
    story: 'Any valid token may create accounts.',
    bend: unscoped('createAccount'),
  },
  {
    id: 'account-brings-trading-account',
    breaks: ['ACC-22'],
    story: 'Every account gets a demo trading account.',
    bend: decision('createAccount', (given, { world }) => {
      const [created] = only(given.changes, 'account-created');
      if (created === undefined) return given;
      const id = String(world.counters.tradingAccount + 1);
      const tradingAccount = {
        id,
        account_id: created.account.id,
        currency: 'USD',
        provider_payouts: false,
        balance: '0.00',
        entries: [],
      };
      return {
        ...given,
        changes: [...given.changes, { type: 'trading-account-set', tradingAccount }],
      };
    }),
  },
];

function hashed(header: string | undefined) {
  if (header === undefined) return { kind: 'missing' } as const;
  const value = /^"[1-9]\d*-(0|[1-9]\d*)"$/.exec(header)?.[1];
  return value === undefined ? ({ kind: 'malformed' } as const) : ({ kind: 'tag', value } as const);
}

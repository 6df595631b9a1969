// Ideas about updates: which members, under which tag, of whose account.
import { UNKNOWN_ID } from '../../scenarios/support/unknown-id.ts';
import type { CallStep, Value } from '../sequence.ts';
import { call, type Drawing, type Idea, type Members, newestOr, newKey } from './idea.ts';
import { COUNTRIES, LANGUAGES, LONG, SCRIPTS, STATUSES, VERY_LONG } from './people.ts';
import type { DrawnAccount, Scene } from './scene.ts';

const tagged = ({ accounts }: Scene) => accounts.some(({ tags }) => tags.length > 0);
const retagged = ({ accounts }: Scene) => accounts.some(({ tags }) => tags.length > 1);

const tagOf = (step: number): Value => ({ $header: step, name: 'etag' });

function newestTag({ tags }: DrawnAccount): Value {
  return tagOf(tags[tags.length - 1]!);
}

function someAccount(d: Drawing, least = 1): DrawnAccount {
  return newestOr(
    d,
    d.scene.accounts.filter(({ tags }) => tags.length >= least),
  );
}

export function updateCall(
  d: Drawing,
  account: DrawnAccount,
  body: Members,
  over: Partial<CallStep> = {},
): CallStep {
  return call(d, {
    operation: 'updateAccount',
    as: account.as,
    id: account.id,
    key: newKey(d),
    ifMatch: newestTag(account),
    body,
    ...over,
  });
}

/** An update of an account under its newest tag. */
function update(
  id: string,
  body: (d: Drawing) => Members,
  over: (d: Drawing, account: DrawnAccount) => Partial<CallStep> = () => ({}),
  rest: Partial<Idea> = {},
): Idea {
  return {
    id: `update/${id}`,
    when: tagged,
    draw: (d) => {
      const account = someAccount(d);
      return [updateCall(d, account, body(d), over(d, account))];
    },
    ...rest,
  };
}

/** A value that the account has not had, so that the update changes something. */
const status = (d: Drawing): Members => ({ status: `s${d.stem()}` });

const applied: readonly Idea[] = [
  update('status', (d) => ({ status: d.random.pick(STATUSES) }), undefined, { weight: 3 }),
  update('first-name', (d) => ({ first_name: d.random.pick(SCRIPTS) })),
  update('last-name', (d) => ({ last_name: d.random.pick(SCRIPTS) })),
  update('country', (d) => ({ country: d.random.pick(COUNTRIES) })),
  update('language', (d) => ({ language: d.random.pick(LANGUAGES) })),
  update('two', (d) => ({ first_name: d.random.pick(SCRIPTS), ...status(d) })),
  update('country-and-status', (d) => ({ country: d.random.pick(COUNTRIES), ...status(d) })),
  update('all', (d) => ({
    first_name: d.random.pick(SCRIPTS),
    last_name: d.random.pick(SCRIPTS),
    country: d.random.pick(COUNTRIES),
    language: d.random.pick(LANGUAGES),
    ...status(d),
  })),
  update('long', () => ({ last_name: LONG })),
  update('very-long', () => ({ first_name: VERY_LONG })),
  update('empty-name', (d) => ({ [d.random.pick(['first_name', 'last_name'])]: '' })),
  update('both-names', (d) => ({ first_name: `f${d.stem()}`, last_name: `l${d.stem()}` })),
  update('with-email', (d) => ({ email: 'other@explore.example.com', ...status(d) })),
  update('with-phone', (d) => ({ phone: '+4930123456', ...status(d) })),
  update('with-id', (d) => ({ id: '1', revision: 99, ...status(d) }), undefined, { weight: 0.5 }),
  update('with-reference', (d) => ({ client_reference_id: 'other', ...status(d) })),
  {
    id: 'update/many-times',
    weight: 0.6,
    when: tagged,
    draw: (d) => {
      const account = someAccount(d);
      const steps: CallStep[] = [];
      let tag = newestTag(account);
      for (let count = d.random.pick([3, 5, 11]); count > 0; count -= 1) {
        const step = updateCall(d, account, status(d), { ifMatch: tag });
        steps.push(step);
        tag = tagOf(step.n);
      }
      return steps;
    },
  },
];

const refused: readonly Idea[] = [
  update('nothing', () => ({})),
  update('email-alone', () => ({ email: 'other@explore.example.com' })),
  update('phone-alone', () => ({ phone: '+4930123456' })),
  update('bare-tag', status, (_, account) => ({
    ifMatch: { $of: account.tags[account.tags.length - 1]!, at: 'revision' },
  })),
  update('tag-of-the-same-number', status, (d, account) => {
    const revision: Value = { $of: account.tags[account.tags.length - 1]!, at: 'revision' };
    const [before, after] = d.random.pick([
      ['"0', '"'],
      ['"', '.0"'],
      ['" ', '"'],
      ['"+', '"'],
    ] as const);
    return { ifMatch: { $join: [before, revision, after] } };
  }),
  update('weak-tag', status, (_, account) => ({ ifMatch: { $join: ['W/', newestTag(account)] } })),
  update('garbage-tag', status, (d) => ({
    ifMatch: d.random.pick(['"', 'abc', '"1', "'1'", '""1""']),
  })),
  update('unknown-tag', status, (d) => ({ ifMatch: d.random.pick(['"999999"', '"x"', '"-1"']) })),
  update('no-tag', status, () => ({}), {
    draw: (d) => {
      const { ifMatch, ...rest } = updateCall(d, someAccount(d), status(d));
      return [rest];
    },
  }),
  update('status-number', () => ({ status: 7 }), undefined, { weight: 0.5 }),
  update('broken-json', () => ({}), undefined, {
    weight: 0.5,
    draw: (d) => {
      const { body, ...rest } = updateCall(d, someAccount(d), {});
      return [{ ...rest, raw: '{"status": ' }];
    },
  }),
];

const stale: readonly Idea[] = [
  {
    id: 'update/stale-tag',
    weight: 4,
    when: retagged,
    draw: (d) => {
      const account = someAccount(d, 2);
      const old = d.random.pick(account.tags.slice(0, -1));
      return [updateCall(d, account, status(d), { ifMatch: tagOf(old) })];
    },
  },
  {
    id: 'update/tag-of-another',
    when: ({ accounts }) => accounts.filter(({ tags }) => tags.length > 1).length > 1,
    draw: (d) => {
      const account = someAccount(d);
      const other = someAccount(d, 2);
      return [updateCall(d, account, status(d), { ifMatch: newestTag(other) })];
    },
  },
  {
    id: 'update/same-values',
    weight: 2,
    when: ({ calls }) => calls.some(isApplied),
    draw: (d) => {
      const { step } = d.random.pick(d.scene.calls.filter(isApplied));
      return [{ ...step, n: d.scene.label(), key: newKey(d), ifMatch: tagOf(step.n) }];
    },
  },
];

/** A value that is stored already beside one that is new (UPD-2, UPD-8). */
const halfEqual: Idea = {
  id: 'update/one-of-two-equal',
  weight: 2,
  when: ({ calls }) => calls.some(isApplied),
  draw: (d) => {
    const { step } = d.random.pick(d.scene.calls.filter(isApplied));
    const body = { ...(step.body as Members), language: `e${d.stem()}` };
    return [{ ...step, n: d.scene.label(), key: newKey(d), ifMatch: tagOf(step.n), body }];
  },
};

function isApplied({ step, status: answered }: Scene['calls'][number]): boolean {
  return step.operation === 'updateAccount' && answered === 200;
}

const strangers: readonly Idea[] = [
  update('unknown', status, (d) => ({ id: d.random.pick(['999999999', UNKNOWN_ID, '0']) })),
  update('unknown-with-bad-tag', status, () => ({ id: '999999999', ifMatch: '"999999"' })),
  update('id-text', status, (d) => ({ id: d.random.pick(['abc', '1.5', '0x10', '-1', '1e3']) })),
  update('by-other-brand', status, () => ({ as: 'other_brand' }), { needs: ['other_brand'] }),
  update('by-brand', status, () => ({ as: 'brand' }), { needs: ['brand'], weight: 2 }),
  update('by-other-firm', status, () => ({ as: 'other_firm' }), { needs: ['other_firm'] }),
  update('by-other-firm-with-stale-tag', status, () => ({ as: 'other_firm', ifMatch: '"999"' }), {
    needs: ['other_firm'],
  }),
  update('by-no-scopes', status, () => ({ as: 'no_scopes' }), { needs: ['no_scopes'] }),
  update('by-delegated', status, () => ({ as: 'delegated' }), { needs: ['delegated'] }),
  update('by-read-only', status, () => ({ as: 'read_only' }), { needs: ['read_only'] }),
  update('by-nobody', status, () => ({ as: 'nobody' })),
];

export const updateIdeas: readonly Idea[] = [
  ...applied,
  ...refused,
  ...stale,
  halfEqual,
  ...strangers,
];

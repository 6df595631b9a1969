// Wrong ways that show only when calls come at once.
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { copyContext } from '../../core/pipeline/request-context.ts';
import type { OperationName } from '../../core/tables/operations.ts';
import { type Bend, operation, policy, transitionOperations } from '../bend.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { type AtOnce, ofKind, type Row, racing } from './bends.ts';

type Other = (
  behaviour: RequestContext['behaviour'],
  context: RequestContext,
) => RequestContext['behaviour'];

/** Calls that share this name at one moment are decided under another behaviour. */
const underRace = (
  names: OperationName | readonly OperationName[],
  nameOf: (context: RequestContext) => string,
  other: Other,
): Bend =>
  racing((atOnce) =>
    operation(names, (run, context) => {
      if (!atOnce.meets(context.world, nameOf(context))) return run(context);
      return run(copyContext(context, { behaviour: other(context.behaviour, context) }));
    }),
  );

/** Repeats at one moment are not seen to be repeats. */
const keysUnseen = (wanted: readonly OperationName[]): Bend =>
  racing((atOnce) =>
    policy('keys', ({ find }) => ({
      find: (world, keyId, atMs) => {
        const isWanted = wanted.some((name) => keyId.includes(`\n${name}\n`));
        return isWanted && atOnce.meets(world, keyId) ? undefined : find(world, keyId, atMs);
      },
    })),
  );

const values =
  (over: (n: number) => Partial<RequestContext['behaviour']['values']>): Other =>
  (behaviour, { n }) => ({ ...behaviour, values: { ...behaviour.values, ...over(n) } });

const asIfNew = values((n) => ({
  referenceKey: (text) => `${text.toLowerCase()}\n${n}`,
  emailKey: (email) => `${email}\n${n}`,
  phoneKey: () => null,
}));

/** Whatever was decided a moment ago is not seen. */
const asIfPending: Other = (behaviour) => {
  const { transitions } = behaviour.transactions;
  const { pending, settled } = transitions;
  const blind = { pending, settled, approved: pending, rejected: pending, cancelled: pending };
  return { ...behaviour, transactions: { ...behaviour.transactions, transitions: blind } };
};

const asIfSettled: Other = (behaviour) => {
  const { transitions } = behaviour.transactions;
  const cancelled = { ...transitions.cancelled, cancel: transitions.settled.cancel };
  return {
    ...behaviour,
    transactions: { ...behaviour.transactions, transitions: { ...transitions, cancelled } },
  };
};

const transactionRow: Other = (behaviour, { n }) => {
  const { referenceKey } = behaviour.transactions;
  const own: typeof referenceKey = (...named) => `${referenceKey(...named)}\n${n}`;
  return { ...behaviour, transactions: { ...behaviour.transactions, referenceKey: own } };
};

const text = (value: unknown): string => String(value).toLowerCase();

/** The changes are lost; the answer says that they were made. */
const lost = (name: OperationName, nameOf: (context: RequestContext) => string): Bend =>
  racing((atOnce: AtOnce) =>
    operation(name, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || !atOnce.meets(context.world, nameOf(context))) return given;
      return { ...given, changes: given.changes.filter(({ type }) => type === 'counted') };
    }),
  );

const rows: readonly Row[] = [
  [
    'racing-updates-do-not-compare-the-tag',
    ['UPD-12', 'UPD-7'],
    'The tag is compared with a copy that is read before the other update is written.',
    underRace(
      'updateAccount',
      ({ pathId }) => `update ${pathId}`,
      values(() => ({ ifMatch: () => ({ kind: 'any', values: null }) })),
    ),
  ],
  [
    'racing-decisions-all-succeed',
    ['TXS-12', 'TXS-5'],
    'The state is read first and written last.',
    underRace(transitionOperations, ({ pathId }) => `decide ${pathId}`, asIfPending),
  ],
  [
    'racing-cancellations-reverse-each',
    ['TXS-9', 'TXS-10'],
    'Each cancellation sees a settled transaction, and takes the money back.',
    underRace('cancelTransaction', ({ pathId }) => `cancel ${pathId}`, asIfSettled),
  ],
  [
    'racing-deposits-are-all-first',
    ['TXS-2'],
    'Each approval sees an account without a first deposit.',
    underRace(
      'approveTransaction',
      ({ query }) => `approve ${query.get('account_id')}`,
      (behaviour) => {
        const { isDeposit } = behaviour.transactions;
        return {
          ...behaviour,
          transactions: { ...behaviour.transactions, isFirstDeposit: isDeposit },
        };
      },
    ),
  ],
  [
    'racing-creates-of-one-reference-all-create',
    ['IDEM-12', 'ACC-5', 'IDEM-15'],
    'The reference is looked up first and inserted last, without a unique index.',
    underRace(
      'createAccount',
      ({ body }) => `reference ${text(body.client_reference_id)}`,
      asIfNew,
    ),
  ],
  [
    'racing-creates-of-one-email-all-create',
    ['ACC-8'],
    'The email is looked up first and inserted last.',
    underRace('createAccount', ({ body }) => `email ${text(body.email)}`, asIfNew),
  ],
  [
    'racing-creates-of-one-phone-all-create',
    ['ACC-9'],
    'The phone is looked up first and inserted last.',
    underRace(
      'createAccount',
      ({ body, n }) => `phone ${typeof body.phone === 'string' ? body.phone : n}`,
      values(() => ({ phoneKey: () => null })),
    ),
  ],
  [
    'racing-transactions-of-one-reference-all-create',
    ['TXN-2', 'IDEM-12', 'IDEM-15'],
    'The reference of a transaction is looked up first and inserted last.',
    underRace(
      'createTransaction',
      ({ body }) => `transaction ${text(body.client_reference_id)}`,
      transactionRow,
    ),
  ],
  [
    'racing-calls-are-not-counted',
    ['LIM-1', 'LIM-2'],
    'Calls at one moment read the same bucket and write the same number back.',
    racing((atOnce) =>
      policy('limits', ({ cost }) => ({
        cost: (context) =>
          atOnce.meets(context.world, `rate ${context.credential?.clientId}`) ? 0 : cost(context),
      })),
    ),
  ],
  [
    'racing-calls-share-a-request-id',
    ['ERR-4', 'IDEM-5'],
    'The id is made of the time.',
    racing((atOnce) => (behaviour) => {
      let last = '';
      return {
        ...behaviour,
        requestId: (world, n) => {
          const isRacing = atOnce.meets(world, 'request');
          if (!isRacing || last === '') last = behaviour.requestId(world, n);
          return last;
        },
      };
    }),
  ],
  [
    'racing-rotations-lose-one',
    ['EVT-7', 'HOOK-4', 'EVT-6'],
    'The secret that is written last is not the one that is answered.',
    lost('rotateWebhookSecret', ({ pathId }) => `rotate ${pathId}`),
  ],
  [
    'racing-updates-lose-one',
    ['UPD-12', 'UPD-2', 'UPD-1'],
    'An update that races another of the brand is answered, and not written.',
    lost('updateAccount', ({ credential }) => `updates of ${credential?.clientId}`),
  ],
  [
    'racing-orders-under-one-key-are-all-filled',
    ['IDEM-15', 'POS-2'],
    'Orders go to the market before the key is stored.',
    keysUnseen(['openPosition', 'closePosition']),
  ],
  [
    'racing-batches-under-one-key-all-run',
    ['IDEM-15'],
    'The key of a batch is stored when its last row is done.',
    keysUnseen(['bulkCreateAccounts', 'createAccount']),
  ],
];

export const raceDeviations: readonly SubtleDeviation[] = ofKind('race', rows);

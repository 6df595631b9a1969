// Ideas about time: how long keys, tokens, rates and rotations last.
import { OPERATIONS } from '../../engine/operations.ts';
import type { Step } from '../sequence.ts';
import { createCall } from './accounts.ts';
import { decideCall } from './decisions.ts';
import { call, type Drawing, type Idea } from './idea.ts';
import { transactionCall } from './money.ts';
import { rereadAccount, rereadTransaction } from './rereads.ts';
import type { Scene } from './scene.ts';
import { updateCall } from './updates.ts';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const PAUSES = [
  1,
  200,
  SECOND,
  1_999,
  2_000,
  29_999,
  30_000,
  60_000,
  HOUR,
  12 * HOUR,
  DAY,
  8 * DAY,
];

export function advance(d: Drawing, byMs: number): Step {
  return { do: 'advance', n: d.scene.label(), byMs };
}

const keyed = ({ calls }: Scene) => calls.filter(({ step }) => isKeyed(step));
const isKeyed = ({ operation, key }: Scene['calls'][number]['step']) =>
  OPERATIONS[operation].keyed && key !== undefined;

/** A call again when time has passed, once or with a repeat on the way. */
function later(id: string, pauses: readonly number[], weight = 1): Idea {
  return {
    id: `time/${id}`,
    needs: ['clock'],
    weight,
    when: (scene) => keyed(scene).length > 0,
    draw: (d) => {
      const { step } = d.random.pick(keyed(d.scene));
      return pauses.flatMap((byMs) => [advance(d, byMs), { ...step, n: d.scene.label() }]);
    },
  };
}

export const LONG_PAUSES = [HOUR + SECOND, DAY + HOUR, 2 * DAY + HOUR, 8 * DAY, 31 * DAY, 91 * DAY];

/** Something that was made is met again when time has passed. */
function met(id: string, when: (scene: Scene) => boolean, draw: Idea['draw'], weight = 1): Idea {
  return {
    id: `time/${id}`,
    needs: ['clock'],
    weight,
    when,
    draw: (d) => [advance(d, d.random.pick(LONG_PAUSES)), ...draw(d)],
  };
}

const hasAccounts = ({ accounts }: Scene) => accounts.length > 0;
const hasTagged = ({ accounts }: Scene) => accounts.some(({ tags }) => tags.length > 0);
const hasTransactions = ({ transactions }: Scene) => transactions.length > 0;
const hasSubscriptions = ({ subscriptions }: Scene) => subscriptions.length > 0;

const meetings: readonly Idea[] = [
  met(
    'account-later',
    hasAccounts,
    (d) => [rereadAccount(d, d.random.pick(d.scene.accounts))],
    1.5,
  ),
  met('email-taken-later', hasAccounts, (d) => {
    const { as, email, brand } = d.random.pick(d.scene.accounts);
    return [createCall(d, as, { email, brand_id: brand })];
  }),
  met(
    'update-later',
    hasTagged,
    (d) => {
      const account = d.random.pick(d.scene.accounts.filter(({ tags }) => tags.length > 0));
      return [updateCall(d, account, { status: `l${d.stem()}` }), rereadAccount(d, account)];
    },
    1.5,
  ),
  met(
    'transaction-later',
    hasTransactions,
    (d) => [rereadTransaction(d, d.random.pick(d.scene.transactions))],
    1.5,
  ),
  met(
    'deposit-later',
    hasTransactions,
    (d) => {
      const { place } = d.random.pick(d.scene.transactions);
      const step = transactionCall(d, place);
      const made = { id: { $of: step.n, at: 'id' }, place, reference: '', step, status: 'pending' };
      return [step, decideCall(d, 'approveTransaction', made)];
    },
    1.5,
  ),
  met(
    'subscription-later',
    hasSubscriptions,
    (d) => {
      const { as, id } = d.random.pick(d.scene.subscriptions);
      return [call(d, { operation: 'getWebhook', as, id })];
    },
    1.5,
  ),
];

export const timeIdeas: readonly Idea[] = [
  ...meetings,
  {
    id: 'time/pause',
    needs: ['clock'],
    weight: 3,
    draw: (d) => [advance(d, d.random.pick(PAUSES))],
  },
  later('repeat-after-a-minute', [60_000]),
  later('repeat-after-11-hours', [11 * HOUR]),
  later('repeat-after-13-hours', [13 * HOUR], 1.5),
  later('repeat-before-a-day', [DAY - 1], 1.5),
  later('repeat-after-a-day', [DAY], 2),
  later('repeat-after-a-day-and-an-hour', [DAY + HOUR]),
  later('repeat-after-a-week', [7 * DAY]),
  later('repeat-on-the-way', [13 * HOUR, 13 * HOUR], 2),
];

// Rows of snapshots: the world as it stands, kept in memory under a name, and back in milliseconds.

import { maxClockMs, object, text, type ValueOf, whole } from '../../../../fixtures/schemas/kit.ts';
import { snapshotsOf, type WorldSnapshot } from '../../../host/world/snapshots.ts';
import { wholeListSchema } from '../../paging.ts';
import { answer, notFound, nothing } from '../../reply.ts';
import { row } from '../../row.ts';
import { clockSchema } from '../../schemas/records.ts';
import { viewClock } from '../../views/records.ts';
import { worldNameSchema } from './worlds.ts';

const anyCount = (description: string) => whole(description, 0, 1e15);

const snapshotSchema = object('A world as it stood.', {
  name: text('Its name.'),
  now_ms: whole('The time it was in that world.', 0, maxClockMs),
  accounts: anyCount('Accounts in it.'),
  transactions: anyCount('Transactions in it.'),
  last_seq: anyCount('Its last event.'),
});
export type SnapshotShown = ValueOf<typeof snapshotSchema>;

function viewSnapshot(name: string, { world, clock }: WorldSnapshot): SnapshotShown {
  return {
    name,
    now_ms: clock.nowMs,
    accounts: world.accounts.size,
    transactions: world.transactions.size,
    last_seq: world.events.lastSeq,
  };
}

const missing = (name: string) =>
  notFound(`There is no snapshot ${name}; POST snapshots takes one.`);

export const snapshotRows = [
  row({
    name: 'listSnapshots',
    method: 'GET',
    path: 'snapshots',
    tag: 'State',
    summary: 'The snapshots of this world',
    answer: {
      status: 200,
      words: 'The oldest first.',
      schema: wholeListSchema('snapshots', snapshotSchema),
    },
    run: ({ host }) => {
      const snapshots = snapshotsOf(host).list();
      return answer({
        snapshots: snapshots.map(([name, snapshot]) => viewSnapshot(name, snapshot)),
      });
    },
  }),
  row({
    name: 'createSnapshot',
    method: 'POST',
    path: 'snapshots',
    tag: 'State',
    summary: 'Keep the world as it stands',
    description:
      'In memory, its journal included; one of the same name is replaced. Resets leave it.',
    body: object('What to call it.', { name: worldNameSchema }),
    answer: { status: 201, words: 'It is kept.', schema: snapshotSchema },
    run: ({ host, body: { name } }) =>
      answer(viewSnapshot(name, snapshotsOf(host).take(name)), 201),
  }),
  row({
    name: 'restoreSnapshot',
    method: 'POST',
    path: 'snapshots/{name}/restore',
    tag: 'State',
    summary: 'Back to a snapshot',
    description:
      'The world as it stood, its clock included, in milliseconds; the snapshot stays. Calls that are held back are cut off; an advance under way ends where it is. New events and requests get other ids than those of before.',
    answer: {
      status: 200,
      words: 'It is in place.',
      schema: object('The clock as it is now.', { clock: clockSchema }),
    },
    run: ({ host, params: { name = '' } }) =>
      snapshotsOf(host).restore(name) ? answer({ clock: viewClock(host) }) : missing(name),
  }),
  row({
    name: 'dropSnapshot',
    method: 'DELETE',
    path: 'snapshots/{name}',
    tag: 'State',
    summary: 'Forget a snapshot',
    answer: { status: 204, words: 'It is gone.' },
    run: ({ host, params: { name = '' } }) =>
      snapshotsOf(host).drop(name) ? nothing : missing(name),
  }),
];

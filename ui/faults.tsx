// Faults: injected failures, the requests or deliveries that they affect, and how often they applied.
import type { FaultShown, NewFault } from '../simulator/control/records.ts';
import { Action, Badge, Panel } from './kit.tsx';
import { RowForm } from './row-form.tsx';
import { actionColumn, TablePanel } from './table.tsx';
import { useLive, useRead } from './world.ts';

const useFaults = () => useRead<{ faults: FaultShown[] }>('faults').value?.faults ?? [];

/** How many faults can still apply. */
export const useFaultsOn = () => useFaults().filter(({ spent }) => !spent).length;

export function FaultsView() {
  const { plane } = useLive();
  return (
    <div class="columns">
      <TablePanel
        title="Faults"
        columns={[
          'id',
          ['Applies to', matchWords, 'wrap'],
          ['When', ({ match, phase }) => (match.webhook ? '' : `${phase} it runs`)],
          ['Effect', effectBadge],
          ['Hits', ({ hits, times }) => (times === null ? hits : `${hits} of ${times}`)],
          ['State', ({ spent }) => (spent ? 'used up' : 'on')],
          actionColumn('Remove', ({ id }: FaultShown) => ({
            run: () => plane.send('DELETE', `faults/${id}`),
            'aria-label': `Remove fault ${id}`,
          })),
        ]}
        rows={useFaults()}
        keyOf={({ id }) => id}
        empty="None: everything works as it should."
      />
      <Presets title="For requests" of={requestPresets} />
      <Presets title="For deliveries" of={deliveryPresets} />
      <Panel title="A fault of your own" wide>
        <RowForm row="POST /faults" submit="Switch on" values={{ times: '1' }} />
      </Panel>
    </div>
  );
}

function matchWords({ match, nth, probability }: FaultShown): string {
  const given = Object.entries({ ...match, nth, probability }).filter(([, value]) => value != null);
  const words = given.map(([name, value]) =>
    name === 'webhook' ? 'deliveries' : `${name} ${value}`,
  );
  return words.join(', ') || 'every request';
}

function effectBadge({ effect: { kind, status, code, ms, bytes }, spent }: FaultShown) {
  const amounts = [ms && `${ms} ms`, bytes && `after ${bytes} bytes`];
  const words = [kind.replace('_', ' '), status, code, ...amounts].filter(Boolean).join(' ');
  return <Badge tone={spent ? 'quiet' : 'warn'}>{words}</Badge>;
}

type Preset = readonly [words: string, why: string, fault: NewFault];
type Effect = NewFault['effect'];

const onRequest = (effect: Effect, times = 1): NewFault => ({ match: {}, effect, times });
const afterWrite = (effect: Effect): NewFault => ({
  ...{ match: { method: 'POST' }, phase: 'after', effect, times: 1 },
});
const onDelivery = (effect: Effect): NewFault => ({ match: { webhook: true }, effect, times: 1 });
const status = (code: 429 | 500 | 502 | 503): Effect => ({ kind: 'status', status: code });

const requestPresets: readonly Preset[] = [
  ['Lose the next response', 'It runs, then the connection is cut.', afterWrite({ kind: 'reset' })],
  ['Cut the next request', 'Nothing runs.', onRequest({ kind: 'reset' })],
  ['500 after the next write', 'It runs, and nothing is recorded.', afterWrite(status(500))],
  ['503 for the next three', 'Nothing runs; a later retry succeeds.', onRequest(status(503), 3)],
  ['429 for the next three', 'As if the allowance were used up.', onRequest(status(429), 3)],
  ['502 from a gateway', 'HTML instead of a problem.', onRequest(status(502))],
  ['Respond 10 s late', 'It is in flight until then.', onRequest({ kind: 'delay', ms: 10_000 })],
  ['Hang the next request', 'Its key stays in flight.', onRequest({ kind: 'hang' })],
];

const deliveryPresets: readonly Preset[] = [
  ['Deliver twice', 'The same event arrives two times.', onDelivery({ kind: 'duplicate' })],
  ['Wrong signature', 'A receiver must refuse it.', onDelivery({ kind: 'bad_signature' })],
  ['Stale timestamp', 'Signed too long ago.', onDelivery({ kind: 'stale_timestamp' })],
  ['Drop a delivery', 'It counts as delivered and is never sent.', onDelivery({ kind: 'drop' })],
  ['Deliver a minute late', 'It starts later.', onDelivery({ kind: 'delay', ms: 60_000 })],
];

function Presets({ title, of }: { title: string; of: readonly Preset[] }) {
  const { plane } = useLive();
  return (
    <Panel title={title}>
      <ul class="pairs presets">
        {of.map(([words, why, fault]) => (
          <li key={words}>
            <Action run={() => plane.send('POST', 'faults', fault)}>{words}</Action>
            <span class="note">{why}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

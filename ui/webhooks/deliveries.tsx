// The deliveries of one subscription or of all, and how a subscription stands.

import type { DeliveriesPage, DeliveryShown, SubscriptionShown } from '../api-client/answers.ts';
import { Badge, Panel, Table } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';
import { toneOfDelivery } from '../timeline/delivery-detail.tsx';

export function SubscriptionState({ of }: { of: SubscriptionShown }) {
  if (of.disabled) return <Badge tone="bad">disabled</Badge>;
  if (of.stopped) return <Badge tone="warn">stopped</Badge>;
  return <Badge tone="good">enabled</Badge>;
}

/** Shown at once; the timeline has all of them. */
const mostListed = 200;

export function Deliveries({ query }: { query: string }) {
  const { value } = useRead<DeliveriesPage>(`deliveries?limit=10000${query}`);
  const all = value?.deliveries ?? [];
  return (
    <Panel title="Deliveries">
      <Table
        caption="Deliveries"
        head={['Delivery', 'State', 'Event', 'Number', 'Attempts', 'Last attempt', 'Next due']}
        empty="None yet."
      >
        {all
          .slice(-mostListed)
          .toReversed()
          .map((each) => (
            <DeliveryLine key={`${each.subscription_id} ${each.seq}`} of={each} />
          ))}
      </Table>
    </Panel>
  );
}

function DeliveryLine({ of }: { of: DeliveryShown }) {
  const href = useHref();
  const last = of.attempts.at(-1);
  return (
    <tr>
      <td>
        {of.id === null ? (
          <span class="note">waits</span>
        ) : (
          <a href={href('timeline', 'deliveries', of.id)}>{of.id}</a>
        )}
      </td>
      <td>
        <Badge tone={toneOfDelivery(of)}>{of.status}</Badge>
      </td>
      <td>
        <a href={href('timeline', 'events', of.seq)}>{of.kind ?? of.event_id}</a>
      </td>
      <td>{of.seq}</td>
      <td>{of.attempts.length}</td>
      <td>{last === undefined ? '' : (last.error ?? last.status ?? 'under way')}</td>
      <td>{of.next_due_ms === null ? '' : fullTime(of.next_due_ms)}</td>
    </tr>
  );
}

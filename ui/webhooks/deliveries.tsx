// The deliveries of one subscription or of all, and how a subscription stands.

import { useState } from 'preact/hooks';
import type { DeliveriesPage, DeliveryShown, SubscriptionShown } from '../api-client/answers.ts';
import { Badge, Button, Panel, Table } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';
import { toneOfDelivery } from '../timeline/delivery-detail.tsx';

export function SubscriptionState({ of }: { of: SubscriptionShown }) {
  if (of.disabled) return <Badge tone="bad">disabled</Badge>;
  if (of.stopped) return <Badge tone="warn">stopped</Badge>;
  return <Badge tone="good">enabled</Badge>;
}

/** Shown at first, and when more is asked for; the timeline has all of them. */
const firstListed = 12;
const mostListed = 200;

export function Deliveries({ query }: { query: string }) {
  const { value } = useRead<DeliveriesPage>(`deliveries?limit=10000${query}`);
  const [isWhole, setWhole] = useState(false);
  const all = value?.deliveries ?? [];
  const listed = isWhole ? mostListed : firstListed;
  return (
    <Panel
      title="Deliveries"
      side={
        all.length <= firstListed ? null : (
          <Button onClick={() => setWhole(!isWhole)} pressed={isWhole}>
            {isWhole ? 'Fewer' : `All ${all.length.toLocaleString('en')}`}
          </Button>
        )
      }
    >
      <Table
        caption="Deliveries"
        head={[
          'Delivery',
          'Did it arrive?',
          'Event',
          'To',
          'Number',
          'Attempts',
          'Last answer',
          'Next try',
        ]}
        empty="None yet. An event is delivered as soon as a subscription wants its category."
      >
        {inOrder(all)
          .slice(0, listed)
          .map((each) => (
            <DeliveryLine key={`${each.subscription_id} ${each.seq}`} of={each} />
          ))}
      </Table>
    </Panel>
  );
}

/** Those that were tried in vain first, for others wait behind them; then the newest. */
function inOrder(all: readonly DeliveryShown[]): DeliveryShown[] {
  const isStuck = ({ status, attempts }: DeliveryShown) =>
    status !== 'delivered' && attempts.length > 0;
  const newest = all.toReversed();
  return [...newest.filter(isStuck), ...newest.filter((each) => !isStuck(each))];
}

const arrivals: Readonly<Record<DeliveryShown['status'], string>> = {
  delivered: 'arrived',
  pending: 'not yet',
  exhausted: 'never: given up',
  stopped: 'stopped',
};

function arrivalOf({ status }: DeliveryShown): string {
  return arrivals[status];
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
        <Badge tone={toneOfDelivery(of)}>{arrivalOf(of)}</Badge>
      </td>
      <td>
        <a href={href('timeline', 'events', of.seq)}>{of.kind ?? of.event_id}</a>
      </td>
      <td>
        <a href={href('webhooks', of.subscription_id)}>subscription {of.subscription_id}</a>
      </td>
      <td>{of.seq}</td>
      <td>{of.attempts.length}</td>
      <td>{last === undefined ? '' : (last.error ?? last.status ?? 'under way')}</td>
      <td>{of.next_due_ms === null ? '' : fullTime(of.next_due_ms)}</td>
    </tr>
  );
}

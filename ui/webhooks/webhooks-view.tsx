// Webhooks: subscriptions, their deliveries, where they go, and events made by hand.

import type { SubscriptionShown } from '../api-client/answers.ts';
import { Panel, Problem, Table } from '../components/components.tsx';
import { useHref, useRead } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';
import { Deliveries, SubscriptionState } from './deliveries.tsx';
import { Hostnames } from './hostnames.tsx';
import { MakeEvent } from './make-event.tsx';
import { MakeSubscription } from './make-subscription.tsx';
import { SubscriptionDetail } from './subscription-detail.tsx';

export function WebhooksView({ path }: ViewProps) {
  const [id] = path;
  return id === undefined ? <Subscriptions /> : <SubscriptionDetail id={Number(id)} />;
}

const noSubscription =
  'None yet. Make one below, or start the sandbox with --forward-to and the URL of your receiver.';

function Subscriptions() {
  const href = useHref();
  const { value, problem } = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  const all = value?.subscriptions ?? [];
  return (
    <div class="columns">
      <div class="wide">
        <Panel title="Subscriptions">
          <Problem words={problem} />
          <Table
            caption="Subscriptions"
            head={['Id', 'State', 'URL', 'Categories', 'Brand', 'Last delivered']}
            empty={noSubscription}
          >
            {all.toReversed().map((each) => (
              <tr key={each.id}>
                <td>
                  <a href={href('webhooks', each.id)}>{each.id}</a>
                </td>
                <td>
                  <SubscriptionState of={each} />
                </td>
                <td class="wrap">
                  {each.url}
                  {each.forwards_to === null ? null : (
                    <span class="note"> forwarded to {each.forwards_to}</span>
                  )}
                </td>
                <td>{each.event_categories.join(', ')}</td>
                <td>{each.brand_id ?? 'firm-wide'}</td>
                <td>{each.last_delivered_seq}</td>
              </tr>
            ))}
          </Table>
        </Panel>
      </div>
      <div class="wide">
        <Deliveries query="" />
      </div>
      <MakeSubscription />
      <MakeEvent />
      <Hostnames />
    </div>
  );
}

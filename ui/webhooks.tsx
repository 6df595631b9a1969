// Webhooks: subscriptions, their deliveries, their forwards, and manually created events.
import type { DeliveryShown, SubscriptionShown } from '../simulator/control/records.ts';
import type { ViewProps } from './app.tsx';
import { toneOfDelivery } from './delivery.tsx';
import { Action, Badge, Form, Link, Panel, Problem, placeOf, Secret } from './kit.tsx';
import type { DeliveriesPage } from './live.ts';
import { callApi, RefusedError, tokenFor } from './plane.ts';
import { RowForm, useChoices } from './row-form.tsx';
import { actionColumn, type Column, Facts, factsOf, TablePanel } from './table.tsx';
import { useInfo, useLive, useRead } from './world.ts';

export function WebhooksView({ path: [id] }: ViewProps) {
  const { value, problem } = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  if (value === null) return <Problem words={problem} />;
  if (id !== undefined) {
    const found = value.subscriptions.find((each) => `${each.id}` === id);
    return found ? (
      <Subscription of={found} />
    ) : (
      <p class="empty">There is no subscription {id}.</p>
    );
  }
  return (
    <div class="columns">
      <TablePanel
        title="Subscriptions"
        columns={subscriptionColumns}
        rows={value.subscriptions.toReversed()}
        keyOf={(each) => each.id}
        empty="None yet. Create one below, or start the sandbox with --forward-to and the URL of your receiver."
      />
      <Deliveries query="" />
      <CreateSubscription />
      <Panel
        title="Create an event"
        note="It gets the next sequence number and is delivered like any other."
      >
        <RowForm row="POST /events" submit="Create the event" />
      </Panel>
      <Names />
      <Forwards />
    </div>
  );
}

function SubscriptionState({ of }: { of: SubscriptionShown }) {
  if (of.disabled) return <Badge tone="bad">disabled</Badge>;
  if (of.stopped) return <Badge tone="warn">stopped</Badge>;
  return <Badge tone="good">enabled</Badge>;
}

const subscriptionColumns: readonly Column<SubscriptionShown>[] = [
  ['ID', ({ id }) => <Link to={['webhooks', id]}>{id}</Link>],
  ['State', (each) => <SubscriptionState of={each} />],
  'url',
  'forwards_to',
  ['Categories', (each) => each.event_categories.join(', ')],
  ['Brand', (each) => each.brand_id ?? 'firm-wide'],
  'last_delivered_seq',
];

const deliveryColumns: readonly Column<DeliveryShown>[] = [
  ['Delivery', ({ id }) => (id === null ? '' : <Link to={placeOf.delivery(id)}>{id}</Link>)],
  ['State', (each) => <Badge tone={toneOfDelivery(each)}>{each.status}</Badge>],
  ['Event', ({ seq, kind, event_id }) => <Link to={placeOf.event(seq)}>{kind ?? event_id}</Link>],
  'subscription_id',
  'seq',
  ['Attempts', ({ attempts }) => attempts.length],
  ['Last response', responseOf],
  'next_due_ms',
];

function responseOf({ attempts, status, next_due_ms: dueMs }: DeliveryShown) {
  const last = attempts.at(-1);
  if (last !== undefined) return last.error ?? last.status ?? 'under way';
  return status === 'pending' && dueMs === null ? 'waits for an earlier delivery' : '';
}

/** The deliveries of one subscription, or of all. */
function Deliveries({ query }: { query: string }) {
  const { value } = useRead<DeliveriesPage>(`deliveries?limit=10000${query}`);
  // Failed deliveries come first, because others wait for them; then the newest.
  const isStuck = ({ status, attempts }: DeliveryShown) =>
    status !== 'delivered' && attempts.length > 0;
  const newest = (value?.deliveries ?? []).toReversed();
  return (
    <TablePanel
      title="Deliveries"
      columns={deliveryColumns}
      rows={[...newest.filter(isStuck), ...newest.filter((each) => !isStuck(each))]}
      keyOf={({ subscription_id, seq }) => `${subscription_id} ${seq}`}
      empty="None yet. An event is delivered as soon as a subscription has its category."
      first={12}
    />
  );
}

function Subscription({ of }: { of: SubscriptionShown }) {
  const { plane } = useLive();
  const call = async (verb: string) => {
    const token = await tokenFor(plane, of, 'webhooks:manage');
    await callApi({ token, method: 'POST', path: `/api/v1/webhooks/${of.id}/${verb}` });
  };
  const secret = <Secret text={of.secret} />;
  const previous_secret = of.previous_secret && <Secret text={of.previous_secret} />;
  return (
    <div class="columns">
      <p class="wide">
        <Link to={['webhooks']}>All webhooks</Link>
      </p>
      <Panel title={`Subscription ${of.id}`} side={<SubscriptionState of={of} />} wide>
        <Facts of={factsOf(of, { secret, previous_secret })} />
        <div class="bar">
          <Action
            run={() => plane.send('POST', `subscriptions/${of.id}/resume`)}
            disabled={of.disabled || !of.stopped}
            look={of.stopped ? 'main' : 'plain'}
          >
            Resume
          </Action>
          <Action run={() => call('rotate-secret')} disabled={of.disabled}>
            Rotate the secret
          </Action>
          <Action
            run={() => call('disable')}
            disabled={of.disabled}
            look="bad"
            confirm="Yes, disable it: it cannot be enabled again"
          >
            Disable
          </Action>
        </div>
      </Panel>
      <Deliveries query={`&subscription_id=${of.id}`} />
    </div>
  );
}

function CreateSubscription() {
  const { plane } = useLive();
  const categories = useChoices('POST /events', 'category');
  const able = (useInfo()?.credentials ?? []).filter((each) =>
    each.scopes.includes('webhooks:manage'),
  );
  if (categories.length === 0) return null;
  return (
    <Panel
      title="Create a subscription"
      note="Calls the API, which takes public https URLs only. To get the deliveries on this machine, forward them to a local URL."
    >
      <Form
        fields={[
          { name: 'url', label: 'URL', value: 'https://hooks.partner.example/in' },
          {
            name: 'to',
            label: 'Forward to (optional)',
            placeholder: 'http://127.0.0.1:9000/hooks',
          },
          { name: 'as', label: 'As', options: able.map((each) => [each.client_id, each.name]) },
          {
            name: 'event_categories',
            label: 'Categories',
            several: categories,
            value: categories.join(),
          },
        ]}
        submit="Subscribe"
        run={async ({ url = '', to = '', as, event_categories: chosen = '' }) => {
          const token = able.find(({ client_id }) => client_id === as)?.token;
          if (!token) {
            throw new RefusedError(403, 'No credential with webhooks:manage has a token.');
          }
          if (to !== '') await plane.send('PUT', 'forwards', { from: originOf(url), to });
          const body = { url, event_categories: chosen.split(',').filter(Boolean) };
          await callApi({ token, method: 'POST', path: '/api/v1/webhooks', body });
        }}
      />
    </Panel>
  );
}

function originOf(url: string): string {
  if (!URL.canParse(url)) throw new RefusedError(422, `url: "${url}" is not a URL.`);
  return new URL(url).origin;
}

const nameAt = (hostname: string) => `dns/${encodeURIComponent(hostname)}`;

function Names() {
  const { plane } = useLive();
  const { value } = useRead<{ dns: { hostname: string; addresses: string[] }[] }>('dns');
  return (
    <TablePanel
      title="What names resolve to"
      note="Instead of this machine's resolver. A subscription whose name resolves to a private address is disabled at its next delivery."
      columns={[
        'hostname',
        'addresses',
        actionColumn('Remove', ({ hostname }: { hostname: string }) => ({
          run: () => plane.send('DELETE', nameAt(hostname)),
          'aria-label': `Remove ${hostname}`,
        })),
      ]}
      rows={value?.dns ?? []}
      keyOf={({ hostname }) => hostname}
    >
      <RowForm
        row="PUT /dns/{hostname}"
        before={[{ name: 'hostname', label: 'Hostname' }]}
        path={({ hostname = '' }) => nameAt(hostname)}
        submit="Set"
        label="Set what the name resolves to"
        look="plain"
      />
    </TablePanel>
  );
}

function Forwards() {
  const { plane } = useLive();
  const { value } = useRead<{ forwards: { from: string; to: string }[] }>('forwards');
  return (
    <TablePanel
      title="Forwards"
      note="Deliveries to an https origin go to a local URL instead."
      columns={[
        'from',
        'to',
        actionColumn('Remove', ({ from }: { from: string }) => ({
          run: () => plane.send('DELETE', `forwards?from=${encodeURIComponent(from)}`),
          'aria-label': `Remove ${from}`,
        })),
      ]}
      rows={value?.forwards ?? []}
      keyOf={({ from }) => from}
    >
      <RowForm row="PUT /forwards" submit="Set" label="Set the forward" look="plain" />
    </TablePanel>
  );
}

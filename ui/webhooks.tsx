// Webhooks: subscriptions, their deliveries, where they go, and events created by hand.

import type { EventCategory } from '../fixtures/envelope.ts';
import type { DeliveryShown, SubscriptionShown } from '../simulator/control/schemas/records.ts';
import type { ViewProps } from './app.tsx';
import { toneOfDelivery } from './delivery.tsx';
import { fullTime, parseJson } from './format.ts';
import {
  Action,
  Badge,
  type Column,
  CopyButton,
  Facts,
  Form,
  type FormField,
  givenOf,
  Link,
  Panel,
  Problem,
  placeOf,
  TablePanel,
} from './kit.tsx';
import type { DeliveriesPage } from './live.ts';
import { callApi, RefusedError, tokenFor } from './plane.ts';
import { ReceiverJudge } from './receiver.tsx';
import { useInfo, useLive, useRead } from './world.ts';

const eventCategories = Object.keys({
  account: true,
  order: true,
  position: true,
  transaction: true,
} satisfies Record<EventCategory, true>);

export function WebhooksView({ path: [id] }: ViewProps) {
  const { value, problem } = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  if (value === null) return <Problem words={problem} />;
  if (id !== undefined) {
    return (
      <SubscriptionDetail id={id} found={value.subscriptions.find((each) => `${each.id}` === id)} />
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
      <CreateEvent />
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
  ['Id', ({ id }) => <Link to={['webhooks', id]}>{id}</Link>],
  ['State', (each) => <SubscriptionState of={each} />],
  ['URL', ({ url }) => url, 'wrap'],
  ['Forwarded to', ({ forwards_to }) => forwards_to, 'wrap'],
  ['Categories', (each) => each.event_categories.join(', ')],
  ['Brand', (each) => each.brand_id ?? 'firm-wide'],
  ['Last delivered', (each) => each.last_delivered_seq],
];

const arrivals: Readonly<Record<DeliveryShown['status'], string>> = {
  delivered: 'arrived',
  pending: 'not yet',
  exhausted: 'never: given up',
  stopped: 'stopped',
};

const deliveryColumns: readonly Column<DeliveryShown>[] = [
  ['Delivery', ({ id }) => (id === null ? 'waits' : <Link to={placeOf.delivery(id)}>{id}</Link>)],
  ['Did it arrive?', (each) => <Badge tone={toneOfDelivery(each)}>{arrivals[each.status]}</Badge>],
  ['Event', ({ seq, kind, event_id }) => <Link to={placeOf.event(seq)}>{kind ?? event_id}</Link>],
  ['To', ({ subscription_id: id }) => <Link to={['webhooks', id]}>subscription {id}</Link>],
  ['Number', ({ seq }) => seq],
  ['Attempts', ({ attempts }) => attempts.length],
  ['Last response', ({ attempts }) => responseOf(attempts.at(-1))],
  ['Next attempt', ({ next_due_ms: dueMs }) => (dueMs === null ? '' : fullTime(dueMs))],
];

const responseOf = (last: DeliveryShown['attempts'][number] | undefined) =>
  last === undefined ? '' : (last.error ?? last.status ?? 'under way');

/** The deliveries of one subscription, or of all. */
function Deliveries({ query }: { query: string }) {
  const { value } = useRead<DeliveriesPage>(`deliveries?limit=10000${query}`);
  // Failed deliveries come first, because others wait behind them; then the newest.
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

function SubscriptionDetail({ id, found }: { id: string; found: SubscriptionShown | undefined }) {
  return (
    <div class="columns">
      <p class="wide">
        <Link to={['webhooks']}>All webhooks</Link>
      </p>
      {found === undefined ? (
        <p class="empty">There is no subscription {id}.</p>
      ) : (
        <>
          <Subscription of={found} />
          <ReceiverJudge of={found} />
          <Deliveries query={`&subscription_id=${found.id}`} />
        </>
      )}
    </div>
  );
}

function Subscription({ of }: { of: SubscriptionShown }) {
  const { plane } = useLive();
  const call = async (verb: string) => {
    const token = await tokenFor(plane, of, 'webhooks:manage');
    await callApi({ token, method: 'POST', path: `/api/v1/webhooks/${of.id}/${verb}` });
  };
  const secret = (
    <span class="bar">
      <code>{of.secret}</code>
      <CopyButton text={of.secret} words="Copy" of="the secret" />
    </span>
  );
  return (
    <Panel title={`Subscription ${of.id}`} side={<SubscriptionState of={of} />} wide>
      <Facts
        of={[
          ['URL', of.url],
          ['Forwarded to', of.forwards_to],
          ['Categories', of.event_categories.join(', ')],
          ['Brand, firm', `${of.brand_id ?? 'firm-wide'}, ${of.firm_id}`],
          ['Disabled', of.disabled ? (of.disabled_reason ?? 'yes') : null],
          ['Last delivered', `number ${of.last_delivered_seq}`],
          ['Secret', secret],
          ['Previous secret', of.previous_secret],
          ['Rotated', of.rotated_at_ms && fullTime(of.rotated_at_ms)],
          ['Created', fullTime(of.created_at)],
        ]}
      />
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
  );
}

function CreateSubscription() {
  const { plane } = useLive();
  const info = useInfo();
  const able = (info?.credentials ?? []).filter(({ scopes }) => scopes.includes('webhooks:manage'));
  return (
    <Panel
      title="Create a subscription"
      note="Calls the API. With a local URL, its deliveries are forwarded there."
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
          ...eventCategories.map((name) => ({ name, label: name, check: true, value: 'yes' })),
        ]}
        submit="Subscribe"
        disabled={info === null}
        run={async ({ url = '', to = '', as, ...chosen }) => {
          const token = able.find(({ client_id }) => client_id === as)?.token;
          if (!token)
            throw new RefusedError(403, 'No credential with webhooks:manage has a token.');
          if (to !== '') await plane.send('PUT', 'forwards', { from: originOf(url), to });
          const event_categories = eventCategories.filter((name) => chosen[name] === 'yes');
          const body = { url, event_categories };
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

function CreateEvent() {
  const { plane } = useLive();
  return (
    <Panel
      title="Create an event"
      note="It gets the next sequence number and is delivered like any other."
    >
      <Form
        fields={[
          { name: 'category', label: 'Category', options: eventCategories },
          { name: 'kind', label: 'Kind (optional)' },
          { name: 'account_id', label: 'Account (optional)' },
          { name: 'data', label: 'Record, as JSON (optional)' },
        ]}
        submit="Create the event"
        run={({ data = '', ...others }) => {
          const record = data === '' ? {} : { data: readRecord(data) };
          return plane.send('POST', 'events', { ...givenOf(others), ...record });
        }}
      />
    </Panel>
  );
}

function readRecord(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new RefusedError(422, 'data: this is not JSON.');
  return value;
}

interface MappingProps {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly { readonly from: string; readonly to: string; readonly path: string }[];
  readonly remove: string;
  readonly fields: readonly FormField[];
  readonly label: string;
  readonly set: (from: string, to: string) => Promise<unknown>;
}

/** Names or origins with where they lead: each can be removed, and others set. */
function Mapping({ title, note, rows, remove, fields, label, set }: MappingProps) {
  const { plane } = useLive();
  return (
    <Panel title={title} note={note}>
      <ul class="list">
        {rows.map(({ from, to, path }) => (
          <li key={from} class="bar">
            <code>{from}</code> to <code>{to}</code>
            <Action run={() => plane.send('DELETE', path)} label={`${remove} ${from}`}>
              {remove}
            </Action>
          </li>
        ))}
      </ul>
      <Form
        fields={fields}
        submit="Set"
        label={label}
        look="plain"
        run={({ from = '', to = '' }) => set(from, to)}
      />
    </Panel>
  );
}

function Names() {
  const { plane } = useLive();
  const { value } = useRead<{ dns: { hostname: string; addresses: string[] }[] }>('dns');
  const pathOf = (name: string) => `dns/${encodeURIComponent(name)}`;
  return (
    <Mapping
      title="What names resolve to"
      note="Instead of this machine's resolver. A subscription whose name resolves to a private address is disabled at its next delivery."
      rows={(value?.dns ?? []).map(({ hostname, addresses }) => ({
        from: hostname,
        to: addresses.join(', ') || 'does not resolve',
        path: pathOf(hostname),
      }))}
      remove="Forget"
      fields={[
        { name: 'from', label: 'Hostname' },
        { name: 'to', label: 'Addresses', placeholder: '93.184.216.34; none: it fails' },
      ]}
      label="Set what the name resolves to"
      set={(from, to) =>
        plane.send('PUT', pathOf(from), { addresses: to.split(/[\s,]+/).filter(Boolean) })
      }
    />
  );
}

function Forwards() {
  const { plane } = useLive();
  const { value } = useRead<{ forwards: { from: string; to: string }[] }>('forwards');
  return (
    <Mapping
      title="Forwards"
      note="Deliveries to an https origin go to a local URL instead."
      rows={(value?.forwards ?? []).map(({ from, to }) => ({
        from,
        to,
        path: `forwards?from=${encodeURIComponent(from)}`,
      }))}
      remove="Remove"
      fields={[
        { name: 'from', label: 'From origin', placeholder: 'https://hooks.partner.example' },
        { name: 'to', label: 'To', placeholder: 'http://127.0.0.1:9000' },
      ]}
      label="Set the forward"
      set={(from, to) => plane.send('PUT', 'forwards', { from, to })}
    />
  );
}

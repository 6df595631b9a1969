// An event with its deliveries, and a delivery with its attempts and its signature.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { DeliveryShown, SubscriptionShown } from '../simulator/control/records.ts';
import { duration, fullTime, plural, shellWord, until } from './format.ts';
import {
  Action,
  Badge,
  CodeBlock,
  CopyButton,
  Link,
  Panel,
  Problem,
  placeOf,
  Secret,
  type Tone,
} from './kit.tsx';
import type { DeliveriesPage, EventsPage } from './live.ts';
import { RefusedError } from './plane.ts';
import { Facts } from './table.tsx';
import { isDelivered } from './timeline-rows.ts';
import { useLive, useRead } from './world.ts';

export function EventDetail({ seq }: { seq: string }) {
  const { value, problem } = useRead<EventsPage>(`events?after_seq=${Number(seq) - 1}&limit=1`);
  const event = value?.events[0];
  const deliveries = useRead<DeliveriesPage>(
    event === undefined ? null : `deliveries?event_id=${encodeURIComponent(event.id)}`,
  );
  if (value === null) return <Problem words={problem} />;
  if (event === undefined) return <p class="empty">This event is no longer kept.</p>;
  const sent = deliveries.value?.deliveries ?? [];
  return (
    <article class="story">
      <h2 class="bar">
        <Badge tone="quiet">event</Badge>
        <span class="target">{event.kind}</span>
      </h2>
      <p class="note">
        Number {seq}, {fullTime(event.occurred_at)}
      </p>
      <Panel title="Deliveries">
        <ul class="list">
          {sent.map((delivery) => (
            <DeliveryItem key={delivery.subscription_id} of={delivery}>
              to subscription {delivery.subscription_id}
            </DeliveryItem>
          ))}
        </ul>
        {sent.length === 0 ? <p class="empty">No subscription has its category.</p> : null}
      </Panel>
      <Panel title="Envelope">
        <CodeBlock text={JSON.stringify(event, null, 2)} label="Envelope" />
      </Panel>
    </article>
  );
}

interface DeliveryItemProps {
  readonly of: DeliveryShown;
  readonly children: ComponentChildren;
}

/** A delivery in a list: its state, a link, and the number of attempts. */
export function DeliveryItem({ of, children }: DeliveryItemProps) {
  return (
    <li class="bar">
      <Badge tone={toneOfDelivery(of)}>{of.status}</Badge>
      {of.id === null ? (
        <span>waits until subscription {of.subscription_id} has the events before it</span>
      ) : (
        <Link to={placeOf.delivery(of.id)}>{children}</Link>
      )}
      <span class="note">{plural(of.attempts.length, 'attempt')}</span>
    </li>
  );
}

export function toneOfDelivery({ status }: DeliveryShown): Tone {
  if (status === 'delivered') return 'good';
  return status === 'pending' ? 'quiet' : 'bad';
}

export function DeliveryDetail({ id }: { id: string }) {
  const live = useLive();
  const { value, problem } = useRead<DeliveriesPage>(`deliveries?after=${Number(id) - 1}&limit=1`);
  const { value: all } = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  const delivery = value?.deliveries.find((each) => each.id === id);
  if (value === null) return <Problem words={problem} />;
  if (delivery === undefined) return <p class="empty">This delivery is no longer kept.</p>;
  const { subscription_id, event_id, seq, kind, in_flight } = delivery;
  const subscription = all?.subscriptions.find((each) => each.id === subscription_id);
  const event = (
    <Link to={placeOf.event(seq)}>
      {event_id}, number {seq}
    </Link>
  );
  return (
    <article class="story">
      <h2 class="bar">
        <Badge tone={toneOfDelivery(delivery)}>{delivery.status}</Badge>
        <span class="target">{kind ?? event_id}</span>
      </h2>
      <Facts
        of={[
          ['Event', event],
          ['Subscription', <Link to={['webhooks', subscription_id]}>{subscription_id}</Link>],
          ['To', subscription?.url ?? null],
          ['Forwarded to', subscription?.forwards_to ?? null],
        ]}
      />
      <div class="bar">
        <Action
          run={() => live.plane.send('POST', `deliveries/${id}/retry`)}
          disabled={in_flight}
          look="main"
        >
          Retry now
        </Action>
      </div>
      <Attempts delivery={delivery} />
      {subscription === undefined ? null : (
        <Signature delivery={delivery} secret={subscription.secret} />
      )}
    </article>
  );
}

/** EVT-8a: the delay between a failed attempt and the next one. */
const retryGapsMs = [30, 120, 600, 1800, 7200, 21_600, 43_200].map((s) => s * 1000);

function Attempts({ delivery }: { delivery: DeliveryShown }) {
  const live = useLive();
  const { attempts, next_due_ms: dueMs, status, in_flight } = delivery;
  const coming = status === 'pending' ? retryGapsMs.slice(Math.max(0, attempts.length - 1)) : [];
  return (
    <Panel title="Attempts">
      <ol class="list" aria-label="Attempts">
        {attempts.map(({ n, at_ms, status: answer, error, duration_ms, fault }) => {
          const isRunning = in_flight && n === attempts.length && error === null && answer === null;
          const tone = isRunning ? 'quiet' : isDelivered(answer) ? 'good' : 'bad';
          return (
            <li key={n} class={`bar rail ${tone}`}>
              <strong>{n}</strong> {fullTime(at_ms)}
              <Badge tone={tone}>{isRunning ? 'under way' : (answer ?? 'failed')}</Badge>
              {error} {duration_ms === null ? '' : `(${duration(duration_ms)})`} {fault}
            </li>
          );
        })}
        {coming.map((gapMs, at) => (
          <li key={gapMs} class="bar rail coming">
            <strong>{attempts.length + at + 1}</strong>
            {at === 0 && dueMs !== null
              ? `due ${fullTime(dueMs)} (${until(dueMs, live.nowMs())})`
              : `${duration(gapMs)} after the one before`}
          </li>
        ))}
      </ol>
      {attempts.length === 0 ? <p class="empty">No attempt yet.</p> : null}
    </Panel>
  );
}

/** The header as sent, and the text that was signed: what a receiver has to compute again. */
function Signature({ delivery, secret }: { delivery: DeliveryShown; secret: string }) {
  const live = useLive();
  const [body, setBody] = useState<string | null>(null);
  const header = delivery.attempts.findLast(({ signature }) => signature !== null)?.signature ?? '';
  useEffect(() => {
    // The envelope byte for byte: parsing and printing might change it.
    const list = /^\{"events":\[(.+)\],"next_after_seq":(?:null|\d+),"last_seq":\d+\}$/s;
    live.plane.text(`events?after_seq=${delivery.seq - 1}&limit=1`).then(
      (text) => setBody(list.exec(text)?.[1] ?? null),
      (error) => {
        if (!(error instanceof RefusedError)) throw error;
      },
    );
  }, [live, delivery.seq]);
  if (header === '' || body === null) return null;
  const signed = `${/\bt=(\d+)/.exec(header)?.[1]}.${body}`;
  const command = `printf '%s' ${shellWord(signed)} | openssl dgst -sha256 -hmac ${shellWord(secret)}`;
  return (
    <Panel
      title="Signature"
      side={<CopyButton text={command} words="Copy a command that computes it" />}
      note="A receiver computes HMAC-SHA256 under the secret over t, a dot and the raw body, and compares it with each v1. It refuses a t that is more than five minutes off."
    >
      <Facts
        of={[
          ['Header', <code>{header}</code>],
          ['Secret', <Secret text={secret} />],
        ]}
      />
      <CodeBlock text={signed} label="Signed text" />
    </Panel>
  );
}

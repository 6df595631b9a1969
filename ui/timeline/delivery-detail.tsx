// A delivery: its attempts along the retry timetable, its signature, and how to check it.

import type { DeliveriesPage, DeliveryShown, SubscriptionShown } from '../api-client/answers.ts';
import { Badge, Button, DescriptionList, Panel, Problem } from '../components/components.tsx';
import { duration, fullTime, until } from '../format.ts';
import { useCommand, useHref, useLive, useRead } from '../live/use-world.ts';
import { SignatureCheck } from './signature-check.tsx';

/** EVT-8a: how long after a failed attempt the next one comes. */
const timetableMs = [30, 120, 600, 1800, 7200, 21_600, 43_200].map((s) => s * 1000);

export function DeliveryDetail({ id }: { id: string }) {
  const after = Number(id) - 1;
  const { value, problem } = useRead<DeliveriesPage>(`deliveries?after=${after}&limit=1`);
  const found = value?.deliveries.find((each) => each.id === id);
  if (value === null) return <Problem words={problem} />;
  if (found === undefined) return <p class="empty">This delivery is no longer kept.</p>;
  return <DeliveryStory delivery={found} />;
}

function DeliveryStory({ delivery }: { delivery: DeliveryShown }) {
  const live = useLive();
  const href = useHref();
  const command = useCommand();
  const subscriptions = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  const subscription = subscriptions.value?.subscriptions.find(
    ({ id }) => id === delivery.subscription_id,
  );
  const retry = () => command.run(() => live.plane.send('POST', `deliveries/${delivery.id}/retry`));
  return (
    <article class="story">
      <header class="story-head">
        <h2>
          <Badge tone={toneOfDelivery(delivery)}>{delivery.status}</Badge>
          <span class="target">{delivery.kind ?? delivery.event_id}</span>
        </h2>
        <DescriptionList
          of={[
            [
              'Event',
              <a key="event" href={href('timeline', 'events', delivery.seq)}>
                {delivery.event_id}, number {delivery.seq}
              </a>,
            ],
            [
              'Subscription',
              <a key="subscription" href={href('webhooks', delivery.subscription_id)}>
                {delivery.subscription_id}
              </a>,
            ],
            ['To', subscription?.url ?? null],
            ['Forwarded to', subscription?.forwards_to ?? null],
          ]}
        />
      </header>
      <div class="bar">
        <Button
          onClick={() => void retry()}
          disabled={command.busy || delivery.in_flight}
          look="main"
        >
          Retry now
        </Button>
        <Problem words={command.problem} />
      </div>
      <Attempts delivery={delivery} />
      <SignatureCheck delivery={delivery} subscription={subscription} />
    </article>
  );
}

export function toneOfDelivery({ status, attempts }: DeliveryShown) {
  if (status === 'delivered') return 'good';
  if (status === 'pending') return attempts.length === 0 ? 'quiet' : 'warn';
  return 'bad';
}

function Attempts({ delivery }: { delivery: DeliveryShown }) {
  const live = useLive();
  const { attempts, next_due_ms, status } = delivery;
  const coming = status === 'pending' ? timetableMs.slice(Math.max(0, attempts.length - 1)) : [];
  return (
    <Panel title="Attempts">
      <ol class="attempts">
        {attempts.map(({ n, at_ms, status: answered, error, duration_ms }) => {
          const good = answered !== null && answered >= 200 && answered < 300;
          const running = delivery.in_flight && n === attempts.length && error === null && !good;
          return (
            <li key={n} class={running ? 'running' : good ? 'good' : 'bad'}>
              <span class="attempt-n">{n}</span>
              <span>{fullTime(at_ms)}</span>
              <Badge tone={running ? 'quiet' : good ? 'good' : 'bad'}>
                {running ? 'under way' : (answered ?? 'no answer')}
              </Badge>
              <span class="note">
                {error ?? ''} {duration_ms === null ? '' : `after ${duration(duration_ms)}`}
              </span>
            </li>
          );
        })}
        {coming.map((waitMs, at) => (
          <li key={`coming ${waitMs}`} class="coming">
            <span class="attempt-n">{attempts.length + at + 1}</span>
            {at === 0 && next_due_ms !== null ? (
              <span>
                due {fullTime(next_due_ms)} ({until(next_due_ms, live.nowMs())})
              </span>
            ) : (
              <span class="note">{duration(waitMs)} after the one before</span>
            )}
          </li>
        ))}
      </ol>
      {attempts.length === 0 ? <p class="empty">Nothing was tried yet.</p> : null}
    </Panel>
  );
}

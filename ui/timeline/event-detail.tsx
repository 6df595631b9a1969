// An event: its envelope, and to whom it went.

import type { DeliveriesPage, EventsPage } from '../api-client/answers.ts';
import { Badge, CodeBlock, Panel, Problem } from '../components/components.tsx';
import { fullTime, plural } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';

export function EventDetail({ seq }: { seq: string }) {
  const href = useHref();
  const number = Number(seq);
  const { value, problem } = useRead<EventsPage>(`events?after_seq=${number - 1}&limit=1`);
  const event = value?.events[0];
  const deliveries = useRead<DeliveriesPage>(
    event === undefined ? null : `deliveries?event_id=${encodeURIComponent(event.id)}`,
  );
  if (value === null) return <Problem words={problem} />;
  if (event === undefined) return <p class="empty">This event is no longer kept.</p>;
  const sent = deliveries.value?.deliveries ?? [];
  return (
    <article class="story">
      <header class="story-head">
        <h2>
          <Badge tone="quiet">event</Badge>
          <span class="target">{event.kind}</span>
        </h2>
        <p class="note">
          Number {seq}, {fullTime(event.occurred_at)}
        </p>
      </header>
      <Panel title="Deliveries">
        <ul class="following">
          {sent.map((delivery) => (
            <li key={`${delivery.subscription_id}`}>
              <Badge tone={delivery.status === 'delivered' ? 'good' : 'warn'}>
                {delivery.status}
              </Badge>
              {delivery.id === null ? (
                <span>waits behind others of subscription {delivery.subscription_id}</span>
              ) : (
                <a href={href('timeline', 'deliveries', delivery.id)}>
                  to subscription {delivery.subscription_id}
                </a>
              )}
              <span class="note">{plural(delivery.attempts.length, 'attempt')}</span>
            </li>
          ))}
        </ul>
        {sent.length === 0 ? <p class="empty">No subscription wants it.</p> : null}
      </Panel>
      <Panel title="Envelope">
        <CodeBlock text={JSON.stringify(event, null, 2)} label="Envelope" />
      </Panel>
    </article>
  );
}

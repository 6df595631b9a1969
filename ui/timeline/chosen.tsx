// What was chosen in the timeline, whole: a call, an event, or a delivery.
import { useHref } from '../live/use-world.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { EventDetail } from './event-detail.tsx';
import { RequestDetail } from './request-detail.tsx';

export function Chosen({ what, which }: { what: string; which: string }) {
  const href = useHref();
  return (
    <section class="chosen" aria-label="Details">
      <a class="close" href={href('timeline')}>
        Close
      </a>
      {what === 'requests' ? <RequestDetail id={which} /> : null}
      {what === 'events' ? <EventDetail seq={which} /> : null}
      {what === 'deliveries' ? <DeliveryDetail id={which} /> : null}
    </section>
  );
}

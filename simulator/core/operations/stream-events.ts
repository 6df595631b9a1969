// Opens the events channel, of which the specification says only that it is a WebSocket and
// replays.

import type { Cite, Decision } from '../call.ts';
import { refuse, refuseUnnamed } from '../pipeline/refuse.ts';
import type { RequestContext } from '../pipeline/request-context.ts';

export function streamEvents(context: RequestContext): Decision {
  if (context.call.upgrade !== true) return refusePlain(context);
  const text = context.query.get('after_seq');
  if (text !== null && !/^\d{1,15}$/.test(text)) {
    return refuseAfterSeq(context, 'after_seq must be the sequence number of an event, or 0.');
  }
  // NS-12: a later number is of another world, and what follows here would be taken for what came
  // before.
  if (text !== null && Number(text) > context.world.events.lastSeq) {
    const detail = `after_seq is ${text}, and no event is as late. Is the number from another world?`;
    return refuseAfterSeq(context, detail);
  }
  return {
    reply: { status: 101, contentType: null, body: '' },
    changes: [],
    cites: ['EVT-10b', 'NS-12'],
  };
}

function refuseAfterSeq(context: RequestContext, detail: string): Decision {
  const cites: readonly Cite[] = ['EVT-10b', 'NS-12'];
  return refuse(context, { code: 'validation_failed', detail, field: 'after_seq', cites });
}

/** NS-12: a plain request for it is told what it is. */
function refusePlain(context: RequestContext): Decision {
  return refuseUnnamed(
    context,
    {
      status: 426,
      title: 'Upgrade required',
      code: 'upgrade_required',
      detail: 'The events channel is a WebSocket. Connect to it with a WebSocket client.',
    },
    ['NS-12'],
    { upgrade: 'websocket', connection: 'Upgrade' },
  );
}

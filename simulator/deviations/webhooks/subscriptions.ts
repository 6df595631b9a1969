// Wrong forms of subscriptions, and secrets where they do not belong (HOOK-1 to HOOK-4).
import type { Batch, Decision } from '../../core/call.ts';
import { members, operation } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

import { shown } from './bends.ts';

/** Shows the secret of the subscription that a route names. */
const withSecret = (name: 'getWebhook' | 'disableWebhook'): Deviation['bend'] =>
  members(name, (body, { world, pathId }) => {
    const found = world.subscriptions.get(Number(pathId));
    return found === undefined ? body : { ...body, secret: found.secret };
  });

export const webhookDeviations: readonly Deviation[] = [
  {
    id: 'hook-create-needs-key',
    breaks: ['HOOK-1'],
    story: 'Every POST wants an Idempotency-Key.',
    bend: operation('createWebhook', (run, context) =>
      context.call.headers['idempotency-key'] === undefined
        ? refuseAs(context, 400, 'idempotency_key_required', 'Send an Idempotency-Key.')
        : run(context),
    ),
  },
  {
    id: 'hook-create-without-secret',
    breaks: ['HOOK-1'],
    story: 'The secret is shown in the back office only.',
    bend: members('createWebhook', ({ secret: _, ...rest }) => rest),
  },
  {
    id: 'hook-secret-null-when-read',
    breaks: ['HOOK-3'],
    story: 'One serializer serves all routes, and leaves the secret null where it is not shown.',
    bend: shown((body) => ({ ...body, secret: body.secret ?? null })),
  },
  {
    id: 'hook-id-as-text',
    breaks: ['HOOK-2'],
    story: 'Ids are strings everywhere.',
    bend: shown((body) => ({ ...body, id: String(body.id) })),
  },
  {
    id: 'hook-last-seq-null',
    breaks: ['HOOK-2'],
    story: 'Nothing was delivered yet, so there is no number.',
    bend: members('createWebhook', (body) => ({ ...body, last_delivered_seq: null })),
  },
  {
    id: 'hook-disabled-reason-missing',
    breaks: ['HOOK-2'],
    story: 'What is null is left out.',
    bend: shown(({ disabled_reason: reason, ...rest }) =>
      reason === null ? rest : { ...rest, disabled_reason: reason },
    ),
  },
  {
    id: 'hook-created-at-in-seconds',
    breaks: ['CONV-4'],
    story: 'Times are in seconds on this resource.',
    bend: shown((body) => ({ ...body, created_at: Math.floor(Number(body.created_at) / 1000) })),
  },
  {
    id: 'hook-categories-as-text',
    breaks: ['HOOK-2'],
    story: 'The categories are one text with commas.',
    bend: shown((body) => ({
      ...body,
      event_categories: (body.event_categories as string[]).join(','),
    })),
  },
  {
    id: 'hook-disabled-as-number',
    breaks: ['HOOK-2'],
    story: 'Booleans are 0 and 1 in the database.',
    bend: shown((body) => ({ ...body, disabled: body.disabled === true ? 1 : 0 })),
  },
  {
    id: 'hook-read-shows-secret',
    breaks: ['HOOK-3'],
    story: 'The whole record is printed when it is read.',
    bend: withSecret('getWebhook'),
  },
  {
    id: 'hook-disable-shows-secret',
    breaks: ['HOOK-3'],
    story: 'Disabling answers the whole record.',
    bend: withSecret('disableWebhook'),
  },
  {
    id: 'hook-rotate-keeps-secret',
    breaks: ['HOOK-4'],
    story: 'Rotating within a day answers the secret there is.',
    bend: operation('rotateWebhookSecret', (run, context) => {
      const given = run(context);
      const found = context.world.subscriptions.get(Number(context.pathId));
      return 'decideRow' in given || given.reply.status >= 300 || found === undefined
        ? given
        : {
            reply: {
              ...given.reply,
              body: context.behaviour.serialize.subscription(found, found.secret),
            },
            changes: [],
            cites: [],
          };
    }),
  },
  {
    id: 'hook-rotate-without-secret',
    breaks: ['HOOK-4'],
    story: 'The new secret is sent by mail.',
    bend: members('rotateWebhookSecret', ({ secret: _, ...rest }) => rest),
  },
  {
    id: 'hook-rotation-remembers-key',
    breaks: ['HOOK-1'],
    story: 'The middleware keeps the answer to every POST that has an Idempotency-Key.',
    bend: (behaviour) => {
      const kept = new Map<string, Decision | Batch>();
      return operation('rotateWebhookSecret', (run, context) => {
        const key = context.call.headers['idempotency-key'];
        if (key === undefined) return run(context);
        const id = `${context.pathId} ${String(key)}`;
        const decided = kept.get(id) ?? run(context);
        const isRepeat = kept.has(id);
        kept.set(id, decided);
        return isRepeat ? { ...decided, changes: [] } : decided;
      })(behaviour);
    },
  },
];

// Wrong ways with the key itself: whether it is asked for, how long it may be, what it stands
// together with.

import { findEntry } from '../../core/journal.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { sha256Hex } from '../../core/values/digest.ts';
import { policy, stage, writeOperations } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const keyed: readonly string[] = writeOperations;

function without(context: RequestContext, key: string): null {
  if (context.operation !== null && keyed.includes(context.operation)) context.key = key;
  return null;
}

const parse = (change: (key: string | null, header: string | undefined) => string | null) =>
  policy('keys', (keys) => ({ parse: (header) => change(keys.parse(header), header) }));

/** Bends what a key record is found by. */
const identity = (change: (context: RequestContext, id: string) => string) =>
  policy('keys', (keys) => ({ id: (context) => change(context, keys.id(context)) }));

export const keyDeviations: readonly Deviation[] = [
  {
    id: 'key-optional',
    breaks: ['IDEM-1a'],
    story: 'A missing key is taken as "no idempotency wanted" and the write is served.',
    bend: stage('key', (decide, context) =>
      context.call.headers['idempotency-key'] === undefined
        ? without(context, `none-${context.n}`)
        : decide(context),
    ),
  },
  {
    id: 'key-limit-254',
    breaks: ['IDEM-1b'],
    story: 'Less than 255 where the rule says at most.',
    bend: parse((key) => (key !== null && key.length >= 255 ? null : key)),
  },
  {
    id: 'key-checked-after-body',
    breaks: ['IDEM-1d'],
    story: 'The key is read by the handler, once the framework has parsed the body.',
    bend: (behaviour) => {
      const key = behaviour.stages.find(({ name }) => name === 'key')!;
      const rest = behaviour.stages.filter(({ name }) => name !== 'key');
      const at = rest.findIndex(({ name }) => name === 'readable') + 1;
      return { ...behaviour, stages: [...rest.slice(0, at), key, ...rest.slice(at)] };
    },
  },
  {
    id: 'key-cut-at-32',
    breaks: ['IDEM-1b'],
    story: 'The cache key keeps 32 characters of the key, so two long ones are one.',
    bend: parse((key) => key?.slice(0, 32) ?? null),
  },
  {
    id: 'key-alone-decides',
    breaks: ['IDEM-2a'],
    story: 'The key alone is looked up, whatever it came with.',
    bend: identity(
      ({ credential, operation, key }) => `${credential?.client_id}\n${operation}\n${key}`,
    ),
    alsoSeenAs: {
      'IDEM-2c': 'no subject tells two operations apart any more',
      'IDEM-9b': 'a changed batch under the old key is no new batch',
      'POS-4': 'another trading account under the key is no other operation',
    },
  },
  {
    id: 'key-shared-by-credentials',
    breaks: ['IDEM-2b'],
    story: 'Keys are looked up without the credential.',
    bend: identity((_attempt, id) => id.slice(id.indexOf('\n') + 1)),
  },
  {
    id: 'key-by-token',
    breaks: ['IDEM-2b'],
    story: 'Keys belong to the access token, so a renewed token forgets them.',
    bend: identity(({ token }, id) => `${token?.token}${id.slice(id.indexOf('\n'))}`),
  },
  {
    id: 'key-with-other-body-conflicts',
    breaks: ['IDEM-8'],
    story: 'A key that comes with another body is refused as misuse.',
    bend: policy('keys', (keys) => ({
      replay: (stored, context) => {
        const first = findEntry(context.world.journal, context.firstCall ?? 0);
        const same =
          first === undefined || sha256Hex(first.call.body) === sha256Hex(context.call.body);
        if (same) return keys.replay(stored, context);
        return context.behaviour.refuse(context, {
          status: 422,
          title: 'Key reused',
          code: 'validation_failed',
          detail: 'This key was used with another body.',
          errors: [],
        });
      },
    })),
    alsoSeenAs: {
      'IDEM-9a': 'an edited first name is refused',
      'POS-2': 'another order under the same key is refused',
    },
  },
];

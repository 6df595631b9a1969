// Wrong X-Request-Id headers (ERR-4, IDEM-5).
import { everyReply } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

export const requestIdDeviations: readonly Deviation[] = [
  {
    id: 'request-id-header-missing',
    breaks: ['ERR-4'],
    story: 'Only errors carry a request id.',
    bend: everyReply((reply) =>
      reply.status < 400 ? { ...reply, headers: { ...reply.headers, 'x-request-id': '' } } : reply,
    ),
    alsoSeenAs: { 'IDEM-5': 'nor do replays' },
  },
  {
    id: 'request-id-header-constant',
    breaks: ['ERR-4'],
    story: 'The id is that of the connection.',
    bend: everyReply((reply) => ({
      ...reply,
      headers: { ...reply.headers, 'x-request-id': 'req_constant' },
    })),
    alsoSeenAs: { 'IDEM-5': 'a replay has the same one' },
  },
];

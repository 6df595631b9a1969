// The answers that a fault puts in the place of the platform's own.

import type { Cite, Decision, Reply } from '../call.ts';
import type { FaultRefusal, FaultStatus } from './find-fault.ts';
import { rateRefusal } from './rate-limit.ts';
import { refuse, refuseUnreadable } from './refuse.ts';
import type { RequestContext } from './request-context.ts';
import { refuseToken } from './token.ts';

/** IDEM-6, LIM-6: a status that a fault orders, and the rules that say what a client may do. */
export function statusDecision(context: RequestContext, status: FaultStatus): Decision {
  switch (status) {
    case 429:
      return refuseCode(context, 'rate_limited');
    case 500:
      return refuseCode(context, 'internal_error');
    case 503:
      return refuseCode(context, 'write_contention');
    case 502:
      return { reply: gatewayReply('502 Bad Gateway'), changes: [], cites: [] };
    case 504:
      return { reply: gatewayReply('504 Gateway Time-out'), changes: [], cites: [] };
  }
}

/** The refusal of this code as the platform itself words it (ERR-3). */
export function refuseCode(context: RequestContext, code: FaultRefusal): Decision {
  switch (code) {
    case 'unauthorized':
      return refuseToken(context, 'A fault refuses the access token of this call.');
    case 'unreadable':
      return refuseUnreadable(
        context.behaviour.settings.unparsable_status,
        'A fault says that this body cannot be read.',
        ['ERR-2', 'NS-14'],
      );
    case 'rate_limited': {
      const detail = 'A fault limits this call. Retry after the wait.';
      const cites: readonly Cite[] = ['IDEM-6a', 'LIM-6'];
      return { reply: rateRefusal(context, 1000, detail), changes: [], cites };
    }
    case 'internal_error': {
      const detail = 'A fault broke this call. Repeat it with the same key.';
      return refuse(context, { code, detail, cites: ['IDEM-6c'] });
    }
    case 'write_contention': {
      const detail =
        'A fault made others write the same record. Repeat the call with the same key.';
      return refuse(context, { code, detail, cites: ['IDEM-6b'] });
    }
    default:
      return refuse(context, { code, detail: 'A fault refuses this call.', cites: ['ERR-3'] });
  }
}

const neverRecorded: readonly FaultRefusal[] = [
  'idempotency_key_required',
  'idempotency_in_flight',
  'unauthorized',
  'unreadable',
];

/** NS-30, IDEM-14a: what comes before the look-up of the key, or from it, is kept for nobody. */
export function isRecordedRefusal(code: FaultRefusal): boolean {
  return !neverRecorded.includes(code);
}

/** A page of a gateway that got no answer it could pass on: no problem, no request id. */
function gatewayReply(title: string): Reply {
  const lines = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<center><h1>${title}</h1></center>`,
    '<hr><center>nginx</center>',
    '</body>',
    '</html>',
    '',
  ];
  return {
    status: Number(title.slice(0, 3)),
    contentType: 'text/html',
    body: lines.join('\r\n'),
    headers: { server: 'nginx' },
    isForeign: true,
  };
}

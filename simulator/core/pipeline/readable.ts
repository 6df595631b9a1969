// Fifth stage: bytes become members of an object, or a refusal in plain text (ERR-2).

import type { Decision } from '../call.ts';
import { headerOf, operationRowOf } from './operation-row.ts';
import { refuseUnreadable } from './refuse.ts';
import type { RequestContext, Stage } from './request-context.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const readableStage: Stage = {
  name: 'readable',
  decide(context) {
    const wanted = operationRowOf(context).body;
    const { settings } = context.behaviour;
    const { call } = context;
    if (wanted === 'none') return refuseIdleBody(context);
    const limit =
      context.operation === 'bulkCreateAccounts'
        ? settings.max_bulk_body_bytes
        : settings.max_body_bytes;
    if (call.oversize === true || call.body.byteLength > limit) {
      const message = `The body has more than ${limit} bytes, which is the limit here.`;
      return refuseUnreadable(settings.body_too_large_status, message, ['NS-15']);
    }
    const contentType = headerOf(context, 'content-type');
    if (!isReadableType(contentType, wanted === 'form-or-json')) {
      const given = contentType ?? 'without one';
      const message = `Send the body as Content-Type: application/json, not ${given}.`;
      return refuseUnreadable(settings.content_type_status, message, ['ERR-2', 'NS-14']);
    }
    const text = decodeUtf8(call.body);
    if (text === null) {
      const message = 'The body is not valid UTF-8.';
      return refuseUnreadable(settings.unparsable_status, message, ['ERR-2', 'NS-14']);
    }
    const read = context.behaviour.read(context, text);
    if (!('body' in read)) return refuseUnreadable(read.status, read.message, read.cites);
    context.body = read.body;
    return null;
  },
};

/** NS-58: a body where none is asked for. */
function refuseIdleBody({ operation, behaviour, call }: RequestContext): Decision | null {
  const { approve_body: choice, unreadable_status: status } = behaviour.settings;
  if (operation !== 'approveTransaction' || choice === 'ignored') return null;
  if (call.body.byteLength === 0 && call.oversize !== true) return null;
  return refuseUnreadable(status, 'Approve takes no body.', ['NS-58']);
}

const jsonType = /^application\/json *(; *charset="?utf-8"? *)?$/i;
const formType = /^application\/x-www-form-urlencoded *(;.*)?$/i;

/** NS-14: JSON in UTF-8, and forms at the token endpoint (NS-8). */
function isReadableType(contentType: string | undefined, form: boolean): boolean {
  if (contentType === undefined) return false;
  return jsonType.test(contentType) || (form && formType.test(contentType));
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    // A TypeError is how the decoder says that the bytes are no UTF-8.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

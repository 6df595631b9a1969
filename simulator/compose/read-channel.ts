// The events channel in this process, without a socket: one envelope after another.

import type { Envelope } from '../../fixtures/envelope.ts';
import type { Call } from '../core/call.ts';
import { openChannel } from '../host/world/channel-reader.ts';
import type { Answer, WorldHost } from '../host/world/world-host.ts';
import { closedMessage } from './waits.ts';

/** Starts like the handshake, and throws the error that refuses it. */
export async function* readChannel(
  host: WorldHost,
  token: string,
  afterSeq: number | undefined,
  isClosed: () => boolean,
): AsyncGenerator<Envelope, void> {
  if (isClosed()) throw new Error(closedMessage);
  const query = afterSeq === undefined ? '' : `?after_seq=${afterSeq}`;
  const { path } = host.behaviour.table.streamEvents;
  const call: Call = {
    method: 'GET',
    target: `${path.startsWith('/') ? path : `/api/v1/${path}`}${query}`,
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(0),
    upgrade: true,
  };
  await shakeHands(host, call);
  let wake: (() => void) | null = null;
  const reader = openChannel(host, call, () => wake?.());
  try {
    for (;;) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = reader.read();
      if (isClosed()) throw new Error(closedMessage);
      if ('code' in page) throw new Error(`the channel ended with ${page.code}: ${page.reason}`);
      for (const envelope of page.envelopes) yield JSON.parse(envelope) as Envelope;
      if (!page.more) await news;
    }
  } finally {
    reader.close();
  }
}

function shakeHands(host: WorldHost, call: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    host.call(call, (answer: Answer) => {
      if (answer.kind === 'reset') {
        reject(new TypeError('fetch failed: the connection was reset'));
        return;
      }
      const { status, body } = answer.reply;
      if (status === 101) resolve();
      else reject(new Error(`the channel was refused with ${status}: ${body}`));
    });
  });
}

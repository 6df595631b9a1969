// The events channel for one credential: a WebSocket whose messages are kept as text.
import type { Credential } from '../../providers/target.ts';
import type { Sender } from './sender.ts';

export interface EventsChannel {
  /** Text of each message, in order of arrival. */
  readonly messages: readonly string[];
  /** Whether the server has closed it, or never accepted it. */
  readonly closed: boolean;
  close(): void;
}

const OPEN_WITHIN_MS = 5_000;

/** Undefined if there is no such channel: no WebSocket answers at this URL. */
export async function openEventsChannel(
  url: string,
  { token }: Pick<Credential, 'token'>,
  sender?: Sender,
): Promise<EventsChannel | undefined> {
  // Loaded when the first channel is opened: most runs never open one. The default export, because
  // it is the only one that remains in a bundle.
  const { WebSocket } = (await import('undici')).default;
  const socket = new WebSocket(url.replace(/^http/, 'ws'), {
    headers: {
      ...Object.fromEntries(sender?.addedHeaders?.(url) ?? []),
      authorization: `Bearer ${token}`,
    },
    ...(sender?.dispatcher === undefined ? {} : { dispatcher: sender.dispatcher }),
  });
  const messages: string[] = [];
  let closed = false;
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') messages.push(data);
  });
  const opened = await new Promise<boolean>((resolve) => {
    const limit = setTimeout(() => resolve(false), OPEN_WITHIN_MS);
    const settle = (truth: boolean) => {
      clearTimeout(limit);
      resolve(truth);
    };
    socket.addEventListener('open', () => settle(true));
    socket.addEventListener('error', () => settle(false));
    socket.addEventListener('close', () => {
      closed = true;
      settle(false);
    });
  });
  const close = () => socket.close();
  if (!opened) {
    close();
    return undefined;
  }
  return {
    messages,
    get closed() {
      return closed;
    },
    close,
  };
}

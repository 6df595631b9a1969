// The events channel for one credential: a WebSocket whose messages are kept as text.
import type { Credential } from '../../providers/target.ts';
import type { Sender } from './sender.ts';

const OPEN_WITHIN_MS = 5_000;

/** Undefined if there is no such channel: no WebSocket answers at this URL. */
export async function openEventsChannel(
  url: string,
  { token }: Pick<Credential, 'token'>,
  sender?: Sender,
) {
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
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') messages.push(data);
  });
  const isOpen = await new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), OPEN_WITHIN_MS).unref();
    socket.addEventListener('open', () => resolve(true));
    socket.addEventListener('error', () => resolve(false));
    socket.addEventListener('close', () => resolve(false));
  });
  const close = () => socket.close();
  if (!isOpen) {
    close();
    return undefined;
  }
  return {
    /** Text of each message, in order of arrival. */
    messages,
    /** Whether the server has closed it. */
    get closed() {
      return socket.readyState === WebSocket.CLOSED;
    },
    close,
  };
}

// Receivers to test the judge: one correct receiver, and many with one defect each. For tests.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The steps of verification, each of which one defect replaces. */
export interface ReceiverSteps {
  readonly secret: string;
  /** The header as one text; null if there is none. */
  readonly header: (request: IncomingMessage) => string | null;
  readonly body: (raw: Buffer, chunks: readonly Buffer[]) => Buffer;
  /** Key and value of each part of the header. */
  readonly parts: (header: string) => readonly (readonly [string, string])[];
  readonly time: (parts: HeaderParts) => number | null;
  readonly fresh: (t: number, now: number) => boolean;
  readonly candidates: (parts: HeaderParts) => readonly string[];
  readonly mac: (secret: string, t: string, body: Buffer) => string;
  readonly equal: (candidate: string, mac: string, received: Received) => boolean;
  readonly answer: (verified: boolean, raw: Buffer, mac: string) => ReceiverAnswer;
  readonly delayMs: number;
  /** An exception in its own code ends the process for this long; null for never. */
  readonly diesForMs: number | null;
  /** It answers, and then its process ends permanently. */
  readonly endsAfter: (request: IncomingMessage) => boolean;
}

export type HeaderParts = readonly (readonly [string, string])[];

/** A delivery with its signature header in parts. */
export interface Received {
  readonly parts: HeaderParts;
  /** The first t. */
  readonly t: string;
  readonly body: Buffer;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly text?: string;
}

/** The maximum clock skew of t. */
export const fiveMinutesMs = 5 * 60_000;

export const correctSteps: ReceiverSteps = {
  secret: 'whsec_the_secret_of_the_samples',
  header: ({ headers }) => {
    const value = headers['x-webhook-signature'];
    return typeof value === 'string' ? value : null;
  },
  body: (raw) => raw,
  parts: (header) =>
    header.split(',').map((part): [string, string] => {
      const [key = '', ...rest] = part.trim().split('=');
      return [key, rest.join('=')];
    }),
  time: (parts) => {
    const times = parts.filter(([key]) => key === 't').map(([, value]) => value);
    const [t] = times;
    return times.length === 1 && t !== undefined && /^\d{12,14}$/.test(t) ? Number(t) : null;
  },
  fresh: (t, now) => Math.abs(now - t) <= fiveMinutesMs,
  candidates: (parts) => parts.filter(([key]) => key === 'v1').map(([, value]) => value),
  mac: (secret, t, body) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'),
  equal: (candidate, mac) =>
    candidate.length === mac.length && timingSafeEqual(Buffer.from(candidate), Buffer.from(mac)),
  answer: (verified) => ({ status: verified ? 204 : 400 }),
  delayMs: 0,
  diesForMs: null,
  endsAfter: () => false,
};

/** One receiver; an exception in its own code becomes a 500, as in frameworks. */
export async function startReceiver(
  change: Partial<ReceiverSteps>,
): Promise<{ url: string; close: () => void }> {
  const steps: ReceiverSteps = { ...correctSteps, ...change };
  const server = createServer();
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  let revival: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(revival);
    server.close();
    server.closeAllConnections();
  };
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(request, 'end');
    let answer: ReceiverAnswer;
    try {
      answer = verify(steps, request, chunks);
    } catch {
      if (steps.diesForMs !== null) {
        close();
        revival = setTimeout(() => void listen(port), steps.diesForMs);
        return;
      }
      answer = { status: 500 };
    }
    setTimeout(() => {
      response.writeHead(answer.status).end(answer.text ?? '');
      if (steps.endsAfter(request)) response.once('finish', close);
    }, steps.delayMs);
  });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, close };
}

function verify(
  steps: ReceiverSteps,
  request: IncomingMessage,
  chunks: readonly Buffer[],
): ReceiverAnswer {
  const raw = Buffer.concat(chunks);
  const header = steps.header(request);
  if (header === null) return steps.answer(false, raw, '');
  const parts = steps.parts(header);
  const t = steps.time(parts);
  if (t === null || !steps.fresh(t, Date.now())) return steps.answer(false, raw, '');
  const signed = parts.find(([key]) => key === 't')?.[1] ?? '';
  const body = steps.body(raw, chunks);
  const mac = steps.mac(steps.secret, signed, body);
  const received = { parts, t: signed, body };
  const candidates = steps.candidates(parts);
  const verified = candidates.some((candidate) => steps.equal(candidate, mac, received));
  return steps.answer(verified, raw, mac);
}

// Sends one delivery to a receiver under test, and says how it was answered.

export interface OutgoingDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** How a receiver answered; `status` is null when no answer came, and `error` says why. */
export interface ReceiverAnswer {
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly text: string;
  readonly durationMs: number;
}

const shownBytes = 2_000;

/**
 * One POST, no redirect followed, nothing tried again. EVT-9b: the whole of it, a dripping answer
 * included, has `timeoutMs`. Never throws for what a receiver or a network can do.
 */
export async function sendWebhook(delivery: OutgoingDelivery): Promise<ReceiverAnswer> {
  const { Agent, request } = (await import('undici')).default;
  const { url, headers, body, timeoutMs } = delivery;
  const agent = new Agent({ pipelining: 0 });
  const startMs = performance.now();
  const durationMs = () => Math.round(performance.now() - startMs);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await request(url, {
      ...{ method: 'POST', headers, body, signal, dispatcher: agent },
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
    const text = await readBeginning(answer.body);
    return { status: answer.statusCode, error: null, text, durationMs: durationMs() };
  } catch (error) {
    const words = explainFailure(error, timeoutMs);
    return { status: null, error: words, text: '', durationMs: durationMs() };
  } finally {
    await agent.destroy();
  }
}

async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // An endless answer is an answer too.
    if (size >= shownBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, shownBytes).toString('utf8');
}

function explainFailure(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'TimeoutError') return `no full answer within ${timeoutMs / 1000} s`;
  // A name with several addresses fails with one error for each; they fail alike.
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { code = first.name, message } = first as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection refused: nothing listens there';
  return message === '' || message.includes(code) ? message || code : `${code}: ${message}`;
}

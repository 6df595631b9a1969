// Faults that clients meet in life, ready to be switched on.

export interface FaultPreset {
  readonly words: string;
  readonly why: string;
  readonly body: {
    readonly match: Readonly<Record<string, unknown>>;
    readonly phase?: 'before' | 'after';
    readonly effect: Readonly<Record<string, unknown>>;
    readonly times?: number;
  };
}

export const callPresets: readonly FaultPreset[] = [
  {
    words: 'Lose the next answer',
    why: 'It runs, then the connection is cut: only a repeat with the same key finds out.',
    body: { match: { method: 'POST' }, phase: 'after', effect: { kind: 'reset' }, times: 1 },
  },
  {
    words: 'Lose the answer twice',
    why: 'The answer is lost, and that of the repeat with the same key too.',
    body: { match: { method: 'POST' }, phase: 'after', effect: { kind: 'reset' }, times: 2 },
  },
  {
    words: 'Cut the next call',
    why: 'Nothing runs, and the connection is cut.',
    body: { match: {}, effect: { kind: 'reset' }, times: 1 },
  },
  {
    words: '500 after the next write',
    why: 'It runs, answers 500, and records nothing: a repeat runs again and converges.',
    body: {
      match: { method: 'POST' },
      phase: 'after',
      effect: { kind: 'status', status: 500 },
      times: 1,
    },
  },
  {
    words: '503 for the next three',
    why: 'Nothing runs; a client that waits and repeats gets through.',
    body: { match: {}, effect: { kind: 'status', status: 503 }, times: 3 },
  },
  {
    words: '429 for the next three',
    why: 'As if the allowance were used up.',
    body: { match: {}, effect: { kind: 'status', status: 429 }, times: 3 },
  },
  {
    words: 'Answer 10 s late',
    why: 'On the sandbox’s clock; the attempt stays in flight until then.',
    body: { match: {}, effect: { kind: 'delay', ms: 10_000 }, times: 1 },
  },
  {
    words: '502 from a gateway',
    why: 'HTML in place of a problem, without a request id.',
    body: { match: {}, effect: { kind: 'status', status: 502 }, times: 1 },
  },
  {
    words: 'Cut an answer short',
    why: 'It runs; the connection ends in the middle of the body.',
    body: { match: {}, effect: { kind: 'truncate', bytes: 20 }, times: 1 },
  },
  {
    words: 'A body over 10 s',
    why: 'The headers come at once, the body in pieces on the sandbox’s clock.',
    body: { match: {}, effect: { kind: 'slow_body', ms: 10_000 }, times: 1 },
  },
  {
    words: 'Hang the next call',
    why: 'No answer comes, and its key stays in flight.',
    body: { match: {}, effect: { kind: 'hang' }, times: 1 },
  },
];

export const deliveryPresets: readonly FaultPreset[] = [
  {
    words: 'Deliver twice',
    why: 'The same event with the same id comes two times.',
    body: { match: { webhook: true }, effect: { kind: 'duplicate' }, times: 1 },
  },
  {
    words: 'Wrong signature',
    why: 'A receiver that checks must refuse it.',
    body: { match: { webhook: true }, effect: { kind: 'bad_signature' }, times: 1 },
  },
  {
    words: 'Stale timestamp',
    why: 'Signed right, but too long ago.',
    body: { match: { webhook: true }, effect: { kind: 'stale_timestamp' }, times: 1 },
  },
  {
    words: 'Drop a delivery',
    why: 'It counts as delivered and never leaves.',
    body: { match: { webhook: true }, effect: { kind: 'drop' }, times: 1 },
  },
  {
    words: 'Deliver a minute late',
    why: 'The attempt starts later on the sandbox’s clock.',
    body: { match: { webhook: true }, effect: { kind: 'delay', ms: 60_000 }, times: 1 },
  },
];

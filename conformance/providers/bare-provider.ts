// Stands for a target that nobody gave a credential for: nothing of it can be tried, but a report
// still says what is lacking.
import type { Need } from '../engine/needs.ts';
import type { Sender } from '../engine/send.ts';
import { Blocked } from '../engine/stop.ts';
import type { Provider, Target } from './target.ts';

const PATIENCE_MS = 10_000;

export function bareProvider(parts: {
  readonly baseUrl: string;
  readonly sender: Sender;
  readonly timeoutMs: number;
  /** What there is not, and what to give. */
  readonly why: string;
}): Provider {
  // Nothing that answers is worth another word than a missing credential.
  const nothing = async (): Promise<Target> => {
    await parts.sender.send({
      method: 'GET',
      url: `${parts.baseUrl}/api/v1/webhooks`,
      headers: [],
      body: undefined,
      timeoutMs: Math.min(parts.timeoutMs, PATIENCE_MS),
    });
    throw new Blocked(parts.why);
  };
  return {
    offers: new Set<Need>(),
    worlds: false,
    notes: [],
    shared: nothing,
    own: nothing,
    secrets: () => [],
    close: async () => {},
  };
}

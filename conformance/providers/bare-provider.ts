// Stands for a target that nobody gave a credential for: nothing of it can be tried, but a report
// still says what is lacking.
import type { Capability } from '../engine/capabilities.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Provider, Target } from './target.ts';

const PATIENCE_MS = 10_000;

export function bareProvider(options: {
  readonly baseUrl: string;
  readonly sender: Sender;
  readonly timeoutMs: number;
  /** What there is not, and what to give. */
  readonly why: string;
}): Provider {
  // Nothing that answers is worth another word than a missing credential.
  const nothing = async (): Promise<Target> => {
    await options.sender.send({
      method: 'GET',
      url: `${options.baseUrl}/api/v1/webhooks`,
      headers: [],
      body: undefined,
      timeoutMs: Math.min(options.timeoutMs, PATIENCE_MS),
    });
    throw new Blocked(options.why);
  };
  return {
    offers: new Set<Capability>(),
    worlds: false,
    notes: [],
    shared: nothing,
    own: nothing,
    secrets: () => [],
    close: async () => {},
  };
}

// What an exploration gives to the scenarios of the judge that it has played on the target.
import type { Sender } from '../engine/send/sender.ts';
import type { Provider } from '../providers/target.ts';

export interface ScenarioOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly timeoutMs: number;
  readonly maxRate?: number;
  /** No more requests than so many: what is left is not asked. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly secret: (value: string) => void;
}

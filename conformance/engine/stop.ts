// The ways in which a scenario ends early, each of which is a different verdict: setup, network,
// harness, want.
import type { Need } from './needs.ts';

/** The setup or a control failed: what was to be judged could not be shown. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
}

/** The network, an intermediary or a limit came in between: nothing can be said of the target. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
}

/** The target cannot offer something that the scenario found out late that it needs. */
export class Wanting extends Error {
  override readonly name = 'Wanting';
  readonly need: Need;

  constructor(need: Need, message: string) {
    super(message);
    this.need = need;
  }
}

/** The scenario itself is wrong: a rule it does not list, a refusal judged without a control. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/**
 * An expectation that everything after it rests on was not met; its finding is recorded already.
 */
export class Ended extends Error {
  override readonly name = 'Ended';
}

/** No answer came: refused, reset, timed out, or not HTTP. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly reason: 'refused' | 'reset' | 'timeout' | 'name' | 'aborted' | 'protocol';

  constructor(reason: Unreachable['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

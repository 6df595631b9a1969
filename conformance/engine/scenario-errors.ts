// The ways in which a scenario ends early, each of which is a different verdict: setup, network,
// harness, missing capability.
import type { Capability } from './capabilities.ts';
import type { Judged } from './types.ts';

/** What was to be judged could not be shown, with what that makes of its rules. */
export abstract class EarlyEnd extends Error {
  abstract readonly verdict: Judged;
}

/** The setup or a control failed. */
export class Blocked extends EarlyEnd {
  override readonly name = 'Blocked';
  readonly verdict = 'blocked';
}

/** The control plane would not do what was asked of it. */
export class RefusedByOperator extends Blocked {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The guard did not let a write out that names a record which this run did not make. */
export class WriteRefused extends Blocked {}

/** The network, an intermediary or a limit came in between: nothing can be said of the target. */
export class Inconclusive extends EarlyEnd {
  override readonly name = 'Inconclusive';
  readonly verdict = 'inconclusive';
}

/** The target cannot offer something that the scenario found out late that it needs. */
export class MissingCapability extends EarlyEnd {
  override readonly name = 'MissingCapability';
  readonly verdict = 'not_tested';
  readonly capability: Capability;

  constructor(need: Capability, message: string) {
    super(message);
    this.capability = need;
  }
}

/** There was something of the kind, and every one of it is used up. */
export class UsedUp extends MissingCapability {}

/** NS-1: which orders the target takes is not known. A branch goes without them. */
export class UnknownPayload extends MissingCapability {
  constructor(message: string) {
    super('orders', message);
  }
}

/** No answer came: refused, reset, timed out, or not HTTP. */
export class Unreachable extends EarlyEnd {
  override readonly name = 'Unreachable';
  readonly verdict = 'inconclusive';
  readonly reason: 'refused' | 'reset' | 'timeout' | 'name' | 'aborted' | 'tls' | 'protocol';

  constructor(reason: Unreachable['reason'], message: string) {
    super(message);
    this.reason = reason;
  }

  /** No connection came about, so that nothing of the request can have run. */
  get neverSent(): boolean {
    return this.reason === 'refused' || this.reason === 'name' || this.reason === 'tls';
  }
}

/** The scenario itself is wrong: a rule it does not list, a refusal judged without a control. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** An expectation that everything after it rests on was not met; its finding is recorded already. */
export class ScenarioEnded extends Error {
  override readonly name = 'ScenarioEnded';
}

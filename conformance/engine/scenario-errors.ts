// The ways in which a scenario ends early. Each leads to a different verdict: setup, network, harness,
// missing capability.
import type { Capability } from './capabilities.ts';
import type { Judged, RuleId } from './types.ts';

/** The scenario could not test its rules, with the resulting verdict. */
export abstract class EarlyEnd extends Error {
  abstract readonly verdict: Judged;
  /** The exchange that shows why; by default the last call. */
  readonly exchange: number | undefined;
  /** The rules that a failed control rests on: if one of them deviates, that is the reason. */
  readonly restsOn: readonly RuleId[];

  constructor(message: string, exchange?: number, restsOn: readonly RuleId[] = []) {
    super(message);
    this.exchange = exchange;
    this.restsOn = restsOn;
  }
}

/** The setup or a control failed. */
export class Blocked extends EarlyEnd {
  readonly verdict = 'blocked';
}

/** The control plane refused a command. */
export class RefusedByOperator extends Blocked {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The guard blocked a write to a record that this run did not create. */
export class WriteRefused extends Blocked {}

/** The network, an intermediary or a limit interfered, so the target cannot be judged. */
export class Inconclusive extends EarlyEnd {
  readonly verdict = 'inconclusive';
}

/** The target lacks something that the scenario turned out to need. */
export class MissingCapability extends EarlyEnd {
  readonly verdict = 'not_tested';
  readonly capability: Capability;

  constructor(need: Capability, message: string) {
    super(message);
    this.capability = need;
  }
}

/** The target offered some of these, and all of them are used up. */
export class UsedUp extends MissingCapability {}

/** NS-1: the orders that the target accepts are not known. A branch continues without them. */
export class UnknownPayload extends MissingCapability {
  constructor(message: string) {
    super('orders', message);
  }
}

/** No answer came: refused, reset, timed out, or not HTTP. */
export class Unreachable extends EarlyEnd {
  readonly verdict = 'inconclusive';
  readonly reason: 'refused' | 'reset' | 'timeout' | 'name' | 'aborted' | 'tls' | 'protocol';

  constructor(reason: Unreachable['reason'], message: string) {
    super(message);
    this.reason = reason;
  }

  /** No connection was established, so no part of the request can have run. */
  get neverSent(): boolean {
    return ['refused', 'name', 'tls'].includes(this.reason);
  }
}

/** The scenario itself is wrong: a rule that it does not list, or a refusal without a control. */
export class Misuse extends Error {}

/** A required expectation was not met; its finding is recorded already. */
export class ScenarioEnded extends Error {}

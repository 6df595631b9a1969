// Deliveries that reached a trial's hooks, each with its number among the exchanges of the report.
import type { Arrival, Hook } from '../providers/receiver.ts';
import type { Capture } from './capture.ts';
import type { RuleId } from './types.ts';

/** Anything that has a number among the exchanges: an answer, a delivery. */
export interface Numbered {
  readonly n: number;
  /** Rules without which it shows nothing. */
  readonly presumes?: readonly RuleId[];
}

export type Delivered = Arrival & Numbered;

export class Arrivals {
  readonly #capture: Capture;
  readonly #known = new Map<Arrival, Delivered>();

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  /** Everything that arrived at a hook so far, noted as exchanges the first time it is seen. */
  at(hook: Hook): Delivered[] {
    return hook.arrivals.map((arrival) => this.#known.get(arrival) ?? this.#note(arrival));
  }

  #note(arrival: Arrival): Delivered {
    const { method, url, headers, body, answered } = arrival;
    const request = { method, url, headers: headers.lines, body };
    const delivered = { ...arrival, n: this.#capture.delivery(request, answered) };
    this.#known.set(arrival, delivered);
    return delivered;
  }
}

// Deliveries that reached a scenario's hooks, each with its number among the exchanges of the
// report.
import type { ReceivedDelivery, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { RuleId } from '../types.ts';
import type { ExchangeRecorder } from './exchange-recorder.ts';

/** Anything that has a number among the exchanges: an answer, a delivery. */
export interface NumberedExchange {
  readonly n: number;
  /** Rules without which it shows nothing. */
  readonly presumes?: readonly RuleId[];
}

/** What a finding about several of them rests on. */
export function evidence(numbered: readonly NumberedExchange[]) {
  const exchanges = numbered.map((each) => each.n);
  return { exchanges, presumes: numbered.flatMap((each) => each.presumes ?? []) };
}

export type RecordedDelivery = ReceivedDelivery & NumberedExchange;

export class DeliveryRecorder {
  readonly #recorder: ExchangeRecorder;
  readonly #known = new Map<ReceivedDelivery, RecordedDelivery>();

  constructor(recorder: ExchangeRecorder) {
    this.#recorder = recorder;
  }

  /** Everything that arrived at a hook so far, noted as exchanges the first time it is seen. */
  at(hook: WebhookEndpoint): RecordedDelivery[] {
    return hook.deliveries.map((arrival) => this.#known.get(arrival) ?? this.#note(arrival));
  }

  #note(arrival: ReceivedDelivery): RecordedDelivery {
    const { method, url, headers, body, answered } = arrival;
    const request = { method, url, headers: headers.lines, body };
    const delivered = { ...arrival, n: this.#recorder.delivery(request, answered) };
    this.#known.set(arrival, delivered);
    return delivered;
  }
}

// Differences made by hand, so that what they are called can be tried without a target.
import type { Capability } from '../../../engine/capabilities.ts';
import type { Difference } from '../../compare/difference.ts';
import type { Basis } from '../../play/outcome.ts';
import type { CallStep, Step } from '../../sequence.ts';
import type { Found } from '../investigate.ts';

type Idempotency = Basis['idempotency'];

/** What a call was answered before the one that differs, on both sides. */
interface Earlier {
  readonly status: number;
  readonly json?: unknown;
  readonly cites?: readonly string[];
  readonly idempotency?: Idempotency;
}

export interface Made extends Partial<Difference> {
  /** The last of them is the one that differs, unless it is told by `n`. */
  readonly steps: readonly Step[];
  /** The model's answer and the target's: `201`, `409 invalid_state`. */
  readonly due: string;
  readonly came: string;
  readonly cites?: readonly string[];
  readonly idempotency?: Idempotency;
  readonly earlier?: Readonly<Record<number, Earlier>>;
  /** What the target has answered to the last call. */
  readonly given?: unknown;
  /** What reached the target's endpoint. */
  readonly arrived?: readonly { readonly subscription: string; readonly body: unknown }[];
  readonly elsewhere?: Found['elsewhere'];
  /** What the target can be asked for. */
  readonly offers?: readonly Capability[];
}

/** As far as a rule is read from it. */
export function foundOf(made: Made): Found {
  const { steps, due, came, cites = [], idempotency = 'first', earlier = {}, given } = made;
  const last = steps.at(-1) as CallStep;
  const offers = new Set(made.offers ?? ['fresh_trading_account']);
  const basis: Basis = { cites, idempotency, step: '' };
  const outcomes = Object.entries(earlier).map(
    ([n, { status, json = {}, cites: own = [], idempotency: how = 'first' }]) => {
      const body = Buffer.from(JSON.stringify(json));
      const why: Basis = { cites: own, idempotency: how, step: '' };
      return [Number(n), { kind: 'answer', status, json, body, basis: why }] as const;
    },
  );
  const status = Number.parseInt(came, 10);
  const answer = {
    kind: 'answer',
    status,
    json: given,
    body: Buffer.from(JSON.stringify(given ?? null)),
  };
  const target = new Map<number, unknown>([...outcomes, [last.n, answer]]);
  const deliveries = (made.arrived ?? []).map(({ subscription, body }) => ({
    headers: { lines: [['x-subscription', subscription]] },
    body: Buffer.from(JSON.stringify(body)),
  }));
  const { operation = last.operation, at = 'status', model = due, target: said = came } = made;
  return {
    sequence: { steps },
    difference: {
      ...{ n: last.n, operation, at, model, target: said, basis },
      ...{ modelAnswer: due, targetAnswer: came },
    },
    duel: {
      target: {
        ground: { target: { offers } },
        ...side(target),
        hooks: new Map([[0, { deliveries }]]),
      },
      model: side(new Map(outcomes)),
    },
    ...(made.elsewhere === undefined ? {} : { elsewhere: made.elsewhere }),
  } as unknown as Found;
}

const side = (outcomes: ReadonlyMap<number, unknown>) => ({
  ...{ outcomes, credentials: new Map(), hooks: new Map(), settled: [] },
  broughtBy: (n: number) => outcomes.get(n),
});

// Explores a simulator as a target, deviating or not, and compares it with a model.
import { type ExploreOptions, explore } from '../../../../conformance/explore/explore.ts';
import type { Model } from '../../../../conformance/explore/model.ts';
import type { CallStep, Step, Value } from '../../../../conformance/explore/sequence.ts';
import { defaultSettings, type Settings } from '../../../../fixtures/settings.ts';
import { findDeviation } from '../../../../simulator/deviations/register.ts';
import { simulatorModel, simulatorModels } from '../../../commands/conformance/explore-model.ts';

export interface ExploringOptions extends Partial<Omit<ExploreOptions, 'sequences'>> {
  readonly deviations?: readonly string[];
  /** How the target answers open questions. */
  readonly answers?: Partial<Settings>;
  /** Steps of a single sequence to play instead of drawn sequences. */
  readonly steps?: readonly Step[];
  /** Changes the target before it is explored. */
  readonly bent?: (target: Model) => Partial<Pick<ExploreOptions, 'provider' | 'sender'>>;
}

export async function explored(options: ExploringOptions = {}) {
  const { deviations = [], answers = {}, steps, bent, ...rest } = options;
  const bends = deviations.map((id) => findDeviation(id)!);
  const target = await simulatorModel({ ...defaultSettings, ...answers }, bends);
  try {
    return await explore({
      ...{
        provider: target.provider,
        sender: target.sender,
        models: simulatorModels(defaultSettings),
      },
      ...{ settings: {}, seed: 1, requests: 400, crowd: 8, width: 1, timeoutMs: 10_000 },
      ...{ untilMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
      ...(steps === undefined ? {} : { sequences: [{ steps }] }),
      ...rest,
      ...bent?.(target),
    });
  } finally {
    await target.close();
  }
}

export const createAccount = (
  n: number,
  over: { readonly [name: string]: Value } = {},
): CallStep => ({
  ...{ do: 'call', n, operation: 'createAccount', as: 'firm', key: { $fresh: `k${n}` } },
  body: {
    client_reference_id: { $fresh: `a${n}` },
    email: { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] },
    brand_id: { $role: 'firm', has: 'brand' },
    ...over,
  },
});

/** The account that the first step creates. */
export const account: Value = { $of: 1, at: 'id' };
/** A deposit to the trading account that the second step opens. */
export const deposit = (
  n: number,
  over: { readonly [name: string]: Value } = {},
  key = `t${n}`,
): Step => ({
  ...({ do: 'call', n, operation: 'createTransaction', as: 'firm' } as const),
  ...{ key: { $fresh: key } },
  body: {
    client_reference_id: { $fresh: 'deposit' },
    account_id: account,
    trading_account_id: { $of: 2, at: 'trading_account_id' },
    ...{ currency: 'USD', amount: '25.00', transaction_type: 'Deposit', ...over },
  },
});

/** Decides the transaction that the third step creates. */
export const decide = (n: number, verb: 'approve' | 'reject' | 'cancel'): Step => ({
  ...({ do: 'call', n, operation: `${verb}Transaction`, as: 'firm' } as const),
  ...{ id: { $of: 3, at: 'id' } },
  ...{ query: { account_id: account }, key: { $fresh: `d${n}` } },
  ...(verb === 'approve' ? {} : { body: { reason: 'late' } }),
});

/** A subscription to the events of accounts, at a receiver that accepts everything. */
export const subscribed: readonly Step[] = [
  { do: 'hook', n: 1, answers: [200] },
  {
    ...({ do: 'call', n: 2, operation: 'createWebhook', as: 'firm' } as const),
    body: { url: { $of: 1, at: 'url' }, event_categories: ['account'] },
  },
];

type Wire = Parameters<Model['sender']['send']>[0];
type Answer = Awaited<ReturnType<Model['sender']['send']>>;

/** A target of which this function sends each request, or answers it itself. */
export const sending =
  (send: (wire: Wire, next: Model['sender']['send']) => Promise<Answer>) =>
  ({ sender }: Model) => ({ sender: { ...sender, send: (wire: Wire) => send(wire, sender.send) } });

/** A target with other bodies of answers. */
export const answering = (change: (body: string, wire: Wire) => string) =>
  sending(async (wire, next) => {
    const answer = await next(wire);
    return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString(), wire)) };
  });

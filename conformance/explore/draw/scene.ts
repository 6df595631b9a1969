// What a sequence has made so far, as the model has it: later steps are drawn by it.
import { memberAt } from '../../engine/send/answer.ts';
import type { SeedKind } from '../../providers/target.ts';
import type { CallOutcome, Outcome } from '../play/outcome.ts';
import { type CallStep, callsOf, type Step, type Value } from '../sequence.ts';

export interface DrawnAccount {
  readonly id: Value;
  /** The brand it was made under, as a value for `brand_id`. */
  readonly brand: Value;
  /** The role that made it. */
  readonly as: string;
  readonly reference: Value;
  readonly email: Value;
  readonly phone: Value | undefined;
  /** Steps whose answers carried its tag, the newest last. */
  readonly tags: number[];
}

export interface DrawnPlace {
  readonly account: Value;
  readonly tradingAccount: Value;
  readonly currency: Value;
  readonly provider: boolean;
  /** A profile names it: it outlives the sequence, and what is done there is done for good. */
  readonly isSeed: boolean;
  /** Who can act on it. */
  readonly as: string;
}

export interface DrawnTransaction {
  readonly id: Value;
  readonly place: DrawnPlace;
  readonly reference: Value;
  readonly step: CallStep;
  status: string;
}

export interface DrawnSubscription {
  readonly id: Value;
  readonly as: string;
  readonly hook: number | undefined;
}

export interface DrawnPosition {
  readonly id: Value;
  readonly place: DrawnPlace;
}

export class Scene {
  readonly accounts: DrawnAccount[] = [];
  readonly places: DrawnPlace[] = [];
  /** Of the places those that a profile names. */
  readonly seeds = new Set<SeedKind>();
  readonly transactions: DrawnTransaction[] = [];
  readonly subscriptions: DrawnSubscription[] = [];
  readonly positions: DrawnPosition[] = [];
  readonly hooks: number[] = [];
  readonly minted: string[] = [];
  /** Calls that were made many at a time. */
  many = 0;
  /** Steps that answered a token. */
  readonly tokens: number[] = [];
  /** Every call so far, with its status on the model. */
  readonly calls: { readonly step: CallStep; readonly status: number }[] = [];
  #next = 1;
  readonly #main: string;

  constructor(main: string) {
    this.#main = main;
  }

  /** A label for a new step. */
  label(): number {
    const n = this.#next;
    this.#next += 1;
    return n;
  }

  learn(step: Step, outcomes: readonly Outcome[]): void {
    if (step.do === 'hook') this.hooks.push(step.n);
    if (step.do === 'many') this.many += step.count;
    if (step.do === 'mint') this.minted.push(step.name);
    for (const call of callsOf([step])) {
      const outcome = outcomes.find(({ n }) => n === call.n);
      if (outcome?.kind === 'answer') this.#learnCall(call, outcome);
    }
    if (step.do === 'open') {
      const as = this.accounts.find(({ id }) => id === step.account)?.as ?? this.#main;
      this.#learnPlace(step.n, { account: step.account, provider: step.provider === true, as });
    }
    if (step.do === 'place' && !this.seeds.has(step.kind)) {
      this.seeds.add(step.kind);
      const account = { $of: step.n, at: 'account_id' };
      const provider = step.kind === 'provider_trading_account';
      this.#learnPlace(step.n, { account, provider, as: this.#main, isSeed: true });
    }
  }

  #learnPlace(
    n: number,
    known: Pick<DrawnPlace, 'account' | 'provider' | 'as'> & { readonly isSeed?: true },
  ): void {
    const tradingAccount = { $of: n, at: 'trading_account_id' };
    const currency = { $of: n, at: 'currency' };
    this.places.push({ isSeed: false, ...known, tradingAccount, currency });
  }

  #learnCall(step: CallStep, outcome: CallOutcome): void {
    this.calls.push({ step, status: outcome.status });
    if (outcome.status >= 300) return;
    const replayed = outcome.basis?.idempotency === 'replayed';
    switch (step.operation) {
      case 'createAccount':
        this.#learnAccount(step, outcome);
        break;
      case 'updateAccount':
        this.accounts.find(({ id }) => sameValue(id, step.id))?.tags.push(step.n);
        break;
      case 'bulkCreateAccounts':
        if (!replayed) this.#learnRows(step, outcome);
        break;
      case 'createTransaction':
        if (outcome.status === 201 && !replayed) this.#learnTransaction(step, outcome);
        break;
      case 'approveTransaction':
      case 'rejectTransaction':
      case 'cancelTransaction':
        if (!replayed) this.#learnDecision(step, outcome);
        break;
      default:
        this.#learnOther(step);
    }
  }

  #learnDecision(step: CallStep, outcome: CallOutcome): void {
    const own = this.transactions.find(({ id }) => sameValue(id, step.id));
    if (own !== undefined) own.status = String(memberAt(outcome.json, 'status'));
  }

  #learnOther({ n, operation, as, body }: CallStep): void {
    if (operation === 'issueToken') this.tokens.push(n);
    if (operation === 'createWebhook') {
      const url = (body as { url?: { $of?: number } } | undefined)?.url;
      this.subscriptions.push({ id: { $of: n, at: 'id' }, as, hook: url?.$of });
    }
    if (operation !== 'openPosition') return;
    const named = (body as { trading_account_id?: Value } | undefined)?.trading_account_id;
    const place = this.places.find(({ tradingAccount }) => sameValue(tradingAccount, named));
    if (place !== undefined) this.positions.push({ id: { $of: n, at: 'position_id' }, place });
  }

  #learnAccount(step: CallStep, outcome: CallOutcome): void {
    const body = (step.body ?? {}) as { [name: string]: Value };
    const reference = body.client_reference_id ?? '';
    const known = this.accounts.find((each) => sameValue(each.reference, reference));
    if (known !== undefined) {
      known.tags.push(step.n);
      return;
    }
    if (outcome.status !== 201) return;
    this.accounts.push({
      id: { $of: step.n, at: 'id' },
      brand: body.brand_id ?? { $role: step.as, has: 'brand' },
      as: step.as,
      reference,
      email: body.email ?? '',
      phone: body.phone,
      tags: [step.n],
    });
  }

  /** The first two rows that landed are enough to go on with. */
  #learnRows(step: CallStep, outcome: CallOutcome): void {
    const rows = ((step.body as { accounts?: readonly Value[] }).accounts ?? []) as readonly {
      readonly [name: string]: Value;
    }[];
    let kept = 0;
    for (const [index, row] of rows.entries()) {
      if ('$rows' in row) return;
      if (kept === 2 || memberAt(outcome.json, `rows.${index}.status`) !== 201) continue;
      kept += 1;
      this.accounts.push({
        id: { $of: step.n, at: `rows.${index}.id` },
        brand: row.brand_id ?? { $role: step.as, has: 'brand' },
        as: step.as,
        reference: row.client_reference_id ?? '',
        email: row.email ?? '',
        phone: row.phone,
        tags: [],
      });
    }
  }

  #learnTransaction(step: CallStep, outcome: CallOutcome): void {
    const body = (step.body ?? {}) as { [name: string]: Value };
    const place = this.places.find((each) =>
      sameValue(each.tradingAccount, body.trading_account_id),
    );
    if (place === undefined) return;
    this.transactions.push({
      id: { $of: step.n, at: 'id' },
      place,
      reference: body.client_reference_id ?? '',
      step,
      status: String(memberAt(outcome.json, 'status')),
    });
  }
}

export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

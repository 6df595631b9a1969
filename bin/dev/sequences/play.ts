// Plays one sequence on both platforms, and stops at the first step that they answer differently.

import type { DefectId } from '../../e2e/testing/second-mind/defects.ts';
import { SecondMind } from '../../e2e/testing/second-mind/mind.ts';
import type { JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Actor } from './actors.ts';
import { type Cast, castOf } from './cast.ts';
import { Comparison, type Difference } from './compare.ts';
import { Known, type Pair } from './known.ts';
import {
  HOOKS,
  mindSide,
  personOf,
  pick,
  type Seen,
  type Sent,
  type Side,
  type Simulator,
  withoutNumbers,
} from './sides.ts';
import { States } from './state.ts';
import type { Money, Operated, Step } from './steps.ts';

export async function play(
  simulator: Simulator,
  sequence: readonly Step[],
  defects: readonly DefectId[] = [],
): Promise<Difference | null> {
  const one = await simulator.side();
  const clock = await one.control('GET', 'clock');
  const two = mindSide(new SecondMind({ frozenAtMs: Number(clock.now_ms), defects }));
  try {
    for (const side of [one, two]) {
      await side.control('PUT', 'forwards', { from: HOOKS, to: simulator.receiverUrl });
    }
    return await new Play(one, two).run(sequence);
  } finally {
    await one.close();
    await two.close();
  }
}

class Play {
  readonly #sides: readonly [Side, Side];
  readonly #compare = new Comparison();
  readonly #known = new Known();
  readonly #states: States;
  #casts: readonly [Cast, Cast] | undefined;
  #freshKeys = 0;

  constructor(one: Side, two: Side) {
    this.#sides = [one, two];
    this.#states = new States(this.#sides, this.#known);
  }

  async run(sequence: readonly Step[]): Promise<Difference | null> {
    const [one, two] = this.#sides;
    this.#casts = [await castOf(one), await castOf(two)];
    await this.#states.begin();
    for (const cast of [this.#casts]) {
      const ids = { simulator: cast[0].accountId, mind: cast[1].accountId };
      const place = { simulator: cast[0].placeId, mind: cast[1].placeId };
      this.#compare.inBodies('.id', ids.simulator, ids.mind);
      this.#compare.inBodies('.id', place.simulator, place.mind);
      this.#known.accounts.push({ ids, tags: ['"1"'] });
      this.#known.places.push({ ids: place, account: ids, currency: 'USD' });
    }
    for (const [at, step] of sequence.entries()) {
      const words = await this.#step(step);
      if (words !== null) return { at, step, words };
      const state = at % 25 === 24 ? await this.#states.difference() : null;
      if (state !== null) return { at, step, words: `state: ${state}` };
    }
    const words = await this.#states.difference();
    const last = sequence.length - 1;
    return words === null ? null : { at: last, step: sequence[last]!, words: `state: ${words}` };
  }

  async #step(step: Step): Promise<string | null> {
    switch (step.kind) {
      case 'create':
        return this.#call(step, 'POST', '/accounts', () => personOf(step.person));
      case 'bulk': {
        const accounts = step.people.map(personOf);
        return this.#call(step, 'POST', '/accounts/bulk', () => ({ accounts }));
      }
      case 'update':
        return this.#update(step);
      case 'money':
        return this.#money(step, step.money);
      case 'transition':
        return this.#transition(step);
      case 'open':
        return this.#open(step);
      case 'close':
        return this.#close(step);
      case 'status':
        return this.#status(step);
      case 'hook':
        return this.#hook(step);
      case 'hook-change':
        return this.#changeHook(step);
      default:
        return this.#operate(step);
    }
  }

  /** What an operator does, and time. */
  async #operate(step: Step & { kind: Operated }): Promise<string | null> {
    if (step.kind === 'fault' || step.kind === 'permit') return this.#arrange(step);
    if (step.kind === 'wait') {
      for (const side of this.#sides)
        await side.control('POST', 'clock/advance', { by_ms: step.ms });
      return null;
    }
    if (step.kind === 'settle') {
      const found = pick(this.#known.transactions, step.transaction);
      if (found === undefined) return null;
      const status = (side: Side, id: string) =>
        side.control('POST', `transactions/${id}/settle`, {}).catch(() => ({ refused: true }));
      await status(this.#sides[0], found.ids.simulator);
      await status(this.#sides[1], found.ids.mind);
      return null;
    }
    const account = pick(this.#known.accounts, step.account);
    if (account === undefined) return null;
    const body = { currency: step.currency, provider_payouts: step.provider };
    const open = async (side: Side, id: string) =>
      String((await side.control('POST', `accounts/${id}/trading-accounts`, body)).id);
    const ids = {
      simulator: await open(this.#sides[0], account.ids.simulator),
      mind: await open(this.#sides[1], account.ids.mind),
    };
    this.#known.places.push({ ids, account: account.ids, currency: step.currency });
    return this.#compare.inBodies('.id', ids.simulator, ids.mind);
  }

  async #arrange(step: Step & { kind: 'fault' | 'permit' }): Promise<null> {
    const { operation } = step;
    for (const side of this.#sides) {
      if (step.kind === 'permit') {
        await side.control('PATCH', 'firms/1', { permissions: { [operation]: step.allowed } });
        continue;
      }
      const effect = { kind: 'status', status: step.status };
      const { phase } = step;
      await side.control('POST', 'faults', { match: { operation }, phase, effect, times: 1 });
    }
    return null;
  }

  #update(step: Step & { kind: 'update' }): Promise<string | null> {
    const account = pick(this.#known.accounts, step.account);
    if (account === undefined) return Promise.resolve(null);
    const now = account.tags.at(-1)!;
    const tags: Record<string, string | null> = {
      now,
      before: account.tags.at(-2) ?? '"0"',
      first: account.tags[0]!,
      bare: now.replace(/"/g, ''),
      weak: `W/${now}`,
      none: null,
      star: '*',
      other: '"abc"',
    };
    const tag = tags[step.tag] ?? null;
    const headers: Record<string, string> = tag === null ? {} : { 'if-match': tag };
    const path = (of: keyof Pair) => `/accounts/${account.ids[of]}`;
    return this.#call(step, 'PATCH', path, () => ({ ...step.fields }), headers);
  }

  #money(step: Step & { kind: 'money' }, money: Money): Promise<string | null> {
    const place = pick(this.#known.places, money.place);
    if (place === undefined) return Promise.resolve(null);
    const other = money.account === null ? undefined : pick(this.#known.accounts, money.account);
    const account = other?.ids ?? place.account;
    return this.#call(step, 'POST', '/transactions', (of) => ({
      client_reference_id: money.reference,
      account_id: account[of],
      trading_account_id: place.ids[of],
      currency: money.currency,
      amount: money.amount,
      ...(money.method === null ? {} : { method: money.method }),
      transaction_type: money.type,
    }));
  }

  #transition(step: Step & { kind: 'transition' }): Promise<string | null> {
    const found = pick(this.#known.transactions, step.transaction);
    if (found === undefined) return Promise.resolve(null);
    const other = step.of < 0 ? undefined : pick(this.#known.accounts, step.of);
    const account = other?.ids ?? found.account;
    const path = (of: keyof Pair) =>
      `/transactions/${found.ids[of]}/${step.verb}?account_id=${account[of]}`;
    const body = step.verb === 'approve' ? undefined : () => ({ reason: step.reason });
    return this.#call(step, 'POST', path, body);
  }

  #open(step: Step & { kind: 'open' }): Promise<string | null> {
    const place = pick(this.#known.places, step.place);
    if (place === undefined) return Promise.resolve(null);
    return this.#call(step, 'POST', '/positions/open', (of) => ({
      trading_account_id: place.ids[of],
      instrument: 'EURUSD',
      side: step.side,
      volume: step.volume,
    }));
  }

  #close(step: Step & { kind: 'close' }): Promise<string | null> {
    const found = pick(this.#known.positions, step.position);
    if (found === undefined) return Promise.resolve(null);
    const other = step.place === null ? undefined : pick(this.#known.places, step.place);
    const place = other?.ids ?? found.place;
    return this.#call(step, 'POST', '/positions/close', (of) => ({
      trading_account_id: place[of],
      position_id: found.ids[of],
    }));
  }

  async #status(step: Step & { kind: 'status' }): Promise<string | null> {
    const account = pick(this.#known.accounts, step.account);
    if (account === undefined) return null;
    const [one, two] = await this.#both(
      step.as,
      'GET',
      (of) => `/accounts/${account.ids[of]}/status`,
    );
    const found = this.#compare.difference(withoutNumbers(one), withoutNumbers(two));
    return found;
  }

  async #hook({ as, categories }: Step & { kind: 'hook' }): Promise<string | null> {
    const body = { url: `${HOOKS}/events`, event_categories: [...categories] };
    const [one, two] = await this.#both(
      as,
      'POST',
      () => '/webhooks',
      {},
      () => body,
    );
    const words = this.#compare.difference(one, two);
    if (words === null) this.#known.learn(one, two);
    return words;
  }

  async #changeHook({ as, verb, hook }: Step & { kind: 'hook-change' }): Promise<string | null> {
    const ids = pick(this.#known.hooks, hook);
    if (ids === undefined) return null;
    const path = (of: keyof Pair) => `/webhooks/${ids[of]}`;
    const ways = { rotate: 'rotate-secret', disable: 'disable' } as const;
    const [one, two] =
      verb === 'read'
        ? await this.#both(as, 'GET', path)
        : await this.#both(as, 'POST', (of) => `${path(of)}/${ways[verb]}`);
    return this.#compare.difference(one, two);
  }

  #both(
    as: Actor,
    method: string,
    path: (of: keyof Pair) => string,
    headers: Readonly<Record<string, string>> = {},
    body?: (of: keyof Pair) => JsonObject,
  ): Promise<[Seen, Seen]> {
    const sentBy = (of: keyof Pair, cast: Cast): Sent => ({
      method,
      path: `/api/v1${path(of)}`,
      headers: {
        authorization: `Bearer ${cast.tokens[as]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body(of) }),
    });
    const [one, two] = this.#casts!;
    return Promise.all([
      this.#sides[0].send(sentBy('simulator', one)),
      this.#sides[1].send(sentBy('mind', two)),
    ]);
  }

  async #call(
    step: { readonly as: Actor; readonly key: number | null },
    method: string,
    path: string | ((of: keyof Pair) => string),
    body?: (of: keyof Pair) => JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | null> {
    this.#freshKeys += 1;
    const key = step.key === null ? `fresh-${this.#freshKeys}` : `key-${step.key}`;
    const at = typeof path === 'string' ? () => path : path;
    const all = { ...headers, 'idempotency-key': key };
    const [one, two] = await this.#both(step.as, method, at, all, body);
    const words = this.#compare.difference(one, two);
    if (words === null) this.#known.learn(one, two);
    return words;
  }
}

// Setup: the records a scenario starts from. Sent again where the specification allows it, else the
// scenario is blocked.

import type { Place, SeedKind } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { CATEGORIES } from '../../spec/literals.ts';
import { CAPABILITIES, type Role } from '../capabilities.ts';
import { Blocked, MissingCapability } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { RequestBody } from '../send/client.ts';
import type { ScenarioContext } from './scenario-context.ts';

export interface GivenAccount {
  readonly id: string;
  readonly reference: string;
  readonly email: string;
  /** The tag as the header had it, quotes included. */
  readonly etag: string;
  readonly body: RequestBody;
  readonly answer: Answer;
}

export interface GivenTransaction extends Place {
  readonly id: string;
  readonly reference: string;
  readonly body: RequestBody;
  readonly answer: Answer;
}

export interface GivenWebhook {
  /** As text, however it is written. */
  readonly id: string;
  readonly secret: string;
  readonly url: string;
  readonly answer: Answer;
}

export class ScenarioSetup {
  readonly #t: ScenarioContext;

  constructor(context: ScenarioContext) {
    this.#t = context;
  }

  /**
   * One setup call, under one key even if it is sent again; blocked unless it succeeds. Which 2xx
   * status it has is for the rules of the operation to judge.
   */
  async #made(words: string, send: () => Promise<Answer>): Promise<Answer> {
    const answer = await this.#t.sendUntilAnswered(words, send);
    if (answer.status >= 300) {
      const detail = answer.at('detail');
      const why = typeof detail === 'string' ? `: ${detail}` : '';
      throw new Blocked(`setup failed: ${words}: ${answer.summary}${why}`);
    }
    this.#t.findings.controlled = true;
    return answer;
  }

  /** A new account. It counts as a control for other creates of accounts. */
  async account(over: RequestBody = {}, role: Role = this.#t.mainRole): Promise<GivenAccount> {
    const body = this.#t.newAccount(over, role);
    const key = this.#t.fresh.key();
    const send = () => this.#t.as(role).createAccount(body, { key });
    const answer = await this.#made('an account to start from', send);
    return {
      id: this.#t.pick(answer, 'id'),
      reference: String(body.client_reference_id),
      email: String(body.email),
      etag: answer.headers.get('etag') ?? '',
      body,
      answer,
    };
  }

  /**
   * What the account reads now. The API has no read of one account; a create under a new key whose
   * reference names it answers 200 with it (ACC-5).
   */
  async reread(
    account: { body: RequestBody; id?: string },
    role: Role = this.#t.mainRole,
  ): Promise<Answer> {
    const key = this.#t.fresh.key();
    // No more than is required, so that a service which wrongly takes changes from it finds none.
    const { client_reference_id, email, brand_id } = account.body;
    const body: RequestBody = { client_reference_id, email, brand_id };
    return this.#read('an account', account.id, () =>
      this.#t.as(role).createAccount(body, { key }),
    );
  }

  /** What the transaction reads now: a create under a new key whose reference names it (TXN-2). */
  async rereadTransaction(
    { body, id }: { body: RequestBody; id?: string },
    role: Role = this.#t.mainRole,
  ): Promise<Answer> {
    const key = this.#t.fresh.key();
    return this.#read('a transaction', id, () => this.#t.as(role).createTransaction(body, { key }));
  }

  /** A record that is answered 201 again can still be read; a different record cannot. */
  async #read(what: string, id: string | undefined, send: () => Promise<Answer>): Promise<Answer> {
    const read = await this.#made(`reading ${what} by its reference`, send);
    if (read.status === 200 || id === undefined || read.idAt('id') === id) return read;
    throw new Blocked(`a known reference made another record: ${read.summary}`);
  }

  /** An account with a trading account: a new one where they can be opened, else the profile's. */
  place(): Promise<Place> {
    return this.#placeLike('trading_account');
  }

  /** A place of another account than `place()` gives. */
  otherPlace(): Promise<Place> {
    return this.#placeLike('second_trading_account');
  }

  /** A trading account that pays out through a provider. */
  providerPlace(): Promise<Place> {
    return this.#placeLike('provider_trading_account');
  }

  async #placeLike(kind: SeedKind): Promise<Place> {
    if (!this.#t.has('fresh_trading_account')) return this.#t.target.seed(kind);
    return this.freshPlace(this.#t.mainRole, kind === 'provider_trading_account');
  }

  /**
   * A new account that nothing was ever paid into, with a trading account. Needs
   * `fresh_trading_account`.
   */
  async freshPlace(role: Role = this.#t.mainRole, provider = false): Promise<Place> {
    const account = await this.account({}, role);
    return this.#t.operator.openTradingAccount(account.id, provider ? { provider } : {});
  }

  /** A pending transaction: a deposit of 25.00 unless `over` says otherwise. */
  async transaction(
    place: Place,
    over: RequestBody = {},
    role: Role = this.#t.mainRole,
  ): Promise<GivenTransaction> {
    const body = this.#t.newTransaction(place, over);
    const key = this.#t.fresh.key();
    const send = () => this.#t.as(role).createTransaction(body, { key });
    const answer = await this.#made('a transaction to start from', send);
    const status = answer.at('status');
    // TXN-1 is judged elsewhere; a transaction in another state is no starting point.
    if (typeof status === 'string' && status !== 'pending') {
      throw new Blocked(`setup failed: a new transaction is ${status} (TXN-1)`);
    }
    const reference = String(body.client_reference_id);
    return { ...place, id: this.#t.pick(answer, 'id'), reference, body, answer };
  }

  approved(place: Place, over: RequestBody = {}): Promise<GivenTransaction> {
    return this.#decided('approve', place, over);
  }

  rejected(place: Place, reason = 'not this time'): Promise<GivenTransaction> {
    return this.#decided('reject', place, {}, reason);
  }

  cancelled(place: Place, reason = 'changed their mind'): Promise<GivenTransaction> {
    return this.#decided('cancel', place, {}, reason);
  }

  async #decided(
    verb: 'approve' | 'reject' | 'cancel',
    place: Place,
    over: RequestBody,
    reason = '',
  ): Promise<GivenTransaction> {
    const made = await this.transaction(place, over);
    const { api } = this.#t;
    const key = this.#t.fresh.key();
    const send = () =>
      verb === 'approve'
        ? api.approveTransaction(made.id, place.account_id, { key })
        : api[`${verb}Transaction`](made.id, place.account_id, { reason }, { key });
    return { ...made, answer: await this.#made(`a transaction to ${verb}`, send) };
  }

  /** An approved transaction that the operator has settled. Needs `settle`. */
  async settled(place: Place, over: RequestBody = {}): Promise<GivenTransaction> {
    const made = await this.approved(place, over);
    await this.#t.operator.settle(made.id);
    return made;
  }

  /**
   * Some settled transaction: one of its own, or the next of the profile's. Needs
   * `settled_transaction`.
   */
  async someSettled(): Promise<{ id: string; account_id: string }> {
    if (this.#t.has('settle') && this.#t.has('fresh_trading_account')) {
      return this.settled(await this.place());
    }
    return this.#t.target.settledTransaction();
  }

  /**
   * A url that can be subscribed with: one of our own receiver, or the profile's public_url, where
   * nothing has to listen. Never one of another host: events of the target would go there.
   */
  async subscribable(): Promise<string> {
    if (this.#t.has('receiver')) return (await this.#t.target.receiver()).url;
    const { ownUrl } = this.#t.target;
    if (ownUrl !== undefined) return ownUrl;
    throw new MissingCapability('public_url', `add ${CAPABILITIES.public_url.add}`);
  }

  /** A subscription, disabled again when the scenario ends; by default to a subscribable URL. */
  async webhook(
    to?: WebhookEndpoint | string,
    categories: readonly string[] = CATEGORIES,
    role: Role = this.#t.mainRole,
  ): Promise<GivenWebhook> {
    const url = typeof to === 'object' ? to.url : (to ?? (await this.subscribable()));
    const body: RequestBody = { url, event_categories: [...categories] };
    const send = () => this.#t.as(role).createWebhook(body);
    const answer = await this.#made('a webhook subscription', send);
    const id = this.#t.pick(answer, 'id');
    return { id, secret: this.#t.pick(answer, 'secret'), url, answer };
  }
}

// Setup: the records a scenario starts from. Sent again where the specification allows it, else the
// scenario is blocked.

import type { Place } from '../../providers/target.ts';
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
    const send = () => this.#t.as(role).createAccount(body, { key });
    const read = await this.#made('reading an account by its reference', send);
    return this.#known(read, account.id);
  }

  /** An account with a trading account: a new one where they can be opened, else the profile's. */
  async place(): Promise<Place> {
    if (this.#t.has('fresh_trading_account')) return this.freshPlace();
    return this.#t.target.seed('trading_account');
  }

  /**
   * A new account that nothing was ever paid into, with a trading account. Needs
   * `fresh_trading_account`.
   */
  async freshPlace(role: Role = this.#t.mainRole): Promise<Place> {
    const account = await this.account({}, role);
    return this.#t.operator.openTradingAccount(account.id);
  }

  /** A place of another account than `place()` gives. */
  async otherPlace(): Promise<Place> {
    if (this.#t.has('fresh_trading_account')) return this.freshPlace();
    return this.#t.target.seed('second_trading_account');
  }

  /** A trading account that pays out through a provider. */
  async providerPlace(): Promise<Place> {
    if (!this.#t.has('fresh_trading_account')) {
      return this.#t.target.seed('provider_trading_account');
    }
    const account = await this.account();
    return this.#t.operator.openTradingAccount(account.id, { provider: true });
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

  /** What the transaction reads now: a create under a new key whose reference names it (TXN-2). */
  async rereadTransaction(
    transaction: { body: RequestBody; id?: string },
    role: Role = this.#t.mainRole,
  ): Promise<Answer> {
    const key = this.#t.fresh.key();
    const send = () => this.#t.as(role).createTransaction(transaction.body, { key });
    const read = await this.#made('reading a transaction by its reference', send);
    return this.#known(read, transaction.id);
  }

  /** A record that is answered 201 again can still be read; a different record cannot. */
  #known(read: Answer, id = read.idAt('id')): Answer {
    if (read.status === 200 || read.idAt('id') === id) return read;
    throw new Blocked(`a known reference made another record: ${read.summary}`);
  }

  approved(place: Place, over: RequestBody = {}): Promise<GivenTransaction> {
    const approve = ({ id, account_id }: GivenTransaction, key: string) =>
      this.#t.api.approveTransaction(id, account_id, { key });
    return this.#decided('an approved transaction', place, over, approve);
  }

  rejected(place: Place, reason = 'not this time'): Promise<GivenTransaction> {
    const reject = ({ id, account_id }: GivenTransaction, key: string) =>
      this.#t.api.rejectTransaction(id, account_id, { reason }, { key });
    return this.#decided('a rejected transaction', place, {}, reject);
  }

  cancelled(place: Place, reason = 'changed their mind'): Promise<GivenTransaction> {
    const cancel = ({ id, account_id }: GivenTransaction, key: string) =>
      this.#t.api.cancelTransaction(id, account_id, { reason }, { key });
    return this.#decided('a cancelled transaction', place, {}, cancel);
  }

  async #decided(
    words: string,
    place: Place,
    over: RequestBody,
    decide: (made: GivenTransaction, key: string) => Promise<Answer>,
  ): Promise<GivenTransaction> {
    const made = await this.transaction(place, over);
    const key = this.#t.fresh.key();
    return { ...made, answer: await this.#made(words, () => decide(made, key)) };
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

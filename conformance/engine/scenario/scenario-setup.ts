// Setup: the records a scenario starts from. Requests are repeated if the specification allows it;
// otherwise the scenario is blocked.

import type { Place, SeedKind } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { CATEGORIES } from '../../spec/literals.ts';
import type { OperationName } from '../../spec/operations.ts';
import { CAPABILITIES, type Role } from '../capabilities.ts';
import { Blocked, MissingCapability } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { Call, RequestBody } from '../send/call.ts';
import type { ScenarioContext } from './scenario-context.ts';

export interface GivenAccount {
  readonly id: string;
  readonly reference: string;
  readonly email: string;
  /** The tag as in the header, including the quotes. */
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
  /** As text, even if it is a JSON number. */
  readonly id: string;
  readonly secret: string;
  readonly url: string;
  readonly answer: Answer;
}

type Known = { readonly body: RequestBody; readonly id?: string };

export class ScenarioSetup {
  readonly #t: ScenarioContext;

  constructor(context: ScenarioContext) {
    this.#t = context;
  }

  /** A new account. It counts as a control for other creates of accounts. */
  async account(over: RequestBody = {}, role: Role = this.#t.mainRole): Promise<GivenAccount> {
    const body = this.#t.newAccount(over, role);
    const answer = await this.#t.control('createAccount', { as: role, body });
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
   * The current state of the account. The API cannot read a single account, but a create with a new
   * key and a known reference answers 200 with it (ACC-5).
   */
  reread({ body: sent, id }: Known, role: Role = this.#t.mainRole): Promise<Answer> {
    // Only required members, so that a service that wrongly applies them finds no changes.
    const { client_reference_id, email, brand_id } = sent;
    const body = { client_reference_id, email, brand_id };
    return this.#read('createAccount', { as: role, body }, id);
  }

  /** The current state of the transaction: a create under a new key with its reference (TXN-2). */
  rereadTransaction({ body, id }: Known, role: Role = this.#t.mainRole): Promise<Answer> {
    return this.#read('createTransaction', { as: role, body }, id);
  }

  /** A 201 with the same record is accepted as a read; a different record is not. */
  async #read(operation: OperationName, call: Call, id: string | undefined): Promise<Answer> {
    const read = await this.#t.control(operation, call);
    if (read.status === 200 || id === undefined || read.idAt('id') === id) return read;
    throw new Blocked(`a known reference made another record: ${read.summary}`);
  }

  /**
   * An account with a trading account: a new one if they can be opened, otherwise the profile's. That of
   * `second_trading_account` is another one, and `provider_trading_account` pays out through a provider.
   */
  async place(kind: SeedKind = 'trading_account'): Promise<Place> {
    if (!this.#t.has('fresh_trading_account')) return this.#t.target.seed(kind);
    return this.freshPlace(kind === 'provider_trading_account' ? { provider: true } : {});
  }

  /**
   * A new account that has never received a payment, with a trading account. Needs
   * `fresh_trading_account`.
   */
  async freshPlace(options: { readonly provider?: boolean } = {}): Promise<Place> {
    const { id } = await this.account();
    return this.#t.operator.openTradingAccount(id, options);
  }

  /** A pending transaction: a deposit of 25.00, overridden by `over`. */
  async transaction(
    place: Place,
    over: RequestBody = {},
    role: Role = this.#t.mainRole,
  ): Promise<GivenTransaction> {
    const body = this.#t.newTransaction(place, over);
    const answer = await this.#t.control('createTransaction', { as: role, body });
    const status = answer.at('status');
    // TXN-1 is judged elsewhere; a transaction in another state cannot be used here.
    if (typeof status === 'string' && status !== 'pending') {
      throw new Blocked(`setup failed: a new transaction is ${status}`, undefined, ['TXN-1']);
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
    const transaction = await this.transaction(place, over);
    const { id, account_id } = transaction;
    const body = verb === 'approve' ? undefined : { reason };
    const answer = await this.#t.control(`${verb}Transaction`, { id, account_id, body });
    return { ...transaction, answer };
  }

  /** An approved transaction that the operator has settled. Needs `settle`. */
  async settled(place: Place, over: RequestBody = {}): Promise<GivenTransaction> {
    const transaction = await this.approved(place, over);
    await this.#t.operator.settle(transaction.id);
    return transaction;
  }

  /**
   * A settled transaction: a new one if the operator can settle, otherwise the profile's next one. Needs
   * `settled_transaction`.
   */
  async someSettled(): Promise<{ id: string; account_id: string }> {
    if (this.#t.has('settle') && this.#t.has('fresh_trading_account')) {
      return this.settled(await this.place());
    }
    return this.#t.target.settledTransaction();
  }

  /**
   * A URL to subscribe with: one of our own receiver, or the profile's public_url, where nothing
   * needs to listen. Never another host, because the target would send events there.
   */
  async subscribable(): Promise<string> {
    if (this.#t.has('receiver')) return (await this.#t.target.receiver()).url;
    const { ownUrl } = this.#t.target;
    if (ownUrl !== undefined) return ownUrl;
    throw new MissingCapability('public_url', `add ${CAPABILITIES.public_url.add}`);
  }

  /** A subscription, disabled when the scenario ends; by default to a subscribable URL. */
  async webhook(
    to?: WebhookEndpoint | string,
    categories: readonly string[] = CATEGORIES,
    role: Role = this.#t.mainRole,
  ): Promise<GivenWebhook> {
    const url = typeof to === 'object' ? to.url : (to ?? (await this.subscribable()));
    const body: RequestBody = { url, event_categories: [...categories] };
    const answer = await this.#t.control('createWebhook', { as: role, body });
    const id = this.#t.pick(answer, 'id');
    const pickSecret = () => this.#t.pick(answer, 'secret');
    return {
      ...{ id, url, answer },
      /** Blocks only the scenarios that verify signatures if the answer has none. */
      get secret() {
        return pickSecret();
      },
    };
  }
}

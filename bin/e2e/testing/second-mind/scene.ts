// A second mind without a socket, for tests that show what one of its defects does: calls with a
// key of their own, calls at once, time that moves when told, and deliveries answered by hand.
import type { DefectId } from './defects.ts';
import { beginAttempt, endAttempt, readyDeliveries } from './deliveries.ts';
import { SecondMind } from './mind.ts';
import { newToken } from './operations/tokens.ts';
import type { Outcome } from './pipeline.ts';
import { addServer } from './server/control.ts';
import { SCOPES } from './server/profile.ts';
import { isObject, type Json, type JsonObject } from './values/json.ts';
import type { Answer, Call, TradingAccount } from './values/records.ts';
import type { Style } from './values/style.ts';
import { plain } from './values/style-plain.ts';

const NOON = Date.UTC(2026, 0, 5, 12);

export interface Asked {
  readonly key?: string;
  readonly tag?: string;
  readonly token?: string;
}

export interface Seen {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: string;
}

export class Scene {
  readonly mind: SecondMind;
  readonly #token: string;
  #count = 0;

  constructor(defects: readonly DefectId[], style: Style = plain) {
    this.mind = new SecondMind({ style, defects, frozenAtMs: NOON });
    this.#token = this.token('firm', SCOPES);
  }

  /** Of a new credential. */
  token(name: string, scopes: readonly string[], brandId?: string): string {
    const brand = brandId === undefined ? {} : { brand_id: brandId };
    const wanted = { name, scopes: [...scopes], rate_per_second: 1000, ...brand };
    const made = addServer(this.mind, wanted);
    this.mind.firms[0]!.ratePerSecond = 1000;
    return newToken(this.mind, made.clientId, null);
  }

  tokenOfSame(): string {
    return newToken(this.mind, this.mind.credentials[0]!.clientId, null);
  }

  tokenOfAccount(accountId: string, mintedBy?: string): string {
    const scopes = ['trader:funds'];
    const minted = mintedBy === undefined ? {} : { minted_by: mintedBy };
    const wanted = { kind: 'delegated', account_id: accountId, scopes, ...minted };
    const made = addServer(this.mind, wanted);
    return newToken(this.mind, made.clientId, null);
  }

  send(path: string, body?: Json, asked: Asked = {}): Seen {
    return this.#seen(this.#outcome(path, body, asked));
  }

  /** All have begun before the first goes on; they end in the order in which they are given. */
  sendTogether(...calls: readonly Parameters<Scene['send']>[]): Seen[] {
    const outcomes = calls.map(([path, body, asked = {}]) => this.#outcome(path, body, asked));
    return outcomes.map((each) => this.#seen(each));
  }

  create(wanted: JsonObject = {}, asked: Asked = {}): Seen {
    this.#count += 1;
    const name = `person-${this.#count}`;
    const person = { client_reference_id: name, email: `${name}@example.com`, brand_id: '10' };
    return this.send('POST /accounts', { ...person, ...wanted }, asked);
  }

  place(account: Seen, provider = false): TradingAccount {
    const accountId = String(account.body.id);
    const own = { currency: 'USD', providerPayouts: provider, entries: [] };
    const made: TradingAccount = { id: this.mind.nextId(), accountId, ...own };
    this.mind.tradingAccounts.push(made);
    return made;
  }

  transact(place: TradingAccount, wanted: JsonObject = {}, token?: string): Seen {
    this.#count += 1;
    const asked = token === undefined ? {} : { token };
    const body = {
      client_reference_id: `money-${this.#count}`,
      account_id: place.accountId,
      trading_account_id: place.id,
      currency: 'USD',
      amount: '100.50',
      transaction_type: 'Deposit',
      ...wanted,
    };
    return this.send('POST /transactions', body, asked);
  }

  decide(verb: string, transaction: Seen, reason = 'by hand'): Seen {
    return this.send(...this.decision(verb, transaction, reason));
  }

  decision(verb: string, { body }: Seen, reason = 'by hand'): [string, Json | undefined] {
    const path = `POST /transactions/${body.id}/${verb}?account_id=${body.account_id}`;
    return [path, verb === 'approve' ? undefined : { reason }];
  }

  subscribe(): Seen {
    const url = 'https://93.184.216.34/events';
    return this.send('POST /webhooks', { url, event_categories: ['account'] });
  }

  pass(ms: number): void {
    this.mind.moveTo(this.mind.now() + ms);
  }

  /** Sends what is due, and says what was sent: each is answered with this status. */
  deliver(status: number): readonly { at: number; headers: Json; body: string }[] {
    return readyDeliveries(this.mind).flatMap((delivery) => {
      const sending = beginAttempt(this.mind, delivery);
      if (sending === null) return [];
      endAttempt(this.mind, sending, status, null);
      return [{ at: this.mind.now() - NOON, headers: sending.headers, body: sending.body }];
    });
  }

  /** One delivery is taken when something else has happened on its way. */
  deliverMeanwhile(act: () => unknown): void {
    const [delivery] = readyDeliveries(this.mind);
    const sending = delivery === undefined ? null : beginAttempt(this.mind, delivery);
    act();
    if (sending !== null) endAttempt(this.mind, sending, 200, null);
  }

  #outcome(path: string, body: Json | undefined, { key, tag, token }: Asked): Outcome {
    const [method = '', target = ''] = path.split(' ');
    this.#count += 1;
    const headers: [string, string][] = [['authorization', `Bearer ${token ?? this.#token}`]];
    if (key !== '') headers.push(['idempotency-key', key ?? `key-${this.#count}`]);
    if (tag !== undefined) headers.push(['if-match', tag]);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const call: Call = { method, target: `/api/v1${target}`, headers, body: bytes };
    return this.mind.handle(call);
  }

  #seen(outcome: Outcome): Seen {
    let now = outcome;
    while (now.kind === 'paused' || now.kind === 'held') now = now.resume();
    if (now.kind === 'lost') throw new Error('the answer was lost');
    return seen(now.answer);
  }
}

function seen({ status, headers, body }: Answer): Seen {
  const read: Json = /^[{[]/.test(body) ? (JSON.parse(body) as Json) : {};
  return {
    status,
    body: isObject(read) ? read : {},
    headers: Object.fromEntries(headers),
    bytes: body,
  };
}

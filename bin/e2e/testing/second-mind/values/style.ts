// One choice for each question that the specification leaves open. Two styles of the same platform
// differ in these and in nothing else.
import type { Json, JsonObject } from './json.ts';
import type { EventRecord, Position, Subscription } from './records.ts';

export type Step = 'key' | 'token' | 'rate';

export interface OrderTerms {
  readonly instrument: string;
  readonly side: string;
  readonly volume: string;
}

export interface Order extends OrderTerms {
  readonly id: string;
  readonly tradingAccountId: string;
  readonly positionId: string;
  readonly createdAtMs: number;
}

export interface Style {
  readonly name: string;
  /** NS-1 */
  readonly position: {
    readonly instrument: string;
    readonly side: string;
    readonly volume: string;
    readonly positionId: string;
    readonly sides: readonly string[];
    readonly openStatus: number;
    readonly answer: (order: Order, position: Position) => JsonObject;
  };
  /** NS-2 */
  readonly reads: {
    readonly accounts: string;
    readonly transactions: string;
    readonly status: string;
    readonly rows: 'named' | 'items';
  };
  /** NS-3: null settles only when told. */
  readonly settlesAfterMs: number | null;
  /** Money moves when a transaction is approved, or only when it has settled. */
  readonly creditsAt: 'approved' | 'settled';
  /** NS-4 */
  readonly cancelApproved: boolean;
  readonly approveSettled: boolean;
  /** NS-6 */
  readonly batchRefusal: { readonly missing: 'problem' | 'text'; readonly brand: number };
  /** NS-33 */
  readonly rowWithoutBrand: 'row' | 'batch';
  readonly rowWithoutEmail: 'row' | 'unreadable';
  /** NS-7 */
  readonly list: 'wrapped' | 'bare';
  readonly disableStatus: number;
  readonly createHookStatus: number;
  readonly rotateAnswer: (whole: JsonObject, subscription: Subscription) => JsonObject;
  /** NS-8, NS-50, NS-51 */
  readonly token: {
    readonly forms: readonly ('form' | 'json' | 'basic')[];
    readonly name: string;
    readonly seconds: number;
    readonly status: number;
    readonly refusal: 'oauth' | 'problem';
    readonly limit: string;
  };
  /** NS-9, NS-11 */
  readonly envelope: (event: EventRecord) => JsonObject;
  readonly kindOf: (kind: string) => string;
  /** NS-10 */
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  /** Deliveries are signed with the wall's time or with the platform's own. */
  readonly signsWith: 'wall' | 'clock';
  /** NS-12 */
  readonly channelPath: string;
  readonly channelMessage: (envelope: JsonObject) => Json;
  /** NS-13 */
  readonly entry: (field: string, message: string) => Json;
  readonly docsUrl: string;
  readonly requestId: (n: number, mark: string) => string;
  /** NS-14 */
  readonly unreadable: { readonly syntax: number; readonly shape: number; readonly type: number };
  /** NS-16 */
  readonly unauthorized: 'problem' | 'json';
  /** NS-17 */
  readonly order: readonly Step[];
  readonly scopeBeforeReplay: boolean;
  readonly tagFormBeforeReach: boolean;
  /** A brand that is not one of the firm's, named by a firm-wide credential. */
  readonly unknownBrand: 403 | 404;
  /** NS-18 */
  readonly missingTag: number;
  /** NS-19 */
  readonly noChangeBeforeTag: boolean;
  /** NS-20 */
  readonly referencesPer: 'brand' | 'reach';
  readonly emailsByCase: boolean;
  /** NS-22 */
  readonly rotationMs: number;
  /** NS-23 */
  readonly hookRefusal: { readonly status: number; readonly code: string };
  readonly refusesUnresolved: boolean;
  /** NS-24 */
  readonly phone: (e164: string) => string;
  /** Only numbers that exist are put in the form of E.164. */
  readonly strictPhones: boolean;
  /** NS-25 */
  readonly namedAfter: (email: string) => readonly [string, string | null];
  /** NS-26 */
  readonly firstRevision: number;
  readonly revisionStep: number;
  /** NS-27 */
  readonly signMustFit: boolean;
  readonly zeroAmount: boolean;
  readonly unknownFields: 'ignored' | 'refused';
  readonly amount: (sent: string) => string;
  /** NS-28 */
  readonly holdsBack: boolean;
  /** NS-31 */
  readonly unknownPath: 'problem' | 'text';
  /** NS-34 */
  readonly abandonedAfterMs: number;
  /** NS-35 */
  readonly transactionSubjectByCase: boolean;
  /** NS-37 */
  readonly delegatedDrawsOnMinter: boolean;
  /** NS-38 */
  readonly firmSeesBrandHooks: boolean;
  /** NS-39 */
  readonly tagLists: boolean;
  /** NS-40 */
  readonly lengthOf: (text: string) => number;
  /** NS-42 */
  readonly countsFrom: 'start' | 'end';
  /** NS-43 */
  readonly bonusIsDeposit: boolean;
  /** NS-44 */
  readonly absent: Json;
  /** NS-45 */
  readonly oddHookId: number;
  /** NS-46 */
  readonly numbersAsAmounts: boolean;
  /** NS-48 */
  readonly leadingZeros: boolean;
  /** NS-49 */
  readonly laxDecimals: boolean;
  /** NS-52 */
  readonly hookBrand: (brandId: string) => Json;
  /** Unknown names beside known categories. */
  readonly unknownCategories: 'refused' | 'dropped';
  /** `null` for a field of an update. */
  readonly nullInUpdate: 'absent' | 'unreadable';
  /** Whether all is validated before a known reference is answered. */
  readonly validatesBeforeReference: boolean;
  /** Read-only and no scope at once. */
  readonly readOnlyFirst: boolean;
  /** Two `Idempotency-Key` headers. */
  readonly twoKeys: 'refused' | 'first';
  /** A currency that is not the trading account's. */
  readonly foreignCurrency: boolean;
  /** The first number of every kind of id. */
  readonly firstId: number;
  readonly servesOpenApi: boolean;
}

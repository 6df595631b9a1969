// One scenario's dealings with the target: its calls, what it waits for, and what it undoes at the
// end. Judging stands in the context, setup beside it; both rest on this.
import type { Credential, Operator, Place, Target } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { Capability, Role } from '../capabilities.ts';
import { Findings } from '../judge/findings.ts';
import { ConditionWaiter } from '../pace/condition-waiter.ts';
import type { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import {
  type ExchangeRecorder,
  LONGEST_WAIT_MS,
  retryAfterMs,
} from '../record/exchange-recorder.ts';
import { Blocked, Inconclusive, Unreachable } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import { ApiClient, isRepeatable, type RequestBody, type RequestDraft } from '../send/client.ts';
import type { Sender } from '../send/sender.ts';
import type { Scenario } from '../types.ts';
import { FreshValues } from './fresh-values.ts';
import { newAccount, newTransaction } from './request-bodies.ts';

const TRIES = 4;
const FIRST_WAIT_MS = 250;
/** Waits before a call that is answered 500 or 503 is sent again. */
const REPEAT_AFTER_MS = [50, 200, 400];
/** A target that goes on failing is not waited for at each call. */
const LASTING_FAILURES = 3;

export interface ScenarioSessionOptions {
  readonly scenario: Scenario;
  readonly target: Target;
  readonly recorder: ExchangeRecorder;
  readonly eventLoop: EventLoopMonitor;
  readonly learned: Map<string, unknown>;
  readonly mark: string;
  readonly attempt: number;
  /** On the last attempt, the exchanges that met trouble in all before it. */
  readonly lasting: ReadonlySet<number> | null;
}

export class ScenarioSession {
  readonly fresh: FreshValues;
  /** What was found so far, and how far it can be trusted. */
  readonly findings: Findings;
  /** What was found out of the target beyond the specification, kept for the whole run. */
  readonly learned: Map<string, unknown>;
  readonly sender: Sender;
  protected readonly options: ScenarioSessionOptions;
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #patience: ConditionWaiter;
  #lastingFailures = 0;

  constructor(options: ScenarioSessionOptions) {
    this.options = options;
    this.learned = options.learned;
    this.sender = options.recorder.sender;
    this.#patience = new ConditionWaiter(options.eventLoop, (ms) => this.sleep(ms));
    this.findings = new Findings(options.scenario, options.lasting);
    this.fresh = new FreshValues(options.mark, options.scenario.id, options.attempt);
  }

  /**
   * The main credential: firm-wide where there is one. Its calls are judged, so never sent twice.
   */
  get api(): ApiClient {
    return this.as(this.mainRole);
  }

  /** The API as another role, or as a credential that was made on demand. */
  as(who: Role | Credential): ApiClient {
    return new ApiClient((draft) => this.#dispatch(who, draft));
  }

  /** The brand that bodies name under a role; undefined when a profile does not say. */
  brandId(role: Role): string | undefined {
    return this.options.target.brandId(role);
  }

  get mainRole(): Role {
    return this.options.target.mainRole;
  }

  /** What the target offers beside its API. */
  get target(): Target {
    return this.options.target;
  }

  get baseUrl(): string {
    return this.options.target.baseUrl;
  }

  credential(role: Role): Promise<Credential> {
    return this.options.target.credential(role);
  }

  /** The powers of an operator; the scenario lists the needs it uses. */
  get operator(): Operator {
    const { target, recorder } = this.options;
    return recorder.recording(target.operator);
  }

  /** Whether the target offers something: for depth beyond what the rules themselves need. */
  has(need: Capability): boolean {
    return this.options.target.offers.has(need);
  }

  /** A valid create-account body, fresh, with `over` laid over; `undefined` leaves a field out. */
  newAccount(over: RequestBody = {}, role: Role = this.mainRole): RequestBody {
    return newAccount(this.fresh, this.brandId(role), over);
  }

  /** A valid create-transaction body: a deposit of 25.00 unless `over` says otherwise. */
  newTransaction(place: Place, over: RequestBody = {}): RequestBody {
    return newTransaction(this.fresh, place, over);
  }

  /**
   * Sends until the answer is the service's own: a 429, 500, 503 or gateway error is waited out.
   */
  async sendUntilAnswered(words: string, send: () => Promise<Answer>): Promise<Answer> {
    const wasDisturbed = this.findings.doubtful;
    for (let attempt = 1; ; attempt += 1) {
      let trouble: string;
      let waitMs = FIRST_WAIT_MS * 2 ** attempt;
      try {
        const answer = await send();
        if (answer.source === 'service') {
          if (!wasDisturbed) this.findings.settled();
          return answer;
        }
        trouble = answer.summary;
        waitMs = retryAfterMs(answer) || waitMs;
        if (waitMs > LONGEST_WAIT_MS) {
          const seconds = Math.round(waitMs / 1000);
          throw new Inconclusive(`${words}: ${trouble} asks to wait ${seconds} s (Retry-After)`);
        }
        if (answer.source === 'trouble' && attempt === TRIES) {
          throw new Blocked(`setup failed: ${words}: ${trouble}, ${TRIES} times`);
        }
      } catch (error) {
        if (!(error instanceof Unreachable) || error.reason === 'aborted') throw error;
        trouble = error.message;
      }
      if (attempt === TRIES) throw new Inconclusive(`${words}: ${trouble}, ${TRIES} times`);
      await this.sleep(waitMs);
    }
  }

  /** A string member that the scenario goes on with; blocked when the answer has none. */
  pick(answer: Answer, path: string): string {
    return this.findings.pickText(answer, path);
  }

  pickNumber(answer: Answer, path: string): number {
    return this.findings.pickNumber(answer, path);
  }

  /** Lets time pass: by the target's clock where it can be moved, else by waiting. */
  async wait(ms: number): Promise<void> {
    if (this.has('clock')) await this.operator.advance(ms);
    else await this.sleep(ms);
  }

  /** Waits by the wall. */
  sleep(ms: number): Promise<void> {
    return this.options.recorder.sleep(ms);
  }

  /**
   * Waits, in short steps by the wall, until something is so; false when it never was. Time in
   * which this program had no turn does not count.
   */
  until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    return this.#patience.until(test, withinMs);
  }

  /** Why what was missed may be this program's own doing; undefined when it cannot be. */
  get starvation(): string | undefined {
    return this.#patience.starvation;
  }

  /** A webhook endpoint of this scenario's own that the target can reach. Needs `receiver`. */
  async receiver(): Promise<WebhookEndpoint> {
    const hook = await this.options.target.receiver();
    this.#patience.watchDeliveries(hook);
    return hook;
  }

  /** Runs when the scenario is over, however it ended; skipped where the target is thrown away. */
  addCleanUp(end: () => Promise<void>): void {
    if (!this.options.target.disposable) this.#ends.push(end);
  }

  async cleanUp(): Promise<void> {
    const { recorder, target } = this.options;
    recorder.startCleanUp();
    for (const end of this.#ends.reverse()) await end().catch(() => {});
    // A target may allow few subscriptions at once, so those of a shared world are ended as well.
    const isShared = (this.options.scenario.lane ?? 'shared') === 'shared';
    if (isShared || !target.disposable) await recorder.disableOpenSubscriptions(this.baseUrl);
    recorder.abort();
  }

  /**
   * IDEM-6b, IDEM-6c: neither a 503 nor a 500 is recorded, so the same call under its key runs when
   * it is sent again. Only a failure that lasts is an answer to judge.
   */
  async #sendAgain(credential: Credential, draft: RequestDraft, failed: Answer): Promise<Answer> {
    let answer = failed;
    for (const waitMs of REPEAT_AFTER_MS) {
      await this.sleep(waitMs);
      answer = await this.options.recorder.call(this.baseUrl, credential, draft);
      if (answer.source !== 'trouble') {
        this.findings.repeated(failed, answer);
        return answer;
      }
    }
    this.#lastingFailures += 1;
    return answer;
  }

  #mayRepeat(draft: RequestDraft, { source, status }: Answer): boolean {
    const { lane, provokes = [] } = this.options.scenario;
    const isFailure = source === 'trouble' && !provokes.includes(status) && lane !== 'limits';
    return isFailure && isRepeatable(draft) && this.#lastingFailures < LASTING_FAILURES;
  }

  async #dispatch(who: Role | Credential, draft: RequestDraft): Promise<Answer> {
    const credential = typeof who === 'string' ? await this.credential(who) : who;
    try {
      let answer = await this.options.recorder.call(this.baseUrl, credential, draft);
      if (this.#mayRepeat(draft, answer)) {
        answer = await this.#sendAgain(credential, draft, answer);
      }
      this.findings.arrived(answer, isRepeatable(draft));
      return wantsKey(draft, answer) ? answer.presuming('HOOK-1') : answer;
    } catch (error) {
      const lost = error instanceof Unreachable && error.reason !== 'aborted';
      const { count } = this.options.recorder;
      if (lost) this.findings.lost(count, error.message, isRepeatable(draft));
      throw error;
    }
  }
}

/** A webhook route that asks for a key does nothing without one: that is what is wrong with it. */
function wantsKey({ target }: RequestDraft, { code }: Answer): boolean {
  return target.startsWith('/api/v1/webhooks') && code === 'idempotency_key_required';
}

// Tokens that were good when a run began and are refused on its way: what they are answered with
// from then on says nothing of the rules, so nobody is blamed for it.
import type { Target } from '../../providers/target.ts';
import type { Capability, Role } from '../capabilities.ts';
import { worst } from '../judge/verdicts.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { Inconclusive, Unreachable } from '../scenario-errors.ts';
import type { ByRule, Judged, Scenario, ScenarioResult } from '../types.ts';

export class ExpiredTokens {
  readonly #expired = new Map<Role, string>();
  readonly #runContext: RunContext;
  readonly #mark: string;

  constructor(runContext: RunContext, mark: string) {
    this.#runContext = runContext;
    this.#mark = mark;
  }

  /** Why a scenario need not even be tried: a token that it takes has expired. */
  whyExpired({ needs = [] }: Scenario, { mainRole }: Target): string | undefined {
    for (const [role, why] of this.#expired) {
      if (role === mainRole || needs.includes(role)) return why;
    }
    return undefined;
  }

  /** The result of a scenario, without what an expired token had a part in. */
  async review(result: ScenarioResult, target: Target): Promise<ScenarioResult> {
    // With a control plane credentials are made for the run, and scenarios may end them on purpose.
    if (target.offers.has('mint')) return result;
    const whys: string[] = [];
    for (const role of await refusedRoles(result, target)) {
      if (await this.#isExpired(role, target)) whys.push(this.#expired.get(role)!);
    }
    return whys.length === 0 ? result : withoutBlame(result, whys.join('; '));
  }

  /** AUTH-1: a create with a key and without a field is harmless, and needs no more than a token. */
  async #isExpired(role: Role, target: Target): Promise<boolean> {
    if (this.#expired.has(role)) return true;
    const credential = await target.credential(role);
    try {
      const answer = await new ExchangeRecorder(this.#runContext).call(target.baseUrl, credential, {
        method: 'POST',
        target: '/api/v1/accounts',
        headers: [
          ['content-type', 'application/json'],
          ['idempotency-key', `token-${role}-${this.#mark}`],
        ],
        body: Buffer.from('{}'),
        authorization: undefined,
        timeoutMs: undefined,
        unpaced: false,
      });
      if (answer.status !== 401) return false;
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Inconclusive) return false;
      throw error;
    }
    const ended = 'it expired or was revoked';
    const why = `the token of credentials.${role} is refused (401) since: ${ended}`;
    this.#expired.set(role, why);
    return true;
  }
}

/** The roles whose own token was answered with a 401. */
async function refusedRoles({ exchanges }: ScenarioResult, target: Target): Promise<Set<Role>> {
  const found = new Set<Role>();
  for (const { as, kind, request, response } of exchanges) {
    if (kind !== 'call' || response?.status !== 401) continue;
    if (as === null || !target.offers.has(as as Capability)) continue;
    const { token } = await target.credential(as as Role);
    const sent = request.headers.find(([name]) => name === 'authorization')?.[1];
    if (token !== '' && sent === `Bearer ${token}`) found.add(as as Role);
  }
  return found;
}

function withoutBlame(result: ScenarioResult, why: string): ScenarioResult {
  const byRule = Object.fromEntries(
    Object.entries(result.byRule).map(([rule, verdict]) => [
      rule,
      verdict === 'passed' || verdict === 'not_selected' ? verdict : 'inconclusive',
    ]),
  ) as ByRule;
  const findings = result.findings.map((each) =>
    each.verdict === 'passed'
      ? each
      : { ...each, verdict: 'inconclusive' as const, actual: `${each.actual} (${why})` },
  );
  const judged = Object.values(byRule).filter((each): each is Judged => each !== 'not_selected');
  return { ...result, byRule, findings, why, verdict: worst(judged) ?? 'not_selected' };
}

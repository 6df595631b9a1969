// Tokens that worked when a run began and are refused later: what they are answered with from then
// on says nothing about the rules, so nothing is held against the target.
import type { Target } from '../../providers/target.ts';
import type { Role } from '../capabilities.ts';
import { withVerdicts } from '../judge/verdicts.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { Inconclusive, Unreachable } from '../scenario-errors.ts';
import { ApiClient } from '../send/client.ts';
import type { ByRule, Scenario, ScenarioResult } from '../types.ts';

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
    const found = [...this.#expired].find(([role]) => role === mainRole || needs.includes(role));
    return found?.[1];
  }

  /** The result of a scenario, without the findings that an expired token may have caused. */
  async review(result: ScenarioResult, target: Target): Promise<ScenarioResult> {
    // With a control plane credentials are made for the run, and scenarios may end them on purpose.
    if (target.offers.has('mint')) return result;
    const reasons: string[] = [];
    for (const role of await refusedRoles(result, target)) {
      if (await this.#isExpired(role, target)) reasons.push(this.#expired.get(role)!);
    }
    return reasons.length === 0 ? result : withoutBlame(result, reasons.join('; '));
  }

  /** AUTH-1: a create without a field is harmless, and needs no more than a valid token. */
  async #isExpired(role: Role, target: Target): Promise<boolean> {
    if (this.#expired.has(role)) return true;
    const credential = await target.credential(role);
    const recorder = new ExchangeRecorder(this.#runContext);
    const api = new ApiClient((draft) => recorder.call(target.baseUrl, credential, draft));
    try {
      const answer = await api.createAccount({}, { key: `token-${role}-${this.#mark}` });
      if (answer.status !== 401) return false;
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Inconclusive) return false;
      throw error;
    }
    const why = `the token of credentials.${role} is refused (401) since: it expired or was revoked`;
    this.#expired.set(role, why);
    return true;
  }
}

/** The roles whose own token was answered with a 401. */
async function refusedRoles({ exchanges }: ScenarioResult, target: Target): Promise<Set<Role>> {
  const found = new Set<Role>();
  for (const { as, kind, request, response } of exchanges) {
    const role = as as Role;
    if (kind !== 'call' || response?.status !== 401 || !target.offers.has(role)) continue;
    const { token } = await target.credential(role);
    const sent = request.headers.find(([name]) => name === 'authorization')?.[1];
    if (token !== '' && sent === `Bearer ${token}`) found.add(role);
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
  return withVerdicts({ ...result, findings, why }, byRule);
}

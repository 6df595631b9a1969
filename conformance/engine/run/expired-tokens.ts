// Tokens that worked when a run began and are refused later: what they are answered with from then
// on says nothing about the rules, so nothing is held against the target.
import type { Target } from '../../providers/target.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Role } from '../capabilities.ts';
import { withVerdicts } from '../judge/verdicts.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { Inconclusive, Unreachable } from '../scenario-errors.ts';
import type { ByRule, Exchange, Scenario, ScenarioResult } from '../types.ts';

export class ExpiredTokens {
  readonly #reasons = new Map<Role, string>();
  readonly #runContext: RunContext;
  readonly #mark: string;

  constructor(runContext: RunContext, mark: string) {
    this.#runContext = runContext;
    this.#mark = mark;
  }

  /** Why a scenario need not even be tried: a token that it takes has expired. */
  whyExpired({ needs = [] }: Scenario, { mainRole }: Target): string | undefined {
    const found = [...this.#reasons].find(([role]) => role === mainRole || needs.includes(role));
    return found?.[1];
  }

  /** The result of a scenario, without the findings that an expired token may have caused. */
  async review(result: ScenarioResult, target: Target): Promise<ScenarioResult> {
    // With a control plane credentials are made for the run, and scenarios may end them on purpose.
    if (target.offers.has('mint')) return result;
    const refused = result.exchanges.filter(
      ({ kind, response }) => kind === 'call' && response?.status === 401,
    );
    const reasons = new Set<string>();
    for (const exchange of refused) {
      const role = exchange.as as Role;
      if (!(await isOwnToken(exchange, role, target))) continue;
      if (!this.#reasons.has(role)) await this.#tryAgain(role, target);
      const reason = this.#reasons.get(role);
      if (reason !== undefined) reasons.add(reason);
    }
    return reasons.size === 0 ? result : withoutBlame(result, [...reasons].join('; '));
  }

  /** AUTH-1: a create without a field is harmless, and needs no more than a valid token. */
  async #tryAgain(role: Role, target: Target): Promise<void> {
    const recorder = new ExchangeRecorder(this.#runContext);
    const { method, path } = OPERATIONS.createAccount;
    const call = { method, path, body: {}, key: `token-${role}-${this.#mark}` };
    try {
      const answer = await recorder.call(target.baseUrl, await target.credential(role), call);
      if (answer.status !== 401) return;
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Inconclusive) return;
      throw error;
    }
    const why = `the token of credentials.${role} is refused (401) since: it expired or was revoked`;
    this.#reasons.set(role, why);
  }
}

async function isOwnToken({ request }: Exchange, role: Role, target: Target): Promise<boolean> {
  if (!target.offers.has(role)) return false;
  const { token } = await target.credential(role);
  const sent = request.headers.find(([name]) => name === 'authorization')?.[1];
  return token !== '' && sent === `Bearer ${token}`;
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

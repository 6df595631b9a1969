// Puts what was found to the scripted judge: whether its scenarios for the same rule see it too.
import { findRule } from '../../../fixtures/rules.ts';
import { judgeRule } from '../../engine/judge/verdicts.ts';
import { runScenarios } from '../../engine/run/run.ts';
import type { Sender } from '../../engine/send/sender.ts';
import type { Scenario } from '../../engine/types.ts';
import { scenarios } from '../../scenarios/all.ts';
import type { ScenarioOptions } from '../scenario-options.ts';
import type { Found } from './investigate.ts';
import { rulesFor } from './rules.ts';

export interface JudgeSays {
  readonly rule: string | null;
  /** `passes`: the judge's scenarios do not meet it, so it shows only in such a mixture. */
  readonly says: 'deviates' | 'passes' | 'cannot tell' | 'was not asked';
}

export const NOT_ASKED: JudgeSays = { rule: null, says: 'was not asked' };

export interface Judged {
  readonly says: ReadonlyMap<Found, JudgeSays>;
  readonly requests: number;
}

export async function askJudge(all: readonly Found[], options: ScenarioOptions): Promise<Judged> {
  const { most, ...rest } = options;
  const says = new Map<Found, JudgeSays>();
  const ofRule = new Map<string, JudgeSays>();
  let requests = 0;
  for (const found of all) {
    const rule = rulesFor(found).find((each) => playing(each).length > 0);
    if (rule === undefined || requests >= most || rest.signal.aborted) continue;
    const known = ofRule.get(rule);
    if (known !== undefined) says.set(found, known);
    if (known !== undefined) continue;
    const judged = await judge(rule, most - requests, rest);
    requests += judged.requests;
    ofRule.set(rule, judged.says);
    says.set(found, judged.says);
  }
  return { says, requests };
}

function playing(rule: string): readonly Scenario[] {
  return scenarios.filter(({ rules }) => (rules as readonly string[]).includes(rule));
}

async function judge(
  rule: string,
  most: number,
  { sender, signal, ...rest }: Omit<ScenarioOptions, 'most'>,
): Promise<{ says: JudgeSays; requests: number }> {
  const enough = new AbortController();
  const stop = () => enough.abort();
  signal.addEventListener('abort', stop, { once: true });
  let requests = 0;
  const counting: Sender = {
    ...sender,
    send: (wire) => {
      if (wire.url.includes('/api/v1/')) requests += 1;
      if (requests >= most) enough.abort();
      return sender.send(wire);
    },
    close: () => sender.close(),
  };
  const chosen = playing(rule);
  const run = await runScenarios({
    ...rest,
    scenarios: chosen,
    sender: counting,
    signal: enough.signal,
  });
  signal.removeEventListener('abort', stop);
  const { verdict } = judgeRule(findRule(rule)!, run.scenarios);
  const says =
    verdict === 'deviates' ? 'deviates' : verdict === 'passed' ? 'passes' : 'cannot tell';
  return { says: { rule, says }, requests };
}

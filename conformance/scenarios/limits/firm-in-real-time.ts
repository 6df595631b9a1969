// LIM-3 where no credentials can be made and no clock moved: those of one firm that a profile has,
// all pressed at once, which together are allowed more than their firm.
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Inconclusive } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { nearly } from './rate-evidence.ts';
import { type RepeatableRequest, refill, sightingsOf, truthOf } from './rate-limit-probe.ts';
import { weighTogether } from './together.ts';

/** Server credentials of one firm, each with an allowance of its own. */
const ROLES: readonly Role[] = [
  'firm',
  'brand',
  'other_brand',
  'no_amend',
  'no_scopes',
  'amend_only',
];

/** What they are allowed together has to be clearly more than their firm, or nothing is shown. */
const CLEARLY_MORE = 1.15;
/** Faster ones would be sent thousands of requests. */
const FASTEST = 20;
const PRESSED_MS = 12_000;
/** Twice as often as each is allowed. */
const FACTOR = 2;

const AGREED = 'its agreement sets another rate: plan.firm_per_second in the profile tells it';

interface Member {
  readonly role: Role;
  readonly client: ApiClient;
  readonly request: RepeatableRequest;
}

const limFirmInRealTime: Scenario = {
  id: 'lim-firm-in-real-time',
  title: 'Credentials of one firm that press at once are served what the firm is allowed',
  rules: ['LIM-3'],
  // What each is allowed for itself is judged there.
  presumes: { 'LIM-3': ['LIM-1', 'LIM-2', 'LIM-11'] },
  needs: ['bursts', 'plan', 'firm'],
  lane: 'limits',
  provokes: [429],
  standsInFor: ['lim-firm'],
  async run(t) {
    const [ownRate, firmRate] = (await t.credential('firm')).rates;
    const [own, firm] = [ownRate?.perSecond ?? Number.NaN, firmRate?.perSecond ?? Number.NaN];
    const members: Member[] = [];
    for (const role of ROLES) {
      const request = t.has(role) ? await requestOf(t, role) : undefined;
      if (request !== undefined) members.push({ role, client: t.as(role), request });
    }
    const all = members.length * own;
    if (!(all >= CLEARLY_MORE * firm) || own > FASTEST) {
      const words = `${members.length} credentials of ${own} a second, and ${firm} for the firm`;
      t.notTested('LIM-3', `${words}: it takes more than that, none of them above ${FASTEST}`);
      return;
    }
    await refill(t);
    const answers = await pressTogether(t, members, own);
    const sightings = sightingsOf(answers, false);
    const range = nearly(firm).join(' to ');
    const served = sightings.filter((each) => each.served).length;
    const words = `about ${firm} a second to ${members.length} credentials together, ${range}`;
    const seconds = PRESSED_MS / 1000;
    const truth = truthOf(weighTogether(firm, sightings));
    const seen = `${served} served in ${seconds} s`;
    if (truth === false && firmRate?.isAssumed) {
      throw new Inconclusive(`${seen}: ${words}, unless ${AGREED}`);
    }
    t.claim('LIM-3', words, truth, seen, ...answers.slice(-1));
  },
};

/** A call that this credential is served as often as it likes; undefined where none is known. */
async function requestOf(t: ScenarioContext, role: Role): Promise<RepeatableRequest | undefined> {
  const body = t.newAccount({}, role);
  const known: RepeatableRequest = (client, options) =>
    client.createAccount(body, { key: t.fresh.key(), ...options });
  const reads: RepeatableRequest = (client, options) => client.listAccounts(options);
  const subscriptions: RepeatableRequest = (client, options) => client.listWebhooks(options);
  for (const request of [known, reads, subscriptions]) {
    if ((await request(t.as(role), {})).status < 300) return request;
  }
  return undefined;
}

async function pressTogether(
  t: ScenarioContext,
  members: readonly Member[],
  perSecond: number,
): Promise<Answer[]> {
  const options: CallOptions = { unpaced: true };
  const gapMs = 1000 / (perSecond * FACTOR);
  const sent: Promise<Answer>[] = [];
  const startMs = performance.now();
  for (let dueMs = 0; dueMs < PRESSED_MS; dueMs += gapMs) {
    const waitMs = startMs + dueMs - performance.now();
    if (waitMs > 0) await t.sleep(waitMs);
    for (const { client, request } of members) {
      const one = request(client, options);
      one.catch(() => {});
      sent.push(one);
    }
  }
  return Promise.all(sent);
}

export const limitFirmInRealTimeScenarios: readonly Scenario[] = [limFirmInRealTime];

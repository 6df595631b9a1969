// LIM: the rates of a credential and its firm, which requests count, and the answer to a limited
// request.
import { validCall } from '../../cases/calls.ts';
import type { Role } from '../../engine/capabilities.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { OperationCall } from '../../engine/send/call.ts';
import { CONNECTIONS } from '../../engine/send/sender.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import type { FirmRate } from '../../providers/control-plane.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { HOUR_MS, UNKNOWN_ID } from '../../spec/literals.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import { mintDelegated } from '../access/delegated-tokens.ts';
import { isNewAccount } from '../support/account-assertions.ts';
import { inTurn } from '../support/in-turn.ts';
import { anotherToken } from '../support/request-token.ts';
import { UNTRIGGERED_CATEGORIES } from '../support/subscription-assertions.ts';
import {
  type Burst,
  clearlyAbove,
  drain,
  exhaust,
  expectRefusalForm,
  harmlessWrite,
  isClockFrozen,
  joined,
  type Probe,
  press,
  probeOf,
  type Rate,
  rateOf,
  refill,
  SANDBOX,
  secondsToWait,
  sendBurst,
  sendConcurrently,
  sendOne,
  sightingsOf,
} from './measure.ts';
import { about, nearly, shownBy, weighBurst, weighTogether } from './rate-evidence.ts';

/** The common properties of all scenarios that exhaust a rate. */
const LIMITED = { lane: 'limits', provokes: [429] } as const satisfies Partial<Story>;

/** Half a day: long enough for a target to forget an idle credential. */
const LONG_REST_MS = 12 * HOUR_MS;

export const limRate: Story = {
  ...LIMITED,
  title: 'About a second of allowance is served at once, then 429, and so much a second on',
  rules: ['LIM-1', 'LIM-2', 'LIM-5', 'LIM-6', 'LIM-8'],
  needs: ['bursts', 'plan'],
  async run(t) {
    const probe = await probeOf(t);
    const first = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    // Not even the last served ones.
    for (const each of first.served) {
      for (const name of LIMIT_HEADERS) t.expect('LIM-8', each).lacksHeader(name);
    }
    if (first.limited.length === 0) return expectLimited(t, probe, first);
    const held = `${first.unanswered} got no answer until the clock moved`;
    const words = 'refused at once, not held back first';
    t.claim('LIM-5', words, first.unanswered === 0, held, ...first.limited);
    // Long enough to make up for the refusals, in case refusals count (LIM-5).
    await t.wait(2_000);
    const rate = await expectRate(t, 'LIM-1', '', probe, first.limited.slice(0, 1));
    const isRight = rate.truth !== false;
    expectBurst(t, probe, rate, first, 'from the start');
    await t.wait(t.has('clock') ? LONG_REST_MS : 3_000);
    const size = clearlyAbove(isRight ? probe.perSecond : rate.perSecond);
    expectBurst(t, probe, rate, await sendBurst(t, probe, size), 'after a long rest');
    for (const refusal of first.limited) {
      await expectRefusalForm(t, refusal, isRight ? probe.perSecond : undefined);
    }
  },
};

/** The rate at which an exhausted allowance returns, however large the burst before it. */
async function expectRate(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  probe: Probe,
  refused?: Burst['limited'],
): Promise<Rate> {
  const { perSecond } = probe;
  // Without a control plane only the profile states the correct rate.
  const basis = t.has('mint') ? '' : ' (the rate in the profile)';
  const range = nearly(perSecond).join(' to ');
  const expected = `${words}about ${perSecond} requests a second, ${range}${basis}`;
  const used = await drain(t, probe);
  const [refusal] = used.limited;
  if (refusal === undefined && refused === undefined) {
    const actual = `${used.served.length} one after the other, none refused`;
    const truth = weighBurst(perSecond, used.sightings);
    // `lim-rate` judges whether a credential on Sandbox is limited at all.
    const isPlain = rule === 'LIM-1' && perSecond === 5;
    if (!isPlain) t.claim(rule, expected, truth, actual, ...used.served.slice(-1));
    throw new Blocked('nothing was refused, so that no refusal could be looked at');
  }
  const rate = await rateOf(t, probe, used);
  const actual = `${rate.perSecond.toFixed(1)} a second`;
  const evidence = [...rate.answers.slice(-1), ...(refused ?? used.limited.slice(0, 1))];
  t.claim(rule, expected, rate.truth, actual, ...evidence);
  const limit = rate.truth === false ? undefined : perSecond;
  if (rule !== 'LIM-1') await expectRefusalForm(t, refusal, limit);
  return rate;
}

/** Nothing was refused: there is no limit, the burst is too large, or requests were delayed. */
async function expectLimited(t: ScenarioContext, probe: Probe, first: Burst): Promise<void> {
  const { served, unanswered, sightings } = first;
  const { perSecond } = probe;
  const actual = `${served.length} served, ${unanswered} held back, none refused`;
  const expected = `429 to what comes after about ${perSecond} requests at once`;
  if (unanswered > 0) t.claim('LIM-5', expected, false, actual, ...served);
  else if (weighBurst(perSecond, sightings) === undefined) {
    throw new Inconclusive(`${actual}: they may have come too slowly for the limit to be met`);
  } else {
    const more = await sendBurst(t, probe, 2 * clearlyAbove(perSecond));
    // LIM-2: a limit that is reached later allows too large a burst.
    const isLate = more.limited.length > 0;
    t.claim(isLate ? 'LIM-2' : ['LIM-1', 'LIM-2'], expected, false, actual, ...served);
    if (isLate) await expectRate(t, 'LIM-1', '', probe, []);
  }
  throw new Blocked('nothing was refused, so that no refusal could be looked at');
}

/** LIM-2: about a second's allowance, of the plan's rate or of the rate in force (LIM-1). */
function expectBurst(
  t: ScenarioContext,
  { perSecond }: Probe,
  rate: Rate,
  { served, limited, sightings }: Burst,
  when: string,
): void {
  const rates = rate.truth === false ? [perSecond, rate.perSecond] : [perSecond];
  const truths = rates.map((each) => weighBurst(each, sightings));
  const best = [true, undefined, false].find((each) => truths.includes(each));
  const range = about(perSecond).join(' to ');
  const expected = `about a second's allowance at once ${when}, ${range} requests`;
  const actual = `${served.length} served`;
  const [refusal] = limited;
  t.claim('LIM-2', expected, best, actual, ...served, ...limited.slice(0, 1));
  if (refusal !== undefined) t.expect('LIM-2', refusal).refused(429, 'rate_limited');
}

type RateRow = readonly [words: string, perSecond: number, Partial<CredentialOptions>];

function rates(rule: RuleId, about: Omit<Story, 'run' | 'rules'>, rows: readonly RateRow[]) {
  return {
    ...LIMITED,
    ...about,
    rules: rule === 'LIM-1' ? [rule] : [rule, 'LIM-6'],
    async run(t) {
      const request = await harmlessWrite(t);
      for (const [words, perSecond, options] of rows) {
        const credential = await t.operator.mint({ scopes: ['accounts:write'], ...options });
        await expectRate(t, rule, `${words}: `, { credential, perSecond, request });
      }
    },
  } satisfies Story;
}

export const limPlans = rates(
  'LIM-1',
  {
    title: 'Standard is 50 a second and Pro 200; a new credential is on Sandbox, at 5',
    needs: ['bursts', 'plan', 'mint'],
  },
  [
    // Without a plan or a rate it has the plan of new credentials.
    ['a new credential', 5, { perSecond: null }],
    ['standard', 50, { plan: 'standard' }],
    ['pro', 200, { plan: 'pro' }],
  ],
);

export const limOwnLimit = rates(
  'LIM-4',
  {
    title: 'A limit of its own takes the place of the plan, be it higher or lower',
    needs: ['bursts', 'plan', 'rates', 'mint'],
  },
  [
    ['12 a second of its own on the plan sandbox', 12, { plan: 'sandbox', perSecond: 12 }],
    ['3 a second of its own on the plan pro', 3, { plan: 'pro', perSecond: 3 }],
  ],
);

export const limPerCredential: Story = {
  ...LIMITED,
  title: 'Each credential has an allowance of its own, which its tokens share',
  rules: ['LIM-1'],
  needs: ['bursts', 'plan', 'mint'],
  async run(t) {
    const [one, other] = [await probeOf(t), await probeOf(t)];
    const alone = await exhaust(t, one);
    const beside = await sendBurst(t, other, 2);
    const isApart = beside.limited.length === 0;
    const actual = `${beside.served.length} served`;
    t.claim('LIM-1', 'two served to another credential', isApart, actual, ...beside.limited);

    const token = await anotherToken(t, one.credential);
    if (token === undefined) return;
    await refill(t);
    const used = await exhaust(t, one);
    const authorization = `Bearer ${token}`;
    const request = { ...one.request, authorization };
    const second = await sendBurst(t, { ...one, request }, clearlyAbove(one.perSecond));
    // AUTH-3a judges whether the token works.
    const unknown = second.served.find(({ status }) => status === 401);
    if (unknown !== undefined) throw new Blocked(`a token just issued: ${unknown.summary}`);
    const both = joined(used, second);
    const shown = shownBy(one.perSecond, alone.sightings);
    const truth = weighBurst(one.perSecond, both.sightings, shown);
    const expected = 'no more than about a second of allowance to both tokens of the credential';
    const seen = `${used.served.length} served to one, ${second.served.length} to the other`;
    t.claim('LIM-1', expected, truth, seen, ...both.served, ...second.limited.slice(0, 1));
  },
};

export const limDelegated: Story = {
  ...LIMITED,
  title: 'A delegated token is metered against its minting credential, at the Sandbox rate',
  rules: ['LIM-6', 'LIM-10'],
  observes: ['NS-37'],
  needs: ['bursts', 'plan', 'mint', 'fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const { body } = await t.given.transaction(place);
    const request: OperationCall = { operation: 'createTransaction', body };
    const scopes = ['transactions:write', 'trader:funds'];
    const mint = (plan: 'pro' | 'sandbox') => t.operator.mint({ scopes, plan });
    const options = { accountId: place.account_id, scopes: ['trader:funds'] };
    const delegate = async (minter: Credential): Promise<Probe> => {
      return { credential: await mintDelegated(t, options, minter), perSecond: 5, request };
    };
    const minter = await mint('pro');
    const one = await delegate(minter);
    await expectRate(t, 'LIM-10', 'minted by a credential on Pro: ', one);

    const unrelated = await delegate(await mint('sandbox'));
    const sibling = await delegate(minter);
    await refill(t);
    await exhaust(t, one);
    const theirs = await sendBurst(t, unrelated, 1);
    const expected = 'the token of another minter served, while the first one is used up';
    t.claim('LIM-10', expected, theirs.limited.length === 0, 'refused as well', ...theirs.limited);
    const { served, limited } = await sendBurst(t, sibling, 1);
    const words = 'another token of the same minter refused, because they share one allowance';
    t.claim('LIM-10', words, served.length === 0, 'served', ...served, ...limited);

    // NS-37: whether a delegated token draws on its minter's own allowance as well.
    const owner = await mint('sandbox');
    const token = await delegate(owner);
    await refill(t);
    await exhaust(t, token);
    const own = await sendBurst(t, { ...token, credential: owner }, 1);
    const isWithin = own.served.length === 0;
    const found = isWithin ? 'the minter’s own allowance is used up too' : 'the minter has its own';
    t.observe('NS-37', found, { delegated_allowance: isWithin ? 'within_the_minters' : 'apart' });
  },
};

export const limRetryAfter: Story = {
  ...LIMITED,
  title: 'A request that waits for as long as Retry-After says is served',
  rules: ['LIM-7'],
  needs: ['bursts', 'plan'],
  async run(t) {
    const probe = await probeOf(t);
    const { limited } = await exhaust(t, probe);
    const refusal = limited.at(-1)!;
    const seconds = secondsToWait(refusal);
    // LIM-6 judges its form.
    if (seconds === undefined) throw new Blocked('Retry-After has no whole seconds to wait');
    await t.wait(seconds * 1000);
    const after = await sendOne(t, probe);
    const words = `served after the ${seconds} s of exchange ${refusal.n}`;
    const isServed = after.status !== 429 && after.status < 500;
    t.expect('LIM-7', after).is(words, isServed, describeAnswer(after), refusal);
  },
};

export const limNothingDone: Story = {
  ...LIMITED,
  title: 'A limited request does nothing, and its key runs afterwards',
  rules: ['LIM-5', 'IDEM-6a'],
  needs: ['bursts', 'plan'],
  async run(t) {
    const probe = await probeOf(t);
    const { credential } = probe;
    const creates = Array.from({ length: 5 }, () => ({ body: t.newAccount(), key: t.fresh.key() }));
    const limited: typeof creates = [];
    const creating = creates.map((create) => async () => {
      const answer = await t.call('createAccount', { ...create, as: credential, unpaced: true });
      if (answer.status === 429) limited.push(create);
      return answer;
    });
    // Sent concurrently with the requests that exhaust the allowance: later, some allowance would
    // have returned, and a request that waits for a connection might be served.
    const fill = () => sendOne(t, probe);
    const filling = Array<typeof fill>(clearlyAbove(probe.perSecond)).fill(fill);
    const before = Math.min(filling.length, CONNECTIONS - creating.length);
    await sendConcurrently(t, [...filling.slice(0, before), ...creating, ...filling.slice(before)]);
    const [one, another] = limited;
    if (one === undefined || another === undefined) {
      const why = 'no create was limited behind those that use the allowance up';
      throw (await isClockFrozen(t)) ? new Blocked(why) : new Inconclusive(why);
    }
    await refill(t);
    // With another name, so that an existing account is recognised.
    const body = { ...another.body, first_name: t.fresh.text() };
    const created = await t.control('createAccount', { as: credential, body, unpaced: true });
    const expected = 'a new account: the limited create had made nothing';
    t.expect('LIM-5', created).is(expected, isNewAccount(created, body.first_name));
    await refill(t);
    const again = await t.call('createAccount', { ...one, as: credential, unpaced: true });
    t.expect('IDEM-6a', again).served('run under its key');
  },
};

export const limRefusalsCostNothing: Story = {
  ...LIMITED,
  title: 'A refused request draws nothing from the allowance',
  rules: ['LIM-5'],
  needs: ['bursts', 'plan', 'mint', 'clock'],
  async run(t) {
    if (!(await isClockFrozen(t))) {
      throw new Inconclusive('the target cannot stop its clock, so allowance returns meanwhile');
    }
    const [calm, insistent] = [await probeOf(t), await probeOf(t)];
    await exhaust(t, calm);
    const used = await exhaust(t, insistent);
    if (used.served.length === 0) throw new Blocked('two credentials share one allowance');
    await sendBurst(t, insistent, 15);
    await t.operator.advance(1_000);
    const [few, many] = [await drain(t, calm), await drain(t, insistent)];
    const expected = `${few.served.length} served a second later, after 15 refusals or none`;
    const truth = many.served.length >= few.served.length - 1;
    const seen = `${many.served.length} served`;
    t.claim('LIM-5', expected, truth, seen, ...few.served, ...many.limited);
  },
};

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const limHeadersElsewhere: Story = {
  title: 'No answer but a 429 has rate-limit headers, be it served or refused',
  rules: ['LIM-8'],
  async run(t) {
    const { id, etag: ifMatch, body, answer } = await t.given.account();
    const key = t.fresh.key();
    const update = () => t.update(id, { country: 'FR' }, ifMatch, { key });
    const otherReference = { client_reference_id: t.fresh.reference() };
    for (const each of [
      answer,
      await t.given.reread({ body }),
      await update(),
      await update(),
      await t.call('createAccount', { body, key: null }),
      await t.call('createAccount', { body: { ...body, ...otherReference } }),
      await t.create({ email: t.fresh.text() }),
      await t.call('createAccount', { raw: '{' }),
      await t.update(UNKNOWN_ID, { country: 'FR' }, ifMatch),
      await t.update(id, { country: 'DE' }, ifMatch),
      await t.call('bulkCreateAccounts', { rows: [body] }),
      await t.call('listWebhooks'),
      await t.call('listAccounts'),
    ]) {
      if (each.status === 429) continue;
      // A 503 may ask for a wait (IDEM-6b).
      const names = each.isServed ? [...LIMIT_HEADERS, 'Retry-After'] : LIMIT_HEADERS;
      for (const name of names) t.expect('LIM-8', each).lacksHeader(name);
    }
  },
};

export const limBulkIsOne: Story = {
  ...LIMITED,
  title: 'A bulk create counts as one request, however many its rows',
  rules: ['LIM-9'],
  needs: ['bursts', 'plan'],
  async run(t) {
    const probe = await probeOf(t);
    const half = Math.max(2, Math.round(probe.perSecond * 0.6));
    const plain = await sendBurst(t, probe, half);
    if (plain.limited.length > 0) throw new Blocked(`control failed: ${half} requests at once`);
    await refill(t);
    // Equal rows, so that a thousand of them create one account.
    const rows = Array(Math.min(1000, probe.perSecond * 4)).fill(t.newAccount());
    const bulk = await t.call('bulkCreateAccounts', { as: probe.credential, rows, unpaced: true });
    t.expect('LIM-9', bulk).served(`${rows.length} rows served`);
    const { served, limited } = await sendBurst(t, probe, half - 1);
    const expected = `${half - 1} more requests served, as if it had been one`;
    const actual = `${limited.length} of them refused`;
    t.claim('LIM-9', expected, limited.length === 0, actual, bulk, ...served, ...limited);
  },
};

export const limReadsAndWrites: Story = {
  ...LIMITED,
  title: 'Reads are metered as writes are, from the same allowance',
  rules: ['LIM-11'],
  observes: ['NS-59'],
  needs: ['bursts', 'plan'],
  async run(t) {
    const probe = await probeOf(t);
    const size = clearlyAbove(probe.perSecond);
    const write = probe.request;
    const read: OperationCall = { operation: 'listWebhooks' };
    await t.control(read, { as: probe.credential });
    /** The requests by turns. */
    const burst = async (...requests: readonly OperationCall[]) => {
      await refill(t);
      const send = (n: number) => sendOne(t, { ...probe, request: requests[n % requests.length]! });
      return sendConcurrently(
        t,
        Array.from({ length: size }, (_, n) => () => send(n)),
      );
    };
    const writes = await burst(write);
    if (writes.limited.length === 0) throw new Blocked(`no 429 to ${size} writes at once`);
    const shown = shownBy(probe.perSecond, writes.sightings);
    const weigh = ({ sightings }: Burst) => weighBurst(probe.perSecond, sightings, shown);
    for (const [words, ...requests] of [
      ['reads', read],
      ['reads and writes by turns', write, read],
    ] as const) {
      const seen = await burst(...requests);
      const truth = weigh(seen);
      // LIM-2 judges how many writes are served; here the number must be that of writes alone.
      if (truth === false && weigh(await burst(write)) === false) {
        throw new Blocked(`${writes.served.length} writes at once, and then not as many (LIM-2)`);
      }
      const expected = `as many ${words} at once as writes: about ${writes.served.length}`;
      const { served } = seen;
      t.claim('LIM-11', expected, truth, `${served.length} served`, ...served.slice(-1));
    }
    // NS-59: whether replays, and refusals for other reasons, are counted as well.
    for (const [name, over, key] of [
      ['refusals', { email: 'x' }],
      ['replays', {}, t.fresh.key()],
    ] as const) {
      const body = t.newAccount(over);
      const { limited } = await burst({ operation: 'createAccount', body, key });
      t.observe('NS-59', `${name} ${limited.length > 0 ? 'count' : 'do not count'}`);
    }
  },
};

export const limEveryOperation: Story = {
  ...LIMITED,
  title: 'Each operation is metered, from the allowance of all of them',
  rules: ['LIM-11', 'ERR-4'],
  needs: ['bursts', 'mint', 'clock', 'rates', 'trading_account'],
  async run(t) {
    for (const call of await repeatable(t)) {
      await t.branch(['LIM-11', 'ERR-4'], call.operation, () => expectMetered(t, call));
    }
  },
};

/** Requests that can be repeated and still succeed. */
async function repeatable(t: ScenarioContext): Promise<OperationCall[]> {
  const known = await t.given.account();
  const place = await t.given.place();
  const { id, url } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
  return [
    await validCall(t, 'updateAccount'),
    { operation: 'bulkCreateAccounts', rows: [known.body] },
    { operation: 'listAccounts' },
    { operation: 'listTransactions' },
    await validCall(t, 'createTransaction', place),
    await validCall(t, 'approveTransaction', place),
    await validCall(t, 'rejectTransaction', place),
    await validCall(t, 'cancelTransaction', place),
    { operation: 'createWebhook', body: { url, event_categories: [...UNTRIGGERED_CATEGORIES] } },
    { operation: 'listWebhooks' },
    { operation: 'getWebhook', id },
    { operation: 'rotateWebhookSecret', id },
    { operation: 'disableWebhook', id },
  ];
}

async function expectMetered(t: ScenarioContext, call: OperationCall): Promise<void> {
  const { operation } = call;
  const scopes = ['accounts:write', 'transactions:write', 'webhooks:manage'];
  const who = await t.operator.mint({ scopes, plan: 'sandbox' });
  const answers: Answer[] = [];
  const isOver = ({ status }: Answer) => status >= 300 && status < 500;
  while (answers.length < clearlyAbove(SANDBOX) && !answers.some(isOver)) {
    // Each update has to change something, under the tag of the one before it.
    const ifMatch = answers.at(-1)?.headers.get('etag') ?? call.ifMatch;
    const update = { body: { first_name: t.fresh.text() }, ifMatch };
    const next = operation === 'updateAccount' ? { ...call, ...update } : call;
    answers.push(await t.call(next, { as: who }));
  }
  const last = answers.at(-1)!;
  // A refusal for another reason (NS-2, NS-4) shows nothing about allowances.
  if (!last.isServed && last.status !== 429) return;
  const still = await isClockFrozen(t);
  const served = answers.filter(({ status }) => status < 300).length;
  const expected = `${about(SANDBOX).join(' to ')} of ${operation} served at once`;
  const truth = weighBurst(SANDBOX, sightingsOf(answers, still));
  t.claim('LIM-11', expected, truth, `${served} served`, last);
  if (last.status !== 429) return;
  // ERR-4: required for the nine writes.
  if (OPERATIONS[operation].keyed) {
    t.expect('ERR-4', last).header('X-Request-Id', 'a value', (value) => value.trim() !== '');
  }
  const other = await t.call('createAccount', { as: who, body: t.newAccount() });
  const words = `429 to a create as well, once ${operation} has used the allowance up`;
  // If the target's clock runs, some allowance may have returned by then.
  const isLimited = other.status === 429 || (still ? false : undefined);
  t.claim('LIM-11', words, isLimited, other.summary, last, other);
}

/** The firm's rate, as a multiple of a credential's rate. */
const FOUR = 4;
const SCOPES = ['accounts:write'];

export const limFirm: Story = {
  ...LIMITED,
  title: 'A firm is served four times the rate of a credential, and both must have room',
  rules: ['LIM-3', 'LIM-6'],
  observes: ['NS-36'],
  needs: ['bursts', 'plan', 'rates', 'mint', 'clock', 'other_firm'],
  async run(t) {
    const mint = (options = {}) => t.operator.mint({ scopes: SCOPES, plan: 'sandbox', ...options });
    const one = await mint();
    // A credential of a brand shares the allowance of its firm. None is faster than Sandbox (NS-36).
    const ofBrand = await mint({ brand: 'brand' });
    const credentials = [one, ofBrand, ...(await inTurn(Array(4), () => mint()))];
    const known = t.newAccount({ brand_id: one.brandId }, 'brand');
    const request: OperationCall = { operation: 'createAccount', body: known };
    await t.control(request, { as: one });
    const probes = credentials.map((credential) => ({ credential, perSecond: SANDBOX, request }));
    const setRate = (perSecond: number | null) => t.operator.firmRate(one.firmId ?? '1', perSecond);
    const firm: Firm = { setRate, request };

    await requireOwnRate(t, firm, probes[0]!);
    await t.branch('LIM-3', 'a firm with little room', () => expectBothNeeded(t, firm, one));
    await t.branch('LIM-3', 'four times the rate of a credential', () => expectFourTimes(t, firm));
    const body = t.newAccount({ brand_id: t.brandId('other_firm') }, 'other_firm');
    const theirs = await mint({ firm: 'other_firm' });
    const apart = await t.call('createAccount', { as: theirs, body, unpaced: true });
    t.expect('LIM-3', apart).served('another firm served meanwhile');

    await setRate(10);
    await expectFirmRate(t, probes, 10, 'what the agreement sets');
    await observeFirmRate(t, firm);
  },
};

const PLANS = [
  ['sandbox', SANDBOX],
  ['standard', 50],
  ['pro', 200],
] as const;

/**
 * The plan of a firm, by the rate that the target reports. An unusual rate may be individual if the
 * firm could not be put on Sandbox; a rate up to that of Pro may come from credentials of this run
 * (NS-36).
 */
function planOf({ perSecond, isOnSandbox }: FirmRate): (typeof PLANS)[number] {
  const plan = PLANS.find(([, rate]) => FOUR * rate === (perSecond ?? FOUR * SANDBOX));
  if (plan !== undefined) return plan;
  if (isOnSandbox && perSecond! <= FOUR * PLANS[2][1]) return PLANS[0];
  throw new Inconclusive(`the firm has ${perSecond} a second, maybe because its agreement sets it`);
}

/** A firm, and a request that each of its credentials can repeat. */
interface Firm {
  readonly setRate: (perSecond: number | null) => Promise<FirmRate>;
  readonly request: OperationCall;
}

/** LIM-1 judges whether one credential gets its rate when its firm has allowance left. */
async function requireOwnRate(t: ScenarioContext, firm: Firm, probe: Probe): Promise<void> {
  await firm.setRate(100_000);
  await refill(t);
  const burst = await drain(t, probe);
  await t.operator.advance(1_000);
  const counts = [burst, await drain(t, probe)].map(({ served }) => served.length);
  if (counts.every((count) => count >= about(SANDBOX)[0])) return;
  throw new Blocked(`${counts.join(', then ')} served to one credential on Sandbox (LIM-1)`);
}

/** A firm with a lower rate than its credential limits the credential to that rate. */
async function expectBothNeeded(t: ScenarioContext, firm: Firm, credential: Credential) {
  await firm.setRate(2);
  await refill(t);
  const seen = await drain(t, { credential, perSecond: SANDBOX, request: firm.request });
  const count = seen.served.length;
  if (seen.limited.length === 0) throw new Blocked('nothing is limited at all (LIM-1)');
  if (count > about(SANDBOX)[1]) {
    throw new Blocked(`${count} served at once to one credential on Sandbox (LIM-2)`);
  }
  const most = about(2)[1];
  const expected = `${most} served at most to one credential, whose firm has room for 2`;
  // LIM-2 judges how small the burst of the credential alone may be.
  const truth = count <= most || weighBurst(2, seen.sightings);
  t.claim('LIM-3', expected, truth, `${count} served`, ...seen.served);
}

/** Six credentials of the firm's own plan, which together are allowed more than their firm. */
async function expectFourTimes(t: ScenarioContext, firm: Firm): Promise<void> {
  const [plan, perSecond] = planOf(await firm.setRate(null));
  const probes = await inTurn(Array(6), async () => {
    const credential = await t.operator.mint({ scopes: SCOPES, plan });
    return { credential, perSecond, request: firm.request };
  });
  await firm.setRate(null);
  await expectFirmRate(t, probes, FOUR * perSecond, 'four times that of a credential');
}

/**
 * All allowances are exhausted, then a second passes: each credential has its own again, so the
 * refusals come from the firm's limit. The size of the burst before does not count (LIM-2).
 */
async function expectFirmRate(
  t: ScenarioContext,
  probes: readonly Probe[],
  perSecond: number,
  words: string,
): Promise<void> {
  const { operator } = t;
  await operator.advance(1_500);
  const own = await drain(t, probes[0]!);
  for (const probe of probes) await drain(t, probe);
  await operator.advance(1_000);
  const drained = await inTurn(probes, (probe) => drain(t, probe));
  const counts = drained.map((each) => each.served.length);
  if (Math.max(...counts) > about(probes[0]!.perSecond)[1]) {
    throw new Blocked(`${counts.join(', ')} served to the credentials of the firm (LIM-1)`);
  }
  const { served, sightings } = joined(...drained);
  const limited = drained.at(-1)!.limited.slice(0, 1);
  const expected = `about ${perSecond} served to six credentials, ${words}: ${about(perSecond).join(' to ')}`;
  const truth = weighBurst(perSecond, sightings);
  t.claim('LIM-3', expected, truth, `${served.length} served`, ...limited, ...served);
  // LIM-6: the header is about the credential, even if the firm's limit was reached.
  const limit = Number(own.limited[0]?.headers.get('x-ratelimit-limit') ?? Number.NaN);
  await expectRefusalForm(t, limited[0], Number.isNaN(limit) ? undefined : limit);
}

/** NS-36: whether a faster credential raises the limit of its firm. */
async function observeFirmRate(t: ScenarioContext, firm: Firm): Promise<void> {
  const credential = await t.operator.mint({ scopes: SCOPES, plan: 'standard' });
  await firm.setRate(null);
  await refill(t);
  const probe = { credential, perSecond: 50, request: firm.request };
  const { served } = await sendBurst(t, probe, 40);
  const words = `${served.length} of 40 served: a firm on Sandbox, one credential on Standard`;
  const isFast = served.length > 32;
  t.observe('NS-36', words, { firm_rate_from: isFast ? 'highest_credential' : 'firm_plan' });
}

/** Server credentials of one firm, each with a separate allowance. */
const ROLES = ['firm', 'brand', 'other_brand', 'no_amend', 'no_scopes', 'amend_only'] as const;

/** Together they must be allowed clearly more than their firm, or its limit cannot show. */
const CLEARLY_MORE = 1.15;
/** Faster ones would need thousands of requests. */
const FASTEST = 20;
const PRESSED_MS = 12_000;

export const limFirmInRealTime: Story = {
  ...LIMITED,
  title: 'Credentials of one firm that press at once are served what the firm is allowed',
  rules: ['LIM-3'],
  needs: ['bursts', 'plan', 'firm'],
  standsInFor: ['lim-firm'],
  async run(t) {
    const [ownRate, firmRate] = (await t.credential('firm')).rates;
    const [own, firm] = [ownRate?.perSecond ?? Number.NaN, firmRate?.perSecond ?? Number.NaN];
    const members: Omit<Probe, 'perSecond'>[] = [];
    for (const role of ROLES) {
      const request = t.has(role) ? await requestOf(t, role) : undefined;
      if (request !== undefined) members.push({ credential: await t.credential(role), request });
    }
    if (!(members.length * own >= CLEARLY_MORE * firm) || own > FASTEST) {
      const words =
        own > FASTEST
          ? `each credential is allowed ${own} requests a second; this is tested with at most ${FASTEST}`
          : `${members.length} credentials of ${own} requests a second cannot exceed the ${firm} of their firm`;
      return t.notTested('LIM-3', words);
    }
    await refill(t);
    const answers = await press(t, members, { forMs: PRESSED_MS, perSecond: own * 2 });
    const sightings = sightingsOf(answers, false);
    const served = sightings.filter((each) => each.served).length;
    const range = nearly(firm).join(' to ');
    const words = `about ${firm} a second to ${members.length} credentials together, ${range}`;
    const seen = `${served} served in ${PRESSED_MS / 1000} s`;
    const truth = weighTogether(firm, sightings);
    if (truth === false && firmRate?.isAssumed) {
      const agreed = 'its agreement sets another rate (plan.firm_per_second in the profile)';
      throw new Inconclusive(`${seen}: ${words}, unless ${agreed}`);
    }
    t.claim('LIM-3', words, truth, seen, ...answers.slice(-1));
  },
};

/** A request that this credential may repeat; undefined if none is known. */
async function requestOf(t: ScenarioContext, role: Role): Promise<OperationCall | undefined> {
  const calls: OperationCall[] = [
    { operation: 'createAccount', body: t.newAccount({}, role) },
    { operation: 'listAccounts' },
    { operation: 'listWebhooks' },
  ];
  for (const call of calls) {
    if ((await t.call(call, { as: role })).isServed) return call;
  }
  return undefined;
}

// AUTH: the token endpoint: whether its tokens work, and how many it issues to a client in a minute.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { TokenForm } from '../../engine/send/call.ts';
import type { Story } from '../../engine/types.ts';
import { HOUR_MS, TOKENS_A_MINUTE } from '../../spec/literals.ts';
import { expectRefusalForm } from '../limits/measure.ts';
import { expectReferenceFree } from '../support/account-assertions.ts';
import { inTurn } from '../support/in-turn.ts';
import {
  ask,
  askTwice,
  clientOf,
  FORMS,
  findForm,
  type Known,
  tokenIn,
  tokenOf,
} from '../support/request-token.ts';

const EVERYTHING = ['accounts:write', 'transactions:write', 'webhooks:manage'];

const UNKNOWN_FORM =
  'the specification does not show how a token is asked for (NS-8), and OAuth’s ways are not taken';

export const authTokensWork: Story = {
  title: 'A token from the token endpoint works, and none is given for a wrong secret',
  rules: ['AUTH-3a'],
  observes: ['NS-8', 'NS-50'],
  needs: ['client'],
  async run(t) {
    const client = await clientOf(t, { scopes: EVERYTHING });
    const seen: Answer[] = [];
    const found = await findForm(t, client, seen);
    if (found === undefined) {
      // NS-8: a missing token is only an error if the form of the request is known.
      const unlike = seen.some(({ status }) => status < 300);
      if (!t.has('mint') || unlike) return t.notTested('AUTH-3a', UNKNOWN_FORM);
      const words = 'a token for a client and its secret';
      t.claim('AUTH-3a', words, false, 'none in any of OAuth’s ways');
      throw new Blocked('the token endpoint gives no token');
    }
    const { form, answer, holder } = found;
    const seconds = answer.at('expires_in');
    const members = Object.keys(Object(answer.json)).join(', ');
    const ways = { basic: 'Basic and a form', form: 'a form', json: 'JSON' };
    const words = `client credentials by ${ways[form]}, answered ${answer.status} {${members}}`;
    t.observe('NS-8', words, typeof seconds === 'number' ? { token_lifetime_s: seconds } : {});
    const made = await t.create({}, { as: holder });
    t.expect('AUTH-3a', made).served('an account created with the token');
    t.findings.controlled = true;
    const wrong = { ...client, clientSecret: `${client.clientSecret}x` };
    const refused = await ask(t, wrong, form);
    t.expect('AUTH-3a', refused).is('no token for a wrong secret', tokenIn(refused) === undefined);
    const token_errors = refused.at('error') === undefined ? 'problem' : 'oauth';
    t.observe('NS-50', `a wrong secret: ${refused.summary}, as ${token_errors}`, { token_errors });
  },
};

export const authTokenScopes: Story = {
  title: 'A token from the token endpoint holds the scopes of its client and no others',
  rules: ['AUTH-4'],
  needs: ['mint'],
  async run(t) {
    const client = await clientOf(t, { scopes: ['accounts:write'] });
    const { holder } = await tokenOf(t, client);
    await t.control('createAccount', { as: holder, body: t.newAccount() });
    t.expect('AUTH-4', await t.call('listWebhooks', { as: holder })).refused(403, 'forbidden');
  },
};

export const authTokenExpires: Story = {
  title: 'A token works for the time that it is given, and is no valid token after it',
  rules: ['AUTH-1', 'AUTH-3a'],
  // Extra depth: a token need not state its lifetime, but if it does, the token must expire.
  needs: ['clock', 'mint'],
  async run(t) {
    const client = await clientOf(t, { scopes: EVERYTHING });
    const found = await findForm(t, client);
    const holder = found?.holder ?? client;
    await t.control('createAccount', { as: holder, body: t.newAccount() });
    const longer = await t.create({}, { as: { ...client, token: `${holder.token}x` } });
    t.expect('AUTH-1', longer).is('refused with one character more', longer.isRefused);
    // NS-8: an answer need not state when the token expires.
    const seconds = found?.answer.at('expires_in');
    const isTimed = typeof seconds === 'number';
    if (isTimed) await t.operator.advance(seconds * 500);
    t.expect('AUTH-3a', await t.create({}, { as: holder })).served('served again while it lasts');
    if (!isTimed) return;
    await t.operator.advance(seconds * 500 + 1_000);
    const other = t.newAccount();
    const late = await t.call('createAccount', { as: holder, body: other });
    t.expect('AUTH-1', late).is(`refused after its ${seconds} seconds`, late.isRefused);
    if (late.isRefused) await expectReferenceFree(t, 'AUTH-1', other);
  },
};

const A_MINUTE_MS = 61_000;
/** Long enough for the allowance to be full. */
const LONG_REST_MS = 2 * HOUR_MS;

export const authTokenBudget: Story = {
  title: 'A client gets 10 tokens a minute, which is its own affair and apart from other traffic',
  rules: ['AUTH-3b', 'AUTH-3c', 'LIM-6'],
  observes: ['NS-51'],
  needs: ['client'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const client = await clientOf(t, { scopes: EVERYTHING });
    const found = await findForm(t, client);
    if (found === undefined) return t.notTested(['AUTH-3b', 'AUTH-3c', 'LIM-6'], UNKNOWN_FORM);
    const { form, holder } = found;
    await t.control('createAccount', { as: holder, body: t.newAccount() });
    const minute = await exhaust(t, client, form);
    if (minute === undefined) return;
    const { limited, token } = minute;
    await expectRefusalForm(t, limited, undefined);
    const limit = limited.headers.get('x-ratelimit-limit');
    t.observe('NS-51', `X-RateLimit-Limit: ${limit ?? 'none'} at the token endpoint`);
    const created = await t.create({}, { as: { ...client, token } });
    t.expect('AUTH-3c', created).served('data traffic served all the same');
    if (t.has('mint')) {
      const other = await askTwice(t, await clientOf(t, { scopes: EVERYTHING }), form);
      const served = tokenIn(other) !== undefined;
      t.expect('AUTH-3c', other).is('a token for another client_id all the same', served);
    }
    if (!t.has('clock')) return;
    await expectNoMore(t, client, form);
    await t.wait(A_MINUTE_MS);
    const again = await askTwice(t, client, form);
    t.expect('AUTH-3b', again).is('served again a minute later', tokenIn(again) !== undefined);
  },
};

/**
 * In any kind of minute (sliding, by the clock, or refilled one by one), at most ten more tokens
 * follow within 40 seconds of the first ten.
 */
async function expectNoMore(t: ScenarioContext, client: Known, form: TokenForm): Promise<void> {
  const asked = await inTurn([1, 2], async () => {
    await t.operator.advance(20_000);
    return askUntilLimited(t, client, form, TOKENS_A_MINUTE + 1);
  });
  const more = asked.flatMap(({ tokens }) => tokens).length;
  const answers = asked.flatMap((each) => each.answers);
  const words = 'at most ten more in the same minute';
  t.claim('AUTH-3b', words, more <= TOKENS_A_MINUTE, `${more} more`, ...answers);
}

/** The refusal and a token of the same minute; undefined if nothing was refused. */
async function exhaust(t: ScenarioContext, client: Known, form: TokenForm) {
  // The token that was used up to find the form.
  let spent = 1;
  if (t.has('clock')) {
    await t.wait(LONG_REST_MS);
    spent = 0;
  }
  let { answers, tokens } = await askUntilLimited(t, client, form, TOKENS_A_MINUTE + 1 - spent);
  if (answers.at(-1)?.status === 429 && spent + tokens.length < TOKENS_A_MINUTE) {
    // Earlier requests may count as well, so try again after a minute without requests.
    await t.wait(A_MINUTE_MS);
    spent = 0;
    ({ answers, tokens } = await askUntilLimited(t, client, form, TOKENS_A_MINUTE + 1));
  }
  t.findings.controlled = tokens.length > 0;
  const served = spent + tokens.length;
  const words = 'ten tokens in a minute, and not eleven';
  const isTen = served === TOKENS_A_MINUTE;
  if (!t.claim('AUTH-3b', words, isTen, `${served} tokens`, ...answers)) return undefined;
  const limited = answers.at(-1)!;
  t.expect('AUTH-3b', limited).status(429);
  // LIM-6 judges its form: it presumes AUTH-3b here, and the two must not explain each other. ERR-3
  // judges the code of every limited request.
  if (limited.code !== undefined && limited.status === 429) {
    t.expect('AUTH-3b', limited).refused(429, 'rate_limited');
  }
  return { limited, token: tokens.at(-1)! };
}

async function askUntilLimited(t: ScenarioContext, client: Known, form: TokenForm, atMost: number) {
  const answers: Answer[] = [];
  while (answers.length < atMost && (answers.at(-1)?.status ?? 200) < 400) {
    answers.push(await askTwice(t, client, form));
  }
  const tokens = answers.map(tokenIn).filter((each) => each !== undefined);
  return { answers, tokens };
}

export const authTokenBudgetApart: Story = {
  title: 'Asking for tokens takes nothing from the rate of other traffic, nor the other way round',
  rules: ['AUTH-3c'],
  needs: ['mint', 'rates', 'clock'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const limited = { scopes: EVERYTHING, perSecond: RATE };
    const idle = await clientOf(t, limited);
    // LIM-1 judges the number; here token requests must not reduce it.
    const allowance = await burst(t, idle);
    if (allowance.served > MOST) {
      throw new Blocked(`a rate of ${RATE} serves ${allowance.served} and more`);
    }
    const client = await clientOf(t, limited);
    const found = await tokenOf(t, client);
    // In every known form, because a limit may count by the client id in the body.
    for (const form of FORMS) if (form !== found.form) await ask(t, client, form);
    const { served, answers } = await burst(t, client);
    const words = `${allowance.served} requests served, tokens notwithstanding`;
    t.claim('AUTH-3c', words, served >= allowance.served, `${served}`, ...answers);
    const answer = await askTwice(t, client, found.form);
    const given = tokenIn(answer) !== undefined;
    t.expect('AUTH-3c', answer).is('a token, though the rate is used up', given);
  },
};

/** More than the token requests of a minute, so that the two limits cannot be confused. */
const RATE = 12;

/** A conforming target may be a little more generous than the rate. */
const MOST = RATE + 3;

/** More concurrent requests than the rate allows, while the clock stands still. */
async function burst(t: ScenarioContext, client: Known) {
  const answers = await inTurn(Array(MOST + 1), () => t.create({}, { as: client }));
  return { served: answers.filter((each) => each.isServed).length, answers };
}

// IDEM-2b: a key belongs to its credential, and not to the token.
import { sendCall, validCall } from '../../cases/calls.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { Scenario } from '../../engine/types.ts';
import { anotherToken } from '../support/request-token.ts';

const idemOtherToken: Scenario = {
  id: 'idem-other-token',
  title: 'A key belongs to the credential and not to its token: a new token repeats as the old one',
  rules: ['IDEM-2b'],
  needs: ['client'],
  async run(t) {
    const credential = await t.credential('client');
    const brand_id = t.brandId('client') ?? t.brandId(t.mainRole);
    const body = t.newAccount({ brand_id }, 'client');
    const key = t.fresh.key();
    // Where tokens are asked for in another way, the one that there is repeats for itself.
    const token = async () => (await anotherToken(t, credential)) ?? credential.token;
    const [one, another] = [await token(), await token()];
    // NS-8: where neither is known, there is no token at all.
    if (one === '' || another === '') return t.notTested('IDEM-2b', 'no token was to be had');
    const send = (bearer: string) =>
      t.as('client').createAccount(body, { key, authorization: `Bearer ${bearer}` });
    const first = await t.control('a create', () => send(one));
    const repeat = await send(another);
    const replayed = isReplayOf(repeat, first);
    t.expect('IDEM-2b', repeat).is('the first answer', replayed, describeAnswer(repeat), first);
  },
};

const idemCredentialsAlike: Scenario = {
  id: 'idem-credentials-alike',
  title: 'Two credentials of one brand are two, and so are two delegated tokens of one account',
  rules: ['IDEM-2b'],
  needs: ['mint', 'brand', 'trading_account'],
  async run(t) {
    await t.branch('IDEM-2b', 'two credentials of one brand', async () => {
      const wish = { scopes: ['accounts:write'], brand: 'brand' } as const;
      const [one, other] = [await t.operator.mint(wish), await t.operator.mint(wish)];
      const body = t.newAccount({}, 'brand');
      const key = t.fresh.key();
      const first = await t.control('a create', () => t.as(one).createAccount(body, { key }));
      const second = await t.as(other).createAccount(body, { key });
      t.expect('IDEM-2b', second).is('run by the other one', !isReplayOf(second, first));
    });
    await t.branch('IDEM-2b', 'two delegated tokens of one account', async () => {
      const place = await t.given.place();
      const { clientId } = await t.operator.mint({
        scopes: ['transactions:write', 'trader:funds'],
      });
      const mintedBy = clientId === undefined ? {} : { mintedBy: clientId };
      const wish = { kind: 'delegated', scopes: ['trader:funds'], ...mintedBy } as const;
      const mint = () => t.operator.mint({ ...wish, accountId: place.account_id });
      const [one, other] = [await mint(), await mint()];
      const mine = await validCall(t, 'cancelTransaction', place);
      const theirs = await validCall(t, 'cancelTransaction', place);
      const key = t.fresh.key();
      const cancel = () => sendCall(t, mine, { key, who: one });
      const first = await t.control('a cancellation', cancel, 200);
      const second = await sendCall(t, theirs, { key, who: other });
      const ran = second.isOf(theirs.id!);
      t.expect('IDEM-2b', second).is(`run for ${theirs.id}`, ran, describeAnswer(second), first);
    });
  },
};

export const credentialScenarios: readonly Scenario[] = [idemOtherToken, idemCredentialsAlike];

// IDEM-12: a reference names one record, whatever key it comes under. IDEM-2b: a key belongs to its
// credential, and not to the token.
import { sendCall, validCall } from '../../cases/calls.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { anotherToken } from '../support/request-token.ts';

type Create = 'createAccount' | 'createTransaction';

function crowd(id: string, operation: Create): Scenario {
  const isAccount = operation === 'createAccount';
  const record = isAccount ? 'account' : 'transaction';
  return {
    id,
    title: `One reference under several keys at the same moment ends as one ${record}`,
    rules: isAccount ? ['IDEM-12', 'ACC-5'] : ['IDEM-12'],
    needs: isAccount ? [] : ['trading_account'],
    /** Each under a key of its own: whichever loses the race finds what the winner made. */
    async run(t) {
      const call = await validCall(t, operation);
      const size = await t.burstSize(16);
      const answers = await t.sendTogether(size, () => sendCall(t, call));
      const later = await t.control('the reference once more', () => sendCall(t, call));
      const id = t.pick(later, 'id');
      // A 503 write_contention asks to come again, and has made nothing.
      const judged = answers.filter((each) => each.status !== 503 && each.source === 'service');
      const others = judged.filter((each) => !each.isOf(id));
      const actual = others.map(describeAnswer).join(' / ');
      const words = `the one record ${id} in every answer`;
      t.claim('IDEM-12', words, others.length === 0, actual, ...others, later);
      if (!isAccount) return;
      const created = judged.filter((each) => each.status === 201).length;
      const seen = `${created} times 201`;
      t.claim('ACC-5', 'one 201 at most', created <= 1, seen, ...judged);
    },
  };
}

const idemOtherToken: Scenario = {
  id: 'idem-other-token',
  title: 'A key belongs to the credential and not to its token: a new token repeats as the old one',
  rules: ['IDEM-2b'],
  needs: ['client'],
  async run(t) {
    const credential = await t.credential('client');
    const brand = t.brandId('client') ?? t.brandId(t.mainRole);
    const body = t.newAccount({ brand_id: brand }, 'client');
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
      const create = (who: Credential) => t.as(who).createAccount(body, { key });
      const first = await t.control('a create', () => create(one));
      const second = await create(other);
      t.expect('IDEM-2b', second).is('run by the other one', !isReplayOf(second, first));
    });
    await t.branch('IDEM-2b', 'two delegated tokens of one account', async () => {
      const place = await t.given.place();
      const minter = await t.operator.mint({ scopes: ['transactions:write', 'trader:funds'] });
      const options: CredentialOptions = {
        kind: 'delegated',
        scopes: ['trader:funds'],
        accountId: place.account_id,
        ...(minter.clientId === undefined ? {} : { mintedBy: minter.clientId }),
      };
      const [one, other] = [await t.operator.mint(options), await t.operator.mint(options)];
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

export const referenceScenarios: readonly Scenario[] = [
  crowd('idem-reference-in-a-crowd', 'createAccount'),
  crowd('idem-reference-in-a-crowd-of-money', 'createTransaction'),
  idemOtherToken,
  idemCredentialsAlike,
];

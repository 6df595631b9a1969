// AUTH-4: transactions:amend widens either of the two scopes of funds.
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { CredentialOptions } from '../../providers/target.ts';

const authAmend: Scenario = {
  id: 'auth-amend',
  title: 'transactions:amend widens transactions:write and trader:funds alike',
  rules: ['AUTH-4'],
  needs: ['mint', 'settle', 'fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const { account_id: accountId } = place;
    const reason = { reason: 'conformance check' };
    const known = await t.given.settled(place);
    const key = t.fresh.key();
    // TXS-10: that it can be cancelled at all.
    const cancel = () => t.api.cancelTransaction(known.id, accountId, reason, { key });
    await t.control('cancelling what has settled, with every scope', cancel, 200);
    const minter = await t.operator.mint({ scopes: ['transactions:write', ...TRADERS] });
    const mintedBy = minter.clientId === undefined ? {} : { mintedBy: minter.clientId };
    const holders: readonly (readonly [words: string, wish: CredentialOptions])[] = [
      ['transactions:write', { scopes: ['transactions:write', 'transactions:amend'] }],
      ['trader:funds', { scopes: TRADERS }],
      ['trader:funds, delegated', { scopes: TRADERS, kind: 'delegated', accountId, ...mintedBy }],
    ];
    for (const [words, wish] of holders) {
      await t.branch('AUTH-4', words, async () => {
        const holder = t.as(await t.operator.mint(wish));
        const pending = await t.given.transaction(place);
        const own = await holder.cancelTransaction(pending.id, accountId, reason);
        // Whether the scope serves at all is seen in auth-scope-matrix.
        if (own.status >= 300) throw new Blocked(`cancelling what is pending: ${own.summary}`);
        const settled = await t.given.settled(place);
        const cancelled = await holder.cancelTransaction(settled.id, accountId, reason);
        const expected = `what has settled is cancelled with ${words} and transactions:amend`;
        t.expect('AUTH-4', cancelled).is(expected, cancelled.status === 200);
      });
    }
  },
};

const TRADERS = ['trader:funds', 'transactions:amend'];

export const amendScenarios: readonly Scenario[] = [authAmend];

// POS: opening and closing positions, of which only scopes and keys are specified.
import { asHolderOf, type RefusalRow, refusals } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { Scenario } from '../../engine/types.ts';
import { closePosition, openPosition } from '../support/orders.ts';

const ORDERS = ['openPosition', 'closePosition'] as const;

const posScope = refusals({
  id: 'pos-scope',
  title: 'trades:write or trader:trade serves open and close; with neither both are 403',
  observes: ['NS-1'],
  needs: ['trading_account', 'orders', 'no_scopes'],
  rows: [
    ...scopeRows('POS-1', ...ORDERS),
    ...ORDERS.flatMap((order) =>
      ['trades:write', 'trader:trade'].map((scope): RefusalRow => {
        return ['POS-1', order, `with ${scope} alone`, asHolderOf(scope), 'served'];
      }),
    ),
  ],
  async also(t) {
    const opened = await openPosition(t, await t.given.place());
    const { answer: closed } = await closePosition(t, opened);
    const members = Object.keys(Object(opened.answer.json)).join(', ');
    const [open, close] = [opened.answer.status, closed.status];
    t.observe('NS-1', `open ${open}, close ${close}, answered with {${members}}`, {
      open_position_status: open,
      close_position_status: close,
    });
  },
});

export const positionScenarios: readonly Scenario[] = [posScope];

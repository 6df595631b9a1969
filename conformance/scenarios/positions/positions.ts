// POS: opening and closing positions, of which only scopes and keys are specified.

import { refusals } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  type ClosingBody,
  closePosition,
  type OpenedPosition,
  openPosition,
} from '../support/orders.ts';

const posScope = refusals({
  id: 'pos-scope',
  title: 'trades:write or trader:trade serves open and close; with neither both are 403',
  observes: ['NS-1'],
  needs: ['trading_account', 'orders', 'no_scopes'],
  rows: scopeRows('POS-1', 'openPosition', 'closePosition'),
  async also(t) {
    const first = await openPosition(t, await t.given.place());
    const { answer: closed, body: closing } = await closePosition(t, first);
    observePayload(t, first.answer, closed);
    if (!t.has('mint')) return;
    for (const scope of ['trades:write', 'trader:trade']) {
      const one = t.as(await t.operator.mint({ scopes: [scope] }));
      await expectServed(t, one, first.body, closing);
    }
  },
});

/** POS-1: a credential with nothing but the one scope opens and closes. */
async function expectServed(
  t: ScenarioContext,
  one: ApiClient,
  body: RequestBody,
  closing: ClosingBody,
): Promise<void> {
  const answer = await one.openPosition(body);
  // Only a 403 is about scopes.
  if (answer.status >= 300 && answer.status !== 403) {
    throw new Blocked(`control failed: opening with one scope: ${answer.summary}`);
  }
  t.expect('POS-1', answer).is('opened with this scope alone', answer.status < 300);
  if (answer.status >= 300) return;
  const closed = await one.closePosition(closing(openedBy(body, answer)));
  t.expect('POS-1', closed).is('closed with this scope alone', closed.status < 300);
}

function observePayload(t: ScenarioContext, opened: Answer, closed: Answer): void {
  const members = Object.keys((opened.json ?? {}) as object).join(', ');
  const words = `open ${opened.status}, close ${closed.status}, answered with {${members}}`;
  t.observe('NS-1', words, {
    open_position_status: opened.status,
    close_position_status: closed.status,
  });
}

function openedBy(body: RequestBody, answer: Answer): OpenedPosition {
  return { body, answer };
}

export const positionScenarios: readonly Scenario[] = [posScope];

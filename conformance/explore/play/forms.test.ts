// Checks how the model's orders are converted to another form, and how the answers are read.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formOf, inForm, orderIn, withPosition } from './forms.ts';

const forms = suite('another form of orders');

const form = {
  opening: {
    terms: { symbol: 'EURUSD', direction: 'long', lots: '0.10' },
    other: { symbol: 'GBPUSD', direction: 'short', lots: '0.20' },
  },
  closing: { name: 'ticket', path: 'deal.ticket', terms: { reason: 'client' } },
};
const at = { trading_account_id: '5' };
const order = { ...at, instrument: 'EURUSD', side: 'sell', volume: '2.5' };

forms('the form of the model itself needs no conversion', () => {
  const opening = { terms: { instrument: 'EURUSD', side: 'buy', volume: '0.10' }, other: {} };
  const closing = { name: 'position_id', path: 'position_id', terms: {} };
  assert.is(formOf({ opening, closing }), undefined);
  for (const each of [form, { opening, closing: { ...closing, path: 'id' } }]) {
    assert.is(formOf(each), each);
  }
});

forms('an order uses the accepted form, and a changed order its difference', () => {
  assert.equal(inForm(form, 'openPosition', order), { ...at, ...form.opening.terms });
  const other = { ...order, instrument: 'GBPUSD', odd: 1 };
  assert.equal(inForm(form, 'openPosition', other), { ...at, odd: 1, ...form.opening.other });
});

forms('a position is closed completely, by its name on the target', () => {
  const closing = { ...at, position_id: '9', volume: '0.2', side: 'sell' };
  const said = { ...at, side: 'sell', reason: 'client', ticket: '9' };
  assert.equal(inForm(form, 'closePosition', closing), said);
  assert.equal(inForm(form, 'closePosition', at), { ...at, reason: 'client' });
  assert.is(inForm(form, 'createTransaction', order), order, 'other bodies are unchanged');
});

forms('the position is read from its place in the opening answer', () => {
  const answer = { deal: { ticket: 12 } };
  const path = '/api/v1/positions/open';
  assert.equal(withPosition(form, path, answer), { ...answer, position_id: '12' });
  assert.is(withPosition(form, '/api/v1/positions/close', answer), answer);
  assert.equal(withPosition(form, path, { id: '1' }), { id: '1' });
});

forms('an order is identified by its own id, never by that of its position', () => {
  assert.is(orderIn(form, { order: { id: 7 }, deal: { ticket: 12 } }), '7');
  assert.is(orderIn(undefined, { id: '7', position_id: '12' }), '7');
  const positions = { ...form, closing: { ...form.closing, path: 'id' } };
  assert.is(orderIn(positions, { id: '12' }), undefined);
});

forms.run();

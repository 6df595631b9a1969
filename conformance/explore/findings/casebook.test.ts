// Checks that one defect is told once, in whichever operations it shows.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Difference } from '../compare/difference.ts';
import type { CallStep, Step } from '../sequence.ts';
import { Casebook } from './casebook.ts';
import type { Found } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';

const telling = suite('casebook');

function foundIn(elsewhere?: Found['elsewhere']): Found {
  const steps = [call(1, 'cancelTransaction', 'firm', {})];
  const refused = { due: '404 not_found', came: '410 not_found', cites: ['TXS-16'] };
  const made = foundOf({ steps, ...refused, ...(elsewhere === undefined ? {} : { elsewhere }) });
  return { ...made, times: 1, metAs: new Set(), also: new Set() };
}

const ofUpdates = (found: Found): Difference => ({
  ...found.difference,
  operation: 'updateAccount',
});

telling('a refusal that several operations answer alike is one difference', () => {
  const casebook = new Casebook();
  const found = foundIn('updateAccount');
  casebook.add(found, 'met');
  assert.ok(casebook.knows(ofUpdates(found)));
  assert.equal([casebook.found.length, found.times], [1, 2]);
});

telling('what shows in one operation says nothing of another', () => {
  const casebook = new Casebook();
  const found = foundIn();
  casebook.add(found, 'met');
  assert.not(casebook.knows(ofUpdates(found)));
  assert.ok(casebook.knows(found.difference));
});

telling('one rule broken in one way is one difference, whichever operations show it', () => {
  const casebook = new Casebook();
  const steps = [call(1, 'cancelTransaction', 'firm', {})];
  const add = (made: Partial<Parameters<typeof foundOf>[0]>) => {
    const found = foundOf({ steps, due: '200', came: '200', cites: ['TXS-8'], ...made });
    casebook.add({ ...found, times: 1, metAs: new Set(), also: new Set() }, 'met');
  };
  const etag = { at: 'header.etag', model: '"1"', target: '1' };
  add(etag);
  add({ ...etag, operation: 'updateAccount' });
  assert.equal([casebook.found.length, casebook.found[0]?.also.size], [1, 1]);
  add({ came: '409 invalid_state' });
  assert.is(casebook.found.length, 2);
});

telling('what a record keeps for good is wrong by one defect, whichever answer shows it', () => {
  const casebook = new Casebook();
  const moved = { at: 'body.created_at', model: '5', target: '9', due: '200', came: '200' };
  const steps = [call(1, 'cancelTransaction', 'firm', {})];
  const made = foundOf({ steps, ...moved, cites: ['TXS-8'] });
  casebook.add({ ...made, times: 1, metAs: new Set(), also: new Set() }, 'met');
  const { difference } = made;
  assert.ok(casebook.knows({ ...difference, operation: 'createTransaction' }));
  assert.not(casebook.knows({ ...difference, operation: 'createWebhook' }));
  assert.not(casebook.knows({ ...difference, at: 'body.status' }));
  assert.equal([casebook.found.length, casebook.found[0]?.times], [1, 2]);
});

telling('what was open, or was not met again, is looked at twice more', () => {
  const casebook = new Casebook();
  const { difference } = foundIn();
  assert.equal(
    [1, 2, 3, 4].map(() => casebook.knows(difference)),
    [false, false, false, true],
  );
});

type Repeat = Partial<Parameters<typeof foundOf>[0]>;

/** An operation that was repeated under its key, and ran again. */
function repeated(operation: 'approveTransaction' | 'rejectTransaction', made: Repeat = {}): Found {
  const key = { $fresh: 'k' };
  const { steps = [1, 2].map((n) => call(n, operation, 'firm', { key })), ...rest } = made;
  const replayed = { due: '200', came: '409 invalid_state', idempotency: 'replayed' } as const;
  const found = foundOf({ ...replayed, cites: ['IDEM-4a'], ...rest, steps });
  return { ...found, times: 1, metAs: new Set(), also: new Set() };
}

const anHour: Step = { do: 'advance', n: 9, byMs: 3_600_000 };
const [first, again] = [1, 2].map((n) => {
  return call(n, 'approveTransaction', 'firm', { key: { $fresh: 'k' } });
}) as [CallStep, CallStep];
const plain = () => repeated('approveTransaction');
const late = () => repeated('approveTransaction', { steps: [first, anHour, again] });
const refused = () =>
  repeated('approveTransaction', {
    ...{ due: '409 invalid_state', came: '200', cites: ['IDEM-4d'] },
  });

telling('where the plainest repeat runs again, what follows from it is told with it', () => {
  for (const all of [
    [plain(), late(), refused()],
    [refused(), late(), plain()],
  ]) {
    const casebook = new Casebook();
    for (const [n, each] of all.entries()) casebook.add(each, `met ${n}`);
    const [told, ...more] = casebook.found;
    assert.equal([more.length, told!.times], [0, 3]);
    assert.ok(told!.also.size > 0);
    assert.ok(told!.difference.targetAnswer === '409 invalid_state' && told!.metAs.has('met 1'));
  }
});

telling('two defects of repeats at once stay two', () => {
  const unlike = [
    [late(), refused()],
    [plain(), repeated('approveTransaction', { idempotency: 'first', cites: ['TXS-5'] })],
  ];
  for (const both of unlike) {
    const casebook = new Casebook();
    for (const each of both) casebook.add(each, 'met');
    assert.is(casebook.found.length, 2);
  }
});

telling.run();

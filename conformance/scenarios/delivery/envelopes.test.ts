// The sequence number of an envelope is recognised by its value, and no other member is mistaken for it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Envelope, envelopeOf, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';

const envelopes = suite('envelopes');

const event = (over: Envelope): Envelope => ({
  id: 'evt_1',
  seq: 7,
  occurred_at: 1_772_452_800_000,
  account_id: '1001',
  version: 1,
  ...over,
});

envelopes('a number that increases from event to event is found', () => {
  const later = event({ id: 'evt_2', seq: 9, occurred_at: 1_772_452_800_500, account_id: '1002' });
  assert.equal(sequenceNames([event({}), later]), ['seq']);
  assert.equal(sequenceNames([later, event({})]), []);
  assert.equal(sequenceNames([event({}), event({})]), []);
});

envelopes('a single event shows nothing, nor does an event without a number', () => {
  assert.equal(sequenceNames([event({})]), []);
  assert.equal(sequenceNames([]), []);
  assert.equal(sequenceNames([event({ seq: null }), event({ seq: 9 })]), []);
  assert.equal(sequenceNames([{}, event({ seq: 9 })]), []);
});

envelopes('a number may be nested in a member', () => {
  const wrapped = (seq: number): Envelope => ({ id: `evt_${seq}`, meta: { seq, kind: 'x' } });
  assert.equal(sequenceNames([wrapped(3), wrapped(4)]), ['meta.seq']);
  assert.equal(sequenceNames([wrapped(4), wrapped(4)]), []);
});

envelopes('a number may be written as digits', () => {
  assert.equal(sequenceNames([event({ seq: '9' }), event({ seq: '10' })]), ['seq']);
  assert.is(sequenceAt(event({ seq: '0x9' }), 'seq'), undefined);
  assert.is(sequenceAt(event({ seq: '' }), 'seq'), undefined);
  assert.is(sequenceAt(event({ seq: 1.5 }), 'seq'), undefined);
});

envelopes('an id is a non-empty text or a number', () => {
  assert.is(eventIdOf(event({})), 'evt_1');
  assert.is(eventIdOf(event({ id: 5 })), '5');
  assert.is(eventIdOf(event({ id: '' })), undefined);
  assert.is(eventIdOf(event({ id: null })), undefined);
  assert.is(eventIdOf(undefined), undefined);
});

envelopes('only an object is an envelope', () => {
  assert.equal(envelopeOf('{"id":"a"}'), { id: 'a' });
  for (const text of ['[]', '"a"', 'null', '3', '', '{', 'event={"id":"a"}']) {
    assert.is(envelopeOf(text), undefined, text);
  }
});

envelopes.run();

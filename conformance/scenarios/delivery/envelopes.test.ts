// The sequence number of an envelope is recognised by its value, and no other member is mistaken for it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Envelope, envelopeOf, eventIdOf, sequenceAt, sequenceNames } from './envelopes.ts';

const envelopes = suite('envelopes');

const event = (over: Envelope = {}): Envelope => ({
  ...{ id: 'evt_1', seq: 7, occurred_at: 1_772_452_800_000, account_id: '1001', version: 1 },
  ...over,
});
const later = event({ id: 'evt_2', seq: 9, occurred_at: 1_772_452_800_500, account_id: '1002' });
const wrapped = (seq: number): Envelope => ({ id: `evt_${seq}`, meta: { seq, kind: 'x' } });

const SEQUENCES: readonly (readonly [words: string, events: Envelope[], names: string[]])[] = [
  ['a number that increases from event to event', [event(), later], ['seq']],
  ['a number that decreases', [later, event()], []],
  ['a number that stays', [event(), event()], []],
  ['a single event', [event()], []],
  ['no event', [], []],
  ['an event without a number', [event({ seq: null }), event({ seq: 9 })], []],
  ['an empty event', [{}, event({ seq: 9 })], []],
  ['a number inside a member', [wrapped(3), wrapped(4)], ['meta.seq']],
  ['a nested number that stays', [wrapped(4), wrapped(4)], []],
  ['a number written as digits', [event({ seq: '9' }), event({ seq: '10' })], ['seq']],
];
for (const [words, events, names] of SEQUENCES) {
  envelopes(`${words}: ${names.join() || 'none'}`, () => {
    assert.equal(sequenceNames(events), names);
  });
}

envelopes('only whole numbers are sequence numbers', () => {
  for (const seq of ['0x9', '', 1.5]) assert.is(sequenceAt(event({ seq }), 'seq'), undefined);
});

envelopes('an id is a non-empty text or a number', () => {
  const ids = [event(), event({ id: 5 }), event({ id: '' }), event({ id: null }), undefined];
  assert.equal(ids.map(eventIdOf), ['evt_1', '5', undefined, undefined, undefined]);
});

envelopes('only an object is an envelope', () => {
  assert.equal(envelopeOf('{"id":"a"}'), { id: 'a' });
  for (const text of ['[]', '"a"', 'null', '3', '', '{', 'event={"id":"a"}']) {
    assert.is(envelopeOf(text), undefined, text);
  }
});

envelopes.run();

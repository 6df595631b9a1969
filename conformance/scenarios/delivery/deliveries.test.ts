// Sequence numbers are recognised by their value, signatures agree with the published vectors.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import {
  type Envelope,
  envelopeIn,
  eventIdOf,
  headersNaming,
  isSignedWith,
  sequenceAt,
  sequenceNames,
  signatureOf,
  valuesAt,
} from './deliveries.ts';

const deliveries = suite('deliveries');

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
  deliveries(`${words}: ${names.join() || 'none'}`, () => {
    assert.equal(sequenceNames(events), names);
  });
}

deliveries('only whole numbers are sequence numbers', () => {
  for (const seq of ['0x9', '', 1.5]) assert.is(sequenceAt(event({ seq }), 'seq'), undefined);
});

deliveries('an id is a non-empty text or a number', () => {
  const ids = [event(), event({ id: 5 }), event({ id: '' }), event({ id: null }), undefined];
  assert.equal(ids.map(eventIdOf), ['evt_1', '5', undefined, undefined, undefined]);
});

deliveries('only an object is an envelope', () => {
  const of = (text: string) => envelopeIn({ body: Buffer.from(text) });
  assert.equal(of('{"id":"a"}'), { id: 'a' });
  for (const text of ['[]', '"a"', 'null', '3', '', '{', 'event={"id":"a"}']) {
    assert.is(of(text), undefined, text);
  }
});

const withHeaders = (...lines: HeaderLine[]) => ({ headers: new Headers(lines) });

// The others are decided by the time or the form of the header.
const judged = [null, 'mismatch', 'bad_signature'];

for (const { name, header, secrets, body_base64, verdict, reason } of published.vectors) {
  if (!judged.includes(reason)) continue;
  deliveries(`published vector: ${name}`, () => {
    const body = Buffer.from(body_base64, 'base64');
    const arrival = { ...withHeaders(['X-Any', header ?? '']), body };
    const isSigned = secrets.some((secret) => isSignedWith(secret, arrival));
    assert.is(isSigned, verdict === 'accept');
  });
}

deliveries('the header is found by its value', () => {
  const hex = 'ab'.repeat(32);
  const cases: [string, string | undefined][] = [
    [`t=1772452800000,v1=${hex}`, 'Sig'],
    [`t=1772452800000, v1=${hex}`, 'Sig'],
    [`v1=${hex}`, 'Sig'],
    [`t=1772452800000;v2=${hex}`, 'Sig'],
    [hex.toUpperCase(), 'Sig'],
    ['application/json; charset=utf-8', undefined],
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', undefined],
  ];
  for (const [value, name] of cases) {
    const found = signatureOf(withHeaders(['Host', 'hooks.example.com'], ['Sig', value]));
    assert.is(found?.name, name, value);
  }
  assert.is(signatureOf(withHeaders()), undefined);
});

deliveries('a complete signature takes precedence over similar headers', () => {
  const hex = 'ab'.repeat(32);
  const headers = withHeaders(['X-Digest', hex], ['X-Sig', `t=1,v1=${hex}`]);
  assert.is(signatureOf(headers)?.name, 'X-Sig');
});

deliveries('every value of a part is kept, in order', () => {
  const found = signatureOf(withHeaders(['S', 't=1,v1=a, v1=b==,x']))!;
  assert.equal(valuesAt(found, 'v1'), ['a', 'b==']);
  assert.equal(valuesAt(found, 't'), ['1']);
  assert.equal(found.parts.at(-1), ['x', '']);
});

deliveries('the id of a subscription is not a content length', () => {
  const arrival = withHeaders(['Content-Length', '12'], ['X-Sub', '12'], ['X-Other', '123']);
  assert.equal(headersNaming('12', arrival), ['X-Sub']);
});

deliveries.run();

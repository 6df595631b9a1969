// The signatures of EVT-6 are compared with the published vectors; headers are found under any name.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import { type HeaderLine, Headers } from '../../engine/send/headers.ts';
import { headersNaming, isSignedWith, signatureOf, valuesAt } from './signatures.ts';

const signatures = suite('signatures');

const withHeaders = (...lines: HeaderLine[]) => ({ headers: new Headers(lines) });

// The others are decided by the time or the form of the header.
const judged = [null, 'mismatch', 'bad_signature'];

for (const { name, header, secrets, body_base64, verdict, reason } of published.vectors) {
  if (!judged.includes(reason)) continue;
  signatures(`published vector: ${name}`, () => {
    const body = Buffer.from(body_base64, 'base64');
    const arrival = { ...withHeaders(['X-Any', header ?? '']), body };
    const isSigned = secrets.some((secret) => isSignedWith(secret, arrival));
    assert.is(isSigned, verdict === 'accept');
  });
}

signatures('the header is found by its value', () => {
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

signatures('a complete signature takes precedence over similar headers', () => {
  const hex = 'ab'.repeat(32);
  const lines: HeaderLine[] = [
    ['X-Digest', hex],
    ['X-Sig', `t=1,v1=${hex}`],
  ];
  assert.is(signatureOf(withHeaders(...lines))?.name, 'X-Sig');
});

signatures('every value of a part is kept, in order', () => {
  const found = signatureOf(withHeaders(['S', 't=1,v1=a, v1=b==,x']))!;
  assert.equal(valuesAt(found, 'v1'), ['a', 'b==']);
  assert.equal(valuesAt(found, 't'), ['1']);
  assert.equal(found.parts.at(-1), ['x', '']);
});

signatures('the id of a subscription is not a content length', () => {
  const arrival = withHeaders(['Content-Length', '12'], ['X-Sub', '12'], ['X-Other', '123']);
  assert.equal(headersNaming('12', arrival), ['X-Sub']);
});

signatures.run();

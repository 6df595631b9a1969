// Each common mistake is recognised, and no cause is called proven without proof.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hmacSha256Hex } from '../../core/values/digest.ts';
import { type Diagnosis, diagnoseWebhook } from './diagnose.ts';
import { signWebhook } from './verify.ts';

const test = suite('diagnosing webhooks');

const secret = 'whsec_6c6f6e67736563726574';
const nowMs = 1_700_000_000_000;
const envelope = {
  id: 'evt_1',
  seq: 7,
  kind: 'account.created',
  data: { name: 'Zoë & <Co>', url: 'https://example.com/a', amount: '10.50', list: [1, null] },
};
const body = JSON.stringify(envelope);
const { header } = signWebhook({ secret, body, tMs: nowMs });
const python =
  '{"id": "evt_1", "seq": 7, "kind": "account.created", "data": {"name": "Zo\\u00eb & <Co>", ' +
  '"url": "https://example.com/a", "amount": "10.50", "list": [1, null]}}';

function diagnose(given: Partial<Parameters<typeof diagnoseWebhook>[0]>): Diagnosis {
  return diagnoseWebhook({ header, body, secret, nowMs, ...given });
}

function headerOver(key: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
  return `t=${nowMs},v1=${hmacSha256Hex(key, ...parts)}`;
}

function headerFor(signed: string | Uint8Array): string {
  return signWebhook({ secret, body: signed, tMs: nowMs }).header;
}

test('a valid delivery has no causes, and every step passes', () => {
  const diagnosis = diagnose({});
  assert.ok(diagnosis.verified);
  assert.is(diagnosis.reason, null);
  assert.equal(diagnosis.causes, []);
  const steps = diagnosis.steps.map(({ step }) => step);
  assert.equal(steps, ['header', 'timestamp', 'signatures', 'match', 'time']);
  assert.ok(diagnosis.steps.every(({ ok }) => ok));
  assert.match(diagnosis.steps[1]!.detail, '2023-11-14T22:13:20.000Z');
});

test('the first failing step is named, and later steps are not judged', () => {
  const signature = header.slice(header.indexOf('v1='));
  const table: [given: Partial<Parameters<typeof diagnoseWebhook>[0]>, failing: string][] = [
    [{ header: undefined }, 'header'],
    [{ header: 'nonsense' }, 'header'],
    [{ header: signature }, 'timestamp'],
    [{ header: `t=soon,${signature}` }, 'timestamp'],
    [{ header: `t=1,t=2,${signature}` }, 'timestamp'],
    [{ header: `t=${nowMs}` }, 'signatures'],
    [{ header: `t=${nowMs},v1=zz` }, 'signatures'],
    [{ body: 'other' }, 'match'],
    [{ nowMs: nowMs + 300_001 }, 'time'],
    [{ nowMs: nowMs - 300_001 }, 'time'],
  ];
  for (const [given, failing] of table) {
    const { steps, verified } = diagnose(given);
    for (const { does, detail } of steps) assert.is.not(detail, '', does);
    const at = steps.findIndex(({ step }) => step === failing);
    assert.not.ok(verified);
    for (const [index, { ok }] of steps.entries()) {
      assert.is(ok, index < at ? true : index === at ? false : null, failing);
    }
  }
});

// The signed body, against the verified body.
const bodies: [cause: string, signed: string | Uint8Array, verified: string | Uint8Array][] = [
  ['line_ends', body, `${body}\n`],
  ['line_ends', body, `${body}\r\n`],
  ['line_ends', body, `${body} \n\n`],
  ['line_ends', `${body}\n`, body],
  ['line_ends', `${body}\r\n`, body],
  ['line_ends', '{\n"a":1\n}\n', '{\r\n"a":1\r\n}\r\n'],
  ['line_ends', '{\r\n"a":1\r\n}\r\n', '{\n"a":1\n}\n'],
  ['reserialised_json', body, JSON.stringify(envelope, null, 2)],
  ['reserialised_json', body, JSON.stringify(envelope, null, 4)],
  ['reserialised_json', body, python],
  ['reserialised_json', JSON.stringify(envelope, null, 2), body],
  ['reserialised_json', JSON.stringify(envelope, null, '\t'), body],
  ['reserialised_json', python, body],
  ['reserialised_json', body, JSON.stringify(body)],
  ['encoding', body, Buffer.from(Buffer.from(body).toString('latin1'))],
  ['encoding', body, Buffer.from(body, 'latin1')],
  ['encoding', body, `\ufeff${body}`],
  ['encoding', body, Buffer.from(`\ufeff${body}`, 'utf16le')],
  ['encoding', body, Buffer.from(body).toString('base64')],
];

test('a change to the body is identified', () => {
  for (const [cause, signed, verified] of bodies) {
    const { causes, reason } = diagnose({ header: headerFor(signed), body: verified });
    assert.is(reason, 'mismatch');
    assert.is(causes.length, 1, `${cause}: ${JSON.stringify(causes)}`);
    assert.is(causes[0]!.cause, cause);
    assert.ok(causes[0]!.proven);
    assert.match(causes[0]!.explanation, /^[a-z].*\.$/s);
  }
});

const signers: [cause: string, header: string][] = [
  ['secret_form', headerOver(`${secret}\n`, `${nowMs}.`, body)],
  ['secret_form', headerOver(secret.slice(6), `${nowMs}.`, body)],
  ['secret_form', headerOver(Buffer.from(secret.slice(6), 'hex'), `${nowMs}.`, body)],
  ['secret_form', headerOver(Buffer.from(secret.slice(6), 'base64'), `${nowMs}.`, body)],
  ['seconds', headerOver(secret, `${nowMs / 1000}.`, body)],
  ['seconds', headerOver(secret, `${nowMs}.`, body).replace(`${nowMs}`, `${nowMs / 1000}`)],
];

test('a mistake of the signer is identified', () => {
  for (const [cause, value] of signers) {
    const { causes } = diagnose({ header: value });
    assert.is(causes.length, 1, value);
    assert.equal([causes[0]?.cause, causes[0]?.proven], [cause, true], value);
  }
});

test('a secret that is hex, or has surrounding white space, is tried in its other form', () => {
  const hex = '00ff10a5'.repeat(8);
  const decoded = headerOver(Buffer.from(hex, 'hex'), `${nowMs}.`, body);
  for (const given of [{ header: decoded, secret: hex }, { secret: `${secret}\n` }]) {
    const [cause] = diagnose(given).causes;
    assert.equal([cause!.cause, cause!.proven], ['secret_form', true]);
  }
});

test('EVT-7: the secret before a rotation is recognised if it is passed', () => {
  const old = signWebhook({ secret: 'whsec_old', body, tMs: nowMs }).header;
  const { causes } = diagnose({ header: old, previousSecret: 'whsec_old' });
  assert.is(causes[0]!.cause, 'previous_secret');
  assert.is(diagnose({ header: old, previousSecret: 'whsec_other' }).causes[0]!.proven, false);
  assert.is(diagnose({ header: old }).causes[0]!.proven, false);
});

test('EVT-5b: a timestamp outside the tolerance is explained', () => {
  const cause = (tMs: number) => {
    const signed = signWebhook({ secret, body, tMs });
    return diagnose({ header: signed.header }).causes[0]!;
  };
  assert.is(cause(nowMs / 1000).cause, 'seconds');
  const { header } = signWebhook({ secret, body, tMs: nowMs / 1000 });
  const step = diagnose({ header }).steps.find((each) => each.step === 'timestamp');
  assert.equal([step?.ok, step?.detail], [false, `t=${nowMs / 1000} looks like seconds`]);
  assert.is(cause(nowMs / 1000 - 86_400).cause, 'seconds');
  assert.match(cause(nowMs - 3 * 3_600_000).explanation, '3 h old');
  assert.match(cause(nowMs + 600_000).explanation, '10 min ahead');
});

test('a cause that cannot be proven is offered as a guess', () => {
  const guesses: [cause: string, given: Partial<Parameters<typeof diagnoseWebhook>[0]>][] = [
    ['header_form', { header: 'a'.repeat(64) }],
    ['header_form', { header: header.replace(',', ';') }],
    ['parsed_body', { body: '' }],
    ['parsed_body', { body: '[object Object]' }],
    ['other_secret', { secret: 'whsec_other' }],
    ['other_body', { body: '{"id":"evt_2"}' }],
  ];
  for (const [cause, given] of guesses) {
    const { causes, verified } = diagnose(given);
    assert.not.ok(verified);
    const found = causes.find((candidate) => candidate.cause === cause);
    assert.ok(found, `${cause}: ${JSON.stringify(causes)}`);
    assert.not.ok(found!.proven);
  }
});

test('hostile bodies and headers are diagnosed safely', () => {
  for (const hostile of [
    '['.repeat(100_000) + ']'.repeat(100_000),
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `"${'\\"'.repeat(100_000)}"`,
    Buffer.alloc(300_000, 0xff),
    'x'.repeat(262_144),
    'x'.repeat(1_000_000),
    `${' '.repeat(500_000)}x`,
    '\n'.repeat(250_000),
    '\u0000',
  ]) {
    assert.not.ok(diagnose({ body: hostile }).verified);
  }
  assert.not.ok(diagnose({ header: 't=1,'.repeat(5_000) }).verified);
  // Quadratic work on this body would take minutes.
  assert.not.ok(diagnose({ header: `t=1${' '.repeat(300_000)}x,v1=y` }).verified);
  assert.not.ok(diagnose({ header: `t=${'9'.repeat(400)},v1=${'A'.repeat(64)}` }).verified);
  const latest = signWebhook({ secret, body, tMs: Number.MAX_SAFE_INTEGER }).header;
  assert.is(diagnose({ header: latest }).reason, 'too_new');
});

test('no diagnosis contains a secret', () => {
  const output = JSON.stringify([diagnose({ body: 'x' }), diagnose({ header: signers[1]![1] })]);
  assert.not.ok(output.includes(secret));
  assert.not.ok(output.includes(secret.slice(6)));
});

test.run();

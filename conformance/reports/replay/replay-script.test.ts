// A recorded scenario becomes a script that a shell takes, with new names, ids from answers, and no
// secret.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Report, ReportExchange, ReportScenario } from '../report.ts';
import { NASTY, sampleReport } from '../testing/sample-report.ts';
import { insertVariables, quoted } from './curl.ts';
import { controlCall } from './operator-calls.ts';
import { callerByToken, replayScript } from './replay-script.ts';
import { hasWhole, keysIn, namedByAnswers, phonesIn } from './variables.ts';

const MARK = sampleReport.mark;
const KEY = 'key-6f3b2902-04fd-4629-a2e1-0a0e90824de5';

function call(
  n: number,
  parts: {
    readonly path?: string;
    readonly headers?: [string, string][];
    readonly body?: unknown;
    readonly answer?: unknown;
    readonly etag?: string;
    readonly status?: number;
    readonly atMs?: number;
    readonly durationMs?: number;
  },
): ReportExchange {
  const { path = '/api/v1/accounts', headers = [], body, answer, etag, status = 201 } = parts;
  return {
    n,
    kind: 'call',
    as: 'firm',
    request: {
      method: 'POST',
      url: `http://127.0.0.1:7420${path}`,
      headers: [['authorization', 'Bearer [redacted]'], ...headers],
      body: body === undefined ? null : JSON.stringify(body),
    },
    response: {
      status,
      headers: etag === undefined ? [] : [['ETag', etag]],
      body: answer === undefined ? null : JSON.stringify(answer),
    },
    failure: null,
    at_ms: parts.atMs ?? n * 100,
    duration_ms: parts.durationMs ?? 5,
  };
}

const command = (n: number, verb: string, given: unknown[], result: unknown): ReportExchange => ({
  ...call(n, {}),
  kind: 'operator',
  as: null,
  request: { method: verb, url: '', headers: [], body: JSON.stringify(given) },
  response: { status: 200, headers: [], body: JSON.stringify(result) },
});

const recorded = (...exchanges: ReportExchange[]): ReportScenario => ({
  ...sampleReport.scenarios[0]!,
  exchanges,
});

const made = call(1, {
  body: { client_reference_id: `ref-${MARK}-1`, phone: '+447412345678', note: "it's" },
  headers: [['idempotency-key', KEY]],
  answer: { id: '1007', firm_id: '1', request_id: 'r-1' },
  etag: '"1"',
});
const updated = call(2, {
  path: '/api/v1/accounts/1007?a=10071',
  headers: [['if-match', '"1"']],
  body: { first_name: NASTY, again: KEY, phone: '+447412345678' },
});

const replay = suite('replay');

replay('a token is asked for anew, with no secret of the recording', () => {
  const asked = call(1, {
    path: '/api/v1/oauth/token',
    body: { client_id: 'client-7', client_secret: 'secret-7' },
    answer: { access_token: '[redacted]' },
  });
  const used = { ...call(2, { body: { a: 1 } }), as: callerByToken(1) };
  const script = replayScript(sampleReport, {
    ...recorded(asked, used),
    clients: [{ as: 'firm', id: 'client-7', secret: 'secret-7' }],
    tokens: [{ step: 1, path: '.access_token' }],
  });
  assert.not.match(script, /secret-7|client-7/);
  assert.match(script, /"client_secret":"'"\$FIRM_CLIENT_SECRET"'"/);
  assert.match(script, /STEP_1_TOKEN="\$\(member 1 '\.access_token'/);
  assert.match(script, /Bearer \$STEP_1_TOKEN/);
});

replay('a tag is replaced in a header, and not where a body has the same text', () => {
  const body = { firm_id: '1' };
  const later = call(2, { path: '/api/v1/accounts/9', headers: [['if-match', '"1"']], body });
  const script = replayScript(sampleReport, recorded(call(1, { etag: '"1"' }), later));
  assert.match(script, /if-match: '"\$TAG_1_1"/);
  assert.match(script, /'\{"firm_id":"1"\}'/);
});

replay('values are taken as a whole', () => {
  assert.ok(hasWhole('/accounts/1007?x', '1007'));
  assert.ok(hasWhole('{"id":"1007"}', '1007'));
  for (const text of ['10071', '/x1007', '1007.5', 'a-1007-b']) {
    assert.not.ok(hasWhole(text, '1007'), text);
  }
});

replay('what answers gave and later requests name is named; firms and request ids are not', () => {
  const named = namedByAnswers([made, updated]);
  assert.equal(
    named.map(({ value, from }) => [value, from?.path ?? from?.header]),
    [
      ['"1"', 'etag'],
      ['1007', '.id'],
    ],
  );
});

replay('what a scenario made up itself is not taken from an answer', () => {
  const asked = call(1, { body: { id: '77' }, answer: { id: '77' } });
  assert.equal(namedByAnswers([asked, call(2, { path: '/x/77' })]), []);
});

replay('phones and keys of the recording are named too', () => {
  assert.equal(
    phonesIn([made, updated]).map(({ value }) => value),
    ['+447412345678'],
  );
  assert.equal(
    keysIn([made, updated]).map(({ value }) => value),
    [KEY],
  );
});

replay('a shell reads every word as it was', () => {
  for (const text of [
    "it's",
    NASTY.replaceAll('\u0000', ''),
    '$HOME `id` \\ "x"',
    '',
    '!!',
    '-n',
  ]) {
    const word = quoted(insertVariables(text, []));
    const seen = execFileSync('bash', ['-c', `printf '%s' ${word}`]);
    assert.equal(seen, Buffer.from(text), text);
  }
  const filled = quoted(insertVariables(`a-${MARK}-b`, [{ value: MARK, variable: 'MARK' }]));
  assert.is(String(execFileSync('bash', ['-c', `MARK=new; printf '%s' ${filled}`])), 'a-new-b');
});

const script = replayScript(sampleReport, recorded(made, updated));

replay('the script is one that bash takes', () => {
  execFileSync('bash', ['-n'], { input: script });
  execFileSync('bash', ['-n'], { input: replayScript(sampleReport, sampleReport.scenarios[0]!) });
});

replay('the script has new names, and ids from the answers', () => {
  // The recording itself stands in it, to compare with.
  const code = script.replace(/^#.*$/gm, '').replace(/^printf.*recorded\.json"$/m, '');
  assert.not.ok(code.includes(MARK));
  assert.not.ok(code.includes(KEY));
  assert.not.ok(code.includes('+447412345678'));
  assert.match(script, `ID_1_2="$(member 1 '.id' || true)"`);
  assert.match(script, `TAG_1_1="$(header 1 etag || true)"`);
  assert.match(script, `'/api/v1/accounts/'"$ID_1_2"'?a=10071'`);
  assert.match(script, `'if-match: '"$TAG_1_1"`);
});

replay('the script opens with what deviated, and asks for tokens by name', () => {
  assert.match(script, /^# ACC-2: The rule `ACC-2` says something & more\.$/m);
  assert.match(script, /^# {3}expected {2}409 invalid_state$/m);
  assert.match(script, "echo 'set FIRM_TOKEN to the token of credentials.firm' >&2; exit 2;");
  assert.match(script, '-H "Authorization: Bearer $FIRM_TOKEN"');
});

replay('no line of a target becomes a command of the script', () => {
  const evil = { ...sampleReport.scenarios[0]!, title: 'x\nrm -rf "$HOME"' };
  const lines = replayScript(sampleReport, { ...evil, exchanges: [made] }).split('\n');
  assert.not.ok(lines.some((line) => line.startsWith('rm ')));
});

replay('a header that was no token is none in the script', () => {
  const odd = call(1, {});
  const request = {
    ...odd.request,
    headers: [
      ['authorization', '[redacted]'],
      ['authorization', 'Bearer '],
    ] as const,
  };
  const text = replayScript(sampleReport, recorded({ ...odd, request }));
  assert.match(text, "-H 'Authorization: not-a-token'");
  assert.match(text, "-H 'Authorization: Bearer '");
});

replay('calls that were under way together are sent together', () => {
  const crowd = [
    call(1, { atMs: 10, durationMs: 50 }),
    call(2, { atMs: 11, durationMs: 5 }),
    call(3, { atMs: 100 }),
  ];
  const lines = replayScript(sampleReport, recorded(...crowd)).split('\n');
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
  assert.ok(lines.some((line) => line.endsWith('& CALL_1=$!')));
  assert.ok(at('wait "$CALL_1"') > at('call 2 '));
  assert.ok(at('wait "$CALL_1"') < at('call 3 '));
});

replay('what chance has a part in is tried until it shows, each time as a whole', () => {
  const text = replayScript(sampleReport, { ...recorded(made), tries: 3 });
  execFileSync('bash', ['-n'], { input: text });
  const [, body = '', after = ''] = /^once\(\) \($([\s\S]*)^\)$([\s\S]*)/m.exec(text) ?? [];
  assert.match(body, /^MARK=/m);
  // In its place something that ends as it is told to, and says that it was tried.
  const tried = (codes: string) => {
    const once = `codes=(${codes}); once() ( echo tried; exit "\${codes[$try]}" )`;
    const whole = `${once}${after.replace('{1..3}', '0 1 2')}\necho "none seen"`;
    return String(execFileSync('bash', ['-c', `(${whole}); echo "code $?"`]));
  };
  assert.match(tried('0 1 0'), /^tried\n\nNot seen in try 0 of 3\.\ntried\ncode 1$/m);
  assert.match(tried('0 0 0'), /none seen\ncode 0/);
  assert.not.match(replayScript(sampleReport, recorded(made)), /once/);
});

const controlled: Report = {
  ...sampleReport,
  target: { base_url: 'http://127.0.0.1:7420', control_url: 'http://127.0.0.1:7420/_sandbox' },
};

replay('with a control plane the script makes its credentials in a world of its own', () => {
  const opened = command(2, 'openTradingAccount', ['1007'], {
    account_id: '1007',
    trading_account_id: '5005',
    currency: 'USD',
  });
  const open = call(3, { path: '/api/v1/positions/open', body: { trading_account_id: '5005' } });
  const minted = command(4, 'mint', [{ scopes: ['accounts:write'], accountId: '1007' }], {
    name: 'minted-1',
    token: '[redacted]',
  });
  const own = { ...call(5, {}), as: 'minted-1' };
  const text = replayScript(controlled, recorded(made, opened, open, minted, own));
  execFileSync('bash', ['-n'], { input: text });
  assert.match(text, 'control world POST "$CONTROL_URL/worlds"');
  assert.match(text, 'FIRM_TOKEN="$(member credential .token)"');
  assert.match(text, /control 2 POST "\$CONTROL"'\/accounts\/'"\$ID_1_\d"'\/trading-accounts'/);
  assert.match(text, /ID_2_\d="\$\(member 2 '\.id' \|\| true\)"/);
  assert.match(text, 'MINTED_1_TOKEN="$(member 4 .token)"');
  assert.match(text, '"Authorization: Bearer $MINTED_1_TOKEN"');
});

const ACTS: [verb: string, given: unknown[], method: string, path: string, body: unknown][] = [
  ['advance', [1000], 'POST', 'clock/advance', { by_ms: 1000 }],
  ['settle', ['9001'], 'POST', 'transactions/9001/settle', {}],
  ['resolve', ['a.b', ['1.2.3.4']], 'PUT', 'dns/a.b', { addresses: ['1.2.3.4'] }],
  [
    'permit',
    ['1', 'openPosition', false],
    'PATCH',
    'firms/1',
    { permissions: { openPosition: false } },
  ],
  ['rescope', ['cl_1', ['a']], 'PATCH', 'credentials/cl_1', { scopes: ['a'] }],
  ['resume', [7], 'POST', 'subscriptions/7/resume', {}],
  [
    'emit',
    [{ category: 'order', accountId: '1' }],
    'POST',
    'events',
    { category: 'order', account_id: '1' },
  ],
  ['removeFault', [], 'DELETE', 'faults', undefined],
];
for (const [verb, given, method, path, body] of ACTS) {
  replay(`an operator’s ${verb} is ${method} ${path}`, () => {
    const control = controlCall(verb, given)!;
    assert.is(control.method, method);
    assert.is(control.path, path);
    const said = control.body === undefined ? undefined : JSON.parse(JSON.stringify(control.body));
    assert.equal(said, body);
  });
}

replay('what only looks is asked for where it is evidence, and left out otherwise', () => {
  assert.is(controlCall('transactions', ['x'])?.path, 'transactions');
  assert.is(controlCall('settings', []), undefined);
  assert.is(controlCall('constructor', []), undefined);
});

replay('the control plane that a report names is a word to the shell', () => {
  const whole = recorded(call(1, {}), command(2, 'advance', [5], {}));
  const target = { base_url: 'http://127.0.0.1:1', control_url: 'http://127.0.0.1:1/$(touch p)' };
  const script = replayScript({ ...sampleReport, target }, whole);
  assert.ok(script.includes(`usual_control="$BASE_URL"'/$(touch p)'`));
  assert.is(script.split('touch p').length, 2);
});

replay('what a report says of a delivery is one comment, and its bodies are no files', () => {
  const body = { request: { ...call(1, {}).request, body: '@/etc/hostname' } };
  const url = 'http://127.0.0.1:1/\ntouch pwned';
  const delivered = { ...call(2, {}), kind: 'delivery' as const };
  const request = { ...delivered.request, url };
  const given = recorded({ ...call(1, {}), ...body }, { ...delivered, request });
  const script = replayScript(sampleReport, given);
  assert.not.match(script, /^touch/m);
  assert.not.match(script, "--data-binary '@");
  assert.match(script, `printf '%s' '@/etc/hostname' >"$work/1.request"`);
});

replay.run();

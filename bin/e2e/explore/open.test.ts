// Open questions: a target that answers a question differently from the model is not accused, whether
// the question was observed or not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { observe, observeForms, unaskedIn } from '../../../conformance/explore/observe.ts';
import type { Step, Value } from '../../../conformance/explore/sequence.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';
import {
  account,
  answering,
  createAccount,
  decide,
  deposit,
  explored,
  sending,
  subscribed,
} from './testing/explored.ts';

const open = suite('open questions');

const call = { do: 'call', as: 'firm' } as const;
const paid: readonly Step[] = [createAccount(1), { do: 'open', n: 2, account }, deposit(3)];

/** Settings of the target, each with steps that show them. */
const ROWS: readonly (readonly [answers: Partial<Settings>, steps: readonly Step[]])[] = [
  [{ email_case_sensitive: true }, [createAccount(1), createAccount(2, upperEmail(1))]],
  [{ cancel_from_approved: 'cancelled' }, [...paid, decide(4, 'approve'), decide(5, 'cancel')]],
  [{ reject_from_approved: 'rejected' }, [...paid, decide(4, 'approve'), decide(5, 'reject')]],
  // It settles while time passes, which no step names.
  [
    { approve_from_settled: 'refused' },
    [...paid, decide(4, 'approve'), pause(5), decide(6, 'approve')],
  ],
  [
    { zero_amount: 'accepted' },
    [...paid, deposit(4, { client_reference_id: { $fresh: 'z' }, amount: '0' })],
  ],
  [{ unknown_fields: 'refused' }, [createAccount(1, { note: 'unknown' })]],
  [{ absent_optionals: 'empty' }, [createAccount(1)]],
  [{ account_named_after_email: 'local_part' }, [createAccount(1)]],
  [{ phone_form: 'digits' }, [createAccount(1, { phone: { $phone: 'p', form: 'spaced' } })]],
  [{ unauthorized_status: 403 }, [{ ...createAccount(1), as: 'anonymous' }]],
  [{ missing_if_match: 428 }, [createAccount(1), untagged(2)]],
  [{ first_revision: 7, revision_step: 2 }, [createAccount(1), tagged(2)]],
  [{ token_errors: 'problem' }, [wrongToken(1)]],
  [{ settlement_delay_ms: null }, [...paid, decide(4, 'approve'), pause(5), deposit(6, {}, 'x')]],
];

function upperEmail(n: number): { readonly [name: string]: Value } {
  const email = { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] };
  return { email: { $case: 'upper', of: email } };
}

function untagged(n: number): Step {
  const key = { $fresh: `u${n}` };
  return { ...{ ...call, n, operation: 'updateAccount', id: account, key }, body: { status: 'a' } };
}

function tagged(n: number): Step {
  return { ...(untagged(n) as object), ifMatch: { $header: 1, name: 'etag' } } as Step;
}

function wrongToken(n: number): Step {
  const body = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' };
  return { do: 'call', n, operation: 'issueToken', as: 'anonymous', body };
}

function pause(n: number): Step {
  return { do: 'advance', n, byMs: 60_000 };
}

for (const [answers, steps] of ROWS) {
  open(`${JSON.stringify(answers)}: no difference if the setting was not observed`, async () => {
    const all = await explored({ answers, steps, unasked: unaskedIn({}) });
    const places = [...all.found, ...all.unexplained].map(({ difference: { at } }) => at);
    assert.equal(places, []);
    assert.equal(all.inconclusive, []);
  });
}

open('a subscription that one side alone has disabled is not compared in a list', async () => {
  const steps: readonly Step[] = [
    ...subscribed,
    // NS-48: the target does not know this form of the id.
    { ...call, n: 3, operation: 'disableWebhook', id: { $join: ['0', { $of: 2, at: 'id' }] } },
    { ...call, n: 4, operation: 'listWebhooks' },
  ];
  const bent = sending((wire, next) =>
    next({ ...wire, url: wire.url.replace(/\/0\d+\/disable$/, '/999999/disable') }),
  );
  const all = await explored({ steps, bent });
  assert.equal([all.found, all.unexplained], [[], []]);
});

open('an open member is no difference beside another member that is one', async () => {
  const leaking = answering((body) => body.replace(/("firm_id":"1")}$/, '$1,"email":"a"}'));
  const steps = [createAccount(1, { phone: { $phone: 'p', form: 'e164' } })];
  const answers = { phone_form: 'digits' } as const;
  const all = await explored({ answers, steps, unasked: unaskedIn({}), bent: leaking });
  const places = all.found.map(({ difference }) => difference.at);
  assert.equal(places, ['body.email']);
  assert.equal(all.learned, answers);
});

open('an open row of a batch does not hide a difference in another row', async () => {
  const { body: one } = createAccount(2, { first_name: { $fresh: 'long', length: 129 } });
  const { body: two } = createAccount(3);
  const batch: Step = {
    ...{ ...call, n: 1, operation: 'bulkCreateAccounts', key: { $fresh: 'b1' } },
    body: { accounts: [one!, two!] },
  };
  // The target refuses the long name, whose limit is open, and answers another row like this.
  const rowsLike = (second: string) =>
    answering((body) => {
      let row = 0;
      return body.replace(/"status":201,"id":"(\d+)"/g, (_, id) => {
        row += 1;
        return row === 1 ? '"status":422,"id":null' : `"status":${second},"id":"${id}"`;
      });
    });
  const foundWith = async (second: string) => {
    const { found } = await explored({ steps: [batch], bent: rowsLike(second) });
    return found.map(({ difference }) => [difference.at, difference.target]);
  };
  assert.equal(await foundWith('201'), []);
  assert.equal(await foundWith('200'), [['body.rows.1.status', '200']]);
});

open('how soon a read shows that an event was delivered is no difference', async () => {
  const steps: readonly Step[] = [
    ...subscribed,
    createAccount(3),
    { ...call, n: 4, operation: 'getWebhook', id: { $of: 2, at: 'id' } },
  ];
  let writtenMs = 0;
  const bent = answering((body, { method }) => {
    if (method !== 'GET') writtenMs = performance.now();
    const isLate = method === 'GET' && performance.now() - writtenMs <= 200;
    return isLate ? body.replace(/"last_delivered_seq":\d+/, '"last_delivered_seq":0') : body;
  });
  const all = await explored({ steps, bent });
  assert.equal([all.found, all.unexplained], [[], []]);
  assert.match(all.inconclusive.join(), 'a difference was not met again');
});

open('a setting that was observed counts as a difference elsewhere', async () => {
  const steps = [...paid, decide(4, 'approve'), decide(5, 'cancel')];
  const { found } = await explored({ answers: { cancel_from_approved: 'cancelled' }, steps });
  assert.is(found.length, 1);
});

open('settings that were not observed are learned from differences', async () => {
  const answers = { absent_optionals: 'empty', webhook_create_status: 200 } as const;
  const steps = [createAccount(1)];
  const all = await explored({ answers, steps, unasked: unaskedIn({}) });
  assert.equal([all.found, all.learned], [[], { absent_optionals: 'empty' }]);
});

const HOUR_MS = 3_600_000;
const afterPause = (byMs: number): readonly Step[] => [
  ...[createAccount(1), { do: 'open', n: 2, account } satisfies Step, deposit(3)],
  ...[decide(4, 'approve'), { do: 'advance', n: 5, byMs } satisfies Step, deposit(6, {}, 'again')],
];

open('settlement after the observed time is no difference (NS-3)', async () => {
  const answers = { settlement_delay_ms: 2 * HOUR_MS };
  const settings = { settlement_delay_ms: null };
  const late = await explored({ answers, settings, steps: afterPause(3 * HOUR_MS) });
  assert.equal(late.found, []);
  const early = { settlement_delay_ms: HOUR_MS / 4 };
  const { found } = await explored({ answers: early, settings, steps: afterPause(HOUR_MS / 2) });
  assert.is.not(found.length, 0);
});

open('settings are learned from the target, and unobserved settings are left out', async () => {
  const named = { account_named_after_email: 'local_part' } as const;
  const answers = { ...named, first_revision: 7, revision_step: 2 };
  const { provider, sender, close } = await simulatorModel({ ...defaultSettings, ...answers });
  const { signal } = new AbortController();
  const asked = { provider, sender, signal, most: 600, timeoutMs: 10_000, secret: () => {} };
  const { settings, requests } = await observe(asked).finally(close);
  for (const [name, value] of Object.entries(answers)) assert.equal(settings[name], value, name);
  assert.ok(Object.keys(settings).length < Object.keys(defaultSettings).length);
  assert.ok(requests < 700, `${requests} requests`);
});

open('orders without an answer are compared, refused ones are not (NS-1)', async () => {
  for (const [status, hasOrders] of [
    [502, true],
    [422, false],
  ] as const) {
    const model = await simulatorModel(defaultSettings);
    const headers = [['content-type', 'text/plain'] as const];
    const { sender } = sending(async (wire, next) => {
      const answer = await next(wire);
      if (!wire.url.endsWith('/positions/close')) return answer;
      const kept = answer.headers.filter(([name]) => name === 'x-request-id');
      return { status, headers: [...kept, ...headers], body: Buffer.from('no') };
    })(model);
    const { signal } = new AbortController();
    const asked = { provider: model.provider, sender, signal, most: 600, timeoutMs: 10_000 };
    const forms = await observeForms({ ...asked, secret: () => {} }).finally(model.close);
    assert.equal([forms.hasOrders, forms.orders], [hasOrders, undefined], `${status}`);
  }
});

open.run();

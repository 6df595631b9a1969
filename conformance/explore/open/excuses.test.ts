// What is excused is an open question, and what stands beside it is not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import type { Case } from './case.ts';
import { excuseOf } from './excuses.ts';

const excuses = suite('excuses');

interface Played {
  readonly operation: CallStep['operation'];
  readonly path?: string;
  readonly body?: object;
  readonly target: number;
  readonly model: number;
  readonly cites?: readonly string[];
  readonly more?: Partial<Case>;
}

const json = { mediaType: () => 'application/problem+json' };

function questionOf(given: Played) {
  const { operation, path = '/', body, target, model, cites = [], more } = given;
  const sent = {
    target: path,
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
  const played = {
    step: { operation, as: 'firm' },
    difference: { at: 'status' },
    target: { status: target, sent, headers: json } as unknown as CallOutcome,
    model: { status: model, headers: json, basis: { cites } } as unknown as CallOutcome,
    ...more,
  };
  return excuseOf(played as unknown as Case)?.question;
}

excuses('whether a text of spaces is an empty one is open, and of an empty one nothing is', () => {
  const cancel = { operation: 'cancelTransaction', target: 200, model: 422 } as const;
  assert.is(questionOf({ ...cancel, body: { reason: ' ' } }), null);
  assert.is(questionOf({ ...cancel, body: { reason: '' } }), undefined);
  const create = { operation: 'createTransaction', target: 201, model: 422 } as const;
  assert.is(questionOf({ ...create, body: { currency: '  ' } }), null);
  assert.is(questionOf({ ...create, body: { client_reference_id: ' ' } }), undefined);
});

excuses(
  'a word that is not named may be invalid or what cannot be read, and a named one is right',
  () => {
    const create = { operation: 'createTransaction', target: 400, model: 422 } as const;
    const text = { mediaType: () => 'text/plain' };
    const asked = (body: object) =>
      excuseOf({
        step: create,
        difference: { at: 'status' },
        target: {
          status: 400,
          sent: { target: '/', body: Buffer.from(JSON.stringify(body)) },
          headers: text,
        },
        model: { status: 422, headers: json, json: { code: 'validation_failed' } },
      } as unknown as Case)?.question;
    assert.is(asked({ method: 'Deposit', transaction_type: 'deposit' }), null);
    assert.is(asked({ method: 'Cash' }), null);
    assert.is(asked({ method: 'Deposit', transaction_type: 'Deposit', amount: 'x' }), undefined);
  },
);

excuses(
  'one that is disabled may be refused to be disabled again, and an enabled one is not',
  () => {
    const again = { operation: 'disableWebhook', target: 409, model: 200 } as const;
    assert.is(questionOf({ ...again, cites: ['HOOK-13'] }), 'NS-7');
    assert.is(questionOf({ ...again, cites: ['HOOK-5', 'HOOK-13'] }), undefined);
    assert.is(questionOf({ ...again, operation: 'getWebhook', cites: ['HOOK-13'] }), undefined);
  },
);

excuses('a method may have to go with the type, and one that does is taken', () => {
  const create = { operation: 'createTransaction', target: 422, model: 201 } as const;
  const said = (transaction_type: string, method?: string, amount = '1') =>
    questionOf({ ...create, body: { transaction_type, amount, ...(method && { method }) } });
  assert.is(said('Withdrawal', 'Bonus'), null);
  assert.is(said('Deposit', undefined, '-1'), null);
  assert.is(said('Deposit', 'Bonus'), undefined);
  assert.is(said('Debit', undefined, '-1'), undefined);
});

excuses('money that arrives at once may still be on its way to a call at once', () => {
  const approve = { operation: 'approveTransaction', target: 200, model: 200 } as const;
  const shown = (target: string, model: string, settlesMeanwhile = true) => {
    const answer = (status: string) =>
      ({ status: 200, json: { status }, sent: { target: '/' }, headers: json }) as const;
    const own = answer(target) as unknown as CallOutcome;
    const other = { ...answer(model), basis: { cites: [] } } as unknown as CallOutcome;
    return questionOf({ ...approve, more: { target: own, model: other, settlesMeanwhile } });
  };
  assert.is(shown('approved', 'settled'), 'NS-3');
  assert.is(shown('approved', 'settled', false), undefined);
  assert.is(shown('pending', 'settled'), undefined);
  assert.is(shown('settled', 'approved'), undefined);
});

excuses('what disabling answers is open, and that it is served is not', () => {
  const disable = { operation: 'disableWebhook', path: '/api/v1/webhooks/7/disable' } as const;
  assert.is(questionOf({ ...disable, target: 202, model: 200 }), 'NS-7');
  assert.is(questionOf({ ...disable, target: 404, model: 200 }), undefined);
});

excuses('an empty reason is open where nothing is decided any more (TXS-14)', () => {
  const again = { operation: 'rejectTransaction', target: 422, model: 200 } as const;
  assert.is(questionOf({ ...again, body: { reason: '' } }), null);
  assert.is(questionOf({ ...again, body: { reason: 'late' } }), undefined);
  assert.is(
    questionOf({ ...again, operation: 'approveTransaction', body: { reason: '' } }),
    undefined,
  );
});

excuses('a query without its account is refused in any form, and one with it is not', () => {
  const cites = ['TXS-15'];
  const approve = { operation: 'approveTransaction', model: 422, cites } as const;
  const path = '/api/v1/transactions/1/approve';
  assert.is(questionOf({ ...approve, path, target: 400 }), null);
  assert.is(questionOf({ ...approve, path: `${path}?account_id=x`, target: 400 }), undefined);
  assert.is(questionOf({ ...approve, path, target: 200 }), undefined);
});

excuses('what makes an order in a form of the target’s own a wrong one is open', () => {
  const open = { operation: 'openPosition', target: 201 } as const;
  assert.is(questionOf({ ...open, model: 422 }), 'NS-1');
  assert.is(questionOf({ ...open, model: 404 }), undefined);
});

excuses('the tag of another account may fit or not, and that of the account itself does', () => {
  const sent = { target: '/api/v1/accounts/1' };
  const played = {
    ...{ step: { operation: 'updateAccount' }, difference: { at: 'status' } },
    target: { status: 412, sent, headers: json },
    model: { status: 200, headers: json },
  };
  const covered = (tagOf: string) => excuseOf({ ...played, tagOf } as unknown as Case)?.question;
  assert.is(covered('2'), 'NS-26');
  assert.is(covered('1'), undefined);
});

excuses('an id of a subscription that no number holds is refused in any way', () => {
  const read = { operation: 'getWebhook', target: 400, model: 404 } as const;
  assert.is(questionOf({ ...read, path: '/api/v1/webhooks/9007199254740993' }), 'NS-45');
  assert.is(questionOf({ ...read, path: '/api/v1/webhooks/abc' }), 'NS-45');
  assert.is(questionOf({ ...read, path: '/api/v1/webhooks/7' }), undefined);
});

excuses('a row whose brand is no id may fail alone, or refuse the batch', () => {
  const batch = { operation: 'bulkCreateAccounts', target: 403, model: 200 } as const;
  const of = (brand_id: string) => ({
    accounts: [{ client_reference_id: 'a', email: 'a@b', brand_id }],
  });
  assert.is(questionOf({ ...batch, body: of('10.0') }), 'NS-33');
  assert.is(questionOf({ ...batch, body: of('10') }), undefined);
});

excuses('an empty text may change what reads as empty, and a text changes it', () => {
  const update = { operation: 'updateAccount', target: 200, model: 422 } as const;
  assert.is(questionOf({ ...update, body: { last_name: '' } }), 'NS-44');
  assert.is(questionOf({ ...update, body: { last_name: 'Ada' } }), undefined);
  // Beside it stands what is stored already, as the model says.
  const beside = { ...update, body: { first_name: 'Ada', last_name: '' } };
  assert.is(questionOf({ ...beside, cites: ['UPD-8'] }), 'NS-44');
  assert.is(questionOf(beside), undefined);
  assert.is(questionOf({ ...beside, target: 422, model: 200 }), undefined);
});

excuses('a member that is not known may be refused, and one that is may not', () => {
  const update = { operation: 'updateAccount', target: 422, model: 200 } as const;
  assert.is(questionOf({ ...update, body: { country: 'NO', shoe_size: 43 } }), 'NS-27');
  assert.is(questionOf({ ...update, target: 400, body: { email: 'a@b', country: 'NO' } }), 'NS-27');
  assert.is(questionOf({ ...update, target: 409, body: { shoe_size: 43 } }), undefined);
  assert.is(questionOf({ ...update, body: { country: 'NO', language: 'nb' } }), undefined);
  const batch = { operation: 'bulkCreateAccounts', target: 200, model: 422 } as const;
  const row = { client_reference_id: 'a', email: 'a@example.org', brand_id: '10' };
  const accounts = [row, { ...row, shoe_size: 43 }];
  assert.is(questionOf({ ...batch, body: { accounts } }), 'NS-27');
  assert.is(questionOf({ ...batch, body: { accounts: [row] } }), undefined);
});

excuses('a tag in quotes that is no revision may be malformed, and a revision is not', () => {
  const covered = (tag: string) => {
    const sent = { target: '/api/v1/accounts/1', headers: [['if-match', tag]] };
    const target = { status: 422, sent, headers: json };
    const sides = { target, model: { status: 412, headers: json } };
    const step = { operation: 'updateAccount' };
    return excuseOf({ step, ...sides, difference: { at: 'status' } } as unknown as Case);
  };
  assert.is(covered('"x"')?.question, null);
  assert.is(covered('"7"'), undefined);
});

excuses('what pays out is open where type and method gainsay each other', () => {
  const covered = (transaction_type: string, method: string) => {
    const step = { operation: 'approveTransaction' };
    const target = { status: 501, sent: {}, headers: json };
    const model = { status: 200, headers: json, json: { transaction_type, method } };
    return excuseOf({ step, target, model, difference: { at: 'status' } } as unknown as Case);
  };
  assert.is(covered('Deposit', 'Withdrawal')?.question, 'NS-43');
  assert.is(covered('Withdrawal', 'Deposit')?.question, 'NS-43');
  assert.is(covered('Withdrawal', 'Withdrawal'), undefined);
  assert.is(covered('Debit', 'Deposit'), undefined);
});

excuses('how a brand of another firm is refused is open, and that it is not is none', () => {
  const create = { operation: 'createAccount', model: 403, cites: ['AUTH-7', 'NS-63'] } as const;
  assert.is(questionOf({ ...create, target: 422 }), 'NS-63');
  assert.is(questionOf({ ...create, target: 201 }), undefined);
});

excuses('what the model refuses as unreadable and the target as a fault may be kept', () => {
  const at = (mediaType: string) => ({ headers: { mediaType: () => mediaType } });
  const [problem, text] = [at('application/problem+json'), at('text/plain')];
  const step = { operation: 'updateAccount' };
  const target = { ...problem, status: 422, sent: {} };
  const sides = { target, model: { ...problem, status: 200 } };
  const covered = (again: object) =>
    excuseOf({ step, ...sides, again, difference: { at: 'status' } } as unknown as Case)?.question;
  assert.is(covered({ target: problem, model: text }), 'NS-30');
  assert.is(covered({ target: text, model: text }), 'NS-30');
  assert.is(covered({ target: problem, model: problem }), undefined);
});

excuses('how long a token lives is open, but for as long as the target has said', () => {
  const step = {
    operation: 'createAccount',
    headers: { authorization: 'x' },
  } as unknown as CallStep;
  const used = { operation: 'createAccount', target: 401, model: 201 } as const;
  assert.is(questionOf({ ...used, more: { step, hasPaused: true } }), 'NS-8');
  assert.is(questionOf({ ...used, more: { step, hasPaused: true, isTokenLive: true } }), undefined);
});

excuses('an amount of more digits than are kept may be refused, and no other', () => {
  const create = { operation: 'createTransaction', target: 422, model: 201 } as const;
  for (const amount of ['0.001', '1234567890123456', '12345678901234.56']) {
    assert.is(questionOf({ ...create, body: { amount } }), null, amount);
    assert.is(questionOf({ ...create, target: 404, body: { amount } }), undefined, amount);
  }
  for (const amount of ['0.01', '123456789012345']) {
    assert.is(questionOf({ ...create, body: { amount } }), undefined, amount);
  }
});

excuses('CONV-2a: the form of an order is open, and that its decimals are none is not', () => {
  const open = { operation: 'openPosition', target: 201, model: 201 } as const;
  const shown = (target: string) => ({
    difference: { at: 'body.volume', target, model: '"0.0000001"' } as Case['difference'],
  });
  assert.is(questionOf({ ...open, more: shown('"0.1"') }), 'NS-1');
  assert.is(questionOf({ ...open, more: shown('"1e-7"') }), undefined);
});

excuses.run();

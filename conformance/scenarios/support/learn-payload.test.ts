// Learns orders from services of several tongues: from a schema, and from refusals alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Answer, type Json } from '../../engine/send/answer.ts';
import { Headers } from '../../engine/send/headers.ts';
import type { JsonObject } from './api-description.ts';
import { complaintIn, learnPayload, type Payload } from './learn-payload.ts';

const learning = suite('learning a payload');

function answerOf(status: number, body: string, type = 'text/plain'): Answer {
  const headers = new Headers([['content-type', type]]);
  return new Answer({ n: 1, status, headers, body: Buffer.from(body), atMs: 0, durationMs: 0 });
}

/** How a service says what is amiss. */
interface Tongue {
  readonly missing: (name: string) => Answer;
  readonly wrong: (name: string, allowed: readonly string[]) => Answer;
}

const problem = (body: object) => answerOf(422, JSON.stringify(body), 'application/problem+json');

const TONGUES: Readonly<Record<string, Tongue>> = {
  'names it after a colon': {
    missing: (name) => answerOf(400, `missing required field: ${name}`),
    wrong: (name, allowed) => answerOf(422, `${name} must be one of ${allowed.join(', ')}`),
  },
  'quotes it as a JSON reader does': {
    missing: (name) => answerOf(422, `missing field \`${name}\` at line 1 column 34`),
    wrong: (name, [a = '', b = '']) =>
      answerOf(422, `invalid "${name}": expected one of "${a}" or "${b}"`),
  },
  'lists it among errors': {
    missing: (name) => problem({ detail: 'The body is invalid.', errors: [{ field: name }] }),
    wrong: (name) =>
      problem({ detail: 'The body is invalid.', errors: [{ path: `/body/${name}` }] }),
  },
  'says it is required': {
    missing: (name) => problem({ detail: `${name} is required`, errors: [] }),
    wrong: (name) => problem({ detail: `The value of ${name} is not valid`, errors: [] }),
  },
};

/** Takes an order in these members, and says by one of the tongues what it lacks. */
function service({ missing, wrong }: Tongue) {
  let requests = 0;
  const wanted: Readonly<Record<string, readonly string[] | null>> = {
    symbol: null,
    direction: ['long', 'short'],
    lots: null,
  };
  const send = async (body: Payload) => {
    requests += 1;
    for (const [name, allowed] of Object.entries(wanted)) {
      const value = body[name];
      if (value === undefined) return missing(name);
      if (allowed !== null && !allowed.includes(String(value))) return wrong(name, allowed);
    }
    return answerOf(201, '{"id":"1"}', 'application/json');
  };
  return { send, count: () => requests };
}

const known = { trading_account_id: '5001' };

for (const [name, tongue] of Object.entries(TONGUES)) {
  learning(`from a service that ${name}`, async () => {
    const { send, count } = service(tongue);
    const learned = await learnPayload({ known, send });
    assert.is(learned?.answer.status, 201);
    assert.equal(
      { ...learned?.body, lots: 'any', symbol: 'any' },
      {
        ...known,
        symbol: 'any',
        direction: 'long',
        lots: 'any',
      },
    );
    assert.is(learned?.other.trading_account_id, '5001');
    for (const member of ['symbol', 'direction', 'lots']) {
      assert.is.not(learned?.other[member], learned?.body[member], member);
    }
    assert.ok(count() <= 9, `${count()} requests`);
  });
}

learning('from its schema, at once', async () => {
  const { send, count } = service(TONGUES['says it is required']!);
  const schema: JsonObject = {
    required: ['trading_account_id', 'symbol', 'direction', 'lots'],
    properties: {
      symbol: { type: 'string', examples: ['XAUUSD'] },
      direction: { type: 'string', enum: ['short', 'long'] },
      lots: { type: 'string' },
    },
  };
  const description = {
    pathsOf: () => [],
    requestSchema: () => undefined,
    resolve: (each?: Json) => each as JsonObject,
  };
  const learned = await learnPayload({ known, send, schema, description });
  assert.equal(learned?.body, { ...known, symbol: 'XAUUSD', direction: 'short', lots: '0.10' });
  assert.is(learned?.other.direction, 'long');
  assert.is(count(), 1);
});

learning('gives up where a refusal is about something else, or says nothing', async () => {
  const refusing = (answer: Answer) => learnPayload({ known, send: async () => answer });
  assert.is(await refusing(answerOf(403, 'missing required field: symbol')), undefined);
  assert.is(await refusing(answerOf(400, 'Bad Request')), undefined);
  assert.is(await refusing(answerOf(422, '')), undefined);
});

learning('never asks for ever', async () => {
  let requests = 0;
  const send = async () => {
    requests += 1;
    return answerOf(400, `missing required field: member_${requests}`);
  };
  assert.is(await learnPayload({ known, send }), undefined);
  assert.ok(requests < 40, `${requests} requests`);
});

const SAID: readonly (readonly [
  text: string,
  names: readonly string[],
  allowed: readonly string[],
])[] = [
  ['missing required field: direction', ['direction'], []],
  ['trading_account_id is required', ['trading_account_id'], []],
  ['Field required: instrument', ['instrument'], []],
  ['side must be one of buy, sell', ['side'], ['buy', 'sell']],
  ['direction: expected one of long | short', ['direction'], ['long', 'short']],
  ['The body could not be read.', [], []],
];

for (const [text, names, allowed] of SAID) {
  learning(`"${text}"`, () => {
    const said = complaintIn(answerOf(400, text));
    assert.equal(said.allowed, allowed);
    assert.equal(said.names.slice(0, 1), names);
  });
}

learning.run();

// Checks what becomes of open questions that nobody has asked the target about: what it does
// shows them by and by, several in one call, and it is accused of none.
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ideas as everyIdea } from '../../../conformance/explore/draw/ideas.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import { rulesFor } from '../../../conformance/explore/findings/rules.ts';
import { unaskedIn } from '../../../conformance/explore/learn.ts';
import type { GroundAnswer } from '../../../conformance/explore/play/ground.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const unasked = suite('open questions that nobody has asked');

const OTHER = {
  absent_optionals: 'empty',
  account_named_after_email: 'local_part',
  phone_form: 'digits',
  webhook_create_status: 200,
} as const satisfies Partial<Settings>;

interface Options {
  readonly asked?: boolean;
  readonly bends?: readonly Deviation[];
  readonly settings?: Partial<Settings>;
  readonly seed?: number;
  /** So many sequences at once. */
  readonly width?: number;
  /** What becomes of an answer on its way. */
  readonly bent?: (answer: GroundAnswer) => Promise<GroundAnswer>;
}

/** Each takes another time, so that sequences overtake one another. */
async function afterAWhile(answer: GroundAnswer): Promise<GroundAnswer> {
  await setTimeout(answer.body.length % 7);
  return answer;
}

/** NS-24: what the simulator writes as "+ 44" reads "0044". */
async function inAnotherForm(answer: GroundAnswer): Promise<GroundAnswer> {
  const text = Buffer.from(answer.body).toString().replace('"phone":"+ ', '"phone":"00');
  return { ...answer, body: Buffer.from(text) };
}

async function explored(options: Options) {
  const { asked = false, bends = [], settings = OTHER, seed = 3, width = 1, bent } = options;
  const target = await simulatorModel({ ...defaultSettings, ...settings }, bends);
  try {
    return await explore({
      provider: target.provider,
      sender: {
        ...target.sender,
        send: async (wire) => {
          const answer = await target.sender.send(wire);
          return bent === undefined ? answer : bent(answer);
        },
      },
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      settings: {},
      unasked: unaskedIn(asked ? defaultSettings : {}),
      ideas: everyIdea.filter(({ id }) => /^(account|update|webhook)\//.test(id)),
      seed,
      requests: 600,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      crowd: 8,
      width,
    });
  } finally {
    await target.close();
  }
}

unasked('are learned from what it shows', async () => {
  const { found, unexplained, learned, agreed } = await explored({});
  assert.equal(found, []);
  assert.equal(unexplained, []);
  assert.equal(learned, OTHER);
  assert.ok(agreed > 4, `only ${agreed} sequences agreed`);
});

unasked('are learned while other sequences are compared with what was known before', async () => {
  for (const seed of [1, 2]) {
    const { found, unexplained } = await explored({ seed, width: 4, bent: afterAWhile });
    assert.equal(
      [...found, ...unexplained].map(({ difference }) => difference),
      [],
    );
  }
});

unasked('are learned where the model has not got the form of the answer', async () => {
  const settings = { phone_form: 'other' } as const;
  const { found, learned } = await explored({ settings, bent: inAnotherForm });
  assert.equal(
    found.map(({ difference }) => difference),
    [],
  );
  assert.equal(learned, settings);
});

unasked(
  'have been answered where they were asked, and another answer is a difference',
  async () => {
    const { found, learned } = await explored({ asked: true });
    assert.equal(learned, {});
    assert.ok(found.length > 0);
  },
);

unasked('hide nothing that deviates', async () => {
  const bend = findDeviation('replay-of-updates-runs');
  assert.ok(bend);
  const { found } = await explored({ bends: [bend] });
  const rules = found.flatMap((each) => rulesFor(each).slice(0, 1));
  assert.ok(
    rules.length > 0 && rules.every((rule) => bend.breaks.includes(rule as never)),
    rules.join(),
  );
});

unasked.run();

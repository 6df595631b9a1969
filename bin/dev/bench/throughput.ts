// Requests a second of POST /api/v1/accounts, against node:http and bare fastify in the same run.
import { type Figure, median, medianRatio } from './figures.ts';
import { drive } from './load.ts';
import { clientMix, createAccountRequests, type RequestShape } from './requests.ts';
import { startSandbox } from './sandbox.ts';
import { type Subject, startSubject } from './subject.ts';

// Many short rounds: a neighbour who takes the machine for some seconds spoils few of them.
const rounds = 15;
const roundMs = 500;
const warmUpMs = 1500;
// Above this the load itself may have set the pace.
const mostBusy = 0.97;
// Two measurements of the same thing differ by this much.
const noSlower = 0.97;

interface Case {
  readonly name: string;
  readonly expected: number | readonly number[];
  readonly shape: () => RequestShape;
  /** Other requests than creates. */
  readonly requests?: (shape: RequestShape) => () => string;
  readonly atLeast?: number;
}

/** All cases, round by round one after another, so that each round sees the same machine. */
export async function throughput(log: (line: string) => void): Promise<Figure[]> {
  const raw = await startSubject(['bin/dev/bench/servers/node-http.js']);
  const fastify = await startSubject(['bin/dev/bench/servers/fastify.js']);
  const sandbox = await startSandbox();
  const yardstick = (name: string, { port }: Subject): Case => ({
    name,
    expected: 201,
    shape: () => ({ port, token: 'none' }),
  });
  const { port } = sandbox;
  const good = () => ({ port, token: sandbox.token });
  const cases: readonly Case[] = [
    yardstick('node:http with JSON.parse', raw),
    yardstick('bare fastify', fastify),
    { name: 'sandbox, new key each', expected: 201, shape: good, atLeast: 0.5 },
    // Next to what they are held against: with each case the world has grown.
    { name: 'sandbox, 422', expected: 422, shape: () => ({ ...good(), badEmail: true }) },
    { name: 'sandbox, 401', expected: 401, shape: () => ({ port, token: 'unknown' }) },
    { name: 'sandbox, 429', expected: 429, shape: () => ({ port, token: sandbox.limitedToken }) },
    {
      name: 'sandbox, replay',
      expected: 201,
      shape: () => ({ ...good(), sameKey: true }),
      atLeast: 0.6,
    },
    {
      name: 'sandbox, a client that reads 5, creates 3, repeats 1 and is refused 1 of 10 times',
      expected: [200, 201, 422],
      shape: good,
      requests: clientMix,
    },
  ];

  const measured = new Map<Case, number[]>(cases.map((one) => [one, []]));
  try {
    for (const one of cases) await measure(one, warmUpMs, log);
    for (let round = 0; round < rounds; round++) {
      await sandbox.reset();
      for (const one of cases) measured.get(one)?.push(await measure(one, roundMs, log));
      log(`throughput: round ${round + 1} of ${rounds}`);
    }
  } finally {
    await Promise.all([raw, fastify, sandbox].map((subject) => subject.stop()));
  }
  return figuresOf(cases, measured);
}

async function measure(
  one: Case,
  durationMs: number,
  log: (line: string) => void,
): Promise<number> {
  const shape = one.shape();
  const next = (one.requests ?? createAccountRequests)(shape);
  const result = await drive({ port: shape.port, durationMs, next });
  const total = [...result.statuses.values()].reduce((sum, count) => sum + count, 0);
  const wanted = [one.expected].flat();
  const expected = wanted.reduce((sum, each) => sum + (result.statuses.get(each) ?? 0), 0);
  // A fast server that answers something else is not fast at what is measured.
  if (expected < total * 0.99) {
    const seen = [...result.statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
    throw new Error(`${one.name}: expected ${wanted.join(' or ')}, got ${seen}`);
  }
  if (result.busy > mostBusy) {
    log(`throughput: ${one.name}: the load was ${(result.busy * 100).toFixed(0)} % busy itself`);
  }
  return result.perSecond;
}

function figuresOf(cases: readonly Case[], measured: ReadonlyMap<Case, number[]>): Figure[] {
  const of = (one: Case | undefined) => (one && measured.get(one)) ?? [];
  const raw = of(cases[0]);
  const success = of(cases[2]);
  const figures = cases.map((one): Figure => {
    const value = `${Math.round(median(of(one))).toLocaleString('en')}/s`;
    const figure = { name: one.name, value, ratio: medianRatio(of(one), raw) };
    return one.atLeast === undefined ? figure : { ...figure, aim: { atLeast: one.atLeast } };
  });
  const isRefused = ({ expected }: Case) => typeof expected === 'number' && expected >= 400;
  const refusals = cases.filter(isRefused).map((one): Figure => {
    const ratio = medianRatio(of(one), success);
    return { name: `${one.name} against a success`, value: '', ratio, aim: { atLeast: noSlower } };
  });
  return [...figures, ...refusals];
}

// From spawn to the first answer, against a bare node:http program, and memory at rest.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, median, medianRatio } from './figures.ts';
import { drive } from './load.ts';
import { createAccountRequests } from './requests.ts';
import { type Subject, startSubject } from './subject.ts';

const rounds = 15;
const restMs = 2000;

const programs = {
  'node:http': ['bin/dev/bench/servers/node-http.js'],
  fastify: ['bin/dev/bench/servers/fastify.js'],
  sandbox: ['bin/sandbox.js', 'start', '--port', '0', '--json'],
} as const;

type Program = keyof typeof programs;
const names = Object.keys(programs) as Program[];

/** One spawn of each program a round; a first round that fills the disk's cache is not counted. */
export async function start(log: (line: string) => void): Promise<Figure[]> {
  const times = new Map<Program, number[]>(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const { subject, firstAnswerMs } = await startOne(name);
      await subject.stop();
      if (round >= 0) times.get(name)?.push(firstAnswerMs);
    }
  }
  log(`start: ${rounds} rounds`);
  const yardstick = times.get('node:http') ?? [];
  const figures = names.map((name): Figure => {
    const own = times.get(name) ?? [];
    const value = `${median(own).toFixed(0)} ms`;
    const figure = {
      name: `${name}, spawn to first answer`,
      value,
      ratio: medianRatio(own, yardstick),
    };
    return name === 'sandbox' ? { ...figure, aim: { atMost: 2.2 } } : figure;
  });
  return [...figures, await memoryAtRest()];
}

/** A program from its spawn to its first right answer. */
export async function startOne(
  name: Program,
): Promise<{ subject: Subject; firstAnswerMs: number }> {
  const startedAtMs = performance.now();
  const subject = await startSubject(programs[name]);
  const own = subject.ready.credentials?.find((credential) => credential.name === 'brand-a');
  const next = createAccountRequests({ port: subject.port, token: own?.token ?? 'none' });
  const { statuses } = await drive({ port: subject.port, durationMs: 0, next, connections: 1 });
  const firstAnswerMs = performance.now() - startedAtMs;
  if (!statuses.has(201)) {
    await subject.stop();
    throw new Error(`${name}: the first answer was ${[...statuses.keys()].join()}, expected 201`);
  }
  return { subject, firstAnswerMs };
}

async function memoryAtRest(): Promise<Figure> {
  const { subject } = await startOne('sandbox');
  await sleep(restMs);
  const megabytes = subject.residentBytes() / 1024 / 1024;
  await subject.stop();
  const value = `${megabytes.toFixed(0)} MB`;
  return { name: 'sandbox, resident at rest', value, measured: megabytes, aim: { atMost: 80 } };
}

// Writes every input of a world to a file, and plays such a file: the same world and the same
// answers, byte for byte.
import { createWriteStream, type WriteStream } from 'node:fs';
import type { Behaviour } from '../core/behaviour.ts';
import { loadWorld, printSnapshot, snapshotWorld } from '../core/state.ts';
import type { Effect, Input } from '../core/step.ts';
import { step } from '../core/step.ts';
import { phoneTables } from '../core/values/phone.ts';
import type { World } from '../core/world.ts';
import type { WorldHost } from './world-host.ts';

/**
 * First line of a recording: the world it begins with. Every further line is an input, or the world
 * that was put in place of the one before it.
 */
export class Recording {
  readonly #stream: WriteStream;
  readonly #host: WorldHost;
  readonly #stop: () => void;

  /** `onTrouble` is told once when the file cannot be written; the world goes on unrecorded. */
  constructor(host: WorldHost, path: string, onTrouble: (message: string) => void) {
    this.#host = host;
    this.#stream = createWriteStream(path, { flags: 'w' });
    this.#stream.once('error', (error: NodeJS.ErrnoException) => {
      host.onInput = null;
      onTrouble(`the recording could not be written to ${path}: ${error.code ?? error.message}`);
    });
    this.#writeWorld();
    // A reset or a loaded state is no input: what is played goes on with that world.
    this.#stop = host.listen(({ kind }) => {
      if (kind === 'world' && host.onInput !== null) this.#writeWorld();
    });
    host.onInput = (input) => {
      this.#stream.write(`${printInput(input)}\n`);
    };
  }

  #writeWorld(): void {
    const pieces = [...printSnapshot(snapshotWorld(this.#host.world))];
    this.#stream.write(`${pieces.join('').replaceAll('\n', '')}\n`);
  }

  close(): Promise<void> {
    this.#stop();
    this.#host.onInput = null;
    if (this.#stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.end(resolve);
    });
  }
}

/** An input as one line of JSON; bodies are base64, so that any bytes survive. */
export function printInput(input: Input): string {
  if (input.kind !== 'call') return JSON.stringify(input);
  const body = Buffer.from(input.call.body).toString('base64');
  return JSON.stringify({ ...input, call: { ...input.call, body } });
}

export function parseInput(line: string): Input {
  const input = JSON.parse(line) as Input;
  if (input.kind !== 'call') return input;
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

export interface Played {
  readonly world: World;
  /** Everything that was to be done, answers included, in order. */
  readonly effects: readonly Effect[];
}

/** Plays the lines of a recording from its first one on. */
export async function playRecording(
  lines: Iterable<string>,
  behaviour: Behaviour,
): Promise<Played> {
  await phoneTables.load();
  let world: World | null = null;
  const effects: Effect[] = [];
  for (const line of lines) {
    if (line === '') continue;
    if (world === null || line.startsWith('{"format":'))
      world = loadWorld(JSON.parse(line), behaviour);
    else effects.push(...step(world, behaviour, parseInput(line)).effects);
  }
  if (world === null) throw new Error('a recording begins with the world it was made in');
  return { world, effects };
}

// An input of a world as one line of text, and back: what recordings and journals are made of.
import type { Input } from '../../core/step.ts';

/** One line of JSON without its end; bodies are base64, so that any bytes survive. */
export function serializeInput(input: Input): string {
  if (input.kind !== 'call') return JSON.stringify(input);
  const body = Buffer.from(input.call.body).toString('base64');
  return JSON.stringify({ ...input, call: { ...input.call, body } });
}

const inputKinds: readonly unknown[] = ['call', 'time', 'answered', 'target-refused', 'act'];

/** Throws a SyntaxError where it is none. */
export function parseInput(line: string): Input {
  const input = JSON.parse(line) as Input;
  if (!inputKinds.includes(input.kind)) throw new SyntaxError(`${input.kind} is no input`);
  if (input.kind !== 'call') return input;
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

// An input of a world as one line of text, and back: for recordings and write-ahead logs.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import type { Input } from '../../core/step.ts';

/** One line of JSON without its end; bodies are base64, so that any bytes survive. */
export function serializeInput(input: Input): string {
  if (input.kind !== 'call') return JSON.stringify(input);
  const body = Buffer.from(input.call.body).toString('base64');
  return JSON.stringify({ ...input, call: { ...input.call, body } });
}

const text: Schema = { type: 'string' };
const any: Schema = {
  type: 'object',
  properties: { atMs: { type: 'number' } },
  required: ['atMs'],
};
const call: Schema = {
  type: 'object',
  properties: {
    atMs: { type: 'number' },
    call: {
      type: 'object',
      properties: { method: text, target: text, headers: { type: 'object' }, body: text },
      required: ['method', 'target', 'headers', 'body'],
    },
  },
  required: ['atMs', 'call'],
};
const inputKinds: readonly unknown[] = ['call', 'time', 'answered', 'target-refused', 'command'];

/** Throws a SyntaxError where it is none. */
export function parseInput(line: string): Input {
  const input = JSON.parse(line) as Input | null;
  const kind: unknown = input?.kind;
  if (input === null || !inputKinds.includes(kind)) throw new SyntaxError(`${kind} is no input`);
  const [problem] = validate(kind === 'call' ? call : any, input, 'it');
  if (problem !== undefined) throw new SyntaxError(`${problem.field} ${problem.message}`);
  if (input.kind !== 'call') return input;
  const body = new Uint8Array(Buffer.from(input.call.body as unknown as string, 'base64'));
  return { ...input, call: { ...input.call, body } };
}

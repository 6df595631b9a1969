// Ordinary refusals that come as a plain text, without a code (ERR-1a).
import type { Deviation } from '../deviation.ts';

/** Makes a plain text of every problem with such a status and such words. */
const inPlainText =
  (status: number, words: RegExp): Deviation['bend'] =>
  (behaviour) => ({
    ...behaviour,
    refuse: (context, problem) => {
      const reply = behaviour.refuse(context, problem);
      if (problem.status !== status || !words.test(problem.detail)) return reply;
      return { ...reply, contentType: 'text/plain', body: `${problem.detail}\n` };
    },
  });

export const plainTextDeviations: readonly Deviation[] = [
  {
    id: 'id-not-decimal-in-plain-text',
    breaks: ['ERR-1a'],
    story: 'Ids are read together with the body, and refused in the words of the reader.',
    bend: inPlainText(422, / must be a decimal string/),
  },
  {
    id: 'amend-missing-in-plain-text',
    breaks: ['ERR-1a'],
    story: 'Reversals are another service, which says in plain words who may not ask for them.',
    bend: inPlainText(403, /transactions:amend/),
  },
  {
    id: 'stale-tag-in-plain-text',
    breaks: ['ERR-1a'],
    story: 'The proxy compares tags, and answers by itself.',
    bend: inPlainText(412, /./),
  },
];

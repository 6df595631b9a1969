// Every idea there is.
import { accountIdeas } from './accounts.ts';
import { bulkIdeas } from './bulk.ts';
import { decisionIdeas } from './decisions.ts';
import type { Idea } from './idea.ts';
import { moneyIdeas } from './money.ts';
import { repeatIdeas } from './repeats.ts';
import { rereadIdeas } from './rereads.ts';
import { updateIdeas } from './updates.ts';

export const ideas: readonly Idea[] = [
  ...accountIdeas,
  ...updateIdeas,
  ...bulkIdeas,
  ...moneyIdeas,
  ...decisionIdeas,
  ...repeatIdeas,
  ...rereadIdeas,
];

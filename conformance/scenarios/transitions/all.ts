// Every scenario of the states of a transaction.
import { moveScenarios } from '../../cases/moves.ts';
import type { Scenario } from '../../engine/types.ts';
import { firstDepositScenarios } from './first-deposit.ts';
import { moneyScenarios } from './money.ts';
import { refusedDecisionScenarios } from './refused.ts';

export const transactionStateScenarios: readonly Scenario[] = [
  ...moveScenarios,
  ...moneyScenarios,
  ...refusedDecisionScenarios,
  ...firstDepositScenarios,
];

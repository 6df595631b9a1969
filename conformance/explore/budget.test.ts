// Checks that no more is sent than was asked for, nor later.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Budget } from './budget.ts';
import { Spent } from './play/ground.ts';

const budgets = suite('budget');

const forever = Number.POSITIVE_INFINITY;

function isRefused(budget: Budget): boolean {
  try {
    budget.spend(1);
    return false;
  } catch (error) {
    assert.instance(error, Spent);
    return true;
  }
}

budgets('so many requests and none more, less what is kept once a difference is known', () => {
  const budget = new Budget({ requests: 3, kept: 1, untilMs: forever });
  budget.spend(1);
  budget.keepPart();
  assert.equal([isRefused(budget), isRefused(budget)], [false, true]);
  assert.equal([budget.requests, budget.left, budget.isOver], [2, 0, true]);
});

budgets('of many the last are kept until there is a difference to be shown again', () => {
  const budget = new Budget({ requests: 1000, untilMs: forever });
  budget.spend(940);
  assert.ok(isRefused(budget));
  budget.releaseLast();
  assert.is(budget.left, 60);
});

budgets('in the middle of a play the time is over too, but for what ends it', async () => {
  const budget = new Budget({ requests: 100, untilMs: performance.now() - 1 });
  assert.ok(budget.isOver);
  assert.ok(isRefused(budget));
  await budget.inOvertime(async () => assert.not.ok(isRefused(budget)));
  assert.ok(isRefused(budget));
  assert.is(budget.requests, 1);
});

budgets.run();

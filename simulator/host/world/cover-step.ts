// Tells the coverage of a world what one of its steps has met.
import type { Coverage } from '../../core/explain/coverage.ts';
import { findEntry } from '../../core/journal.ts';
import type { Effect, Input, StepResult } from '../../core/step.ts';
import { findEvent, type World } from '../../core/world.ts';

/** A step that was taken: `eventsBefore` is the sequence number of the last event before it. */
export interface TakenStep {
  readonly world: World;
  readonly input: Input;
  readonly eventsBefore: number;
  readonly result: StepResult;
}

export function coverStep(coverage: Coverage, { world, input, eventsBefore, result }: TakenStep) {
  switch (input.kind) {
    case 'call': {
      const entry = result.n === undefined ? undefined : findEntry(world.journal, result.n);
      if (entry !== undefined) coverage.call(world, entry);
      break;
    }
    case 'time':
      if (result.fired?.kind === 'abandon') coverage.abandoned();
      coverLateAnswers(coverage, world, result.effects);
      break;
    case 'answered': {
      const delivery = world.deliveries.get(input.answer.deliveryId);
      if (delivery !== undefined) coverage.attempt(delivery);
      break;
    }
    case 'target-refused':
      coverage.targetRefused();
  }
  for (let seq = eventsBefore + 1; seq <= world.events.lastSeq; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined) coverage.event(world, event);
  }
}

/** Calls that were held back, and are answered now. */
function coverLateAnswers(coverage: Coverage, world: World, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if (effect.kind !== 'answer' && effect.kind !== 'reset' && effect.kind !== 'end') continue;
    const entry = findEntry(world.journal, effect.n);
    if (entry !== undefined) coverage.answer(world, entry);
  }
}

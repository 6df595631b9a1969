// Checks who leads when.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../../fixtures/random.ts';
import { EVERY_CAPABILITY } from '../../../engine/capabilities.ts';
import { ideas } from '../ideas.ts';
import { costOf, type Place } from './costs.ts';
import { Coverage } from './coverage.ts';
import { Turns } from './turns.ts';

const turns = suite('turns');

const PLACE: Place = { main: 'firm', disposable: true, offers: new Set(EVERY_CAPABILITY) };

/** Who leads, where nothing else is drawn. */
function leads(count: number, seed: number): readonly string[] {
  const coverage = new Coverage();
  const all = new Turns({ ...PLACE, ideas, random: new Random(seed), coverage });
  return Array.from({ length: count }, () => {
    const id = all.next(ideas)?.id ?? '';
    coverage.drawn(id);
    return id;
  });
}

turns('all lead once before any leads again, and the first is the first again', () => {
  const [first, ...rest] = leads(ideas.length + 1, 1);
  assert.is(new Set([first, ...rest]).size, ideas.length);
  assert.is(rest.at(-1), first);
});

turns('what makes several calls comes before what is one call by itself', () => {
  const several = ideas.filter(({ isGrid, isMixture }) => isGrid === true || isMixture === true);
  const known = new Set(several.map(({ id }) => id));
  for (const id of leads(several.length - 20, 1)) assert.ok(known.has(id), id);
});

turns('a batch of many rows, or of rows of every kind, comes before one call by itself', () => {
  const first = leads(ideas.length, 1);
  const alone = first.indexOf('account/plain');
  for (const id of ['every-size', 'thousand-full', 'twins-far-apart', 'medley']) {
    const at = first.indexOf(`bulk/${id}`);
    assert.ok(at >= 0 && at < alone, `${id}: ${at}, after ${alone}`);
  }
});

turns('come in an order of the seed', () => {
  assert.equal(leads(60, 1), leads(60, 1));
  const one = new Set(leads(60, 1));
  const fresh = leads(60, 2).filter((id) => !one.has(id));
  assert.ok(fresh.length > 10, `${fresh.length} others`);
});

turns('what takes few requests mostly comes before what takes many', () => {
  const several = ideas.filter(({ isGrid }) => isGrid === true);
  const cost = new Map(several.map((idea) => [idea.id, costOf(idea, PLACE)]));
  const grids = [1, 2, 3].flatMap((seed) => leads(ideas.length, seed).filter((id) => cost.has(id)));
  const sumOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + cost.get(id)!, 0);
  const half = several.length / 2;
  const early = grids.filter((_, at) => at % several.length < half);
  assert.ok(sumOf(early) < 0.8 * (sumOf(grids) - sumOf(early)), `${sumOf(early)}`);
});

turns('costs what it takes, and a little where it builds on what is there', () => {
  const of = (id: string) => costOf(ideas.find((each) => each.id === id)!, PLACE);
  assert.is(of('bulk/every-size'), 5);
  assert.ok(of('limit/for-a-minute') > 60);
  assert.ok(of('many/keys-260') > 260);
  assert.is(of('decide/approve'), 8);
});

turns.run();

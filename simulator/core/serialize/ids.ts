// Ids of events and requests: a number that counts up, after letters that are another world's for
// another world, and other ones again where the same numbers are given out anew.
import { seededToken } from '../values/digest.ts';
import type { IdEra, World } from '../world.ts';

const letters = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * What a world begins with. The nonce is of the host's making, and empty where all is to be the
 * same each time: then seed and name alone decide.
 */
export function firstIdEra(name: string, seed: string, nonce: string): IdEra {
  return { afterSeq: 0, afterRequest: 0, tag: tagOf(name, seed, nonce) };
}

const tagOf = (name: string, seed: string, nonce: string): string =>
  seededToken(seed, `tag:${name}${nonce === '' ? '' : `:${nonce}`}`, 6, letters);

/**
 * From here on ids are others: what a saved world goes on with may have happened before, otherwise,
 * and a receiver that remembers ids must not take it for that. What is past keeps its ids (EVT-2b).
 */
export function beginIdEra(world: World, nonce: string): void {
  const tag = tagOf(world.name, world.seed, nonce);
  const last = world.idEras[world.idEras.length - 1];
  if (last?.tag === tag) return;
  const era = { afterSeq: world.events.lastSeq, afterRequest: world.counters.request, tag };
  // Of one that nothing happened in nothing is left to name.
  const isIdle = last?.afterSeq === era.afterSeq && last.afterRequest === era.afterRequest;
  const kept = isIdle ? world.idEras.slice(0, -1) : world.idEras;
  // An era is over for good once its events are forgotten.
  const begin = kept.findLastIndex(({ afterSeq }) => afterSeq < world.events.first);
  world.idEras = [...kept.slice(Math.max(0, begin)), era];
}

/** EVT-2b: made of the sequence number, so every delivery of an event carries the same id. */
export function eventId({ idEras }: World, seq: number): string {
  const era = idEras.findLast(({ afterSeq }) => afterSeq < seq) ?? idEras[0];
  return `evt_${era?.tag}${seq.toString(36).padStart(8, '0')}`;
}

export function requestId({ idEras }: World, n: number): string {
  const last = idEras[idEras.length - 1];
  const era =
    last !== undefined && last.afterRequest < n
      ? last
      : (idEras.findLast(({ afterRequest }) => afterRequest < n) ?? idEras[0]);
  return `req_${era?.tag}${n.toString(36).padStart(6, '0')}`;
}

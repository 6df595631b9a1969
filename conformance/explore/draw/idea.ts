// One named thing that a sequence may do next. Names are counted, so that what is rarely met comes
// sooner.

import type { Random } from '../../../fixtures/random.ts';
import type { Capability, Role } from '../../engine/capabilities.ts';
import type { CallStep, Step, Value } from '../sequence.ts';
import type { Scene } from './scene.ts';

export interface Idea {
  /** Family and what is special about it: `account/email-without-at`. */
  readonly id: string;
  readonly weight?: number;
  /** Goes through all there is of one kind: too long for what chance puts together. */
  readonly isGrid?: boolean;
  /** Takes what is there through several calls, or through many rows of one. */
  readonly isMixture?: boolean;
  readonly needs?: readonly Capability[];
  /** Whether the scene has what it takes. */
  readonly when?: (scene: Scene) => boolean;
  readonly draw: (d: Drawing) => readonly Step[];
}

/** What ideas draw with. */
export interface Drawing {
  readonly scene: Scene;
  readonly random: Random;
  /** Whether everything that is made is gone with the world it is made in. */
  readonly disposable: boolean;
  /** The role to act as unless an idea is about another. */
  readonly main: string;
  readonly offers: ReadonlySet<Capability>;
  /** The most calls at once. */
  readonly crowd: number;
  /** The most requests that are left. */
  readonly most: number;
  /** A new stem for a fresh text. */
  stem(): string;
}

export const call = (d: Drawing, parts: Omit<CallStep, 'do' | 'n'>): CallStep => ({
  do: 'call',
  n: d.scene.label(),
  ...parts,
});

/** Who else may call in place of who usually does. */
export const CALLERS = [
  ...(['brand', 'other_brand', 'other_firm', 'no_scopes', 'amend_only', 'no_amend'] as const),
  ...(['delegated', 'read_only', 'nobody'] as const),
];

export const needsOf = (caller: Role | 'nobody'): readonly Capability[] =>
  caller === 'nobody' ? [] : [caller];

/** A key that nothing else in the sequence uses. */
export const newKey = (d: Drawing): Value => ({ $fresh: `k${d.stem()}` });

export type Members = { readonly [name: string]: Value };

/** The members without those that are undefined, so that an idea can take one out. */
export function members(all: { readonly [name: string]: Value | undefined }): Members {
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, Value] => pair[1] !== undefined),
  );
}

/** Mostly the newest, because the last steps were about it. */
export function newestOr<T>({ random }: Drawing, all: readonly T[]): T {
  return random.chance(0.6) ? all[all.length - 1]! : random.pick(all);
}

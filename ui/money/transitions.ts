// What may become of a transaction, under the settings in force.
import type { InfoShown } from '../api-client/answers.ts';
import type { Status } from './transaction-rows.tsx';

export type Trigger = 'approve' | 'reject' | 'cancel' | 'settle';

export interface Move {
  readonly trigger: Trigger;
  readonly from: Status;
  readonly to: Status;
}

/** The moves of the API's description (TXS-1 to TXS-13), and NS-3. */
const always: readonly Move[] = [
  { trigger: 'approve', from: 'pending', to: 'approved' },
  { trigger: 'reject', from: 'pending', to: 'rejected' },
  { trigger: 'cancel', from: 'pending', to: 'cancelled' },
  { trigger: 'settle', from: 'approved', to: 'settled' },
  { trigger: 'cancel', from: 'settled', to: 'cancelled' },
];

/** NS-4: moves that a setting lets in. */
const bySetting = [
  ['reject_from_approved', { trigger: 'reject', from: 'approved', to: 'rejected' }],
  ['reject_from_settled', { trigger: 'reject', from: 'settled', to: 'rejected' }],
  ['cancel_from_approved', { trigger: 'cancel', from: 'approved', to: 'cancelled' }],
] as const satisfies readonly (readonly [string, Move])[];

export function movesOf(info: InfoShown | null): readonly Move[] {
  const settings = (info?.settings ?? {}) as Readonly<Record<string, unknown>>;
  const more = bySetting
    .filter(([key]) => settings[key] !== undefined && settings[key] !== 'refused')
    .map(([, move]) => move);
  return [...always, ...more];
}

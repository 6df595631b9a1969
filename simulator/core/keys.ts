// Records of idempotency keys, in one map for each hour of the sandbox's clock: an hour that is over
// is dropped as a whole, so that forgetting costs nothing per request (IDEM-7).
import { hourMs, keyRetentionMs } from '../../fixtures/constants.ts';
import type { KeyRecord } from './records.ts';

interface HourOfKeys {
  readonly sinceMs: number;
  readonly records: Map<string, KeyRecord>;
}

/** Oldest first. */
export type KeyStore = HourOfKeys[];

/** The newest record under this id, even if it has expired: the policy decides that. */
export function findKey(keys: KeyStore, keyId: string): KeyRecord | undefined {
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const record = (keys[index] as HourOfKeys).records.get(keyId);
    if (record !== undefined) return record;
  }
  return undefined;
}

export function setKey(keys: KeyStore, keyId: string, record: KeyRecord, nowMs: number): void {
  let hour = keys.at(-1);
  if (hour === undefined || nowMs - hour.sinceMs >= hourMs) {
    hour = { sinceMs: nowMs, records: new Map() };
    keys.push(hour);
  }
  // A record from before is the attempt that has ended now.
  if (keys.length > 1) forgetKey(keys, keyId);
  hour.records.set(keyId, record);
}

export function forgetKey(keys: KeyStore, keyId: string): void {
  for (const { records } of keys) records.delete(keyId);
}

/** Whether the oldest hour holds nothing but expired records. */
export function hasExpiredKeys([oldest]: KeyStore, nowMs: number): boolean {
  return oldest !== undefined && nowMs - oldest.sinceMs >= keyRetentionMs + hourMs;
}

export function dropExpiredKeys(keys: KeyStore, nowMs: number): void {
  while (hasExpiredKeys(keys, nowMs)) keys.shift();
}

export function countKeys(keys: KeyStore): number {
  return keys.reduce((count, { records }) => count + records.size, 0);
}

export function copyKeys(keys: KeyStore): KeyStore {
  return keys.map(({ sinceMs, records }) => ({ sinceMs, records: new Map(records) }));
}

// Targets as a partner has them: no control plane, a profile, and a clock that runs.
import { type Sender, socketSender } from '../../../conformance/engine/send/sender.ts';
import { parseProfile } from '../../../conformance/providers/profile.ts';
import { profileProvider } from '../../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../../conformance/providers/target.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import { createSandbox } from '../../../simulator/index.ts';
import { ampleProfile } from '../../e2e/testing/judge-witness.ts';
import { profileOfSandbox } from '../../e2e/testing/live-profile.ts';
import { type Defect, defectsOf } from '../../e2e/testing/witness/defects.ts';
import { startWitness } from '../../e2e/testing/witness/start.ts';

export interface Opened {
  readonly provider: Provider;
  readonly sender: Sender;
  close(): Promise<void>;
}

/** So high that a proof does not wait for it; traders are held to 5 a second all the same. */
const AMPLE = { per_second: 2_000, firm_per_second: 8_000 };

export async function liveWitness(style: 'plain' | 'other', defect?: Defect): Promise<Opened> {
  const witness = await startWitness({ style, defects: defectsOf(defect), control: false });
  return reached(witness.base_url, await ampleProfile(witness), witness.close);
}

export async function liveSandbox(
  settings: Settings,
  deviations: readonly string[] = [],
): Promise<Opened> {
  const sandbox = await createSandbox({ settings, deviations });
  const { base_url: baseUrl } = await sandbox.listen({ port: 0 });
  const profile = await profileOfSandbox(sandbox, AMPLE);
  return reached(baseUrl, profile, () => sandbox.close());
}

async function reached(baseUrl: string, given: object, stop: () => Promise<void>): Promise<Opened> {
  const parsed = parseProfile(given, {});
  if (parsed.profile === undefined) {
    throw new TypeError(parsed.problems.map(({ field, message }) => `${field} ${message}`).join());
  }
  const sender = await socketSender();
  const { profile, secrets } = parsed;
  const provider = profileProvider({ baseUrl, profile, secrets, mark: 'explorer' });
  return openedBy(provider, sender, stop);
}

/** What is reached by these, and ends with them. */
export function openedBy(provider: Provider, sender: Sender, stop: () => Promise<void>): Opened {
  const close = async () => {
    await provider.close();
    await sender.close();
    await stop();
  };
  return { provider, sender, close };
}

// What the explorer is proved on: simulators that deviate, the witness with its subtle defects,
// and conforming simulators under settings drawn by chance.

import { socketSender } from '../../../conformance/engine/send/sender.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { Random } from '../../../fixtures/random.ts';
import {
  defaultSettings,
  parseSettings,
  type SettingSpec,
  type Settings,
  settingSpecs,
} from '../../../fixtures/settings.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { deviations } from '../../../simulator/deviations/register.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';
import { type Defect, defects, defectsOf } from '../../e2e/testing/witness/defects.ts';
import { startWitness } from '../../e2e/testing/witness/start.ts';
import { liveSandbox, liveWitness, type Opened, openedBy } from './live.ts';

/** One target to be explored. */
export interface Subject {
  readonly id: string;
  readonly kind: string;
  /** Rules that it breaks; none: nothing may be found. */
  readonly breaks: readonly string[];
  /** How it answers the open questions; undefined: that is learned first. */
  readonly settings: Settings | undefined;
  /** A conforming one that answers the open questions alike. */
  readonly like?: Subject;
  open(): Promise<Opened>;
}

export const PARTS = [
  ...(['deviations', 'witness', 'simple', 'settings'] as const),
  ...(['live', 'live-broken', 'live-deviations'] as const),
] as const;
export type Part = (typeof PARTS)[number];

export function subjectsOf(part: Part, seed: number): readonly Subject[] {
  switch (part) {
    case 'deviations':
      return deviations.map(bentSimulator);
    case 'witness':
      return witnesses(({ kind }) => kind !== 'single');
    case 'simple':
      return witnesses(({ kind }) => kind === 'single').filter(({ kind }) => kind !== 'whole');
    case 'settings':
      return Array.from({ length: 100 }, (_, at) => conforming(seed * 1_000 + at));
    case 'live':
      return [
        ...(['plain', 'other'] as const).map((style) => liveWitnessSubject(style)),
        ...Array.from({ length: 20 }, (_, at) => liveConforming(seed * 1_000 + at)),
      ];
    case 'live-broken':
      return (['plain', 'other'] as const).flatMap((style) =>
        defects
          .filter((each) => isOfMoney(each) && each.kind !== 'time')
          .map((defect) => liveWitnessSubject(style, defect)),
      );
    case 'live-deviations':
      return deviations.filter(isOfMoney).map(liveDeviating);
  }
}

function bentSimulator(deviation: Deviation): Subject {
  const { id, breaks } = deviation;
  const open = () => simulatorModel(defaultSettings, [deviation]);
  return { id, kind: 'deviation', breaks, settings: defaultSettings, open };
}

/** What is about transactions and positions; to move the time nobody has the power there. */
const isOfMoney = ({ breaks }: { readonly breaks: readonly string[] }): boolean =>
  breaks.some((rule) => /^(TXN|TXS|POS)-/.test(rule));

function liveConforming(seed: number): Subject {
  const settings = settingsOf(seed);
  const id = `live/settings-${seed}`;
  return { id, kind: 'live', breaks: [], settings: undefined, open: () => liveSandbox(settings) };
}

function liveDeviating({ id, breaks }: Deviation): Subject {
  const settings = defaultSettings;
  const open = () => liveSandbox(settings, [id]);
  return { id: `live/${id}`, kind: 'live-deviation', breaks, settings, open };
}

/** The first is the simulator as it comes. */
const settingsOf = (seed: number): Settings =>
  seed % 1_000 === 0 ? defaultSettings : drawSettings(seed);

function conforming(seed: number): Subject {
  const settings = settingsOf(seed);
  const open = () => simulatorModel(settings);
  return { id: `settings-${seed}`, kind: 'settings', breaks: [], settings: undefined, open };
}

/** Whole, and with each of these defects, in both styles. */
function witnesses(isMeant: (defect: Defect) => boolean): readonly Subject[] {
  return (['plain', 'other'] as const).flatMap((style) => {
    const whole = witness(style);
    const broken = defects
      .filter(isMeant)
      .map((defect) => ({ ...witness(style, defect), like: whole }));
    return [whole, ...broken];
  });
}

function witness(style: 'plain' | 'other', defect?: Defect): Subject {
  const { id = 'whole', kind = 'whole', breaks = [] } = defect ?? {};
  return {
    id: `${style}/${id}`,
    kind,
    breaks,
    settings: undefined,
    open: async () => {
      const started = await startWitness({ style, defects: defectsOf(defect) });
      const { base_url: baseUrl, control_url: controlUrl } = started;
      const sender = await socketSender();
      const provider = await controlProvider({ baseUrl, controlUrl, sender });
      return openedBy(provider, sender, () => started.close());
    },
  };
}

/** Without a control plane, by a profile alone. */
function liveWitnessSubject(style: 'plain' | 'other', defect?: Defect): Subject {
  const { id = 'whole', kind = 'whole', breaks = [] } = defect ?? {};
  return {
    ...{ id: `live/${style}/${id}`, kind: `live-${kind}`, breaks, settings: undefined },
    ...(defect && { like: liveWitnessSubject(style) }),
    open: () => liveWitness(style, defect),
  };
}

/** Numbers and names that are worth trying; every choice and every yes or no is drawn besides. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  first_revision: [0, 7, 100],
  revision_step: [2, 10],
  envelope_seq_name: ['sequence', 'number'],
  signature_header: ['X-Signed'],
  subscription_header: ['X-Sub'],
};

/** What breaks a rule, or takes away what the explorer could compare. */
const KEPT = new Set([
  ...['unrecorded_refusals', 'key_across_brands', 'account_statuses', 'replay_etag'],
  'provider_withdrawals',
  ...['deprecation_header', 'account_status_endpoint'],
]);

function drawSettings(seed: number): Settings {
  const random = new Random(seed);
  const drawn: Record<string, unknown> = {};
  const specs: Readonly<Record<string, SettingSpec>> = settingSpecs;
  for (const [key, spec] of Object.entries(specs)) {
    if (KEPT.has(key) || random.chance(0.5)) continue;
    if (spec.kind === 'boolean') drawn[key] = !spec.default;
    else if (spec.kind === 'choice') drawn[key] = random.pick(spec.allowed);
    else if (key in OTHERS) drawn[key] = random.pick(OTHERS[key]!);
  }
  return parseSettings(drawn).settings ?? defaultSettings;
}

// Faults: what goes wrong on purpose, for which requests or deliveries, and how often it did.
import type { FaultShown } from '../simulator/control/schemas/records.ts';
import type { FaultOptions } from '../simulator/operator.ts';
import { Action, Badge, type Column, Form, type FormValues, Panel, TablePanel } from './kit.tsx';
import { useLive, useRead } from './world.ts';

export function FaultsView() {
  return (
    <div class="columns">
      <FaultsOn />
      <Presets title="For requests" of={callPresets} />
      <Presets title="For deliveries" of={deliveryPresets} />
      <CustomFault />
    </div>
  );
}

const columns: readonly Column<FaultShown>[] = [
  ['Id', ({ id }) => id],
  ['Applies to', matchWords, 'wrap'],
  ['When', ({ phase }) => `${phase} it runs`],
  ['Effect', (fault) => <Badge tone={fault.spent ? 'quiet' : 'warn'}>{effectWords(fault)}</Badge>],
  ['Hits', ({ hits, times }) => (times === null ? hits : `${hits} of ${times}`)],
  ['State', ({ spent }) => (spent ? 'used up' : 'on')],
  ['Switch', (fault) => <Switch of={fault} />],
];

function Switch({ of: { id, spent } }: { of: FaultShown }) {
  const { plane } = useLive();
  return (
    <Action
      run={() => plane.send('DELETE', `faults/${id}`)}
      label={spent ? `Remove fault ${id}` : `Switch fault ${id} off`}
    >
      {spent ? 'Remove' : 'Off'}
    </Action>
  );
}

function FaultsOn() {
  const { value } = useRead<{ faults: FaultShown[] }>('faults');
  return (
    <TablePanel
      title="Faults"
      columns={columns}
      rows={value?.faults ?? []}
      keyOf={({ id }) => id}
      empty="None: everything works as it should."
    />
  );
}

function matchWords({ match, nth, probability }: FaultShown): string {
  const parts = Object.entries(match).map(([name, value]) => `${name} ${String(value)}`);
  return [
    parts.length === 0 ? 'every request' : parts.join(', '),
    ...(nth === null ? [] : [`from number ${nth} on`]),
    ...(probability === null ? [] : [`with probability ${probability}`]),
  ].join(', ');
}

function effectWords({ effect: { kind, status, code, ms, bytes } }: FaultShown): string {
  const amount = [
    ...(ms === undefined ? [] : [`${ms} ms`]),
    ...(bytes === undefined ? [] : [`after ${bytes} bytes`]),
  ];
  return [kind.replace('_', ' '), status, code, ...amount].filter(Boolean).join(' ');
}

type Preset = readonly [words: string, why: string, fault: FaultOptions];

const writes = { match: { method: 'POST' } } as const;

const callPresets: readonly Preset[] = [
  [
    'Lose the next response',
    'It runs, then the connection is cut: only a retry with the same key finds out.',
    { ...writes, phase: 'after', effect: { kind: 'reset' }, times: 1 },
  ],
  [
    'Lose the response twice',
    'The response is lost, and that of the retry with the same key too.',
    { ...writes, phase: 'after', effect: { kind: 'reset' }, times: 2 },
  ],
  [
    'Cut the next request',
    'Nothing runs, and the connection is cut.',
    { effect: { kind: 'reset' }, times: 1 },
  ],
  [
    '500 after the next write',
    'It runs, responds 500 and records nothing: a retry runs again and converges.',
    { ...writes, phase: 'after', effect: { kind: 'status', status: 500 }, times: 1 },
  ],
  [
    '503 for the next three',
    'Nothing runs; a client that waits and retries gets through.',
    { effect: { kind: 'status', status: 503 }, times: 3 },
  ],
  [
    '429 for the next three',
    'As if the allowance were used up.',
    { effect: { kind: 'status', status: 429 }, times: 3 },
  ],
  [
    'Respond 10 s late',
    'By the sandbox’s clock; the attempt is in flight until then.',
    { effect: { kind: 'delay', ms: 10_000 }, times: 1 },
  ],
  [
    '502 from a gateway',
    'HTML instead of a problem, without a request id.',
    { effect: { kind: 'status', status: 502 }, times: 1 },
  ],
  [
    'Cut a response short',
    'It runs; the connection ends in the middle of the body.',
    { effect: { kind: 'truncate', bytes: 20 }, times: 1 },
  ],
  [
    'A body over 10 s',
    'The headers come at once, the body in pieces by the sandbox’s clock.',
    { effect: { kind: 'slow_body', ms: 10_000 }, times: 1 },
  ],
  [
    'Hang the next request',
    'No response comes, and its key stays in flight.',
    { effect: { kind: 'hang' }, times: 1 },
  ],
];

const deliveries = { match: { webhook: true }, times: 1 } as const;

const deliveryPresets: readonly Preset[] = [
  [
    'Deliver twice',
    'The same event with the same id arrives two times.',
    { ...deliveries, effect: { kind: 'duplicate' } },
  ],
  [
    'Wrong signature',
    'A receiver that verifies must refuse it.',
    { ...deliveries, effect: { kind: 'bad_signature' } },
  ],
  [
    'Stale timestamp',
    'Signed correctly, but too long ago.',
    { ...deliveries, effect: { kind: 'stale_timestamp' } },
  ],
  [
    'Drop a delivery',
    'It counts as delivered and is never sent.',
    { ...deliveries, effect: { kind: 'drop' } },
  ],
  [
    'Deliver a minute late',
    'The attempt starts later by the sandbox’s clock.',
    { ...deliveries, effect: { kind: 'delay', ms: 60_000 } },
  ],
];

function Presets({ title, of }: { title: string; of: readonly Preset[] }) {
  const { plane } = useLive();
  return (
    <Panel title={title}>
      <ul class="pairs presets">
        {of.map(([words, why, fault]) => (
          <li key={words}>
            <Action run={() => plane.send('POST', 'faults', { match: {}, ...fault })}>
              {words}
            </Action>
            <span class="note">{why}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Each effect with what else it needs: a status in its name, a code, or an amount. */
const effects = [
  ['status 500', 'respond 500'],
  ['status 429', 'respond 429'],
  ['status 503', 'respond 503'],
  ['status 502', 'respond 502 as a gateway'],
  ['status 504', 'respond 504 as a gateway'],
  ['refuse', 'refuse with a code'],
  ['delay', 'delay'],
  ['hang', 'hang'],
  ['reset', 'cut the connection'],
  ['truncate', 'cut the response short'],
  ['slow_body', 'send the body slowly'],
] as const;

const amounts: Readonly<Record<string, string>> = {
  delay: 'Seconds',
  slow_body: 'Seconds',
  truncate: 'Bytes that arrive',
};

const codes = [
  ...['invalid_state', 'forbidden', 'read_only_credential', 'not_found', 'revision_conflict'],
  ...['validation_failed', 'not_implemented', 'unauthorized', 'unreadable'],
];

/** A refused request never runs; a response that is cut short or slow comes after it ran. */
const hasPhase = (kind: string) => !['refuse', 'truncate', 'slow_body'].includes(kind);

const effectOf = (values: FormValues) => (values.effect ?? effects[0][0]).split(' ');

function CustomFault() {
  const { plane } = useLive();
  return (
    <Panel title="A fault of your own, for requests" wide>
      <Form
        fields={(values) => {
          const [kind = ''] = effectOf(values);
          const amount = amounts[kind];
          return [
            { name: 'method', label: 'Method', options: [['', 'any'], 'GET', 'POST', 'PATCH'] },
            {
              name: 'path',
              label: 'Path (a * at the end: any rest)',
              placeholder: '/api/v1/accounts*',
            },
            { name: 'effect', label: 'Effect', options: effects },
            ...(kind === 'refuse' ? [{ name: 'code', label: 'Code', options: codes }] : []),
            ...(hasPhase(kind) ? [{ name: 'phase', label: 'When', options: phases }] : []),
            ...(amount === undefined
              ? []
              : [{ name: 'amount', label: amount, type: 'number' as const, value: '10' }]),
            { name: 'times', label: 'Times (empty: until off)', type: 'number', value: '1' },
            { name: 'nth', label: 'From matching request number', type: 'number' },
            { name: 'probability', label: 'Probability (0 to 1)', type: 'number' },
          ];
        }}
        submit="Switch on"
        run={(values) => plane.send('POST', 'faults', faultOf(values))}
      />
    </Panel>
  );
}

const phases = [
  ['before', 'before it runs'],
  ['after', 'after it ran'],
] as const;

function faultOf({
  method,
  path,
  phase,
  code,
  amount,
  times,
  nth,
  probability,
  ...rest
}: FormValues) {
  const [kind = '', status] = effectOf(rest);
  const given = (values: FormValues, read: (text: string) => unknown) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, text]) => (text === '' ? [] : [[name, read(text)]])),
    );
  const size = kind === 'truncate' ? { bytes: Number(amount) } : { ms: Number(amount) * 1000 };
  return {
    match: given({ method: method ?? '', path: path ?? '' }, String),
    ...(phase === undefined ? {} : { phase }),
    effect: {
      kind,
      ...(status === undefined ? {} : { status: Number(status) }),
      ...(code === undefined ? {} : { code }),
      ...(amount === undefined ? {} : size),
    },
    ...given({ times: times ?? '', nth: nth ?? '', probability: probability ?? '' }, Number),
  };
}

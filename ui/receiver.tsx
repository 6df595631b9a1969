// Judges the receiver of a subscription and shows the report.
import { useState } from 'preact/hooks';
import type { SubscriptionShown } from '../simulator/control/schemas/records.ts';
import { duration, plural } from './format.ts';
import { Badge, CodeBlock, CopyButton, Facts, Form, Panel, type Tone } from './kit.tsx';
import { useLive } from './world.ts';

/** A check of a receiver, and what was found. */
interface Check {
  readonly id: string;
  readonly words: string;
  readonly verdict: string;
  readonly findings: readonly {
    readonly expected: string;
    readonly actual: string;
    readonly exchanges: readonly number[];
    readonly advice?: { readonly why: string; readonly at_stake: string; readonly mend: string };
    readonly replay: string;
  }[];
}

interface ReceiverReport {
  readonly verdict: 'conformant' | 'deviates' | 'incomplete' | 'invalid';
  readonly requests: number;
  readonly duration_ms: number;
  readonly notes: readonly string[];
  readonly rules: readonly Check[];
  readonly scenarios: readonly {
    readonly id: string;
    readonly exchanges: readonly {
      readonly n: number;
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: readonly (readonly [string, string])[];
        readonly body: string | null;
      };
      readonly response: { readonly status: number } | null;
      readonly failure: string | null;
    }[];
  }[];
}

const runWords: Readonly<Record<ReceiverReport['verdict'], readonly [Tone, string]>> = {
  conformant: ['good', 'passes every check'],
  deviates: ['bad', 'fails checks'],
  incomplete: ['warn', 'fails none that could be judged'],
  invalid: ['warn', 'could not be judged'],
};

const groups = [
  ['deviates', 'failed', 'bad', 'fails'],
  ['advisory', 'to look at', 'warn', 'advice'],
  ['passed', 'passed', 'good', ''],
] as const;

export function ReceiverJudge({ of }: { of: SubscriptionShown }) {
  const { plane } = useLive();
  const [report, setReport] = useState<ReceiverReport | null>(null);
  const [tone, words] = report === null ? [] : runWords[report.verdict];
  return (
    <Panel
      title="Is the receiver right?"
      side={tone === undefined ? undefined : <Badge tone={tone}>{words}</Badge>}
      note="Sends some eighty requests that a receiver must accept, or that an attacker would send, straight to the local URL that deliveries are forwarded to. They are not deliveries of this world."
      wide
    >
      <Form
        fields={[
          {
            name: 'effect_probe',
            label: 'URL that counts side effects (optional)',
            placeholder: 'http://127.0.0.1:3000/count',
          },
        ]}
        submit="Judge the receiver"
        run={async ({ effect_probe }) => {
          setReport(null);
          const body = effect_probe === '' ? {} : { effect_probe };
          setReport(await plane.send('POST', `subscriptions/${of.id}/judge`, body));
        }}
      />
      {report === null ? null : <Report of={report} />}
    </Panel>
  );
}

function Report({ of }: { of: ReceiverReport }) {
  const withVerdict = (wanted: string) => of.rules.filter(({ verdict }) => verdict === wanted);
  const unshown = of.rules.filter(({ verdict }) => !groups.some(([known]) => known === verdict));
  const counts = [
    ...groups.map(([verdict, words]) => [withVerdict(verdict).length, words] as const),
    [unshown.length, 'not shown'] as const,
  ].filter(([count]) => count > 0);
  return (
    <>
      <p role="status">
        {plural(of.rules.length, 'check')}, {plural(of.requests, 'delivery', 'deliveries')} in{' '}
        {duration(of.duration_ms)}: {counts.map((count) => count.join(' ')).join(', ')}.
      </p>
      {of.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {groups.slice(0, 2).flatMap(([verdict, , tone, words]) =>
        withVerdict(verdict).map((check) => (
          <details class="ledger" key={check.id}>
            <summary>
              <Badge tone={tone}>{words}</Badge> {check.words}
            </summary>
            <Finding of={check} report={of} />
          </details>
        )),
      )}
      <CheckList title="Not shown" of={unshown} />
      <CheckList title="Passed" of={withVerdict('passed')} />
    </>
  );
}

function Finding({ of, report }: { of: Check; report: ReceiverReport }) {
  const [finding] = of.findings;
  if (finding === undefined) return null;
  const { expected, actual, advice, exchanges, replay } = finding;
  const exchange = report.scenarios
    .find(({ id }) => id === of.id)
    ?.exchanges.find(({ n }) => exchanges.includes(n));
  return (
    <>
      <Facts
        of={[
          ['Check', <code>{of.id}</code>],
          ['Expected', expected],
          ['Actual', actual],
          ['Why', advice?.why ?? null],
          ['At stake', advice?.at_stake ?? null],
          ['Fix', advice?.mend ?? null],
        ]}
      />
      {exchange === undefined ? null : (
        <CodeBlock text={exchangeText(exchange)} label={`Sent for ${of.id}`} />
      )}
      <div class="bar">
        <CopyButton text={replay} words="Copy a command that tries it again" />
      </div>
    </>
  );
}

function CheckList({ title, of }: { title: string; of: readonly Check[] }) {
  if (of.length === 0) return null;
  return (
    <details class="ledger">
      <summary>
        {title}: {of.length}
      </summary>
      <ul>
        {of.map(({ id, words }) => (
          <li key={id} class="note">
            {words}
          </li>
        ))}
      </ul>
    </details>
  );
}

type Exchange = ReceiverReport['scenarios'][number]['exchanges'][number];

function exchangeText({ request, response, failure }: Exchange): string {
  const { method, url, headers, body } = request;
  return [
    `${method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    (body ?? '(an empty body)').slice(0, 1500),
    '',
    `→ ${response === null ? (failure ?? 'no response') : response.status}`,
  ].join('\n');
}

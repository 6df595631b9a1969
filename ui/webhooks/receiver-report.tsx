// What the judge of receivers found: the verdict, each check that failed with its proof, and what
// passed.

import type { JudgedCheck, ReceiverReport } from '../api-client/answers.ts';
import { Badge, CodeBlock, CopyButton, DescriptionList } from '../components/components.tsx';
import { duration, plural } from '../format.ts';

type Tone = 'good' | 'warn' | 'bad';

const runWords: Readonly<Record<ReceiverReport['verdict'], readonly [Tone, string]>> = {
  conformant: ['good', 'passes every check'],
  deviates: ['bad', 'fails checks'],
  incomplete: ['warn', 'fails none that could be judged'],
  invalid: ['warn', 'could not be judged'],
};

const checkTones: Readonly<Record<string, Tone>> = {
  deviates: 'bad',
  advisory: 'warn',
  inconclusive: 'warn',
  blocked: 'warn',
  passed: 'good',
};

const verdictWords: Readonly<Record<string, string>> = {
  deviates: 'fails',
  advisory: 'advice',
  inconclusive: 'not shown',
  blocked: 'not counted',
};

export function ReportBadge({ of }: { of: ReceiverReport }) {
  const [tone, words] = runWords[of.verdict];
  return <Badge tone={tone}>{words}</Badge>;
}

const counted = [
  ['deviates', 'failed'],
  ['advisory', 'to look at'],
  ['passed', 'passed'],
] as const;

function countWords({ rules }: ReceiverReport): string {
  const count = (wanted: string) => rules.filter(({ verdict }) => verdict === wanted).length;
  const words = counted.map(([verdict, said]) => [count(verdict), said] as const);
  const rest = rules.length - words.reduce((sum, [n]) => sum + n, 0);
  return [...words, [rest, 'not shown'] as const]
    .filter(([n]) => n > 0)
    .map(([n, said]) => `${n} ${said}`)
    .join(', ');
}

export function ReportBody({ of }: { of: ReceiverReport }) {
  const failing = of.rules.filter(
    ({ verdict }) => verdict === 'deviates' || verdict === 'advisory',
  );
  const passed = of.rules.filter(({ verdict }) => verdict === 'passed');
  const unshown = of.rules.filter((each) => !failing.includes(each) && !passed.includes(each));
  return (
    <>
      <p role="status">
        {plural(of.rules.length, 'check')}, {plural(of.requests, 'delivery', 'deliveries')} in{' '}
        {duration(of.duration_ms)}: {countWords(of)}.
      </p>
      {of.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {failing.map((check) => (
        <FailedCheck key={check.id} of={check} report={of} />
      ))}
      <CheckList title="Not shown" of={unshown} />
      <CheckList title="Passed" of={passed} />
    </>
  );
}

function FailedCheck({ of, report }: { of: JudgedCheck; report: ReceiverReport }) {
  const [finding] = of.findings;
  const scenario = report.scenarios.find(({ id }) => id === of.id);
  const exchange = scenario?.exchanges.find(({ n }) => finding?.exchanges.includes(n));
  return (
    <details class="ledger">
      <summary>
        <Badge tone={checkTones[of.verdict] ?? 'warn'}>{verdictWords[of.verdict] ?? ''}</Badge>{' '}
        {of.words}
      </summary>
      {finding === undefined ? null : (
        <DescriptionList
          of={[
            ['Check', <code key="id">{of.id}</code>],
            ['Expected', finding.expected],
            ['Actual', finding.actual],
            ['Why', finding.advice?.why ?? null],
            ['At stake', finding.advice?.at_stake ?? null],
            ['Mend', finding.advice?.mend ?? null],
          ]}
        />
      )}
      {exchange === undefined ? null : (
        <CodeBlock text={sent(exchange)} label={`Sent for ${of.id}`} />
      )}
      {finding === undefined ? null : (
        <div class="bar">
          <CopyButton text={finding.replay} words="Copy a command that tries it again" />
        </div>
      )}
    </details>
  );
}

function CheckList({ title, of }: { title: string; of: readonly JudgedCheck[] }) {
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

/** Bodies are shown as far as one reads them. */
const mostShown = 1500;

function sent({
  request,
  response,
  failure,
}: ReceiverReport['scenarios'][number]['exchanges'][number]) {
  const body = request.body ?? '(an empty body)';
  return [
    `${request.method} ${request.url}`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    '',
    body.length > mostShown ? `${body.slice(0, mostShown)}…` : body,
    '',
    `→ ${response === null ? (failure ?? 'no answer') : response.status}`,
  ].join('\n');
}

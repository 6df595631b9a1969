// Coverage: which rules the calls so far have met, the hints, and for the rest a line to copy.
import { useState } from 'preact/hooks';
import type { CoverageShown } from '../../simulator/control/schemas/coverage.ts';
import {
  Badge,
  Button,
  CodeBlock,
  CopyButton,
  Field,
  Panel,
  Problem,
  Prose,
  Table,
} from '../components/components.tsx';
import { plural } from '../format.ts';
import { useCommand, useHref, useInfo, useLive, useRead } from '../live/use-world.ts';

/** Lines drawn at first; the rest on demand. */
const fewLines = 10;

const whatItIs =
  'A rule is met when an answer rested on it, or when its case came about. Resets and restored ' +
  'snapshots keep what was counted.';

export function CoverageView() {
  const { value, problem, again } = useRead<CoverageShown>('coverage');
  if (value === null) return <Problem words={problem} />;
  return (
    <div class="columns">
      <div class="wide">
        <Summary of={value} again={again} />
      </div>
      {value.hints.length === 0 ? null : (
        <div class="wide">
          <Hints of={value.hints} />
        </div>
      )}
      <div class="wide">
        <NotMet of={value} />
      </div>
      <div class="wide">
        <Met of={value} />
      </div>
    </div>
  );
}

function Summary({ of, again }: { of: CoverageShown; again: () => void }) {
  const live = useLive();
  const command = useCommand();
  const { met, of: all } = of.rules;
  const clear = async () => {
    await command.run(() => live.plane.send('DELETE', 'coverage'));
    again();
  };
  return (
    <Panel
      title="Coverage"
      note={whatItIs}
      side={
        <Button onClick={() => void clear()} disabled={command.busy}>
          Count anew
        </Button>
      }
    >
      <p>
        <strong>
          {met} of {all} rules
        </strong>{' '}
        <meter class="meter" aria-label="Rules met" min={0} max={all} value={met} />
      </p>
      <p class="note">
        {[
          countWords(of.operations, 'operations'),
          countWords(of.refusals, 'refusals'),
          countWords(of.transitions, 'transitions'),
          countWords(of.events, 'kinds of events'),
        ].join(', ')}
      </p>
      <Problem words={command.problem} />
    </Panel>
  );
}

function countWords(counts: object, what: string): string {
  const times: readonly number[] = Object.values(counts);
  return `${times.filter((n) => n > 0).length} of ${times.length} ${what}`;
}

function Hints({ of }: { of: CoverageShown['hints'] }) {
  const href = useHref();
  return (
    <Panel title="Hints" note="Answered without complaint, and perhaps not meant so.">
      <ul class="hints">
        {of.map(({ code, count, words, request }) => (
          <li key={code}>
            <Badge tone="warn">{plural(count, 'time')}</Badge> <code>{code}</code>,{' '}
            <a href={href('timeline', 'requests', request)}>last on request {request}</a>
            <p>
              <Prose words={words} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NotMet({ of }: { of: CoverageShown }) {
  const [text, setText] = useState('');
  const [whole, setWhole] = useState(false);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = of.not_met.filter((each) => {
    const said = `${each.id} ${each.words}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const shown = whole ? found : found.slice(0, fewLines);
  return (
    <Panel
      title="Not met"
      side={<span class="note">{plural(found.length, 'rule')}</span>}
      note="The most worth trying first, each with a line for a shell that meets it."
    >
      <div class="form">
        <Field label="Find" type="search" value={text} onInput={setText} />
        <Button onClick={() => setWhole(!whole)} pressed={whole}>
          Show all
        </Button>
      </div>
      <ul class="questions">
        {shown.map((each) => (
          <Missing key={each.id} of={each} />
        ))}
        {of.not_reachable.map(({ id, why }) => (
          <li key={id}>
            <h3>{id}</h3>
            <p class="note">Cannot be met from outside: {why}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Missing({ of: { id, words, line } }: { of: CoverageShown['not_met'][number] }) {
  const info = useInfo();
  const base = info?.base_url ?? location.origin;
  const [first] = info?.credentials ?? [];
  // What `sandbox exec` would have set, so that the line works as it is copied.
  const ready = line
    .replaceAll('$SANDBOX_CONTROL_URL', `${base}/_sandbox`)
    .replaceAll('$SANDBOX_BASE_URL', base)
    .replaceAll('$SANDBOX_TOKEN', first?.token ?? 'TOKEN');
  return (
    <li>
      <h3>{id}</h3>
      <p>
        <Prose words={words} />
      </p>
      <CodeBlock text={ready} label={`Line that meets ${id}`} />
      <CopyButton text={ready} words="Copy the line" of={`for ${id}`} />
    </li>
  );
}

function Met({ of }: { of: CoverageShown }) {
  const tables = [
    ['Rules', of.rules.ids],
    ['Operations', of.operations],
    ['Refusals', of.refusals],
    ['Transitions', of.transitions],
    ['Events', of.events],
  ] as const;
  return (
    <Panel title="Met" note="How often.">
      {tables.map(([caption, counts]) => (
        <details key={caption}>
          <summary>{caption}</summary>
          <Table caption={caption} head={['What', 'Times']}>
            {Object.entries(counts as Readonly<Record<string, number>>).map(([name, times]) => (
              <tr key={name}>
                <td class="wrap">{name}</td>
                <td>{times}</td>
              </tr>
            ))}
          </Table>
        </details>
      ))}
    </Panel>
  );
}

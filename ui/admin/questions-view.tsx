// What is open in the API's description, what the simulator does about it, and what deviates.
import { useEffect, useState } from 'preact/hooks';
import type { QuestionsShown } from '../../simulator/control/rows/sandbox/questions.ts';
import { Badge, Button, Field, Panel, Problem, Prose } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useRead } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';

type Question = QuestionsShown['questions'][number];

const differs = ({ settings }: Question) =>
  settings.some(({ value, default: usual }) => print(value) !== print(usual));

const whatTheyAre =
  'What the API’s description does not say, and what this sandbox does about it. Settings are ' +
  'given in sandbox.config.json.';

export function QuestionsView({ path: [asked = ''] }: ViewProps) {
  const { value, problem } = useRead<QuestionsShown>('questions');
  const [text, setText] = useState(asked);
  // A link from an answer names the question that it rests on.
  useEffect(() => setText(asked), [asked]);
  const [changed, setChanged] = useState(false);
  if (value === null) return <Problem words={problem} />;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = value.questions.filter(
    (question) =>
      (!changed || differs(question)) &&
      words.every((word) => JSON.stringify(question).toLowerCase().includes(word)),
  );
  return (
    <div class="columns">
      {value.deviations.length === 0 ? null : (
        <div class="wide">
          <Deviations of={value.deviations} />
        </div>
      )}
      <div class="wide">
        <Panel
          title="Open questions"
          side={<span class="note">{plural(found.length, 'question')}</span>}
          note={whatTheyAre}
        >
          <div class="form">
            <Field label="Find" type="search" value={text} onInput={setText} />
            <Button onClick={() => setChanged(!changed)} pressed={changed}>
              Changed only
            </Button>
          </div>
          <ul class="questions">
            {found.map((question) => (
              <Entry key={question.id} of={question} />
            ))}
          </ul>
        </Panel>
      </div>
    </div>
  );
}

function Deviations({ of }: { of: QuestionsShown['deviations'] }) {
  return (
    <Panel title="Deviations in force" note="Wrong on purpose, to see whether a client notices.">
      <ul class="questions">
        {of.map(({ id, story, breaks }) => (
          <li key={id}>
            <h3>{id}</h3>
            <p>
              <Prose words={story} />
            </p>
            {breaks.map((rule) => (
              <p key={rule.id} class="note">
                Breaks {rule.id}: <Prose words={rule.words} />
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Entry({ of }: { of: Question }) {
  const { id, question, choice, where, settings, no_setting } = of;
  return (
    <li>
      <h3>
        <span class="question-id">{id}</span> <Prose words={question} />
      </h3>
      <p>
        <Prose words={choice} />
      </p>
      <p class="note">
        Met at {where}.{no_setting === null ? '' : ` ${no_setting}`}
      </p>
      {settings.map(({ key, value, default: usual }) => {
        const set = print(value) !== print(usual);
        return (
          <p key={key} class="setting">
            <code>
              {key}: {print(value)}
            </code>
            {set ? <Badge tone="warn">default {print(usual)}</Badge> : null}
          </p>
        );
      })}
    </li>
  );
}

function print(value: unknown): string {
  return JSON.stringify(value);
}

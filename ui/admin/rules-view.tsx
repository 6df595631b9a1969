// The rules of the API in words, family by family: what every answer and the judge rest on.
import { useEffect, useState } from 'preact/hooks';
import type { QuestionsShown } from '../../simulator/control/rows/sandbox/questions.ts';
import { Field, Panel, Problem, Prose } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useRead } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';

type Rule = QuestionsShown['rules'][number];

const whatTheyAre =
  'What the API promises, rule by rule. The sandbox keeps them, and `npx conformance run` judges any other implementation by them.';

export function RulesView({ path: [asked = ''] }: ViewProps) {
  const { value, problem } = useRead<QuestionsShown>('questions');
  const [text, setText] = useState(asked);
  // A link from an answer names the rule that it rests on.
  useEffect(() => setText(asked), [asked]);
  if (value === null) return <Problem words={problem} />;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = value.rules.filter((rule) =>
    words.every((word) => `${rule.id} ${rule.family} ${rule.words}`.toLowerCase().includes(word)),
  );
  const families = [...new Set(found.map(({ family }) => family))];
  return (
    <div class="columns">
      <div class="wide">
        <Panel title="Rules" side={<span class="note">{plural(found.length, 'rule')}</span>}>
          <p class="note">
            <Prose words={whatTheyAre} />
          </p>
          <div class="form">
            <Field label="Find" type="search" value={text} onInput={setText} />
          </div>
        </Panel>
      </div>
      {families.map((family) => (
        <div class="wide" key={family}>
          <Family title={family} rules={found.filter((rule) => rule.family === family)} />
        </div>
      ))}
    </div>
  );
}

function Family({ title, rules }: { title: string; rules: readonly Rule[] }) {
  return (
    <Panel title={title}>
      <ul class="reasons">
        {rules.map(({ id, words }) => (
          <li key={id}>
            <code>{id}</code>
            <span>
              <Prose words={words} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

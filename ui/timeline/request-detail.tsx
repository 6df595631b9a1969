// A call: what was sent, what came back, why, and what followed.
import { useState } from 'preact/hooks';
import type { RequestStory } from '../api-client/answers.ts';
import {
  Badge,
  Button,
  CodeBlock,
  DescriptionList,
  Panel,
  Problem,
} from '../components/components.tsx';
import { duration, fullTime, pretty } from '../format.ts';
import { refusalOf } from '../live/refusal.ts';
import { toneOf } from '../live/timeline-rows.ts';
import { useRead } from '../live/use-world.ts';
import { headersOf } from './headers.ts';
import { Following, Idempotency, Reasons, Steps } from './request-explanation.tsx';
import { SendAgain } from './send-again.tsx';

export function RequestDetail({ id }: { id: string }) {
  const [isShown, setShown] = useState(false);
  const path = `requests/${encodeURIComponent(id)}`;
  const { value: safe, problem } = useRead<RequestStory>(path);
  const { value: whole } = useRead<RequestStory>(isShown ? `${path}?secrets=shown` : null);
  const story = whole ?? safe;
  if (story === null) return <Problem words={problem} />;
  return (
    <article class="story">
      <Head story={story} />
      <Refused story={story} />
      <SendAgain story={story}>
        <Button onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide tokens and secrets' : 'Show tokens and secrets'}
        </Button>
      </SendAgain>
      <Reasons story={story} />
      <Steps story={story} />
      <Idempotency story={story} />
      <Following story={story} />
      <Panel title="Request">
        <Message of={story.request} label="Request body" />
      </Panel>
      <Panel title="Response">
        {story.response === null ? (
          <p class="empty">{story.reset ? 'The connection was cut.' : 'No answer yet.'}</p>
        ) : (
          <Message of={story.response} label="Response body" />
        )}
      </Panel>
    </article>
  );
}

/** What a person who asks *why was it refused* reads first. */
function Refused({ story: { response } }: { story: RequestStory }) {
  const refusal = response === null ? null : refusalOf(response);
  if (response === null || refusal === null) return null;
  const { code, fields, words } = refusal;
  return (
    <p class={`refused ${toneOf(response.status)}`}>
      {code === null ? null : <code class="refused-code">{code}</code>}
      {fields.map((field) => (
        <code key={field} class="refused-code refused-field">
          {field}
        </code>
      ))}
      <span>{words}</span>
    </p>
  );
}

function Head({ story }: { story: RequestStory }) {
  const { request, response, allowance, at_ms, answered_at_ms } = story;
  const status = response?.status ?? null;
  const took =
    answered_at_ms === null ? '' : `, answered after ${duration(answered_at_ms - at_ms)}`;
  return (
    <header class="story-head">
      <h2>
        <Badge tone={response === null && !story.reset ? 'quiet' : toneOf(status)}>
          {status ?? (story.reset ? 'cut' : 'held')}
        </Badge>
        <span class="target">
          {request.method} {request.target}
        </span>
      </h2>
      <DescriptionList
        of={[
          ['Operation', story.operation ?? 'nothing is there under that path and method'],
          ['Credential', story.client_name ?? 'nobody was recognised'],
          ['Came', `${fullTime(at_ms)}${took}`],
          ['Request id', <code key="id">{story.request_id}</code>],
          [
            'Allowance',
            allowance === null
              ? 'not metered here'
              : `${allowance.left} left of ${allowance.per_second} a second`,
          ],
        ]}
      />
    </header>
  );
}

interface MessageProps {
  readonly of: RequestStory['request'] | NonNullable<RequestStory['response']>;
  readonly label: string;
}

function Message({ of, label }: MessageProps) {
  const { body, encoding } = of;
  const lines = headersOf(of).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <details class="headers">
        <summary>{lines.length} headers</summary>
        <CodeBlock text={lines.join('\n')} label={`${label}: headers`} />
      </details>
      {body === '' ? (
        <p class="empty">No body.</p>
      ) : (
        <CodeBlock text={encoding === 'text' ? pretty(body) : body} label={label} />
      )}
      {encoding === 'base64' ? <p class="note">No UTF-8, so the bytes are in base64.</p> : null}
    </>
  );
}

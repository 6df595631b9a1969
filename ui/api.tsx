// The API from its OpenAPI document: each operation with its members, its refusals, its rules, and
// an example that runs with one click.
import { useEffect, useState } from 'preact/hooks';
import type { CredentialShown } from '../simulator/control/records.ts';
import type { ViewProps } from './app.tsx';
import { curlLine, pretty, shellWord } from './format.ts';
import {
  Badge,
  Button,
  CodeBlock,
  CopyButton,
  Field,
  Link,
  Panel,
  Problem,
  Prose,
  placeOf,
} from './kit.tsx';
import {
  bodySchema,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  resolve,
  type Schema,
  typeWords,
} from './openapi.ts';
import { freshKey, sendApi } from './plane.ts';
import { TablePanel } from './table.tsx';
import { toneOf } from './timeline-rows.ts';
import { useCommand, useHref, useInfo, useLive, useRead } from './world.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function ApiView({ path: [chosen] }: ViewProps) {
  const href = useHref();
  const [document, setDocument] = useState<OpenapiDocument | null>(null);
  useEffect(() => {
    void fetch('/openapi.json').then(async (response) => setDocument(await response.json()));
  }, []);
  if (document === null) return <p class="empty">Reading the description of the API…</p>;
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const endpoint =
    endpoints.find(({ operation }) => operation.operationId === chosen) ?? endpoints[0];
  return (
    <div class="api">
      <ul class="api-list" aria-label="Operations">
        {endpoints.map(({ method, path, operation: { operationId, summary } }) => (
          <li key={operationId}>
            <a
              href={href('api', operationId)}
              aria-current={operationId === endpoint?.operation.operationId ? 'page' : undefined}
            >
              {summary}
              <code>
                {method} {path.replace('/api/v1', '')}
              </code>
            </a>
          </li>
        ))}
      </ul>
      {endpoint === undefined ? null : (
        <EndpointDetail key={endpoint.operation.operationId} of={endpoint} document={document} />
      )}
    </div>
  );
}

function EndpointDetail({ of, document }: { of: Endpoint; document: OpenapiDocument }) {
  const { method, path, operation } = of;
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const responses = Object.entries(operation.responses);
  const [, success] = responses.find(([status]) => status < '300') ?? [];
  return (
    <div class="story">
      <Panel title={operation.summary}>
        <p>
          <code>
            {method} {path}
          </code>{' '}
          <span class="note">{operation.operationId}</span>
        </p>
        <Lines of={operation.description} />
      </Panel>
      {responses[0]?.[0] === '101' ? null : <Example of={of} parameters={parameters} />}
      {parameters.length === 0 ? null : (
        <TablePanel
          title="Parameters"
          columns={[
            ['Name', ({ name }) => <code>{name}</code>],
            'in',
            ['Required', ({ required }) => (required ? 'yes' : '')],
            ['Meaning', ({ description = '' }) => <Prose words={description} />, 'wrap'],
          ]}
          rows={parameters}
          keyOf={({ name }) => name}
        />
      )}
      <Members
        title="Request body"
        of={bodySchema(document, operation.requestBody)}
        document={document}
      />
      <Panel title="Responses">
        <ul class="list">
          {responses.map(([status, { description }]) => (
            <li key={status} class="rail">
              <Badge tone={toneOf(Number(status))}>{status}</Badge>
              <Lines of={description} />
            </li>
          ))}
        </ul>
      </Panel>
      <Members title="Response body" of={bodySchema(document, success)} document={document} />
    </div>
  );
}

const Lines = ({ of: text }: { of: string }) =>
  text.split(/\n+/).map((line) => (
    <p key={line}>
      <Prose words={line.replace(/^- /, '')} />
    </p>
  ));

interface MembersProps {
  readonly title: string;
  readonly of: Schema | null;
  readonly document: OpenapiDocument;
}

function Members({ title, of, document }: MembersProps) {
  if (of?.properties === undefined) return null;
  const wordsOf = (member: Schema) => resolve(document, member).description ?? '';
  return (
    <TablePanel
      title={title}
      columns={[
        ['Member', ([name]) => <code>{name}</code>],
        ['Type', ([, member]) => typeWords(document, member), 'wrap'],
        ['Required', ([name]) => (of.required?.includes(name) ? 'yes' : '')],
        ['Meaning', ([, member]) => <Prose words={wordsOf(member)} />, 'wrap'],
      ]}
      rows={Object.entries(of.properties)}
      keyOf={([name]) => name}
    />
  );
}

interface ExampleProps {
  readonly of: Endpoint;
  readonly parameters: readonly Parameter[];
}

function Example({ of: { method, path, operation }, parameters }: ExampleProps) {
  const live = useLive();
  const base = useInfo()?.base_url ?? location.origin;
  const command = useCommand();
  const { value } = useRead<{ credentials: CredentialShown[] }>('credentials');
  const able = (value?.credentials ?? []).filter(({ token }) => token !== null);
  const example = operation.requestBody?.content?.['application/json']?.example;
  const [who, setWho] = useState('');
  const [target, setTarget] = useState(() => exampleTarget(path, parameters));
  const [body, setBody] = useState(() => (example === undefined ? '' : freshBody(example)));
  const [result, setResult] = useState<{ status: number; text: string; id: string } | null>(null);
  const credential = able.find(({ client_id }) => client_id === who) ?? able[0];
  const token = credential?.token ?? 'TOKEN';
  const headers: Readonly<Record<string, string>> = parameters.some(isIfMatch)
    ? { 'If-Match': '"1"' }
    : {};
  const run = () =>
    void command.run(async () => {
      const given = body === '' ? {} : { body };
      const response = await sendApi({ token, method, path: target, headers, ...given });
      const text = await response.text();
      const { requests } = await live.plane.get<{ requests: { id: string }[] }>('requests?limit=1');
      setResult({ status: response.status, text, id: requests[0]?.id ?? '' });
    });
  const all = {
    Authorization: `Bearer ${token}`,
    ...(method === 'GET' ? {} : { 'Idempotency-Key': freshKey() }),
    ...headers,
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
  };
  const data = body === '' ? undefined : `-d ${shellWord(body)}`;
  const curl = curlLine(method, `${base}${target}`, Object.entries(all), data);
  return (
    <Panel title="Example" side={<CopyButton text={curl} words="Copy as curl" />}>
      <div class="form">
        <Field label="Path and query" value={target} onInput={setTarget} />
        <Field
          label="As"
          value={credential?.client_id ?? ''}
          options={able.map(({ client_id, name }) => [client_id, name])}
          onInput={setWho}
        />
      </div>
      {example === undefined ? null : (
        <textarea
          aria-label={`Body of ${operation.operationId}`}
          rows={Math.min(14, body.split('\n').length)}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      )}
      <div class="bar">
        <Button look="main" onClick={run} disabled={command.busy || credential === undefined}>
          Run
        </Button>
        {result === null ? null : (
          <Link to={placeOf.request(result.id)}>Why: request {result.id}</Link>
        )}
      </div>
      <Problem words={command.problem} />
      {result === null ? null : (
        <>
          <p role="status">
            <Badge tone={toneOf(result.status)}>{result.status}</Badge>
          </p>
          <CodeBlock text={pretty(result.text)} label="Response body" />
        </>
      )}
    </Panel>
  );
}

const isIfMatch = ({ name }: Parameter) => name === 'If-Match';

/** Records of the default world, so that an example works as it stands. */
const knownIds: Readonly<Record<string, string>> = {
  accounts: '1001',
  transactions: '9001',
  webhooks: '1',
};

function exampleTarget(path: string, parameters: readonly Parameter[]): string {
  const filled = path.replace(/(\w+)\/\{id\}/, (_, kind) => `${kind}/${knownIds[kind]}`);
  const required = parameters.filter((each) => each.in === 'query' && each.required);
  const query = required.map(({ name, example }) => `${name}=${String(example ?? '1001')}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** A body with new references and emails, so that it can run again. */
function freshBody(example: unknown): string {
  const mark = Math.random().toString(36).slice(2, 8);
  return JSON.stringify(
    example,
    (name, value) => {
      if (name === 'client_reference_id') return `${value}-${mark}`;
      if (name === 'email') return String(value).replace('@', `.${mark}@`);
      return name === 'phone' ? undefined : value;
    },
    2,
  );
}

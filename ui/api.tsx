// The API from its OpenAPI document: each operation with its members, its refusals, its rules, and
// an example that runs with one click.
import { useEffect, useState } from 'preact/hooks';
import type { CredentialShown } from '../simulator/control/schemas/records.ts';
import type { ViewProps } from './app.tsx';
import { pretty, shellWord } from './format.ts';
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
  TablePanel,
} from './kit.tsx';
import { freshKey, sendApi } from './plane.ts';
import { toneOf } from './timeline-rows.ts';
import { useCommand, useHref, useInfo, useLive, useRead } from './world.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly schema?: Schema; readonly example?: unknown }>
  >;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: unknown;
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function ApiView({ path: [chosen] }: ViewProps) {
  const href = useHref();
  const [document, setDocument] = useState<Document | null>(null);
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

/** Follows a reference such as `#/components/schemas/Account`. */
function resolve<T extends object>(document: Document, value: T): T {
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return value;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
  return (found ?? value) as T;
}

interface EndpointProps {
  readonly of: Endpoint;
  readonly document: Document;
}

function EndpointDetail({ of, document }: EndpointProps) {
  const { method, path, operation } = of;
  const parameters = (operation.parameters ?? []).map((each) =>
    resolve(document, each as Parameter),
  );
  const content = operation.requestBody?.content?.['application/json'];
  const [, success] = Object.entries(operation.responses).find(([status]) => status < '300') ?? [];
  return (
    <div class="story">
      <Panel title={operation.summary}>
        <p>
          <code>
            {method} {path}
          </code>{' '}
          <span class="note">{operation.operationId}</span>
        </p>
        {operation.description.split('\n\n').map((words) => (
          <p key={words}>
            <Prose words={words} />
          </p>
        ))}
      </Panel>
      {path === '/api/v1/events' ? null : (
        <Example of={of} parameters={parameters} example={content?.example} />
      )}
      {parameters.length === 0 ? null : (
        <TablePanel
          title="Parameters"
          columns={[
            ['Name', ({ name }) => <code>{name}</code>],
            ['In', (each) => each.in],
            ['Required', ({ required }) => (required ? 'yes' : '')],
            ['Meaning', ({ description = '' }) => <Prose words={description} />, 'words'],
          ]}
          rows={parameters}
          keyOf={({ name }) => name}
        />
      )}
      <Members title="Request body" schema={content?.schema} document={document} />
      <Panel title="Responses">
        <ul class="list">
          {Object.entries(operation.responses).map(([status, { description }]) => (
            <li key={status} class="rail">
              <Badge tone={toneOf(Number(status))}>{status}</Badge>
              {description.split('\n').map((line) => (
                <p key={line}>
                  <Prose words={line.replace(/^- /, '')} />
                </p>
              ))}
            </li>
          ))}
        </ul>
      </Panel>
      <Members
        title="Response body"
        schema={success?.content?.['application/json']?.schema}
        document={document}
      />
    </div>
  );
}

interface MembersProps {
  readonly title: string;
  readonly schema: Schema | undefined;
  readonly document: Document;
}

function Members({ title, schema, document }: MembersProps) {
  const { properties, required } = schema === undefined ? {} : resolve(document, schema);
  if (properties === undefined) return null;
  const wordsOf = (member: Schema) => resolve(document, member).description ?? '';
  return (
    <TablePanel
      title={title}
      columns={[
        ['Member', ([name]) => <code>{name}</code>],
        ['Type', ([, member]) => typeWords(document, member), 'wrap'],
        ['Required', ([name]) => (required?.includes(name) ? 'yes' : '')],
        ['Meaning', ([, member]) => <Prose words={wordsOf(member)} />, 'words'],
      ]}
      rows={Object.entries(properties)}
      keyOf={([name]) => name}
    />
  );
}

function typeWords(document: Document, member: Schema): string {
  const { type, enum: values, items } = resolve(document, member);
  if (values !== undefined) return values.map(String).join(', ');
  if (items !== undefined) return `list of ${typeWords(document, items)}`;
  return type === undefined ? 'any' : [type].flat().join(' or ');
}

interface ExampleProps {
  readonly of: Endpoint;
  readonly parameters: readonly Parameter[];
  readonly example: unknown;
}

function Example({ of: { method, path, operation }, parameters, example }: ExampleProps) {
  const live = useLive();
  const base = useInfo()?.base_url ?? location.origin;
  const command = useCommand();
  const { value } = useRead<{ credentials: CredentialShown[] }>('credentials');
  const able = (value?.credentials ?? []).filter(({ token }) => token !== null);
  const [who, setWho] = useState('');
  const [target, setTarget] = useState(() => exampleTarget(path, parameters));
  const [body, setBody] = useState(() =>
    example === undefined ? '' : JSON.stringify(fresh(example), null, 2),
  );
  const [result, setResult] = useState<{ status: number; text: string; id: string | null } | null>(
    null,
  );
  const credential = able.find(({ client_id }) => client_id === who) ?? able[0];
  const headers = { ...(parameters.some(({ name }) => name === 'If-Match') ? ifMatch : {}) };
  const run = () =>
    void command.run(async () => {
      const response = await sendApi({
        token: credential?.token ?? '',
        method,
        path: target,
        headers,
        ...(body === '' ? {} : { body }),
      });
      const text = await response.text();
      const { requests } = await live.plane.get<{ requests: { id: string }[] }>('requests?limit=1');
      setResult({ status: response.status, text, id: requests[0]?.id ?? null });
    });
  const curl = [
    `curl -i -X ${method} ${shellWord(`${base}${target}`)}`,
    `-H ${shellWord(`Authorization: Bearer ${credential?.token ?? 'TOKEN'}`)}`,
    ...(method === 'GET' ? [] : [`-H ${shellWord(`Idempotency-Key: ${freshKey()}`)}`]),
    ...Object.entries(headers).map(([name, text]) => `-H ${shellWord(`${name}: ${text}`)}`),
    ...(body === '' ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(body)}`]),
  ].join(' \\\n  ');
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
        {result?.id ? <Link to={placeOf.request(result.id)}>Why: request {result.id}</Link> : null}
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

const ifMatch = { 'If-Match': '"1"' };

/** Records of the default world, so that an example works as it stands. */
const knownIds: readonly (readonly [RegExp, string])[] = [
  [/\/accounts\/\{id\}/, '/accounts/1001'],
  [/\/transactions\/\{id\}/, '/transactions/9001'],
  [/\/webhooks\/\{id\}/, '/webhooks/1'],
];

function exampleTarget(path: string, parameters: readonly Parameter[]): string {
  const filled = knownIds.reduce((text, [pattern, value]) => text.replace(pattern, value), path);
  const required = parameters.filter((each) => each.in === 'query' && each.required);
  const query = required.map(({ name, example }) => `${name}=${String(example ?? '1001')}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** A copy with references and emails of its own, so that it can run again. */
function fresh(example: unknown): unknown {
  const mark = Math.random().toString(36).slice(2, 8);
  const text = JSON.stringify(example)
    .replace(/("client_reference_id":")([^"]*)"/g, `$1$2-${mark}"`)
    .replace(/("email":")([^"@]*)@/g, `$1$2.${mark}@`)
    .replace(/"phone":"[^"]*",?/g, '');
  return JSON.parse(text.replace(/,\s*\}/g, '}'));
}

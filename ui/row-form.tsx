// A form for one row of the control plane, generated from the schema of its body.
import { useEffect, useState } from 'preact/hooks';
import { parseJson } from './format.ts';
import { type ButtonLook, Form, type FormField, type FormValues } from './kit.tsx';
import { bodySchema, type OpenapiDocument, resolve, type Schema, typesOf } from './openapi.ts';
import { wholePlane } from './plane.ts';
import { titleOf } from './table.tsx';
import { useInfo, useLive } from './world.ts';

interface RowFormProps {
  /** Method and path as in the control plane's document, such as `PATCH /firms/{id}`. */
  readonly row: string;
  /** The path in this world to send to, if it differs from the row's. */
  readonly path?: string | ((values: FormValues) => string);
  readonly submit: string;
  readonly label?: string;
  readonly look?: ButtonLook;
  /** Leaves members out, or puts fields before them. */
  readonly without?: readonly string[];
  readonly before?: readonly FormField[];
  /** The initial values of fields. */
  readonly values?: FormValues;
  /** Replaces the default way to send the body. */
  readonly send?: (body: object) => Promise<unknown>;
  readonly done?: string;
}

let description: Promise<OpenapiDocument> | null = null;

/** The row in the control plane's document, which is null until it is loaded. */
function useRow(row: string) {
  const [document, setDocument] = useState<OpenapiDocument | null>(null);
  const isKnown = useInfo() !== null;
  useEffect(() => {
    if (!isKnown) return;
    description ??= wholePlane.get<OpenapiDocument>('openapi.json');
    description.then(setDocument, () => {
      description = null;
    });
  }, [isKnown]);
  const [method = '', template = ''] = row.split(' ');
  const body = document?.paths[template]?.[method.toLowerCase()]?.requestBody;
  const schema = (document && bodySchema(document, body)) ?? {};
  return { document, method, template, schema };
}

export function RowForm(props: RowFormProps) {
  const { row, path, without = [], before = [], values = {}, send, done, ...form } = props;
  const { plane } = useLive();
  const { document, method, template, schema } = useRow(row);
  if (document === null) return null;
  const members = Object.entries(membersOf(document, schema)).filter(
    ([name]) => !without.includes(name),
  );
  const fields = members.map(([name, member]) => fieldOf(name, member, values[name]));
  return (
    <Form
      {...form}
      fields={[...before, ...fields]}
      run={async (entered) => {
        const body = bodyOf(members, entered);
        const target = typeof path === 'function' ? path(entered) : (path ?? template.slice(1));
        await (send?.(body) ?? plane.send(method, target, body));
        return done;
      }}
    />
  );
}

/** The values that the document allows for a member of a row's body. */
export function useChoices(row: string, member: string): readonly string[] {
  const { document, schema } = useRow(row);
  if (document === null) return [];
  return (resolve(document, schema.properties?.[member] ?? {}).enum ?? []).map(String);
}

interface Member {
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The members of an object, with those of objects in it as `effect.kind`. */
function membersOf(document: OpenapiDocument, schema: Schema, prefix = ''): Record<string, Member> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = resolve(document, member);
    const isRequired = schema.required?.includes(name) ?? false;
    return own.properties !== undefined && Object.keys(own.properties).length > 0
      ? Object.entries(membersOf(document, own, `${prefix}${name}.`))
      : [[`${prefix}${name}`, { schema: own, isRequired }] as const];
  });
  return Object.fromEntries(entries);
}

function fieldOf(name: string, { schema, isRequired }: Member, value = ''): FormField {
  const { enum: own = schema.examples, items, description: note } = schema;
  const field = { name, label: titleOf(name), note, value };
  if (items?.enum !== undefined) return { ...field, several: items.enum.map(String) };
  const options = own?.filter((each) => each !== null).map(String);
  if (options !== undefined) return { ...field, options: isRequired ? options : ['', ...options] };
  return typesOf(schema).join() === 'boolean' ? { ...field, check: true } : field;
}

/** The body with the entered values; empty values are left out unless they are required. */
function bodyOf(members: readonly (readonly [string, Member])[], entered: FormValues): object {
  const body: Record<string, unknown> = {};
  for (const [name, { schema, isRequired }] of members) {
    const text = entered[name] ?? '';
    const [first = '', second] = name.split('.');
    if (second !== undefined) body[first] ??= {};
    if (text === '' && !isRequired) continue;
    const place = second === undefined ? body : (body[first] as Record<string, unknown>);
    place[second ?? first] = readValue(schema, text);
  }
  return body;
}

/** A text as a value of the schema's type; the control plane refuses invalid values. */
function readValue(schema: Schema, text: string): unknown {
  const types = typesOf(schema);
  if (types.includes('array')) return text.split(/[\s,]+/).filter(Boolean);
  const value = parseJson(text);
  const type = value === null ? 'null' : typeof value;
  const isNumber = type === 'number' && (types.includes('integer') || types.includes('number'));
  return isNumber || (type !== 'string' && types.includes(type)) ? value : text;
}

// The report that `conformance client` writes, as far as it is shown here.

/** A kind of value. */
interface Kinds {
  text: string;
  'text?': string | null;
  number: number;
  'number?': number | null;
  'command?': string | undefined;
}

/** A member's form: a kind of value, a list of one form, or an object by its members. */
type Form =
  | keyof Kinds
  | readonly [Form]
  | { readonly [name: string]: Form }
  | { readonly orNull: { readonly [name: string]: Form } };

const shown = {
  place: 'text',
  verdict: 'text',
  actual: 'text',
  run: 'number',
  calls: ['number'],
} as const;

const check = {
  id: 'text',
  title: 'text',
  orders: 'text',
  expected: 'text',
  at_stake: 'text',
  mend: { words: 'text', example: 'text' },
  rules: [{ id: 'text', words: 'text' }],
  verdict: 'text',
  why: 'text?',
  findings: [{ ...shown, replay: 'command?' }],
  shown: { orNull: shown },
} as const;

const call = {
  n: 'number',
  at_ms: 'number',
  method: 'text',
  target: 'text',
  key: 'text?',
  struck: 'text?',
  status: 'number?',
  abandoned_at_ms: 'number?',
} as const;

const report = {
  command: ['text'],
  verdict: 'text',
  runs: 'number',
  requests: 'number',
  duration_ms: 'number',
  does: 'text',
  unusable: 'text?',
  notes: ['text'],
  checks: [check],
  recordings: [
    {
      run: 'number',
      ending: { words: 'text', duration_ms: 'number', output: 'text' },
      calls: [call],
    },
  ],
} as const satisfies Form;

/** What is of a form. */
type ValueOf<F> = F extends keyof Kinds
  ? Kinds[F]
  : F extends readonly [infer Item]
    ? readonly ValueOf<Item>[]
    : F extends { readonly orNull: infer Members }
      ? ValueOf<Members> | null
      : { readonly [Name in keyof F]: ValueOf<F[Name]> };

export type ClientReport = { readonly schema: 'client/1' } & ValueOf<typeof report>;
export type ClientCheck = ValueOf<typeof check>;
export type ClientFinding = ClientCheck['findings'][number];
export type ClientCall = ValueOf<typeof call>;

/** The report in the text of a file, or what is wrong with it. */
export function readClientReport(text: string): ClientReport | string {
  const remedy = 'choose what --report json=FILE of conformance client has written';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return `This is no JSON; ${remedy}.`;
    throw error;
  }
  const { schema } = (json ?? {}) as { schema?: unknown };
  if (schema !== 'client/1') return `This is another report; ${remedy}.`;
  const problem = findProblem(json, report, '');
  if (problem !== null) return `This report is not as it was written: ${problem}; ${remedy}.`;
  return json as ClientReport;
}

const kinds: Readonly<Record<keyof Kinds, readonly [(value: unknown) => boolean, string]>> = {
  text: [(value) => typeof value === 'string', 'a text'],
  'text?': [(value) => value === null || typeof value === 'string', 'a text or null'],
  number: [Number.isFinite, 'a number'],
  'number?': [(value) => value === null || Number.isFinite(value), 'a number or null'],
  // It is copied into a terminal: nothing may be in it that is not seen on the page.
  'command?': [
    (value) => value === undefined || (typeof value === 'string' && !/[^\P{C}\n]/u.test(value)),
    'a command, without characters that are not seen',
  ],
};

/** What a value lacks of a form, by the path of the first such member; null where it has it. */
function findProblem(value: unknown, form: Form, path: string): string | null {
  if (typeof form === 'string') {
    const [isRight, words] = kinds[form];
    return isRight(value) ? null : `${path} must be ${words}`;
  }
  if (Array.isArray(form)) {
    if (!Array.isArray(value)) return `${path} must be a list`;
    return first(value.map((each, at) => () => findProblem(each, form[0], `${path}[${at}]`)));
  }
  if ('orNull' in form)
    return value === null ? null : findProblem(value, form.orNull as Form, path);
  if (typeof value !== 'object' || value === null) return `${path} must be an object`;
  const members = Object.entries(form).map(([name, member]) => () => {
    const found = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return findProblem(found, member, path === '' ? name : `${path}.${name}`);
  });
  return first(members);
}

function first(looks: readonly (() => string | null)[]): string | null {
  for (const look of looks) {
    const found = look();
    if (found !== null) return found;
  }
  return null;
}

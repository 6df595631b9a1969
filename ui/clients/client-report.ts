// The report that `conformance client` writes, as far as it is shown here.

export interface ClientReport {
  readonly schema: 'client/1';
  readonly command: readonly string[];
  readonly verdict: string;
  readonly runs: number;
  readonly requests: number;
  readonly duration_ms: number;
  readonly does: string;
  readonly unusable: string | null;
  readonly notes: readonly string[];
  readonly checks: readonly ClientCheck[];
  readonly recordings: readonly ClientRecording[];
}

export interface ClientCheck {
  readonly id: string;
  readonly title: string;
  readonly orders: string;
  readonly expected: string;
  readonly at_stake: string;
  readonly mend: { readonly words: string; readonly example: string };
  readonly rules: readonly { readonly id: string; readonly words: string }[];
  readonly verdict: string;
  readonly why: string | null;
  readonly findings: readonly ClientFinding[];
  readonly shown: Omit<ClientFinding, 'replay'> | null;
}

export interface ClientFinding {
  readonly place: string;
  readonly verdict: string;
  readonly actual: string;
  readonly run: number;
  readonly calls: readonly number[];
  readonly replay: string;
}

export interface ClientRecording {
  readonly run: number;
  readonly ending: {
    readonly words: string;
    readonly duration_ms: number;
    readonly output: string;
  };
  readonly calls: readonly ClientCall[];
}

export interface ClientCall {
  readonly n: number;
  readonly at_ms: number;
  readonly method: string;
  readonly target: string;
  readonly key: string | null;
  readonly struck: string | null;
  readonly status: number | null;
  readonly abandoned_at_ms: number | null;
}

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
  const misfit = findMisfit(json, report, '');
  if (misfit !== null) return `This report is not as it was written: ${misfit}; ${remedy}.`;
  return json as ClientReport;
}

/** A member's form: a kind of value, a list of one form, or an object by its members. */
type Form =
  | 'text'
  | 'text?'
  | 'number'
  | 'number?'
  | 'command?'
  | readonly [Form]
  | { readonly [name: string]: Form }
  | { readonly orNull: { readonly [name: string]: Form } };

const shown: { readonly [name: string]: Form } = {
  place: 'text',
  actual: 'text',
  run: 'number',
  calls: ['number'],
};

const check: Form = {
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
};

const call: Form = {
  n: 'number',
  at_ms: 'number',
  method: 'text',
  target: 'text',
  key: 'text?',
  struck: 'text?',
  status: 'number?',
  abandoned_at_ms: 'number?',
};

const report: Form = {
  command: ['text'],
  verdict: 'text',
  runs: 'number',
  requests: 'number',
  duration_ms: 'number',
  does: 'text',
  unusable: 'text?',
  notes: ['text'],
  checks: [check],
  recordings: [{ run: 'number', ending: { words: 'text', duration_ms: 'number' }, calls: [call] }],
};

const kinds: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
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
function findMisfit(value: unknown, form: Form, path: string): string | null {
  if (typeof form === 'string') {
    const [isRight, words] = kinds[form] ?? [() => false, form];
    return isRight(value) ? null : `${path} must be ${words}`;
  }
  if (Array.isArray(form)) {
    if (!Array.isArray(value)) return `${path} must be a list`;
    return first(value.map((each, at) => () => findMisfit(each, form[0], `${path}[${at}]`)));
  }
  if ('orNull' in form) return value === null ? null : findMisfit(value, form.orNull as Form, path);
  if (typeof value !== 'object' || value === null) return `${path} must be an object`;
  const members = Object.entries(form).map(([name, member]) => () => {
    const found = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return findMisfit(found, member, path === '' ? name : `${path}.${name}`);
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

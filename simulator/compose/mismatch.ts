// Where a value differs from the members that a test expects of it, in words.

export interface Mismatch {
  /** The outermost member that differs. */
  readonly member: string;
  /** Such as `account_id is "1007", not 1007`. */
  readonly words: string;
  /** Both sides read alike and differ only in their JSON type. */
  readonly onlyType: boolean;
}

/**
 * Objects match if every expected member does, at any depth; lists match entry by entry; everything
 * else must be the same value.
 */
export function findMismatches(actual: object, expected: object): readonly Mismatch[] {
  return Object.entries(expected)
    .filter(([, value]) => value !== undefined)
    .flatMap(([member, value]) =>
      compare((actual as Readonly<Record<string, unknown>>)[member], value, member).map(
        (difference) => ({ ...difference, member }),
      ),
    );
}

type Difference = Omit<Mismatch, 'member'>;

function compare(actual: unknown, expected: unknown, path: string): readonly Difference[] {
  if (isObject(expected) && isObject(actual)) {
    if (Array.isArray(expected) !== Array.isArray(actual)) return [differ(actual, expected, path)];
    if (Array.isArray(expected) && expected.length !== actual.length) {
      return [differ(actual, expected, path)];
    }
    return Object.entries(expected)
      .filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => compare(actual[name], value, `${path}.${name}`));
  }
  return Object.is(actual, expected) ? [] : [differ(actual, expected, path)];
}

function differ(actual: unknown, expected: unknown, path: string): Difference {
  const onlyType =
    !isObject(actual) &&
    !isObject(expected) &&
    actual != null &&
    String(actual) === String(expected);
  return { words: `${path} is ${show(actual)}, not ${show(expected)}`, onlyType };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value) ?? `a ${typeof value}`;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

// The same fingerprint for the same failure in every run: values that change between runs are removed.
import { createHash } from 'node:crypto';

/** Twelve hex digits. */
export function fingerprintOf(
  rule: string,
  scenario: string,
  finding: { readonly expected: string; readonly actual: string },
): string {
  const parts = [rule, scenario, stableWords(finding.expected), stableWords(finding.actual)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** The text without ids, times, generated names and other numbers that change. */
export function stableWords(words: string): string {
  return (
    words
      // References, keys and emails of the run, including a truncated one at the end.
      .replace(/(?<![0-9A-Za-z_])[0-9a-f]{10}(-[0-9a-f]{0,6}(-\d*)?)?(?![0-9a-f])/g, '#')
      // Amounts of time and size, and the numbers of exchanges.
      .replace(/(?<!\d)\d+(\.\d+)?(?=\s?(ms|s|seconds?|min|bytes|characters)\b)/g, '#')
      .replace(/\b(exchanges?) \d+(, \d+)*/g, '$1 #')
      // Ids, tokens, dates: any long word with a digit.
      .replace(/(?<![A-Za-z0-9_+-])[A-Za-z0-9_+-]*\d[A-Za-z0-9_+-]*/g, (word) =>
        isTelling(word) ? word : '#',
      )
      .replace(/\s+/g, ' ')
      .trim()
  );
}

// A status, a small count and a name such as `v1` distinguish failures.
function isTelling(word: string): boolean {
  return /^([1-5]\d\d|\d|[A-Za-z][A-Za-z_-]*\d)$/.test(word);
}

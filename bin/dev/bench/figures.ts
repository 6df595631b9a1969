// Figures of a bench: medians over rounds, so that one disturbed round does not decide.

/** The middle value; of an even number the mean of the middle two. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('a median needs at least one value');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/**
 * The median of the rounds' own ratios: both sides of a ratio are measured seconds apart, so what
 * slows the machine down for a while slows both.
 */
export function medianRatio(values: readonly number[], yardstick: readonly number[]): number {
  if (values.length !== yardstick.length) throw new Error('ratios need the same rounds');
  return median(values.map((value, round) => value / (yardstick[round] as number)));
}

export interface Figure {
  readonly name: string;
  /** The measured value with its unit, ready to print. */
  readonly value: string;
  /** What the value is against its yardstick, where it has one. */
  readonly ratio?: number;
  readonly aim?: { readonly atLeast: number } | { readonly atMost: number };
  /** What else there is to say of it. */
  readonly note?: string;
  /** The number that `aim` is about, where it is not the ratio. */
  readonly measured?: number;
}

/** Undefined when the figure has no aim. */
export function meetsAim({ aim, ratio, measured = ratio }: Figure): boolean | undefined {
  if (!aim || measured === undefined) return undefined;
  return 'atLeast' in aim ? measured >= aim.atLeast : measured <= aim.atMost;
}

/** The figures as lines of a table. */
export function printFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, ratio, aim, note } = figure;
    const met = meetsAim(figure);
    return [
      name,
      value,
      ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
      aim ? ('atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`) : '',
      [met === undefined ? [] : met ? 'met' : 'MISSED', note ?? []].flat().join('; '),
    ];
  });
  const widths = [0, 1, 2, 3].map((n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `  ${row[0]?.padEnd(widths[0] ?? 0)}  ${row[1]?.padStart(widths[1] ?? 0)}  ` +
        [row[2]?.padStart(widths[2] ?? 0), row[3]?.padEnd(widths[3] ?? 0), row[4]]
          .join('  ')
          .trimEnd(),
    )
    .join('\n');
}

/** All figures as one table in Markdown, under where and when they were measured. */
export function markdownTable(
  heading: string,
  all: Readonly<Record<string, readonly Figure[]>>,
): string {
  const rows = Object.entries(all).flatMap(([bench, figures]) =>
    figures.map((figure) => {
      const { name, value, ratio, aim, note } = figure;
      const aimed = aim
        ? 'atLeast' in aim
          ? `at least ${aim.atLeast}`
          : `at most ${aim.atMost}`
        : '';
      const told = [meetsAim(figure) === false ? 'missed' : [], note ?? []].flat().join('; ');
      const cells = [bench, name, value, ratio?.toFixed(2) ?? '', aimed, told];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  const head = ['| bench | what | measured | ratio | aim | |', '|---|---|---|---|---|---|'];
  return [heading, '', ...head, ...rows].join('\n');
}

const tableBegin = '<!-- npm run bench -- --write writes from here -->';
const tableEnd = '<!-- to here -->';

/** The page with this table between its two marks, in the place of the one before. */
export function placeTable(page: string, table: string): string {
  const from = page.indexOf(tableBegin) + tableBegin.length;
  const to = page.indexOf(tableEnd, from);
  if (from < tableBegin.length || to < 0) {
    throw new Error(`the page has no "${tableBegin}" with a "${tableEnd}" after it`);
  }
  const folded = ['<details><summary>Measured</summary>', '', table, '', '</details>'].join('\n');
  return `${page.slice(0, from)}\n\n${folded}\n\n${page.slice(to)}`;
}

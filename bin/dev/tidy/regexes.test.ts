// No regular expression of the programs takes steps as the square of what it reads, whoever wrote
// that: steps are counted on texts that are made to be hard for it, and doubled.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../root.ts';
import { countedRegex, hardText } from './regex-steps.ts';

const regexes = suite('regular expressions');

const hard: readonly RegExp[] = [
  /\s+$/,
  /^(a+)+$/,
  /(x|xx)*y/,
  /[a-z]*\d/,
  /^0*([0-9]*)$/,
  /"(?:[^"\\]|\\.)*"/,
  /begin[\s\S]*end/,
];

const easy: readonly RegExp[] = [
  /(?<!\s)\s+$/,
  /^a+$/,
  /^0*((?:[1-9][0-9]*)?)$/,
  /"(?:[^"\\]|\\.)*(?:"|\\?$)/,
  /begin(?:(?!begin)[\s\S])*end/,
  /[a-z]{1,40}\d/,
  /^\w+(?=:)/,
];

regexes('what is hard is found, and what is easy is not taken for it', () => {
  for (const each of hard) assert.ok(hardText(each.source, each.flags), `${each}`);
  for (const each of easy) assert.is(hardText(each.source, each.flags), null, `${each}`);
});

regexes('what is counted is what is searched', () => {
  const texts = ['', 'aab', 'x1', '007.50', '"a\\"b" c', 'begin 1 end', ' \n', '::a=b', 'A_b-9'];
  for (const regex of [...hard, ...easy, /(a)\1|b$/m, /\bA\B/i, /^(?:x|y?)\d{1,2}?/, /(?<=x)1/]) {
    for (const text of texts) {
      const found = countedRegex(regex.source, regex.flags).finds(text);
      assert.is(found, new RegExp(regex.source, regex.flags).test(text), `${regex} in ${text}`);
    }
  }
});

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !/\.test\.ts$|\/testing\/|^bin\/(dev|e2e)\//.test(file));

interface Token {
  readonly type: { readonly label?: string };
  readonly value?: unknown;
  readonly loc: { readonly start: { readonly line: number } };
}

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** The literals of a file, and the patterns of its schemas. */
function regexesIn(file: string): readonly Found[] {
  const plugins: ('typescript' | 'jsx')[] = file.endsWith('x')
    ? ['typescript', 'jsx']
    : ['typescript'];
  const text = readFileSync(join(root, file), 'utf8');
  const tokens = parse(text, { sourceType: 'module', plugins, tokens: true }).tokens as Token[];
  return tokens.flatMap(({ type, value, loc }, at) => {
    const where = `${file}:${loc.start.line}`;
    if (type.label === 'regexp') {
      const { pattern: source, flags } = value as { pattern: string; flags: string };
      return [{ where, source, flags }];
    }
    const isPattern = value === 'pattern' && tokens[at + 1]?.type.label === ':';
    const said = tokens[at + 2]?.type.label === 'string';
    return isPattern && said ? [{ where, source: String(tokens[at + 2]?.value), flags: 'u' }] : [];
  });
}

function assertEasy(found: readonly Found[]): void {
  const known = new Set<string>();
  const slow = found.flatMap(({ where, source, flags }) => {
    if (known.has(`${source}/${flags}`)) return [];
    known.add(`${source}/${flags}`);
    const text = hardText(source, flags);
    return text === null ? [] : [`${where} /${source}/ on ${text}`];
  });
  assert.equal(slow, []);
}

regexes('those that are written in the code', () => {
  const found = files.flatMap(regexesIn);
  assert.ok(found.length > 400, `${found.length} were found`);
  assertEasy(found);
});

regexes('those that are put together while it runs', async () => {
  const made: Found[] = [];
  const { RegExp: Original } = globalThis;
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, args, newTarget) => {
      made.push({ where: 'made', source: String(args[0]), flags: String(args[1] ?? '') });
      return Reflect.construct(target, args, newTarget);
    },
  });
  try {
    const { Redactor } = await import('../../../conformance/reports/redact.ts');
    const redactor = new Redactor();
    redactor.add('a secret of 20 characters');
    redactor.text('text');
    const { wholePattern } = await import('../../../conformance/reports/replay/variables.ts');
    wholePattern('a.b');
    const { idsIn } = await import('../../../conformance/client/faults/large-ids.ts');
    idsIn({ target: '/', body: '' } as Parameters<typeof idsIn>[0]);
    await import('../../../conformance/scenarios/support/learn-payload.ts');
    await import('../../../conformance/client/operations.ts');
    await import('../../../fixtures/worlds/parse-ago.ts');
    await import('../../commands/terminal.ts');
  } finally {
    globalThis.RegExp = Original;
  }
  assert.ok(made.length > 12, `${made.length} were made`);
  assertEasy(made);
});

regexes.run();

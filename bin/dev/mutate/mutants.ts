// Small wrongs in a source text: a condition turned round, a bound moved by one, a constant
// changed.
import { parse } from '@babel/parser';

/** One change of one place. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const otherOperators: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '&&': ['||'],
  '||': ['&&'],
};

/**
 * Names of rules and of open questions are said beside an answer, not in it; whole sentences are
 * for people, in words that no rule decides.
 */
const unjudged = /^(?:[A-Z]+-\d+[a-z]*|[A-Z]{2,5})$|\S \S/;

/** Every mutant of a TypeScript source, in the order of its text. */
export function findMutants(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const { program } = parse(source, {
    sourceType: 'module',
    plugins: ['typescript', 'estree'],
    createParenthesizedExpressions: true,
  });
  visit(program as unknown as Node, found, source);
  return found.sort((one, other) => one.start - other.start);
}

// Types are erased, imports and throws are no behaviour on the wire: broken invariants throw.
const passedOver = /^(?:TS(?!As|Non|Satisfies)|Import|Export(?:All)|ThrowStatement)/;

function visit(node: Node, found: Mutant[], source: string): void {
  if (passedOver.test(node.type)) return;
  found.push(...mutantsOf(node, source));
  for (const [name, member] of Object.entries(node)) {
    const isKey = name === 'key' && node.computed !== true;
    if (isKey || name === 'typeAnnotation' || name === 'source') continue;
    for (const child of Array.isArray(member) ? member : [member]) {
      if (typeof child?.type === 'string') visit(child as Node, found, source);
    }
  }
}

function mutantsOf(node: Node, source: string): Mutant[] {
  const { start, end, type } = node;
  const own = source.slice(start, end);
  if (type === 'BinaryExpression' || type === 'LogicalExpression') return operatorMutants(node);
  if (type === 'IfStatement') {
    const test = node.test as Node;
    const text = source.slice(test.start, test.end);
    return [{ start: test.start, end: test.end, text: `!(${text})` }];
  }
  if (type === 'ConditionalExpression') {
    const test = node.test as Node;
    const text = source.slice(test.start, test.end);
    return [{ start: test.start, end: test.end, text: `!(${text})` }];
  }
  if (type === 'UnaryExpression' && node.operator === '!') {
    return [{ start, end: start + 1, text: '' }];
  }
  if (type !== 'Literal') return [];
  const { value } = node;
  if (typeof value === 'boolean') return [{ start, end, text: String(!value) }];
  if (typeof value === 'number') return [{ start, end, text: `(${own} + 1)` }];
  const isText = typeof value === 'string' && value !== '' && !unjudged.test(value);
  return isText ? [{ start, end, text: JSON.stringify(`${value}~`) }] : [];
}

function operatorMutants(node: Node): Mutant[] {
  const left = node.left as Node;
  const right = node.right as Node;
  const operator = node.operator as string;
  // The operator stands alone between its sides, but for blanks and brackets.
  return (otherOperators[operator] ?? []).map((text) => ({
    start: left.end,
    end: right.start,
    text: ` ${text} `,
  }));
}

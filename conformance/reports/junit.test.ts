// The JUnit report is well-formed whatever a target answers, and counts as CI servers count.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { junitReport } from './junit.ts';
import { sampleReport } from './testing/sample-report.ts';
import { type Element, parseXml } from './testing/xml-reader.ts';

const junit = suite('junit');

const page = junitReport(sampleReport);
const root = parseXml(page);

function all(from: Element, name: string): Element[] {
  return from.children.flatMap((each) => [
    ...(each.name === name ? [each] : []),
    ...all(each, name),
  ]);
}

junit('has one test case a rule, in a suite a family', () => {
  assert.is(root.name, 'testsuites');
  const suites = root.children;
  assert.equal(
    suites.map((each) => each.attributes.name),
    ['conformance.ACC', 'conformance.IDEM', 'conformance.EVT', 'conformance.LIM'],
  );
  assert.is(all(root, 'testcase').length, sampleReport.rules.length);
});

junit('counts what it holds, in every suite and in all', () => {
  for (const each of [root, ...root.children]) {
    const cases = all(each, 'testcase');
    assert.is(each.attributes.tests, String(cases.length));
    for (const [count, name] of [
      ['failures', 'failure'],
      ['errors', 'error'],
      ['skipped', 'skipped'],
    ] as const) {
      const own = cases.filter((test) => test.children.some((child) => child.name === name));
      assert.is(each.attributes[count], String(own.length), `${each.attributes.name} ${count}`);
    }
  }
});

const KINDS: [rule: string, kind: string | undefined][] = [
  ['ACC-1', undefined],
  ['ACC-2', 'failure'],
  ['ACC-3', 'system-out'],
  ['IDEM-4b', 'error'],
  ['IDEM-5', 'error'],
  ['IDEM-8', 'error'],
  ['EVT-1', 'skipped'],
  ['EVT-3', 'skipped'],
  ['LIM-1', 'skipped'],
];
for (const [rule, kind] of KINDS) {
  junit(`${rule} is ${kind ?? 'passed'}`, () => {
    const own = all(root, 'testcase').find((each) => each.attributes.name!.startsWith(`${rule} `))!;
    assert.equal(
      own.children.map((each) => each.name),
      kind === undefined ? [] : [kind],
    );
  });
}

junit('a failure says what was expected, what came, and how to try again', () => {
  const [failure] = all(root, 'failure');
  assert.is(failure!.attributes.type, 'deviates');
  assert.match(failure!.attributes.message!, 'expected 409 invalid_state');
  assert.match(failure!.text, 'conformance run --base-url');
  assert.match(failure!.text, '3. POST /api/v1/accounts as firm -> 201');
});

junit('what is skipped for want of something says what to add', () => {
  const skipped = all(root, 'skipped').map((each) => each.attributes.message);
  assert.ok(skipped.some((each) => each!.includes('receiver, with a public_url')));
});

junit('holds no character that XML 1.0 has no word for', () => {
  for (const char of page) {
    const code = char.codePointAt(0)!;
    assert.ok(code === 9 || code === 10 || (code >= 0x20 && code !== 0xfffe), code.toString(16));
    assert.ok(code < 0xd800 || code > 0xdfff, code.toString(16));
  }
});

junit.run();

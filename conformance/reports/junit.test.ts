// The JUnit report is well-formed for any answer of the target, and counts as CI servers do.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { junitReport } from './junit.ts';
import { sampleReport } from './testing/sample-report.ts';
import { type Element, parseXml } from './testing/xml-reader.ts';

const junit = suite('junit');

const root = parseXml(junitReport(sampleReport));

function all(from: Element, name: string): Element[] {
  return from.children.flatMap((each) => [
    ...(each.name === name ? [each] : []),
    ...all(each, name),
  ]);
}

junit('has one test case for each rule, in a suite for each family', () => {
  assert.is(root.name, 'testsuites');
  const suites = root.children;
  const names = suites.map((each) => each.attributes.name).join(' ');
  assert.is(names, 'conformance.ACC conformance.IDEM conformance.EVT conformance.LIM');
  for (const { attributes } of suites) {
    assert.match(attributes.timestamp!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  }
  assert.is(all(root, 'testcase').length, sampleReport.rules.length);
});

junit('counts its test cases, in every suite and in total', () => {
  const counted = { failures: 'failure', errors: 'error', skipped: 'skipped' };
  for (const each of [root, ...root.children]) {
    const cases = all(each, 'testcase');
    assert.is(each.attributes.tests, String(cases.length));
    for (const [count, name] of Object.entries(counted)) {
      // The schema has it on a suite, but not on the element for all suites.
      const isLeftOut = each === root && count === 'skipped';
      const own = isLeftOut ? undefined : String(all(each, name).length);
      assert.is(each.attributes[count], own, `${each.attributes.name} ${count}`);
    }
  }
});

junit('times add up to the time of the run', () => {
  const cases = all(root, 'testcase');
  const sum = (from: readonly Element[]) =>
    from.reduce((total, { attributes }) => total + Number(attributes.time), 0);
  const whole = sampleReport.duration_ms / 1000;
  assert.is(Number(root.attributes.time), whole);
  for (const own of [root.children, cases]) assert.ok(Math.abs(sum(own) - whole) < 0.01);
});

const KINDS = {
  'system-out': ['ACC-1', 'ACC-3'],
  failure: ['ACC-2'],
  error: ['IDEM-4b', 'IDEM-5', 'IDEM-8'],
  skipped: ['EVT-1', 'EVT-3', 'LIM-1'],
};

junit('a test case has the id of its rule as name, and the text in the body', () => {
  for (const test of all(root, 'testcase')) {
    const [child, ...others] = test.children;
    const id = test.attributes.name!;
    assert.ok(KINDS[child!.name as keyof typeof KINDS].includes(id), `${id} ${child!.name}`);
    assert.equal(others, []);
    assert.match(child!.text, `The rule \`${id}\` says something & more.`);
  }
});

junit('a failure says what was expected and how to run it again, and a skip what to add', () => {
  const [failure] = all(root, 'failure');
  assert.is(failure!.attributes.type, 'deviates');
  assert.match(failure!.attributes.message!, 'expected 409 invalid_state');
  assert.match(failure!.text, 'conformance run --base-url');
  assert.match(failure!.text, /3\. POST \/api\/v1\/accounts as firm\n[\s\S]*→ 201 after/);
  const skipped = all(root, 'skipped').map((each) => each.attributes.message);
  assert.match(skipped.join('\n'), 'receiver, with a public_url');
});

junit.run();

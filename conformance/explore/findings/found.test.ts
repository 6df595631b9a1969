// The book of findings: a finding holds only as long as the model shows it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differing } from '../testing/outcomes.ts';
import { Book, type Found } from './found.ts';

const foundAt = (at: string, rule: string): Found => {
  const difference = differing({ at });
  return { difference, rules: [rule], met: [difference], times: 1 } as unknown as Found;
};

const book = suite('findings');

book('what the model shows no more after it has learned is withdrawn', async () => {
  const findings = new Book();
  findings.add(foundAt('body.phone', 'ACC-11'));
  findings.add(foundAt('body.country', 'ACC-14'));
  await findings.review(async ({ difference }) => difference.at !== 'body.phone');
  const rules = findings.found.map(({ rules }) => rules);
  assert.equal(rules, [['ACC-14']]);
  const known = ['body.phone', 'body.country'].map((at) => findings.isKnown(differing({ at })));
  assert.equal(known, [false, true]);
});

book.run();

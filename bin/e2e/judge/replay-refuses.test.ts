// A report of anybody is no command: what is not as a run writes it makes no script.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleReport } from '../../../conformance/reports/testing/sample-report.ts';
import { systemJudgeIo } from '../../commands/conformance/io.ts';
import { replay } from '../../commands/conformance/replay.ts';
import { withFolder } from '../../commands/conformance/testing/run-judge.ts';

const test = suite('replay');

const [scenario] = sampleReport.scenarios;
const [exchange] = scenario!.exchanges;
const evil = '1; touch pwned';
const inTarget = (change: object) => ({ target: { ...sampleReport.target, ...change } });

const citing = (exchanges: unknown) => {
  const rule = sampleReport.rules.find(({ findings }) => findings.length > 0);
  return { rules: [{ ...rule, findings: [{ ...rule?.findings[0], exchanges: [exchanges] }] }] };
};

const spoilt: readonly (readonly [report: object, exchange: object, place: string])[] = [
  [inTarget({ base_url: '-o/pwned' }), {}, 'target.base_url'],
  [inTarget({ control_url: evil }), {}, 'target.control_url'],
  [inTarget({ headers: ['x"\noutput = "pwned'] }), {}, 'target.headers'],
  [{ mark: '(a+)+$' }, {}, 'mark'],
  [citing(evil), {}, 'rules[0].findings[0].exchanges[0] must be a number'],
  [citing(1e308), {}, 'rules[].findings[].exchanges'],
  [{}, { n: evil }, 'exchanges[0].n'],
  [{}, { n: '1' }, 'exchanges[0].n'],
  [
    {},
    { request: { ...exchange!.request, headers: [['@x', '']] } },
    'exchanges[0].request.headers',
  ],
  [{}, { as: '$(touch pwned)' }, 'exchanges[0].as'],
  [{}, { kind: evil }, 'exchanges[0].kind'],
  [{}, { request: { ...exchange!.request, method: evil } }, 'exchanges[0].request.method'],
  [{}, { at_ms: evil }, 'exchanges[0].at_ms'],
];

test('a report as a run writes it makes a script, and any other is refused by its place', () =>
  withFolder(async (cwd) => {
    const io = { ...systemJudgeIo('0.0.0'), cwd };
    const scriptOf = (report: object) => {
      writeFileSync(join(cwd, 'report.json'), JSON.stringify(report));
      return replay('report.json', scenario!.id, io);
    };
    assert.match(scriptOf(sampleReport), /^call 3 POST /m);
    for (const [over, change, place] of spoilt) {
      const exchanges = [{ ...exchange, ...change }];
      const report = { ...sampleReport, ...over, scenarios: [{ ...scenario, exchanges }] };
      assert.throws(
        () => scriptOf(report),
        ({ name, message }: Error) => name === 'UsageError' && message.includes(place),
        place,
      );
    }
  }));

test('the script of an explorer’s report is printed as it stands, as the guide warns', () =>
  withFolder(async (cwd) => {
    const script = 'touch "$HOME/x"\n';
    const report = { schema: 'explore/1', differences: [{ id: 'd1', script }] };
    writeFileSync(join(cwd, 'report.json'), JSON.stringify(report));
    assert.is(replay('report.json', 'd1', { ...systemJudgeIo('0.0.0'), cwd }), script);
    const guide = new URL('../../../conformance/explore/README.md', import.meta.url);
    const words = readFileSync(guide, 'utf8').replace(/\s+/g, ' ');
    assert.match(words, 'a report from a stranger is a program from a stranger');
  }));

test.run();

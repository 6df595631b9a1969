// The HTTP archive has what HAR 1.2 asks of each entry, and every call of the report.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { harReport } from './har.ts';
import { sampleReport } from './testing/sample-report.ts';

const har = suite('har');

interface Entry {
  readonly [name: string]: unknown;
  readonly pageref: string;
  readonly startedDateTime: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

interface Archive {
  readonly log: {
    readonly version: string;
    readonly pages: readonly { readonly id: string; readonly startedDateTime: string }[];
    readonly entries: readonly Entry[];
  };
}

const ENTRY = ['startedDateTime', 'time', 'request', 'response', 'cache', 'timings'];
const REQUEST = ['method', 'url', 'httpVersion', 'cookies', 'headers', 'queryString'];
const RESPONSE = ['status', 'statusText', 'httpVersion', 'cookies', 'headers', 'content'];
const SIZES = ['headersSize', 'bodySize'];

const { log } = JSON.parse(harReport(sampleReport)) as Archive;

har('every call is an entry on the page of its scenario', () => {
  assert.is(log.version, '1.2');
  const calls = sampleReport.scenarios.flatMap(({ exchanges }) =>
    exchanges.filter(({ kind }) => kind !== 'operator'),
  );
  assert.ok(calls.length > 0);
  assert.is(log.entries.length, calls.length);
  const pages = log.pages.map(({ id }) => id);
  for (const { pageref } of log.entries) assert.ok(pages.includes(pageref), pageref);
});

har('each has all that the format asks for', () => {
  for (const entry of log.entries) {
    for (const name of ENTRY) assert.ok(name in entry, name);
    for (const name of [...REQUEST, ...SIZES]) assert.ok(name in entry.request, name);
    for (const name of [...RESPONSE, 'redirectURL', ...SIZES]) {
      assert.ok(name in entry.response, name);
    }
    assert.ok(Number.isFinite(Date.parse(entry.startedDateTime)));
  }
});

har('no answer is status 0 with the reason', () => {
  const [scenario] = sampleReport.scenarios;
  const lost = { ...scenario!.exchanges[0]!, response: null, failure: 'the connection ended' };
  const scenarios = [{ ...scenario!, exchanges: [lost] }];
  const { log: own } = JSON.parse(harReport({ ...sampleReport, scenarios })) as Archive;
  assert.is(own.entries[0]!.response.status, 0);
  assert.is(own.entries[0]!.response.comment, 'the connection ended');
});

har.run();

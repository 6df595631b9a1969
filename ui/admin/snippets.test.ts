// A token of anybody's saved state stays a text in every language that a first call is given in.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { snippet } from './snippets.ts';

const snippets = suite('snippets');

const token = `t'; touch pwned; '"$(touch pwned)\\`;
const given = { base: 'http://127.0.0.1:7420', token, brandId: `1'0"` };

snippets('curl is given the token as one word', () => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${snippet('curl', given)}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
  assert.ok(words.includes(`Authorization: Bearer ${token}`), words.join('\n'));
  assert.is(words.length, 13);
  assert.is(JSON.parse(words[11]!).brand_id, given.brandId);
});

snippets('Node is given the token as one text', async () => {
  const sent: { readonly url: string; readonly options: RequestInit }[] = [];
  const fetched = (url: string, options: RequestInit) => {
    sent.push({ url, options });
    return Promise.resolve({ status: 201, json: () => ({}) });
  };
  const code = `return (async () => {${snippet('Node', given)}})()`;
  await new Function('fetch', 'console', code)(fetched, { log: () => undefined });
  assert.is(sent[0]!.url, `${given.base}/api/v1/accounts`);
  assert.is(new Headers(sent[0]!.options.headers).get('authorization'), `Bearer ${token}`);
});

snippets('Python is given the token as one text', () => {
  const text = snippet('Python', given);
  assert.match(text, `"Authorization": ${JSON.stringify(`Bearer ${token}`)},\n`);
  assert.match(text, `"brand_id": ${JSON.stringify(given.brandId)}}).encode(),\n`);
});

snippets.run();

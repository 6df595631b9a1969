// Which URLs may be webhook targets, in every spelling of the same host.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTargetUrl, refuseAddresses } from './target-url.ts';

const test = suite('target urls');

function why(text: string, allowLocal = false): string {
  const result = parseTargetUrl(text, allowLocal);
  assert.is(result.kind, 'refused', `${JSON.stringify(text)} was accepted`);
  return result.kind === 'refused' ? result.why : '';
}

function target(text: string, allowLocal = false) {
  const result = parseTargetUrl(text, allowLocal);
  if (result.kind === 'refused') throw new Error(`${JSON.stringify(text)}: ${result.why}`);
  return result;
}

test('a plain target is split into its parts', () => {
  assert.equal(target('https://hooks.example.com/in?tenant=1'), {
    kind: 'target',
    href: 'https://hooks.example.com/in?tenant=1',
    origin: 'https://hooks.example.com',
    hostname: 'hooks.example.com',
    address: null,
  });
  assert.equal(target('https://hooks.example.com:8443'), {
    kind: 'target',
    href: 'https://hooks.example.com:8443/',
    origin: 'https://hooks.example.com:8443',
    hostname: 'hooks.example.com',
    address: null,
  });
});

test('spellings of one host are normalised to one form', () => {
  for (const text of [
    'https://hooks.example.com/in',
    'HTTPS://Hooks.EXAMPLE.com/in',
    'https://hooks.example.com:443/in',
    'https://hooks.example.com./in',
    'https://hooks.example.com.:443/in',
    'https://hooks.ex%61mple.com/in',
    'https://ｈｏｏｋｓ.example.com/in',
    'https://hooks.example.com/in#never-sent',
  ]) {
    assert.is(target(text).href, 'https://hooks.example.com/in', text);
  }
  assert.is(target('https://bücher.example/').hostname, 'xn--bcher-kva.example');
});

test('public address literals are accepted, and include their address', () => {
  assert.is(target('https://93.184.216.34/').address, '93.184.216.34');
  assert.is(target('https://93.184.216.34./').address, '93.184.216.34');
  assert.is(target('https://0x5db8d822/').address, '93.184.216.34');
  const ipv6 = target('https://[2606:4700:4700:0::1111]:8443/');
  assert.is(ipv6.address, '2606:4700:4700::1111');
  assert.is(ipv6.hostname, '[2606:4700:4700::1111]');
  assert.is(target('https://[::ffff:8.8.8.8]/').address, '::ffff:808:808');
});

test('HOOK-8: an address with leading zeros is refused, even if both readings are public', () => {
  for (const host of `
    010.000.000.001 010.0.0.1 93.184.216.034 093.184.216.34 08.8.8.8 0135.0270.0330.042
    013556154042 00000000000000000000135.0270.0330.042 %3010.0.0.1 %30%31%30.0.0.1 ０１０.0.0.1
    93。０270。0330.042 010.0.0.1. 010.0.0.1:443
  `
    .trim()
    .split(/\s+/)) {
    assert.match(why(`https://${host}/`), /leading zeros|cannot be|can be parsed/, host);
  }
  // This parser reads it as 8.0.0.1.
  assert.match(why('https://010.000.000.001/'), 'leading zeros');
  assert.match(why('https://%3010.0.0.1/'), 'leading zeros');
  assert.is(target('https://010.example.com/0/00?00').hostname, '010.example.com');
  assert.is(target('https://8.8.8.8/00.01').address, '8.8.8.8');
});

test('HOOK-7: only https is accepted', () => {
  const others = `
    http://example.com/ ftp://example.com/ ws://example.com/ wss://example.com/ file:///etc/passwd
    javascript:alert(1) data:text/plain,x example.com //example.com/ /hooks https:example.com
    https:/example.com blob:https://example.com/1
  `;
  for (const text of ['', ...others.trim().split(/\s+/)]) {
    assert.match(why(text), 'https://', text);
  }
});

test('HOOK-8: hosts that are not public are refused in every spelling', () => {
  for (const host of `
    127.0.0.1 0X7F.0.0.1 017700000001 00000177.1 １２７.０.０.１ 127。0。0。1 ①②⑦.0.0.1 0 167772161
    0xc0.0xa8.1.1 168.63.129.16 100.64.0.1 224.0.0.1 255.255.255.255 4294967295 [::127.0.0.1]
    [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fc00::1] [ff02::1] [4000::1]
    [2001:0:4136:e378:8000:63bf:3fff:fdd2] app.localhost app.localhost. ｌｏｃａｌｈｏｓｔ
    localhost.localdomain printer.local metadata.google.internal router.home.arpa
  `
    .trim()
    .split(/\s+/)) {
    assert.match(why(`https://${host}/hooks`), 'public address', host);
    assert.match(why(`https://${host}:8443`), 'public address', host);
  }
  for (const host of ['notlocalhost.com', 'localhost.example.com', 'internal.example.com']) {
    assert.is(target(`https://${host}/`).hostname, host);
  }
});

test('misleading user names, ports and hosts are refused, each with its reason', () => {
  const refusals: [text: string, reason: string][] = [
    ['https://user@example.com/', 'user name'],
    ['https://user:secret@example.com/', 'user name'],
    ['https://@example.com/', 'user name'],
    ['https://:@example.com/', 'user name'],
    ['https://example.com:443@127.0.0.1/', 'user name'],
    ['https://example.com:0/', 'port 0'],
    ['https://93.184.216.34:00/', 'port 0'],
    ['https://example.com:65536/', 'parsed'],
    ['https://example.com:x/', 'parsed'],
    ['https://', 'name a host'],
    ['https:///example.com/', 'name a host'],
    ['https://?x', 'name a host'],
    ['https://#x', 'name a host'],
    ['https://./', 'valid host'],
    ['https://example.com../', 'valid host'],
    ['https://.example.com/', 'valid host'],
    ['https://a..example.com/', 'valid host'],
    [`https://${'a'.repeat(64)}.example.com/`, 'valid host'],
    [`https://${'a.'.repeat(130)}com/`, 'valid host'],
    ['https://exa mple.com/', 'white space'],
    [' https://example.com/', 'white space'],
    ['https://example.com/ ', 'white space'],
    ['https://example.com/\n', 'white space'],
    ['https://exam\tple.com/', 'white space'],
    ['https://example.com/\u0000', 'control'],
    ['https://example.com/\u007f', 'control'],
    ['https://example.com/\u00a0', 'white space'],
    ['https://example.com\\@127.0.0.1/', 'backslash'],
    ['https:\\\\example.com/', 'backslash'],
    ['https://[fe80::1%25eth0]/', 'zone id'],
    ['https://[2606:4700::1111%eth0]/', 'zone id'],
    ['https://[::1/', 'parsed'],
    ['https://[::g]/', 'parsed'],
    ['https://1.2.3.4.5/', 'parsed'],
    ['https://256.256.256.256/', 'parsed'],
    ['https://example.com%2f@x/', 'user name'],
    ['https://exa%00mple.com/', 'parsed'],
    ['https://exa<mple.com/', 'parsed'],
    [`https://example.com/${'x'.repeat(2048)}`, '2048'],
    [`https://example.com/${'日'.repeat(400)}`, '2048'],
  ];
  for (const [text, reason] of refusals) {
    const sentence = why(text);
    assert.match(sentence, reason, text);
    assert.match(sentence, /^url must|^url is/, 'a reason is a sentence about the field');
  }
});

test('a URL of exactly the maximum length is accepted', () => {
  const stem = 'https://example.com/';
  target(stem + 'x'.repeat(2048 - stem.length));
  why(stem + 'x'.repeat(2049 - stem.length));
});

test('if local targets are allowed, only loopback is added', () => {
  assert.is(target('http://localhost:3000/hooks', true).origin, 'http://localhost:3000');
  assert.is(target('http://127.0.0.1/', true).address, '127.0.0.1');
  assert.is(target('http://[::1]:3000/', true).address, '::1');
  assert.is(target('http://app.localhost/', true).hostname, 'app.localhost');
  for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', 'printer.local', '[fe80::1]']) {
    assert.match(why(`http://${host}/`, true), 'public address', host);
  }
  assert.match(why('ftp://localhost/', true), 'http://');
});

test('HOOK-8: a single non-public resolved address refuses the target', () => {
  assert.is(refuseAddresses(['93.184.216.34']), null);
  assert.is(refuseAddresses(['93.184.216.34', '2606:2800:220:1::1']), null);
  for (const addresses of [
    ['93.184.216.34', '127.0.0.1'],
    ['10.0.0.1', '93.184.216.34'],
    ['93.184.216.34', '::ffff:10.0.0.1'],
    ['93.184.216.34', 'nonsense'],
  ]) {
    assert.match(refuseAddresses(addresses) ?? '', 'not public');
  }
  assert.match(refuseAddresses([]) ?? '', 'does not resolve');
  assert.is(refuseAddresses(['127.0.0.1', '::1'], true), null);
});

test.run();

// Every spelling of this machine is loopback, and no spelling of another machine is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLoopbackHost } from './loopback.ts';

const loopback = suite('loopback');

loopback('names and addresses of this machine are loopback', () => {
  const ours = ['127.0.0.1', '127.9.9.9', 'localhost', 'LocalHost', 'localhost.', 'app.localhost'];
  for (const host of [...ours, '::1', '[::1]', '0:0:0:0:0:0:0:1', '[::ffff:127.0.0.1]']) {
    assert.ok(isLoopbackHost(host), host);
  }
});

loopback('all others are not loopback', () => {
  const names = [
    'localhost..',
    '[127.0.0.1]',
    'localhost.com',
    'notlocalhost',
    '127.0.0.1.example.com',
    '',
  ];
  for (const host of [
    ...names,
    ...['0.0.0.0', '::', '10.0.0.1', '1127.0.0.1', '127.0.0.256', '::ffff:10.0.0.1', '::2'],
  ]) {
    assert.not.ok(isLoopbackHost(host), host);
  }
});

loopback.run();

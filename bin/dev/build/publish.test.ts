// A new build takes the old one's place without pulling files from under programs that run.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { publish, sweep } from './publish.ts';

const publishing = suite<{ dist: string; out: string }>('publish');

publishing.before.each((place) => {
  place.dist = mkdtempSync(join(tmpdir(), 'publish-'));
  place.out = join(place.dist, `.build-${process.pid}`);
});
publishing.after.each(({ dist }) => rmSync(dist, { recursive: true, force: true }));

const write = (folder: string, path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

publishing('new files replace old ones, and what is no longer built goes', ({ dist, out }) => {
  write(dist, 'sandbox.js', 'old');
  write(dist, 'gone.js', 'old');
  write(dist, '.built-from', 'mark');
  write(out, 'sandbox.js', 'new');
  write(out, 'types/index.d.ts', 'new');
  publish(out, dist);
  assert.is(readFileSync(join(dist, 'sandbox.js'), 'utf8'), 'new');
  assert.is(readFileSync(join(dist, 'types/index.d.ts'), 'utf8'), 'new');
  assert.not.ok(existsSync(join(dist, 'gone.js')));
  assert.ok(existsSync(join(dist, '.built-from')));
});

publishing('chunks of the build before stay for a while', ({ dist, out }) => {
  write(dist, 'chunks/a-OLD.js', 'old');
  write(dist, 'chunks/b-ANCIENT.js', 'ancient');
  const longAgo = Date.now() / 1000 - 24 * 60 * 60;
  utimesSync(join(dist, 'chunks/b-ANCIENT.js'), longAgo, longAgo);
  write(out, 'chunks/a-NEW.js', 'new');
  publish(out, dist);
  assert.ok(existsSync(join(dist, 'chunks/a-NEW.js')));
  assert.ok(existsSync(join(dist, 'chunks/a-OLD.js')));
  assert.not.ok(existsSync(join(dist, 'chunks/b-ANCIENT.js')));
});

publishing('the build that another process is making is left alone', ({ dist, out }) => {
  const others = `.build-${process.ppid}`;
  write(dist, `${others}/sandbox.js`, 'in the making');
  write(out, 'sandbox.js', 'new');
  publish(out, dist);
  sweep(dist, out);
  assert.ok(existsSync(join(dist, others, 'sandbox.js')));
  assert.not.ok(existsSync(out));
});

publishing('what a killed build left is swept away', ({ dist }) => {
  // Beyond any process id that Linux, macOS or Windows hands out.
  const dead = `.build-${2 ** 30}`;
  write(dist, `${dead}/sandbox.js`, 'half done');
  sweep(dist);
  assert.not.ok(existsSync(join(dist, dead)));
});

publishing.run();

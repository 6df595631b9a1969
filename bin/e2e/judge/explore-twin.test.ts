// The file that `explore --observed` writes: a sandbox started with it does what the target does,
// and it says how far that was looked at.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../fixtures/config.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModels } from '../../commands/conformance/explore-model.ts';
import { runExplore } from '../../commands/conformance/testing/run-judge.ts';
import { explored } from '../explore/testing/explored.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const twins = suite('the twin of a target');
const folder = mkdtempSync(join(tmpdir(), 'twin-'));
twins.after(() => rmSync(folder, { recursive: true, force: true }));

/** What the command says of a sandbox with these settings, and the file that it writes. */
const observed = (settings: Partial<Settings>, given: Readonly<Record<string, string>>) =>
  sandboxed({ clock: 'frozen', settings }, async (baseUrl) => {
    const options = { baseUrl, observed: 'twin.json', ...given };
    const { code, out, err } = await runExplore(options, { cwd: folder });
    const file = join(folder, 'twin.json');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : null;
    rmSync(file, { force: true });
    return { code, said: out + err, twin: text === null ? null : JSON.parse(text) };
  });

const OWN: Partial<Settings> = { missing_if_match: 428, first_revision: 7, revision_step: 2 };

twins('its settings are those that the target has answered, and it says so', async () => {
  const { code, said, twin } = await observed(OWN, { requests: '1600' });
  assert.is(code, 0, said);
  const { settings, $comment } = twin;
  const many = Object.keys(settings).length;
  for (const [name, value] of Object.entries(OWN)) assert.equal(settings[name], value, name);
  assert.ok(many < Object.keys(defaultSettings).length, 'what no one asked is left out');
  const words = new RegExp(
    `${many} settings as the target answers and all others as the simulator comes; ` +
      '\\d+ of \\d+ sequences agreed under them',
  );
  assert.match($comment, words);
  assert.match(said, words);

  // The one who has the target's own settings for a model sees no difference from the twin.
  const { config } = parseConfig(twin);
  const models = simulatorModels({ ...defaultSettings, ...OWN });
  const { found } = await explored({ answers: config!.settings, models, seed: 2, requests: 200 });
  assert.equal(found, []);
});

twins('where nothing was compared none is written, and that is said', async () => {
  const { code, said, twin } = await observed(OWN, { requests: '1' });
  assert.equal([code, twin], [3, null], said);
  assert.match(said, /twin\.json was not written, since nothing was compared/);
});

twins.run();

// Commands on Windows, by a machine that is made up: what is found, how it is quoted and ended.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endFamily, type Machine, spawnedAs } from './windows-command.ts';

const files = [
  String.raw`C:\Program Files\nodejs\node.exe`,
  String.raw`C:\Program Files\nodejs\npm`,
  String.raw`C:\Program Files\nodejs\npm.cmd`,
  String.raw`C:\work\gradlew.bat`,
  String.raw`C:\work\node_modules\.bin\jest.cmd`,
].map((path) => path.toLowerCase());

const windows: Machine = {
  platform: 'win32',
  env: {
    Path: String.raw`C:\Windows;C:\Program Files\nodejs`,
    PATHEXT: '.COM;.EXE;.BAT;.CMD',
    ComSpec: String.raw`C:\Windows\system32\cmd.exe`,
  },
  isFile: (path) => files.includes(path.toLowerCase()),
  run: () => assert.unreachable('nothing is run'),
};

const folder = String.raw`C:\work`;
const line = (...words: readonly string[]) => {
  const { file, args, windowsVerbatimArguments } = spawnedAs(words, folder, windows);
  assert.is(file, String.raw`C:\Windows\system32\cmd.exe`);
  assert.equal(args.slice(0, 3), ['/d', '/s', '/c']);
  assert.ok(windowsVerbatimArguments);
  return args[3];
};

const commands = suite('commands on Windows');

commands('npm is npm.cmd, which cmd.exe runs', () => {
  const npm = String.raw`"C:\Program Files\nodejs\npm.CMD"`;
  assert.is(line('npm', 'test'), `"${npm} test"`);
  assert.is(line('npm.cmd', 'test'), `"${npm.replace('CMD', 'cmd')} test"`);
});

commands('a program is started itself', () => {
  const { file, args, windowsVerbatimArguments } = spawnedAs(['node', 'a b'], folder, windows);
  assert.is(file, String.raw`C:\Program Files\nodejs\node.EXE`);
  assert.equal(args, ['a b']);
  assert.not.ok(windowsVerbatimArguments);
});

commands('what lies in the folder, or at a place, is found', () => {
  assert.is(line('gradlew', 'test'), String.raw`""C:\work\gradlew.BAT" test"`);
  const jest = String.raw`""C:\work\node_modules\.bin\jest.CMD" -t x"`;
  assert.is(line('node_modules/.bin/jest', '-t', 'x'), jest);
});

commands('what is not there is left for the system to tell', () => {
  const asIs = { file: 'nosuch', args: ['x'], windowsVerbatimArguments: false };
  assert.equal(spawnedAs(['nosuch', 'x'], folder, windows), asIs);
});

/** What is left of a line when cmd.exe, or a batch file's `%*`, has read it: marks are gone. */
function readOnce(text: string): string {
  let quoted = false;
  return text.replaceAll(/\^(.)|(")|([%&|<>])/g, (_, marked, quote, bare) => {
    if (marked !== undefined && !quoted) return marked;
    if (quote !== undefined) quoted = !quoted;
    if (bare !== undefined && !quoted) throw new Error(`${bare} has its meaning in ${text}`);
    return marked === undefined ? (quote ?? bare) : `^${marked}`;
  });
}

/** As a program of Microsoft's C library reads its command line. */
function wordsOf(text: string): string[] {
  const words = [...text.matchAll(/(?:"((?:[^"\\]|\\+"|\\)*)"|([^ "]+))(?: |$)/g)];
  const unquote = (word: string) =>
    word.replaceAll(/(\\+)("|$)/g, (_, slashes: string, end: string) => {
      return `${slashes.slice(0, Math.floor(slashes.length / 2))}${end}`;
    });
  return words.map(([, quoted, plain]) => plain ?? unquote(quoted ?? ''));
}

commands('every word arrives as it was', () => {
  const words = ['a b', 'x"y', String.raw`c:\d e\ `.trim(), '%PATH%', 'a&b|c', '<^>', '', 'é (1)!'];
  const said = line('gradlew', ...words) ?? '';
  const [, after = ''] = /^""C:[^"]*" (.*)"$/.exec(said) ?? [];
  assert.equal(wordsOf(readOnce(readOnce(after))), words);
});

commands('elsewhere a command is started as it is', () => {
  const linux: Machine = { ...windows, platform: 'linux' };
  const asIs = { file: 'npm', args: ['a b'], windowsVerbatimArguments: false };
  assert.equal(spawnedAs(['npm', 'a b'], folder, linux), asIs);
});

commands('a program ends with what it has started', () => {
  const ran: string[] = [];
  const run = (file: string, args: readonly string[]) => ran.push([file, ...args].join(' '));
  endFamily(4711, 'SIGTERM', { ...windows, run });
  assert.equal(ran, ['taskkill /pid 4711 /t /f']);
});

commands.run();

// Shows a page in the person's own browser, with what the system has for it.
import { spawn } from 'node:child_process';

const commands: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // The empty word is the title that `start` takes its first quoted word for.
  win32: ['cmd', '/c', 'start', ''],
};

/** A machine without a browser is told where to look; the sandbox serves all the same. */
export function openInBrowser(url: string): void {
  const [command, ...words] = commands[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) => {
    process.stderr.write(`sandbox: no browser could be opened (${message}); go to ${url}\n`);
  });
  child.unref();
}

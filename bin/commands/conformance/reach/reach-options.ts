// How a target is reached beside its url: header lines that a gateway wants, authorities to trust,
// and the proxies that the environment names.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Route } from '../../../../conformance/engine/send/route.ts';
import { type JudgeIo, UsageError } from '../io.ts';

export interface AddedHeader {
  readonly name: string;
  readonly value: string;
  /** The option as it can be repeated: a value that came from a variable stays there. */
  readonly option: string;
}

/** What the judge says itself, and what belongs to a connection. */
const TAKEN = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'expect',
  'te',
  'trailer',
  'upgrade',
];

/** `Name: value`, or `Name: env:VARIABLE` for what nobody else should read. */
export function readHeader(text: string, env: JudgeIo['env']): AddedHeader {
  const [, name, given] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}):[ \t]*(.*)$/s.exec(text) ?? [];
  if (name === undefined || given === undefined) {
    throw new UsageError(`--header is not 'Name: value', such as 'X-Gateway-Key: env:GATEWAY_KEY'`);
  }
  if (TAKEN.includes(name.toLowerCase())) {
    const advice = 'tokens belong in the profile or in --token-env';
    throw new UsageError(`--header: ${name} is set by the judge itself; ${advice}`);
  }
  const variable = /^env:(.+)$/.exec(given.trim())?.[1];
  const value = variable === undefined ? given.trim() : env[variable];
  if (value === undefined || value === '') {
    const why = variable === undefined ? 'has no value' : 'names a variable that is not set';
    throw new UsageError(`--header: ${name} ${why}; give 'Name: value' or 'Name: env:VARIABLE'`);
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw new UsageError(`--header: the value of ${name} has characters that no header may have`);
  }
  const shown = variable === undefined ? '…' : `env:${variable}`;
  return { name, value, option: `--header '${name}: ${shown}'` };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, each of which can be read. */
export function readCa(file: string, cwd: string): string[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file} (${code})`;
    throw new UsageError(`--ca: ${why}; give the authority's certificate in PEM form`);
  }
  const found = text.match(CERTIFICATE) ?? [];
  const advice = 'PEM begins with -----BEGIN CERTIFICATE-----';
  if (found.length === 0) throw new UsageError(`--ca: ${file} holds no certificate; ${advice}`);
  for (const [index, each] of found.entries()) {
    try {
      new X509Certificate(each);
    } catch {
      throw new UsageError(`--ca: certificate ${index + 1} of ${file} cannot be read; ${advice}`);
    }
  }
  return found;
}

/** The way out of this machine, and the secrets that stand in it. */
export function readRoute(
  ca: string | undefined,
  { cwd, env }: Pick<JudgeIo, 'cwd' | 'env'>,
): { route: Route; secrets: string[] } {
  const http = readProxy('HTTP_PROXY', env);
  const https = readProxy('HTTPS_PROXY', env);
  const direct = env.no_proxy ?? env.NO_PROXY;
  const secrets = [http, https].flatMap((each) => {
    const { password = '' } = each === undefined ? {} : new URL(each);
    return password === '' ? [] : [decodeURIComponent(password)];
  });
  // A list of our own takes the place of Node's, that of the variable included.
  const extra = env.NODE_EXTRA_CA_CERTS;
  const files = ca === undefined || extra === undefined || extra === '' ? [ca] : [ca, extra];
  const authorities = files.flatMap((file) => (file === undefined ? [] : readCa(file, cwd)));
  return { route: { ca: authorities, proxies: { http, https, direct } }, secrets };
}

function readProxy(name: string, env: JudgeIo['env']): string | undefined {
  const value = env[name.toLowerCase()] ?? env[name];
  if (value === undefined || value === '') return undefined;
  // As curl reads it: a host and a port alone are a proxy too.
  const text = value.includes('://') ? value : `http://${value}`;
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new UsageError(`the variable ${name} is no url of a proxy such as http://proxy:3128`);
}

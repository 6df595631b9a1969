// How requests leave this machine: the trusted certificate authorities, and the proxies that the
// environment names.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Route } from '../../../../conformance/engine/send/sender.ts';
import { type Sender, socketSender } from '../../../../conformance/engine/send/sender.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { parseUrl } from '../../../../fixtures/parse-url.ts';
import { unreadableWords } from '../../../../simulator/host/storage/private-file.ts';
import { type CommandIo, UsageError } from '../../io.ts';

/** Throws UsageError if a file or a variable is invalid. */
export function openSender(
  { ca }: { readonly ca?: string | undefined },
  io: CommandIo,
  redactor: Redactor,
): Promise<Sender> {
  const { route, secrets } = readRoute(ca, io);
  for (const secret of secrets) redactor.add(secret);
  return socketSender(route);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file; each must be valid. */
export function readCa(file: string, cwd: string): string[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    const why = unreadableWords(error);
    throw new UsageError(`--ca: ${file}: ${why}; give the authority's certificate in PEM form`);
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

/** The route out of this machine, and the secrets in the URLs of its proxies. */
export function readRoute(
  ca: string | undefined,
  { cwd, env }: Pick<CommandIo, 'cwd' | 'env'>,
): { route: Route; secrets: string[] } {
  const http = readProxy('HTTP_PROXY', env);
  const https = readProxy('HTTPS_PROXY', env);
  const direct = env.no_proxy ?? env.NO_PROXY;
  const secrets = [http, https].flatMap((each) => {
    const { password = '' } = each === undefined ? {} : new URL(each);
    return password === '' ? [] : [decodeURIComponent(password)];
  });
  // A custom list replaces Node's list, including the certificates of the variable.
  const extra = env.NODE_EXTRA_CA_CERTS;
  const files = ca === undefined || extra === undefined || extra === '' ? [ca] : [ca, extra];
  const authorities = files.flatMap((file) => (file === undefined ? [] : readCa(file, cwd)));
  return { route: { ca: authorities, proxies: { http, https, direct } }, secrets };
}

function readProxy(name: string, env: CommandIo['env']): string | undefined {
  const value = env[name.toLowerCase()] ?? env[name];
  if (value === undefined || value === '') return undefined;
  // As in curl: a host and a port without a scheme are a proxy too.
  const text = value.includes('://') ? value : `http://${value}`;
  const protocol = parseUrl(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new UsageError(`the variable ${name} is no url of a proxy such as http://proxy:3128`);
}

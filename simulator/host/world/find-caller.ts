// The caller of a request, only as far as needed to find its world.
import { decodePercent, parseJson } from '../../../fixtures/lenient.ts';
import type { Call } from '../../core/call.ts';

/** The token of a call, only as far as needed to find its world. */
export function tokenOf({ headers, target }: Call): string | null {
  const header = headers.authorization;
  const found = typeof header === 'string' ? /^bearer +(\S+)/i.exec(header)?.[1] : undefined;
  if (found !== undefined) return found;
  const mark = target.indexOf('access_token=');
  return mark < 0 ? null : decodeLoosely(target.slice(mark + 13).split('&')[0] ?? '');
}

const decodeLoosely = (text: string) => decodePercent(text) ?? text;

/** The client of a token request, only as far as needed to find its world. */
export function clientOf({ headers, body }: Call): { id: string; secret: string } | undefined {
  const basic = /^basic +(\S+)/i.exec(String(headers.authorization ?? ''))?.[1];
  if (basic !== undefined) {
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
    return { id: decodeLoosely(id), secret: decodeLoosely(secret) };
  }
  const text = Buffer.from(body).toString();
  if (!text.trimStart().startsWith('{')) {
    const form = new URLSearchParams(text);
    return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  }
  const json = parseJson(text) as { client_id?: unknown; client_secret?: unknown } | undefined;
  return json && { id: String(json.client_id), secret: String(json.client_secret) };
}

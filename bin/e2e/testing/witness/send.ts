// Sends one delivery, once, and gives a way to stop.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Sending } from './types.ts';

/** The wall's patience, for a clock that does not move. */
const PATIENCE_MS = 15_000;

export function send(
  sending: Sending,
  end: (status: number | null, error: string | null) => void,
): () => void {
  const { url, method, headers, body, followsRedirects } = sending;
  const make = url.startsWith('https:') ? secureRequest : plainRequest;
  const timer = setTimeout(() => end(null, 'no answer in time'), PATIENCE_MS);
  const length = String(Buffer.byteLength(body));
  const options = { method, headers: { ...headers, 'Content-Length': length } };
  const request = make(url, options, (response) => {
    response.resume();
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (followsRedirects && status >= 300 && status < 400 && location !== undefined) {
      send({ ...sending, url: new URL(location, url).href }, end);
      return;
    }
    response.on('end', () => end(status, null));
    response.on('error', (error) => end(null, error.message));
  });
  request.on('error', (error) => end(null, error.message));
  request.end(body);
  return () => {
    clearTimeout(timer);
    request.destroy();
  };
}

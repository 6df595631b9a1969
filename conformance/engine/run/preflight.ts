// The first requests of a run: show that the API answers and takes the token, before hundreds of
// requests find out one by one. They judge nothing.
import type { Provider, Target } from '../../providers/target.ts';
import type { Role } from '../capabilities.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { FreshValues } from '../scenario/fresh-values.ts';
import { newAccount } from '../scenario/request-bodies.ts';
import { Unreachable } from '../scenario-errors.ts';
import type { Answer } from '../send/answer.ts';
import type { HeaderLine } from '../send/headers.ts';

/** Why a run cannot start, as a verdict and in words. */
export interface PreflightFailure {
  readonly verdict: 'blocked' | 'inconclusive';
  readonly why: string;
}

const TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Null when the run can start. */
export async function preflight(
  provider: Provider,
  runContext: RunContext,
  mark: string,
): Promise<PreflightFailure | null> {
  let why = 'the run was interrupted';
  for (let attempt = 1; attempt <= TRIES && !runContext.signal.aborted; attempt += 1) {
    try {
      const target = await provider.shared();
      // Something harmless: a create without a key and without a field.
      const answer = await sendProbe({ target, runContext }, {}, []);
      if (answer.status === 401) return { verdict: 'blocked', why: TOKEN_REFUSED };
      if (answer.source === 'service')
        return await rejectOtherServers(target, runContext, mark, answer);
      if (answer.source === 'trouble') return null;
      why = `the first request met ${answer.summary}, which is not the service's own answer`;
      const seconds = Number(answer.headers.get('retry-after') ?? attempt / 4);
      if (attempt < TRIES) await runContext.pause(Math.min((seconds || 1) * 1000, LONGEST_WAIT_MS));
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (!(error instanceof Unreachable)) return { verdict: 'blocked', why: words };
      why = `no answer to the first request: ${words}`;
      // Whoever took that long once need not be waited for three times.
      if (error.reason === 'timeout' && attempt > 1) break;
    }
  }
  return { verdict: 'inconclusive', why };
}

const TOKEN_REFUSED = 'the token was refused (401): check the credential';

/**
 * A web server of another kind answers too. Only where both the harmless request and a plain create
 * are answered as the API never would, it is taken for something else: a target that merely
 * deviates must be judged, not turned away.
 */
async function rejectOtherServers(
  target: Target,
  runContext: RunContext,
  mark: string,
  first: Answer,
): Promise<PreflightFailure | null> {
  const absent = [404, 405, 501].includes(first.status) && first.code === undefined;
  if (first.status >= 400 && !absent) return null;
  const moved = redirectOf(target, first);
  if (moved !== undefined) return { verdict: 'blocked', why: moved };
  const fresh = new FreshValues(mark, 'first', 1);
  const body = newAccount(fresh, target.brandId(target.mainRole), {});
  const plain = await sendProbe({ target, runContext }, body, [['idempotency-key', fresh.key()]]);
  if (plain.status < 300 && plain.at('id') !== undefined) return null;
  if (plain.status >= 300 && plain.code !== undefined) return null;
  const seen = `${first.summary} to a create without a key, ${plain.summary} to a plain one`;
  const why = `this does not look like the API: POST ${target.baseUrl}/api/v1/accounts answered`;
  return { verdict: 'blocked', why: `${why} ${seen}. Is the base URL right?` };
}

/** A redirect is an answer, never followed: where it leads is most likely what was meant. */
function redirectOf({ baseUrl }: Target, { status, headers }: Answer): string | undefined {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const asked = `${baseUrl}${PATH}`;
  const words = `POST ${asked} is answered with ${status} and leads to ${location}`;
  if (!URL.canParse(location, asked)) return words;
  const url = new URL(location, asked);
  const at = url.href.indexOf(PATH);
  const advice = at < 0 ? 'Is the base URL right?' : `Try --base-url ${url.href.slice(0, at)}`;
  return `${words}. ${advice}`;
}

const PATH = '/api/v1/accounts';

export async function sendProbe(
  parts: { readonly target: Target; readonly runContext: RunContext; readonly role?: Role },
  body: object,
  more: readonly HeaderLine[],
): Promise<Answer> {
  const { target, runContext, role = target.mainRole } = parts;
  const credential = await target.credential(role);
  return new ExchangeRecorder(runContext).call(target.baseUrl, credential, {
    method: 'POST',
    target: PATH,
    headers: [['content-type', 'application/json'], ...more],
    body: Buffer.from(JSON.stringify(body)),
    authorization: undefined,
    timeoutMs: undefined,
    unpaced: false,
  });
}

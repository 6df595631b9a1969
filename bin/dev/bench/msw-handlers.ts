// Under Mock Service Worker: our handlers beside one that somebody would write by hand.
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createSandbox } from '../../../simulator/index.ts';
import { sandboxHandlers } from '../../../simulator/msw.ts';
import { type Figure, median, medianRatio } from './figures.ts';

const rounds = 5;
const callsARound = 1000;
const ours = 'https://ours.example.com';
const byHand = 'https://by-hand.example.com';
const unlimited = 100_000_000;

export async function mswHandlers(): Promise<Figure[]> {
  const sandbox = await createSandbox({ plan: 'pro' });
  await sandbox.control('PATCH', 'firms/1', { rate_per_second: unlimited });
  const made = await sandbox.control('POST', 'credentials', {
    ...{ firm_id: '1', brand_id: '10', scopes: ['accounts:write'], rate_per_second: unlimited },
  });
  const { token } = made as { token: string };
  const server = setupServer(
    ...sandboxHandlers(sandbox, { baseUrl: ours }),
    http.post(`${byHand}/api/v1/accounts`, async ({ request }) => {
      const body = (await request.json()) as object;
      return HttpResponse.json({ id: '1', ...body, status: 'New', revision: 1 }, { status: 201 });
    }),
  );
  server.listen({ onUnhandledRequest: 'error' });
  try {
    const rates = { ours: [] as number[], byHand: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      const pair = { ours: await rate(ours, token), byHand: await rate(byHand, token) };
      if (round < 0) continue;
      rates.ours.push(pair.ours);
      rates.byHand.push(pair.byHand);
    }
    const ratio = medianRatio(rates.ours, rates.byHand);
    return [
      { name: "a handler of MSW's own, by hand", value: perSecond(rates.byHand) },
      {
        name: "the sandbox's handlers, new key each",
        value: perSecond(rates.ours),
        ratio,
        ...(ratio < 1 ? { note: 'by hand is faster' } : {}),
      },
    ];
  } finally {
    server.close();
    await sandbox.close();
  }
}

const perSecond = (rates: readonly number[]) =>
  `${Math.round(median(rates)).toLocaleString('en')}/s`;

let sent = 0;

async function rate(base: string, token: string): Promise<number> {
  const startedAtMs = performance.now();
  for (let n = 0; n < callsARound; n += 1) {
    sent += 1;
    const { status } = await fetch(`${base}/api/v1/accounts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `msw-${sent}`,
      },
      body: JSON.stringify({ client_reference_id: `m-${sent}`, email: `m${sent}@example.com` }),
    });
    if (status !== 201) throw new Error(`${base} answered ${status}`);
  }
  return (callsARound * 1000) / (performance.now() - startedAtMs);
}

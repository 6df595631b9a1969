// A sandbox for the duration of a test, on a port or behind a gateway, and a judge's verdicts about it.
import type { Report } from '../../../conformance/reports/report.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import {
  createSandbox,
  type SandboxHandle,
  type SandboxOptions,
} from '../../../simulator/index.ts';
import { withServer } from '../../commands/conformance/testing/run-judge.ts';

export async function sandboxed<T>(
  options: SandboxOptions,
  play: (baseUrl: string, sandbox: SandboxHandle) => Promise<T>,
): Promise<T> {
  const sandbox = await createSandbox(options);
  try {
    const { base_url: baseUrl } = await sandbox.listen({ port: 0 });
    return await play(baseUrl, sandbox);
  } finally {
    await sandbox.close();
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** A request that the gateway passed on. */
export interface Passed {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly status: number;
  readonly answer: JsonObject;
}

export interface Gateway {
  /** The status of its own response; undefined passes the request on. */
  readonly refuse?: () => number | undefined;
  /** Notes an exchange; true resets the connection instead of the response. */
  readonly note?: (passed: Passed) => boolean;
}

const ofConnection = /^(host|connection|content-length|transfer-encoding)$/i;

/** A gateway in front of an in-process sandbox. */
export async function behindGateway<T>(
  options: SandboxOptions,
  { refuse, note }: Gateway,
  play: (baseUrl: string, sandbox: SandboxHandle) => Promise<T>,
): Promise<T> {
  const sandbox = await createSandbox(options);
  try {
    return await withServer(
      async (request, response) => {
        const refused = refuse?.();
        if (refused !== undefined) {
          return response.writeHead(refused, { 'content-type': 'application/json' }).end('{}');
        }
        const atMs = performance.now();
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = Buffer.concat(chunks);
        const { method = '', url = '', rawHeaders } = request;
        const headers = new Headers();
        for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
          if (!ofConnection.test(rawHeaders[at]!)) {
            headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
          }
        }
        const init: RequestInit = { method, headers, redirect: 'manual' };
        if (method !== 'GET') init.body = body;
        const came = await sandbox.fetch(new Request(`http://sandbox${url}`, init));
        const bytes = Buffer.from(await came.arrayBuffer());
        const passed = { atMs, method, path: url, status: came.status };
        if (note?.({ ...passed, body: parsed(body), answer: parsed(bytes) }) === true) {
          return request.socket.resetAndDestroy();
        }
        const lines = [...came.headers].filter(([name]) => !ofConnection.test(name));
        response.writeHead(came.status, Object.fromEntries(lines)).end(bytes);
      },
      (baseUrl) => play(baseUrl, sandbox),
    );
  } finally {
    await sandbox.close();
  }
}

function parsed(bytes: Buffer): JsonObject {
  try {
    return JSON.parse(bytes.toString()) as JsonObject;
  } catch {
    return {};
  }
}

/** Scenarios that send many requests of a common kind; the proof plays them. */
export const repetitive: readonly string[] = scenarios
  .map(({ id }) => id)
  .filter((id) =>
    /^idem-(many-keys|crowd-|trouble-before|repeats-)|^auth-(scope-matrix|permissions|token-)|^err-unreadable|^hook-(addresses|spellings)/.test(
      id,
    ),
  );

export const verdictOf = ({ rules }: Report, id: string) =>
  rules.find((rule) => rule.id === id)!.verdict;

export const blamedIn = ({ rules }: Report): string[] =>
  rules.filter(({ verdict }) => verdict === 'deviates').map(({ id }) => id);

/** Deviations and failures of the judge, in words. */
export function complaintsOf({ rules, scenarios }: Report): string[] {
  const failed = scenarios.filter(({ verdict }) => verdict === 'harness_error');
  const accused = rules.filter(({ verdict }) => verdict === 'deviates');
  return [
    ...failed.map(({ id }) => `${id}: the judge failed`),
    ...accused.map(({ id, findings: [first] }) => {
      return `${id} (${first?.scenario}): expected ${first?.expected}; actual ${first?.actual}`;
    }),
  ];
}

/** Rules whose verdict is neither passed nor in `fine`, with the reason. */
export function unpassedOf({ rules }: Report, allowed: readonly string[] = []): string[] {
  return rules
    .filter(({ verdict }) => !['passed', 'not_selected', ...allowed].includes(verdict))
    .map(({ id, verdict, findings }) => `${id} ${verdict}: ${findings[0]?.actual}`);
}

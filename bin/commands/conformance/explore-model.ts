// The explorer's model of the platform: the simulator, in this process, behind the ports of a target.
import { Unreachable } from '../../../conformance/engine/scenario-errors.ts';
import type { HeaderLine } from '../../../conformance/engine/send/headers.ts';
import { Headers } from '../../../conformance/engine/send/headers.ts';
import type { Model, Models } from '../../../conformance/explore/model.ts';
import type { GroundAnswer, GroundSender } from '../../../conformance/explore/play/ground.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { WebhookReceiver } from '../../../conformance/providers/webhook-receiver.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import { findWorld } from '../../../fixtures/worlds.ts';
import type { Call } from '../../../simulator/core/call.ts';
import { replyHeaders } from '../../../simulator/core/call.ts';
import { newestEntries } from '../../../simulator/core/journal.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { deviations as register } from '../../../simulator/deviations/register.ts';
import type { Deliverer } from '../../../simulator/host/delivery/deliverer.ts';
import { undiciDeliverer } from '../../../simulator/host/delivery/undici-deliverer.ts';
import { Sandbox } from '../../../simulator/host/world/sandbox.ts';
import { type ControlPlane, controlPlane } from '../../../simulator/transports/control.ts';

const BASE_URL = 'http://model.invalid';
const CONTROL_URL = `${BASE_URL}/_sandbox`;

/** A conforming simulator with these settings, unless deviations are named. */
export async function simulatorModel(
  settings: Settings,
  deviations: readonly Deviation[] = [],
): Promise<Model> {
  const receiver = new WebhookReceiver();
  const sandbox = await Sandbox.create({
    worldName: 'empty',
    fixture: findWorld('empty')!,
    seed: 'explore',
    clock: { mode: 'frozen', nowMs: null },
    plan: 'sandbox',
    settings,
    deviations,
    deliverer: delivererTo(receiver),
  });
  const plane = controlPlane({ sandbox });
  const sender: GroundSender = {
    send: (wire) =>
      wire.url.startsWith(CONTROL_URL) ? sendControl(plane, wire) : sendCall(sandbox, wire),
    close: () => sandbox.close(),
  };
  const provider = await controlProvider({
    baseUrl: BASE_URL,
    controlUrl: CONTROL_URL,
    sender,
    receiver,
  });
  return {
    provider,
    sender,
    close: async () => {
      await provider.close();
      await sender.close();
    },
  };
}

/** Takes the model's deliveries in process: nothing is sent to any machine. */
function delivererTo(receiver: WebhookReceiver): Deliverer {
  return {
    ...undiciDeliverer(),
    deliver: async ({ url, headers, body }) => {
      const sent = { method: 'POST', url, body: encoder.encode(body) };
      const arriving = { ...sent, headers: new Headers(Object.entries(headers)) };
      const status = receiver.take(arriving)?.status ?? null;
      return { status, error: status === null ? 'no endpoint of the explorer' : null };
    },
  };
}

/** Simulators with these settings, conforming ones and ones with deliberate deviations. */
export function simulatorModels(settings: Settings): Models {
  return {
    open: (wanted, variants = []) => {
      const chosen = register.filter(({ id }) => variants.some((variant) => variant.id === id));
      return simulatorModel({ ...settings, ...wanted }, chosen);
    },
    variants: register,
  };
}

type Wire = Parameters<GroundSender['send']>[0];

/** Without the standard Request and Response, because the model gets thousands of requests. */
async function sendControl(
  plane: ControlPlane,
  { method, url, headers, body }: Wire,
): Promise<GroundAnswer> {
  const rows = await plane.load();
  const answer = await rows.handle({
    method,
    target: url.slice(BASE_URL.length),
    headers: joined(headers),
    base: BASE_URL,
    read: async () => body ?? nothing,
  });
  if (typeof answer.body !== 'string') throw new Error(`${url} answers without end`);
  return {
    status: answer.status,
    headers: Object.entries(answer.headers),
    body: encoder.encode(answer.body),
  };
}

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

/** Directly into the world, whose journal has the reason for the answer. */
function sendCall(sandbox: Sandbox, wire: Wire): Promise<GroundAnswer> {
  const { method, url, headers, body, timeoutMs } = wire;
  const call: Call = {
    method,
    target: url.slice(BASE_URL.length),
    headers: joined(headers),
    body: body ?? nothing,
  };
  return new Promise((resolve, reject) => {
    const host = sandbox.hostOf(call);
    let waiting: NodeJS.Timeout | undefined;
    let isAnswered = false;
    host.call(call, (answer) => {
      isAnswered = true;
      clearTimeout(waiting);
      if (answer.kind === 'reset') {
        reject(new Unreachable('reset', 'the connection was cut'));
        return;
      }
      const { reply, requestId } = answer;
      resolve({
        status: reply.status,
        headers: Object.entries(replyHeaders(reply, requestId)),
        body: encoder.encode(reply.body),
        ...basisOf(host, requestId),
      });
    });
    if (isAnswered) return;
    const late = () => reject(new Unreachable('timeout', `no response in ${timeoutMs} ms`));
    waiting = setTimeout(late, timeoutMs);
  });
}

function basisOf({ world }: ReturnType<Sandbox['hostOf']>, requestId: string) {
  for (const entry of newestEntries(world.journal)) {
    if (entry.requestId !== requestId) continue;
    const { cites, idempotency, decidedBy } = entry;
    return { basis: { cites, idempotency, step: decidedBy ?? '' } };
  }
  return {};
}

/** Repeated header lines become a list, as in a server. */
function joined(lines: readonly HeaderLine[]): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    const before = all[key];
    all[key] = before === undefined ? value : [before, value].flat();
  }
  return all;
}

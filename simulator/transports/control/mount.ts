// The plane on a fastify server: who may come in is decided by a request's head, then its body is
// read, as far as its row reads bodies.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Admitted, type ControlReply, problem, type TextStream } from '../../control/reply.ts';
import { controlPrefix } from '../../control/row.ts';
import { readBody } from '../../host/bodies/read-body.ts';
import type { Door } from '../door.ts';
import type { ControlPlane } from './control-plane.ts';

/** Requests that were let in, until they are answered. */
const admissions = new WeakMap<FastifyRequest, Admitted>();

/** Mounts the plane in a context of its own, so that its parsing of bodies is nobody else's. */
export function mountControl(app: FastifyInstance, plane: ControlPlane, door: Door): void {
  app.register((own, _options, done) => {
    own.addContentTypeParser('*', (request, payload, parsed) => {
      readBody(payload as Readable, admissions.get(request)?.mostBytes ?? 0, (body) =>
        parsed(null, body),
      );
    });
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      const { method, originalUrl: target, headers } = request;
      const judged = door.refusePage(headers) ?? (await plane.admit({ method, target, headers }));
      if ('status' in judged) return send(reply, judged);
      admissions.set(request, judged);
    };
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { body = new Uint8Array(0) } = request as { body?: Uint8Array | null };
      const { answer } = admissions.get(request) as Admitted;
      const left = new AbortController();
      reply.raw.once('close', () => left.abort());
      return send(reply, await answer(body, left.signal));
    };
    own.all(controlPrefix, { onRequest }, handler);
    own.all(`${controlPrefix}/*`, { onRequest }, handler);
    // What fastify finds wrong with a body before it gives it to the parser.
    own.setErrorHandler((error, _request, reply) => send(reply, refusalOf(error as Error)));
    done();
  });
}

function refusalOf(error: Error & { readonly statusCode?: number }): ControlReply {
  const { statusCode = 500 } = error;
  if (statusCode < 500) return problem(statusCode, `${error.message}.`);
  process.stderr.write(`control plane failure: ${error.stack}\n`);
  return problem(500, 'The simulator itself failed here; please report this.');
}

function send(reply: FastifyReply, { status, headers, body }: ControlReply): FastifyReply {
  reply.code(status).headers(headers);
  return status === 204 ? reply.send() : reply.send(typeof body === 'string' ? body : read(body));
}

/** As fast as the reader takes it; the source is left when the reader leaves. */
function read(pieces: TextStream): Readable {
  return Readable.from({ [Symbol.asyncIterator]: () => pieces }, { objectMode: false });
}

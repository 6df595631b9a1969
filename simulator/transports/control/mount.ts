// The plane on a fastify server: bytes in, bytes out, text in pieces as fast as the reader takes
// it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ControlReply, TextStream } from '../../control/reply.ts';
import { controlPrefix } from '../../control/row.ts';
import type { ControlPlane } from './control-plane.ts';

/** A saved world may be big; nothing else that the plane takes is. */
const mostStateBytes = 500 * 1024 * 1024;
const mostBytes = 32 * 1024 * 1024;

export function mountControl(app: FastifyInstance, plane: ControlPlane): void {
  const serve = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.hijack();
    answer(plane, request.originalUrl, request.raw, reply.raw).catch((error: Error) => {
      process.stderr.write(`control plane failure: ${error.stack}\n`);
      reply.raw.destroy();
    });
    return reply;
  };
  app.all(controlPrefix, serve);
  app.all(`${controlPrefix}/*`, serve);
}

async function answer(
  plane: ControlPlane,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const limit = /\/state(\?|$)/.test(target) ? mostStateBytes : mostBytes;
  const body = await readBody(request, limit);
  // An upload that breaks off is no request.
  if (body === 'broken') return;
  const reply = await plane.handle({
    method: request.method ?? 'GET',
    target,
    headers: request.headers,
    ...(body === 'oversize' ? { body: new Uint8Array(0), oversize: true } : { body }),
  });
  await write(response, reply);
}

async function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | 'oversize' | 'broken'> {
  let chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size <= limit) chunks.push(chunk);
      else chunks = [];
    }
  } catch {
    // Whatever broke the upload off, its caller is gone.
    return 'broken';
  }
  return size > limit ? 'oversize' : Buffer.concat(chunks);
}

async function write(
  response: ServerResponse,
  { status, headers, body }: ControlReply,
): Promise<void> {
  if (typeof body === 'string') {
    const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  await writePieces(response, body);
}

async function writePieces(response: ServerResponse, pieces: TextStream): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    response.once('close', () => {
      resolve();
      void pieces.return?.();
    });
  });
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    if (response.destroyed) return;
    if (response.write(next.value)) continue;
    const drained = new Promise<void>((resolve) => response.once('drain', resolve));
    await Promise.race([drained, gone]);
  }
  response.end();
}

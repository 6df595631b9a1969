// The second yardstick: fastify with one route and nothing of ours.
import Fastify from 'fastify';

const app = Fastify();
app.post('/api/v1/accounts', (request, reply) => {
  reply.code(201).send({ id: '1', ...request.body, status: 'New', revision: 1 });
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ event: 'ready', port: app.server.address().port }));

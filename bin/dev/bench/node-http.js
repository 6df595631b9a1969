// The baseline: a node:http server that only reads a JSON body and answers JSON.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const sent = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const body = JSON.stringify({ id: '1', ...sent, status: 'New', revision: 1 });
    response.writeHead(201, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', port: server.address().port }));
});

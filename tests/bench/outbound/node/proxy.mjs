// @fastify/http-proxy as its documentation advises, one process for each core: node proxy.mjs PORT
// UPSTREAM
import cluster from 'node:cluster';
import proxy from '@fastify/http-proxy';
import Fastify from 'fastify';

const [port, upstream] = process.argv.slice(2);
if (cluster.isPrimary) {
  for (let i = 0; i < 2; ++i) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill('SIGKILL');
    process.exit(0);
  });
} else {
  const app = Fastify({ logger: false });
  app.register(proxy, { upstream, undici: { connections: 128, pipelining: 1 } });
  await app.listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 });
}

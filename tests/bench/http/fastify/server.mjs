// Fastify as its documentation advises: schemas for requests and responses, one process for each core.
import cluster from 'node:cluster';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import view from '@fastify/view';
import Fastify from 'fastify';
import mustache from 'mustache';

const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const text = (minLength, maxLength) => ({ type: 'string', minLength, maxLength });

function serve(port) {
  const app = Fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 });
  const file = Buffer.alloc(64 * 1024, 'x');
  const piece = Buffer.alloc(16 * 1024, 'x');

  app.get(
    '/hello',
    {
      schema: {
        response: {
          200: object({ message: { type: 'string' }, version: { type: 'integer' }, ok: { type: 'boolean' } }),
        },
      },
    },
    () => ({ message: 'Hello, World!', version: 1, ok: true }),
  );

  app.get(
    '/users/:id',
    {
      schema: {
        params: object({ id: text(1, 40) }),
        response: { 200: object({ id: { type: 'string' }, name: { type: 'string' }, active: { type: 'boolean' } }) },
      },
    },
    (request) => ({ id: request.params.id, name: 'Ada Lovelace', active: true }),
  );

  app.register(view, {
    engine: { mustache },
    root: fileURLToPath(new URL('../fairway/src/pages', import.meta.url)),
    production: true,
  });
  app.get('/pages/list', (request, reply) =>
    reply.view('list.html', {
      heading: 'Products',
      products: Array.from({ length: 20 }, (_, i) => ({
        id: `p${i}`,
        name: `Product & more ${i}`,
        text: 'A few words about it, as a list of products has them.',
        price: '12.50 €',
        isScarce: i % 4 === 0,
        left: i,
      })),
    }),
  );

  app.get('/file', (request, reply) => reply.type('text/plain').send(file));

  app.get('/stream', (request, reply) => {
    let pieces = 16;
    return reply.send(
      new Readable({
        read() {
          this.push(pieces-- > 0 ? piece : null);
        },
      }),
    );
  });

  app.post(
    '/orders',
    {
      schema: {
        body: object(
          {
            customer: text(1, 80),
            email: { type: 'string', format: 'email' },
            currency: { enum: ['EUR', 'USD', 'GBP'] },
            note: text(0, 200),
            items: {
              type: 'array',
              items: object({
                sku: text(1, 20),
                name: text(1, 80),
                quantity: { type: 'integer', minimum: 1, maximum: 1000 },
                price: { type: 'number', minimum: 0, maximum: 100000 },
              }),
            },
          },
          ['customer', 'email', 'currency', 'items'],
        ),
        response: {
          201: object({
            id: { type: 'integer' },
            status: { type: 'string' },
            count: { type: 'integer' },
            total: { type: 'number' },
          }),
        },
      },
    },
    (request, reply) => {
      let count = 0;
      let total = 0;
      for (const item of request.body.items) {
        count += item.quantity;
        total += item.quantity * item.price;
      }
      reply.code(201);
      return { id: 4711, status: 'open', count, total };
    },
  );

  return app.listen({ port, host: '127.0.0.1', backlog: 4096 });
}

if (cluster.isPrimary) {
  for (let i = 0; i < Number(process.env.BENCH_THREADS ?? 2); ++i) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill('SIGKILL');
    process.exit(0);
  });
} else {
  await serve(Number(process.argv[2]));
}

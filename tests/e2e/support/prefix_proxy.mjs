// A proxy that serves an application below a path prefix, sockets included.
import http from 'node:http';

export function startPrefixProxy(prefix, target) {
  const onwardRequest = ({ url, method, headers }) =>
    http.request(target + url.slice(prefix.length), { method, headers });

  const forward = (request, response) => {
    if (!request.url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const onward = onwardRequest(request);
    onward.on('response', (received) => {
      response.writeHead(received.statusCode, received.headers);
      response.flushHeaders(); // a stream may send nothing yet
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  };

  const connect = (request, client) => {
    client.on('error', () => {});
    const onward = onwardRequest(request);
    const head = ({ statusCode, statusMessage, rawHeaders }) => {
      const fields = [];
      for (let i = 0; i < rawHeaders.length; i += 2) fields.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`);
      return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join('')}\r\n`;
    };
    onward.on('upgrade', (received, socket, first) => {
      client.write(head(received));
      client.write(first);
      socket.on('error', () => client.destroy());
      client.on('close', () => socket.destroy());
      socket.pipe(client).pipe(socket);
    });
    onward.on('response', (received) => {
      client.write(head(received));
      received.pipe(client);
    });
    onward.on('error', () => client.destroy());
    onward.end();
  };

  return new Promise((resolve) => {
    // Idle connections stay open: a request can cross with their close, and the tests do not repeat it.
    const proxy = http.createServer({ keepAliveTimeout: 0 }, forward).on('upgrade', connect);
    const clients = new Set();
    proxy.on('connection', (client) => {
      clients.add(client);
      client.on('close', () => clients.delete(client));
    });
    proxy.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${proxy.address().port}${prefix}`,
        close() {
          proxy.close();
          for (const client of clients) client.destroy();
        },
      }),
    );
  });
}

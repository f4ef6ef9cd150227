// Sends COUNT requests of a case one after the other on one connection:
// `node requests.mjs PORT CASE COUNT`.
import { connect } from 'node:net';

const [port, name, count] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4])];

const items = Array.from({ length: 10 }, (_, i) =>
  `{"sku":"SKU-${String((i + 1) * 1234).padStart(6, '0')}","name":"Article number ${i + 1} of the list","quantity":${i + 1},"price":${(i + 1) * 7}.95}`);
const order = `{"customer":"Ada Lovelace","email":"ada@example.com","currency":"EUR","note":"Please ring twice, the bell is not loud.","items":[${items}]}`;
const get = (path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
const requests = {
  hello: get('/hello'),
  user: get('/users/42'),
  file: get('/file'),
  stream: get('/stream'),
  order: `POST /orders HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${order.length}\r\n\r\n${order}`,
};

function open(tries) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {
    if (tries === 0) throw new Error(`no server on port ${port}`);
    setTimeout(() => open(tries - 1), 100);
  });
  socket.on('connect', () => exchange(socket));
}

function exchange(socket) {
  let left = count;
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
    const head = answer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /content-length: (\d+)/i.exec(answer.slice(0, head));
    const complete = length ? answer.length >= head + 4 + Number(length[1]) : answer.endsWith('0\r\n\r\n');
    if (!complete) return;
    if (!answer.startsWith('HTTP/1.1 2')) throw new Error(answer);
    answer = '';
    if (--left === 0) {
      socket.end();
    } else {
      socket.write(requests[name]);
    }
  });
  socket.write(requests[name]);
}

open(300);

// A server that gives prepared responses one after the other and keeps what it was asked.
import { createServer } from 'node:http';

export class Recorder {
  requests = [];
  #server;

  /**
   * Each response is {status, headers, body}, or a misbehaviour: "hang", "stream" (without
   * end), "break", "break later". The last one repeats.
   */
  static async start(responses) {
    const recorder = new Recorder();
    recorder.#server = createServer((request, response) => recorder.#respond(responses, request, response));
    await new Promise((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve));
    recorder.url = `http://127.0.0.1:${recorder.#server.address().port}`;
    return recorder;
  }

  async #respond(responses, request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    const planned = responses[Math.min(this.requests.length, responses.length - 1)];
    this.requests.push({ method, url, headers, body, time: performance.now() });
    if (planned === 'hang') return;
    if (planned === 'stream') return response.writeHead(200).write('data: 1\n\n');
    if (planned === 'break') return request.socket.destroy();
    if (planned === 'break later') {
      response.writeHead(200, { 'content-length': 1000 });
      return response.write('{', () => request.socket.destroy());
    }
    response.writeHead(planned.status, planned.headers);
    response.end(planned.body);
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

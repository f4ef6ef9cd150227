// A server that gives prepared responses one after the other and keeps what it was asked.
import { createServer } from 'node:http';

export class Recorder {
  requests = [];
  #server;

  /**
   * Each answer is {status, headers, body}, or a misbehaviour: "hang", "stream" (without
   * end), "break", "break later". The last one repeats.
   */
  static async start(answers) {
    const recorder = new Recorder();
    recorder.#server = createServer((request, response) =>
      recorder.#answer(answers, request, response),
    );
    await new Promise((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve));
    recorder.url = `http://127.0.0.1:${recorder.#server.address().port}`;
    return recorder;
  }

  async #answer(answers, request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    const body = Buffer.concat(chunks).toString('utf8');
    const answer = answers[Math.min(this.requests.length, answers.length - 1)];
    this.requests.push({ method, url, headers, body, time: performance.now() });
    if (answer === 'hang') return;
    if (answer === 'stream') return response.writeHead(200).write('data: 1\n\n');
    if (answer === 'break') return request.socket.destroy();
    if (answer === 'break later') {
      response.writeHead(200, { 'content-length': 1000 });
      return response.write('{', () => request.socket.destroy());
    }
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

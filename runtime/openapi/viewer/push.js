// Lists the event streams, the streams of lines and the sockets of a document, and connects to them.
// Swagger UI shows them as ordinary requests, which never end.
'use strict';

window.FairwayPush = (() => {
  const maxEntries = 200;
  const maxShownLength = 10_000; // of the data of an entry

  const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']);
  const labels = { events: 'EVENTS', lines: 'LINES', socket: 'SOCKET' };
  const streamKinds = { 'text/event-stream': 'events', 'application/x-ndjson': 'lines' };

  const closeCodes = {
    1000: 'normal close',
    1001: 'the server stops, or the page was left',
    1002: 'the protocol was violated',
    1003: 'this kind of data is not accepted',
    1005: 'closed without a code',
    1006: 'the connection was lost',
    1007: 'the message is not valid',
    1008: 'a rule of the server was violated, or this client is too slow',
    1009: 'the message is too large',
    1010: 'an extension is missing',
    1011: 'an error of the server',
    1012: 'the server restarts',
    1013: 'the server is overloaded; try again later',
    1015: 'TLS failed',
  };

  /** The message that the server sends for an invalid one. */
  const errorSchema = {
    type: 'object',
    properties: {
      message: { type: 'string' },
      received: { type: 'string', description: 'The type of that message' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          properties: { field: { type: 'string' }, message: { type: 'string' } },
          required: ['field', 'message'],
        },
      },
    },
    required: ['message'],
  };

  // What the document declares.

  const memberAt = (spec, reference) =>
    reference
      .slice(2)
      .split('/')
      .map((step) => decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~'))
      .reduce((node, step) => (node || {})[step], spec);

  /** A schema whose references are replaced, except those to a schema that contains them. */
  const inlined = (spec, schema, outer = []) => {
    if (Array.isArray(schema)) return schema.map((part) => inlined(spec, part, outer));
    if (schema === null || typeof schema !== 'object') return schema;
    const { $ref: reference, ...rest } = schema;
    const members = Object.entries(rest).map(([name, part]) => [name, inlined(spec, part, outer)]);
    const own = Object.fromEntries(members);
    if (typeof reference !== 'string') return own;
    if (outer.includes(reference)) return schema;
    return { ...inlined(spec, memberAt(spec, reference), [...outer, reference]), ...own };
  };

  /** A parameter, request body or response, which may be a reference to one in `components`. */
  const dereferenced = (spec, part, outer = []) => {
    const reference = (part || {}).$ref;
    if (typeof reference !== 'string' || outer.includes(reference)) return part || {};
    return dereferenced(spec, memberAt(spec, reference), [...outer, reference]);
  };

  /** An operation without references, except in its bodies, and with the parameters of its path. */
  const completed = (spec, item, operation) => {
    const parameters = new Map();
    for (const part of [...(item.parameters || []), ...(operation.parameters || [])]) {
      const parameter = dereferenced(spec, part);
      const schema = inlined(spec, parameter.schema);
      parameters.set(`${parameter.in}.${parameter.name}`, { ...parameter, schema });
    }
    const responses = Object.entries(operation.responses || {}).map(([status, response]) => [
      status,
      dereferenced(spec, response),
    ]);
    const requestBody = operation.requestBody && dereferenced(spec, operation.requestBody);
    return {
      ...operation,
      parameters: [...parameters.values()],
      responses: Object.fromEntries(responses),
      ...(requestBody ? { requestBody } : {}),
    };
  };

  const messagesOf = (sender, schemas) =>
    Object.entries(typeof schemas === 'object' ? schemas : {}).map(([name, schema]) => {
      return { sender, name, schema };
    });

  const socketMessages = ({ receive, send }) => {
    const messages = [...messagesOf('client', receive), ...messagesOf('server', send)];
    const isChecked = messages.some(({ sender }) => sender === 'client');
    return isChecked ? [...messages, { sender: 'server', name: 'error', schema: errorSchema }] : messages;
  };

  /** The events of a response, with the extension of OpenAPI 3.1 or the `itemSchema` of 3.2. */
  const eventMessages = (media) => {
    if (media['x-fw-events']) return messagesOf('server', media['x-fw-events']);
    const items = media.itemSchema || {};
    return (items.oneOf || [items]).flatMap(({ properties: { event = {}, data } = {} }) =>
      data ? [{ sender: 'server', name: event.const || 'message', schema: data.contentSchema || data }] : [],
    );
  };

  const lineMessages = (media) => {
    const schema = media['x-fw-lines'] || media.itemSchema;
    return schema ? [{ sender: 'server', name: 'line', schema }] : [];
  };

  const successes = (operation) =>
    Object.entries(operation.responses || {}).flatMap(([status, response]) =>
      /^2/.test(status) ? Object.entries(response.content || {}) : [],
    );

  const endpointOf = (operation) => {
    const socket = operation['x-fw-socket'];
    if (socket) return { kind: 'socket', socket, messages: socketMessages(socket) };
    const [type, media] = successes(operation).find(([name]) => streamKinds[name]) || [];
    if (!type) return undefined;
    const kind = streamKinds[type];
    return { kind, type, messages: kind === 'events' ? eventMessages(media) : lineMessages(media) };
  };

  const endpointsOf = (spec) =>
    Object.entries(spec.paths || {}).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, declared]) => {
        if (!methods.has(method)) return [];
        const operation = completed(spec, item, declared);
        const endpoint = endpointOf(operation);
        const canTry = endpoint && operation['x-fw-docs-try-it-out'] !== false;
        return endpoint ? [{ ...endpoint, path, method, operation, canTry }] : [];
      }),
    );

  /** Whether an operation has no response for which Swagger UI can wait. */
  const isPushOnly = (spec, declared) => {
    const contents = successes(completed(spec, {}, declared));
    const isStream = contents.length > 0 && contents.every(([type]) => streamKinds[type]);
    return declared['x-fw-socket'] !== undefined || isStream;
  };

  // Connections. They call `on.open(note)`, `on.message(name, data)` and, once, `on.close(reason, isError)`.

  /** A function for lines, which calls `emit` for each event. */
  const eventReader = (emit) => {
    let name = '';
    let data = [];
    return (line) => {
      if (line === '') {
        if (data.length > 0) emit(name || 'message', data.join('\n'));
        name = '';
        data = [];
      } else {
        const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
        if (field === 'event') name = value;
        if (field === 'data') data.push(value);
      }
    };
  };

  const lineReader = (emit) => (line) => {
    if (line !== '') emit('line', line);
  };

  const readLines = async (response, read) => {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return rest;
      const lines = (rest + value).split(/\r\n|\n|\r(?=[^\n])/);
      rest = lines.pop();
      lines.forEach(read);
    }
  };

  const openStream = (request, endpoint, on) => {
    const ending = new AbortController();
    const receive = async () => {
      const { url, method, headers, body } = request;
      const response = await fetch(url, { method, headers, body, cache: 'no-store', signal: ending.signal });
      const type = (response.headers.get('content-type') || 'no content type').split(';')[0];
      if (!response.ok || type !== endpoint.type) {
        on.message(`${response.status} ${type}`, await response.text());
        on.close(`The response has the status ${response.status} and is not a stream.`, true);
        return;
      }
      on.open('');
      const read = (endpoint.kind === 'events' ? eventReader : lineReader)(on.message);
      const rest = await readLines(response, read);
      if (endpoint.kind === 'lines') read(rest);
      on.close('The server has ended the stream.', false);
    };
    receive().catch((error) => {
      if (ending.signal.aborted) on.close('Disconnected.', false);
      else on.close(`The connection was lost, or could not be opened: ${error.message}.`, true);
    });
    return { close: () => ending.abort() };
  };

  const closeText = ({ code, reason }) => {
    const other = code >= 4000 ? 'a code of the application' : 'a code without a known meaning';
    const words = closeCodes[code] || other;
    return `Closed with ${code}: ${words}${reason ? ` (“${reason}”)` : ''}.`;
  };

  const openSocket = (request, endpoint, on) => {
    const socket = new WebSocket(request.url.replace(/^http/, 'ws'), endpoint.socket.protocols || []);
    let wasOpen = false;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      wasOpen = true;
      on.open(socket.protocol && `Subprotocol ${socket.protocol}.`);
    });
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') on.message('binary', `${data.byteLength} bytes`);
      else on.message(typeOf(data), data);
    });
    socket.addEventListener('close', (event) => {
      const rejected =
        'The socket was not opened (1006). The server rejected the request or was not reached; a browser does ' +
        'not show which. Check the parameters, and whether you are signed in.';
      on.close(wasOpen ? closeText(event) : rejected, event.code !== 1000);
    });
    return { close: () => socket.close(1000), send: (text) => socket.send(text) };
  };

  const typeOf = (text) => {
    try {
      return String(JSON.parse(text).type || 'text');
    } catch {
      return 'text';
    }
  };

  // Elements. Strings become text, never HTML.

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(key, '');
      else if (value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  const indented = (value) => JSON.stringify(value, null, 2);

  const sampleOf = (ui, schema) => {
    try {
      const sample = ui.fn.getSampleSchema(schema, 'application/json', {});
      return typeof sample === 'string' ? JSON.parse(sample) : sample;
    } catch {
      return {};
    }
  };

  const messageList = (spec, { kind, messages, socket }) => {
    const raw = (direction) => socket && socket[direction] === 'raw';
    const part = (title, sender, isRaw) => {
      const own = messages.filter((message) => message.sender === sender);
      if (own.length === 0 && !isRaw) return [];
      const items = own.map(({ name, schema }) =>
        element(
          'li',
          {},
          element(
            'details',
            {},
            element('summary', {}, element('code', {}, name)),
            element('pre', { tabindex: '0' }, indented(inlined(spec, schema))),
          ),
        ),
      );
      if (isRaw) items.push(element('li', {}, 'Any text and any bytes'));
      return [element('h4', {}, title), element('ul', { class: 'push-messages' }, ...items)];
    };
    const what = { events: 'Events', lines: 'Lines', socket: 'Messages' }[kind];
    return [
      ...part(`${what} sent by the client`, 'client', raw('receive')),
      ...part(`${what} sent by the server`, 'server', raw('send')),
    ];
  };

  const field = ({ name, in: location, required, description, schema = {} }) => {
    const choices = schema.enum || (schema.type === 'boolean' ? [true, false] : undefined);
    const preset = schema.default === undefined ? '' : String(schema.default);
    const attributes = { name: `${location}.${name}`, required };
    const options = [...(required ? [] : ['']), ...(choices || [])];
    const placeholder = [schema.type].flat().join(' or ');
    const input = choices
      ? element('select', attributes, ...options.map((choice) => element('option', {}, String(choice))))
      : element('input', { ...attributes, placeholder, autocomplete: 'off' });
    if (preset) input.value = preset;
    const note = `${location}${required ? ', required' : ''}`;
    const label = element('label', {}, element('span', {}, element('code', {}, name), ` ${note}`), input);
    if (description) label.append(element('small', {}, description));
    return label;
  };

  /** The value of an input in the form that Swagger UI's client writes by the style of the parameter. */
  const valueOf = (text, { type } = {}) => {
    if (type === 'array') return text.split(',');
    return type === 'object' ? JSON.parse(text) : text;
  };

  const makeLog = () => {
    const digits = '2-digit';
    const format = { hour: digits, minute: digits, second: digits, fractionalSecondDigits: 3, hour12: false };
    const list = element('ol', { class: 'push-log', role: 'log', 'aria-label': 'Log', tabindex: '0' });
    const add = (direction, name, data) => {
      const now = new Date();
      const time = now.toLocaleTimeString(undefined, format);
      const isLong = data.length > maxShownLength;
      const shown = isLong ? `${data.slice(0, maxShownLength)}… (${data.length} characters)` : data;
      const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
      list.append(
        element(
          'li',
          { class: `push-${direction}` },
          element('time', { datetime: now.toISOString() }, time),
          element('span', { class: 'push-direction' }, direction),
          element('strong', {}, name),
          element('code', {}, shown),
        ),
      );
      while (list.children.length > maxEntries) list.firstChild.remove();
      if (atEnd) list.scrollTop = list.scrollHeight;
    };
    return { list, add };
  };

  const jsonError = (text) => {
    try {
      JSON.parse(text);
      return '';
    } catch (error) {
      return `This is not valid JSON: ${error.message}.`;
    }
  };

  /** The choice of a message, its text and the button that sends it. */
  const makeSender = (spec, ui, { socket, messages }) => {
    const isRaw = socket.receive === 'raw';
    const own = messages.filter(({ sender }) => sender === 'client');
    if (own.length === 0 && !isRaw) return undefined;
    const choice = element('select', {}, ...own.map(({ name }) => element('option', {}, name)));
    const text = element('textarea', { rows: '6', spellcheck: 'false' });
    const error = element('p', { class: 'push-error', role: 'alert' });
    const button = element('button', { type: 'submit', disabled: true }, 'Send');
    const prefill = () => {
      const { name, schema } = own[choice.selectedIndex];
      text.value = indented({ type: name, ...sampleOf(ui, inlined(spec, schema)) });
    };
    if (!isRaw) {
      choice.addEventListener('change', prefill);
      prefill();
    }
    const form = element('form', { class: 'push-send' });
    if (!isRaw) form.append(element('label', {}, element('span', {}, 'Message'), choice));
    form.append(element('label', {}, element('span', {}, isRaw ? 'Text' : 'JSON'), text), error, button);
    text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit(button);
    });
    const sender = { form, enable: (isOpen) => (button.disabled = !isOpen), send: () => {} };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      error.textContent = isRaw ? '' : jsonError(text.value);
      if (!button.disabled && error.textContent === '') sender.send(text.value);
    });
    return sender;
  };

  /** The request by the server, the credentials and the parameters that are chosen on the page. */
  const requestOf = (spec, ui, { path, method, operation, type }, form) => {
    const parameters = {};
    for (const { name, in: location, schema } of operation.parameters || []) {
      const input = form.elements[`${location}.${name}`];
      if (input && input.value !== '') parameters[`${location}.${name}`] = valueOf(input.value, schema);
    }
    const server = ui.oas3Selectors.selectedServer();
    const authorized = ui.authSelectors.authorized();
    const request = ui.fn.buildRequest({
      spec: { ...spec, paths: { ...spec.paths, [path]: { [method]: operation } } },
      operationId: operation.operationId,
      pathName: path,
      method,
      parameters,
      server,
      serverVariables: ui.oas3Selectors.serverVariables({ server })?.toJS(),
      securities: { authorized: authorized ? authorized.toJS() : {} },
      contextUrl: document.baseURI,
      responseContentType: type,
    });
    const body = form.elements.body;
    if (body && body.value !== '') {
      request.body = body.value;
      request.headers = { ...request.headers, 'Content-Type': 'application/json' };
    }
    return { ...request, url: new URL(request.url, document.baseURI).href };
  };

  /** The inputs of a connection, its buttons, its log and, for a socket, what can be sent. */
  const makeConsole = (spec, ui, endpoint) => {
    const { kind, operation } = endpoint;
    const usable = kind === 'socket' ? ['path', 'query'] : ['path', 'query', 'header'];
    const parameters = operation.parameters || [];
    const form = element('form', { class: 'push-connect' });
    form.append(...parameters.filter((parameter) => usable.includes(parameter.in)).map(field));
    const others = parameters.filter((parameter) => !usable.includes(parameter.in));
    if (others.length > 0) {
      const names = others.map((parameter) => `${parameter.name} (${parameter.in})`).join(', ');
      form.append(element('p', {}, `A page cannot set ${names} here.`));
    }
    const content = ((operation.requestBody || {}).content || {})['application/json'];
    if (content) {
      const body = element('textarea', { name: 'body', rows: '6', spellcheck: 'false' });
      body.value = indented(sampleOf(ui, inlined(spec, content.schema || {})));
      form.append(element('label', {}, element('span', {}, 'Body'), body));
    }
    const connect = element('button', { type: 'submit' }, 'Connect');
    const disconnect = element('button', { type: 'button', disabled: true }, 'Disconnect');
    const status = element('p', { class: 'push-status', role: 'status' }, 'Not connected.');
    form.append(element('div', { class: 'push-buttons' }, connect, disconnect), status);

    const log = makeLog();
    const clear = element('button', { type: 'button' }, 'Clear the log');
    clear.addEventListener('click', () => log.list.replaceChildren());
    const sender = kind === 'socket' ? makeSender(spec, ui, endpoint) : undefined;

    let connection;
    const show = (words, isError = false) => {
      status.textContent = words;
      status.classList.toggle('push-error', isError);
    };
    const become = (isConnected, isOpen) => {
      connect.disabled = isConnected;
      disconnect.disabled = !isConnected;
      if (sender) sender.enable(isOpen);
    };
    const on = {
      open: (note) => {
        become(true, true);
        show(`Connected. ${note}`.trim());
      },
      message: (name, data) => log.add('received', name, data),
      close: (reason, isError) => {
        connection = undefined;
        become(false, false);
        show(reason, isError);
      },
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (connection) return;
      const body = form.elements.body;
      const problem = body && body.value !== '' ? jsonError(body.value) : '';
      if (problem !== '') return show(problem, true);
      try {
        const open = kind === 'socket' ? openSocket : openStream;
        connection = open(requestOf(spec, ui, endpoint, form), endpoint, on);
        become(true, false);
        show('Connecting …');
      } catch (error) {
        show(`The request cannot be made: ${error.message}.`, true);
      }
    });
    disconnect.addEventListener('click', () => connection && connection.close());
    if (sender) {
      sender.send = (text) => {
        connection.send(text);
        log.add('sent', typeOf(text), text);
      };
    }
    return [form, ...(sender ? [sender.form] : []), log.list, clear];
  };

  const makeEntry = (spec, ui, endpoint) => {
    const { kind, path, method, operation, canTry } = endpoint;
    const { summary, description, operationId, deprecated } = operation;
    const body = element('div', { class: 'push-body' });
    const title = element(
      'summary',
      {},
      element('span', { class: `push-kind push-${kind}` }, labels[kind]),
      element('code', { class: 'push-path' }, method === 'get' ? path : `${method.toUpperCase()} ${path}`),
      element('span', { class: 'push-summary' }, `${summary || ''}${deprecated ? ' (deprecated)' : ''}`),
    );
    const entry = element('details', { id: `push-${operationId}`, class: 'push-entry' }, title, body);
    const fill = () => {
      if (description) body.append(element('p', {}, description));
      body.append(...messageList(spec, endpoint));
      if (canTry) body.append(...makeConsole(spec, ui, endpoint));
      else body.append(element('p', {}, 'Trying it out is disabled.'));
    };
    entry.addEventListener('toggle', fill, { once: true });
    return entry;
  };

  /** Fills `section`, if the document has anything for it. */
  const show = (section, link, spec, ui) => {
    const endpoints = endpointsOf(spec);
    if (endpoints.length === 0) return;
    section.append(
      element('h2', {}, 'Events and sockets'),
      ...endpoints.map((endpoint) => makeEntry(spec, ui, endpoint)),
    );
    section.hidden = false;
    link.hidden = false;
  };

  return { isPushOnly, show };
})();

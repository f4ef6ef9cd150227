// A collector of OTLP over HTTP. It reads batches with the messages that OpenTelemetry generates from the public
// definitions, and compares each one with what the exporters of OpenTelemetry for JavaScript would have sent instead.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { require } from '../typescript_client/support/compile.mjs';

const { TraceState } = require('@opentelemetry/core');
const { JsonTraceSerializer, ProtobufTraceSerializer } = require('@opentelemetry/otlp-transformer');
// 0.216.0 is the last version that reads traces; later ones only write them.
const { opentelemetry } = require('@opentelemetry/otlp-transformer/build/src/generated/root.js');
const { ExportTraceServiceRequest, ExportTraceServiceResponse } = opentelemetry.proto.collector.trace.v1;

const ids = ['traceId', 'spanId', 'parentSpanId'];
const plain = { longs: String, bytes: String };

/** Ids are hexadecimal in the JSON of OTLP, and base64 in the JSON of protobuf. */
function withIds(value, from, to) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withIds(item, from, to));
  const member = ([name, content]) =>
    ids.includes(name) ? [name, Buffer.from(content, from).toString(to)] : [name, withIds(content, from, to)];
  return Object.fromEntries(Object.entries(value).map(member));
}

/** As protobuf has it: without empty arrays, and 64-bit integers, which JSON may have as numbers, are strings. */
function asMessage(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asMessage);
  const filled = Object.entries(value).filter(([, content]) => !Array.isArray(content) || content.length > 0);
  return Object.fromEntries(
    filled.map(([name, content]) => [name, name === 'intValue' ? String(content) : asMessage(content)]),
  );
}

export const encodings = {
  json: {
    type: 'application/json',
    serializer: JsonTraceSerializer,
    read(bytes) {
      const json = withIds(JSON.parse(bytes.toString('utf8')), 'hex', 'base64');
      return { message: ExportTraceServiceRequest.fromObject(json), json };
    },
    /** Fails if the definitions lack a member. */
    checkMembers({ message, json }) {
      const known = ExportTraceServiceRequest.toObject(message, plain);
      assert.deepEqual(asMessage(known), asMessage(json));
    },
    response: () => '{}',
  },
  protobuf: {
    type: 'application/x-protobuf',
    serializer: ProtobufTraceSerializer,
    read: (bytes) => ({ message: ExportTraceServiceRequest.decode(bytes), bytes }),
    /** Fails if the definitions lack a field: those are not in the message. */
    checkMembers({ message, bytes }) {
      const known = Buffer.from(ExportTraceServiceRequest.encode(message).finish());
      assert.equal(known.toString('hex'), bytes.toString('hex'));
    },
    response: () => ExportTraceServiceResponse.encode({}).finish(),
  },
};

function valueOf({ stringValue, intValue, doubleValue, boolValue }) {
  return stringValue ?? boolValue ?? doubleValue ?? BigInt(intValue);
}
const attributesOf = (list) => Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));

/** All spans of a message, in the form of its JSON, with the resource and scope of each. */
function spansOf(message) {
  const { resourceSpans } = withIds(
    ExportTraceServiceRequest.toObject(message, { ...plain, defaults: true }),
    'base64',
    'hex',
  );
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => ({ span, scope, resource }))),
  );
}

const remoteParent = 0x200;
const knownParent = 0x100;

/** For the serializers: the objects that an application in JavaScript would have. */
function readableSpans(spans) {
  const resources = new Map();
  // Numbers of the serializers are doubles.
  const attributes = (list) =>
    Object.fromEntries(
      Object.entries(attributesOf(list)).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ]),
    );
  const time = (nanoseconds) => [
    Number(BigInt(nanoseconds) / 1_000_000_000n),
    Number(BigInt(nanoseconds) % 1_000_000_000n),
  ];
  return spans.map(({ span, scope, resource }) => {
    const key = JSON.stringify(resource);
    if (!resources.has(key)) resources.set(key, { attributes: attributes(resource.attributes) });
    return {
      name: span.name,
      kind: span.kind - 1,
      spanContext: () => ({
        traceId: span.traceId,
        spanId: span.spanId,
        traceFlags: span.flags & 0xff,
        traceState: span.traceState ? new TraceState(span.traceState) : undefined,
      }),
      parentSpanContext: span.parentSpanId
        ? { spanId: span.parentSpanId, isRemote: (span.flags & remoteParent) !== 0 }
        : undefined,
      startTime: time(span.startTimeUnixNano),
      endTime: time(span.endTimeUnixNano),
      status: { code: span.status.code, message: span.status.message || undefined },
      attributes: attributes(span.attributes),
      droppedAttributesCount: span.droppedAttributesCount,
      events: span.events.map((event) => ({
        name: event.name,
        time: time(event.timeUnixNano),
        attributes: attributes(event.attributes),
        droppedAttributesCount: event.droppedAttributesCount,
      })),
      droppedEventsCount: span.droppedEventsCount,
      links: [],
      droppedLinksCount: 0,
      resource: resources.get(key),
      instrumentationScope: { name: scope.name, version: scope.version || undefined },
    };
  });
}

/** Whether the parent is remote means nothing without one; the serializers say that it is known. */
const comparable = (spans) =>
  spans.map(({ span, ...of }) => ({
    ...of,
    span: { ...span, flags: span.parentSpanId ? span.flags : span.flags & ~knownParent },
  }));

/** The spans of a batch, after all checks. */
function checkedSpans(encoding, bytes) {
  const batch = encoding.read(bytes);
  assert.equal(ExportTraceServiceRequest.verify(batch.message), null);
  encoding.checkMembers(batch);
  const spans = spansOf(batch.message);
  const official = encoding.read(Buffer.from(encoding.serializer.serializeRequest(readableSpans(spans))));
  assert.deepEqual(comparable(spans), comparable(spansOf(official.message)));
  return spans.map(({ span, resource }) => ({
    service: attributesOf(resource.attributes)['service.name'],
    trace: span.traceId,
    id: span.spanId,
    parent: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    hasFailed: span.status.code === 2,
    hasRemoteParent: (span.flags & remoteParent) !== 0,
    state: span.traceState,
    begin: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ name, attributes }) => ({ name, attributes: attributesOf(attributes) })),
  }));
}

export class Collector {
  #encoding;
  #server;
  #spans = [];
  #errors = [];

  /** Accepts batches in one encoding only. */
  static async start(name) {
    const collector = new Collector();
    collector.#encoding = encodings[name];
    collector.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      try {
        assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
        assert.equal(request.headers['content-type'], collector.#encoding.type);
        collector.#spans.push(...checkedSpans(collector.#encoding, Buffer.concat(chunks)));
      } catch (error) {
        collector.#errors.push(error);
      }
      response.writeHead(200, { 'content-type': collector.#encoding.type }).end(collector.#encoding.response());
    });
    await new Promise((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    collector.url = `http://127.0.0.1:${collector.#server.address().port}`;
    return collector;
  }

  /** Sends spans of an application in JavaScript to this collector. */
  async send(spans) {
    const { type, serializer } = this.#encoding;
    const body = serializer.serializeRequest(spans);
    const response = await fetch(`${this.url}/v1/traces`, { method: 'POST', headers: { 'content-type': type }, body });
    assert.equal(response.status, 200);
  }

  /**
   * All spans, once they are complete; what there is after ten minutes. Throws if a batch was wrong. Waits for a thread
   * are left out: they depend on the machine.
   */
  async spans(areComplete) {
    for (let tries = 0; ; ++tries) {
      if (this.#errors.length > 0) throw this.#errors[0];
      const spans = this.#spans.filter(({ name }) => name !== 'queue');
      if (areComplete(spans) || tries > 12_000) return spans;
      await sleep(50);
    }
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

// The cases by which implementations of WebSocket are usually compared, with the numbers of Autobahn's
// suite: what is sent, and what RFC 6455 and RFC 7692 require of the other side.

export const textFrame = 1;
export const binaryFrame = 2;
const continuation = 0;
const closeFrame = 8;
export const pingFrame = 9;
const pongFrame = 10;

/** A frame as a client sends it. */
export function frame(opcode, payload = '', { fin = true, rsv = 0 } = {}) {
  const content = Buffer.from(payload);
  const size = content.length;
  const head = Buffer.alloc(size < 126 ? 6 : size < 65536 ? 8 : 14);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  if (size < 126) {
    head[1] = 0x80 | size;
  } else if (size < 65536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(size, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(size), 2);
  }
  const mask = head.subarray(head.length - 4);
  mask.set([0x37, 0xfa, 0x21, 0x3d]);
  const masked = Buffer.alloc(size);
  for (let i = 0; i < size; i++) masked[i] = content[i] ^ mask[i & 3];
  return Buffer.concat([head, masked]);
}

/** A message in fragments of at most `size` bytes. */
function fragments(opcode, payload, size) {
  const content = Buffer.from(payload);
  const frames = [];
  for (let at = 0; at < content.length || at === 0; at += size) {
    const part = content.subarray(at, at + size);
    const fin = at + size >= content.length;
    frames.push(frame(at === 0 ? opcode : continuation, part, { fin }));
  }
  return frames;
}

export const close = (code, reason = '') => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return frame(closeFrame, Buffer.concat([head, Buffer.from(reason)]));
};

const text = (data) => ({ opcode: textFrame, data: Buffer.from(data) });
const binary = (data) => ({ opcode: binaryFrame, data: Buffer.from(data) });
const pong = (data = '') => ({ opcode: pongFrame, data: Buffer.from(data) });

/**
 * A case: `sends` are buffers, each a write of its own (`chop`: in writes of so many bytes), and
 * numbers, the milliseconds to wait; `gets` is what comes back. Then the client closes with 1000,
 * unless `fails` has the codes with which the server must close, or `closes` those with which it must
 * respond to a close that was sent. `mayLack`: the server may fail before it responds.
 */
const cases = [];
const add = (id, what, sends, more = {}) => cases.push({ id, what, sends, gets: [], ...more });
const protocolError = { fails: [1002] };

// 1: messages of every size of the length.
const sizes = [0, 125, 126, 127, 128, 65535, 65536];
for (const [part, opcode, byte] of [
  [1, textFrame, '*'],
  [2, binaryFrame, '\xfe'],
]) {
  const name = part === 1 ? 'text' : 'binary';
  const of = part === 1 ? text : binary;
  const data = (size) => Buffer.alloc(size, byte, 'latin1');
  sizes.forEach((size, i) =>
    add(`1.${part}.${i + 1}`, `${name} of ${size} bytes`, [frame(opcode, data(size))], {
      gets: [of(data(size))],
    }),
  );
  add(`1.${part}.8`, `${name} of 65536 bytes in chops of 997`, [frame(opcode, data(65536))], {
    chop: 997,
    gets: [of(data(65536))],
  });
}

// 2: pings and pongs.
const bytes125 = Buffer.alloc(125, 0xfe);
add('2.1', 'ping without payload', [frame(pingFrame)], { gets: [pong()] });
add('2.2', 'ping with text', [frame(pingFrame, 'Hello, world!')], { gets: [pong('Hello, world!')] });
const odd = Buffer.from([0, 255, 254, 253, 252, 251, 0, 255]);
add('2.3', 'ping with bytes that are no UTF-8', [frame(pingFrame, odd)], { gets: [pong(odd)] });
add('2.4', 'ping of 125 bytes', [frame(pingFrame, bytes125)], { gets: [pong(bytes125)] });
add('2.5', 'ping of 126 bytes', [frame(pingFrame, Buffer.alloc(126, 0xfe))], protocolError);
add('2.6', 'ping of 125 bytes, byte by byte', [frame(pingFrame, bytes125)], {
  chop: 1,
  gets: [pong(bytes125)],
});
add('2.7', 'unsolicited pong', [frame(pongFrame)]);
add('2.8', 'unsolicited pong with payload', [frame(pongFrame, 'unsolicited')]);
add('2.9', 'unsolicited pong, then a ping', [frame(pongFrame, 'a'), frame(pingFrame, 'ping')], {
  gets: [pong('ping')],
});
const tenPings = [...Array(10).keys()].map((i) => frame(pingFrame, `payload-${i}`));
for (const [id, chop] of [
  ['2.10', undefined],
  ['2.11', 1],
]) {
  // RFC 6455, 5.5.3: only the last of several pings needs a pong.
  add(id, `ten pings${chop ? ', byte by byte' : ''}`, tenPings, {
    chop,
    gets: [...Array(10).keys()].map((i) => pong(`payload-${i}`)),
    lastIsEnough: true,
  });
}

// 3: reserved bits.
const hello = 'Hello, world!';
const afterText = (frames, more = {}) => [frame(textFrame, hello), ...frames, frame(pingFrame), more].slice(0, -1);
add('3.1', 'text with RSV 1', [frame(textFrame, hello, { rsv: 1 })], protocolError);
for (const [id, rsv, chop] of [
  ['3.2', 2, undefined],
  ['3.3', 3, 'frames'],
  ['3.4', 4, 1],
]) {
  add(id, `text, text with RSV ${rsv}, ping`, afterText([frame(textFrame, hello, { rsv })]), {
    chop,
    gets: [text(hello)],
    mayLack: true,
    ...protocolError,
  });
}
add('3.5', 'binary with RSV 5', [frame(binaryFrame, odd, { rsv: 5 })], protocolError);
add('3.6', 'ping with RSV 6', [frame(pingFrame, hello, { rsv: 6 })], protocolError);
add('3.7', 'close with RSV 7', [frame(closeFrame, '', { rsv: 7 })], protocolError);

// 4: reserved opcodes.
for (const [part, first] of [
  [1, 3],
  [2, 11],
]) {
  const name = part === 1 ? 'data' : 'control';
  add(`4.${part}.1`, `${name} frame with opcode ${first}`, [frame(first)], protocolError);
  add(
    `4.${part}.2`,
    `${name} frame with opcode ${first + 1} and payload`,
    [frame(first + 1, 'payload')],
    protocolError,
  );
  for (const i of [3, 4, 5]) {
    const opcode = first + i - 1;
    add(
      `4.${part}.${i}`,
      `text, ${name} frame with opcode ${opcode}, ping`,
      afterText([frame(opcode, i === 3 ? '' : hello)]),
      { chop: i === 5 ? 1 : undefined, gets: [text(hello)], mayLack: true, ...protocolError },
    );
  }
}

// 5: fragments.
const first = frame(textFrame, 'fragment1', { fin: false });
const last = frame(continuation, 'fragment2');
const both = text('fragment1fragment2');
add('5.1', 'ping in two fragments', [frame(pingFrame, 'fragment1', { fin: false }), last], protocolError);
add('5.2', 'pong in two fragments', [frame(pongFrame, 'fragment1', { fin: false }), last], protocolError);
const chops = [
  [undefined, 'in one write'],
  ['frames', 'frame by frame'],
  [1, 'byte by byte'],
];
chops.forEach(([chop, how], i) => {
  add(`5.${3 + i}`, `text in two fragments, ${how}`, [first, last], { chop, gets: [both] });
  add(`5.${6 + i}`, `the same with a ping in between, ${how}`, [first, frame(pingFrame, 'ping'), last], {
    chop,
    gets: [pong('ping'), both],
  });
  for (const [base, fin] of [
    [9, true],
    [12, false],
  ]) {
    add(
      `5.${base + i}`,
      `continuation of nothing (FIN ${fin ? 1 : 0}), then text, ${how}`,
      [frame(continuation, 'nothing', { fin }), frame(textFrame, hello)],
      { chop, ...protocolError },
    );
  }
});
add(
  '5.15',
  'text in two fragments, continuation of nothing, text',
  [first, last, frame(continuation, 'fragment3', { fin: false }), frame(textFrame, 'fragment4')],
  { gets: [both], mayLack: true, ...protocolError },
);
for (const [id, fin] of [
  ['5.16', false],
  ['5.17', true],
]) {
  const once = [frame(continuation, 'fragment1', { fin }), first, last];
  add(
    id,
    `twice: continuation of nothing (FIN ${fin ? 1 : 0}), text in two fragments`,
    [...once, ...once],
    protocolError,
  );
}
add('5.18', 'text in two fragments with the opcode of text', [first, frame(textFrame, 'fragment2')], protocolError);
for (const [id, chop] of [
  ['5.19', undefined],
  ['5.20', 'frames'],
]) {
  const middle = (number) => frame(continuation, `fragment${number}`, { fin: false });
  add(
    id,
    'text in five fragments, with two pings and a pause',
    [
      first,
      middle(2),
      frame(pingFrame, 'one'),
      100,
      middle(3),
      middle(4),
      frame(pingFrame, 'two'),
      frame(continuation, 'fragment5'),
    ],
    { chop, gets: [pong('one'), pong('two'), text('fragment1fragment2fragment3fragment4fragment5')] },
  );
}

// 6: UTF-8.
const invalid = { fails: [1007] };
add('6.1.1', 'empty text', [frame(textFrame)], { gets: [text('')] });
const empty = (opcode, fin) => frame(opcode, '', { fin });
add(
  '6.1.2',
  'empty text in three fragments',
  [empty(textFrame, false), empty(continuation, false), empty(continuation, true)],
  { gets: [text('')] },
);
add(
  '6.1.3',
  'text in three fragments, the first and the last empty',
  [empty(textFrame, false), frame(continuation, 'middle', { fin: false }), empty(continuation, true)],
  { gets: [text('middle')] },
);
const german = 'Hello-µ@ßöäüàá-UTF-8!!';
add('6.2.1', 'UTF-8', [frame(textFrame, german)], { gets: [text(german)] });
add(
  '6.2.2',
  'UTF-8 in two fragments, between characters',
  [frame(textFrame, 'Hello-µ@ßöä', { fin: false }), frame(continuation, 'üàá-UTF-8!!')],
  { gets: [text(german)] },
);
add('6.2.3', 'UTF-8 in fragments of one byte', fragments(textFrame, german, 1), { gets: [text(german)] });
const greek = Buffer.from('κόσμε');
add('6.2.4', 'UTF-8 in fragments of one byte', fragments(textFrame, greek, 1), { gets: [text(greek)] });
const surrogate = Buffer.concat([greek, Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('edited')]);
add('6.3.1', 'half of a surrogate pair', [frame(textFrame, surrogate)], invalid);
add('6.3.2', 'half of a surrogate pair, in fragments of one byte', fragments(textFrame, surrogate, 1), invalid);
const tooLarge = Buffer.from([0xf4, 0x90, 0x80, 0x80]);
const edited = Buffer.from('edited');
const whole = Buffer.concat([greek, tooLarge, edited]);
const wholeFrame = frame(textFrame, whole);
const inFrame = (...ends) => ends.map((end, i) => wholeFrame.subarray(i === 0 ? 0 : ends[i - 1] + 6, end + 6));
const failsEarly = { ...invalid, chop: 'frames', withoutLast: true };
const beyond = 'a character beyond U+10FFFF fails before the end,';
add(
  '6.4.1',
  `${beyond} in three fragments`,
  [frame(textFrame, greek, { fin: false }), 50, frame(continuation, tooLarge, { fin: false })],
  failsEarly,
);
add(
  '6.4.2',
  `${beyond} whose second byte is invalid`,
  [
    frame(textFrame, whole.subarray(0, greek.length + 1), { fin: false }),
    50,
    frame(continuation, whole.subarray(greek.length + 1, greek.length + 2), { fin: false }),
  ],
  failsEarly,
);
add(
  '6.4.3',
  `${beyond} in three parts of a frame`,
  [...inFrame(greek.length, greek.length + 4).flatMap((part) => [part, 50])],
  failsEarly,
);
add(
  '6.4.4',
  `${beyond} in three parts, the second of which is invalid`,
  [...inFrame(greek.length + 1, greek.length + 2).flatMap((part) => [part, 50])],
  failsEarly,
);

/** The bytes of each sequence, in hexadecimal: those that are UTF-8, and those that are not. */
const isValid = true;
const range = (from, to) => [...Array(to - from).keys()].map((i) => (from + i).toString(16));
const nonCharacters = ['efbfbe', 'efbfbf'];
for (const plane of ['f0', 'f1', 'f2', 'f3', 'f4']) {
  for (const row of ['8f', '9f', 'af', 'bf']) {
    const isOutside = (plane === 'f0' && row === '8f') || (plane === 'f4' && row !== '8f');
    if (!isOutside) nonCharacters.push(`${plane}${row}bfbe`, `${plane}${row}bfbf`);
  }
}
const prefixes = [...greek.keys()].map((i) => {
  const part = greek.subarray(0, i + 1);
  return [Buffer.from(part.toString('utf8')).equals(part), part.toString('hex')];
});
const incomplete = ['c0', 'e080', 'f08080', 'f8808080', 'fc80808080', 'df', 'efbf', 'f7bfbf', 'fbbfbfbf', 'fdbfbfbfbf'];
const allOf = (valid, list) => list.map((bytes) => [valid, bytes]);
const sequences = [
  [
    'characters of one to four bytes',
    allOf(isValid, [
      '68656c6c6f24776f726c64',
      '68656c6c6fc2a2776f726c64',
      '68656c6c6fe282ac776f726c64',
      '68656c6c6ff0a4ada2776f726c64',
      greek.toString('hex'),
    ]),
  ],
  ['prefixes of a text', prefixes],
  ['the first character of each length', allOf(isValid, ['00', 'c280', 'e0a080', 'f0908080'])],
  ['the first sequence of five and six bytes', allOf(!isValid, ['f888808080', 'fc8480808080'])],
  ['the last character of each length', allOf(isValid, ['7f', 'dfbf', 'efbfbf', 'f48fbfbf'])],
  ['the last sequence of four to six bytes', allOf(!isValid, ['f7bfbfbf', 'fbbfbfbfbf', 'fdbfbfbfbfbf'])],
  [
    'characters at other limits',
    [...allOf(isValid, ['ed9fbf', 'ee8080', 'efbfbd', 'f48fbfbf']), [!isValid, 'f4908080']],
  ],
  [
    'bytes that continue nothing',
    allOf(!isValid, [
      '80',
      'bf',
      '80bf',
      '80bf80',
      '80bf80bf',
      '80bf80bf80',
      '80bf80bf80bf',
      range(0x80, 0xbf).join(''),
    ]),
  ],
  [
    'first bytes before a space',
    [
      [0xc0, 0xdf],
      [0xe0, 0xef],
      [0xf0, 0xf7],
      [0xf8, 0xfb],
      [0xfc, 0xfd],
    ].map(([from, to]) => [
      !isValid,
      range(from, to)
        .map((byte) => `${byte}20`)
        .join(''),
    ]),
  ],
  ['sequences without their last byte', allOf(!isValid, incomplete)],
  ['several of these', [[!isValid, incomplete.join('')]]],
  ['bytes that UTF-8 does not have', allOf(!isValid, ['fe', 'ff', 'fefeffff'])],
  ['a slash in too many bytes', allOf(!isValid, ['c0af', 'e080af', 'f08080af', 'f8808080af', 'fc80808080af'])],
  [
    'the largest sequences in too many bytes',
    allOf(!isValid, ['c1bf', 'e09fbf', 'f08fbfbf', 'f887bfbfbf', 'fc83bfbfbfbf']),
  ],
  [
    'the zero character in too many bytes',
    allOf(!isValid, ['c080', 'e08080', 'f0808080', 'f880808080', 'fc8080808080']),
  ],
  [
    'halves of surrogate pairs',
    allOf(!isValid, ['eda080', 'edadbf', 'edae80', 'edafbf', 'edb080', 'edbe80', 'edbfbf']),
  ],
  [
    'surrogate pairs',
    allOf(!isValid, [
      'eda080edb080',
      'eda080edbfbf',
      'edadbfedb080',
      'edadbfedbfbf',
      'edae80edb080',
      'edae80edbfbf',
      'edafbfedb080',
      'edafbfedbfbf',
    ]),
  ],
  ['code points that are no characters', allOf(isValid, nonCharacters)],
  ['special characters', allOf(isValid, ['efbfb9', 'efbfba', 'efbfbb', 'efbfbc', 'efbfbd', 'efbfbe', 'efbfbf'])],
];
sequences.forEach(([what, list], i) =>
  list.forEach(([valid, bytes], j) => {
    const data = Buffer.from(bytes, 'hex');
    add(`6.${5 + i}.${1 + j}`, what, [frame(textFrame, data)], valid ? { gets: [text(data)] } : invalid);
  }),
);

// 7: closing.
const normal = { closes: [1000] };
add('7.1.1', 'text, then a close', [frame(textFrame, hello), close(1000)], {
  gets: [text(hello)],
  mayLack: true,
  ...normal,
});
add('7.1.2', 'two closes', [close(1000), frame(closeFrame)], normal);
add('7.1.3', 'ping after a close', [close(1000), frame(pingFrame)], normal);
add('7.1.4', 'text after a close', [close(1000), frame(textFrame, hello)], normal);
add('7.1.5', 'close between fragments', [first, close(1000), last], normal);
const large = Buffer.alloc(256 * 1024, 'BAsd7&jh23');
add(
  '7.1.6',
  'text of 256 KB, text, close, ping',
  [frame(textFrame, large), frame(textFrame, hello), close(1000), frame(pingFrame)],
  { gets: [text(large), text(hello)], mayLack: true, ...normal },
);
add('7.3.1', 'close without a code', [frame(closeFrame)], { closes: [1000, 1005] });
add('7.3.2', 'close with a payload of one byte', [frame(closeFrame, 'a')], { closes: [1002] });
add('7.3.3', 'close with a code', [close(1000)], normal);
add('7.3.4', 'close with a reason', [close(1000, hello)], normal);
add('7.3.5', 'close with a reason of 123 bytes', [close(1000, '*'.repeat(123))], normal);
add('7.3.6', 'close with a reason of 124 bytes', [close(1000, '*'.repeat(124))], { closes: [1002] });
add('7.5.1', 'close with a reason that is no UTF-8', [close(1000, surrogate)], { closes: [1002, 1007] });
[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].forEach((code, i) =>
  add(`7.7.${i + 1}`, `close with the code ${code}`, [close(code)], { closes: [1000, code] }),
);
[0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].forEach((code, i) =>
  add(`7.9.${i + 1}`, `close with the invalid code ${code}`, [close(code)], { closes: [1002] }),
);
[5000, 65535].forEach((code, i) =>
  // What follows is not defined.
  add(`7.13.${i + 1}`, `close with the code ${code}`, [close(code)], { closes: [1000, 1002, code] }),
);

// 9: large messages, in one piece, in fragments, in small writes; many messages.
const megabyte = 1024 * 1024;
for (const [part, opcode, of, filling] of [
  [1, textFrame, text, 'BAsd7&jh23'],
  [2, binaryFrame, binary, Buffer.from([0, 0xfe, 0x23, 0xfa, 0xf0])],
]) {
  const name = part === 1 ? 'text' : 'binary';
  const data = (size) => Buffer.alloc(size, filling);
  [64 * 1024, 256 * 1024, megabyte, 4 * megabyte, 8 * megabyte, 16 * megabyte].forEach((size, i) =>
    add(`9.${part}.${i + 1}`, `${name} of ${size / 1024} KB`, () => [frame(opcode, data(size))], {
      gets: () => [of(data(size))],
    }),
  );
  [64, 256, 1024, 4096, 16384, 65536, 262144, megabyte, 4 * megabyte].forEach((size, i) =>
    add(
      `9.${part + 2}.${i + 1}`,
      `${name} of 4 MB in fragments of ${size} bytes`,
      () => [Buffer.concat(fragments(opcode, data(4 * megabyte), size))],
      { gets: () => [of(data(4 * megabyte))] },
    ),
  );
  [64, 128, 256, 512, 1024, 2048].forEach((chop, i) =>
    add(`9.${part + 4}.${i + 1}`, `${name} of 1 MB in writes of ${chop} bytes`, () => [frame(opcode, data(megabyte))], {
      chop,
      gets: () => [of(data(megabyte))],
    }),
  );
  [0, 16, 64, 256, 1024, 4096].forEach((size, i) =>
    add(
      `9.${part + 6}.${i + 1}`,
      `1000 messages of ${size} bytes (${name})`,
      () => [...Array(1000).keys()].map(() => frame(opcode, data(size))),
      { gets: () => [...Array(1000).keys()].map(() => of(data(size))) },
    ),
  );
}

// 10: fragments of a fixed size.
add('10.1.1', 'text of 64 KB in fragments of 1300 bytes', fragments(textFrame, Buffer.alloc(65536, '*'), 1300), {
  gets: [text(Buffer.alloc(65536, '*'))],
});

// 12 and 13: compressed messages, of several kinds of data and with several offers.
const messageSizes = [
  ...[16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072].map((size) => [size, 0]),
  ...[8192, 16384, 32768, 65536, 131072].map((size) => [size, 256]),
  [131072, 1024],
  [131072, 4096],
  [131072, 32768],
];
export const contents = {
  JSON: () => JSON.stringify([...Array(2500).keys()].map((id) => ({ id, name: `order ${id}`, open: id % 3 === 0 }))),
  picture: () => Buffer.from([...Array(150_000).keys()].map((i) => (i * i + (i >> 7)) & 0xff)),
  prose: () => 'It was late, and nobody in the house had slept. '.repeat(3000),
  HTML: () => [...Array(3000).keys()].map((i) => `<li class="row"><a href="/items/${i}">${i}</a></li>\n`).join(''),
  noise: () => {
    const bytes = Buffer.alloc(150_000);
    let state = 1;
    for (let i = 0; i < bytes.length; i++) bytes[i] = (state = (state * 48271) % 2147483647) & 0xff;
    return bytes;
  },
};
/** Cases of compression: `offer` is what the client offers, in the options of `ws`. */
export const compressionCases = [];
Object.keys(contents).forEach((content, i) =>
  messageSizes.forEach(([size, fragment], j) =>
    compressionCases.push({ id: `12.${i + 1}.${j + 1}`, content, size, fragment, offer: {} }),
  ),
);
const offers = [
  {},
  { serverNoContextTakeover: true },
  { serverMaxWindowBits: 9 },
  { serverMaxWindowBits: 15 },
  { serverNoContextTakeover: true, serverMaxWindowBits: 9 },
  { serverNoContextTakeover: true, serverMaxWindowBits: 15 },
  { serverNoContextTakeover: true, serverMaxWindowBits: 9, clientMaxWindowBits: true },
];
offers.forEach((offer, i) =>
  messageSizes.forEach(([size, fragment], j) =>
    compressionCases.push({ id: `13.${i + 1}.${j + 1}`, content: 'JSON', size, fragment, offer }),
  ),
);

export default cases;

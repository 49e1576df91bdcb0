// Tests of parsing raw messages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  countReceived,
  fieldsNamed,
  findBareNewline,
  isRawMessage,
  parseRawMessage,
  type RawMessage,
  type RawMessageLimits,
} from './raw-message.ts'

function parsed(text: string): RawMessage {
  const result = parseRawMessage(Buffer.from(text))
  assert.ok(isRawMessage(result), JSON.stringify(result))
  return result
}

function refusal(bytes: string | Buffer, limits?: RawMessageLimits): string | undefined {
  const result = parseRawMessage(Buffer.from(bytes as string), limits)
  return isRawMessage(result) ? undefined : result.code
}

test('splits fields and body, and keeps their bytes', () => {
  const message = parsed('From: a@example.com\r\nSubject: a\r\n\tb  c \r\nX-Empty:\r\nX-E: \r\n\r\nbody\r\n')
  assert.deepEqual(message.fields, [
    { name: 'From', value: 'a@example.com', raw: 'From: a@example.com\r\n' },
    { name: 'Subject', value: 'a\tb  c', raw: 'Subject: a\r\n\tb  c \r\n' },
    { name: 'X-Empty', value: '', raw: 'X-Empty:\r\n' },
    { name: 'X-E', value: '', raw: 'X-E: \r\n' },
  ])
  assert.equal(message.body.toString(), 'body\r\n')
  assert.deepEqual([message.has8Bit, message.hasLongLines], [false, false])
})

test('a message may lack a header, a body, or the empty line', () => {
  const table: [text: string, names: string[], body: string][] = [
    ['', [], ''],
    ['\r\n', [], ''],
    ['\r\nbody', [], 'body'],
    ['A: b', ['A'], ''],
    ['A: b\r\n', ['A'], ''],
    ['A: b\r\n\r\n', ['A'], ''],
    ['A: b\r\n\r\n\r\n', ['A'], '\r\n'],
    ['A: b\r\n \r\n c\r\n\r\nx', ['A'], 'x'],
  ]
  for (const [text, names, body] of table) {
    const message = parsed(text)
    assert.deepEqual(
      message.fields.map((field) => field.name),
      names,
    )
    assert.equal(message.body.toString(), body)
    assert.ok(message.fields.every((field) => field.raw.endsWith('\r\n')))
  }
})

test('refuses what readers disagree on', () => {
  const ok = 'From: a@example.com\r\n'
  const table: [text: string | Buffer, code: string][] = [
    [`${ok}\r\na\nb\r\n`, 'bare_newline'],
    [`${ok}\r\na\rb\r\n`, 'bare_newline'],
    [`${ok}\r\n\n.\r\n`, 'bare_newline'],
    [`${ok}\r\n\r\n.\r`, 'bare_newline'],
    [`${ok}\r\n\r\r\n`, 'bare_newline'],
    [`${ok}Subject: a\nBcc: b\r\n\r\n`, 'bare_newline'],
    ['A: b\n\nbody\n', 'bare_newline'],
    [`${ok}\r\na\0\r\n`, 'nul'],
    [`${ok}X: \0\r\n\r\n`, 'nul'],
    [` ${ok}\r\n`, 'malformed_header'],
    [`From a@example.com\r\n${ok}\r\n`, 'malformed_header'],
    [`${ok}no colon\r\n\r\n`, 'malformed_header'],
    [`${ok}Subject : a\r\n\r\n`, 'malformed_header'],
    [`${ok}: a\r\n\r\n`, 'malformed_header'],
    [`${ok}Sübject: a\r\n\r\n`, 'malformed_header'],
    [Buffer.from(`${ok}Subject: \xfc\r\n\r\n`, 'latin1'), 'malformed_header'],
    [`X: ${'a'.repeat(996)}\r\n\r\n`, 'line_too_long'],
    [`X: ${`${'a'.repeat(900)}\r\n `.repeat(120)}b\r\n\r\n`, 'header_too_large'],
    ['X: a\r\n'.repeat(1001), 'too_many_headers'],
  ]
  for (const [text, code] of table)
    assert.equal(refusal(text), code, JSON.stringify(text.toString().slice(0, 60)))
  assert.equal(refusal(`X: ${'a'.repeat(995)}\r\n${'X: a\r\n'.repeat(999)}\r\n`), undefined)
  assert.equal(refusal('X: a\r\nX: a\r\n\r\n', { fields: 1 }), 'too_many_headers')
  assert.equal(refusal('X: a\r\n\r\n', { headerBytes: 5 }), 'header_too_large')
})

test('tells of 8-bit bytes and long lines in the body', () => {
  const flags = (body: string | Buffer) => {
    const message = parseRawMessage(Buffer.concat([Buffer.from('A: b\r\n\r\n'), Buffer.from(body as string)]))
    assert.ok(isRawMessage(message))
    return [message.has8Bit, message.hasLongLines]
  }
  assert.deepEqual(flags('é'), [true, false])
  assert.deepEqual(flags(Buffer.from([0xff])), [true, false])
  assert.deepEqual(flags(`${'x'.repeat(998)}\r\n`), [false, false])
  assert.deepEqual(flags(`${'x'.repeat(999)}\r\n`), [false, true])
  assert.deepEqual(flags('x'.repeat(999)), [false, true])
})

test('finds fields by name and counts hosts', () => {
  const message = parsed('Received: a\r\nrEceived: b\r\nX-Received: c\r\nTo: jøe@example.com\r\n\r\n')
  assert.equal(countReceived(message), 2)
  assert.deepEqual(
    fieldsNamed(message, 'TO').map((field) => field.value),
    ['jøe@example.com'],
  )
  assert.equal(message.fields[3]!.raw, 'To: j\xc3\xb8e@example.com\r\n')
})

test('never throws, and what it takes is what it got', () => {
  const piece = fc.oneof(
    fc.constantFrom('\r\n', '\r\n\r\n', '\r\n ', '\n', '\r', '\0', ':', 'A: b\r\n', 'é', ' '),
    fc.string({ maxLength: 10 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''))
      const result = parseRawMessage(bytes)
      if (!isRawMessage(result)) return
      const head = result.fields.map((field) => field.raw).join('')
      const whole = Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), result.body])
      assert.deepEqual(whole.subarray(0, bytes.length), bytes)
    }),
    { numRuns: 3000 },
  )
})

test('a bare newline or NUL is found at each place of a large message, and a CRLF that two pieces share is none', async () => {
  const found = async (bytes: Buffer): Promise<string | undefined> => {
    let turns = 0
    const problem = await findBareNewline(bytes, async () => void turns++)
    assert.ok(problem !== undefined || turns === 5, `${turns} pieces`)
    return problem
  }
  const piece = 256 * 1024
  for (const at of [0, piece - 2, piece - 1, piece, 2 * piece - 1, 4 * piece - 1, 4 * piece, 5 * piece - 9]) {
    const bytes = Buffer.alloc(5 * piece - 7, 'x')
    bytes.write('\r\n', at, 'latin1')
    assert.equal(await found(bytes), undefined, `CRLF at ${at}`)
    for (const byte of ['\r', '\n', '\0']) {
      bytes.write(`${byte}x`, at, 'latin1')
      assert.match(
        (await found(bytes)) ?? '',
        byte === '\0' ? /NUL/ : /CR or LF/,
        `${JSON.stringify(byte)} at ${at}`,
      )
    }
  }
  assert.equal(await findBareNewline(Buffer.alloc(0), async () => {}), undefined)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { type ParsedReply, ReplyParser } from './reply-parser.ts'

function parse(bytes: string | Buffer): ParsedReply | undefined {
  const parser = new ReplyParser()
  parser.push(Buffer.from(bytes as string))
  return parser.take()
}

function problemOf(bytes: string | Buffer): string | undefined {
  const parser = new ReplyParser()
  parser.push(Buffer.from(bytes as string))
  assert.equal(parser.take(), undefined)
  return parser.problem
}

describe('a reply', () => {
  const cases: [string, string, object][] = [
    ['one line', '250 Ok\r\n', { code: 250, text: 'Ok' }],
    ['an enhanced code', '250 2.1.5 Fine\r\n', { code: 250, enhanced: '2.1.5', text: 'Fine' }],
    ['no text', '250\r\n', { code: 250, text: '' }],
    ['no text but a space', '250 \r\n', { code: 250, text: '' }],
    ['an enhanced code alone', '550 5.1.1\r\n', { code: 550, enhanced: '5.1.1', text: '' }],
    ['an enhanced code and a space', '550 5.1.1 \r\n', { code: 550, enhanced: '5.1.1', text: '' }],
    ['an enhanced code of another class', '550 2.1.1 No\r\n', { code: 550, text: '2.1.1 No' }],
    ['an enhanced code on a 3xx', '354 3.0.0 Go\r\n', { code: 354, text: '3.0.0 Go' }],
    ['what only looks like one', '550 5.1.1x No\r\n', { code: 550, text: '5.1.1x No' }],
    [
      'an enhanced code of long numbers',
      '450 4.123.999 x\r\n',
      { code: 450, enhanced: '4.123.999', text: 'x' },
    ],
    ['numbers that are too long', '450 4.1234.9 x\r\n', { code: 450, text: '4.1234.9 x' }],
    [
      'several lines',
      '550-5.7.1 One\r\n550-5.7.1 two\r\n550 5.7.1 three\r\n',
      { code: 550, enhanced: '5.7.1', text: 'One two three' },
    ],
    ['lines of which one is bare', '550-One\r\n550\r\n', { code: 550, text: 'One' }],
    [
      'an enhanced code on the last line',
      '550-One\r\n550 5.7.1 two\r\n',
      { code: 550, enhanced: '5.7.1', text: 'One two' },
    ],
    ['a bare LF', '250-One\n250 two\n', { code: 250, text: 'One two' }],
    ['NUL and controls', '250 a\0b\x1b[31mc\td\r\n', { code: 250, text: 'a\ufffdb\ufffd[31mc d' }],
    ['a bare CR inside', '250 a\rb\r\n', { code: 250, text: 'a\ufffdb' }],
    ['UTF-8', '250 Grüße\r\n', { code: 250, text: 'Grüße' }],
    ['a change of writing direction', '250 a\u202eb\r\n', { code: 250, text: 'a\ufffdb' }],
  ]
  for (const [name, bytes, reply] of cases) {
    test(`with ${name}`, () => assert.deepEqual(parse(bytes)?.reply, reply))
  }

  test('with bytes that are no UTF-8', () => {
    const bytes = Buffer.from([...Buffer.from('250 '), 0xff, 0xfe, 0xe4, 13, 10])
    assert.equal(parse(bytes)?.reply.text, '\ufffd\ufffd\ufffd')
  })

  test('keeps its lines apart', () => {
    assert.deepEqual(parse('250-mx\r\n250-SIZE 5\r\n250 HELP\r\n')?.lines, ['mx', 'SIZE 5', 'HELP'])
  })

  test('has at most 2,000 characters of text, whole ones', () => {
    const lines = Array.from({ length: 10 }, () => `550-${'x'.repeat(499)}`).join('\r\n')
    assert.equal(parse(`${lines}\r\n550 y\r\n`)?.reply.text.length, 2000)
    const half = parse(`250-${'x'.repeat(1999)}\r\n250 😀\r\n`)!.reply.text
    assert.equal(half.length, 2000)
    assert.ok(half.isWellFormed())
  })
})

describe('what is no reply', () => {
  const cases: [string, string][] = [
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n'],
    ['an empty line', '\r\n'],
    ['two digits', '25 Ok\r\n'],
    ['a 1xx code', '150 Wait\r\n'],
    ['a 6xx code', '650 What\r\n'],
    ['a letter in the code', '2a0 Ok\r\n'],
    ['no separator', '250Ok\r\n'],
    ['another separator', '250\tOk\r\n'],
    ['lines that disagree', '250-One\r\n550 Two\r\n'],
    ['a TLS record', '\x16\x03\x01\x02\x00\x01\n'],
  ]
  for (const [name, bytes] of cases) {
    test(name, () => assert.equal(typeof problemOf(bytes), 'string'))
  }

  test('a line without end', () => {
    assert.match(problemOf(`250 ${'x'.repeat(3000)}`)!, /2048/)
  })

  test('a line of more than 2,048 bytes', () => {
    assert.equal(parse(`250 ${'x'.repeat(2044)}\r\n`)?.reply.code, 250)
    assert.match(problemOf(`250 ${'x'.repeat(2050)}\r\n`)!, /2048/)
  })

  test('a million continuation lines, refused after 64 KiB in linear time', () => {
    const parser = new ReplyParser()
    const chunk = Buffer.from('250-AUTH PLAIN LOGIN and so on and so forth\r\n'.repeat(1000))
    const spent = cpuWatch()
    for (let i = 0; i < 1000 && parser.problem === undefined; i++) {
      parser.push(chunk)
      assert.equal(parser.take(), undefined)
    }
    assert.match(parser.problem!, /65536/)
    assert.ok(spent() < 2_000)
  })

  test('64 KiB of it, byte by byte, still in a moment', () => {
    const parser = new ReplyParser()
    const bytes = Buffer.from(`250-${'x'.repeat(2000)}\r\n`.repeat(40))
    const spent = cpuWatch()
    for (let i = 0; i < bytes.length && parser.problem === undefined; i++) {
      parser.push(bytes.subarray(i, i + 1))
      parser.take()
    }
    assert.match(parser.problem!, /65536/)
    assert.ok(spent() < 2000)
  })
})

test('replies that arrive together are given one by one', () => {
  const parser = new ReplyParser()
  parser.push(Buffer.from('250 a\r\n250-b\r\n250 c\r\n354'))
  assert.equal(parser.take()?.reply.text, 'a')
  assert.equal(parser.take()?.reply.text, 'b c')
  assert.equal(parser.take(), undefined)
  assert.equal(parser.isEmpty, false)
  parser.push(Buffer.from(' go\r\n'))
  assert.equal(parser.take()?.reply.code, 354)
  assert.equal(parser.isEmpty, true)
})

test('how the bytes are cut into chunks makes no difference', () => {
  const bytes = Buffer.from('220 mx\r\n250-2.1.0 Grüße\r\n250 2.1.0 zwei\n550 5.1.1 no\r\n354\r\n')
  const whole = new ReplyParser()
  whole.push(bytes)
  const expected = takeAll(whole)
  assert.equal(expected.length, 4)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const parser = new ReplyParser()
      const found: ParsedReply[] = []
      const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      for (let i = 1; i < edges.length; i++) {
        parser.push(bytes.subarray(edges[i - 1], edges[i]))
        found.push(...takeAll(parser))
      }
      assert.deepEqual(found, expected)
    }),
  )
})

test('any bytes end in replies within bounds or in a problem', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const parser = new ReplyParser()
      parser.push(Buffer.from(bytes))
      for (const { reply } of takeAll(parser)) assert.ok(reply.code >= 200 && reply.code <= 599)
    }),
  )
})

function takeAll(parser: ReplyParser): ParsedReply[] {
  const found: ParsedReply[] = []
  for (let parsed = parser.take(); parsed !== undefined; parsed = parser.take()) found.push(parsed)
  return found
}

// Tests of forms: fields, files, repeated names, compression, charsets, limits, and broken bodies.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { FormFields, MAX_FORM_FIELDS, readForm, unpackForm } from './form-fields.ts'

const URL_ENCODED = { contentType: 'application/x-www-form-urlencoded' }

/** Returns a form as browsers and clients encode it. */
async function multipart(form: FormData): Promise<{ body: Buffer; contentType: string }> {
  const response = new Response(form)
  const contentType = response.headers.get('content-type') as string
  return { body: Buffer.from(await response.arrayBuffer()), contentType }
}

const BOUNDARY = { contentType: 'multipart/form-data; boundary=X' }
const written = (...parts: readonly string[]): Buffer =>
  Buffer.from([...parts.map((part) => `--X\r\n${part}\r\n`), '--X--\r\n'].join(''))

const part = (name: string, value: string, more = ''): string =>
  `Content-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`

describe('multipart/form-data', () => {
  test('fields keep their order, repeated fields all their values', async () => {
    const form = new FormData()
    form.append('to', 'ann@example.com')
    form.append('o:tag', 'ä')
    form.append('to', 'bob@example.com')
    form.append('empty', '')
    const { body, contentType } = await multipart(form)
    const read = await readForm(body, { contentType })
    assert.deepEqual(read.names, ['to', 'o:tag', 'empty'])
    assert.deepEqual(read.texts('to'), ['ann@example.com', 'bob@example.com'])
    assert.deepEqual([read.text('to'), read.text('o:tag'), read.text('empty')], ['bob@example.com', 'ä', ''])
    assert.deepEqual([read.text('absent'), read.texts('absent'), read.files('absent')], [undefined, [], []])
  })

  test('files keep their names, types and bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
    const form = new FormData()
    form.append('attachment', new File([bytes], 'größe.bin', { type: 'application/pdf' }))
    form.append('attachment', new File(['x'], 'b.txt', { type: 'text/plain' }))
    form.append('inline', new File([''], 'empty.png'))
    const { body, contentType } = await multipart(form)
    const read = await readForm(body, { contentType })
    const [first, second] = read.files('attachment')
    assert.deepEqual(
      [first?.filename, first?.contentType, first?.bytes.equals(bytes)],
      [...['größe.bin', 'application/pdf', true]],
    )
    assert.deepEqual(
      [second?.filename, second?.contentType, second?.bytes.toString()],
      ['b.txt', 'text/plain', 'x'],
    )
    assert.equal(read.files('inline')[0]?.bytes.length, 0)
    assert.deepEqual(read.fileNames, ['attachment', 'inline'])
  })

  test('a file without a name, and a name in RFC 5987 encoding', async () => {
    const body = written(
      part('attachment', 'bytes', '\r\nContent-Type: application/octet-stream'),
      part('attachment', 'x', "; filename*=utf-8''%C3%A4.txt\r\nContent-Type: text/plain"),
    )
    const read = await readForm(body, BOUNDARY)
    assert.deepEqual(
      read.files('attachment').map(({ filename }) => filename),
      ['', 'ä.txt'],
    )
  })

  test('bodies that are no form are refused', async () => {
    const whole = written(part('a', 'b'))
    const wrong: [Buffer, string][] = [
      [whole, 'multipart/form-data'],
      [whole.subarray(0, -6), BOUNDARY.contentType],
      [whole.subarray(0, 20), BOUNDARY.contentType],
      [Buffer.from('no form'), BOUNDARY.contentType],
      [written(part('n'.repeat(301), 'b')), BOUNDARY.contentType],
    ]
    for (const [body, contentType] of wrong) {
      await assert.rejects(readForm(body, { contentType }), { code: 'malformed_request' }, contentType)
    }
  })

  test('a form cut at any place is refused, or has the fields before the cut', async () => {
    const whole = written(part('a', '1'), part('file', 'x', '; filename="f"'), part('b', '2'))
    for (let end = 0; end < whole.length - 4; end++) {
      await assert.rejects(
        readForm(whole.subarray(0, end), BOUNDARY),
        { code: 'malformed_request' },
        `${end}`,
      )
    }
  })

  test('too many fields are refused in little time', async () => {
    const small = part('a', '')
    const most = await readForm(written(...Array(MAX_FORM_FIELDS).fill(small)), BOUNDARY)
    assert.equal(most.texts('a').length, MAX_FORM_FIELDS)
    const used = cpuWatch()
    for (const one of [small, part('f', '', '; filename="x"')]) {
      const body = Buffer.from(`${`--X\r\n${one}\r\n`.repeat(200_000)}--X--\r\n`)
      await assert.rejects(readForm(body, BOUNDARY), { code: 'validation_failed' })
    }
    assert.ok(used() < 3_000, `${used()} ms`)
  })
})

describe('application/x-www-form-urlencoded', () => {
  test('fields are decoded, and may be repeated', async () => {
    const read = await readForm(Buffer.from('to=a%2Bb%40c.example&to=d+e&v%3Ax=%C3%A4&&empty='), URL_ENCODED)
    assert.deepEqual(read.texts('to'), ['a+b@c.example', 'd e'])
    assert.deepEqual([read.text('v:x'), read.text('empty')], ['ä', ''])
  })

  test('ten thousand fields are refused', async () => {
    const body = Buffer.from(Array(10_000).fill('a=1').join('&'))
    await assert.rejects(readForm(body, URL_ENCODED), { code: 'validation_failed' })
  })
})

describe('gzip', () => {
  const body = Buffer.from('a=1')
  const gzip = { ...URL_ENCODED, contentEncoding: 'gzip' }

  test('a compressed form is unpacked', async () => {
    assert.deepEqual(await unpackForm(gzipSync(body), gzip, 100), body)
    assert.equal(await unpackForm(body, URL_ENCODED, 1), body)
  })

  test('a body that becomes too large, or is no gzip, is refused', async () => {
    await assert.rejects(unpackForm(gzipSync(Buffer.alloc(10_000_000)), gzip, 100_000), {
      code: 'body_too_large',
    })
    await assert.rejects(unpackForm(body, gzip, 100), { code: 'malformed_request' })
    await assert.rejects(unpackForm(gzipSync(body).subarray(0, -4), gzip, 100), { code: 'malformed_request' })
  })
})

test('equal forms have equal JSON', async () => {
  const formOf = (value: string): FormFields => {
    const form = new FormFields()
    form.addText('a', 'b')
    form.addFile('f', { filename: 'x', contentType: 'text/plain', bytes: Buffer.from(value) })
    return form
  }
  assert.equal(JSON.stringify(formOf('1')), JSON.stringify(formOf('1')))
  assert.notEqual(JSON.stringify(formOf('1')), JSON.stringify(formOf('2')))
})

test('any fields are read as they were written', async () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !/["\r\n\\%]/.test(text))
  const value = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/\r\n|\r|\n/g, '\r\n'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 10 }), async (entries) => {
      const form = new FormData()
      for (const [key, one] of entries) form.append(key, one)
      const { body, contentType } = await multipart(form)
      const multi = await readForm(body, { contentType })
      const url = await readForm(Buffer.from(new URLSearchParams(entries).toString()), URL_ENCODED)
      for (const read of [multi, url]) {
        for (const [key] of entries) {
          assert.deepEqual(
            read.texts(key),
            entries.filter(([other]) => other === key).map(([, one]) => one),
          )
        }
      }
    }),
  )
})

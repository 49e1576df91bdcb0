// Reports of both schemas and of every form are read with the right totals, and hostile files are refused in bounded
// time.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { crc32, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { dmarcXml } from '../../test/support/dmarc-reports.ts'
import { thorough } from '../../test/support/thorough.ts'
import type { DmarcReport, ReadReport, Unreadable } from '../model/report.ts'
import { readReportFile } from './read-report.ts'

const NOW = Date.parse('2026-11-30T00:00:00Z')
const SAMPLES = new URL('./samples/', import.meta.url)

const read = (bytes: Buffer | string): Promise<ReadReport | Unreadable> =>
  readReportFile(Buffer.from(bytes as string), NOW)

/** Kind, schema or feedback type, messages, failed messages and rows of each sample. */
const TOTALS: Readonly<Record<string, string>> = {
  'dmarq-rfc7489-google.xml': 'dmarc rfc7489 2 0 1',
  'dmarq-rfc9990-multi-auth-overrides.xml': 'dmarc rfc9990 15 10 2',
  'dmarq-rfc9990-namespaced-legacy-fields.xml': 'dmarc rfc9990 3 0 1',
  'dmarq-rfc9990-treewalk-extension.xml': 'dmarc rfc9990 5 0 1',
  'kumomta-arf-1.eml': 'arf abuse 1 0',
  'kumomta-arf-2.eml': 'arf abuse 1 0',
  'kumomta-arf-3.eml': 'arf abuse 1 0',
  'kumomta-arf-4.eml': 'arf abuse 1 0',
  'mail-auth-1.xml': 'dmarc rfc9990 123 0 1',
  'mail-auth-2.xml': 'dmarc rfc7489 2 0 1',
  'mail-auth-3.xml': 'dmarc rfc7489 9 8 4',
  'mail-auth-4.xml': 'dmarc rfc9990 123 0 1',
  'mail-auth-5.xml': 'dmarc rfc7489 1 0 1',
  'mail-auth-arf-1.eml': 'arf abuse 1 0',
  'mail-auth-arf-2.eml': 'arf abuse 1 0',
  'mail-auth-arf-3.eml': 'arf auth-failure 1 0',
  'mail-auth-arf-4.eml': 'arf auth-failure 1 0',
  'mail-auth-arf-5.eml': 'arf auth-failure 1 0',
  'mail-auth-tls-1.eml': 'tls 5629 303',
  'mail-auth-tls-1.tlsrpt': 'tls 5629 303',
  'mail-auth-tls-2.eml': 'tls 24 1',
  'mail-auth-tls-2.tlsrpt': 'tls 24 1',
  'mail-auth-tls-3.tlsrpt': 'tls 2 0',
  'parsedmarc-01.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-02.xml.gz': 'dmarc rfc7489 2286 2286 2286',
  'parsedmarc-03.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-04.xml': 'dmarc rfc7489 2 0 1',
  'parsedmarc-05.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-06.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-07.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-08.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-09.xml': 'dmarc rfc7489 2 0 1',
  'parsedmarc-10.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-11.xml': 'dmarc rfc9990 7 2 2',
  'parsedmarc-12.xml': 'dmarc rfc9990 123 0 1',
  'parsedmarc-13.xml': 'dmarc rfc7489 2 2 2',
  'parsedmarc-14.xml': 'dmarc rfc7489 1 1 1',
  'parsedmarc-changed-input.xml': 'dmarc rfc9990 3047 0 20',
  'parsedmarc-nice-input.xml': 'dmarc rfc9990 3047 0 20',
  'parsedmarc-tls-mail.ru.tlsrpt': 'tls 1 1',
  'parsedmarc-tls-rfc8460.tlsrpt': 'tls 5629 303',
  'parsedmarc-tls-smtp_tls.tlsrpt': 'tls 3 3',
  'parsedmarc-upper-case.xml': 'dmarc rfc7489 1 0 1',
}

function totalsOf(report: ReadReport | Unreadable): string {
  if (report.kind === 'unreadable') return `unreadable: ${report.problem}`
  const { kind, messages, failed } = report
  if (kind === 'dmarc') return `${kind} ${report.schema} ${messages} ${failed} ${report.rows.length}`
  return kind === 'tls'
    ? `${kind} ${messages} ${failed}`
    : `${kind} ${report.feedbackType} ${messages} ${failed}`
}

const sampleNames = readdirSync(SAMPLES).filter((name) => !name.endsWith('.md'))

test('public samples have their totals', async () => {
  const found: Record<string, string> = {}
  for (const name of sampleNames) found[name] = totalsOf(await read(readFileSync(new URL(name, SAMPLES))))
  assert.deepEqual(found, TOTALS)
})

const XML = dmarcXml({
  domain: 'sender.test',
  rows: [{ address: '192.0.2.7', messages: 3, dkim: 'pass', spf: 'pass' }],
})

async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  return Buffer.concat(await Array.fromAsync(zip.outputStream as AsyncIterable<Buffer>))
}

const mailWith = (content: Buffer, type: string): string =>
  [
    'From: reports@receiver.test',
    'Subject: Report Domain: sender.test Submitter: receiver.test Report-ID: <1>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'This is a report.',
    '--b',
    `Content-Type: ${type}; name="r.xml.gz"`,
    'Content-Transfer-Encoding: base64',
    '',
    content.toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b--',
    '',
  ].join('\r\n')

/** A gzip file whose header has a file name without the bit that announces the name, as Mimecast wrote it. */
function unannouncedName(text: string): Buffer {
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(text), 0)
  return Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]),
    Buffer.from('report.xml\0'),
    deflateRawSync(text),
    end,
  ])
}

describe('a report is read in every form', () => {
  const forms: Readonly<Record<string, () => Buffer | string | Promise<Buffer>>> = {
    'plain XML after a BOM and white space': () => `\ufeff \n${XML}`,
    'UTF-16': () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(XML, 'utf16le')]),
    gzip: () => gzipSync(XML),
    'gzip with a line end after the member': () => Buffer.concat([gzipSync(XML), Buffer.from('\r\n')]),
    'gzip with an unannounced name': () => unannouncedName(XML),
    'gzip that lies about its size': () => {
      const bytes = gzipSync(XML)
      bytes.writeUInt32LE(5, bytes.length - 4)
      return bytes
    },
    'zip with other files and a path': () => zipOf({ 'a/readme.txt': 'no', 'a/b/r.xml': XML }),
    'a mail with gzip': () => mailWith(gzipSync(XML), 'application/octet-stream'),
    'a mail with XML in base64': () => mailWith(Buffer.from(XML), 'text/xml'),
    'a mail that is the report': () =>
      `From: a@receiver.test\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzipSync(XML).toString('base64')}\r\n`,
  }
  for (const [name, make] of Object.entries(forms)) {
    test(name, async () => {
      assert.equal(totalsOf(await read(await make())), 'dmarc rfc7489 3 0 1')
    })
  }
})

describe('a hostile file is refused with its fault', () => {
  const bomb = gzipSync(Buffer.alloc(66 * 1024 * 1024, 32), { level: 1 })
  const laughs = `<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><feedback>&b;</feedback>`
  const cases: Readonly<Record<string, readonly [() => Buffer | string | Promise<Buffer>, RegExp]>> = {
    nothing: [() => '', /empty/],
    'a picture': [() => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), /neither XML/],
    entities: [() => laughs, /document type/],
    'an external entity': [() => `<!DOCTYPE f SYSTEM "file:///etc/passwd">${XML}`, /document type/],
    'a bomb': [() => bomb, /64 MiB/],
    'a bomb in a mail': [() => mailWith(bomb, 'application/gzip'), /64 MiB/],
    'a damaged zip': [
      () => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)]),
      /zip file is damaged/,
    ],
    'deep nesting': [() => `<feedback>${'<a>'.repeat(100_000)}`, /nested too deeply/],
    'no domain': [() => XML.replace(/<domain>sender.test<\/domain><p>/, '<p>'), /names no domain/],
    'no period': [() => XML.replace(/<begin>\d+<\/begin>/, ''), /no period/],
    'the future': [() => XML.replace(/<begin>\d+<\/begin>/, '<begin>4102444800</begin>'), /future/],
    'no countable row': [() => XML.replace('<count>3</count>', '<count>many</count>'), /no record with/],
    'another XML': [() => '<html></html>', /no element feedback/],
    'another JSON': [() => '{"a":[1]}', /no policy/],
    'broken JSON': [() => '{"a":', /no valid JSON/],
    'a letter': [() => 'From: a@b.test\r\nSubject: hello\r\n\r\nHello.\r\n', /no DMARC report/],
  }
  for (const [name, [make, expected]] of Object.entries(cases)) {
    test(name, async () => {
      const report = await read(await make())
      assert.equal(report.kind, 'unreadable')
      assert.match((report as Unreadable).problem, expected)
      assert.notEqual((report as Unreadable).where, '')
    })
  }
})

test('very many records are refused', thorough('2 CPU s: reads 200,000 records'), async () => {
  const report = await read(`<feedback>${'<record/>'.repeat(1_000_000)}`)
  assert.match((report as Unreadable).problem, /more than 200000 records/)
})

test('oddities are warnings', async () => {
  const row = { address: '::ffff:192.0.2.7', messages: 1, dkim: 'PASS', spf: 'Fail', dkimResult: 'fail' }
  const report = (await read(
    dmarcXml({ domain: 'SENDER.test', rows: [row, { ...row, messages: 0 }], end: 0 }),
  )) as DmarcReport
  assert.deepEqual(report.domains, ['sender.test'])
  assert.equal(report.rows[0]?.address, '192.0.2.7')
  assert.deepEqual(report.warnings, [
    'A record contradicts itself: DKIM passes, but no signature does.',
    'A record has the count 0.',
    'The period has no end, or ends before it begins.',
  ])
})

test('a report of very many sources keeps its totals', async () => {
  const rows = Array.from({ length: 6_000 }, (_, at) => ({
    ...{ address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, messages: 2, dkim: 'fail', spf: 'fail' },
  }))
  const report = (await read(dmarcXml({ domain: 'sender.test', rows }))) as DmarcReport
  assert.equal(report.messages, 12_000)
  assert.equal(
    report.rows.reduce((sum, row) => sum + row.messages, 0),
    12_000,
  )
  assert.ok(report.rows.length <= 5_100)
})

/** A generator of numbers below `most`, the same at every run. */
function numbersFrom(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % most
  }
}

const PIECES = [
  '<',
  '>',
  '&',
  '<record>',
  '</row>',
  '<!DOCTYPE',
  '"',
  '{',
  '}',
  '[',
  '\0',
  '--b',
  '<count>',
  '9'.repeat(30),
]

function mutated(bytes: Buffer, number: (most: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  const at = number(Math.max(1, copy.length))
  switch (number(5)) {
    case 0:
      if (copy.length > 0) copy[at] = number(256)
      return copy
    case 1:
      return copy.subarray(0, at)
    case 2:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(number(Math.max(1, copy.length)))])
    case 3:
      return Buffer.concat([
        copy.subarray(0, at),
        Buffer.from(PIECES[number(PIECES.length)] as string),
        copy.subarray(at),
      ])
    default:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at, at + number(2_000)), copy.subarray(at)])
  }
}

/** Reads mutations of the samples; asserts that each one ends with a report or a reason within the time limit. */
async function readMutations(count: number, seed: number): Promise<void> {
  const samples = [
    ...sampleNames
      .map((name) => readFileSync(new URL(name, SAMPLES)))
      .filter(({ length }) => length < 20_000),
    gzipSync(XML),
    await zipOf({ 'r.xml': XML }),
    Buffer.from(mailWith(gzipSync(XML), 'application/gzip')),
  ]
  const number = numbersFrom(seed)
  for (let made = 0; made < count; made++) {
    let bytes = samples[number(samples.length)] as Buffer
    for (let step = number(4); step >= 0; step--) bytes = mutated(bytes, number)
    const begin = performance.now()
    const report = await read(bytes)
    assert.ok(performance.now() - begin < 20_000, `mutation ${made} of seed ${seed} takes long`)
    if (report.kind === 'unreadable') {
      assert.doesNotMatch(
        report.problem,
        /cannot be read/,
        `mutation ${made} of seed ${seed}: ${report.where}`,
      )
      continue
    }
    assert.ok(report.messages >= report.failed || report.kind === 'tls')
    assert.ok(JSON.stringify(report).isWellFormed() && !JSON.stringify(report).includes('\\u0000'))
  }
}

test('100 mutations are bounded', () => readMutations(100, 1))
test('10,000 mutations are bounded', thorough('20 CPU s: ten thousand files'), () => readMutations(10_000, 2))

test('the packed sample unpacks to the same report', async () => {
  const packed = readFileSync(new URL('parsedmarc-02.xml.gz', SAMPLES))
  assert.deepEqual(await read(gunzipSync(packed)), await read(packed))
})

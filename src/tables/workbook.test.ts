// Tests XLSX: the first sheet is read within limits and with the same result as by other programs, and written
// workbooks are read back unchanged.

import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { workbookOf, workbookWith } from '../../test/support/workbook.ts'
import { csvRows } from '../tables/csv.ts'
import { WorkbookError, workbookAsCsv } from '../tables/workbook-reader.ts'
import { writeWorkbook } from '../tables/workbook-writer.ts'

const MAX = 1_000_000

async function read(bytes: Buffer): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = []
  for await (const { cells } of csvRows(await workbookAsCsv(bytes, MAX), MAX)) rows.push(cells)
  return rows
}

const sheet = (cells: string): string =>
  `<x:worksheet xmlns:x="main"><x:sheetData>${cells}</x:sheetData></x:worksheet>`

describe('an XLSX workbook', () => {
  test('cells of every type, sparse rows, rich and phonetic texts', async () => {
    const bytes = await workbookOf({
      'xl/sharedStrings.xml':
        '<sst><si><t>email</t></si><si><r><t>Ann </t></r><r><t>&amp; Bob</t></r><rPh><t>an</t></rPh></si></sst>',
      'xl/worksheets/sheet1.xml': sheet(
        `<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="C1" t="s"><x:v>1</x:v></x:c></x:row>
         <x:row r="2"/><x:row r="3"><x:c r="A3"/></x:row>
         <x:row r="4"><x:c r="B4"><x:v>4.9123456789E+11</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c><x:c t="str"><x:f>A1&amp;"x"</x:f><x:v>a,"b"
c</x:v></x:c><x:c t="e"><x:v>#N/A</x:v></x:c><x:c t="inlineStr"><x:is><x:t> in </x:t></x:is></x:c></x:row>`,
      ),
    })
    assert.match(await workbookAsCsv(bytes, MAX), /^email,,Ann & Bob\n\n\n,491234567890/)
    assert.deepEqual(await read(bytes), [
      ['email', '', 'Ann & Bob'],
      ['', '491234567890', 'TRUE', 'a,"b"\nc', '#N/A', ' in '],
    ])
  })

  test('dates and times as ISO texts, from 1900 and from 1904', async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot; 0.0"/><numFmt numFmtId="165" formatCode="[$-407]dd\\.mm\\.yyyy"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>'
    const values: [style: number, value: string][] = [
      ...([
        [0, '45983'],
        [1, '45983'],
        [2, '45983.75'],
        [3, '0.5'],
        [4, '1.5'],
        [5, '45983'],
        [6, '1.5'],
        [1, '1'],
        [1, '1E+300'],
      ] as [number, string][]),
    ]
    const row = `<row>${values.map(([style, value]) => `<c s="${style}"><v>${value}</v></c>`).join('')}</row>`
    const parts = { 'xl/styles.xml': styles, 'xl/worksheets/sheet1.xml': sheet(row) }
    assert.deepEqual(await read(await workbookOf(parts)), [
      [
        ...['45983', '2025-11-22', '2025-11-22 18:00:00', '12:00:00', '1.5', '2025-11-22', '1.5'],
        ...['1900-01-01', '1e+300'],
      ],
    ])
    const workbook =
      '<workbook xmlns:r="x"><workbookPr date1904="1"/><sheets><sheet state="hidden" r:id="rId9"/><sheet r:id="rId1"/></sheets></workbook>'
    const [since1904] = await read(await workbookOf({ ...parts, 'xl/workbook.xml': workbook }))
    assert.equal(since1904?.[1], '2029-11-23')
  })

  test('parts in UTF-16, in either order of its bytes, or in UTF-8 with a mark', async () => {
    const xml = `\ufeff<?xml version="1.0"?>${sheet('<row><c t="str"><v>Zoë 😀</v></c><c t="s"><v>0</v></c></row>')}`
    const strings = '\ufeff<sst><si><t>ü</t></si></sst>'
    for (const encoding of ['utf16le', 'utf16be', 'utf8'] as const) {
      const encoded = (text: string): Buffer =>
        encoding === 'utf16be' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, encoding)
      const bytes = await workbookOf({
        'xl/worksheets/sheet1.xml': encoded(xml),
        'xl/sharedStrings.xml': encoded(strings),
      })
      assert.deepEqual(await read(bytes), [['Zoë 😀', 'ü']], encoding)
    }
    const half = Buffer.concat([Buffer.from(xml, 'utf16le'), Buffer.from([0])])
    await assert.rejects(workbookAsCsv(await workbookOf({ 'xl/worksheets/sheet1.xml': half }), MAX), /UTF-16/)
  })

  test('rows are read as they were written', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '007',
        '1e3',
        '12.5',
        '-3',
        '1,5',
        '=1+1',
        ' a ',
        '<b>&amp;',
        'x"\r\ny',
        '12345678901234567',
      ),
    )
    // Rows without content and trailing empty cells are not kept; the CSV reader needs a first cell.
    const row = fc.array(cell, { maxLength: 5 }).map((cells) => ['x', ...cells, 'end'])
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (rows) => {
        const given = rows.map((cells) =>
          cells.map((text) =>
            text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd'),
          ),
        )
        async function* each() {
          yield* given
        }
        assert.deepEqual(await read(await buffer(writeWorkbook(each()))), given)
      }),
      { numRuns: 50 },
    )
  })

  const refusals: readonly (readonly [what: string, bytes: () => Promise<Buffer>, reason: RegExp])[] = [
    ['no ZIP', async () => Buffer.from('email\na@b.example\n'), /no XLSX workbook/],
    [
      'a file of an older program',
      async () => Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /save a file of an older program/,
    ],
    ['a ZIP of something else', () => workbookOf({ '_rels/.rels': '<Relationships/>' }), /names no workbook/],
    ['a missing sheet', () => workbookOf({}), /has no part xl\/worksheets\/sheet1\.xml/],
    [
      'all sheets hidden',
      () => workbookOf({ 'xl/workbook.xml': '<workbook><sheets/></workbook>' }),
      /no visible sheet/,
    ],
    [
      'texts beyond their bound',
      () => workbookOf({ 'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(65 << 20)}</t></si></sst>` }),
      /unpacks to more than 67108864 bytes/,
    ],
    [
      'a row that names a large text often',
      () =>
        workbookOf({
          'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(60 << 20)}</t></si></sst>`,
          'xl/worksheets/sheet1.xml': sheet(`<row>${'<c t="s"><v>0</v></c>'.repeat(12)}</row>`),
        }),
      /more than 1000000 bytes as CSV/,
    ],
    [
      'more texts than are kept',
      () => workbookOf({ 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(2_000_001)}</sst>` }),
      /more than 2000000 different texts/,
    ],
    [
      'elements without end',
      () => workbookOf({ 'xl/worksheets/sheet1.xml': '<a>'.repeat(100_000) }),
      /nested too deeply/,
    ],
    [
      'rows that are mostly commas',
      () =>
        workbookOf({
          'xl/worksheets/sheet1.xml': sheet('<row><c r="XFD1"><v>1</v></c></row>'.repeat(100)),
        }),
      /more than 1000000 bytes as CSV/,
    ],
    [
      'another size than it announces',
      async () => {
        const bytes = await workbookWith([['x'.repeat(10_000)]])
        const at = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46
        bytes.writeUInt32LE(100, at + 24)
        return bytes
      },
      /damaged/,
    ],
    [
      'bytes that are neither UTF-8 nor UTF-16',
      () =>
        workbookOf({
          'xl/worksheets/sheet1.xml': Buffer.from(sheet('<row><c t="str"><v>\xfc</v></c></row>'), 'latin1'),
        }),
      /neither UTF-8 nor UTF-16; open it and save it again as XLSX/,
    ],
  ]
  for (const [what, bytes, reason] of refusals) {
    test(`with ${what} is refused, with the reason`, async () => {
      await assert.rejects(workbookAsCsv(await bytes(), MAX), (error: Error) => {
        assert.ok(error instanceof WorkbookError, String(error))
        assert.match(error.message, reason)
        return true
      })
    })
  }

  test('entities of a document type are not expanded', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    const bytes = await workbookOf({
      'xl/worksheets/sheet1.xml': bomb + sheet('<row><c t="str"><v>&b;</v></c></row>'),
    })
    assert.deepEqual(await read(bytes), [['&b;']])
  })
})

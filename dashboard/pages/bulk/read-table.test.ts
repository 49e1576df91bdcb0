// Reads the beginning of a list and renames its columns; the rows below the header row stay unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnName, guessColumns, modelOf, namedColumns } from './columns.ts'
import { readTable, withColumns } from './read-table.ts'

const fileOf = (text: string): File => new File([text], 'list.csv')

test('the first record is found with any separator, line end, quotes and byte order mark', async () => {
  for (const [separator, end] of [
    [',', '\n'],
    [';', '\r\n'],
    ['\t', '\r'],
  ] as const) {
    const rows = `"a${separator}""b""${end}c"${separator}ann@example.net${end}d${separator}bob@example.net`
    const mark = separator === ',' ? '\ufeff' : `\ufeff${end}`
    const table = await readTable(fileOf(`${mark}"First${separator}Ä"${separator}E-Mail${end}${rows}`))
    assert.deepEqual(table.columns, [`First${separator}Ä`, 'E-Mail'])
    assert.deepEqual(table.rows, [
      [`a${separator}"b"${end}c`, 'ann@example.net'],
      ['d', 'bob@example.net'],
    ])
    const renamed = await withColumns(table, ['na"me', 'email']).text()
    assert.equal(renamed, `sep=${separator}\n"na""me"${separator}"email"\n${rows}`)
  }
})

test('a line that tells the separator is none of the table, and is told to the service', async () => {
  const rows = '"a,b;c";ann@example.net\r\n1,5;bob@example.net'
  for (const begin of ['sep=;\r\n', '\ufeffSEP=;\n']) {
    const table = await readTable(fileOf(`${begin}Ä,b;E-Mail\r\n${rows}`))
    assert.equal(table.separator, ';')
    assert.deepEqual(table.columns, ['Ä,b', 'E-Mail'])
    assert.deepEqual(table.rows, [
      ['a,b;c', 'ann@example.net'],
      ['1,5', 'bob@example.net'],
    ])
    assert.equal(await withColumns(table, ['x', 'email']).text(), `sep=;\n"x";"email"\n${rows}`)
  }
  // A single column has no separator.
  const single = await readTable(fileOf('sep=;\nE-Mail\nann,lee@example.net\n'))
  assert.equal(await withColumns(single, ['email']).text(), 'sep=;\n"email"\nann,lee@example.net\n')
})

test('a file without a row below its names is refused', async () => {
  for (const text of ['', '\n\n', 'email,name\n']) {
    await assert.rejects(readTable(fileOf(text)), /at least one row/, JSON.stringify(text))
  }
})

test('a file in another encoding is refused: its rows would be cut at other bytes', async () => {
  const latin1 = Buffer.from('E-Mail;Größe\nannabelle@example.net;5\n', 'latin1')
  const utf16 = Buffer.from('\ufeffE-Mail;Größe\nann@example.net;5\n', 'utf16le')
  for (const bytes of [latin1, utf16]) await assert.rejects(readTable(new File([bytes], 'list.csv')), /UTF-8/)
  // The read part of a long file may end within a character.
  for (const before of ['E-Mail\n', 'E-Mail,\n']) {
    const long = await readTable(fileOf(`${before}ann@example.net\n${'ü\n'.repeat(40_000)}`))
    assert.equal(long.rows[0]?.[0], 'ann@example.net')
  }
})

test('columns are guessed by their titles, and a row fills the variables as the service does', () => {
  const titles = ['E-Mail', 'Display name', 'order.number', 'order.total', 'metadata.id', '__proto__', '']
  const guessed = guessColumns(titles, [])
  const columns = namedColumns(guessed, [])
  assert.deepEqual(columns.map(columnName), [
    'email',
    'to_name',
    'order.number',
    'order.total',
    'metadata.id',
    '__proto__',
    '',
  ])
  const model = modelOf(columns, ['a@b.test', 'Ann', '7', '', 'x', 'y', 'z'])
  assert.equal(JSON.stringify(model), '{"email":"a@b.test","order":{"number":"7"},"__proto__":"y"}')
})

// Tests reading of CSV: cell separators, and line endings of every kind.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { csvRows, emailColumn, readCsv, withoutGuard } from './csv.ts'

async function rows(csv: string, mostInRow = 1_000): Promise<(readonly string[])[]> {
  const found: (readonly string[])[] = []
  await readCsv(csv, mostInRow, (row) => void found.push(row))
  return found
}

describe('a CSV', () => {
  const ANN = [
    ['name', 'email'],
    ['Doe; Ann', 'ann@a.example'],
  ]
  const tables: [string, string, string[][]][] = [
    ['commas', 'name,email\nDoe; Ann,ann@a.example\n', ANN],
    ['semicolons', 'name;email\n"Doe; Ann";ann@a.example\n', ANN],
    ['tabs', 'name\temail\nDoe; Ann\tann@a.example', ANN],
    ['a byte order mark and empty lines', '\ufeff\r\n\nname,email\n\nDoe; Ann,ann@a.example\n\n', ANN],
    ['a line that tells the separator', '\ufeffsep=;\r\nname;email\r\n"Doe; Ann";ann@a.example\r\n', ANN],
    ['quoted names', '"name","email"\n"Doe; Ann",ann@a.example\n', ANN],
    [
      'a separator in a quoted name',
      '"a;b",email\nx,y\n',
      [
        ['a;b', 'email'],
        ['x', 'y'],
      ],
    ],
    ['one column, in which others are no separators', 'email\na;b\n"c,d"\n', [['email'], ['a;b'], ['c,d']]],
    ['one quoted column', '"email"\na;b\n', [['email'], ['a;b']]],
    [
      'an unnamed first column',
      '\temail\n0\ta@b.example\n',
      [
        ['', 'email'],
        ['0', 'a@b.example'],
      ],
    ],
  ]
  for (const [what, csv, expected] of tables) {
    test(`with ${what}`, async () => assert.deepEqual(await rows(csv), expected))
  }

  test('whose lines end in several ways loses none of them', async () => {
    const lines = ['email,name', 'a@one.example,A', 'b@one.example,B', 'c@one.example,C', 'd@one.example,D']
    const ends = ['\r\n', '\n', '\r']
    for (let first = 0; first < 3; first++) {
      const csv = lines.map((line, index) => line + ends[(first + index) % 3]).join('')
      assert.deepEqual(
        await rows(csv),
        lines.map((line) => line.split(',')),
        JSON.stringify(csv),
      )
    }
  })

  test('that is cut into pieces within a line end is read as a whole', async () => {
    const long = 'x'.repeat(64 * 1024 - 'email\r'.length - 1)
    assert.deepEqual(await rows(`email\r\n${long}\r\nb@one.example\r\n`, 100_000), [
      ['email'],
      [long],
      ['b@one.example'],
    ])
  })

  test('that is cut into pieces within a letter of two code units keeps it', async () => {
    for (const shift of [0, 1]) {
      const name = `${'x'.repeat(64 * 1024 - 'email\n'.length - shift)}${'😀'.repeat(3)}`
      assert.deepEqual(await rows(`email\n${name}\n`, 100_000), [['email'], [name]])
    }
  })

  test('that is none is refused, and so is a row without end', async () => {
    await assert.rejects(rows('email\n"a'))
    await assert.rejects(rows(`email\n${'x'.repeat(2_000)}\n`))
  })

  test(
    'that is long lets others have their turns in between',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    async () => {
      let turns = 0
      const timer = setInterval(() => turns++, 0)
      await rows('email\n'.repeat(200_000), 1_000)
      clearInterval(timer)
      assert.ok(turns >= 5, String(turns))
    },
  )

  test('of nothing but line breaks is read at once', async () => {
    const spent = cpuWatch()
    assert.deepEqual(await rows('\n'.repeat(1_000_000)), [])
    assert.ok(spent() < 5_000)
  })
})

test('the column of the addresses is the first with a usual name, and where somebody lives is none beside another', () => {
  const tables: [string, string | undefined][] = [
    ['name,E-Mail', 'E-Mail'],
    ['to,email', 'to'],
    ['name,address,recipient', 'address'],
    ['name,Address,Email', 'Email'],
    ['Email,Address', 'Email'],
    ['name,address', 'address'],
    ['name,street', undefined],
  ]
  for (const [header, expected] of tables) {
    const names = header.split(',')
    assert.equal(names[emailColumn(names)], expected, header)
  }
})

test('the guard against formulas is taken away, and no other apostrophe', () => {
  assert.equal(withoutGuard("'=x@a.example"), '=x@a.example')
  assert.equal(withoutGuard("'o@a.example"), "'o@a.example")

  test('rows have the numbers that a spreadsheet gives them, however lines end and wherever a piece of the text does', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const lines = Array.from({ length: 60_000 }, (_, index) =>
        index % 3 === 1 ? '' : `r${index + 1},"a\nb"`,
      )
      let count = 0
      for await (const { line, cells } of csvRows(lines.join(end), 1_000)) {
        count++
        assert.equal(cells[0], `r${line}`)
      }
      assert.equal(count, 40_000)
    }
  })
})

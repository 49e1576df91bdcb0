import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSettingsFile } from './settings-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'postrider-settings-'))
after(() => rmSync(directory, { recursive: true }))

function read(content: string): { values: Record<string, string | undefined>; problems: string[] } {
  const path = join(directory, 'settings')
  writeFileSync(path, content)
  const problems: string[] = []
  const values = readSettingsFile(path, problems)
  return { values, problems: problems.map((problem) => problem.replace(path, 'FILE')) }
}

const GOOD: readonly [line: string, value: string][] = [
  ['A=b', 'b'],
  ['  A = b  ', 'b'],
  ['export A=b', 'b'],
  ['A=', ''],
  ['A= # nothing', ''],
  ['A=b c # two words', 'b c'],
  ['A=smtp://user:pa#ss@host', 'smtp://user:pa#ss@host'],
  ['A="b # c" # d', 'b # c'],
  ["A='b \" c'", 'b " c'],
  ['A=b=c', 'b=c'],
  ['A=b"c', 'b"c'],
  ['\ufeffA=b', 'b'],
  ['# A=c\n\n\t\nA=b\r\n', 'b'],
]
for (const [line, value] of GOOD) {
  test(`reads ${JSON.stringify(line)}`, () =>
    assert.deepEqual(read(line), { values: { A: value }, problems: [] }))
}

test('names file, line and remedy of every invalid line, and shows no values', () => {
  const { problems } = read(
    "A=1\nPOSTRIDER_MODE production\nTOKEN: secret\nB=\"open\nC='x' y\n= z\nA=2\n-----\nPOSTRIDER-MODE=x\n",
  )
  assert.deepEqual(problems, [
    'FILE, line 2: what begins with POSTRIDER_MODE is not NAME=value; write it so, or put # before a comment',
    'FILE, line 3: what begins with TOKEN is not NAME=value; write it so, or put # before a comment',
    'FILE, line 4: the value of B begins with a quote and does not end with the same quote; close the quote',
    'FILE, line 5: the value of C begins with a quote and does not end with the same quote; close the quote',
    'FILE, line 6: what begins with z is not NAME=value; write it so, or put # before a comment',
    'FILE, line 7: A is already set; remove one of the two lines',
    'FILE, line 8: what begins with ----- is not NAME=value; write it so, or put # before a comment',
    'FILE, line 9: what begins with POSTRIDER-MODE is not NAME=value; write it so, or put # before a comment',
  ])
})

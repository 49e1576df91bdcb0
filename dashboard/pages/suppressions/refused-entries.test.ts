// Refused entries: what was typed or stands in a file is found again by the paths of an answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf, refusedEntries, refusedLines } from './refused-entries.ts'

const at = (index: number) => ({
  path: `suppressions[${index}].email`,
  code: 'invalid_email',
  message: 'No.',
})

test('addresses are one per line or separated; words of a line that are none stay together', () => {
  const typed = 'a@a.example\n b@b.example, c@c.example;d@d.example e@e.example\n\nnot an address\n'
  assert.deepEqual(entriesOf(typed), [
    ...['a@a.example', 'b@b.example', 'c@c.example', 'd@d.example', 'e@e.example'],
    'not an address',
  ])
  assert.deepEqual(refusedEntries(entriesOf(typed), [at(5)]), [{ text: 'not an address', reason: 'No.' }])
})

test('lines of a file are counted as an editor counts them', async () => {
  const csv = '\ufeffsep=;\r\nemail;reason\r\n\r\na@a.example;manual\r\nwrong;manual\r\n'
  const file = new File([csv], 'list.csv')
  assert.deepEqual(await refusedLines(file, [at(1)]), [{ line: 5, text: 'wrong;manual', reason: 'No.' }])
  const workbook = new File(['PK'], 'list.xlsx')
  assert.deepEqual(await refusedLines(workbook, [at(1)]), [{ line: 3, text: '', reason: 'No.' }])
})

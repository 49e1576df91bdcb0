// The paths in an API response identify refused entries in typed text or in a file.

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

test('a line of a file is found by its number, as a spreadsheet counts', async () => {
  const csv = '\ufeffsep=;\r\nemail;note\r\n\r\na@a.example;"two\nlines, ""quoted"""\r\nwrong;manual\r\n'
  const problem = { ...at(1), line: 4 }
  const refused = { line: 4, text: 'wrong;manual', reason: 'No.' }
  assert.deepEqual(await refusedLines(new File([csv], 'list.csv'), [problem]), [refused])
  const workbook = new File(['PK'], 'list.xlsx')
  assert.deepEqual(await refusedLines(workbook, [problem]), [{ ...refused, text: '' }])
})

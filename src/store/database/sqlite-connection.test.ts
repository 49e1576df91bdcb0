// Prepared statements of a SQLite connection: SQLite plans a statement once, also with a limit.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Statements } from './sqlite-connection.ts'

test('statements with limits are planned once', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table numbers (n integer primary key)')
  const statements = new Statements(database)
  for (const n of [1, 2, 3, 4]) statements.run('insert into numbers values (?)', [n])
  let asked = 0
  // SQLite asks the authorizer while it plans a statement.
  database.setAuthorizer(() => {
    asked++
    return 0
  })
  for (const [text, ...lists] of [
    ['select n from numbers order by n limit ?', [2], [3]],
    ['select n from numbers order by n limit ? offset ?', [2, 1], [1, 3]],
    ['select n from (select n from numbers order by n desc limit ?2) where n > ?1', [1, 2], [3, 4]],
  ] as const) {
    const first = statements.run(text, lists[0]).rows
    assert.ok(asked > 0)
    asked = 0
    const second = statements.run(text, lists[1]).rows
    assert.equal(asked, 0, text)
    assert.notDeepEqual(first, second)
  }
  database.close()
})

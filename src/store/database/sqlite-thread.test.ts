// Threads that open one database after another.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { WRITE_PROGRAM } from '../writes.ts'
import { openSqliteStore } from './sqlite.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-threads-'))
})
after(() => rm(directory, { recursive: true, force: true }))

const open = (name: string) => openSqliteStore(join(directory, name), WRITE_PROGRAM)
const keep = (name: string, value: string) => [{ name: 'keepFact', items: [{ name, value }] }]

test('stores that open one after the other, or beside each other, have nothing of each other', async () => {
  const first = await open('first')
  const beside = await open('beside')
  await first.commit(keep('fact', 'first'))
  await beside.commit(keep('fact', 'beside'))
  await first.close()
  const next = await open('next')
  assert.ok(next.migrated.length > 0)
  assert.deepEqual(await next.commit(keep('fact', 'next')), [[{ value: 'next' }]])
  assert.deepEqual(await beside.commit(keep('fact', 'late')), [[{ value: 'beside' }]])
  await Promise.all([next.close(), beside.close()])
  const again = await open('first')
  assert.deepEqual(again.migrated, [])
  assert.deepEqual(await again.commit(keep('fact', 'late')), [[{ value: 'first' }]])
  await again.close()
})

test('a file that is no database keeps nobody else from opening theirs', async () => {
  await writeFile(join(directory, 'letter'), 'Dear reader, this is no database. '.repeat(100))
  await assert.rejects(open('letter'), /not a database/)
  const store = await open('after the letter')
  assert.deepEqual(await store.commit(keep('fact', 'new')), [[{ value: 'new' }]])
  await store.close()
})

test('closed twice, a store leaves its threads once; what is asked afterwards is refused', async () => {
  const store = await open('twice')
  await Promise.all([store.close(), store.close()])
  await store.close()
  await assert.rejects(store.commit(keep('fact', 'late')), /the store is closed/)
  const [one, other] = [await open('one'), await open('other')]
  assert.deepEqual(await one.commit(keep('fact', 'one')), [[{ value: 'one' }]])
  assert.deepEqual(await other.commit(keep('fact', 'other')), [[{ value: 'other' }]])
  await Promise.all([one.close(), other.close()])
})

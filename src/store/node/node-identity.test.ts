// The name of a node: the same for each process with the same data directory, and a different name for a copy.

import assert from 'node:assert/strict'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testStorage } from '../../../test/support/store.ts'
import { nameOfNode } from './node-identity.ts'

test('a node keeps its name in its data directory, and never in a copy of it', async (context) => {
  const storage = await testStorage('sqlite')
  const { dataDir } = storage
  const copy = `${dataDir}-copy`
  context.after(async () => {
    await rm(copy, { recursive: true, force: true })
    await storage.remove()
  })
  const { id } = await nameOfNode(dataDir)
  assert.equal((await nameOfNode(dataDir)).id, id)

  await cp(dataDir, copy, { recursive: true, preserveTimestamps: true })
  const copied = await nameOfNode(copy)
  assert.notEqual(copied.id, id, 'both may run, and each would take back the leases of the other')
  assert.equal((await nameOfNode(copy)).id, copied.id)
  assert.equal((await nameOfNode(dataDir)).id, id, 'the first one stays as it is')
})

test('a machine that was restarted may be a copy of another one', async (context) => {
  const storage = await testStorage('sqlite')
  const { dataDir } = storage
  context.after(() => storage.remove())
  const { id } = await nameOfNode(dataDir)
  const file = join(dataDir, 'node-id')
  const kept = await readFile(file, 'utf8')
  // The file contains the boot ID of an earlier boot.
  const other = kept.replace(
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
    '0e5b6b4f-2c4c-4d6b-9a57-9a1f0ad3c6de',
  )
  await writeFile(file, other)
  if (other === kept) return context.skip('this system does not name its starts')
  const { id: next } = await nameOfNode(dataDir)
  assert.notEqual(next, id)
  assert.equal((await nameOfNode(dataDir)).id, next)
})

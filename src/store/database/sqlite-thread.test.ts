// Threads that open one database after another, and batches of any content and size that are passed to a thread.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { claim, createOwner, messageTo } from '../../../test/support/queued.ts'
import { openTestStore } from '../../../test/support/store.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { findContent } from '../messages/messages.ts'
import { claimRecipients } from '../queue/queue.ts'
import { WRITE_PROGRAM } from '../writes.ts'
import type { Group, Write } from './group-commit.ts'
import { openSqliteStore } from './sqlite.ts'
import { BatchPacker, packResults, transferredOf, unpackBatch, unpackResults } from './sqlite-thread.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-threads-'))
})
after(() => rm(directory, { recursive: true, force: true }))

const open = (name: string) => openSqliteStore(join(directory, name), WRITE_PROGRAM)
const keep = (name: string, value: string) => [{ name: 'keepFact', items: [{ name, value }] }]

test('stores that open one after the other, or at the same time, share no data', async () => {
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

test('a file that is not a database does not keep another one from being opened', async () => {
  await writeFile(join(directory, 'letter'), 'Dear reader, this is no database. '.repeat(100))
  // The code SQLITE_NOTADB shows that a restart cannot help.
  await assert.rejects(open('letter'), { message: /not a database/, errcode: 26 })
  const store = await open('after the letter')
  assert.deepEqual(await store.commit(keep('fact', 'new')), [[{ value: 'new' }]])
  await store.close()
})

test('a store that is closed twice releases its threads once and refuses later questions', async () => {
  const store = await open('twice')
  await Promise.all([store.close(), store.close()])
  await store.close()
  await assert.rejects(store.commit(keep('fact', 'late')), /the store is closed/)
  const [one, other] = [await open('one'), await open('other')]
  assert.deepEqual(await one.commit(keep('fact', 'one')), [[{ value: 'one' }]])
  assert.deepEqual(await other.commit(keep('fact', 'other')), [[{ value: 'other' }]])
  await Promise.all([one.close(), other.close()])
})

const cloned: Write<unknown, unknown> = async () => []
const json: Write<unknown, unknown> = Object.assign(async () => [], { isJson: true })
const bytes: Write<unknown, unknown> = Object.assign(async () => [], { isJson: true, bytesIn: 'content' })

const WRITES = new Map(Object.entries({ cloned, json, bytes }))
const find = (name: string): Write<unknown, unknown> => WRITES.get(name) as Write<unknown, unknown>

/** Returns the groups as another thread receives them: a copy of all data except the shared memory. */
function arrive(packer: BatchPacker, groups: readonly Group[]): Group[] {
  const batch = packer.pack(groups)
  const unpacked = unpackBatch(structuredClone(batch), find)
  const read = structuredClone(unpacked)
  packer.release(batch)
  return read.map(({ name, items }) => ({ name, items: items.map(asText) }))
}

/** Returns bytes as text, so that bytes and texts can be compared. */
function asText(item: unknown): unknown {
  const { content, ...rest } = item as { content?: string | Uint8Array }
  if (content === undefined) return rest
  return { ...rest, content: typeof content === 'string' ? content : Buffer.from(content).toString() }
}

test('items arrive in order, bytes and text alike, and the next batch reuses the memory', () => {
  const packer = new BatchPacker(find)
  for (const text of ['first', 'zwölf “€” 𝄞', '']) {
    const groups = [
      { name: 'bytes', items: [1, 2, 3].map((id) => ({ id, content: Buffer.from(`${text}${id}`) })) },
      { name: 'cloned', items: [{ set: new Set([text]) }] },
      { name: 'json', items: [{ id: 4, text, none: null }] },
      { name: 'bytes', items: [{ id: 5, content: text }] },
    ]
    const arrived = arrive(packer, groups)
    assert.deepEqual(
      arrived,
      groups.map(({ name, items }) => ({ name, items: items.map(asText) })),
    )
  }
})

test('items without room in the memory arrive as well', () => {
  const packer = new BatchPacker(find)
  const large = 'x'.repeat(9_000_000)
  const items = [{ content: large }, { content: Buffer.from(large) }, { content: 'small' }]
  assert.deepEqual(arrive(packer, [{ name: 'bytes', items }]), [{ name: 'bytes', items: items.map(asText) }])
})

test('large contents of a claim are moved, small ones copied', () => {
  const contents = [10, 100_000].map((size) => ({ format: 'json' as const, content: new Uint8Array(size) }))
  const claimed = { contents: new Map(contents.map((content, index) => [`${index}`, content])) }
  const results = [[{ value: claimed }, { error: { message: 'no', unavailable: false } }]]
  const find = () => claimRecipients as unknown as Write<unknown, unknown>
  const groups = [{ name: 'claimRecipients', items: [1, 2] }]
  assert.deepEqual(transferredOf(groups, results, find), [contents[1]?.content.buffer])
})

test('results come back unchanged', () => {
  const groups = ['cloned', 'json'].map((name) => ({ name, items: [1, 2] }))
  const results = groups.map(() => [
    { value: { kind: 'accepted' } },
    { error: { message: 'no', unavailable: false } },
  ])
  assert.deepEqual(unpackResults(structuredClone(packResults(groups, results, find))), results)
})

test(
  'contents are stored unchanged, many at once and larger than the memory',
  thorough('0.9 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const store = await openTestStore('sqlite')
    try {
      const owner = await createOwner(store)
      const sizes = [...Array.from({ length: 40 }, (_, index) => index * 9_000), 9_000_000, 17_000_000]
      const contents = sizes.map((size, index) => Buffer.alloc(size, `${index} ü`))
      const made = contents.map((content) => ({ ...messageTo(owner, ['a@d.example']), content }))
      await Promise.all(made.map((item) => store.write(acceptMessage, item)))
      for (const { message, content } of made) {
        const found = await findContent(store.read, owner, message.id)
        assert.ok(found?.content.equals(content))
      }
      const claimed = await claim(store)
      for (const { message, content } of made) {
        assert.ok(content.equals(claimed.contents.get(message.id)?.content as Uint8Array))
      }
    } finally {
      await store.close()
    }
  },
)

// Writes that share a commit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupCommit } from './group-commit.ts'

/** Commits at once, and notes how many writes each commit had. */
function noted(most = 1) {
  const sizes: number[] = []
  const commits = new GroupCommit(async (groups) => {
    sizes.push(groups.reduce((sum, { items }) => sum + items.length, 0))
    return groups.map(({ items }) => items.map((value) => ({ value })))
  }, most)
  const writeMany = (count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => commits.write('a', index)))
  return { commits, sizes, writeMany }
}

test('a lone write is committed at once; what comes meanwhile shares the next commit', async () => {
  const { commits, sizes, writeMany } = noted()
  assert.equal(await commits.write('a', 'one'), 'one')
  assert.deepEqual(await writeMany(5), [0, 1, 2, 3, 4])
  assert.deepEqual(sizes, [1, 1, 4])
})

test('behind a large commit writes come together for a moment', async () => {
  const { commits, sizes, writeMany } = noted()
  await writeMany(21)
  assert.deepEqual(sizes, [1, 20])
  const late = []
  for (let index = 0; index < 4; index++) {
    late.push(commits.write('b', index))
    await Promise.resolve()
  }
  await Promise.all(late)
  assert.deepEqual(sizes, [1, 20, 4])
  await commits.write('a', 'alone again')
  assert.deepEqual(sizes, [1, 20, 4, 1])
})

test('all is settled when nothing waits any more', async () => {
  const { commits, sizes, writeMany } = noted()
  const many = writeMany(40)
  await many
  const last = commits.write('a', 'last')
  await commits.settled()
  assert.equal(await last, 'last')
  await commits.settled()
  assert.deepEqual(sizes, [1, 39, 1])
})

test('where several commits go on at once nothing waits for company', async () => {
  const { sizes, writeMany, commits } = noted(2)
  await writeMany(30)
  const began = performance.now()
  await commits.write('a', 'x')
  assert.deepEqual(sizes, [1, 1, 28, 1], `after ${performance.now() - began} ms`)
})

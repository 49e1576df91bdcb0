// Group commit: several writes share one commit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommitLines, commitGroups, GroupCommit, type Write, type WriteProgram } from './group-commit.ts'

/**
 * Returns a `GroupCommit` whose commits end within a turn of the event loop, and the number of writes in each commit.
 */
function noted(most = 1) {
  const sizes: number[] = []
  const commits = new GroupCommit(async (groups) => {
    sizes.push(groups.reduce((sum, { items }) => sum + items.length, 0))
    await new Promise(setImmediate)
    return groups.map(({ items }) => items.map((value) => ({ value })))
  }, most)
  const writeMany = (count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => commits.write('a', index)))
  return { commits, sizes, writeMany }
}

test('a lone write is committed at once; writes that arrive meanwhile share the next commit', async () => {
  const { commits, sizes, writeMany } = noted()
  assert.equal(await commits.write('a', 'one'), 'one')
  assert.deepEqual(await writeMany(5), [0, 1, 2, 3, 4])
  assert.deepEqual(sizes, [1, 1, 4])
})

test('after a large commit, writes gather for a moment', async () => {
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

test('after a large commit, half as many writes start the next commit', async () => {
  const { sizes, writeMany } = noted()
  await writeMany(21)
  const few = writeMany(9)
  assert.deepEqual(sizes, [1, 20])
  const enough = writeMany(1)
  assert.deepEqual(sizes, [1, 20, 10])
  await Promise.all([few, enough])
})

test('single writes do not wait for parts of large jobs, and each commit takes at least one part', async () => {
  const order: string[][] = []
  const commits = new GroupCommit(async (groups) => {
    order.push(groups.flatMap(({ items }) => items as string[]))
    return groups.map(({ items }) => items.map((value) => ({ value })))
  }, 1)
  await Promise.all([
    commits.write('a', 'first'),
    ...['x', 'y', 'z'].map((name) => commits.write('many', name, 500)),
    ...['b', 'c'].map((name) => commits.write('a', name)),
    ...['u', 'v'].map((name) => commits.write('many', name, 5)),
  ])
  assert.deepEqual(order, [['first'], ['b', 'c', 'x'], ['y'], ['z', 'u', 'v']])
})

test('settled resolves when no commit is under way', async () => {
  const { commits, sizes, writeMany } = noted()
  const many = writeMany(40)
  await many
  const last = commits.write('a', 'last')
  await Promise.all([commits.settled(), commits.settled()])
  assert.equal(await last, 'last')
  await commits.settled()
  assert.deepEqual(sizes, [1, 39, 1])
})

test('with several concurrent commits, writes gather after each large one', async () => {
  const { commits, sizes, writeMany } = noted(2)
  await writeMany(62)
  assert.deepEqual(sizes, [1, 1, 60])
  for (const enough of [30, 15]) {
    const before = sizes.length
    const few = writeMany(enough - 1)
    assert.equal(sizes.length, before, 'a free place is not taken for a few')
    await Promise.all([few, writeMany(1)])
    assert.deepEqual(sizes.slice(before), [enough])
  }
  await writeMany(3)
  assert.deepEqual(sizes.slice(-3), [1, 1, 1], 'behind a small one both places are taken at once')
  await commits.settled()
})

test('a write with a line of its own waits for no other line', async () => {
  let goOn = (): void => {}
  const slow = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const lines = new CommitLines(
    async (groups) => {
      if (groups.some(({ name }) => name === 'slow')) await slow
      return groups.map(({ items }) => items.map((value) => ({ value })))
    },
    { accepting: 1, other: 1 },
  )
  const held = lines.write({ name: 'slow' }, 0)
  const behind = lines.write({ name: 'ends', line: 'ending' }, 1)
  assert.equal(await lines.write({ name: 'accepts', line: 'accepting' }, 2), 2)
  assert.equal(await Promise.race([behind, 'waits']), 'waits', 'it has none here')
  goOn()
  assert.deepEqual(await Promise.all([held, behind]), [0, 1])
  await lines.settled()
})

const TOO_LONG = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })

test('a statement that takes too long fails its own kind of write and no other of its commit', async () => {
  const tried: string[] = []
  const write = (name: string, isSlow: boolean): Write<unknown, unknown> => {
    const run = async (_: unknown, items: readonly unknown[]) => {
      tried.push(name)
      if (isSlow) throw TOO_LONG
      return items
    }
    return Object.defineProperty(run, 'name', { value: name })
  }
  const run = (names: readonly string[], slow: readonly string[]) => {
    const program = {
      find: (name: string) => write(name, slow.includes(name)),
      begin() {},
      end: async () => {},
    } as Partial<WriteProgram> as WriteProgram
    const groups = names.map((name) => ({ name, items: [1, 2] }))
    return commitGroups(groups, (work) => work(undefined as never), program)
  }
  const outcomes = async (names: readonly string[], slow: readonly string[]) =>
    (await run(names, slow)).map((results) => results.map((result) => 'value' in result))
  assert.deepEqual(await outcomes(['claim', 'accept'], ['claim']), [
    [false, false],
    [true, true],
  ])
  tried.length = 0
  assert.deepEqual((await outcomes(['a', 'b', 'c', 'd'], ['a', 'b', 'c'])).flat().filter(Boolean), [])
  assert.deepEqual(tried, ['a', 'a', 'b'], 'a database that is slow with everything is left alone')
})

test('a commit without an answer is not repeated, and its result is unknown, whatever the error', async () => {
  const tried: unknown[][] = []
  const program = {
    find: () => async (_: unknown, items: readonly unknown[]) => {
      tried.push([...items])
      return items
    },
    begin() {},
    end: async () => {},
  } as Partial<WriteProgram> as WriteProgram
  const results = await commitGroups(
    [{ name: 'accept', items: [1, 2] }],
    async (work) => {
      await work(undefined as never)
      throw Object.assign(new Error('read ENETUNREACH'), { code: 'ENETUNREACH', outcomeUnknown: true })
    },
    program,
  )
  assert.deepEqual(tried, [[1, 2]])
  assert.ok(results.flat().every((one) => 'error' in one && one.error.unavailable && one.error.unknown))
})

for (const code of ['40P01', '40001']) {
  test(`a transaction that lost against others (${code}) is retried as a whole, at most three times`, async () => {
    const conflict = Object.assign(new Error('lost'), { code })
    const run = async (conflicts: number) => {
      const tried: number[] = []
      const program = {
        find: () => async (_: unknown, items: readonly unknown[]) => {
          tried.push(items.length)
          if (tried.length <= conflicts) throw conflict
          return items
        },
        begin() {},
        end: async () => {},
      } as Partial<WriteProgram> as WriteProgram
      const groups = [{ name: 'accept', items: [1, 2] }]
      const results = await commitGroups(groups, (work) => work(undefined as never), program)
      return { results, tried }
    }
    assert.deepEqual(await run(3), { results: [[{ value: 1 }, { value: 2 }]], tried: [2, 2, 2, 2] })
    const { results, tried } = await run(4)
    assert.equal(tried.length, 4)
    assert.ok(results.flat().every((one) => 'error' in one && one.error.unavailable))
  })
}

// Tests of the test runner's rules: tiers, marks, seeds, files that a change affects, and shapes of SQL statements.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, test } from 'node:test'
import { thorough } from '../support/thorough.ts'
import { closureOf, testsTouchedBy } from './import-graph.ts'
import { type DatabaseName, groupsOf, isMarkedFile, ROOT, type Tier } from './plan.ts'
import { POSTGRES_FILES } from './postgres-files.ts'
import { shuffled } from './seed.ts'
import { shapeOf } from './statements.ts'

const runsOf = (tier: Tier): readonly string[] =>
  groupsOf(tier).flatMap(({ files, database }) => files.map((file) => `${file} ${database}`))

describe('tiers', () => {
  test('all has each test file of the project, and none twice', () => {
    const all = runsOf('all')
    assert.equal(new Set(all).size, all.length)
    const files = globSync('{src,test,dashboard,bench,sdk}/**/*.test.ts', { cwd: ROOT })
    const onSqlite = new Set(all)
    assert.deepEqual(
      files.filter((file) => !onSqlite.has(`${file} sqlite`)),
      [],
    )
  })

  test('short and thorough together have what all has', () => {
    const both = new Set([...runsOf('short'), ...runsOf('thorough')])
    assert.deepEqual([...both].toSorted(), runsOf('all').toSorted())
  })

  test('a marked file is in thorough alone, and one on PostgreSQL is in short when it is listed', () => {
    const short = new Set(runsOf('short'))
    const marked = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(isMarkedFile)
    assert.ok(marked.length > 0)
    for (const file of marked) {
      for (const database of ['sqlite', 'postgres'] satisfies DatabaseName[])
        assert.ok(!short.has(`${file} ${database}`), file)
    }
    for (const file of POSTGRES_FILES) assert.ok(short.has(`${file} postgres`) || isMarkedFile(file), file)
  })
})

test('a mark without a reason is refused', () => {
  assert.throws(() => thorough('  slow '), /needs a reason/)
  assert.deepEqual(thorough('3 CPU s: kills a node'), { tags: ['thorough'] })
})

test('a seed decides the order, and loses no file', () => {
  const files = Array.from({ length: 50 }, (_, index) => `file-${index}`)
  assert.deepEqual(shuffled(files, 7), shuffled(files, 7))
  assert.notDeepEqual(shuffled(files, 7), shuffled(files, 8))
  assert.deepEqual([...shuffled(files, 7)].toSorted(), files.toSorted())
})

describe('a change', () => {
  test('touches the tests that load the file, and those of its folder', () => {
    const touched = testsTouchedBy(['src/smtp/reply-meaning.ts']) ?? []
    assert.ok(touched.includes('src/smtp/reply-meaning.test.ts'))
    assert.ok(touched.includes('src/delivery/send.test.ts'))
    assert.ok(!touched.includes('src/tables/csv.test.ts'))
    // Tests of the whole service are not affected, although they load every file through the composition root.
    assert.ok(!touched.includes('test/flow/streams.test.ts'))
  })

  test('of a page of the dashboard touches the browser tests that name its folder', () => {
    const touched = testsTouchedBy(['dashboard/pages/templates/editor.tsx']) ?? []
    assert.ok(touched.includes('test/browser/templates.test.ts'))
    assert.ok(!touched.includes('test/browser/unsubscribe.test.ts'))
  })

  test('of the packages, the runner or a migration may touch any test', () => {
    for (const file of ['package.json', 'bin/node', 'test/support/app.ts']) {
      assert.equal(testsTouchedBy([file]), undefined, file)
    }
  })

  test('imports of types load nothing; programs of threads are loaded', () => {
    const loaded = closureOf(['src/store/node/open-in-mode.ts'])
    assert.ok(loaded.has('src/store/writer-thread.ts'))
    assert.ok(![...loaded].some((file) => file.startsWith('src/api/')))
  })
})

describe('the shape of a statement', () => {
  test('folds parameters, lists and repeated rows', () => {
    const one = shapeOf('insert into "events" ("id", "at") values ($1, $2)')
    assert.equal(shapeOf('insert into "events" ("id", "at") values ($1, $2), ($3, $4), ($5, $6)'), one)
    assert.equal(
      shapeOf('select * from "a" where "b" in ($1, $2, $3)'),
      shapeOf('select * from "a" where "b" in ($1)'),
    )
  })

  test('tells statements apart that differ in anything else', () => {
    assert.equal(shapeOf('select * from "days_20261224"'), shapeOf('select * from "days_20250131"'))
    const change = shapeOf('update "a" set "b" = $1 where "id" = $2')
    assert.equal(shapeOf('update "a" set "c" = $1, "d" = $2 where "id" = $3'), change)
    assert.notEqual(shapeOf('update "a" set "b" = null where "id" = $1'), change)
    assert.notEqual(shapeOf('update "a" set "b" = $1 where "c" = $2'), change)
    assert.notEqual(shapeOf('select "a" from "t"'), shapeOf('select "b" from "t"'))
    assert.notEqual(shapeOf('select "a" from "t" limit $1'), shapeOf('select "a" from "t"'))
  })
})

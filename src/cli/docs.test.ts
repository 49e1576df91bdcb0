// The committed pages of docs/ say what the tables in the source say.

import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PAGES } from './docs.ts'

for (const page of PAGES) {
  test(`${page.path} is up to date`, async () => {
    const committed = await readFile(new URL(`../../${page.path}`, import.meta.url), 'utf8').catch(() => '')
    assert.equal(committed, page.text(), `${page.path} is out of date: run \`npm run docs\``)
  })
}

const ROOT = new URL('../../', import.meta.url)
const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8')
const find = (pattern: string): Promise<string[]> => Array.fromAsync(glob(pattern, { cwd: ROOT }))

test('every test that the documentation names is there, by its file and by its own name', async () => {
  const files = await find('{src,test,dashboard,bench}/**/*.test.ts')
  const pages = await find('{*.md,docs/*.md,docs/decisions/*.md,bench/*.md}')
  let count = 0
  for (const page of pages) {
    const text = await read(page)
    // A file is named by the end of its path, one test of it by its name behind that in quotes.
    for (const [, name = '', one] of text.matchAll(/`([\w/.-]+\.test\.ts)`(?: "([^"]+)")?/g)) {
      const named = files.filter((file) => `/${file}`.endsWith(`/${name}`))
      assert.ok(named.length > 0, `${page} names ${name}`)
      count++
      if (one === undefined) continue
      const sources = await Promise.all(named.map(read))
      assert.ok(
        sources.some((source) => source.includes(`test('${one}'`)),
        `${page} names "${one}" of ${name}`,
      )
    }
  }
  assert.ok(count > 120, `${count}`)
})

test('every source and attack that docs/security.md names is there', async () => {
  const page = await read('docs/security.md')
  const named = [...new Set(page.match(/(?<=`)[\w/*.-]+\.ts(?=[` ])/g))]
  const attacks = new Set(page.match(/(?<=attack `)[\w-]+(?=`)/g))
  assert.ok(attacks.size > 8)
  const files = new Set(await find('{src,test}/**/*.ts'))
  // Names without a folder are those of flows; others stand in `src`.
  for (const name of named) {
    const places = name.includes('/') ? `src/${name}` : `test/flow/{.,hosts}/${name}`
    assert.ok((await find(places)).length > 0 || files.has(name), name)
  }
  for (const name of attacks) assert.ok(files.has(`test/attack/recipes/${name}.ts`), name)
})

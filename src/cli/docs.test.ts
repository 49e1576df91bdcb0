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

test('every test, source and attack that docs/security.md names is there', async () => {
  const root = new URL('../../', import.meta.url)
  const page = await readFile(new URL('docs/security.md', root), 'utf8')
  const named = [...new Set(page.match(/(?<=`)[\w/*.-]+\.ts(?=[` ])/g))]
  const tests = named.filter((name) => name.endsWith('.test.ts'))
  const attacks = new Set(page.match(/(?<=attack `)[\w-]+(?=`)/g))
  assert.ok(tests.length > 40 && attacks.size > 8)
  const files = new Set(await Array.fromAsync(glob('{src,test}/**/*.ts', { cwd: root })))
  // Names without a folder are those of flows; others stand in `src`.
  for (const name of named) {
    const places = name.includes('/') ? [`src/${name}`] : [`test/flow/${name}`, `test/flow/hosts/${name}`]
    const found = await Array.fromAsync(glob(places, { cwd: root }))
    assert.ok(found.length > 0 || files.has(name), name)
  }
  for (const name of attacks) assert.ok(files.has(`test/attack/recipes/${name}.ts`), name)
})

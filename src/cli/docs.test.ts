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

test('every test and attack that docs/security.md names is there', async () => {
  const root = new URL('../../', import.meta.url)
  const page = await readFile(new URL('docs/security.md', root), 'utf8')
  const tests = new Set(page.match(/(?<=`)[\w/-]+\.test\.ts(?=`)/g))
  const attacks = new Set(page.match(/(?<=attack `)[\w-]+(?=`)/g))
  assert.ok(tests.size > 40 && attacks.size > 8)
  const files = await Array.fromAsync(glob('{src,test}/**/*.ts', { cwd: root }))
  for (const name of tests)
    assert.ok(
      files.some((file) => file.endsWith(`/${name}`)),
      name,
    )
  for (const name of attacks) assert.ok(files.includes(`test/attack/recipes/${name}.ts`), name)
})

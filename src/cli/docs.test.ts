// The committed pages of docs/ say what the tables in the source say.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PAGES } from './docs.ts'

for (const page of PAGES) {
  test(`${page.path} is up to date`, async () => {
    const committed = await readFile(new URL(`../../${page.path}`, import.meta.url), 'utf8').catch(() => '')
    assert.equal(committed, page.text(), `${page.path} is out of date: run \`npm run docs\``)
  })
}

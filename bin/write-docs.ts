// Writes the pages of docs/ that are generated from tables in the source code (`npm run docs`).

import { writeFile } from 'node:fs/promises'
import { PAGES } from '../src/cli/docs.ts'

for (const page of PAGES) {
  await writeFile(new URL(`../${page.path}`, import.meta.url), page.text())
  process.stdout.write(`${page.path}\n`)
}

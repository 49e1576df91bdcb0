// Every dashboard URL that the service sends, in problems and in mails, leads to a page.

import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): Promise<string> => readFile(`${ROOT}${path}`, 'utf8')

/** Returns patterns of the paths of all pages, with and without a login. */
async function pages(): Promise<RegExp[]> {
  const [inside, outside] = await Promise.all([read('dashboard/routes.tsx'), read('dashboard/outside.tsx')])
  const paths = `${inside}${outside}`.matchAll(/'(\/[\w/:-]*\??)'(?=, \(\) =>|:)/g)
  return [...paths].map(([, path = '']) => new RegExp(`^${path.replace(/\/:\w+(\??)/g, '(?:/[^/]+)$1')}$`))
}

/** Patterns of paths in the source code: the link of a problem, and the path after a base URL in mails and the log. */
const NAMED = [/\blink: ['`](\/[^'`]*)['`]/g, /(?:\.value|\burl|\bdashboard_url)\}(\/[^:`'"\s]+)/g] as const

/** URL paths for programs: the API, its reference, and the mailbox of the playground. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['/v1', '/docs', '/playground/mailbox'])

test('every address that problems, the start, mails and shared links name is that of a page', async () => {
  const known = await pages()
  assert.ok(known.length > 35, `${known.length}`)
  const named: string[] = []
  const files = glob('src/{access,health,api/dashboard,api/domains,cli}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/*.test.ts'],
  })
  for await (const file of files) {
    const source = await read(file)
    for (const pattern of NAMED) for (const [, link = ''] of source.matchAll(pattern)) named.push(link)
  }
  for (const one of ['/operator', '/reset-password', '/account/profile', '/dns-records', '/mailbox']) {
    assert.ok(
      named.some((link) => link.startsWith(one)),
      `${one} was not found in the source`,
    )
  }
  for (const link of named.filter((one) => !OF_PROGRAMS.has(one))) {
    const path = link.replace(/\$\{[^}]+\}/g, 'x').replace(/\?.*/, '')
    assert.ok(
      known.some((page) => page.test(path)),
      `there is no page ${path}`,
    )
  }
})

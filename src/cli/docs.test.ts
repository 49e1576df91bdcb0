// The pages of docs/ match the source code: generated tables are current, and all commands, settings, tests and links
// that the pages name exist.

import assert from 'node:assert/strict'
import { glob, readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { SETTINGS } from '../config/settings.ts'
import { CONNECTIONS, WRITING } from '../store/database/postgres-connections.ts'
import { COMMANDS } from './commands.ts'
import { PAGES } from './docs.ts'
import { parse } from './parse.ts'

for (const page of PAGES) {
  test(`${page.path} is up to date`, async () => {
    const committed = await readFile(new URL(`../../${page.path}`, import.meta.url), 'utf8').catch(() => '')
    assert.equal(committed, page.text(), `${page.path} is out of date: run \`npm run docs\``)
  })
}

const ROOT = new URL('../../', import.meta.url)
const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8')
const find = (pattern: string): Promise<string[]> => Array.fromAsync(glob(pattern, { cwd: ROOT }))

/** Pages that describe the current program; excludes records of past work. */
const PAGES_IN_FORCE =
  '{*.md,docs/*.md,docs/decisions/*.md,bench/*.md,docs/record/{attacks,dashboard,measurements,races,reliability,security}.md}'

test('every test that the documentation names exists, by its file and by its own name', async () => {
  const files = await find('{src,test,dashboard,bench,sdk}/**/*.test.ts')
  const pages = await find(PAGES_IN_FORCE)
  let count = 0
  for (const page of pages) {
    const text = await read(page)
    // Pages name a test file by the end of its path; the name of a test or group follows in quotes.
    for (const [, name = '', one] of text.matchAll(/`([\w/.-]+\.test\.ts)`(?: "([^"]+)")?/g)) {
      const named = files.filter((file) => `/${file}`.endsWith(`/${name}`))
      assert.ok(named.length > 0, `${page} names ${name}`)
      count++
      if (one === undefined) continue
      const sources = await Promise.all(named.map(read))
      assert.ok(
        sources.some((source) => source.includes(`test('${one}'`) || source.includes(`describe('${one}'`)),
        `${page} names "${one}" of ${name}`,
      )
    }
  }
  assert.ok(count > 120, `${count}`)
})

test('every source and attack that docs/record/security.md names exists', async () => {
  const page = await read('docs/record/security.md')
  const named = [...new Set(page.match(/(?<=`)[\w/*.-]+\.ts(?=[` ])/g))]
  const attacks = new Set(page.match(/(?<=attack `)[\w-]+(?=`)/g))
  assert.ok(attacks.size > 8)
  const files = new Set(await find('{src,test}/**/*.ts'))
  // Files named without a directory are in `test/flow`; files named with a directory are in `src`.
  for (const name of named) {
    const places = name.includes('/') ? `src/${name}` : `test/flow/{.,hosts}/${name}`
    assert.ok((await find(places)).length > 0 || files.has(name), name)
  }
  for (const name of attacks) assert.ok(files.has(`test/attack/recipes/${name}.ts`), name)
})

test('no example has a key among its arguments, where the list of processes shows it', async () => {
  let count = 0
  for (const page of await find('{*.md,docs/*.md,deploy/*.md,src/cli/*.ts}')) {
    for (const [, value] of (await read(page)).matchAll(/postrider [^\n`]*--key[ =]([^\s`']+)/g)) {
      assert.match(value ?? '', /^(?:-|KEY)$/, page)
      count++
    }
  }
  assert.ok(count > 0)
})

/** Returns the words of the first command in a shell command line. */
const wordsOf = (line: string): string[] =>
  (/^(?:"[^"]*"|'[^']*'|[^\s"'`#|<>;&)]+|\s+(?!#))*/.exec(line)?.[0].match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map(
    (word) => word.replaceAll(/^["']|["']$/g, ''),
  )

test('every command that the documentation shows is understood', async () => {
  let [count, named] = [0, 0]
  for (const page of await find('{*.md,docs/*.md,deploy/*.md,bench/*.md}')) {
    const text = (await read(page)).replaceAll(/\\\n/g, ' ').replaceAll(/\$\([^)]*\)/g, 'x')
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
    for (const [, line = ''] of blocks
      .join('')
      .matchAll(/(?:^|\s|bin\/)(?:postrider )?postrider ([^\n]*)/gm)) {
      const words = wordsOf(line)
      assert.doesNotThrow(() => parse(words, COMMANDS), `${page}: postrider ${line}`)
      count++
    }
    // Commands inside a sentence may omit their arguments.
    const rest = text.replaceAll(/^```.*?^```/gms, '')
    for (const [, line = ''] of rest.matchAll(/`(?:bin\/)?postrider ([a-z][^`]*)`/g)) {
      const words = wordsOf(line)
      const options = words.filter((word) => word.startsWith('--'))
      assert.doesNotThrow(() => parse([...words, '--help'], COMMANDS), `${page}: ${line}`)
      const about = parse([...words, '--help'], COMMANDS)
      const command = COMMANDS.find(({ name }) => about.kind === 'help' && name === about.about)
      for (const option of options)
        assert.ok(
          option === '--json' || option.slice(2).replace(/=.*/, '') in (command?.inputs ?? {}),
          `${page}: ${line}`,
        )
      named++
    }
  }
  assert.ok(count > 20 && named > 40, `${count}, ${named}`)
})

test('every npm script, setting and link that the documentation names exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  const settings = new Set((await read('docs/config.md')).match(/\bPOSTRIDER_[A-Z_]+\b/g))
  const files = new Set(await find('{*,{.ci,bench,bin,deploy,docs,sdk,src,test}/**/*}'))
  for (const page of await find(PAGES_IN_FORCE)) {
    const text = await read(page)
    for (const [, name = ''] of text.matchAll(/\bnpm run ([a-z:-]+)/g))
      assert.ok(name in scripts, `${page}: npm run ${name}`)
    for (const name of text.match(/\bPOSTRIDER_[A-Z_]+[A-Z]\b/g) ?? [])
      assert.ok(settings.has(name), `${page}: ${name}`)
    const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/') + 1) : ''
    // Images with a dark variant are HTML elements.
    for (const [, to = ''] of text.matchAll(
      /(?:\]\(|^ *<(?:a href|img src|source media="[^"]*" srcset)=")(?!https?:|mailto:)([^)"#\s]+)/gm,
    )) {
      const path = new URL(to, `file:///${folder}`).pathname.slice(1).replace(/\/$/, '')
      assert.ok(files.has(path), `${page}: ${to}`)
    }
  }
})

/** Returns the anchors that GitHub generates for the headings of a page. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

test('every link to a heading leads to one', async () => {
  let count = 0
  for (const page of await find(PAGES_IN_FORCE)) {
    for (const [, to = '', anchor = ''] of (await read(page)).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)) {
      const path = to === '' ? page : new URL(to, `file:///${page}`).pathname.slice(1)
      assert.ok(anchorsOf(await read(path)).has(anchor), `${page}: ${to}#${anchor}`)
      count++
    }
  }
  assert.ok(count > 40, `${count}`)
})

test('the table of who may import whom in docs/architecture.md is that of the import rules', async () => {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: readonly { readonly name: string; readonly comment?: string }[]
  }
  const rules = forbidden.flatMap(({ comment = '' }) => {
    const [, room = '', rooms] = /^src\/([\w-]+) may import (.*)$/.exec(comment) ?? []
    // Directories that may import `lib` may also import `threads` and `tables`, so the table does not list these two.
    const imported = rooms
      ?.replace('nothing of src', '')
      .split(', ')
      .filter((one) => !/^(threads|tables|)$/.test(one))
    return imported === undefined ? [] : [[room, imported.toSorted()] as const]
  })
  const [, table = ''] = (await read('docs/architecture.md')).split('## Who may import whom')
  const rows = [...table.matchAll(/^\| ([\w, -]+) \| (.*) \|$/gm)].flatMap(([, rooms = '', cell = '']) => {
    const [list = ''] = cell.replaceAll(/ \([^)]*\)/g, '').split(';')
    const imported = list === 'Node and packages only' ? [] : list.split(', ').toSorted()
    return rooms.split(', ').map((room) => [room, imported] as const)
  })
  assert.ok(rules.length > 30, `${rules.length}`)
  for (const [room, imported] of rules) assert.deepEqual(new Map(rows).get(room), imported, room)
})

test('every room of src begins a line of the tree in docs/architecture.md, or is in a line of several rooms', async () => {
  const [, tree = ''] = (await read('docs/architecture.md')).split('## The tree')
  const lines = tree.split('\n').filter((line) => line.startsWith('      '))
  const rooms = await readdir(new URL('src', ROOT), { withFileTypes: true })
  for (const { name } of rooms.filter((one) => one.isDirectory())) {
    assert.ok(
      lines.some((line) => new RegExp(`^ {6}(?:[\\w-]+/ )*${name}/ `).test(line)),
      name,
    )
  }
})

test('the README leads to every page, and decision 2 names every dependency', async () => {
  const readme = await read('README.md')
  for (const page of await find('docs/*.md')) assert.ok(readme.includes(`](${page})`), page)
  const decision = await read('docs/decisions/0002-dependencies.md')
  let count = 0
  for (const path of ['package.json', 'src/package.json', 'dashboard/package.json']) {
    const { dependencies, devDependencies } = JSON.parse(await read(path)) as Record<string, object>
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      // Type declarations belong to the package that they describe.
      if (name.startsWith('@types/')) continue
      assert.match(decision, new RegExp(`(?<![\\w/@-])${name}(?![\\w/-])`), `${path}: ${name}`)
      count++
    }
  }
  assert.ok(count > 60, `${count}`)
})

test('pages for users name no tests, commits and loads of machines: these stand in the record', async () => {
  for (const page of await find('docs/*.md')) {
    // docs/architecture.md is for developers, not for users.
    if (page === 'docs/architecture.md') continue
    const [found] =
      /[\w/-]+\.test\.ts|\bcommit [0-9a-f]{7,}|\bload \d|\blaborator/.exec(await read(page)) ?? []
    assert.equal(found, undefined, page)
  }
})

test('the pages name as many connections of a node to PostgreSQL as there are', async () => {
  let count = 0
  for (const page of [
    'docs/postgresql.md',
    'docs/scaling.md',
    'docs/decisions/0036-failures-of-the-database.md',
  ]) {
    for (const [, named] of (await read(page)).matchAll(/(\d+) (?:connections|of them)(?! in all)/g)) {
      assert.equal(Number(named), CONNECTIONS, page)
      count++
    }
  }
  assert.ok(count >= 4, `${count}`)
  assert.ok((await read('docs/postgresql.md')).includes(`${CONNECTIONS - WRITING} read and ${WRITING} write`))
})

test('commands of the pages use variables that are defined: in their page, in the README, or as settings', async () => {
  const everywhere = new Set(['BASE', 'KEY', ...Object.values(SETTINGS).map(({ name }) => name)])
  let count = 0
  for (const page of await find('{README.md,docs/*.md}')) {
    const blocks = [...(await read(page)).matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
    const text = blocks.join('')
    for (const [, name = ''] of text.matchAll(/\$\{?([A-Z][A-Z_]+)/g)) {
      assert.ok(everywhere.has(name) || new RegExp(`\\b${name}=`).test(text), `${page}: ${name}`)
      count++
    }
    assert.doesNotMatch(text, /\$BASE\/(?!v1\/|inboxes\/)/, page)
  }
  assert.ok(count > 15, `${count}`)
})

// Tests the headers of the dashboard's files, and the size of its first load.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fastify } from 'fastify'
import { TestApp } from '../../test/support/app.ts'
import { thorough } from '../../test/support/thorough.ts'
import { silentLog } from '../lib/log.ts'
import { DashboardFiles } from './dashboard-files.ts'

const DIST = new URL('../../dashboard/dist/', import.meta.url)

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const LANGUAGES = ['en', 'de', 'fr']

const manifestOf = (language: string): Readonly<Record<string, Chunk>> =>
  JSON.parse(readFileSync(new URL(`${language}/manifest.json`, DIST), 'utf8'))

/**
 * Returns the texts of a language that the build contains unchanged: texts of five or more words without quotation
 * marks.
 */
async function sentencesIn(language: string): Promise<Set<string>> {
  const sentences = new Set<string>()
  const add = (texts: object): void => {
    for (const text of Object.values(texts)) {
      if (typeof text !== 'string') add(text)
      else if (/(?:\S+ ){4}\S/.test(text) && !/["'`\\$]/.test(text)) sentences.add(text)
    }
  }
  const folder = new URL(`../../dashboard/texts/${language}/`, import.meta.url)
  for (const file of readdirSync(folder)) add(await import(`${folder}${file}`))
  return sentences
}

describe('the files of the dashboard', () => {
  let app: TestApp
  const INSIDE = { accept: 'text/html', cookie: 'postrider_session=any' }
  const page = (path: string, headers: Record<string, string> = INSIDE) =>
    fetch(new URL(path, app.app.url), { headers, redirect: 'manual' })

  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  test('the page is at / and at every address of its own, with a policy of its own each time', async () => {
    const nonces = new Set<string>()
    for (const path of ['/', '/login', '/domains/dom_x/messages?status=bounced']) {
      const answer = await page(path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      const html = await answer.text()
      assert.equal(answer.status, 200, path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      assert.match(policy, /default-src 'none'; script-src 'self'; /)
      assert.doesNotMatch(policy, /unsafe/)
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
      assert.ok(nonce.length >= 22 && html.includes(`nonce="${nonce}"`), policy)
      assert.doesNotMatch(html, /<script(?![^>]* src=)/, 'the page contains no inline script')
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  test('without a session every page leads to the login, except for those that need none', async () => {
    const accept = { accept: 'text/html' }
    for (const [path, login] of [
      ['/', '/login'],
      ['/domains/dom_x?status=bounced', '/login?to=%2Fdomains%2Fdom_x%3Fstatus%3Dbounced'],
    ] as const) {
      const answer = await page(path, accept)
      assert.equal(answer.status, 302)
      assert.equal(answer.headers.get('location'), login)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    for (const path of ['/shared/msg_x?token=x', '/shared-mails/mbx_x?token=x', '/dns-records?token=x']) {
      assert.equal((await page(path, accept)).status, 200, path)
    }
    const outside = await (await page('/login', accept)).text()
    for (const path of ['/first-run', '/invitation', '/forgotten-password', '/reset-password']) {
      const scripts = (html: string) => html.match(/src="[^"]+"/g)
      assert.deepEqual(scripts(await (await page(path, accept)).text()), scripts(outside), path)
    }
    assert.match(outside, /assets\/outside-/)
  })

  test('other addresses keep their answers', async () => {
    for (const path of ['/v1/nothing', '/api/nothing', '/assets/nothing.js', '/docs/nothing', '/u']) {
      const answer = await page(path)
      assert.equal(answer.status, 404, path)
      assert.match(answer.headers.get('content-type') ?? '', /problem\+json/, path)
    }
    assert.equal((await page('/nothing', { accept: 'application/json' })).status, 404)
    assert.equal((await page('/login', { accept: '*/*' })).status, 200, 'the login, for any client')
    assert.equal((await page('/healthz')).status, 200)
    for (const path of [
      '/en/manifest.json',
      '/assets/..%2fen%2fmanifest.json',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/%2e%2e/package.json',
    ]) {
      assert.doesNotMatch(await (await page(path, { accept: '*/*' })).text(), /isEntry|"scripts"|<html/, path)
    }
  })

  test('assets are compressed, typed and cached for ever', async () => {
    const html = await (await page('/')).text()
    const [script = ''] = /\/assets\/index-[^"]+\.js/.exec(html) ?? []
    const answer = await page(script, { 'accept-encoding': 'br' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-encoding'), 'br')
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
    assert.match(answer.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
    const named = [...html.matchAll(/\/assets\/[^"]+\.(?:js|css)/g)].map(([path]) => path)
    assert.ok(named.length > 2, named.join())
    for (const path of named) {
      const cached = (await page(path)).headers.get('cache-control')
      const expected = path.endsWith('/color-scheme.js') ? 'no-cache' : 'public, max-age=31536000, immutable'
      assert.equal(cached, expected, path)
    }
    assert.match((await answer.text()).slice(0, 2_000), /import|const|var|function/)
  })

  /**
   * Returns the total compressed size of the files that a browser with an empty cache fetches for these entry points in
   * this language.
   */
  function weightOf(language: string, ...entries: readonly string[]): number {
    const manifest = manifestOf(language)
    const needed = new Set<string>(['assets/color-scheme.js'])
    const seen = new Set<string>()
    const add = (name: string): void => {
      if (name.endsWith('.html')) {
        // The HTML document names its scripts and all scripts that they import.
        const html = readFileSync(new URL(`${language}/${name}`, DIST), 'utf8')
        for (const [, file = ''] of html.matchAll(/"\/(assets\/[^"]+)"/g)) needed.add(file)
        return
      }
      if (seen.has(name)) return
      seen.add(name)
      const chunk = manifest[name]
      assert.ok(chunk, name)
      for (const file of [chunk.file, ...(chunk.css ?? [])]) needed.add(file)
      for (const other of chunk.imports ?? []) add(other)
    }
    for (const entry of entries) add(entry)
    return [...needed].reduce((sum, file) => sum + statSync(new URL(`${file}.br`, DIST)).size, 0)
  }

  /** Returns the manifest key of the part of the home page with this name in first-load.ts. */
  const partOfHome = (language: string, name: string): string =>
    Object.keys(manifestOf(language)).find((key) => key.startsWith(`_${name}-`) && key.endsWith('.js')) ??
    name

  /**
   * Maximum size in KiB of each first load: the login, the home page with figures or with the guide, and the messages
   * page.
   */
  const BUDGETS: readonly (readonly [page: string, most: number, entries: (language: string) => string[]])[] =
    [
      ['login', 90, () => ['outside.html']],
      ['home', 150, (language) => ['index.html', partOfHome(language, 'figures')]],
      ['guide', 150, (language) => ['index.html', partOfHome(language, 'guide')]],
      ['messages', 200, () => ['index.html', 'pages/messages/messages-page.tsx']],
    ]
  for (const language of LANGUAGES) {
    for (const [page, most, entries] of BUDGETS) {
      test(`the first load of ${page} in ${language} weighs at most ${most} KiB`, () => {
        const weight = weightOf(language, ...entries(language)) / 1024
        assert.ok(weight > 40 && weight <= most, `${weight.toFixed(1)} KiB`)
      })
    }
  }

  test(
    'the files of a language contain the texts of that language and no others',
    thorough('1.0 CPU s: builds of the dashboard in each language'),
    async () => {
      for (const language of LANGUAGES) {
        const own = await sentencesIn(language)
        const files = new Set(Object.values(manifestOf(language)).map(({ file }) => file))
        const programs = [...files].map((file) => readFileSync(new URL(file, DIST), 'utf8')).join('\n')
        assert.deepEqual(
          [...own].filter((sentence) => !programs.includes(sentence)),
          [],
        )
        for (const other of LANGUAGES.filter((one) => one !== language)) {
          const foreign = [...(await sentencesIn(other))].filter((sentence) => !own.has(sentence))
          assert.ok(foreign.length > 300, `${foreign.length}`)
          assert.deepEqual(
            foreign.filter((sentence) => programs.includes(sentence)),
            [],
            `${other} in ${language}`,
          )
        }
      }
    },
  )

  test('the pages are in the chosen language, otherwise in the one that the browser prefers', async () => {
    for (const [language, accepted, chosen = ''] of [
      ['en', ''],
      ['en', 'sv, ja;q=0.5'],
      ['de', 'de-AT, en;q=0.5'],
      ['fr', 'sv, de;q=0.5, fr;q=0.9'],
      ['de', 'fr', 'postrider_language=de'],
      ['fr', 'fr', 'postrider_language=sv'],
      ['fr', 'fr', 'other_postrider_language=de'],
    ] as const) {
      const cookie = `${chosen}; postrider_session=any`
      for (const path of ['/', '/login']) {
        const answer = await page(path, { accept: 'text/html', cookie, 'accept-language': accepted })
        assert.match(await answer.text(), new RegExp(`<html lang="${language}">`), `${accepted} ${chosen}`)
        assert.equal(answer.headers.get('vary'), 'accept-language, cookie')
      }
    }
  })
})

for (const link of [false, true]) {
  const where = link ? 'behind a link, as for the compiled program of a clone,' : 'next to the program'
  test(`a dashboard that is built ${where} while the node runs is shown as soon as it is complete`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-dashboard-'))
    const server = fastify()
    try {
      const warnings: string[] = []
      const log = { ...silentLog, warn: (_: object, message: string) => warnings.push(message) }
      if (link) {
        await mkdir(join(folder, 'program'))
        await symlink(join(folder, 'dist'), join(folder, 'program/dist'))
      }
      const files = new DashboardFiles(log, join(folder, link ? 'program/dist' : 'dist'))
      await mkdir(join(folder, 'dist.1'))
      server.setNotFoundHandler((request, reply) => {
        if (!files.answers(request, reply)) reply.code(404).send()
      })
      await files.addTo(server)
      const before = await server.inject('/login')
      assert.equal(before.statusCode, 503)
      assert.equal(before.headers['retry-after'], '1')
      assert.match(
        before.body,
        /<meta http-equiv="refresh" content="1">/,
        'a browser tries again automatically',
      )
      assert.equal((await server.inject('/assets/color-scheme.js')).statusCode, 404)
      assert.deepEqual(warnings, [], 'a build is in progress')
      await rm(join(folder, 'dist.1'), { recursive: true })
      await server.inject('/login')
      await server.inject('/login')
      assert.deepEqual(warnings, ['The dashboard is not built; run "npm run build:dashboard".'])
      await symlink(DIST, join(folder, 'dist'))
      const since = await server.inject('/login')
      assert.equal(since.statusCode, 200)
      const [script = ''] = /\/assets\/outside-[^"]+\.js/.exec(since.body) ?? []
      assert.equal((await server.inject(script)).statusCode, 200)
    } finally {
      await server.close()
      await rm(folder, { recursive: true })
    }
  })
}

test('a node without the role shows no dashboard', async () => {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  try {
    const answer = await fetch(app.app.url, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 404)
  } finally {
    await app.stop()
  }
})

// Regenerates src/verification/lists from the latest versions of npm packages and from the lists that are kept by hand,
// and the table of features that mail programs support from the data of "Can I email".

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII, fileURLToPath } from 'node:url'

const LISTS = fileURLToPath(new URL('../src/verification/lists/', import.meta.url))
const CHECK = fileURLToPath(new URL('../src/check/', import.meta.url))
/** Package that contains the data of https://www.caniemail.com as one JSON file. */
const CLIENT_SUPPORT = 'caniemail'
const PACKAGES = [
  'disposable-email-domains-js',
  'fakefilter',
  'disposable-domains',
  'burner-email-providers',
  'mailchecker',
  'free-email-domains',
  'email-providers',
  'role-based-email-addresses',
  'tldts',
]

const directory = mkdtempSync(join(tmpdir(), 'postrider-lists-'))
try {
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  const latest = [...PACKAGES, CLIENT_SUPPORT].map((name) => `${name}@latest`)
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...latest], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  refresh(join(directory, 'node_modules'))
  refreshClientSupport(join(directory, 'node_modules', CLIENT_SUPPORT))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function refresh(modules: string): void {
  const load = createRequire(join(modules, 'index.js'))
  const read = (file: string): string => readFileSync(join(modules, file), 'utf8')
  const curated = domains(load('disposable-email-domains-js').disposableEmailBlocklist())
  const observed = domains(Object.keys(JSON.parse(read('fakefilter/json/data.json')).domains))
  const collected = domains([
    ...load('disposable-domains'),
    ...read('burner-email-providers/emails.txt').split('\n'),
  ])
  // The package `mailchecker` exports no list, only a function that checks a name and its parent domains.
  const [, checked = '[]'] = /new Set\((\[[^\]]*\])\)/.exec(read('mailchecker/platform/node/index.js')) ?? []
  const rejected = domains(JSON.parse(checked))

  // A curated or observed source is sufficient alone; collected lists count only if two independent lists agree.
  const strong = curated.union(observed).union(collected.intersection(rejected))
  const { parse } = load('tldts')
  // Public suffixes, such as com.ar or a dynamic DNS suffix, say nothing about the domains below the suffix.
  const isSuffix = (name: string): boolean => parse(name, { allowPrivateDomains: true }).publicSuffix === name
  const disposable = strong.union(byHand('disposable.txt')).difference(byHand('not-disposable.txt'))
  const kept = new Set([...disposable].filter((name) => !isSuffix(name)))
  write('disposable.txt', withoutChildren(kept))

  const suspicious = strong.union(collected).union(rejected)
  const common = domains(load('email-providers/common.json')).difference(strong)
  const providers = domains(load('email-providers/all.json'))
  const free = domains(load('free-email-domains'))
    .intersection(providers)
    .difference(suspicious)
    .union(common)
  // Only registered domains are kept, because subdomains are rarely real providers, and often new disposable domains.
  const registered = [...free].filter((name) => parse(name).domain === name && !isSuffix(name))
  const all = new Set(registered).union(byHand('free.txt'))
  write('free.txt', all.difference(byHand('not-free.txt')).difference(kept))

  const roles = new Set<string>(load('role-based-email-addresses'))
  const named = [...roles].filter((name) => !/no.?repl|donot|^\d+$|@/.test(name))
  write('roles.txt', new Set(named).union(byHand('roles.txt')).difference(byHand('not-roles.txt')))
  writeFileSync(join(LISTS, 'SOURCES.md'), sources(modules))
}

/** Returns the domain names as lower-case A-labels; leaves out invalid names. */
function domains(names: Iterable<string>): Set<string> {
  const clean = [...names].map((name) => domainToASCII(name.trim().replace(/\.$/, '')))
  return new Set(clean.filter((name) => /^([a-z0-9_-]+\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/.test(name)))
}

function byHand(file: string): Set<string> {
  const lines = readFileSync(join(LISTS, 'kept-by-hand', file), 'utf8').split('\n')
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')))
}

/** Leaves out names whose parent domain is also in the list, because a lookup considers all parent domains. */
function withoutChildren(names: ReadonlySet<string>): Set<string> {
  const hasParent = (name: string): boolean => {
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      if (names.has(name.slice(dot + 1))) return true
    }
    return false
  }
  return new Set([...names].filter((name) => !hasParent(name)))
}

/** Writes one name per line, sorted by bytes as the lookup requires. */
function write(file: string, names: ReadonlySet<string>): void {
  const sorted = [...names].sort((a, b) => (a < b ? -1 : 1))
  writeFileSync(join(LISTS, file), `${sorted.join('\n')}\n`)
  process.stdout.write(`${file}: ${sorted.length}\n`)
}

function sources(modules: string): string {
  const used = PACKAGES.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
    return { name, version, license }
  })
  return [
    '# Sources of the lists',
    '',
    '`npm run refresh-lists` writes this page, `disposable.txt`, `free.txt` and `roles.txt` from the following packages and',
    'from the files in `kept-by-hand`. `bin/refresh-lists.ts` shows how the lists are combined.',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...used.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`),
    // The license CC0 requires no notice.
    ...used.flatMap(({ name, license }) => (license === 'CC0-1.0' ? [] : notice(name, join(modules, name)))),
    '',
  ].join('\n')
}

function notice(name: string, directory: string): string[] {
  const file = readdirSync(directory).find((one) => /^licen[sc]e/i.test(one))
  if (file === undefined) return []
  const text = readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n').trim()
  return ['', `## ${name}`, '', '```text', text, '```']
}

interface ClientData {
  readonly last_update_date: string
  readonly data: readonly {
    readonly slug: string
    /** Support by family, platform and version, oldest version first: `y`, `n`, `a #1`, `u`. */
    readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
  }[]
}

/** Writes one character for each feature and client: the support by the newest version of the client. */
function refreshClientSupport(directory: string): void {
  const { data, last_update_date } = JSON.parse(
    readFileSync(join(directory, 'data/caniemail.json'), 'utf8'),
  ) as ClientData
  const named = data.flatMap(({ stats }) =>
    Object.entries(stats).flatMap(([family, platforms]) =>
      Object.keys(platforms).map((platform) => `${family}.${platform}`),
    ),
  )
  const clients = [...new Set(named)].sort()
  const features = data
    .filter(({ slug }) => /^(?:css|html)-/.test(slug))
    .map(({ slug, stats }) => {
      const support = clients.map((client) => {
        const [family = '', platform = ''] = client.split('.')
        return Object.values(stats[family]?.[platform] ?? {}).at(-1)?.[0] ?? 'u'
      })
      return [slug, support.join('')] as const
    })
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const table = { clients, features: Object.fromEntries(features) }
  writeFileSync(join(CHECK, 'client-support.json'), `${JSON.stringify(table, undefined, 2)}\n`)
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const text = [
    '# Source of the table of mail programs',
    '',
    '`npm run refresh-lists` writes this page and `client-support.json` from the data of [Can I',
    `email](https://www.caniemail.com) of ${last_update_date.slice(0, 10)}, in the npm package ${CLIENT_SUPPORT} ${version}. The data`,
    'is in the repository hteumeuleu/caniemail under the MIT License, Copyright (c) 2019 Rémi Parmentier. The table has',
    'one character for each feature and mail program.',
    ...notice(CLIENT_SUPPORT, directory),
    '',
  ].join('\n')
  writeFileSync(join(CHECK, 'SOURCES.md'), text)
  process.stdout.write(`client-support.json: ${features.length}\n`)
}

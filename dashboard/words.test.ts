// Words that users read: the dashboard, settings, commands, problems and docs contain no private terms of the project.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'

/** Private terms of the project, each with the standard term. */
const PRIVATE: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'the operator, the user, the sender …'],
  [/\bput off\b/i, 'deferred'],
  [/\b(?:tak(?:e|en|es)|took) back\b/i, 'remove, cancel, revoke'],
  [/\bhand(?:s|ed)? (?:in|over)\b/i, 'submit, upload, deliver'],
  [/\bself-made\b/i, 'self-signed'],
  [/\blet(?:s)? (?:it )?go on\b|\bgoes on\b/i, 'resume, continue'],
  [/\banew\b/i, 'again'],
  [/\blately\b/i, 'recently'],
  [/\bheld back\b/i, 'held'],
  [/\bspoken to\b/i, 'contacted'],
  [/\bmade-up\b/i, 'random'],
  [/\blook again\b|\blooked at\b/i, 'check again, checked'],
  [/\bnot now\b/i, 'Cancel'],
  [/\bthis is not here\b/i, 'Not found'],
  [/\bwhat becomes of\b|\bwhat became of\b|\bwhat comes of\b/i, 'status, outcome, result'],
  [/\blate bounce\b/i, 'asynchronous bounce'],
  [/\berrand\b|\bmanners\b|\bpatience\b/i, 'delivery request, probe limits, time budget'],
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = ['dashboard', 'src/cli', 'src/config', 'src/access', 'src/domains', 'src/health', 'src/api']
const ALONE = ['src/model/problem.ts', 'src/delivery/outcome.ts', 'src/egress/destination.ts']
const PAGES = [
  'README.md',
  ...['dashboard', 'streams', 'templates', 'verification', 'words', 'config', 'command-line'].map(
    (name) => `docs/${name}.md`,
  ),
]

interface Node {
  readonly type?: string
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

/**
 * Returns the texts of a program that users may read: text between tags, and strings and templates that contain a
 * space.
 */
function textsOf(path: string): string[] {
  const texts: string[] = []
  const add = (text: string): void => {
    if (/\s/.test(text.trim())) texts.push(text.replace(/\s+/g, ' '))
  }
  const visit = (node: Node | readonly Node[] | null | undefined): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, value, quasis } = node as Node
    if ((type === 'JSXText' || type === 'Literal') && typeof value === 'string') add(value)
    if (type === 'TemplateLiteral') add((quasis ?? []).map((one) => one.value.raw).join(' … '))
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseAst(readFileSync(join(ROOT, path), 'utf8'), { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as Node)
  return texts
}

const programs = SOURCES.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test|\.test-data)\.tsx?$/.test(name) && !name.startsWith('dist'))
    .map((name) => `${folder}/${name}`),
)

/** Returns each private term in these texts, with its place and the standard term. */
const faultsOf = (path: string, texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    PRIVATE.filter(([word]) => word.test(text)).map(
      ([word, instead]) => `${path}: "${text.slice(0, 120)}" ${word}: ${instead}`,
    ),
  )

test('texts of the programs have the words of the field', () => {
  const paths = [...programs, ...ALONE]
  const texts = paths.map((path) => textsOf(path))
  assert.ok(texts.flat().length > 1_000, 'the texts are found')
  assert.deepEqual(
    paths.flatMap((path, index) => faultsOf(path, texts[index] ?? [])),
    [],
  )
})

test('the docs for users have the words of the field', () => {
  // Names of tests may contain private terms.
  const linesOf = (path: string): string[] =>
    readFileSync(join(ROOT, path), 'utf8')
      .replace(/(`[\w/.-]+\.test\.ts`) "[^"]+"/g, '$1')
      .split('\n')
  const faults = PAGES.flatMap((path) => faultsOf(path, linesOf(path)))
  assert.deepEqual(faults, [])
})

test('a private word is found where it stands', () => {
  assert.equal(faultsOf('x', ['It was put off.', 'It was deferred.']).length, 1)
})

/** Maximum share of doc comments that begin with a question word; the house style requires a verb or a noun. */
const MAX_SHARE = 0.02

test('doc comments begin with a verb or a noun', () => {
  const comments = ['src', 'dashboard', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('dist'))
      .flatMap((name) => [
        ...readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/\/\*\*\s+(?:\* )?(\w+)/g),
      ]),
  )
  const asking = comments.filter(([, first = '']) => /^(?:what|who|whoever|whether|whose|whom)$/i.test(first))
  assert.ok(comments.length > 1_000, 'the comments are found')
  assert.ok(
    asking.length / comments.length < MAX_SHARE,
    `${asking.length} of ${comments.length} doc comments`,
  )
})

// Texts of the dashboard are in the folder `texts`: no other module contains a text for users.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Modules with content that is sent or copied: starter templates and example programs. */
const CONTENT = /(?:snippets|starters)\.ts$/

/** Modules of the dashboard, without the modules in `texts`. */
const PROGRAMS = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (path) =>
    /(?<!\.test|\.config|mantine-styles)\.tsx?$/.test(path) && !/^(?:dist|node_modules|texts)\//.test(path),
)

/** Attributes and fields whose values users always read. */
const READ = new Set([
  'label',
  'title',
  'aria-label',
  'placeholder',
  'alt',
  'description',
  'intro',
  'hint',
  'action',
  'what',
  'legend',
])
/** Attributes and fields that only the browser or the program reads. */
const UNREAD = new Set([
  'className',
  'aria-keyshortcuts',
  'autoComplete',
  'queryKey',
  'fontFamily',
  'fontFamilyMonospace',
])

/** Texts that are the same in every language, or that no user reads. */
const NAMES = new Set([
  ...['Postrider', 'URL', 'Cc', 'Bcc', 'Reply-To', 'KiB', 'MiB', 'Ctrl K', 'Escape', 'AbortError', 'quiet'],
  ...['Edg/', 'Edge', 'Opera', 'Firefox/', 'Firefox', 'Chrome/', 'Chrome', 'Safari/', 'Safari'],
  ...['Android', 'Windows', 'Mac OS X', 'Linux'],
  ...['Standard Webhooks', 'Postmark', 'SendGrid', 'Mailgun', 'Resend', 'Postal'],
  ...['example.com', 'ann@example.net', 'https://app.example.com/webhooks', 'https://example.com/logo.png'],
  ...['/first-run?token=', '[object Object]', '… min … s'],
  // Keyword for the current item in a template.
  'this',
  ...['DMARC', 'DKIM …', 'HTTP …', 'attempt …', 'pages …'],
])

/** Texts that are not for users: selectors, styles, storage names, and errors of a page itself. */
const INNER =
  /var\(--|^(?:a|x-style|form)(?:, \w+)+$|^\.cm-|^postrider |^login email$|^This page needs a |^[@/{]/

interface Node {
  readonly type?: string
  readonly value?: unknown
  readonly name?: string | { readonly name?: string }
  readonly key?: { readonly name?: string; readonly value?: string }
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

const programOf = (path: string, source = readFileSync(`${ROOT}${path}`, 'utf8')): Node =>
  parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as Node

/** Returns the child nodes of a node, without types and imports. */
const partsOf = (node: Node): readonly Node[] =>
  Object.entries(node)
    .filter(([field]) => !/^(?:type(?:Annotation|Arguments|Parameters)|returnType|superType\w*)$/.test(field))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((one): one is Node => typeof one === 'object' && one !== null)
    .filter(({ type }) => !/^(?:Import(?!Expression)|ExportAll|TS(?:Type|Interface|Enum))/.test(type ?? ''))

/** Returns the text of a node: a string, a template without its values, or text between tags. */
function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'TemplateLiteral') return (quasis ?? []).map((one) => one.value.raw).join('…')
  return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? value.trim() : undefined
}

/** True for a sentence, several words, or a word that begins with a capital letter. */
const isProse = (text: string): boolean =>
  /^\p{Lu}\p{Ll}/u.test(text) || /\p{L}{2}[,.:;…]*\s+[\p{L}…]/u.test(text)

/** Returns the texts in a program, without texts that only programs read. */
function ownTexts(program: Node): string[] {
  const texts = new Set<string>()
  /**
   * Visits a node and its children.
   * @param isRead true directly inside an attribute or field that users read, where a single lower-case word counts too
   */
  const visit = (node: Node, isRead: boolean): void => {
    const { type, name, key } = node
    const field = type === 'JSXAttribute' ? (name as { name?: string }).name : (key?.name ?? key?.value)
    if (field !== undefined && UNREAD.has(field)) return
    const text = textOf(node)
    if (text !== undefined && /\p{L}{2}/u.test(text) && !NAMES.has(text) && !INNER.test(text)) {
      if (isRead || type === 'JSXText' || isProse(text)) texts.add(text)
    }
    const into = type === 'JSXAttribute' || type === 'Property' ? READ.has(field ?? '') : isRead
    const deeper = /^(?:JSXExpressionContainer|ConditionalExpression|JSXAttribute|Property)$/.test(type ?? '')
    const { test, key: _key, ...rest } = node as Node & { readonly test?: Node }
    if (type === 'ConditionalExpression' && test !== undefined) visit(test, false)
    for (const part of partsOf(type === 'ConditionalExpression' || type === 'Property' ? rest : node)) {
      visit(part, deeper && into)
    }
  }
  visit(program, false)
  return [...texts]
}

test('no page has texts of its own', () => {
  const folders = new Set(
    PROGRAMS.filter((path) => path.startsWith('pages/')).map((path) => path.split('/')[1]),
  )
  assert.deepEqual(
    [...folders].sort(),
    readdirSync(`${ROOT}pages`).sort(),
    'every folder of pages is among them',
  )
  const faults = PROGRAMS.filter((path) => !CONTENT.test(path)).flatMap((path) =>
    ownTexts(programOf(path)).map((text) => `${path}: ${text}`),
  )
  assert.deepEqual(faults, [])
})

test('a text of a page is found wherever it stands', () => {
  const written = [
    'const page = <b>{isOld ? "Old" : <i>words here</i>}</b>',
    'const facts = [["Size", 3]]',
    'const field = <Field label="small" hint={x ? "tiny" : undefined} />',
    'const column = { title: "name", cell: () => "Never" }',
    'tell.done(`$' + '{name} removed from it.`)',
    'throw new Error("Upload a file.")',
    'const none: "No text" = size === 1 ? none : "of the newest"',
  ]
  const found = written.map((line) => ownTexts(programOf('x.tsx', line)))
  assert.deepEqual(found, [
    ['Old', 'words here'],
    ['Size'],
    ['small', 'tiny'],
    ['name', 'Never'],
    ['… removed from it.'],
    ['Upload a file.'],
    ['of the newest'],
  ])
})

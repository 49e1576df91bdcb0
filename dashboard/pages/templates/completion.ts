// Completion of variables and helpers of the template language, from the text before the cursor and the model.

import { templates } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'

const words = templates.completion

export interface Suggestion {
  /** Text in the list, which is also inserted unless `insert` is set. */
  readonly label: string
  /** Inserted text; `|` marks the position of the cursor. */
  readonly insert?: string
  /** Description of the suggestion, or its value in the model. */
  readonly detail: string
  readonly kind: 'variable' | 'keyword' | 'constant'
}

export interface Completion {
  /** Offset of the word that is completed. */
  readonly from: number
  readonly suggestions: readonly Suggestion[]
}

/** Maximum number of characters before the cursor that are searched for open blocks. */
const MAX_BEFORE = 50_000
const MAX_VARIABLES = 300
const MAX_DEPTH = 5

const TAG_BEGUN = /^\{\{[~&]?\s*(?<sign>[#^/]?)(?<head>[^{}]*)$/
const WORD = /[\w@.[\]/-]*$/
const BLOCK_TAG = /\{\{~?(?:(?<open>[#^])(?<words>[^{}]*?)|\/\s*(?<close>[^{}\s~]+)\s*)~?\}\}/g
const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

interface Block {
  readonly name: string
  /** Value in which names inside the block are looked up. */
  readonly scope: unknown
  readonly isLoop: boolean
}

/**
 * Returns suggestions for the open tag before the cursor; undefined outside of tags.
 *
 * @param before text before the cursor
 * @param model the sample model
 * @param own names after an `@` that the text may print, such as `content` in a layout
 */
export function completionsAt(
  before: string,
  model: object,
  own: readonly string[] = [],
): Completion | undefined {
  const text = before.slice(-MAX_BEFORE)
  const start = text.lastIndexOf('{{')
  const tag = start < 0 ? null : TAG_BEGUN.exec(text.slice(start))
  if (tag?.groups === undefined) return undefined
  const { sign = '', head = '' } = tag.groups
  const word = WORD.exec(head)?.[0] ?? ''
  const from = before.length - word.length
  const blocks = openBlocks(text.slice(0, start), model)
  const inner = blocks.at(-1)
  if (sign === '/') return { from, suggestions: inner === undefined ? [] : [closing(inner.name)] }
  const isFirst = head.trimStart() === word
  const scope = inner === undefined ? model : inner.scope
  const variables = variablesOf(scope, inner !== undefined && blocks.length > 0, model)
  const loop = blocks.some(({ isLoop }) => isLoop) ? LOOP_NAMES : []
  if (sign !== '') return { from, suggestions: isFirst ? [...BLOCKS, ...variables] : [...variables, ...loop] }
  const suggestions = [
    ...variables,
    ...loop,
    ...(isFirst
      ? [...blockStarts(inner), ...own.map(ownName), ...PRINTED]
      : [...IN_PARENTHESES, ...own.map(ownName)]),
  ]
  return { from, suggestions }
}

const closing = (label: string): Suggestion => ({ label, detail: words.endOfBlock, kind: 'keyword' })

const ownName = (name: string): Suggestion => ({
  label: `@${name}`,
  detail: name === 'content' ? words.content : words.unsubscribeUrl,
  kind: 'constant',
})

const keyword = (label: string, detail: string): Suggestion => ({ label, detail, kind: 'keyword' })

/** Names of blocks, which follow `{{#`. */
const BLOCKS: readonly Suggestion[] = [
  keyword('each', words.each),
  keyword('if', words.if),
  keyword('unless', words.unless),
  keyword('with', words.with),
  keyword('equals', words.equals),
  keyword('notEquals', words.notEquals),
  keyword('greaterThan', words.greaterThan),
  keyword('lessThan', words.lessThan),
  keyword('and', words.and),
  keyword('or', words.or),
]

/** Helpers that print a value. */
const PRINTED: readonly Suggestion[] = [
  keyword('upper', words.upper),
  keyword('lower', words.lower),
  keyword('title', words.title),
  keyword('url', words.url),
  keyword('length', words.length),
  keyword('lookup', words.lookup),
  { ...keyword('insert', words.insert), insert: 'insert | "default="' },
]

/** Helpers that pass a value to a block, in parentheses. */
const IN_PARENTHESES: readonly Suggestion[] = [
  keyword('length', words.length),
  keyword('lookup', words.lookup),
]

const LOOP_NAMES: readonly Suggestion[] = [
  { label: '@index', detail: words.index, kind: 'constant' },
  { label: '@key', detail: words.key, kind: 'constant' },
  { label: '@first', detail: words.first, kind: 'constant' },
  { label: '@last', detail: words.last, kind: 'constant' },
]

/** Returns complete blocks to insert, and the tags that end or divide the open block. */
function blockStarts(inner: Block | undefined): Suggestion[] {
  const whole = ['each', 'if', 'unless', 'with'].map((name) => ({
    label: `#${name}`,
    insert: `#${name} |}}{{/${name}`,
    detail: BLOCKS.find(({ label }) => label === name)?.detail ?? '',
    kind: 'keyword' as const,
  }))
  if (inner === undefined) return whole
  const end = { label: `/${inner.name}`, detail: words.endsBlock, kind: 'keyword' as const }
  return [end, keyword('else', words.else), ...whole]
}

/** Returns the blocks that are open at the end of a text, each with its scope. */
function openBlocks(text: string, model: unknown): Block[] {
  const blocks: Block[] = []
  for (const { groups = {} } of text.matchAll(BLOCK_TAG)) {
    const { open, words = '', close } = groups
    if (close !== undefined) {
      const index = blocks.findLastIndex(({ name }) => name === close)
      if (index >= 0) blocks.length = index
      continue
    }
    const [name = '', operand] = words.trim().split(/\s+/)
    const scope = blocks.at(-1)?.scope ?? model
    blocks.push({ name, ...openedBy(open === '^', name, operand, scope, model) })
  }
  return blocks
}

function openedBy(
  inverse: boolean,
  name: string,
  operand: string | undefined,
  scope: unknown,
  model: unknown,
): Omit<Block, 'name'> {
  if (inverse) return { scope, isLoop: false }
  const isOperation = BLOCKS.some(({ label }) => label === name)
  if (isOperation && name !== 'each' && name !== 'with') return { scope, isLoop: false }
  const value = valueAt(scope, operand !== undefined && isOperation ? operand : name, model)
  if (name === 'with') return { scope: value, isLoop: false }
  if (Array.isArray(value)) return { scope: value[0], isLoop: true }
  if (name === 'each' && isObject(value)) return { scope: Object.values(value)[0], isLoop: true }
  return { scope: isObject(value) ? value : scope, isLoop: name === 'each' }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of a path such as `order.items`; undefined if the path has no value. */
function valueAt(scope: unknown, path: string, root: unknown): unknown {
  const fromRoot = path.startsWith('@root.')
  let value = fromRoot ? root : scope
  for (const part of path.replace(/^@root\./, '').split('.')) {
    if (part === 'this' || part === '') continue
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

/** Returns the paths of a scope with their values, and `this` for the item itself. */
function variablesOf(scope: unknown, isInner: boolean, model: unknown): Suggestion[] {
  const found: Suggestion[] = []
  const walk = (value: unknown, path: string, depth: number): void => {
    if (!isObject(value) || depth > MAX_DEPTH) return
    for (const [name, one] of Object.entries(value)) {
      if (found.length >= MAX_VARIABLES) return
      const label = `${path}${PLAIN_NAME.test(name) ? name : `[${name}]`}`
      found.push({ label, detail: described(one), kind: 'variable' })
      walk(one, `${label}.`, depth + 1)
    }
  }
  walk(scope, '', 1)
  if (!isInner) return found
  if (!isObject(scope)) found.unshift({ label: 'this', detail: described(scope), kind: 'variable' })
  if (isObject(model) && scope !== model) {
    for (const name of Object.keys(model).slice(0, MAX_VARIABLES))
      found.push({ label: `@root.${name}`, detail: described(model[name]), kind: 'variable' })
  }
  return found
}

/** Returns a short description of a value. */
function described(value: unknown): string {
  if (Array.isArray(value)) return fill(words.listOf, { count: value.length })
  if (isObject(value)) return words.object
  const text = String(value ?? '')
  return text.length > 24 ? `${text.slice(0, 23)}…` : text
}

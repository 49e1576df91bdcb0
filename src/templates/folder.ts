// Templates and layouts as files, so that a team can keep templates in its code repository: each template or layout has
// a JSON file and up to two files with parts.

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { utf8Text } from '../lib/whole-file.ts'
import { parseWritten } from '../lib/written-numbers.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { LayoutInput, TemplateInput } from '../model/template.ts'

/** Content of a folder, by alias. */
export interface Folder {
  readonly layouts: ReadonlyMap<string, LayoutInput>
  readonly templates: ReadonlyMap<string, TemplateInput>
}

const KINDS = ['layouts', 'templates'] as const
type Kind = (typeof KINDS)[number]

/** Type of a field: a check of the value, and the name of the type in a message. */
interface FieldType {
  readonly fits: (value: unknown) => boolean
  readonly title: string
}

const TEXT: FieldType = { fits: isText, title: 'a string' }
const OBJECT: FieldType = { fits: isObject, title: 'an object' }

/** Fields allowed in the JSON of each kind; the other fields are in separate files. */
const FIELDS: Readonly<Record<Kind, ReadonlyMap<string, FieldType>>> = {
  layouts: new Map([
    ['name', TEXT],
    ['sample_model', OBJECT],
  ]),
  templates: new Map([
    ['name', TEXT],
    ['subject', TEXT],
    ['layout', TEXT],
    [
      'required',
      { fits: (value) => Array.isArray(value) && value.every(isText), title: 'an array of strings' },
    ],
    ['inline_css', { fits: (value) => typeof value === 'boolean', title: 'true or false' }],
    ['sample_model', OBJECT],
  ]),
}
/** Maximum number of bytes of a file, more than any part may have. */
const MAX_BYTES = 1_000_000

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const wrong = (path: string, code: string, message: string): FieldProblem => ({
  ...{ path, code },
  message: `${path}: ${message}`,
})

/** Returns the problem for invalid files; each sentence begins with the path of the file. */
export function wrongFiles(problems: readonly FieldProblem[]): Problem {
  const { errors } = invalidFields(problems)
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Problem('validation_failed', `${errors[0]?.message}${more}`, { errors })
}

/**
 * Reads `layouts/` and `templates/` in a folder: `<alias>.json`, `<alias>.html`, `<alias>.txt`. Throws
 * `validation_failed` with all problems of the files themselves, and `not_found` if neither folder exists.
 */
export async function readFolder(folder: string): Promise<Folder> {
  const problems: FieldProblem[] = []
  const [layouts, templates] = await Promise.all(KINDS.map((kind) => readKind(folder, kind, problems)))
  if (problems.length > 0) throw wrongFiles(problems)
  if (layouts === undefined && templates === undefined) {
    throw new Problem(
      'not_found',
      `There is neither layouts/ nor templates/ in ${folder}; name the folder that contains them, as \`postrider template pull\` writes it.`,
    )
  }
  return {
    layouts: (layouts ?? new Map()) as Folder['layouts'],
    templates: (templates ?? new Map()) as Folder['templates'],
  }
}

async function readKind(
  folder: string,
  kind: Kind,
  problems: FieldProblem[],
): Promise<Map<string, object> | undefined> {
  const names = await readdir(join(folder, kind)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (names === undefined) return undefined
  const found = new Map<string, object>()
  const aliases = new Set(names.flatMap((name) => /^(.+)\.(?:json|html|txt)$/.exec(name)?.[1] ?? []))
  for (const alias of [...aliases].sort()) {
    const file = async (ending: string): Promise<string | undefined> => {
      const path = `${kind}/${alias}.${ending}`
      if (!names.includes(`${alias}.${ending}`)) return undefined
      const text = utf8Text(await readBytes(join(folder, path)))
      if (text === undefined)
        problems.push(wrong(path, 'malformed', 'The file is not UTF-8; save it as UTF-8.'))
      return text
    }
    const path = `${kind}/${alias}.json`
    if (!names.includes(`${alias}.json`))
      problems.push(wrong(path, 'required', 'The file is missing; create it with at least a "name".'))
    const json = await file('json')
    const fields = json === undefined ? {} : readFields(path, kind, json, problems)
    const [html, text] = [await file('html'), await file('txt')]
    found.set(alias, {
      alias,
      ...fields,
      ...(html === undefined ? {} : { html }),
      ...(text === undefined ? {} : { text }),
    })
  }
  return found
}

async function readBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path)
  if (size > MAX_BYTES) throw new Problem('body_too_large', `${path} has more than ${MAX_BYTES} bytes.`)
  return readFile(path)
}

function readFields(path: string, kind: Kind, text: string, problems: FieldProblem[]): object {
  const refuse = (code: string, message: string): object => {
    problems.push(wrong(path, code, message))
    return {}
  }
  let fields: unknown
  try {
    fields = parseWritten(text)
  } catch (error) {
    return refuse('malformed', `The file is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(fields))
    return refuse('malformed', 'The file is not a JSON object, such as {"name": "Receipt"}.')
  for (const [name, value] of Object.entries(fields)) {
    const type = FIELDS[kind].get(name)
    if (type === undefined)
      refuse('unknown_field', `There is no field ${name}; known are ${[...FIELDS[kind].keys()].join(', ')}.`)
    else if (!type.fits(value)) refuse('invalid_type', `${name} must be ${type.title}.`)
  }
  if (!('name' in fields)) refuse('required', 'The file has no "name".')
  return fields
}

/**
 * Writes the contents of a folder and returns the changed files. Files with the same content are not written; the file
 * of a removed part is deleted.
 */
export async function writeFolder(folder: string, { layouts, templates }: Folder): Promise<string[]> {
  const changed: string[] = []
  for (const [kind, all] of [
    ['layouts', layouts],
    ['templates', templates],
  ] as const) {
    if (all.size === 0) continue
    await mkdir(join(folder, kind), { recursive: true })
    for (const [alias, input] of all) {
      for (const [name, content] of filesOf(alias, input)) {
        if (await writeChanged(join(folder, kind, name), content)) changed.push(join(kind, name))
      }
    }
  }
  return changed
}

function* filesOf(
  alias: string,
  input: TemplateInput | LayoutInput,
): Generator<[name: string, content: string | undefined]> {
  const { alias: _alias, html, text, ...rest } = input
  const fields = Object.entries(rest).filter(
    ([, value]) => value !== null && value !== undefined && !isUsual(value),
  )
  yield [`${alias}.json`, `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`]
  yield [`${alias}.html`, html || undefined]
  yield [`${alias}.txt`, text || undefined]
}

/** True for default values, which are omitted. */
const isUsual = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0)

async function writeChanged(path: string, content: string | undefined): Promise<boolean> {
  const bytes = await readFile(path).catch(() => undefined)
  if (content === undefined) {
    if (bytes !== undefined) await rm(path)
    return bytes !== undefined
  }
  const before = bytes === undefined ? undefined : utf8Text(bytes)
  if (before === content || (before !== undefined && path.endsWith('.json') && sameJson(before, content)))
    return false
  await writeFile(path, content)
  return true
}

function sameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(parseWritten(one), parseWritten(other))
  } catch {
    return false
  }
}

// The generated files of sdk/: the types of the OpenAPI document by @hey-api/openapi-ts, the nouns of the API with a
// typed method for each operation, and the schemas of the tools of sdk/mcp.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOOLS } from '../sdk/mcp/src/tools.ts'

const ROOT = join(import.meta.dirname, '..')
const DOCUMENT = join(ROOT, 'docs/openapi.json')
const PACKAGE = join(ROOT, 'sdk/typescript')

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: { readonly type?: string }
}

interface Media {
  readonly schema?: Schema
}

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly 'x-lines'?: readonly Schema[]
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** Method of the client for an operation. */
interface Method {
  readonly id: string
  /** Entry of the table of operations. */
  readonly entry: string
  /** Declaration with its comment. */
  readonly declaration: string
}

/** Functions that return the generated files by path, from docs/openapi.json. */
export const SDK_FILES: Readonly<Record<string, () => Promise<string>>> = {
  'sdk/typescript/src/generated/types.ts': typesOf,
  'sdk/typescript/src/generated/nouns.ts': nounsOf,
  'sdk/mcp/src/generated/operations.ts': operationsOf,
}

interface Generator {
  createClient(options: object): Promise<unknown>
}

/** Returns the types of all named shapes, requests and responses. */
async function typesOf(): Promise<string> {
  const name = '@hey-api/openapi-ts'
  const folders = createRequire(join(ROOT, 'test/clients/package.json')).resolve.paths(name) ?? []
  const folder = folders.map((one) => join(one, name)).find((one) => existsSync(one))
  if (folder === undefined) throw new Error(`${name} is not installed: run npm install`)
  const { createClient } = (await import(join(folder, 'dist/index.mjs'))) as Generator
  const directory = await mkdtemp(join(tmpdir(), 'postrider-sdk-'))
  try {
    const path = join(directory, 'sdk')
    await createClient({
      input: DOCUMENT,
      output: { path, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    })
    return await readFile(join(path, 'types.gen.ts'), 'utf8')
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function nounsOf(): Promise<string> {
  const text = await readFile(DOCUMENT, 'utf8')
  const document = JSON.parse(text) as Document
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const methods = Object.entries(document.paths)
    .flatMap(([url, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => methodOf(document, url, method, operation)),
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const nouns = new Set(
    methods.flatMap(({ id }) => {
      const steps = id.split('.').slice(0, -1)
      return steps.map((_, index) => steps.slice(0, index + 1).join('.'))
    }),
  )
  const interfaces = [...nouns].map((noun) => {
    const isIn = (one: string): boolean =>
      one.startsWith(`${noun}.`) && !one.slice(noun.length + 1).includes('.')
    const below = [...nouns].filter(isIn).map((one) => `  readonly ${last(one)}: ${interfaceName(one)}`)
    const own = methods.filter(({ id }) => isIn(id)).map(({ declaration }) => declaration)
    return `export interface ${interfaceName(noun)} {\n${[...below, ...own].join('\n')}\n}\n`
  })
  const roots = [...nouns].filter((noun) => !noun.includes('.'))
  return [
    '// The nouns of the API with a method for each operation, generated from docs/openapi.json by `npm run sdk`.',
    // The types come from the same document.
    `// SHA-256 of the document: ${createHash('sha256').update(text).digest('hex')}`,
    '',
    "import type { EventStream } from '../event-stream.ts'",
    "import type { Listing } from '../listing.ts'",
    "import type { RequestOptions } from '../request.ts'",
    "import type * as t from './types.ts'",
    '',
    '/** Version of the package. */',
    `export const VERSION = '${version}'`,
    '',
    FIXED,
    ...interfaces,
    '/** The nouns of the API. */',
    'export abstract class Nouns {',
    ...roots.map((noun) => `  declare readonly ${noun}: ${interfaceName(noun)}`),
    '}',
    '',
    '/** All operations by ID. */',
    'export const OPERATIONS: Readonly<Record<string, Operation>> = {',
    ...methods.map(({ entry }) => `  ${entry},`),
    '}',
    '',
  ].join('\n')
}

/** Part of the file that does not depend on the document. */
const FIXED = `/** Content of a file that is sent: a text or bytes. */
export type FileBody = string | Uint8Array | Blob

/** Filter of a list by values of the metadata, such as \`'metadata.order_id'\`. */
export type MetadataFilter = { readonly [Name in \`metadata.\${string}\`]?: string }

/** Request of a webhook in the format \`standard\`. */
export interface WebhookEvent {
  readonly type: t.Event['type']
  readonly timestamp: t.Timestamp
  readonly data: t.Event
}

/** Operation of the API. */
export interface Operation {
  readonly method: string
  /** Path; the arguments of the method replace its parameters in their order. */
  readonly url: string
  /** Media types of the body. */
  readonly body?: readonly string[]
  readonly answer?: 'list' | 'events'
  /** True if the operation takes \`?domain=\`. */
  readonly ofDomain?: true
}

/** Returns the nouns, whose methods call \`call\`. */
export function nounsOf(call: (operation: Operation, args: readonly unknown[]) => unknown): object {
  const nouns: Record<string, unknown> = {}
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    const steps = id.split('.')
    const name = steps.pop() as string
    let noun = nouns
    for (const step of steps) noun = (noun[step] ??= {}) as Record<string, unknown>
    noun[name] = (...args: readonly unknown[]) => call(operation, args)
  }
  return nouns
}
`

const last = (id: string): string => id.slice(id.lastIndexOf('.') + 1)
const pascal = (id: string): string =>
  id
    .split('.')
    .map((step) => `${step.charAt(0).toUpperCase()}${step.slice(1)}`)
    .join('')
/** Returns the name of the interface of a noun; the plain name may be the name of a shape. */
const interfaceName = (noun: string): string => `${pascal(noun)}Calls`
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const nameOf = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1)

const JSON_TYPE = 'application/json'

function methodOf(document: Document, url: string, method: string, operation: Operation): Method {
  const { operationId: id, requestBody } = operation
  const parameters = parametersOf(document, operation)
  const answer = answerOf(document, operation)
  const types = requestBody === undefined ? undefined : Object.keys(requestBody.content)
  const ofDomain = parameters.some((one) => one.in === 'query' && one.name === 'domain')
  const fields = [
    `method: '${method.toUpperCase()}'`,
    `url: '${url}'`,
    ...(types === undefined ? [] : [`body: ${JSON.stringify(types).replaceAll('"', "'")}`]),
    ...(answer.kind === undefined ? [] : [`answer: '${answer.kind}'`]),
    ...(ofDomain ? ['ofDomain: true'] : []),
  ]
  const path = [...url.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const isNumber =
      parameters.find((one) => one.in === 'path' && one.name === name)?.schema.type === 'integer'
    return `${camel(name)}: ${isNumber ? 'number' : 'string'}`
  })
  const options = optionsOf(operation, method, parameters)
  const mayLack = options.isRequired || types === undefined || requestBody?.required !== false ? '' : '?'
  const body = types === undefined ? [] : [`body${mayLack}: ${bodyType(operation)}`]
  const given = (more = '', isRequired = options.isRequired): string =>
    `${last(id)}(${[...path, ...body, `options${isRequired ? '' : '?'}: ${more}${options.type}`].join(', ')})`
  const overloads = answer.tables.map(
    ({ format, type }) => `  ${given(`{ readonly format: '${format}' } & `, true)}: Promise<${type}>`,
  )
  return {
    id,
    entry: `'${id}': { ${fields.join(', ')} }`,
    declaration: [commentOf(operation), ...overloads, `  ${given()}: ${answer.type}`].join('\n'),
  }
}

const parametersOf = ({ components }: Document, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((one) =>
    '$ref' in one ? (components.parameters[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one,
  )

function commentOf({ summary, description }: Operation): string {
  const text = [`${summary}.`, ...(description === undefined ? [] : ['', ...description.split('\n')])]
  return ['  /**', ...text.map((line) => `   * ${line}`.trimEnd()), '   */']
    .join('\n')
    .replaceAll('*/ ', '* / ')
}

/** Returns the type of the last argument: the query and the options of the call. */
function optionsOf(
  { operationId, requestBody, description = '' }: Operation,
  method: string,
  parameters: readonly Parameter[],
): { readonly type: string; readonly isRequired: boolean } {
  const query = parameters.filter((one) => one.in === 'query')
  const files = Object.keys(requestBody?.content ?? {}).filter((type) => type !== JSON_TYPE)
  const parts = [
    ...(query.length === 0 ? [] : [`NonNullable<t.${pascal(operationId)}Data['query']>`]),
    ...(description.includes('?metadata.<key>=') ? ['MetadataFilter'] : []),
    'RequestOptions',
    ...(method === 'post' ? ['{ readonly idempotencyKey?: string }'] : []),
    ...(parameters.some(({ name }) => name === 'if-match') ? ['{ readonly ifMatch?: string }'] : []),
    ...(files.length < 2
      ? []
      : [`{ readonly contentType?: ${files.map((type) => `'${type}'`).join(' | ')} }`]),
  ]
  return { type: parts.join(' & '), isRequired: query.some(({ required }) => required === true) }
}

function bodyType({ operationId, requestBody }: Operation): string {
  const content = Object.entries(requestBody?.content ?? {})
  const hasJson = content.some(([type]) => type === JSON_TYPE)
  const hasFile = content.some(([type]) => type !== JSON_TYPE)
  const lines = content.flatMap(([, { schema }]) =>
    schema?.['x-lines'] === undefined ? [] : [schema['x-lines']],
  )
  return [
    ...(hasJson ? [`NonNullable<t.${pascal(operationId)}Data['body']>`] : []),
    ...(hasFile ? ['FileBody'] : []),
    ...lines.map(([first, further]) => `readonly [t.${nameOf(first)}, ...(readonly t.${nameOf(further)}[])]`),
  ].join(' | ')
}

interface AnswerType {
  readonly kind: Kind | undefined
  readonly type: string
  /** Other forms of the response by the value of `format`. */
  readonly tables: readonly { readonly format: string; readonly type: string }[]
}
type Kind = 'list' | 'events'

const FORMATS: Readonly<Record<string, { readonly format: string; readonly type: string }>> = {
  'text/csv': { format: 'csv', type: 'string' },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { format: 'xlsx', type: 'Uint8Array' },
}

function answerOf(document: Document, { operationId, responses }: Operation): AnswerType {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const content = Object.assign({}, ...successes.map(([, { content: one }]) => one ?? {})) as Record<
    string,
    Media
  >
  const tables = Object.entries(FORMATS).flatMap(([type, form]) => (type in content ? [form] : []))
  const json = content[JSON_TYPE]
  const plain = (kind: AnswerType['kind'], type: string): AnswerType => ({ kind, type, tables })
  // A stream of `events` or `accountEvents` has events of this noun.
  const event = pascal(operationId.split('.')[0] ?? '').replace(/s$/, '')
  if ('text/event-stream' in content) return plain('events', `EventStream<t.${event}>`)
  if (json === undefined) {
    const [type] = Object.keys(content)
    if (type === undefined) return plain(undefined, 'Promise<void>')
    return plain(undefined, type.startsWith('text/') ? 'Promise<string>' : 'Promise<Uint8Array>')
  }
  const name = nameOf(json.schema)
  const shape = name === undefined ? json.schema : document.components.schemas[name]
  const whole = name === undefined || successes.length > 1 ? `t.${pascal(operationId)}Response` : `t.${name}`
  const isList =
    shape?.properties !== undefined && 'data' in shape.properties && 'next_cursor' in shape.properties
  return isList ? plain('list', `Listing<${whole}>`) : plain(undefined, `Promise<${whole}>`)
}

/** Returns the schemas and scopes of the operations that the tools of sdk/mcp call. */
async function operationsOf(): Promise<string> {
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as Document
  const all = new Map(
    Object.values(document.paths).flatMap((byMethod) =>
      Object.values(byMethod).map((operation) => [operation.operationId, operation] as const),
    ),
  )
  const used: Record<string, object> = {}
  for (const id of new Set(TOOLS.flatMap(({ operations, besides = [] }) => [...operations, ...besides]))) {
    const operation = all.get(id)
    if (operation === undefined) throw new Error(`a tool calls ${id}, which docs/openapi.json does not have`)
    const scopes = (operation.security ?? []).flatMap((one) => Object.values(one).flat())
    used[id] = { scopes, input: inputOf(document, operation), output: outputOf(operation) }
  }
  const schemas: Record<string, unknown> = {}
  const collect = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (name in schemas) continue
      schemas[name] = forTool(document.components.schemas[name], false)
      collect(schemas[name])
    }
  }
  collect(used)
  return [
    '// The operations that the tools call, generated from docs/openapi.json by `npm run sdk`.',
    '',
    'type Schema = Readonly<Record<string, unknown>>',
    '',
    '/** Scopes, arguments and response of each operation, by its ID. */',
    'export const OPERATIONS: Readonly<Record<string, {',
    '  readonly scopes: readonly string[]',
    '  readonly input: { readonly properties?: Readonly<Record<string, Schema>>; readonly required?: readonly string[] }',
    '  readonly output?: Schema',
    `}>> = ${JSON.stringify(used, null, 1)}`,
    '',
    '/** Named schemas. */',
    `export const SCHEMAS: Readonly<Record<string, Schema>> = ${JSON.stringify(schemas, null, 1)}`,
    '',
  ].join('\n')
}

/** Returns the parameters and the fields of the body as the properties of one object. */
function inputOf(document: Document, operation: Operation): object {
  const parameters = parametersOf(document, operation).filter((one) => one.in !== 'header')
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema
  const body = document.components.schemas[nameOf(schema) ?? ''] ?? schema
  const properties = {
    ...Object.fromEntries(
      parameters.map((one) => [one.name, { ...one.schema, description: one.description }]),
    ),
    ...body?.properties,
  }
  const required = [
    ...parameters.filter((one) => one.required).map(({ name }) => name),
    ...(body?.required ?? []),
  ]
  return forTool({ properties, required }, true) as object
}

function outputOf({ responses }: Operation): unknown {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  return forTool(success?.content?.[JSON_TYPE]?.schema, false)
}

/** Fields of a schema that only readers of the reference need. */
const LEFT_OUT = /^(examples?|x-[\w-]+)$/

/** Returns a schema with references into `$defs`, without examples, and without descriptions in results. */
function forTool(schema: unknown, isInput: boolean, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => forTool(one, isInput))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      if (!isNames && (LEFT_OUT.test(name) || (name === 'description' && !isInput))) return []
      if (name === '$ref' && typeof value === 'string')
        return [[name, value.replace('#/components/schemas/', '#/$defs/')]]
      return [[name, forTool(value, isInput, !isNames && /^(properties|patternProperties)$/.test(name))]]
    }),
  )
}

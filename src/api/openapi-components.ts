// Shortens the OpenAPI document and makes the document suitable for client generators: named schemas, shared
// parameters, refusals and header fields.

import type { TSchema } from 'typebox'

type Json = Readonly<Record<string, unknown>>

interface Parameter extends Json {
  readonly name: string
}

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Json }>> }
  readonly responses: Readonly<Record<string, Json>>
}

/** OpenAPI document as generated, with the complete schema at each use of the schema. */
export interface WrittenOut {
  readonly components?: Json
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const header = (description: string, type: 'string' | 'integer' = 'string'): Json => ({
  description,
  schema: { type },
})

/** Header fields of responses. */
const HEADERS = {
  'X-Request-Id': header('ID of the request, as in the log'),
  Link: header('Link with `rel="help"` to the chapter about the problem (RFC 8288)'),
  RateLimit: header('Remaining rate of the key (draft-ietf-httpapi-ratelimit-headers)'),
  'RateLimit-Policy': header('Rate limit of the key'),
  'Retry-After': header('Number of seconds after which to try again', 'integer'),
  Location: header('Address of the new object'),
} as const

/** Problem codes of the refusals of every endpoint for keys, which share a short name. */
const OF_EVERY_KEY = 'key_kind_not_permitted.scope_not_permitted.network_not_permitted'

/** Operations that create objects without a URL for a `Location` header. */
const WITHOUT_LOCATION: ReadonlySet<string | undefined> = new Set(['suppressions.add'])

const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Resource or result',
  201: 'Created',
  202: 'Accepted and on stable storage',
  204: 'Completed',
}

/** Returns the document with references to components; `names` contains the named schemas. */
export function withComponents(document: WrittenOut, names: Readonly<Record<string, TSchema>>): object {
  const byShape = new Map(Object.entries(names).map(([name, shape]) => [canonical(shape), name]))
  const schemas: Record<string, unknown> = {}
  const responses: Record<string, Json> = {}
  const parameters = sharedParameters(document)
  const shorten = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(shorten)
    const name = byShape.get(canonical(value))
    if (name !== undefined && name in schemas) return reference('schemas', name)
    const short = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shorten(one)]))
    if (name === undefined) return short
    schemas[name] = short
    return reference('schemas', name)
  }
  const answer = (id: string | undefined, status: string, written: Json): [string, unknown] => {
    const short = withHeaders(shorten(written) as Json, status, !WITHOUT_LOCATION.has(id))
    if (Number(status) < 400) return [status, short]
    // Responses of refusals are shared by many endpoints, and the name of a shared response consists of its problem
    // codes.
    const codes = String(short.description).replaceAll('`', '').replaceAll(', ', '.')
    const name = codes.replace(OF_EVERY_KEY, 'key_not_permitted')
    responses[name] = short
    return [status, reference('responses', name)]
  }
  const parametersOf = ({ parameters: all }: Operation): object =>
    all === undefined
      ? {}
      : {
          parameters: all.map((one) => {
            const isShared = parameters.get(one.name) === canonical(one)
            return isShared ? reference('parameters', one.name) : shorten(one)
          }),
        }
  const operation = (method: string, written: Operation): object => ({
    ...(shorten({ ...written, ...bodyOf(method, written), parameters: undefined, responses: {} }) as object),
    ...parametersOf(written),
    responses: Object.fromEntries(
      Object.entries(written.responses).map(([status, one]) => answer(written.operationId, status, one)),
    ),
  })
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, operation(method, one)])),
  ])
  return {
    ...document,
    components: {
      ...document.components,
      ...{ schemas, responses, headers: HEADERS, parameters: componentsOf(document, parameters) },
    },
    paths: Object.fromEntries(paths),
  }
}

/** Number of operations from which on an equal parameter of the operations is described once. */
const MANY = 4

const allParameters = ({ paths }: WrittenOut): Parameter[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => one.parameters ?? []))

/** Returns the parameters that many operations share: by name, the canonical text of the most frequent parameter. */
function sharedParameters(document: WrittenOut): ReadonlyMap<string, string> {
  const shared = new Map<string, string>()
  for (const [name, all] of Map.groupBy(allParameters(document), (one) => one.name)) {
    const [most] = [...Map.groupBy(all, canonical)].sort(([, a], [, b]) => b.length - a.length)
    if (most !== undefined && most[1].length >= MANY) shared.set(name, most[0])
  }
  return shared
}

const componentsOf = (document: WrittenOut, shared: ReadonlyMap<string, string>): object =>
  Object.fromEntries(
    allParameters(document)
      .filter((one) => shared.get(one.name) === canonical(one))
      .map((one) => [one.name, one]),
  )

/**
 * Returns the request body of an operation. The generator marks every body as required; this function marks the body of
 * an action without required fields (`needsNoBody`) as optional.
 */
function bodyOf(method: string, { requestBody }: Operation): object {
  const [json, ...others] = Object.values(requestBody?.content ?? {})
  const { type, required } = json?.schema ?? {}
  const isOptional = method === 'post' && others.length === 0 && type === 'object' && required === undefined
  return isOptional ? { requestBody: { ...requestBody, required: false } } : {}
}

function withHeaders(answer: Json, status: string, hasLocation: boolean): Json {
  const names: (keyof typeof HEADERS)[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (hasLocation && (status === '201' || status === '202')) names.push('Location')
  if (status === '429' || status === '503') names.push('Retry-After')
  if (Number(status) >= 400) names.push('Link')
  const described = answer.description === 'Default Response' ? SUCCESS[status] : answer.description
  return {
    ...answer,
    description: described,
    headers: Object.fromEntries(names.map((name) => [name, reference('headers', name)])),
  }
}

const reference = (kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
})

/**
 * Returns a text that is the same for equal shapes, regardless of the order of keys and of changes by the generator.
 */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const parts = Object.entries(value).flatMap(([key, one]) => {
    if (key === 'example' || key === 'examples') return []
    if (key === 'const') return [`enum:${canonical([one])}`]
    if (key === 'patternProperties') return [`additionalProperties:${canonical(Object.values(one)[0])}`]
    return [`${key}:${canonical(one)}`]
  })
  return `{${parts.sort().join()}}`
}

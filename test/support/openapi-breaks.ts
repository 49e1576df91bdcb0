// Finds the changes of an OpenAPI document that break existing clients: a request that was accepted is refused, a
// response loses something that clients read, or a name of generated code disappears.

/** JSON object of an OpenAPI document. */
type Part = Readonly<Record<string, unknown>>

/** OpenAPI document, as parsed JSON. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, Part>> }
}

/** Direction of a value: clients send the values of requests, and read the values of responses. */
type Direction = 'request' | 'response'

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete'])

/** Limits of a value, with the direction of change that refuses values that were accepted before. */
const LIMITS = {
  maxLength: 'lower',
  maxItems: 'lower',
  maxProperties: 'lower',
  maximum: 'lower',
  exclusiveMaximum: 'lower',
  minLength: 'higher',
  minItems: 'higher',
  minProperties: 'higher',
  minimum: 'higher',
  exclusiveMinimum: 'higher',
} as const

/** Depth at which the comparison of nested schemas ends, for schemas that contain themselves. */
const MAX_DEPTH = 12

/** Returns a sentence for each change of `after` that breaks clients of `before`. */
export function breaksOf(before: OpenApi, after: OpenApi): readonly string[] {
  const comparison = new Comparison(before, after)
  const operations = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .flatMap(([method, operation]) => {
        const where = `${method.toUpperCase()} ${path}`
        const other = after.paths[path]?.[method]
        return other === undefined ? [`${where} is gone`] : comparison.ofOperations(where, operation, other)
      }),
  )
  const names = Object.keys(before.components.schemas ?? {})
    .filter((name) => after.components.schemas?.[name] === undefined)
    .map((name) => `the shape ${name} is gone`)
  return [...operations, ...names]
}

const partsOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as Part[]) : [])
const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {})
const textsOf = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? (value as string[]) : []

class Comparison {
  readonly #before: OpenApi
  readonly #after: OpenApi

  constructor(before: OpenApi, after: OpenApi) {
    this.#before = before
    this.#after = after
  }

  ofOperations(where: string, before: Part, after: Part): readonly string[] {
    const of = (part: Part): string => JSON.stringify(part.security ?? [])
    return [
      ...(before.operationId === after.operationId ? [] : [`${where} has another operation ID`]),
      ...(of(before) === of(after) ? [] : [`${where} requires another scope`]),
      ...this.#ofParameters(where, before, after),
      ...this.#ofBodies(where, before.requestBody, after.requestBody),
      ...this.#ofResponses(where, partOf(before.responses), partOf(after.responses)),
    ]
  }

  #ofParameters(where: string, before: Part, after: Part): readonly string[] {
    const keyOf = ({ in: place, name }: Part): string => `${place} ${String(name).toLowerCase()}`
    const byKey = (operation: Part, document: OpenApi): ReadonlyMap<string, Part> =>
      new Map(
        partsOf(operation.parameters)
          .map((one) => resolved(one, document))
          .map((one) => [keyOf(one), one]),
      )
    const [old, now] = [byKey(before, this.#before), byKey(after, this.#after)]
    const gone = [...old].flatMap(([key, one]) => {
      const other = now.get(key)
      const at = `${where}, parameter ${key}`
      if (other === undefined) return [`${at} is gone`]
      const required = other.required === true && one.required !== true ? [`${at} is required`] : []
      return [...required, ...this.#ofSchemas('request', at, one.schema, other.schema)]
    })
    const added = [...now]
      .filter(([key, one]) => !old.has(key) && one.required === true)
      .map(([key]) => `${where} requires a parameter ${key}`)
    return [...gone, ...added]
  }

  #ofBodies(where: string, before: unknown, after: unknown): readonly string[] {
    const [old, now] = [resolved(partOf(before), this.#before), resolved(partOf(after), this.#after)]
    const required = now.required === true && old.required !== true ? [`${where} requires a body`] : []
    return [...required, ...this.#ofContents('request', `${where}, body`, old, now)]
  }

  #ofResponses(where: string, before: Part, after: Part): readonly string[] {
    return Object.entries(before)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, one]) => {
        const at = `${where}, response ${status}`
        if (after[status] === undefined) return [`${at} is gone`]
        const [old, now] = [resolved(partOf(one), this.#before), resolved(partOf(after[status]), this.#after)]
        const headers = Object.keys(partOf(old.headers))
          .filter((name) => partOf(now.headers)[name] === undefined)
          .map((name) => `${at} has no header ${name}`)
        return [...headers, ...this.#ofContents('response', at, old, now)]
      })
  }

  #ofContents(direction: Direction, where: string, before: Part, after: Part): readonly string[] {
    return Object.entries(partOf(before.content)).flatMap(([type, part]) => {
      const other = partOf(after.content)[type]
      if (other === undefined) return [`${where} has no media type ${type}`]
      return this.#ofSchemas(direction, where, partOf(part).schema, partOf(other).schema)
    })
  }

  #ofSchemas(
    direction: Direction,
    where: string,
    before: unknown,
    after: unknown,
    depth = 0,
  ): readonly string[] {
    if (depth > MAX_DEPTH) return []
    const old = resolved(partOf(before), this.#before)
    const now = resolved(partOf(after), this.#after)
    const options = alternativesOf(old)
    const others = alternativesOf(now)
    if (options.length > 1 || others.length > 1) {
      return this.#ofAlternatives(direction, where, options, others, depth)
    }
    return [
      ...typeBreaks(direction, where, old, now),
      ...(direction === 'request' ? limitBreaks(where, old, now) : []),
      ...this.#ofProperties(direction, where, old, now, depth),
      ...['items', 'additionalProperties'].flatMap((name) =>
        isShape(old[name]) && isShape(now[name])
          ? this.#ofSchemas(direction, `${where}[]`, old[name], now[name], depth + 1)
          : [],
      ),
    ]
  }

  /** Every value that was possible in a request stays possible, and every value of a response was possible before. */
  #ofAlternatives(
    direction: Direction,
    where: string,
    before: readonly unknown[],
    after: readonly unknown[],
    depth: number,
  ): readonly string[] {
    const [needed, offered] = direction === 'request' ? [before, after] : [after, before]
    const fits = (one: unknown): boolean =>
      offered.some((other) => {
        const [old, now] = direction === 'request' ? [one, other] : [other, one]
        return this.#ofSchemas(direction, where, old, now, depth + 1).length === 0
      })
    if (needed.every(fits)) return []
    return [
      direction === 'request'
        ? `${where} does not take all forms any more`
        : `${where} has forms that clients do not know`,
    ]
  }

  #ofProperties(
    direction: Direction,
    where: string,
    before: Part,
    after: Part,
    depth: number,
  ): readonly string[] {
    const [old, now] = [partOf(before.properties), partOf(after.properties)]
    const [required, nowRequired] = [new Set(textsOf(before.required)), new Set(textsOf(after.required))]
    const kept = Object.entries(old).flatMap(([name, one]) => {
      const at = `${where}, ${name}`
      if (now[name] !== undefined) return this.#ofSchemas(direction, at, one, now[name], depth + 1)
      return direction === 'response' || after.additionalProperties === false ? [`${at} is gone`] : []
    })
    const changed =
      direction === 'request'
        ? [...nowRequired]
            .filter((name) => !required.has(name))
            .map((name) => `${where}, ${name} is required`)
        : [...required]
            .filter((name) => now[name] !== undefined && !nowRequired.has(name))
            .map((name) => `${where}, ${name} may be missing`)
    const closed =
      direction === 'request' && after.additionalProperties === false && isOpen(before)
        ? [`${where} takes no other names any more`]
        : []
    return [...kept, ...changed, ...closed]
  }
}

const isShape = (value: unknown): boolean => typeof value === 'object' && value !== null

/** True if objects of this shape may have other names. */
const isOpen = ({ additionalProperties, properties, type }: Part): boolean =>
  type === 'object' && properties !== undefined && additionalProperties !== false

/** Returns the part to which references lead. */
function resolved(part: Part, document: OpenApi): Part {
  let one = part
  for (let steps = 0; typeof one.$ref === 'string' && steps < MAX_DEPTH; steps++) {
    const names = one.$ref.replace(/^#\//, '').split('/')
    const unescaped = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    one = partOf(unescaped.reduce<unknown>((place, name) => partOf(place)[name], document))
  }
  return one
}

/** Returns the alternative shapes of a value: of `anyOf`, or one for each type. */
function alternativesOf(schema: Part): readonly Part[] {
  const listed = schema.anyOf ?? schema.oneOf
  if (Array.isArray(listed))
    return listed.flatMap((one) =>
      partOf(one).$ref === undefined ? alternativesOf(partOf(one)) : [partOf(one)],
    )
  const types = textsOf(schema.type)
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema]
}

/** Returns the values of an enumeration as JSON texts; undefined if any value of the type is possible. */
function valuesOf({ enum: listed, const: one }: Part): readonly string[] | undefined {
  if (Array.isArray(listed)) return listed.map((value) => JSON.stringify(value))
  return one === undefined ? undefined : [JSON.stringify(one)]
}

function typeBreaks(direction: Direction, where: string, before: Part, after: Part): readonly string[] {
  const [old, now] = direction === 'request' ? [before, after] : [after, before]
  const [type, other] = [textsOf(old.type)[0], textsOf(now.type)[0]]
  const isWider = other === undefined || type === other || (type === 'integer' && other === 'number')
  if (!isWider) return [`${where} has another type`]
  if (before.format !== after.format && (direction === 'response' || after.format !== undefined)) {
    return [`${where} has another format`]
  }
  // Clients must accept new values of an enumeration in responses (docs/sending.md), so only requests matter.
  const [values, possible] = [valuesOf(old), valuesOf(now)]
  if (direction === 'response' || possible === undefined) return []
  if (values === undefined) return [`${where} takes only listed values`]
  return values.filter((value) => !possible.includes(value)).map((value) => `${where} does not take ${value}`)
}

function limitBreaks(where: string, before: Part, after: Part): readonly string[] {
  const limits = Object.entries(LIMITS).flatMap(([name, way]) => {
    const [old, now] = [before[name], after[name]]
    if (typeof now !== 'number' || now === old) return []
    const isTighter = typeof old !== 'number' || (way === 'lower' ? now < old : now > old)
    return isTighter ? [`${where} has the limit ${name} ${now}`] : []
  })
  const isNewPattern = after.pattern !== undefined && after.pattern !== before.pattern
  return isNewPattern ? [...limits, `${where} has another pattern`] : limits
}

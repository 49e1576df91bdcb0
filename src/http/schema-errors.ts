// Finds the errors of a value that does not match its schema, up to the number of errors that a response reports.

import type { TSchema } from 'typebox'
import { MAX_PROBLEMS } from '../model/problem.ts'
import { fits, type SchemaError, validatorOf } from './shape-validator.ts'

/** Returns the errors of a value that does not match its schema, each with the path in the whole value. */
export function shapeErrors(schema: TSchema, value: unknown): readonly SchemaError[] {
  const parts = new WrongParts()
  const taken = parts.take(schema, value, { schemaPath: '#', instancePath: '' })
  return [...validatorOf(schema).Errors(taken), ...parts.tooLong].map((error) => ({
    ...error,
    instancePath: parts.placeOf(error.instancePath, taken),
  }))
}

/** Keywords of a schema that describe the parts of a value. */
interface Shape {
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly additionalProperties?: TSchema | boolean
}

/** Path in the schema, and path in the reduced value. */
interface Place {
  readonly schemaPath: string
  readonly instancePath: string
}

/**
 * Reduces a value to the parts that do not match the schema. Collecting all errors of a hostile megabyte would take
 * seconds, and checking only the beginning of the value would miss later errors. Compiled checks find the wrong entries
 * of lists and objects, in no more time than a check of the whole value. The reduced value contains at most a hundred
 * wrong entries, and at least one wrong entry of each list.
 */
class WrongParts {
  /** Errors of lists with too many items, which are recorded here because the reduced lists are shorter. */
  readonly tooLong: SchemaError[] = []
  /** Original index of each item in the reduced lists. */
  readonly #indexes = new Map<unknown, readonly number[]>()
  #left = MAX_PROBLEMS

  take(schema: TSchema, value: unknown, place: Place): unknown {
    if (typeof value !== 'object' || value === null) return value
    const { shape, schemaPath } = meantShape(schema, value, place.schemaPath)
    const here = { ...place, schemaPath }
    if (Array.isArray(value)) {
      return shape.items === undefined ? beginning(value) : this.#items(shape, value, here)
    }
    const hasFields = shape.properties !== undefined || shape.patternProperties !== undefined
    return hasFields ? this.#fields(shape, value, here) : beginning(value)
  }

  /**
   * Converts the JSON pointer of a part in the reduced value to the JSON pointer of the same part in the original
   * value.
   */
  placeOf(instancePath: string, taken: unknown): string {
    let part = taken
    const steps = instancePath.split('/').map((step, depth) => {
      if (depth === 0) return step
      const index = this.#indexes.get(part)?.[Number(step)]
      part = (part as Record<string, unknown> | undefined)?.[unescaped(step)]
      return index ?? step
    })
    return steps.join('/')
  }

  #items(shape: Shape, list: readonly unknown[], { schemaPath, instancePath }: Place): unknown[] {
    const { items = {}, minItems = 0, maxItems = list.length } = shape
    const taken: unknown[] = []
    const indexes: number[] = []
    const end = Math.min(list.length, maxItems)
    for (let index = 0; index < end && (taken.length === 0 || this.#left > 0); index++) {
      if (fits(items, list[index])) continue
      const left = this.#left
      const place = { schemaPath: `${schemaPath}/items`, instancePath: `${instancePath}/${taken.length}` }
      taken.push(this.take(items, list[index], place))
      indexes.push(index)
      // An item without counted errors of its own counts as one error.
      if (this.#left === left) this.#left--
    }
    // Valid items fill up a reduced list that would otherwise have fewer items than the schema requires.
    for (let index = 0; taken.length < minItems && index < list.length; index++) {
      if (indexes.includes(index)) continue
      taken.push(beginning(list[index]))
      indexes.push(index)
    }
    this.#indexes.set(taken, indexes)
    if (list.length > maxItems && taken.length <= maxItems) {
      const params = { limit: maxItems }
      this.tooLong.push({ keyword: 'maxItems', schemaPath, instancePath, params, message: '' })
    }
    return taken
  }

  #fields(shape: Shape, object: object, { schemaPath, instancePath }: Place): object {
    const { properties = {} } = shape
    const at = (name: string, keyword: string): Place => ({
      schemaPath: `${schemaPath}/${keyword}`,
      instancePath: `${instancePath}/${escaped(name)}`,
    })
    const known = Object.entries(properties)
      .filter(([name]) => Object.hasOwn(object, name))
      .map(([name, one]) => {
        const value: unknown = (object as Record<string, unknown>)[name]
        return [name, this.take(one, value, at(name, `properties/${escaped(name)}`))] as const
      })
    const others: [string, unknown][] = []
    for (const [name, value] of Object.entries(object)) {
      if (Object.hasOwn(properties, name)) continue
      if (others.length > 0 && this.#left <= 0) break
      const { schema, keyword } = shapeOfOther(shape, name)
      if (schema === true || (schema !== false && fits(schema, value))) continue
      this.#left--
      others.push([name, schema === false ? beginning(value) : this.take(schema, value, at(name, keyword))])
    }
    return Object.fromEntries([...known, ...others])
  }
}

/**
 * Returns the only alternative of a union (`anyOf`) that describes the items or fields of such a value. Returns the
 * union itself if there is no such alternative, or several.
 */
function meantShape(schema: TSchema, value: object, schemaPath: string) {
  const choice: Shape = schema
  const keywords = Array.isArray(value) ? ['items'] : ['properties', 'patternProperties']
  const [meant, ...more] = (choice.anyOf ?? []).flatMap((shape: Shape, index) =>
    keywords.some((keyword) => keyword in shape)
      ? [{ shape, schemaPath: `${schemaPath}/anyOf/${index}` }]
      : [],
  )
  return meant === undefined || more.length > 0 ? { shape: choice, schemaPath } : meant
}

/**
 * Returns the schema of a field outside the properties; true if the field may have any value, false if the field is not
 * allowed.
 */
function shapeOfOther({ patternProperties = {}, additionalProperties = true }: Shape, name: string) {
  for (const [pattern, schema] of Object.entries(patternProperties)) {
    if (new RegExp(pattern, 'u').test(name))
      return { schema, keyword: `patternProperties/${escaped(pattern)}` }
  }
  return { schema: additionalProperties, keyword: 'additionalProperties' }
}

/** Returns the beginning of a value without a known schema. */
function beginning(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 8) return value
  if (Array.isArray(value)) return value.slice(0, MAX_PROBLEMS).map((one) => beginning(one, depth + 1))
  const entries = Object.entries(value).slice(0, MAX_PROBLEMS)
  return Object.fromEntries(entries.map(([name, one]) => [name, beginning(one, depth + 1)]))
}

/** Returns a name escaped as a part of a JSON pointer (RFC 6901 §3). */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the name that a part of a JSON pointer represents (RFC 6901 §4). */
export const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

// Optional fields that say nothing: `null` and an empty list where the schema has no place for them (contract §8).

import type { TSchema } from 'typebox'
import { fits } from './shape-validator.ts'

/** The keywords of a schema that say what is within a value. */
interface Shape {
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
}

/**
 * Removes from a value what says nothing in place of an optional field, at any depth that the schema describes, and
 * entries of records that are null. What fits the schema stays. Answers whether anything was removed.
 */
export function removeNotGiven(schema: TSchema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { items, required = [], properties = {}, patternProperties = {} }: Shape = shapeFor(schema, value)
  if (Array.isArray(value)) {
    let isChanged = false
    if (items !== undefined) for (const one of value) isChanged = removeNotGiven(items, one) || isChanged
    return isChanged
  }
  const fields = value as Record<string, unknown>
  const [entry] = Object.values(patternProperties)
  let isChanged = false
  for (const name of Object.keys(fields)) {
    const part = fields[name]
    const isKnown = Object.hasOwn(properties, name)
    const shape = isKnown ? properties[name] : entry
    if (shape === undefined) continue
    const isNothing = part === null || (isKnown && Array.isArray(part) && part.length === 0)
    if (isNothing && !required.includes(name) && !fits(shape, part)) {
      delete fields[name]
      isChanged = true
    } else isChanged = removeNotGiven(shape, part) || isChanged
  }
  return isChanged
}

/** Of a choice the shape that describes what is within this value. */
function shapeFor(schema: Shape, value: object): Shape {
  const isMeant = (one: Shape): boolean =>
    Array.isArray(value)
      ? one.items !== undefined
      : one.properties !== undefined || one.patternProperties !== undefined
  return schema.anyOf?.find(isMeant) ?? schema
}

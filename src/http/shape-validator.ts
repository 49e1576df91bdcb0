// The compiled checks of request schemas.

import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Format } from 'typebox/format'
import { Settings } from 'typebox/system'
import { parseTime } from '../lib/rfc3339.ts'
import { MAX_PROBLEMS } from '../model/problem.ts'

Settings.Set({ maxErrors: 4 * MAX_PROBLEMS })
// One reader decides what is a time, before and after the check of the shape.
Format.Set('date-time', (text) => parseTime(text) !== undefined)

export type ShapeValidator = ReturnType<typeof Compile>

/** An error of a value that does not match its schema. */
export type SchemaError = ReturnType<ShapeValidator['Errors']>[number]

const validators = new WeakMap<TSchema, ShapeValidator>()

/**
 * Returns the check of a schema. Schemas are compiled at their first use, because compiling all of them would slow down
 * every start.
 */
export function validatorOf(schema: TSchema): ShapeValidator {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

/** Returns whether a value matches a schema. */
export const fits = (schema: TSchema, value: unknown): boolean => validatorOf(schema).Check(value)

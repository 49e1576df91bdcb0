// Compiles and caches the validators of request schemas.

import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Format } from 'typebox/format'
import { Settings } from 'typebox/system'
import { parseTime } from '../lib/rfc3339.ts'
import { MAX_PROBLEMS } from '../model/problem.ts'

Settings.Set({ maxErrors: 4 * MAX_PROBLEMS })
// The validators check times with the function that later parses the times.
Format.Set('date-time', (text) => parseTime(text) !== undefined)

export type ShapeValidator = ReturnType<typeof Compile>

/** Error of a value that does not match its schema. */
export type SchemaError = ReturnType<ShapeValidator['Errors']>[number]

const validators = new WeakMap<TSchema, ShapeValidator>()

/**
 * Returns the validator of a schema. A schema is compiled at its first use, because compiling all schemas would slow
 * down every start.
 */
export function validatorOf(schema: TSchema): ShapeValidator {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

/** True if a value matches a schema. */
export const fits = (schema: TSchema, value: unknown): boolean => validatorOf(schema).Check(value)

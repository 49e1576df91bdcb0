// The compiled checks of the schemas of requests.

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

/** What a value is told of where it does not fit. */
export type SchemaError = ReturnType<ShapeValidator['Errors']>[number]

const validators = new WeakMap<TSchema, ShapeValidator>()

/** Compiled when it is first needed: every start would pay for all of them. */
export function validatorOf(schema: TSchema): ShapeValidator {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

/** True for a value of that shape. */
export const fits = (schema: TSchema, value: unknown): boolean => validatorOf(schema).Check(value)

// Checks a request against its schema and says in words what does not fit, everything at once.

import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { nearest } from '../lib/nearest.ts'
import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'

/** A request whose shape is not that of the schema. */
export class ShapeError extends Error {
  readonly problems: readonly FieldProblem[]

  constructor(problems: readonly FieldProblem[]) {
    super('the request is not of the right shape')
    this.problems = problems
  }
}

Settings.Set({ maxErrors: 4 * MAX_PROBLEMS })

const validators = new WeakMap<TSchema, ReturnType<typeof Compile>>()

/** Compiled when it is first needed: every start would pay for all of them. */
function validatorOf(schema: TSchema): ReturnType<typeof Compile> {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  return validator
}

/** Makes of a schema what the HTTP server calls; query strings are converted to the schema's types first. */
export const shapeCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const convert = httpPart === 'querystring'
  return (given: Query) => {
    const validator = validatorOf(schema)
    const value = convert ? converted(validator, given) : given
    if (validator.Check(value)) return { value }
    // Looking at a hostile megabyte of wrong fields one by one would take seconds: a sample says enough.
    const problems = problemsOf(schema, errorsOf(validator, value))
    return { error: new ShapeError(convert ? toldOfQuery(problems, value) : problems) }
  }
}

type Query = Readonly<Record<string, unknown>>

/** In the types of the schema; what does not go into a number unchanged, as 1.5 into a whole one, stays as it is. */
function converted(validator: ReturnType<typeof Compile>, given: Query): Query {
  const entries = Object.entries(validator.Convert({ ...given }) as Query)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const isOther = typeof value === 'number' && value !== Number(given[name])
      return [name, isOther ? given[name] : value]
    }),
  )
}

/** A parameter that is there twice arrives as a list: "must be a string" helps no client that sent two. */
const toldOfQuery = (problems: readonly FieldProblem[], query: Query): FieldProblem[] =>
  problems.map((problem) =>
    problem.code === 'invalid_type' && Array.isArray(query[problem.path])
      ? { ...problem, code: 'duplicate_field', message: 'It is given more than once; give it once.' }
      : problem,
  )

/** Problems of a value that is one of many in a request. */
export function shapeProblemsOf(schema: TSchema, value: unknown): readonly FieldProblem[] {
  const validator = validatorOf(schema)
  return validator.Check(value) ? [] : problemsOf(schema, errorsOf(validator, value))
}

/**
 * The fields of an object that fit its schema, whatever is wrong with the others, and of which nothing was told. Of a
 * record, whose names are anybody's, those of its entries that fit.
 */
export function fittingFields(
  { properties = {} }: TSchema & SchemaPart,
  value: object,
  told: readonly FieldProblem[],
): object {
  const shapes = new Map<string, TSchema>(Object.entries(properties))
  for (const { path } of told) shapes.delete(path)
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const shape = shapes.get(name)
    const fitting = shape && fittingValue(shape, one)
    return fitting === undefined ? [] : [[name, fitting]]
  })
  return Object.fromEntries(fields)
}

/** Undefined where nothing of it fits. */
function fittingValue(shape: TSchema & SchemaPart, value: unknown): unknown {
  if (validatorOf(shape).Check(value)) return value
  const [ofEntries] = Object.values(shape.patternProperties ?? {})
  if (ofEntries === undefined || typeof value !== 'object' || value === null) return undefined
  // Not taken out of its validator: it needs its `this` for a value that does not fit.
  const validator = validatorOf(ofEntries)
  return Object.fromEntries(Object.entries(value).filter(([, one]) => validator.Check(one)))
}

const errorsOf = (validator: ReturnType<typeof Compile>, value: unknown): readonly SchemaError[] =>
  validator.Errors(sample(value))

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

/** The value with long lists and wide objects cut to what can be told about. */
function sample(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 8) return value
  if (Array.isArray(value)) return value.slice(0, MAX_PROBLEMS).map((one) => sample(one, depth + 1))
  const entries = Object.entries(value).slice(0, MAX_PROBLEMS)
  return Object.fromEntries(entries.map(([key, one]) => [key, sample(one, depth + 1)]))
}

function problemsOf(schema: TSchema, errors: readonly SchemaError[]): FieldProblem[] {
  const choices = errors
    .filter((error) => error.keyword === 'anyOf')
    .map((choice) => ({ choice, meant: meantShape(schema, choice, errors) }))
  // Of a choice between shapes only what the meant one wants is told, else the choice itself.
  const isTold = (error: SchemaError): boolean =>
    choices.every(({ choice, meant }) => {
      if (error === choice) return meant === undefined
      if (!isWithin(error.instancePath, choice.instancePath)) return true
      return meant !== undefined && isWithin(error.schemaPath, meant)
    })
  const problems = errors.filter(isTold).flatMap((error) => describe(schema, error))
  return problems.slice(0, MAX_PROBLEMS)
}

/** Path of the shape in a choice that a list or an object was meant for: the only one that takes such. */
function meantShape(
  schema: TSchema,
  choice: SchemaError,
  errors: readonly SchemaError[],
): string | undefined {
  const { anyOf = [] } = schemaAt(schema, choice.schemaPath)
  const isOther = (path: string): boolean =>
    errors.some(
      ({ keyword, schemaPath, instancePath }) =>
        keyword === 'type' && schemaPath === path && instancePath === choice.instancePath,
    )
  const [meant, ...more] = anyOf.flatMap((shape, index) => {
    const path = `${choice.schemaPath}/anyOf/${index}`
    const hasParts = 'properties' in shape || 'items' in shape
    return hasParts && !isOther(path) ? [path] : []
  })
  return more.length === 0 ? meant : undefined
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}/`)

function describe(schema: TSchema, error: SchemaError): FieldProblem[] {
  const { keyword, params, instancePath } = error
  const path = fieldPath(instancePath)
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const one = (code: string, message: string): FieldProblem[] => [{ path, code, message }]
  switch (keyword) {
    case 'boolean': // told by additionalProperties
      return []
    case 'required':
      return params.requiredProperties.map((name) => ({
        path: at(name),
        code: 'required',
        message: 'It is required and missing.',
      }))
    case 'additionalProperties':
      return params.additionalProperties.map((name) => ({
        path: at(name),
        code: 'unknown_field',
        message: unknownField(name.slice(0, 100), schemaAt(schema, error.schemaPath)),
      }))
    case 'type':
      return one('invalid_type', `It must be ${withArticle(String(params.type))}.`)
    case 'minItems':
      return one('too_few', `It must hold at least ${params.limit}.`)
    case 'maxItems':
      return one('too_many', `It must hold at most ${params.limit}.`)
    case 'minLength':
      return one(
        'too_short',
        `It must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}.`,
      )
    case 'maxLength':
      return one('too_long', `It must have at most ${params.limit} characters.`)
    case 'format':
      return one('invalid_time', 'Give a time with its offset, such as 2026-01-31T12:00:00Z.')
    case 'const':
      return one('invalid_value', `It must be ${JSON.stringify(params.allowedValue)}.`)
    case 'enum':
      return one('invalid_value', `It must be one of ${params.allowedValues.join(', ')}.`)
    case 'anyOf': {
      const { description } = schemaAt(schema, error.schemaPath)
      return one('invalid_type', `It must be ${description ?? 'one of the documented shapes'}.`)
    }
    default:
      return one('invalid_value', `It ${error.message}.`)
  }
}

function unknownField(name: string, schema: { properties?: object }): string {
  const known = Object.keys(schema.properties ?? {})
  const near = nearest(name, known)
  return near === undefined
    ? `There is no such field; known are ${known.join(', ')}.`
    : `There is no such field; did you mean ${near}?`
}

const withArticle = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

/** `/to/3/email` as `to[3].email`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    )
}

interface SchemaPart {
  readonly anyOf?: readonly TSchema[]
  readonly description?: string
  readonly properties?: object
  readonly patternProperties?: Readonly<Record<string, TSchema>>
}

/** The part of a schema that a path such as `#/properties/to/items` names. */
function schemaAt(schema: TSchema, path: string): SchemaPart {
  let part: unknown = schema
  for (const step of path.split('/').slice(1)) part = (part as Record<string, unknown> | undefined)?.[step]
  return part ?? {}
}

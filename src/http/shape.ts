// Checks a request against its schema, and describes all problems at once.

import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'
import { fieldMeantBy } from './field-aliases.ts'
import { shapeErrors, unescaped } from './schema-errors.ts'
import { fits, type SchemaError, type ShapeValidator, validatorOf } from './shape-validator.ts'

/** Error of a request that does not match its schema. */
export class ShapeError extends Error {
  readonly #find: () => readonly FieldProblem[]
  #problems: readonly FieldProblem[] | undefined

  /**
   * @param find returns the problems; called at the first use, because an endpoint may check the parts of a body itself
   */
  constructor(find: () => readonly FieldProblem[]) {
    super('the request is not of the right shape')
    this.#find = find
  }

  get problems(): readonly FieldProblem[] {
    this.#problems ??= this.#find()
    return this.#problems
  }
}

/** Compiles a schema for the HTTP server; query strings are converted to the types of the schema first. */
export const shapeCompiler: FastifySchemaCompiler<TSchema> = ({
  schema,
  httpPart,
  method = '',
  url = '',
}) => {
  if (httpPart === 'querystring') {
    return (given: Query) => {
      const { query, problems } = readQuery(schema, given)
      return problems.length === 0 ? { value: query } : { error: new ShapeError(() => problems) }
    }
  }
  const matches = httpPart === 'body' && ignoresEmptyFields(method, url) ? fitsWithoutEmpty : fits
  return (value: unknown) =>
    matches(schema, value) ? { value } : { error: new ShapeError(() => wrongShape(schema, value)) }
}

/**
 * True for endpoints that treat an empty field as an absent field. PATCH is excluded, because an empty field may clear
 * the stored value. Removals, erasures and operator actions are excluded, because an absent filter would select
 * everything.
 */
const ignoresEmptyFields = (method: string, url: string): boolean =>
  (method === 'POST' || method === 'PUT') && /^\/v1\/(?!operator\/|erasures|.*\/remove$)/.test(url)

/** Bodies from which empty fields were removed, so that the bodies differ from their text. */
const changedBodies = new WeakSet<object>()

/** True if empty fields were removed from a body. */
export const isChangedBody = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && changedBodies.has(body)

/** Removes empty fields from a value if the value does not match its schema. Returns true if the value then matches. */
function fitsWithoutEmpty(schema: TSchema, value: unknown): boolean {
  if (fits(schema, value)) return true
  if (!removeEmptyFields(schema, value)) return false
  changedBodies.add(value as object)
  return fits(schema, value)
}

type Query = Readonly<Record<string, unknown>>

/** Returns a query converted to the types of its schema, and the problems of the query. */
export function readQuery(
  schema: TSchema,
  given: Query,
): { readonly query: Query; readonly problems: readonly FieldProblem[] } {
  const query = converted(validatorOf(schema), given)
  return { query, problems: queryProblems(shapeProblemsOf(schema, query), query) }
}

/**
 * Converts a query to the types of the schema; a value that the conversion would change, such as 1.5 for an integer,
 * stays a string.
 */
function converted(validator: ShapeValidator, given: Query): Query {
  const entries = Object.entries(validator.Convert({ ...given }) as Query)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const isOther = typeof value === 'number' && value !== Number(given[name])
      return [name, isOther ? given[name] : value]
    }),
  )
}

/**
 * Replaces the message for a parameter that occurs twice. Such a parameter is parsed as a list, and the message "must
 * be a string" would not help the client.
 */
const queryProblems = (problems: readonly FieldProblem[], query: Query): FieldProblem[] =>
  problems.map((problem) =>
    problem.code === 'invalid_type' && Array.isArray(query[problem.path])
      ? { ...problem, code: 'duplicate_field', message: 'The parameter occurs more than once; give it once.' }
      : problem,
  )

/** Returns the problems of one request among several, and removes the empty fields of the request. */
export const requestProblemsOf = (schema: TSchema, value: unknown): readonly FieldProblem[] =>
  fitsWithoutEmpty(schema, value) ? [] : wrongShape(schema, value)

/** Returns the problems of a value's shape; empty only if the value matches. */
export function shapeProblemsOf(schema: TSchema, value: unknown): readonly FieldProblem[] {
  return fits(schema, value) ? [] : wrongShape(schema, value)
}

/** Returns at least one problem for a value that does not match its schema. */
function wrongShape(schema: TSchema, value: unknown): readonly FieldProblem[] {
  const problems = problemsOf(schema, shapeErrors(schema, value))
  return problems.length === 0 ? [NOT_THE_SHAPE] : problems
}

/** Problem for a value that does not match its schema, if no other problem can be described. */
const NOT_THE_SHAPE: FieldProblem = {
  path: '',
  code: 'invalid_value',
  message: 'The value does not have the documented shape.',
}

/**
 * Returns the fields of an object that match their schemas and have no reported problem. For a record with arbitrary
 * names, returns the matching entries.
 */
export function fittingFields(
  { properties = {} }: TSchema & SchemaPart,
  value: object,
  reported: readonly FieldProblem[],
): object {
  const shapes = new Map<string, TSchema>(Object.entries(properties))
  for (const { path } of reported) shapes.delete(path)
  const fields = Object.entries(value).flatMap(([name, one]) => {
    const shape = shapes.get(name)
    const fitting = shape && fittingValue(shape, one)
    return fitting === undefined ? [] : [[name, fitting]]
  })
  return Object.fromEntries(fields)
}

/** Returns the matching part of a value; undefined if no part matches. */
function fittingValue(shape: TSchema & SchemaPart, value: unknown): unknown {
  if (fits(shape, value)) return value
  const [ofEntries] = Object.values(shape.patternProperties ?? {})
  if (ofEntries === undefined || typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).filter(([, one]) => fits(ofEntries, one)))
}

function problemsOf(schema: TSchema, errors: readonly SchemaError[]): FieldProblem[] {
  const choices = errors
    .filter((error) => error.keyword === 'anyOf')
    .map((choice) => ({ choice, meant: meantShape(schema, choice, errors) }))
  // Errors of a union are reduced to the errors of the alternative that the client meant. If the meant alternative is
  // unclear, one error for the union is reported.
  const isReported = (error: SchemaError): boolean =>
    choices.every(({ choice, meant }) => {
      if (error === choice) return meant === undefined
      if (!isWithin(error.instancePath, choice.instancePath)) return true
      return meant !== undefined && isWithin(error.schemaPath, meant)
    })
  const problems = errors.filter(isReported).flatMap((error) => describe(schema, error))
  return problems.slice(0, MAX_PROBLEMS)
}

/**
 * Returns the schema path of the alternative that the client meant: the only alternative of a union that accepts a
 * value of this kind (list or object).
 */
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
    case 'boolean': // reported with the keyword additionalProperties
      return []
    case 'required':
      return params.requiredProperties.map((name) => ({
        path: at(name),
        code: 'required',
        message: 'The field is required and missing.',
      }))
    case 'additionalProperties':
      return params.additionalProperties.map((name) => ({
        path: at(name),
        code: 'unknown_field',
        message: unknownField(name.slice(0, 100), schemaAt(schema, error.schemaPath)),
      }))
    case 'type':
      return one('invalid_type', wrongType(String(params.type), schemaAt(schema, error.schemaPath)))
    case 'minItems':
      return one(
        'too_few',
        `The list must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}.`,
      )
    case 'maxItems':
      return one('too_many', `The list must have at most ${params.limit} items.`)
    case 'minLength':
      return one(
        'too_short',
        `The text must have at least ${params.limit} character${params.limit === 1 ? '' : 's'}.`,
      )
    case 'maxLength':
      return one('too_long', `The text must have at most ${params.limit} characters.`)
    case 'format':
      return one('invalid_time', 'Give a time with its offset, such as 2026-01-31T12:00:00Z.')
    case 'const':
      return one('invalid_value', `The value must be ${JSON.stringify(params.allowedValue)}.`)
    case 'enum':
      return one('invalid_value', `The value must be one of ${params.allowedValues.join(', ')}.`)
    case 'anyOf': {
      const { description } = schemaAt(schema, error.schemaPath)
      return one('invalid_type', `The value must be ${description ?? 'one of the documented shapes'}.`)
    }
    default:
      return one('invalid_value', `The value ${error.message}.`)
  }
}

/** Returns the message for a value of another type, with the form that a list or an object must have. */
function wrongType(type: string, shape: SchemaPart): string {
  const form = formOf(shape)
  return `The value must be ${withArticle(type)}${form === undefined ? '' : `, such as ${form}`}.`
}

/**
 * Returns the shortest form of a list or of an object, such as `[{ "email": "…" }]`, or the example of a text; undefined
 * for other shapes.
 */
function formOf({
  items,
  properties,
  patternProperties,
  examples,
  required = [],
}: SchemaPart): string | undefined {
  if (typeof examples?.[0] === 'string') return JSON.stringify(examples[0])
  if (items !== undefined) return `[${formOf(items) ?? '"…"'}]`
  if (patternProperties !== undefined) return '{ "name": "value" }'
  const names = required.length > 0 ? required : Object.keys(properties ?? {}).slice(0, 1)
  if (properties === undefined || names.length === 0) return undefined
  return `{ ${names.map((name) => `"${name}": ${formOf(properties[name] ?? {}) ?? '"…"'}`).join(', ')} }`
}

function unknownField(name: string, schema: { properties?: object }): string {
  const known = Object.keys(schema.properties ?? {})
  const near = fieldMeantBy(name, known)
  return near === undefined
    ? `There is no such field; known are ${known.join(', ')}.`
    : `There is no such field; did you mean ${near}?`
}

const withArticle = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

/** Converts a JSON pointer such as `/to/3/email` to a path such as `to[3].email`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(unescaped)
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    )
}

interface SchemaPart {
  readonly anyOf?: readonly TSchema[]
  readonly examples?: readonly unknown[]
  readonly description?: string
  readonly items?: SchemaPart
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, TSchema>>
}

/** Returns the part of a schema at a path such as `#/properties/to/items`. */
function schemaAt(schema: TSchema, path: string): SchemaPart {
  let part: unknown = schema
  for (const step of path.split('/').slice(1)) part = (part as Record<string, unknown> | undefined)?.[step]
  return part ?? {}
}

/** Keywords of a schema that describe the parts of a value. */
interface Described {
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
}

/**
 * Removes optional fields that are null or an empty list, and entries of records that are null, at every depth that the
 * schema describes. Fields whose empty value matches the schema stay. Returns true if anything was removed.
 */
function removeEmptyFields(schema: TSchema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { items, required = [], properties = {}, patternProperties = {} }: Described = shapeFor(schema, value)
  if (Array.isArray(value)) {
    let isChanged = false
    if (items !== undefined) for (const one of value) isChanged = removeEmptyFields(items, one) || isChanged
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
    const isEmpty = part === null || (isKnown && Array.isArray(part) && part.length === 0)
    if (isEmpty && !required.includes(name) && !fits(shape, part)) {
      delete fields[name]
      isChanged = true
    } else isChanged = removeEmptyFields(shape, part) || isChanged
  }
  return isChanged
}

/** Returns the alternative of a union that describes the parts of the value; the schema itself if there is none. */
function shapeFor(schema: Described, value: object): Described {
  const isMeant = (one: Described): boolean =>
    Array.isArray(value)
      ? one.items !== undefined
      : one.properties !== undefined || one.patternProperties !== undefined
  return schema.anyOf?.find(isMeant) ?? schema
}

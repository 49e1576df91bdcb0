// Tests that a value of the wrong type in any field of any JSON body is refused with the name of the field, both alone
// and together with valid fields.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { Answer } from '../../test/support/app.ts'
import { kindOfRoute, scopeOf } from '../../test/support/keys.ts'
import {
  type AddressedApp,
  ROUTES_WITH_BODY,
  startAddressedApp,
} from '../../test/support/routes-with-body.ts'
import { until } from '../../test/support/test-clock.ts'

interface Shape {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
}

const OTHER_TYPES = [1, true, null, [], {}, 'text', [1], { 'X-A': 1 }]

/**
 * Field of a body. `bodyWith` returns a body with a given value in this field, alone or together with valid values of
 * all other fields.
 */
interface Field {
  readonly path: string
  readonly shape: Shape
  /** True if the field may be left out. */
  readonly isOptional: boolean
  readonly bodyWith: (value: unknown, beside: boolean) => unknown
}

function fieldsOf(shape: Shape, path: string, bodyWith: Field['bodyWith'], isOptional = false): Field[] {
  const { anyOf = [], items, properties = {}, patternProperties = {}, required = [] } = shape
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const inner = [
    ...Object.entries(properties),
    ...Object.values(patternProperties).map((one) => ['X-A', one] as const),
  ]
  const here = path === '' ? [] : [{ path, shape, isOptional, bodyWith }]
  return [
    ...here,
    ...inner.flatMap(([name, one]) =>
      fieldsOf(
        one,
        at(name),
        (value, beside) => bodyWith({ ...(beside ? (fitting(shape) as object) : {}), [name]: value }, beside),
        !required.includes(name),
      ),
    ),
    ...(items === undefined
      ? []
      : fieldsOf(items, `${path}[0]`, (value, beside) => bodyWith([value], beside))),
    ...anyOf.flatMap((one) => fieldsOf(one, path, bodyWith).filter((field) => field.path !== path)),
  ]
}

/** True for null and an empty list, which clients send for an omitted optional field. */
const saysNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)

/**
 * Endpoints that refuse null and an empty list in an optional field, because such a value could clear a field or remove
 * everything.
 */
const TAKES_NO_EMPTY_FIELD = /^(?:PATCH |\w+ (?!\/v1\/)|\w+ \/v1\/(?:operator\/|erasures|.*\/remove$))/

/** Returns a value that matches the schema and contains all fields of the schema. */
function fitting(shape: Shape): unknown {
  if (shape.anyOf?.[0] !== undefined) return fitting(shape.anyOf[0])
  if (shape.const !== undefined) return shape.const
  if (shape.enum !== undefined) return shape.enum[0]
  if (shape.format === 'date-time') return '2099-01-01T00:00:00Z'
  switch (shape.type) {
    case 'string':
      return 'a'.repeat(shape.minLength ?? 1)
    case 'integer':
    case 'number':
      return shape.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return Array.from({ length: shape.minItems ?? 0 }, () => fitting(shape.items ?? {}))
    default:
      return Object.fromEntries(
        Object.entries(shape.properties ?? {}).map(([name, one]) => [name, fitting(one)]),
      )
  }
}

/** Returns the refusal of one entry of a list, whose entries are refused separately; any other answer unchanged. */
function withEntries(answer: Answer): Answer {
  const one = answer.status === 200 ? answer.body.data?.[0]?.error : undefined
  const ofEntries = answer.body.rejected > 0 ? { status: 422, errors: answer.body.problems } : undefined
  const told = one ?? ofEntries
  return told === undefined ? answer : { ...answer, status: told.status, body: told }
}

describe('a value of another type in a body', () => {
  let { app, owner, pathOf } = {} as AddressedApp
  before(async () => {
    ;({ app, owner, pathOf } = await startAddressedApp('broadcast'))
  })
  after(() => app.stop())

  async function refusal(
    { method, url }: (typeof ROUTES_WITH_BODY)[number],
    value: unknown,
  ): Promise<Answer> {
    const path = pathOf(url)
    const text = JSON.stringify(value)
    const isOfKeys = path.startsWith('/v1') && !path.startsWith('/v1/operator')
    if (!isOfKeys || kindOfRoute({ scope: scopeOf(`${method} ${path}`) }) === 'management') {
      return until('the rate of a user allows it', async () => {
        const answer = await owner.call(method, path.replace(/^\/v1/, '/api'), text)
        return answer.status !== 429 && withEntries(answer)
      })
    }
    const { sending_key, verification_key } = app.playground
    const isBulk = path === '/v1/bulk'
    const answer = await app.callWith(method, path, isBulk ? `${text}\n{"to":"ann@example.net"}` : text, {
      authorization: `Bearer ${path.endsWith('verifications') ? verification_key : sending_key}`,
      'content-type': isBulk ? 'application/x-ndjson' : 'application/json',
    })
    return withEntries(answer)
  }

  // A complete message and the file of a report have no fields of JSON.
  const files = ['/v1/messages/raw', '/v1/reports']
  for (const route of ROUTES_WITH_BODY.filter(({ url }) => !files.includes(url))) {
    const fields = fieldsOf(route.schema.body as Shape, '', (value) => value)
    // Each request of a batch has a separate result, with paths relative to the request.
    const pathIn = (path: string) => (route.url.endsWith('/batch') ? path.replace(/^\[0\]\.?/, '') : path)
    test(`${route.method} ${route.url}: each of ${fields.length} fields`, async () => {
      assert.ok(fields.length > 0)
      const mayBeEmpty = !TAKES_NO_EMPTY_FIELD.test(`${route.method} ${route.url}`)
      for (const { path, shape, isOptional, bodyWith } of fields) {
        for (const value of OTHER_TYPES.filter((one) => !Check(shape as TSchema, one))) {
          if (mayBeEmpty && isOptional && saysNothing(value)) continue
          for (const beside of [false, true]) {
            const body = bodyWith(value, beside)
            const { status, body: told } = await refusal(route, body)
            const said = `${path} in ${JSON.stringify(body)}: ${JSON.stringify(told)}`
            assert.equal(status, 422, said)
            const paths: string[] = told.errors.map((error: { path: string }) => error.path)
            const wrong = pathIn(path)
            // Problems of a union type are reported for the whole field.
            const isTold = (one: string): boolean => one.startsWith(wrong) || wrong.startsWith(`${one}.`)
            assert.ok(wrong === '' ? paths.length > 0 : paths.some(isTold), said)
          }
        }
      }
    })
  }
})

// Tests that refusals of a wrong shape are sentences: the description of a choice between shapes completes a sentence
// that begins with "The value must be".

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { SendBody } from '../api/contract/message-requests.ts'
import { shapeProblemsOf } from './shape.ts'

const CONTRACT = new URL('../api/contract/', import.meta.url)

/** Yields the choices within a schema, each with its path. */
function* choices(schema: TSchema, path: string): Generator<{ path: string; description: unknown }> {
  const {
    anyOf,
    properties = {},
    items,
    additionalProperties,
    description,
  } = schema as Partial<{
    readonly anyOf: readonly TSchema[]
    readonly properties: Readonly<Record<string, TSchema>>
    readonly items: TSchema
    readonly additionalProperties: TSchema | boolean
    readonly description: string
  }>
  if (anyOf !== undefined) yield { path, description }
  for (const [name, part] of Object.entries(properties)) yield* choices(part, `${path}.${name}`)
  if (items !== undefined) yield* choices(items, `${path}[]`)
  if (typeof additionalProperties === 'object') yield* choices(additionalProperties, `${path}.*`)
}

describe('a value of another type', () => {
  const Person = Type.Object({ email: Type.String(), name: Type.Optional(Type.String()) })
  const schema = Type.Object({
    to: Type.Array(Person),
    names: Type.Array(Type.String()),
    entries: Type.Array(Type.Object({ owner: Person, at: Type.String() })),
    model: Type.Object({}),
    from: Type.String({ examples: ['shop@example.com'] }),
    headers: Type.Record(Type.String(), Type.String()),
  })
  const VALID = { to: [], names: [], entries: [], model: {}, from: '', headers: {} }
  const told = (value: object): string[] =>
    shapeProblemsOf(schema, { ...VALID, ...value }).map(({ path, message }) => `${path}: ${message}`)

  test('is refused with the form that its field has', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ to: 'a@b.test' }, 'to: The value must be an array, such as [{ "email": "…" }].'],
      [{ to: ['a@b.test'] }, 'to[0]: The value must be an object, such as { "email": "…" }.'],
      [{ names: 'Ann' }, 'names: The value must be an array, such as ["…"].'],
      [
        { entries: {} },
        'entries: The value must be an array, such as [{ "owner": { "email": "…" }, "at": "…" }].',
      ],
      [{ model: 'Ann' }, 'model: The value must be an object.'],
      [{ to: [{ email: 1 }] }, 'to[0].email: The value must be a string.'],
      [{ from: { email: 'a@b.test' } }, 'from: The value must be a string, such as "shop@example.com".'],
      [{ headers: [{ name: 'X-A' }] }, 'headers: The value must be an object, such as { "name": "value" }.'],
    ]
    for (const [value, message] of cases) assert.deepEqual(told(value), [message])
  })
})

test('an unknown field is refused with the field that its name means', () => {
  const meant = (name: string): string | undefined => {
    const schema = Type.Object(SendBody.properties, { additionalProperties: false })
    const problems = shapeProblemsOf(schema, { from: 'a@b.test', to: [{ email: 'c@d.test' }], [name]: 'x' })
    return /did you mean (\w+)\?/.exec(problems[0]?.message ?? '')?.[1]
  }
  const expected = {
    textBody: 'text',
    HtmlBody: 'html',
    subjct: 'subject',
    replyTo: 'reply_to',
    TemplateModel: 'template_model',
    scheduled_at: 'send_at',
    message_stream: 'stream',
    recipients: 'to',
    __proto: undefined,
    constructor: undefined,
    nonesuch: undefined,
  }
  for (const [name, field] of Object.entries(expected)) assert.equal(meant(name), field, name)
})

describe('a choice between shapes', () => {
  test('is described in every request body, by a noun with its article', async () => {
    const found: { path: string; description: unknown }[] = []
    for (const file of await readdir(CONTRACT)) {
      const exported = Object.entries(await import(new URL(file, CONTRACT).href))
      for (const [name, schema] of exported) {
        if (/(?:Body|Patch|Request)$/.test(name)) found.push(...choices(schema as TSchema, name))
      }
    }
    assert.ok(found.length >= 10, String(found.length))
    const wrong = found.filter(({ description }) => !/^an? /.test(String(description)))
    assert.deepEqual(wrong, [])
  })

  test('that does not match is reported as a whole', () => {
    const allowance = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'a number of recipients, or null for no limit',
    })
    const problems = shapeProblemsOf(Type.Object({ allowance }), { allowance: -1 })
    assert.deepEqual(problems, [
      {
        path: 'allowance',
        code: 'invalid_type',
        message: 'The value must be a number of recipients, or null for no limit.',
      },
    ])
  })
})

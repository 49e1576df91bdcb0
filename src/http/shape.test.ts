// Tests that refusals of a wrong shape are sentences: the description of a choice between shapes completes a sentence
// that begins with "It must be".

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { type TSchema, Type } from 'typebox'
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
        message: 'It must be a number of recipients, or null for no limit.',
      },
    ])
  })
})

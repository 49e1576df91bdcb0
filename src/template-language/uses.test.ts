// Tests the values that a template uses, and the model suggested for it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isTemplate, parseTemplate } from './parse.ts'
import { REAL_TEMPLATES } from './real-life.test-data.ts'
import { render } from './render.ts'
import { sampleModel } from './sample-model.ts'
import type { Template } from './tree.ts'
import { usesOf } from './uses.ts'

function parsed(text: string): Template {
  const template = parseTemplate(text)
  if (!isTemplate(template)) throw new Error(JSON.stringify(template))
  return template
}

describe('the suggested model', () => {
  const examples: readonly (readonly [string, object])[] = [
    ['text', {}],
    ['{{name}} {{user.email}}', { name: 'name', user: { email: 'email' } }],
    ['{{#if paid}}x{{/if}}{{#unless open}}y{{/unless}}', { paid: true, open: true }],
    ['{{#if name}}{{name}}{{/if}}', { name: 'name' }],
    ['{{#each items}}{{sku}}{{../total}}{{/each}}', { items: [{ sku: 'sku' }], total: 'total' }],
    ['{{#each tags}}{{this}}{{/each}}', { tags: ['tags'] }],
    ['{{#tags}}{{.}}{{/tags}}', { tags: ['tags'] }],
    ['{{#items}}{{@index}} {{name}}{{/items}}', { items: [{ name: 'name' }] }],
    ['{{#with a.b}}{{c}}{{@root.d}}{{/with}}', { a: { b: { c: 'c' } }, d: 'd' }],
    ['{{#company}}{{name}}{{/company}}', { company: { name: 'name' } }],
    ['{{^missing}}{{x}}{{/missing}}', { missing: true, x: 'x' }],
    ['{{#each l as |item i|}}{{item.a}}{{i}}{{/each}}', { l: [{ a: 'a' }] }],
    ['{{#equals status "paid"}}{{upper name}}{{/equals}}', { status: 'status', name: 'name' }],
    ['{{list.[0].a}} {{list.length}}', { list: [{ a: 'a' }] }],
    ['{{@content}}{{__proto__.x}}', {}],
  ]
  for (const [text, model] of examples) {
    test(text, () => assert.deepEqual(sampleModel([parsed(text)]), model))
  }

  test('fits all templates together', () => {
    const all = ['{{a}}', '{{#each l}}{{x}}{{/each}}', '{{#each l}}{{y}}{{/each}}'].map(parsed)
    assert.deepEqual(sampleModel(all), { a: 'a', l: [{ x: 'x', y: 'y' }] })
  })

  test('is as deep as anybody reads, however deep the template looks', () => {
    const deep = `{{#with ${Array.from({ length: 32 }, () => 'a').join('.')}}}`.repeat(99)
    const model = sampleModel([parsed(`${deep}x${'{{/with}}'.repeat(99)}`)])
    const depth = JSON.stringify(model).split('{').length - 1
    assert.ok(depth > 50 && depth <= 101, String(depth))
  })

  test('is JSON that every template takes', () => {
    for (const { template } of REAL_TEMPLATES) {
      const model = JSON.parse(JSON.stringify(sampleModel([parsed(template)])))
      render(parsed(template), model, { html: true })
    }
  })
})

test('uses of what the caller gives', () => {
  const template = parsed(
    '{{{ @content }}}\n{{#if @content}}{{@content}}{{/if}}{{#a}}{{&@content.b}}{{upper @content}}{{/a}}{{@other}}{{@root.x}}{{@../index}}',
  )
  const use = { name: 'content', raw: false, inBlock: true, inCall: false }
  assert.deepEqual(usesOf(template), [
    { ...use, line: 1, column: 5, raw: true, inBlock: false },
    { ...use, line: 2, column: 7 },
    { ...use, line: 2, column: 19 },
    { ...use, line: 2, column: 45 },
    { ...use, line: 2, column: 65, inCall: true },
    { ...use, line: 2, column: 83, name: 'other', inBlock: false },
  ])
})

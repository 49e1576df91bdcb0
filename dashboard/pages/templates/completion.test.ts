// Completion of variables and helpers, which depends on the scope of the open blocks.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { completionsAt } from './completion.ts'

const MODEL = {
  name: 'Ann',
  order: { number: 7, items: [{ title: 'Tea', tags: ['hot'] }], 'ship-to': { zip: '1' }, 'a b': 1 },
}

const labels = (before: string, own?: readonly string[]): string[] | undefined =>
  completionsAt(before, MODEL, own)?.suggestions.map(({ label }) => label)

describe('completion', () => {
  test('is for open tags only', () => {
    for (const before of ['', 'Dear ', '{{name}} ', '{ {', 'a } b', '{{#if a}}x{{/if}}'])
      assert.equal(completionsAt(before, MODEL), undefined, before)
  })

  test('gives every path of the model with its value, from the beginning of the word', () => {
    const before = 'Dear {{ord'
    const found = completionsAt(before, MODEL)
    assert.equal(found?.from, before.length - 3)
    const paths = found?.suggestions.filter(({ kind }) => kind === 'variable').map(({ label }) => label)
    assert.deepEqual(paths, [
      'name',
      'order',
      'order.number',
      'order.items',
      'order.ship-to',
      'order.ship-to.zip',
      'order.[a b]',
    ])
    assert.equal(found?.suggestions.find(({ label }) => label === 'name')?.detail, 'Ann')
    for (const start of ['{{{', '{{&', '{{~ ', '{{#if ', '{{#if (equals '])
      assert.ok(labels(start)?.includes('name'), start)
  })

  test('knows the item of the loop, the object of a section, and the way back to the model', () => {
    const inLoop = labels('{{#each order.items}}<td>{{')
    assert.ok(inLoop?.includes('title'))
    assert.ok(inLoop?.includes('@root.name'))
    assert.ok(inLoop?.includes('@index'))
    assert.ok(inLoop?.includes('/each'))
    assert.ok(!inLoop?.includes('name'))
    const nested = labels('{{#each order.items}}{{#each tags}}{{')
    assert.ok(nested?.includes('this'))
    assert.ok(labels('{{#with order}}{{')?.includes('number'))
    assert.ok(labels('{{#order}}{{')?.includes('number'))
    assert.ok(labels('{{^order}}{{')?.includes('name'))
    assert.ok(labels('{{#if order}}{{')?.includes('order.number'))
    assert.ok(labels('{{#each order.items}}{{/each}}{{')?.includes('name'))
  })

  test('closes the block that is open', () => {
    assert.deepEqual(labels('{{#each order.items}}{{#if title}}x{{/'), ['if'])
    assert.deepEqual(labels('{{#each order.items}}{{#if title}}x{{/if}}{{/'), ['each'])
    assert.deepEqual(labels('{{/'), [])
  })

  test('has blocks behind a #, operations where a tag begins, and the names of the caller', () => {
    assert.ok(labels('{{#e')?.includes('each'))
    const block = completionsAt('{{', MODEL)?.suggestions.find(({ label }) => label === '#each')
    assert.equal(block?.insert, '#each |}}{{/each')
    assert.ok(labels('{{{ ', ['content'])?.includes('@content'))
    assert.ok(labels('{{')?.includes('upper'))
  })

  test('takes any text and any model', () => {
    const deep = { a: JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) }
    for (const model of [
      {},
      deep,
      { [Symbol.iterator as never]: 1 },
      Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`v${i}`, i])),
    ])
      for (const before of [
        '{{'.repeat(20_000),
        `${'{{#each a}}'.repeat(5_000)}{{`,
        `{{${' '.repeat(40_000)}`,
        `{{#${' '.repeat(40_000)}{{`,
        '{{#if\n(((',
      ]) {
        const found = completionsAt(before, model)
        assert.ok((found?.suggestions.length ?? 0) < 1_000)
      }
  })
})

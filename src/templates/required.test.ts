// Tests that a model can satisfy each accepted required path, and that other paths are refused with a remedy.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { missingPaths, pathProblem } from './required.ts'

const TAKEN: Readonly<Record<string, object>> = {
  name: { name: 'x' },
  'order.number': { order: { number: 1 } },
  'items.[0].x': { items: [{ x: 1 }] },
  'items.0.x': { items: [{ x: 1 }] },
  'items.length': { items: [] },
  'order.@id': { order: { '@id': 1 } },
  '[@id]': { '@id': 1 },
  '[first name].[a.b/c].x': { 'first name': { 'a.b/c': { x: 1 } } },
  '[this]': { this: 1 },
  thistle: { thistle: 1 },
  'Straße.größe-2': { Straße: { 'größe-2': 1 } },
}

const REFUSED: Readonly<Record<string, RegExp>> = {
  'items[0].x': /dot before its brackets: items\.\[0\]/,
  'a.items[12]': /dot before its brackets/,
  '@root.a': /remove "@root\."/,
  '@root': /no @/,
  '@index': /no @/,
  this: /name a field/,
  'this.a': /remove "this\."/,
  './a': /remove "\.\/"/,
  '../../a': /remove "\.\.\/\.\.\/"/,
  '.': /such as order\.items/,
  'a..b': /such as order\.items/,
  'a.': /such as order\.items/,
  'a/b': /such as order\.items/,
  'a b': /such as order\.items/,
  'a.[]': /such as order\.items/,
  'a.[b': /such as order\.items/,
  'a.[b]c': /such as order\.items/,
  'a.[[b]]': /such as order\.items/,
  'a.__proto__.b': /__proto__/,
  '[__proto__]': /__proto__/,
}

describe('a required path', () => {
  for (const [path, model] of Object.entries(TAKEN)) {
    test(`${path} is taken, missing in an empty model and found in one that has it`, () => {
      assert.equal(pathProblem(path), undefined)
      assert.deepEqual(missingPaths([path], model), [])
      assert.deepEqual(
        missingPaths([path], {}).map((problem) => problem.path),
        [`template_model.${path}`],
      )
    })
  }
  for (const [path, remedy] of Object.entries(REFUSED)) {
    test(`${path} is refused`, () => assert.match(pathProblem(path) ?? '', remedy))
  }
})

// Initials of a user, for the icon next to the name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialsOf } from './initials.ts'

test('initials are whole letters of the first two words that begin with one', () => {
  for (const [name, initials] of [
    ['Ann Larch', 'AL'],
    ['ann@northwind.example', 'A'],
    ['Dev 🐎', 'D'],
    ['🐎 Dev Horse', 'DH'],
    ['𝒜nn 𝔅lue', '𝒜𝔅'],
    ['Zoë van der Berg', 'ZV'],
    ['李 小龍', '李小'],
    ['  ', ''],
  ] as const) {
    assert.equal(initialsOf(name), initials, name)
    assert.ok(initialsOf(name).isWellFormed(), name)
  }
})

// Columns of a list are matched with the variables of a template, and variables without a column are found.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessColumns, namedColumns, unfilledVariables } from './columns.ts'

const variables = (...names: string[]) => names.map((name) => ({ name, required: false }))

const named = (titles: readonly string[], ...names: string[]) =>
  namedColumns(guessColumns(titles, []), variables(...names)).map(({ use, name }) => `${use} ${name}`)

test('the column of addresses is found by its title, or by the addresses in it', () => {
  const at = (titles: readonly string[], ...rows: readonly (readonly string[])[]) =>
    guessColumns(titles, rows).findIndex(({ use }) => use === 'to')
  assert.equal(at(['Vorname', 'Mailadresse'], ['Ann', 'ann@example.net'], ['Bob', ''], ['Cara', 'none']), 1)
  assert.equal(at(['Address', 'Email'], ['Mill Lane 4', 'ann@example.net']), 1)
  assert.equal(at(['Address', 'Kontakt'], ['Mill Lane 4', 'ann@example.net']), 1)
  assert.equal(at(['Boss', 'E-Mail'], ['boss@example.net', 'unknown']), 1)
  assert.equal(at(['Customer', 'Boss'], ['ann@example.net', 'boss@example.net']), -1, 'both may be meant')
  assert.equal(at(['Name', 'recipient'], ['Ann', '']), 1)
  assert.equal(at(['first', 'second'], ['a', 'b']), -1)
})

test('a column fills the variable that its title names, in any case and with any marks', () => {
  assert.deepEqual(
    named(['E-Mail', 'Name', 'First name', 'ORDER Number'], 'name', 'firstName', 'order.number'),
    ['to E-Mail', 'variable name', 'variable firstName', 'variable order.number'],
  )
  assert.deepEqual(named(['Größe', 'STRAẞE'], 'größe'), ['variable größe', 'variable STRAẞE'])
})

test('the exact name comes first, and no variable is filled twice', () => {
  assert.deepEqual(named(['Name', 'name'], 'name', 'Name'), ['variable Name', 'variable name'])
  assert.deepEqual(named(['NAME', 'Name'], 'name'), ['variable name', 'variable Name'])
})

test('a name that the user typed stays, and other columns do not take its variable', () => {
  const [first, second] = namedColumns(
    [
      { title: 'Name', use: 'variable' },
      { title: 'Full', use: 'variable', typedName: 'name' },
    ],
    variables('name'),
  )
  assert.deepEqual([first?.name, second?.name], ['Name', 'name'])
})

test('a variable is filled by its column, or by columns of its fields; the addresses fill email', () => {
  const given = variables('name', 'order', 'order.number', 'price', 'email')
  const columns = namedColumns(guessColumns(['email', 'Name', 'order.number', 'metadata.price'], []), given)
  assert.deepEqual(
    unfilledVariables(columns, given).map(({ name }) => name),
    ['price'],
  )
})

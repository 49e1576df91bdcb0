// Every action that the service writes to the audit log has a text.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { audit } from '../../texts/en/audit.ts'
import { actionName } from './audit-actions.ts'

const SERVICE = new URL('../../../src/', import.meta.url)

test('every action that an endpoint names has a text', () => {
  const sources = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(new URL(path, SERVICE), 'utf8'))
  const written = sources.flatMap((source) =>
    [...source.matchAll(/\baudit: '([a-z.-]+)'/g)].map(([, action = '']) => action),
  )
  assert.ok(written.length > 50, `${written.length}`)
  assert.deepEqual(
    written.filter((action) => !(action in audit.actions)),
    [],
  )
})

test('no two actions have the same text', () => {
  const texts = Object.values(audit.actions)
  assert.deepEqual(
    texts.filter((text, index) => texts.indexOf(text) !== index),
    [],
  )
})

test('an action without a text is shown by its own words', () => {
  assert.equal(actionName('key.create'), audit.actions['key.create'])
  assert.equal(actionName('side-door.open'), 'Side door open')
})

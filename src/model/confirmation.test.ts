// Tests the confirmation of a deletion.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireConfirmed } from './confirmation.ts'
import { Problem } from './problem.ts'

const told = (given: string | undefined, names: readonly [string, ...string[]]): unknown => {
  try {
    requireConfirmed(given, 'account', names)
    return 'confirmed'
  } catch (error) {
    assert.ok(error instanceof Problem && error.status === 422)
    return error.errors.map(({ path, code, message }) => `${path} ${code}: ${message}`).join()
  }
}

test('a deletion is confirmed by the name in any spelling, and by nothing else', () => {
  for (const given of ['Example & Sons', ' example & sons ', 'EXAMPLE & SONS', 'Beispiel']) {
    assert.equal(told(given, ['Example & Sons', 'Beispiel']), 'confirmed', given)
  }
  for (const given of ['', ' ', 'Example', 'yes', 'Example & Sons.']) {
    assert.equal(
      told(given, ['Example & Sons']),
      'confirm not_confirmed: Repeat the name of the account, Example & Sons, to delete it.',
    )
  }
  assert.equal(
    told(undefined, ['Example & Sons']),
    'confirm required: Confirm the deletion of the account with ?confirm=Example%20%26%20Sons.',
  )
})

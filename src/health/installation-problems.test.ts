// Tests the problems of the installation that operators see.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateProblems } from './installation-problems.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 5, 1)

test('a certificate is a problem from fourteen days before its expiry on', () => {
  const at = (days: number, problem?: string) =>
    certificateProblems({ notAfter: NOW + days * DAY_MS, problem }, NOW)
  assert.deepEqual(at(15), [])
  assert.deepEqual(at(60, 'not today'), [], 'there is time left')
  assert.partialDeepStrictEqual(at(13), [
    { severity: 'warning', title: 'The TLS certificate expires on 2026-06-14' },
  ])
  assert.partialDeepStrictEqual(at(2), [{ severity: 'error' }])
  assert.partialDeepStrictEqual(at(-1), [
    { severity: 'error', title: 'The TLS certificate has expired on 2026-05-31' },
  ])
  assert.match(at(13, 'it answered 403')[0]?.what_to_do ?? '', /it answered 403/)
})

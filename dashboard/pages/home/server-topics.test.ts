// The checks of the installation, grouped by setup topic.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HealthCheck } from '../operator/calls.ts'
import { stateOf, topicsOf } from './server-topics.ts'

const check = (name: string, status: HealthCheck['status'] = 'ok'): HealthCheck => ({
  ...{ name, status, detail: '', remedy: null },
})

test('checks stand in the order of setting up, each topic in its worst state', () => {
  const topics = topicsOf([
    check('disk'),
    check('SMTP certificate', 'warn'),
    check('reverse DNS 192.0.2.1', 'fail'),
    check('reverse DNS 192.0.2.2', 'warn'),
    check('hostname'),
    check('return-path MX'),
    check('port 25', 'fail'),
  ])
  assert.deepEqual(
    topics.map(({ name, status, wrong }) => [name, status, wrong.length]),
    [
      ['name', 'ok', 0],
      ['reverse', 'fail', 2],
      ['port25', 'fail', 1],
      ['returnPath', 'ok', 0],
      ['certificate', 'warn', 1],
      ['other', 'ok', 0],
    ],
  )
})

test('skipped checks have no topic, and those of domains belong to their records', () => {
  assert.deepEqual(
    topicsOf([check('port 25', 'skipped'), check('domain shop.example', 'warn'), check('domains')]),
    [],
  )
})

test('the setup is done without failures, and says whether warnings are left', () => {
  const state = (...checks: HealthCheck[]) => stateOf(topicsOf(checks))
  assert.deepEqual(state(check('hostname')), { done: true, warned: false })
  assert.deepEqual(state(check('hostname'), check('port 25', 'warn')), { done: true, warned: true })
  assert.deepEqual(state(check('hostname', 'fail'), check('port 25', 'warn')), { done: false, warned: true })
})

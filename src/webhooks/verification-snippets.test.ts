// Tests that the programs in docs/webhooks.md accept genuine requests and no other requests.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { standardHeaders } from './request.ts'
import { newGeneration, readKeys } from './signing-keys.ts'

const docs = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const program = (language: string): string => docs.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''

const body = JSON.stringify({ type: 'delivered', data: { email: 'grüße@example.com' } })

/** Test cases: secret, headers, body, and true for a genuine request. */
let cases: readonly (readonly [string, Record<string, string>, string, boolean])[]
before(async () => {
  // The requests are signed here and not when the file is loaded: a request older than five minutes is refused, and
  // tests of other files may take that long before the first test of this file runs.
  const now = Date.now()
  const generations = [newGeneration(now), newGeneration(now)]
  const keys = readKeys({ generations, basicAuth: null }, now)
  const [newest, other] = keys
  const headers = await standardHeaders(keys, 'evt_1', now, body)
  cases = [
    [newest?.secret ?? '', headers, body, true],
    [other?.secret ?? '', headers, body, true],
    [newGeneration(now).secret, headers, body, false],
    [newest?.secret ?? '', headers, `${body} `, false],
    [newest?.secret ?? '', { ...headers, 'webhook-id': 'evt_2' }, body, false],
    [newest?.secret ?? '', await standardHeaders(keys, 'evt_1', now - 600_000, body), body, false],
  ]
})

test('in Node', async () => {
  const source = `data:text/javascript,${encodeURIComponent(program('js'))}`
  const { isGenuine } = await import(source)
  for (const [secret, given, text, expected] of cases) {
    assert.equal(isGenuine(secret, given, Buffer.from(text)), expected)
  }
})

const python = spawnSync('python3', ['--version'])

test('in Python', { skip: python.status !== 0 && 'there is no Python' }, () => {
  const input = JSON.stringify(cases.map(([secret, given, text]) => [secret, given, text]))
  const main = `${program('python')}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(secret, headers, body.encode()) for secret, headers, body in cases]))`
  const { stdout, stderr } = spawnSync('python3', ['-c', main], { input, encoding: 'utf8' })
  assert.deepEqual(
    JSON.parse(stdout || '[]'),
    cases.map(([, , , expected]) => expected),
    stderr,
  )
})

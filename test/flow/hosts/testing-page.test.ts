// Every request of docs/testing.md runs as written, in its order, with the keys that the earlier ones have made.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { TestApp } from '../../support/app.ts'
import { managementKey } from '../../support/keys.ts'
import { blocksOf } from '../../support/page-blocks.ts'

const run = promisify(execFile)
const PAGE = new URL('../../../docs/testing.md', import.meta.url)
/** A line that stands for a value that the reader has. */
const PLACEHOLDER = /^[A-Z_]+=\S*….*$/gm

describe('docs/testing.md', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,delivery' } })
  })
  after(() => app.stop())

  test('its requests succeed in their order', async () => {
    const env: Record<string, string> = { PATH: process.env.PATH ?? '', MANAGE: await managementKey(app) }
    const outputs: string[] = []
    const blocks = (await blocksOf(PAGE)).filter(({ language }) => language === 'sh')
    for (const { code } of blocks) {
      const script = code.replace(PLACEHOLDER, '').replace(/^BASE=.*$/m, `BASE=${app.app.url}`)
      env.BASE = app.app.url
      const { stdout } = await run('sh', ['-ec', script.replaceAll('curl ', 'curl -sS --fail-with-body ')], {
        env,
      })
      outputs.push(stdout)
      const { inbox_id, key } = /^\{.*\}$/s.test(stdout.trim())
        ? JSON.parse(stdout.trim().split('\n')[0] ?? '')
        : {}
      if (typeof key === 'string') env[key.startsWith('public_') ? 'PUBLIC_KEY' : 'TEST_KEY'] = key
      else if (typeof inbox_id === 'string') env.INBOX = inbox_id
    }
    assert.equal(blocks.length, 5)
    assert.match(outputs[2] ?? '', /\n?482913\n$/)
  })
})

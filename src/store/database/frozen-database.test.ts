// A PostgreSQL server that accepts connections but never answers: requests are refused in time, and no request runs
// twice.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { FreezingProxy } from '../../../test/support/freezing-proxy.ts'
import { MISSED_BY_DATABASE_MS, NEVER_REACHED_MS } from '../../../test/support/limits.ts'
import { MAX_WAIT_MS, until } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { loadConfig } from '../../config/load.ts'
import { silentLog } from '../../lib/log.ts'
import { type App, startApp } from '../../node/node.ts'

const TIMEOUT_MS = MISSED_BY_DATABASE_MS
const LONG_TIMEOUT_MS = NEVER_REACHED_MS
/** Maximum time of a response: less than the usual timeouts of clients, and sufficient on a busy machine. */
const MAX_ANSWER_MS = 9_000

describe('a database that hangs', { concurrency: 1 }, () => {
  let app: TestApp
  let proxy: FreezingProxy
  before(async () => {
    app = await TestApp.start({
      database: 'postgres',
      env: { POSTRIDER_DATABASE_TIMEOUT_MS: String(TIMEOUT_MS), POSTRIDER_ROLES: 'api' },
      async databaseUrl(url) {
        const at = new URL(url)
        proxy = await FreezingProxy.start(at.hostname, Number(at.port))
        at.port = String(proxy.port)
        return at.href
      },
    })
    await accepted('before')
  })
  afterEach(() => proxy.thaw())
  after(async () => {
    await app.stop()
    await proxy.stop()
  })

  const post = (subject: string, key?: string): Promise<Answer> =>
    app.call(
      'POST',
      '/v1/messages',
      { from: 'a@example.test', to: [{ email: 'b@c.example' }], subject, text: 't' },
      key === undefined ? {} : { 'idempotency-key': key },
    )

  /**
   * Repeats a request until it is accepted: a busy machine may take longer for a response than the node waits for the
   * database.
   */
  const accepted = (subject: string, key?: string): Promise<Answer> =>
    until(`${subject} is accepted`, async () => {
      const answer = await post(subject, key)
      return answer.status === 202 && answer
    })

  /** Returns the number of stored messages with this subject, read without the proxy. */
  const stored = async (subject: string): Promise<number> => {
    const rows = await app.store.read
      .selectFrom('messages')
      .select('id')
      .where('subject', '=', subject)
      .execute()
    return rows.length
  }

  async function timed<T>(work: Promise<T>, mostMs: number): Promise<T> {
    const began = performance.now()
    const result = await work
    const took = performance.now() - began
    assert.ok(took < mostMs, `${Math.round(took)} ms`)
    return result
  }

  /** Resolves when the node is ready again. */
  async function recovered(): Promise<void> {
    await until('it is ready', async () => (await app.call('GET', '/readyz')).status === 200)
  }

  test('requests get 503 in time, readyz fails, and both recover', async () => {
    proxy.freeze()
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => timed(post('frozen'), MAX_ANSWER_MS)),
      timed(app.call('GET', '/v1/messages'), MAX_ANSWER_MS),
      timed(app.call('GET', '/readyz'), MAX_ANSWER_MS),
    ])
    for (const { status, body, headers } of answers) {
      assert.equal(status, 503)
      assert.equal(body.code, 'unavailable')
      assert.ok(headers.get('retry-after'))
    }
    assert.equal((await timed(post('still'), MAX_ANSWER_MS)).status, 503)
    assert.equal((await app.call('GET', '/healthz')).status, 200)
    proxy.thaw()
    await recovered()
    await accepted('after')
    const listed = await until('it is listed', async () => {
      const { status, body } = await app.call('GET', '/v1/messages?limit=1')
      return status === 200 && body
    })
    assert.equal(listed.data[0].subject, 'after')
    assert.equal(await stored('frozen'), 0, 'what was refused is not there')
  })

  test('a commit whose answer is lost is reported as unknown, and its key prevents a second run', async () => {
    proxy.freezeAfter('lost', 'commit\0')
    // The refused message was not committed if the database was already too slow for the insert.
    const refused = await until('a commit is cut off', async () => {
      const answer = await timed(post('lost', 'key-1'), MAX_ANSWER_MS)
      return proxy.frozen && answer
    })
    assert.equal(refused.status, 503)
    assert.match(refused.body.detail, /may or may not have been accepted.*Idempotency-Key/)
    await until('it was', async () => (await stored('lost')) === 1)
    proxy.thaw()
    await recovered()
    const again = await accepted('lost', 'key-1')
    assert.deepEqual((await accepted('lost', 'key-1')).body, again.body)
    assert.equal(await stored('lost'), 1)
  })

  /** Starts another node on the same database. */
  const startOther = (timeoutMs: number): Promise<App> => {
    const url = new URL(app.storage.databaseUrl as string)
    url.port = String(proxy.port)
    const config = loadConfig({
      POSTRIDER_DATA_DIR: app.storage.dataDir,
      POSTRIDER_DATABASE_URL: url.href,
      POSTRIDER_DATABASE_TIMEOUT_MS: String(timeoutMs),
      POSTRIDER_HTTP_PORT: '0',
      POSTRIDER_SMTP_PORT: '0',
    })
    return startApp(config, silentLog)
  }

  test(
    'a stop does not wait for the database',
    thorough('0.6 CPU s: a database that stands still until a time limit'),
    async () => {
      const other = await startOther(TIMEOUT_MS)
      proxy.freeze()
      await timed(
        other.stop().catch(() => {}),
        15_000,
      )
    },
  )

  test('stopping ends despite a database that never answers, and without an error', {
    ...thorough('0.6 CPU s: a database that stands still until a time limit'),
    timeout: MAX_WAIT_MS,
  }, async () => {
    const other = await startOther(LONG_TIMEOUT_MS)
    const verify = (): Promise<Response> =>
      fetch(`${other.url}/v1/verifyEmail?email=not-an-address`, {
        headers: { authorization: `Bearer ${other.playground?.verification_key}` },
      })
    assert.equal((await verify()).status, 200)
    proxy.freeze()
    const waiting = verify().catch(() => {})
    await other.stop()
    await waiting
  })
})

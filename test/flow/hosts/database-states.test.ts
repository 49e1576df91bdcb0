// A PostgreSQL server with a full disk, or without free connections for a node: the node names the problem, and no data
// is lost.

import assert from 'node:assert/strict'
import { chownSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { silentLog } from '../../../src/lib/log.ts'
import { openStore } from '../../../src/store/node/open-in-mode.ts'
import { type Answer, TestApp } from '../../support/app.ts'
import { NO_SMALL_DISK, SmallDisk } from '../../support/small-disk.ts'
import { type TestStorage, testStorage } from '../../support/store.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

/** Runs statements in the maintenance database of the server. */
async function asOperator(url: string, ...statements: readonly string[]): Promise<pg.QueryResult> {
  const at = new URL(url)
  at.pathname = '/postgres'
  const client = new pg.Client({ connectionString: at.href })
  await client.connect()
  try {
    let result: pg.QueryResult | undefined
    for (const statement of statements) result = await client.query(statement)
    return result as pg.QueryResult
  } finally {
    await client.end()
  }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

const send = (app: TestApp, subject: string, text = 'short'): Promise<Answer> =>
  app.call('POST', '/v1/messages', {
    ...{ from: 'a@example.test', to: [{ email: 'b@c.example' }], subject, text },
  })

const ready = (app: TestApp): Promise<Answer> => app.call('GET', '/readyz')

test(
  'a full disk of the database: requests are refused with that reason, the node is not ready, and accepts again once there is space',
  thorough('0.9 CPU s: a database server whose disk is full'),
  async (context) => {
    const disk = await SmallDisk.mount(64)
    if (disk === undefined) return context.skip(NO_SMALL_DISK)
    let url = ''
    const app = await TestApp.start({
      database: 'postgres',
      async databaseUrl(own) {
        url = own
        const { rows } = await asOperator(own, 'show data_directory')
        const { uid, gid } = statSync(rows[0].data_directory)
        chownSync(disk.path, uid, gid)
        await asOperator(
          own,
          // The test server clones files by default, which works only within one file system.
          'set file_copy_method = copy',
          `create tablespace small location '${disk.path}'`,
          `alter database ${nameOf(own)} set tablespace small`,
        )
        return own
      },
    })
    assert.equal((await send(app, 'before')).status, 202)
    disk.fill()
    // The text is random, because the database compresses text; each message then needs several pages.
    const large = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('\n')
    let refused: Answer | undefined
    await until('a message is refused', async () => {
      refused = await send(app, 'large', large)
      return refused.status === 503
    })
    assert.match(refused?.body.detail, /The disk of the database is full\. Nothing was accepted/)
    await until('the node is not ready', async () => (await ready(app)).status === 503)
    assert.match((await ready(app)).body.detail, /The disk of the database is full/)
    assert.equal((await app.call('GET', '/healthz')).status, 200)
    disk.empty()
    await until('the node is ready again', async () => (await ready(app)).status === 200)
    assert.equal((await send(app, 'after', large)).status, 202)
    await app.stop()
    await asOperator(url, 'drop tablespace small').catch(() => {})
    await disk.unmount()
  },
)

/** Creates a role that may open this number of connections, and calls `use` with the URL of this role. */
async function withConnections(
  count: number,
  use: (storage: TestStorage, url: string) => Promise<void>,
): Promise<void> {
  const storage = await testStorage('postgres', 'tables')
  const own = storage.databaseUrl as string
  const role = nameOf(own)
  await asOperator(
    own,
    `create role ${role} login password 'few' connection limit ${count}`,
    `grant postgres to ${role}`,
  )
  const limited = new URL(own)
  limited.username = role
  limited.password = 'few'
  await use(storage, limited.href).finally(() => asOperator(own, `drop role ${role}`))
}

test('one connection for a node: the start is refused with the limit to raise', () =>
  withConnections(1, async (storage, databaseUrl) => {
    const opened = openStore({ dataDir: storage.dataDir, databaseUrl, log: silentLog })
    await assert.rejects(
      opened,
      /fewer than three connections left for this node\); each node takes up to 14.*max_connections/,
    )
    await storage.remove()
  }))

test(
  'three connections: bursts are refused with that reason, and all accepted messages are stored',
  thorough('0.8 CPU s: a database server whose disk is full'),
  () =>
    withConnections(3, async (storage, url) => {
      const app = await TestApp.start({ database: 'postgres', storage, databaseUrl: async () => url })
      const answers: Answer[] = []
      const refusedOf = (): Answer[] => answers.filter(({ status }) => status !== 202)
      await until('some requests of a burst are refused', async () => {
        answers.push(...(await Promise.all(Array.from({ length: 60 }, (_, at) => send(app, `burst ${at}`)))))
        return refusedOf().length > 0
      })
      const refused = refusedOf()
      const accepted = answers.length - refused.length
      for (const { status, body } of refused) {
        assert.equal(status, 503)
        assert.match(body.detail, /The database has no connection left for this node\./)
      }
      await until('the node accepts mail', async () => (await send(app, 'after')).status === 202)
      await until('the node is ready', async () => (await ready(app)).status === 200)
      const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from messages where subject like 'burst %'`.execute(app.store.read)
      assert.equal(rows[0]?.count, accepted)
      await app.stop()
    }),
)

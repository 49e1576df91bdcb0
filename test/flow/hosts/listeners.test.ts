// Addresses of each listener: in production, only the admin listener serves the metrics and the operator API.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { type App, startApp } from '../../../src/node/node.ts'
import { thorough } from '../../support/thorough.ts'

const TOKEN = 'an-operator-token-of-forty-characters-xx'
const FREE_PORTS = {
  POSTRIDER_HTTP_PORT: '0',
  POSTRIDER_ADMIN_PORT: '0',
  POSTRIDER_SMTP_PORT: '0',
  POSTRIDER_INBOUND_PORT: '0',
}

describe('the listeners', () => {
  let dataDir: string
  let app: App
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-listeners-'))
    app = await startApp(
      loadConfig({
        ...FREE_PORTS,
        POSTRIDER_MODE: 'production',
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_HOSTNAME: 'sender.test',
        POSTRIDER_DNS_SERVERS: '127.0.0.1:9',
        POSTRIDER_OPERATOR_TOKEN: TOKEN,
        POSTRIDER_INBOUND_HOST: '127.0.0.2',
      }),
      silentLog,
    )
  })
  after(async () => {
    await app.stop()
    await rm(dataDir, { recursive: true })
  })

  const statusOf = async (base: string, path: string, token = TOKEN): Promise<number> => {
    const answer = await fetch(new URL(path, base), { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    return answer.status
  }

  test(
    'the HTTP port has neither metrics nor the operator API in production',
    thorough('0.9 CPU s; the other tests of the file cover the common cases'),
    async () => {
      assert.notEqual(app.adminUrl, app.url)
      for (const path of ['/metrics', '/v1/operator/queue', '/v1/operator/queue/recipients'])
        assert.equal(await statusOf(app.url, path), 404, path)
      assert.deepEqual(
        app.routes.filter(({ url }) => /^\/metrics|^\/v1\/operator/.test(url)),
        [],
      )
      const document = await (await fetch(new URL('/v1/openapi.json', app.url))).text()
      assert.doesNotMatch(document, /\/v1\/operator/)
    },
  )

  test('the admin listener has them, with their reference, and nothing for clients', async () => {
    for (const path of ['/metrics', '/v1/operator/queue', '/v1/openapi.json', '/docs'])
      assert.equal(await statusOf(app.adminUrl, path), 200, path)
    assert.equal(await statusOf(app.adminUrl, '/v1/operator/queue', 'guess'), 401)
    for (const path of ['/v1/messages', '/api/session', '/'])
      assert.equal(await statusOf(app.adminUrl, path), 404, path)
    const document = await (await fetch(new URL('/v1/openapi.json', app.adminUrl))).text()
    assert.match(document, /\/v1\/operator\/queue/)
  })

  test('both report whether the node is alive and ready', async () => {
    for (const base of [app.url, app.adminUrl])
      for (const path of ['/healthz', '/readyz']) assert.equal(await statusOf(base, path), 200)
  })

  test('the inbound port has an address of its own', async () => {
    const { connect } = await import('node:net')
    const reached = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: app.inboundPort as number })
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
        socket.once('connect', () => socket.destroy())
      })
    assert.deepEqual([await reached('127.0.0.2'), await reached('127.0.0.1')], [true, false])
  })

  test('a port that is taken is reported with its settings', async () => {
    const taken = new URL(app.adminUrl).port
    const other = await mkdtemp(join(tmpdir(), 'postrider-listeners-'))
    for (const [setting, host] of [
      ['POSTRIDER_HTTP_PORT', 'POSTRIDER_HTTP_HOST'],
      ['POSTRIDER_ADMIN_PORT', 'POSTRIDER_ADMIN_HOST'],
      ['POSTRIDER_SMTP_PORT', 'POSTRIDER_SMTP_HOST'],
      ['POSTRIDER_SMTPS_PORT', 'POSTRIDER_SMTP_HOST'],
      ['POSTRIDER_INBOUND_PORT', 'POSTRIDER_INBOUND_HOST'],
    ] as const) {
      const env = { ...FREE_PORTS, [setting]: taken, POSTRIDER_MODE: 'production', POSTRIDER_DATA_DIR: other }
      await assert.rejects(startApp(loadConfig(env), silentLog), {
        message: `The address 127.0.0.1:${taken} is taken by another program; change ${host} or ${setting}.`,
      })
    }
    await rm(other, { recursive: true })
  })
})

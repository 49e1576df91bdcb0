// MTA-STS of inbound hosts: the mode of a domain, its DNS records, and the policy that senders fetch.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { certificateFor } from '../../../test/support/authority.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { parsePolicy, readPolicyId } from '../../mta-sts/policy.ts'
import type { DomainRecordView } from '../contract/domain.ts'

const HOST = 'in.example.test'
const DAY = 86_400

describe('the MTA-STS policy of a domain', () => {
  let app: TestApp
  let key: string
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-'))
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    key = await managementKey(app)
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.callWith(method, path, body, { authorization: `Bearer ${key}` })
  const set = (mta_sts: unknown): Promise<Answer> => call('PATCH', '/v1/domains/example.test', { mta_sts })
  const told = async (answer: Promise<Answer>): Promise<string[]> => {
    const { status, body } = await answer
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map((one: { code: string; path: string }) => `${one.code} ${one.path}`)
  }
  const recordsOf = (body: Answer['body']): DomainRecordView[] =>
    body.records.filter(({ name }: DomainRecordView) => name.endsWith(HOST))
  const verified = async (): Promise<Answer['body']> => ok(call('POST', '/v1/domains/example.test/verify'))

  /** Returns the status, the type and the body that a sender gets from a host. */
  const fetched = (host: string): Promise<readonly [number | undefined, string | undefined, string]> =>
    new Promise((resolve, reject) => {
      const url = new URL('/.well-known/mta-sts.txt', app.app.url)
      request(url, { headers: { host } }, (answer) => {
        text(answer).then(
          (body) => resolve([answer.statusCode, answer.headers['content-type'], body]),
          reject,
        )
      })
        .on('error', reject)
        .end()
    })
  const policy = async () => {
    const [status, type, body] = await fetched(`mta-sts.${HOST}`)
    assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8'], body)
    return parsePolicy(body)
  }

  test('is off at first', async () => {
    const domain = await ok(call('GET', '/v1/domains/example.test'))
    assert.deepEqual([domain.mta_sts, domain.mta_sts_since], ['off', null])
    const stream = { alias: 'in', name: 'In', kind: 'inbound', addresses: [`*@${HOST}`] }
    await ok(app.call('POST', '/v1/streams', stream), 201)
    assert.deepEqual(
      recordsOf(await ok(call('GET', '/v1/domains/example.test'))).map(({ purpose }) => purpose),
      ['inbound_mx'],
    )
    assert.equal((await fetched(`mta-sts.${HOST}`))[0], 404)
  })

  test('has a known mode', async () => {
    for (const mode of ['strict', '', null, 1]) assert.match((await told(set(mode))).join(), / mta_sts$/)
  })

  test('is not enforced before the mail host has a certificate, and never for a new domain', async () => {
    assert.deepEqual(await told(set('enforce')), ['no_certificate mta_sts'])
    const added = call('POST', '/v1/domains', { domain: 'new.example', mta_sts: 'enforce' })
    assert.deepEqual(await told(added), ['no_certificate mta_sts'])
    const tested = await ok(call('POST', '/v1/domains', { domain: 'new.example', mta_sts: 'testing' }), 201)
    assert.equal(tested.mta_sts, 'testing')
  })

  test('in testing adds the records of each inbound host, and is served', async () => {
    const domain = await ok(set('testing'))
    assert.equal(domain.mta_sts, 'testing')
    assert.ok(domain.mta_sts_since !== null)
    const records = recordsOf(domain)
    assert.deepEqual(
      records.map((one) => [one.purpose, one.type, one.name, one.required, one.status]),
      [
        ['inbound_mx', 'MX', HOST, false, 'pending'],
        ['mta_sts_host', 'CNAME', `mta-sts.${HOST}`, false, 'pending'],
        ['mta_sts', 'TXT', `_mta-sts.${HOST}`, false, 'pending'],
        ['tls_report', 'TXT', `_smtp._tls.${HOST}`, false, 'pending'],
      ],
    )
    assert.match(records[3]?.value ?? '', /^v=TLSRPTv1; rua=mailto:dmarc\+\w+@/)
    assert.ok(readPolicyId([records[2]?.value ?? '']) !== undefined)
    assert.deepEqual(await policy(), { mode: 'testing', mx: ['sender.test'], maxAge: DAY })
    const zone = await app.callWith('GET', '/v1/domains/example.test/zone', undefined, {
      authorization: `Bearer ${key}`,
    })
    assert.match(String(zone.body), /^_mta-sts\.in\.example\.test\.\t3600\tIN\tTXT\t"v=STSv1; id=\w{20};"$/m)
  })

  test('is served only at its policy host', async () => {
    for (const host of [
      HOST,
      'sender.test',
      'mta-sts.example.test',
      `mta-sts.x.${HOST}`,
      'mta-sts.other.example',
      'mta-sts.',
      `mta-sts.${'x'.repeat(300)}`,
      "mta-sts.' or 1=1 --",
    ]) {
      const [status] = await fetched(host)
      assert.ok(status === 404 || status === 400, `${host}: ${status}`)
    }
    assert.equal((await fetched(`MTA-STS.${HOST.toUpperCase()}`))[0], 200)
  })

  test('is enforced once its records are found', async () => {
    const { cert, key: privateKey } = await certificateFor(['sender.test'])
    await writeFile(join(folder, 'cert.pem'), cert)
    await writeFile(join(folder, 'key.pem'), privateKey)
    await app.stopNode()
    await app.startNode({
      POSTRIDER_SMTP_TLS_CERT: join(folder, 'cert.pem'),
      POSTRIDER_SMTP_TLS_KEY: join(folder, 'key.pem'),
    })
    const added = call('POST', '/v1/domains', { domain: 'newer.example', mta_sts: 'enforce' })
    assert.deepEqual(await told(added), ['testing_first mta_sts'])
    assert.deepEqual(await told(set('enforce')), ['record_missing mta_sts'])
    const before = recordsOf(await ok(call('GET', '/v1/domains/example.test')))
    app.dns.publish(before.slice(1))
    app.dns.set(HOST, { MX: ['10 sender.test'] })
    const found = recordsOf(await verified())
    assert.deepEqual(
      found.map(({ status }) => status),
      ['found', 'found', 'found', 'found'],
    )
    const enforced = recordsOf(await ok(set('enforce')))
    assert.deepEqual(await policy(), { mode: 'enforce', mx: ['sender.test'], maxAge: 7 * DAY })
    // The policy is another one, so its record has another ID, which senders have to find.
    assert.deepEqual(
      enforced.map(({ status }) => status),
      ['found', 'found', 'pending', 'found'],
    )
    assert.notEqual(enforced[2]?.value, before[2]?.value)
    const stale = recordsOf(await verified())[2]
    assert.equal(stale?.status, 'mismatch')
    assert.match(stale?.advice ?? '', /ID of another policy/)
  })

  test('accepts an own TLSRPT record that names the address as well', async () => {
    const [, , , report] = recordsOf(await ok(call('GET', '/v1/domains/example.test')))
    assert.ok(report)
    const check = async (value: string) => {
      app.dns.set(report.name, { TXT: [value] })
      const [, , , checked] = recordsOf(await verified())
      return [checked?.status, checked?.advice] as const
    }
    const own = report.value.replace('rua=', 'rua=mailto:tls@example.test,')
    assert.equal((await check(own))[0], 'found')
    const [status, advice = ''] = await check('v=TLSRPTv1; rua=mailto:tls@example.test')
    assert.equal(status, 'mismatch')
    assert.match(advice, /add mailto:dmarc\+\w+@\S+ to its rua/)
  })

  test('goes with the stream, and belongs to the account that has the name', async () => {
    await ok(app.call('PATCH', '/v1/streams/in', { archived: true }))
    assert.equal((await fetched(`mta-sts.${HOST}`))[0], 404)
    assert.deepEqual(recordsOf(await ok(call('GET', '/v1/domains/example.test'))), [])
    await ok(app.call('PATCH', '/v1/streams/in', { archived: false }))
    assert.equal(recordsOf(await ok(call('GET', '/v1/domains/example.test'))).length, 4)
    assert.equal((await fetched(`mta-sts.${HOST}`))[0], 200)
    await createTenant(app.store, { domain: HOST })
    assert.equal((await fetched(`mta-sts.${HOST}`))[0], 404)
  })

  test('is withdrawn before it is turned off', async () => {
    const other = 'mail.example.test'
    await ok(app.call('PATCH', '/v1/streams/in', { addresses: [`*@${other}`] }))
    await ok(set('none'))
    const [, , body] = await fetched(`mta-sts.${other}`)
    assert.deepEqual(parsePolicy(body), { mode: 'none', mx: [], maxAge: DAY })
    const off = await ok(set('off'))
    assert.deepEqual(
      off.records
        .filter(({ name }: DomainRecordView) => name.endsWith(other))
        .map((one: DomainRecordView) => one.purpose),
      ['inbound_mx'],
    )
    assert.equal((await fetched(`mta-sts.${other}`))[0], 404)
  })
})

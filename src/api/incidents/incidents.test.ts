// Tests of GET /v1/deliverability and of the endpoints of incidents: figures of real deliveries, filters, muting, and the
// domains that a caller may see.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { dmarcXml } from '../../../test/support/dmarc-reports.ts'
import { Person } from '../../../test/support/person.ts'
import { settled } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { closeIncident, openIncident } from '../../store/incidents/incidents.ts'
import { recordBounce } from '../../store/queue/bounces.ts'

const HOUR_MS = 3_600_000

describe('deliverability', () => {
  let app: TestApp
  let owner: { readonly accountId: string; readonly domainId: string }
  before(async () => {
    app = await TestApp.start({
      zone: {
        'gmail.example': { MX: ['10 gmail-smtp-in.l.google.com'] },
        'gmail-smtp-in.l.google.com': { A: ['127.0.0.1'] },
      },
      host: {
        script: ({ verb, argument }) =>
          verb === 'RCPT' && argument.includes('<no@')
            ? '550 5.7.26 Unauthenticated mail is refused'
            : undefined,
      },
    })
    const { account_id, id } = await app.store.read
      .selectFrom('domains')
      .select(['account_id', 'id'])
      .where('name', '=', app.playground.domain)
      .executeTakeFirstOrThrow()
    owner = { accountId: account_id, domainId: id }
  })
  after(() => app.stop())

  const get = async (path: string, authorization?: string) => {
    await settled(app.store)
    return app.call('GET', path, undefined, authorization === undefined ? {} : { authorization })
  }
  const open = async (name: string, more: object = {}): Promise<string> => {
    const now = Date.now()
    const { incidentId } = await app.store.write(openIncident, {
      ...{ ...owner, name, cause: 'rate_limited' as const, provider: 'Yahoo', code: 'TSS04' },
      ...{ scope: { source_address: '192.0.2.7' }, beganAt: now - HOUR_MS, attempts: 100, failed: 31 },
      ...{ usualShare: 0.01, recipients: 20, now, ...more },
    })
    return incidentId
  }

  test('shows what providers did with the mail, and null for what nobody reported', async () => {
    const id = await app.send({ to: [{ email: 'a@gmail.example' }, { email: 'b@receiver.example' }] })
    await app.messageIn(id, 'delivered')
    const { status, body } = await get('/v1/deliverability')
    assert.equal(status, 200, JSON.stringify(body))
    const gmail = body.providers.find(({ provider }: { provider: string | null }) => provider === 'Gmail')
    assert.deepEqual([gmail.accepted, gmail.delivered, gmail.deferred, gmail.bounced], [1, 1, 0, 0])
    assert.ok([0, 1].includes(gmail.tls_share), `${gmail.tls_share}`)
    assert.deepEqual(
      [gmail.complained, gmail.complaint_share, gmail.complaint_source, gmail.authenticated, gmail.placement],
      [null, null, null, null, null],
    )
    assert.deepEqual(gmail.failures, [])
    // One attempt is too few to tell.
    assert.equal(gmail.state, 'too_few')
    assert.deepEqual([body.totals.accepted, body.totals.delivered], [2, 2])

    const day = new Date().toISOString().slice(0, 10)
    const rows = [
      { address: '127.0.0.1', messages: 40, dkim: 'pass', spf: 'pass' },
      // Mail from a foreign address says nothing about own mail.
      { address: '192.0.2.99', messages: 500, dkim: 'fail', spf: 'fail' },
    ]
    const report = dmarcXml({ domain: app.playground.domain, submitter: 'google.com', day, rows })
    assert.equal((await app.call('POST', '/v1/reports', report)).status, 201)
    const reported = await get('/v1/deliverability')
    assert.deepEqual(
      reported.body.providers.find(({ provider }: { provider: string | null }) => provider === 'Gmail')
        .authenticated,
      {
        ...{ dkim_aligned: 40, spf_aligned: 40, dmarc_pass: 40, messages: 40 },
        as_of: `${day}T00:00:00.000Z`,
      },
    )
    const panels = await get('/v1/requirements?provider=Gmail')
    const alignment = panels.body.data[0].checks.find(
      ({ requirement }: { requirement: string }) => requirement === 'alignment',
    )
    assert.deepEqual(
      [alignment.status, alignment.source, alignment.measured],
      ['met', 'report', 1],
      JSON.stringify(alignment),
    )

    const complaint = { type: 'complained', feedbackType: 'abuse', userAgent: undefined } as const
    await app.store.write(recordBounce, { messageId: id, position: 0, report: complaint, now: Date.now() })
    const after = await get('/v1/deliverability?stream=transactional')
    const loop = after.body.providers.find(
      ({ provider }: { provider: string | null }) => provider === 'Gmail',
    )
    assert.deepEqual([loop.complained, loop.complaint_share, loop.complaint_source], [1, 1, 'loop'])
    assert.deepEqual((await get('/v1/deliverability?stream=broadcast')).body.providers, [])

    await app.messageIn(await app.send({ to: [{ email: 'no@gmail.example' }] }), 'bounced')
    const { body: later } = await get('/v1/deliverability')
    const failing = later.providers.find(({ provider }: { provider: string | null }) => provider === 'Gmail')
    const [failure, ...others] = failing.failures
    assert.deepEqual([failure.code, failure.attempts, others], ['5.7.26', 1, []])
    assert.deepEqual([failing.accepted, failing.bounced], [2, 1])

    const person = await Person.loggedIn(app)
    const { body: attempts } = await person.call(
      'GET',
      `/api/domains/${owner.domainId}/messages/${id}/attempts`,
    )
    assert.equal(attempts.data[0].source_address, '127.0.0.1')
    // Users see the whole account at the same path.
    assert.equal((await person.call('GET', '/api/deliverability')).body.totals.accepted, 3)
  })

  test('lists incidents with cause, scope, meaning and advice, and mutes them', async () => {
    const id = await open('replies Yahoo')
    const old = await open('replies Gmail', { provider: 'Gmail', code: '4.7.32', cause: 'auth' })
    const end = { domainId: owner.domainId, name: 'replies Gmail', endedAt: Date.now(), now: Date.now() }
    await app.store.write(closeIncident, end)
    const { status, body } = await get('/v1/incidents')
    assert.equal(status, 200, JSON.stringify(body))
    const ids = (list: { data: { incident_id: string }[] }) => list.data.map(({ incident_id }) => incident_id)
    assert.deepEqual(ids(body), [old, id])
    assert.deepEqual(ids((await get('/v1/incidents?state=open')).body), [id])
    assert.deepEqual(ids((await get('/v1/incidents?state=closed,open&provider=Gmail')).body), [old])
    assert.deepEqual(ids((await get('/v1/incidents?to=2020-01-01T00:00:00Z')).body), [])
    const first = await get('/v1/incidents?limit=1')
    assert.deepEqual(ids((await get(`/v1/incidents?cursor=${first.body.next_cursor}`)).body), [id])

    const { body: one } = await get(`/v1/incidents/${id}`)
    assert.deepEqual(
      [one.state, one.cause, one.provider, one.code],
      ['open', 'rate_limited', 'Yahoo', 'TSS04'],
    )
    assert.deepEqual(
      [one.share, one.usual_share, one.recipients, one.domain],
      [0.31, 0.01, 20, app.playground.domain],
    )
    assert.match(one.meaning, /Yahoo defers/)
    assert.match(one.what_to_do, /Send less to Yahoo/)
    assert.match((await get(`/v1/incidents/${old}`)).body.meaning, /agrees neither with the signature/)

    const page = (await get('/v1/deliverability')).body
    assert.deepEqual(ids(page), [id])
    assert.equal(page.totals.open_incidents, 1)

    const person = await Person.loggedIn(app)
    const problems = async (): Promise<string[]> =>
      (await person.call('GET', '/api/problems')).body.data
        .filter(({ kind }: { kind: string }) => kind === 'incident')
        .map(({ link }: { link: string }) => link)
    assert.deepEqual(await problems(), [`/deliverability/incidents/${id}`])
    const until = new Date(Date.now() + HOUR_MS).toISOString()
    const muted = await app.call('POST', `/v1/incidents/${id}/mute`, { until })
    assert.deepEqual([muted.status, muted.body.muted_until, muted.body.state], [200, until, 'open'])
    assert.deepEqual(await problems(), [])
    const loud = await person.call('POST', `/api/incidents/${id}/mute`, { until: null })
    assert.deepEqual([loud.status, loud.body.muted_until], [200, null])
  })

  test('refuses what is not valid, and shows no other domain', async () => {
    const id = await open('replies iCloud', { provider: 'iCloud' })
    const codes = async (path: string) => {
      const { status, body } = await get(path)
      return [status, ...(body.errors ?? []).map(({ path: at }: { path: string }) => at)]
    }
    assert.deepEqual(await codes('/v1/incidents?state=maybe&from=x'), [422, 'state', 'from'])
    assert.deepEqual(await codes('/v1/deliverability?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z'), [
      422,
      'from',
    ])
    assert.deepEqual(await codes('/v1/deliverability?to=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z'), [
      422,
      'to',
    ])
    assert.deepEqual(await codes('/v1/incidents?cursor=x'), [400])
    assert.deepEqual(await codes('/v1/incidents/inc_x'), [404])
    for (const until of ['soon', '2020-01-01T00:00:00Z']) {
      const { status, body } = await app.call('POST', `/v1/incidents/${id}/mute`, { until })
      assert.deepEqual([status, body.errors[0].path], [422, 'until'])
    }
    const stranger = await createTenant(app.store)
    const authorization = `Bearer ${stranger.sendingKey}`
    assert.equal((await get(`/v1/incidents/${id}`, authorization)).status, 404)
    assert.deepEqual((await get('/v1/incidents', authorization)).body.data, [])
    assert.deepEqual((await get('/v1/deliverability', authorization)).body.providers, [])
    assert.equal((await get(`/v1/incidents?domain=${app.playground.domain}`, authorization)).status, 404)
    const muting = await app.call('POST', `/v1/incidents/${id}/mute`, { until: null }, { authorization })
    assert.equal(muting.status, 404)
  })
})

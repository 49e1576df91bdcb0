// Tests the calls of other services that are interrupted between their commits: a repetition with the same
// Idempotency-Key completes the call once, and sends nothing twice.
// thorough: 12 CPU s: each call under a key is cut before each of its commits; src/api/answer-once.test.ts has the rules

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { added as addedRows, cutBefore, rowCounts } from '../../test/support/cut-requests.ts'
import { managementKey } from '../../test/support/keys.ts'
import { isAnsweredOnce } from '../api/route.ts'
import { VENDORS } from './compatible-apis.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any body
type Json = any
type Ask = (path: string, body: object, key?: string) => Promise<Answer>

/** Objects that the calls need, by service. */
interface Objects {
  readonly domain: string
  /** Numbers or IDs of a domain. */
  readonly domains: Readonly<Record<'postmark' | 'resend' | 'sendgrid' | 'usesend', string>>
  readonly template: Readonly<Record<'resend' | 'sendgrid', string>>
  readonly version: string
  readonly group: string
  readonly webhook: string
}

interface CutCall {
  readonly path: string
  readonly body: object
  /** True if numbers or lists in the response differ from request to request. */
  readonly varies?: true
}

/** Returns a request to a call; different numbers give different requests. */
type Make = (objects: Objects, n: number, ask: Ask) => CutCall | Promise<CutCall>

const at = (path: string, body: object = {}, more: Pick<CutCall, 'varies'> = {}): CutCall => ({
  ...{ path, body },
  ...more,
})
const varies = { varies: true } as const
const emails = (n: number): string[] => [`a-${n}@receiver.example`, `b-${n}@receiver.example`]
const later = (): string => new Date(Date.now() + 3_600_000).toISOString()
const FROM = 'shop@example.test'

/** Requests to every call that answers a repeated Idempotency-Key with the stored response. */
const CALLS: Readonly<Record<string, Make>> = {
  'postmark /templates': (_, n) => at('/templates', { Name: `N${n}`, Subject: 's', TextBody: 't' }, varies),
  'postmark /message-streams': (_, n) =>
    at('/message-streams', { ID: `cut-${n}`, Name: 'Cut', MessageStreamType: 'Broadcasts' }),
  'postmark /message-streams/:id/archive': async (_, n, ask) => {
    await ask('/message-streams', { ID: `gone-${n}`, Name: 'Gone', MessageStreamType: 'Broadcasts' })
    return at(`/message-streams/gone-${n}/archive`)
  },
  'postmark /message-streams/:id/unarchive': async (_, n, ask) => {
    await ask('/message-streams', { ID: `back-${n}`, Name: 'Back', MessageStreamType: 'Broadcasts' })
    await ask(`/message-streams/back-${n}/archive`, {})
    return at(`/message-streams/back-${n}/unarchive`)
  },
  'postmark /message-streams/:stream/suppressions': (_, n) =>
    at('/message-streams/outbound/suppressions', {
      Suppressions: emails(n).map((EmailAddress) => ({ EmailAddress })),
    }),
  'postmark /message-streams/:stream/suppressions/delete': async (_, n, ask) => {
    const body = { Suppressions: emails(n).map((EmailAddress) => ({ EmailAddress })) }
    await ask('/message-streams/outbound/suppressions', body)
    return at('/message-streams/outbound/suppressions/delete', body)
  },
  'postmark /webhooks': (_, n) =>
    at('/webhooks', { Url: `https://receiver.example/${n}`, Triggers: { Open: { Enabled: true } } }, varies),
  'postmark /domains': (_, n) => at('/domains', { Name: `pm-${n}.example` }, varies),
  'postmark /domains/:id/verifySpf': ({ domains }) => at(`/domains/${domains.postmark}/verifySpf`),
  'postmark /domains/:id/rotateDKIM': async (_, n, ask) => {
    const { body } = await ask('/domains', { Name: `rotated-${n}.example` })
    return at(`/domains/${body.ID}/rotateDKIM`, {}, varies)
  },

  'resend /emails/:id/cancel': async (_, n, ask) => {
    const email = { from: FROM, to: emails(n), subject: 's', text: 't', scheduled_at: later() }
    return at(`/emails/${(await ask('/emails', email)).body.id}/cancel`)
  },
  'resend /domains': (_, n) => at('/domains', { name: `rs-${n}.example` }),
  'resend /domains/:id/verify': ({ domains }) => at(`/domains/${domains.resend}/verify`),
  'resend /api-keys': ({ domains }, n) => at('/api-keys', { name: `Key ${n}`, domain_id: domains.resend }),
  'resend /templates': (_, n) => at('/templates', { name: `T${n}`, subject: 's', html: '<p>t</p>' }),
  'resend /templates/:id/publish': ({ template }) => at(`/templates/${template.resend}/publish`),
  'resend /templates/:id/duplicate': ({ template }) => at(`/templates/${template.resend}/duplicate`),
  'resend /suppressions': (_, n) => at('/suppressions', { email: emails(n)[0] }),
  'resend /suppressions/batch/add': (_, n) => at('/suppressions/batch/add', { emails: emails(n) }),
  'resend /suppressions/batch/remove': async (_, n, ask) => {
    await ask('/suppressions/batch/add', { emails: emails(n) })
    return at('/suppressions/batch/remove', { emails: emails(n) })
  },
  'resend /webhooks': (_, n) =>
    at('/webhooks', { endpoint: `https://receiver.example/${n}`, events: ['email.sent'] }),
  'resend /webhooks/:id/signing-secret/rotate': ({ webhook }) =>
    at(`/webhooks/${webhook}/signing-secret/rotate`),

  'sendgrid /v3/mail/batch': () => at('/v3/mail/batch'),
  'sendgrid /v3/user/scheduled_sends': async (_, n, ask) => {
    const { batch_id } = (await ask('/v3/mail/batch', {})).body
    const personalizations = emails(n).map((email) => ({ to: [{ email }] }))
    await ask('/v3/mail/send', {
      ...{ personalizations, from: { email: FROM }, subject: 's', batch_id },
      content: [{ type: 'text/plain', value: 't' }],
      send_at: Math.floor(Date.now() / 1_000) + 3_600,
    })
    return at('/v3/user/scheduled_sends', { batch_id, status: 'cancel' })
  },
  'sendgrid /v3/templates': (_, n) => at('/v3/templates', { name: `T${n}`, generation: 'dynamic' }),
  'sendgrid /v3/templates/:template_id': ({ template }, n) =>
    at(`/v3/templates/${template.sendgrid}`, { name: `Copy ${n}` }),
  'sendgrid /v3/templates/:template_id/versions': async (_, n, ask) => {
    const { id } = (await ask('/v3/templates', { name: `V${n}`, generation: 'dynamic' })).body
    return at(`/v3/templates/${id}/versions`, {
      active: 1,
      name: 'V',
      subject: 's',
      html_content: '<p>t</p>',
    })
  },
  'sendgrid /v3/templates/:template_id/versions/:version_id/activate': ({ template, version }) =>
    at(`/v3/templates/${template.sendgrid}/versions/${version}/activate`),
  'sendgrid /v3/asm/suppressions/global': (_, n) =>
    at('/v3/asm/suppressions/global', { recipient_emails: emails(n) }),
  'sendgrid /v3/asm/groups/:group_id/suppressions': ({ group }, n) =>
    at(`/v3/asm/groups/${group}/suppressions`, { recipient_emails: emails(n) }),
  'sendgrid /v3/asm/groups': (_, n) => at('/v3/asm/groups', { name: `Group ${n}`, description: 'd' }, varies),
  'sendgrid /v3/whitelabel/domains': (_, n) =>
    at('/v3/whitelabel/domains', { domain: `sg-${n}.example` }, varies),
  'sendgrid /v3/whitelabel/domains/:id/validate': ({ domains }) =>
    at(`/v3/whitelabel/domains/${domains.sendgrid}/validate`),
  'sendgrid /v3/api_keys': (_, n) => at('/v3/api_keys', { name: `Key ${n}`, scopes: ['mail.send'] }),
  'sendgrid /v3/user/webhooks/event/settings': (_, n) =>
    at('/v3/user/webhooks/event/settings', {
      url: `https://receiver.example/${n}`,
      enabled: true,
      delivered: true,
    }),
  'sendgrid /v3/recipients/erasejob': (_, n) =>
    at('/v3/recipients/erasejob', { email_addresses: emails(n) }, varies),

  ...Object.fromEntries(
    ['bounces', 'unsubscribes', 'complaints'].flatMap((list): [string, Make][] => [
      [
        `mailgun /v3/:domain/${list}`,
        ({ domain }, n) =>
          at(
            `/v3/${domain}/${list}`,
            emails(n).map((address) => ({ address })),
          ),
      ],
      [
        `mailgun /v3/:domain/${list}/import`,
        ({ domain }, n) => {
          const form = new FormData()
          form.append('file', new File([`address\n${emails(n).join('\n')}\n`], 'a.csv', { type: 'text/csv' }))
          return at(`/v3/${domain}/${list}/import`, form)
        },
      ],
    ]),
  ),
  'mailgun /v4/domains': (_, n) => at('/v4/domains', form({ name: `mg-${n}.example` })),
  'mailgun /v3/domains/:domain/webhooks': async ({ domain }, n) =>
    at(
      `/v3/domains/${domain}/webhooks`,
      form({ id: KINDS[n % KINDS.length] ?? '', url: `https://r.example/${n}` }),
    ),
  'mailgun /v3/:domain/templates': ({ domain }, n) =>
    at(`/v3/${domain}/templates`, form({ name: `mg-${n}`, template: '<p>t</p>' })),
  'mailgun /v3/:domain/templates/:name/versions': async ({ domain }, n, ask) => {
    await ask(`/v3/${domain}/templates`, form({ name: `mv-${n}`, template: '<p>t</p>' }))
    return at(
      `/v3/${domain}/templates/mv-${n}/versions`,
      form({ tag: 'v2', active: 'yes', template: '<p>u</p>' }),
    )
  },

  'usesend /api/v1/emails/:id/cancel': async (_, n, ask) => {
    const email = { from: FROM, to: emails(n), subject: 's', text: 't', scheduledAt: later() }
    return at(`/api/v1/emails/${(await ask('/api/v1/emails', email)).body.emailId}/cancel`)
  },
  'usesend /api/v1/domains': (_, n) =>
    at('/api/v1/domains', { name: `us-${n}.example`, region: 'eu' }, varies),
}

const KINDS = ['accepted', 'delivered', 'opened', 'clicked', 'unsubscribed', 'complained', 'permanent_fail']

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.append(name, value)
  return made
}

/** Returns the number of added rows by table; numbers of objects are given out when an object is shown first. */
const added = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): object => {
  const { object_numbers: _, ...rows } = addedRows(before, after) as Readonly<Record<string, number>>
  return rows
}

/** Returns a response without the values that differ between two requests. */
const shapeOf = (answer: unknown, { varies: isVaried }: CutCall): unknown =>
  isVaried
    ? Object.keys(Object(answer)).sort()
    : JSON.parse(JSON.stringify(answer ?? null, (_, value) => (typeof value === 'string' ? 'text' : value)))

test('every call that answers once is interrupted below', () => {
  const answering = VENDORS.flatMap(({ name, calls }) =>
    calls
      .filter((call) => call.state !== 'refused' && isAnsweredOnce(call))
      .map(({ path }) => `${name} ${path}`),
  )
  assert.deepEqual(Object.keys(CALLS).sort(), answering.toSorted())
})

describe('a call of another service that is interrupted before any of its commits', () => {
  let app: TestApp
  let key: string
  let keyOfDomain: string
  let objects: Objects
  let count = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_SENDING_RATE: '100000/s' } })
    key = await managementKey(app)
    const { domain } = app.playground
    const { id } = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    keyOfDomain = await managementKey(app, { domainIds: [id] })
    const created = async (vendor: string, path: string, body: object): Promise<Json> =>
      (await asking(vendor)(path, body)).body
    const of = async (vendor: string, path: string): Promise<Json> => (await get(vendor, path)).body
    const name = 'objects.example'
    const { id: resend } = await created('resend', '/domains', { name })
    const template = { name: 'Own', subject: 's', html: '<p>t</p>' }
    const sendgrid = (await created('sendgrid', '/v3/templates', { name: 'Own', generation: 'dynamic' })).id
    const version = { active: 1, name: 'V', subject: 's', html_content: '<p>t</p>' }
    const hook = { endpoint: 'https://receiver.example/own', events: ['email.sent'] }
    const numbered = (await of('postmark', '/domains?count=50&offset=0')).Domains as Json[]
    objects = {
      domain,
      domains: {
        postmark: String(numbered.find((one) => one.Name === name)?.ID),
        resend,
        sendgrid: String(
          (await of('sendgrid', '/v3/whitelabel/domains')).find((one: Json) => one.domain === name)?.id,
        ),
        usesend: '1',
      },
      template: { resend: (await created('resend', '/templates', template)).id, sendgrid },
      version: (await created('sendgrid', `/v3/templates/${sendgrid}/versions`, version)).id,
      group: String((await created('sendgrid', '/v3/asm/groups', { name: 'Own', description: 'd' })).id),
      webhook: (await created('resend', '/webhooks', hook)).id,
    }
  })
  after(() => app.stop())

  /** Returns the header field with the key: a management key for domains and keys, and otherwise a Sending key. */
  const headersOf = (vendor: string, path: string): Record<string, string> => {
    const secret = /\/api_keys\b/.test(path)
      ? keyOfDomain
      : /\/(?:domains|api-keys)\b/.test(path)
        ? key
        : app.playground.sending_key
    if (vendor === 'postmark') return { 'x-postmark-server-token': secret }
    return { authorization: vendor === 'mailgun' ? `Basic ${btoa(`api:${secret}`)}` : `Bearer ${secret}` }
  }

  async function call(vendor: string, path: string, init: RequestInit): Promise<Answer> {
    const answer = await fetch(`${app.app.url}/compat/${vendor}${path}`, {
      ...init,
      headers: { ...headersOf(vendor, path), ...(init.headers as Record<string, string>) },
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) } as Answer
  }

  const get = (vendor: string, path: string): Promise<Answer> => call(vendor, path, {})
  const asking =
    (vendor: string): Ask =>
    (path, body, idempotencyKey) =>
      call(vendor, path, {
        method: 'POST',
        body: body instanceof FormData ? body : JSON.stringify(body),
        headers: {
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      })

  for (const [name, make] of Object.entries(CALLS)) {
    const [vendor = ''] = name.split(' ')
    const ask: Ask = (...given) => asking(vendor)(...given)
    test(`is completed once by its repetition: ${name}`, async () => {
      const { store } = app
      const rowsOf = async (request: CutCall, key: string) => {
        const before = await rowCounts(store)
        const answer = await ask(request.path, request.body, key)
        return { answer, rows: added(before, await rowCounts(store)) }
      }
      const whole = await make(objects, ++count, ask)
      const { answer: uncut, rows: expected } = await rowsOf(whole, `whole ${count}`)
      assert.ok(uncut.status < 300, JSON.stringify([uncut.status, uncut.body]))
      for (let step = 0; ; step++) {
        const request = await make(objects, ++count, ask)
        const idempotencyKey = `cut ${count}`
        const before = await rowCounts(store)
        const mend = await cutBefore({ app } as never, idempotencyKey, step)
        const cut = await ask(request.path, request.body, idempotencyKey).finally(mend)
        const again = await ask(request.path, request.body, idempotencyKey)
        const where = `cut before ${step}: ${JSON.stringify(again.body)}`
        assert.equal(again.status, uncut.status, where)
        assert.deepEqual(shapeOf(again.body, request), shapeOf(uncut.body, request), where)
        assert.deepEqual(added(before, await rowCounts(store)), expected, where)
        assert.deepEqual((await ask(request.path, request.body, idempotencyKey)).body, again.body)
        if (cut.status < 300) return
        assert.equal(cut.status, 500)
      }
    })
  }
})

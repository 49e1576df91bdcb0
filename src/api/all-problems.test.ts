// Tests that one response reports all problems of a body: problems of field names, of the shape, and of the rules of
// the endpoint.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Answer } from '../../test/support/app.ts'
import { keyFor, scopeOf } from '../../test/support/keys.ts'
import {
  type AddressedApp,
  ROUTES_WITH_BODY,
  startAddressedApp,
} from '../../test/support/routes-with-body.ts'

/** Fields that match the schema and violate another rule, with the expected problems as `code path`. */
interface Sample {
  readonly body: object
  readonly told: readonly string[]
}

const newPassword: Sample = { body: { password: 'short' }, told: ['too_short password'] }
const key: Sample = {
  body: { name: 'a\nb', rate: 'fast', expires_at: '2020-01-01T00:00:00Z' },
  told: ['invalid_name name', 'invalid_rate rate', 'in_the_past expires_at'],
}
const document: Sample = {
  body: { alias: '1a', name: 'a\nb', html: '{{#each}}' },
  told: ['invalid_alias alias', 'invalid_characters name', 'template_syntax html'],
}
const template: Sample = {
  body: { ...document.body, layout: 'nonesuch' },
  told: [...document.told, 'not_found layout'],
}
const days: Sample = { body: { content_retention_days: 999 }, told: ['too_long content_retention_days'] }
const webhook: Sample = {
  body: { url: 'http://a/#b', name: 'a\nb', format: 'postmark', batch_size: 5, streams: ['brodcast'] },
  told: ['invalid_url url', 'invalid_characters name', 'invalid_value batch_size', 'not_found streams[0]'],
}

const accountWebhook: Sample = {
  body: { url: 'http://a/#b', name: 'a\nb' },
  told: ['invalid_url url', 'invalid_characters name'],
}

/** Samples for each endpoint with additional rules, by method and path. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  'POST /v1/messages': {
    body: { from: 'nobody', to: [{ email: 'nobody' }], subject: 's', text: 't' },
    told: ['invalid_email from', 'invalid_email to[0].email'],
  },
  'POST /v1/check': {
    body: { clients: ['gmail.isos'] },
    told: ['required html', 'unknown_client clients[0]'],
  },
  'PATCH /v1/messages/:message_id': {
    body: { send_at: '2020-01-01T00:00:00Z' },
    told: ['in_the_past send_at'],
  },
  'POST /v1/templates': template,
  'PUT /v1/templates/:id_or_alias': template,
  'POST /v1/templates/:id_or_alias/render': {
    body: { layout: 'nonesuch' },
    told: ['not_found layout'],
  },
  'POST /v1/render': {
    body: { html: '{{#each}}', layout: 'nonesuch' },
    told: ['template_syntax html', 'not_found layout'],
  },
  'POST /v1/layouts': document,
  'PUT /v1/layouts/:id_or_alias': document,
  'POST /v1/streams': {
    body: { ...days.body, alias: '1a', rate: 'fast', track_opens: true, headers: { 'a b': 'c' } },
    told: [...days.told, 'invalid_alias alias', 'invalid_rate rate', 'invalid_header_name headers.a b'],
  },
  'PATCH /v1/streams/:alias': {
    body: { ...days.body, rate: 'fast', brand: { name: 'x', logo_url: null, color: null } },
    told: [...days.told, 'invalid_rate rate', 'not_broadcast brand'],
  },
  'POST /v1/suppressions': { body: { email: 'nobody' }, told: ['invalid_email email'] },
  'POST /v1/account-suppressions': { body: { email: 'nobody' }, told: ['invalid_email email'] },
  'POST /v1/webhooks': webhook,
  'PATCH /v1/webhooks/:webhook_id': webhook,
  'POST /v1/webhooks/:webhook_id/replay': {
    body: { from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    told: ['invalid_value until'],
  },
  'POST /v1/account-webhooks': accountWebhook,
  'PATCH /v1/account-webhooks/:webhook_id': accountWebhook,
  'POST /v1/account-webhooks/:webhook_id/replay': {
    body: { from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    told: ['invalid_value until'],
  },
  'POST /v1/erasures': { body: { email: 'nobody' }, told: ['invalid_email email'] },
  'POST /v1/keys': {
    body: { kind: 'sending', ...key.body, domains: ['none.test'], scopes: ['x'], networks: ['10.0.0.1/8'] },
    told: [
      ...[...key.told, 'unknown_domain domains[0]', 'unknown_scope scopes[0]', 'invalid_network networks[0]'],
    ],
  },
  'PATCH /v1/keys/:key_id': {
    body: { ...key.body, grants: ['stats:read'], recipients: ['nobody'], scopes: ['stats:read'] },
    told: [
      ...[...key.told, 'not_together grants', 'invalid_email recipients[0]', 'scope_of_other_kind scopes[0]'],
    ],
  },
  'POST /v1/keys/:key_id/rotate': { body: { overlap: '31d' }, told: ['invalid_duration overlap'] },
  'POST /v1/smtp-credentials': {
    body: { ...key.body, domain: 'none.test', networks: ['10.0.0.1/8'], recipients: ['nobody'] },
    told: [
      ...[...key.told, 'unknown_domain domain', 'invalid_network networks[0]', 'invalid_email recipients[0]'],
    ],
  },
  'PATCH /v1/smtp-credentials/:username': key,
  'POST /v1/smtp-credentials/:username/rotate': {
    body: { overlap: '31d' },
    told: ['invalid_duration overlap'],
  },
  'POST /v1/domains': {
    body: {
      ...{ ...days.body, domain: 'co.uk', track_opens: true },
      dkim: { selector: 'A b', private_key: 'x' },
    },
    told: [
      ...[...days.told, 'public_suffix domain', 'tracking_host_not_verified track_opens'],
      ...['invalid_selector dkim.selector', 'invalid_private_key dkim.private_key'],
    ],
  },
  'PATCH /v1/domains/:domain': {
    body: { ...days.body, track_links: true },
    told: [...days.told, 'tracking_host_not_verified track_links'],
  },
  'POST /api/first-run': {
    body: { account_name: '\n', name: '\n', email: 'nobody', password: 'short' },
    told: ['invalid_name account_name', 'invalid_name name', 'invalid_email email', 'too_short password'],
  },
  'POST /api/invitations/accept': {
    body: { name: '\n', password: 'short' },
    told: ['invalid_name name', 'too_short password'],
  },
  'POST /api/password-reset/confirm': newPassword,
  'PATCH /api/me': { body: { name: 'a\nb' }, told: ['invalid_name name'] },
  'POST /api/me/password': newPassword,
  'POST /api/me/passkeys': { body: { name: 'a\nb' }, told: ['invalid_name name'] },
  'POST /v1/invitations': { body: { email: 'nobody' }, told: ['invalid_email email'] },
  'PUT /v1/authentication/sources/:source_id': { body: { name: 'a\nb' }, told: ['invalid_name name'] },
  'PATCH /v1/account': { body: { name: 'a\nb' }, told: ['invalid_name name'] },
  'POST /v1/accounts': {
    body: { name: 'a\nb', owner_email: 'nobody' },
    told: ['invalid_name name', 'invalid_email owner_email'],
  },
  'PATCH /v1/accounts/:account_id': { body: { name: 'a\nb' }, told: ['invalid_name name'] },
  'POST /v1/accounts/:account_id/credits': { body: { credits: 0 }, told: ['invalid_value credits'] },
  'POST /v1/accounts/:account_id/keys': {
    body: {
      ...{ name: 'a\nb', scopes: ['x', 'accounts:*'], networks: ['10.0.0.1/8'], domains: ['none.test'] },
      expires_at: '2020-01-01T00:00:00Z',
    },
    told: [
      ...['invalid_name name', 'unknown_scope scopes[0]', 'scope_of_other_kind scopes[1]'],
      ...['invalid_network networks[0]', 'unknown_domain domains[0]', 'in_the_past expires_at'],
    ],
  },
}

/**
 * Endpoints without a sample, with the reason. The schema contains all rules for single fields, or other rules need
 * valid fields.
 */
const WITHOUT: Readonly<Record<string, string>> = {
  'POST /v1/suppressions/remove': 'an invalid address is counted, not refused',
  'POST /v1/account-suppressions/remove': 'the same',
  'POST /v1/webhooks/:webhook_id/test': 'the webhook checks the only field',
  'POST /v1/webhooks/:webhook_id/rotate-secret': 'no rule',
  'POST /v1/account-webhooks/:webhook_id/test': 'the webhook checks the only field',
  'POST /v1/account-webhooks/:webhook_id/rotate-secret': 'no rule',
  'POST /v1/inboxes': 'no rule',
  'PATCH /v1/inboxes/:inbox_id': 'no rule',
  'POST /v1/incidents/:incident_id/mute': 'the only field has the rule',
  'POST /v1/operator/queue/retry': 'the selection is known only if all fields are valid',
  'POST /v1/operator/queue/cancel': 'the same',
  'POST /v1/operator/queue/pause': 'the same',
  'POST /v1/operator/queue/resume': 'the same',
  'POST /api/session': 'a login attempt',
  'POST /api/session/passkey': 'a login attempt',
  'POST /api/password-reset': 'the response must reveal nothing',
  'POST /api/me/totp/confirm': 'an attempt with a code',
  'PATCH /v1/people/:user_id': 'no rule',
  'POST /api/preview': 'no rule',
  'POST /api/domains/:domain_id/messages/:message_id/resend': 'the message checks the only field',
  'POST /api/domains/:domain_id/messages/:message_id/share': 'no rule',
  'POST /api/inboxes/:inbox_id/messages/:mail_id/share': 'no rule',
}

const WRONG =
  '{"from":"nobody","reply_to":[{"email":"nowhere"}],"subject":"s","text":"t","nonesuch":1,"nonesuch":2,"tag":5}'
const TOLD = [
  ...['duplicate_field nonesuch', 'unknown_field nonesuch', 'invalid_type tag'],
  ...['invalid_email from', 'invalid_email reply_to[0].email'],
]

/** Bodies that are not objects, with all their problems. Each request of a batch has a separate result. */
const LISTS: Readonly<Record<string, { readonly body: string; readonly told: readonly string[] }>> = {
  'POST /v1/messages/batch': { body: `[${WRONG}]`, told: [...TOLD, 'required to'] },
  'POST /v1/bulk': { body: `${WRONG}\n{"to":"ann@example.net"}`, told: TOLD },
  'POST /v1/messages/raw': {
    body: 'From: nobody\r\nTo: nowhere\r\n\r\n',
    told: ['invalid_email From', 'invalid_email To'],
  },
  'POST /v1/reports': { body: 'nothing', told: ['unreadable_report '] },
  'POST /v1/verifications': { body: '[1, "a@b.test", 2]', told: ['invalid_type [0]', 'invalid_type [2]'] },
}

/** Media types of bodies other than JSON, by path. */
const TYPES: Readonly<Record<string, string>> = {
  '/v1/bulk': 'application/x-ndjson',
  '/v1/messages/raw': 'message/rfc822',
}

const nameOf = ({ method, url }: { readonly method: string; readonly url: string }) => `${method} ${url}`

describe('all problems of a body are reported at once', () => {
  let { app, owner, pathOf } = {} as AddressedApp
  before(async () => {
    ;({ app, owner, pathOf } = await startAddressedApp('transactional'))
  })
  after(() => app.stop())

  const call = async (route: (typeof ROUTES_WITH_BODY)[number], body: string): Promise<Answer> => {
    const path = pathOf(route.url)
    const isOfKeys = path.startsWith('/v1') && !path.startsWith('/v1/operator')
    if (!isOfKeys) return owner.call(route.method, path.replace(/^\/v1/, '/api'), body)
    const authorization = `Bearer ${await keyFor(app, { scope: scopeOf(`${route.method} ${path}`) })}`
    return app.call(route.method, path, body, { authorization })
  }
  const toldBy = ({ status, body }: Answer, name: string): string[] => {
    assert.equal(status, 422, `${name}: ${JSON.stringify(body)}`)
    return body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)
  }

  test('every endpoint with a body has a sample, or a reason for none', () => {
    const names = [...Object.keys(SAMPLES), ...Object.keys(WITHOUT), ...Object.keys(LISTS)]
    assert.deepEqual(names.sort(), ROUTES_WITH_BODY.map(nameOf).sort())
  })

  for (const route of ROUTES_WITH_BODY.filter((one) => LISTS[nameOf(one)] === undefined)) {
    const name = nameOf(route)
    const { body, told } = SAMPLES[name] ?? { body: {}, told: [] }
    test(`${name}: unknown, given twice, ${told.join(', ')}`, async () => {
      const text = `${JSON.stringify({ ...body, nonesuch: 1 }).slice(0, -1)},"nonesuch":2}`
      const found = toldBy(await call(route, text), name)
      for (const one of ['unknown_field nonesuch', 'duplicate_field nonesuch', ...told])
        assert.ok(found.includes(one), `${one} is not among ${found.join(', ')}`)
      assert.equal(new Set(found).size, found.length, `told twice: ${found.join(', ')}`)
    })
  }

  for (const [name, { body, told }] of Object.entries(LISTS)) {
    test(`${name}: each part`, async () => {
      const [method = '', path = ''] = name.split(' ')
      const { sending_key, verification_key } = app.playground
      const answer = await app.callWith(method, path, body, {
        authorization: `Bearer ${path.endsWith('verifications') ? verification_key : sending_key}`,
        'content-type': TYPES[path] ?? 'application/json',
      })
      const one = answer.body.data?.[0].error
      const found = toldBy(one === undefined ? answer : { ...answer, status: one.status, body: one }, name)
      assert.deepEqual(found.sort(), [...told].sort())
    })
  }
})

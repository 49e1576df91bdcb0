// Tests the declarations of the endpoints for API keys and for the operator: effect, scope and name in the audit
// log.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Fastify from 'fastify'
import { isScope } from '../access/scopes.ts'
import { addEndpoint } from './endpoint.ts'
import { defineRoute, effectOf } from './route.ts'
import { operatorRoutes, routes, type Services } from './routes.ts'

/** Placeholder for the services; declaring an endpoint calls no service. */
const NONE = {} as Services
const keyRoutes = routes(NONE)
const all = [...keyRoutes, ...operatorRoutes(NONE)]

/** Action names by which users search the audit log, by method and path. */
const ACTIONS: Readonly<Record<string, string>> = {
  'POST /v1/messages': 'message.create of people',
  'POST /v1/messages/batch': 'message.batch of people',
  'POST /v1/messages/raw': 'message.create of people',
  'POST /v1/bulk': 'bulk.create of people',
  'POST /v1/bulk/:bulk_id/cancel': 'bulk.cancel of people',
  'POST /v1/messages/:message_id/cancel': 'message.cancel of people',
  'POST /v1/messages/:message_id/retry': 'message.retry of people',
  'PATCH /v1/messages/:message_id': 'message.reschedule of people',
  'POST /v1/templates': 'template.create',
  'PUT /v1/templates/:id_or_alias': 'template.save',
  'DELETE /v1/templates/:id_or_alias': 'template.delete',
  'POST /v1/templates/:id_or_alias/versions/:version/restore': 'template.versions.restore',
  'POST /v1/erasures': 'erasure.create',
  'POST /v1/layouts': 'layout.create',
  'PUT /v1/layouts/:id_or_alias': 'layout.save',
  'DELETE /v1/layouts/:id_or_alias': 'layout.delete',
  'POST /v1/layouts/:id_or_alias/versions/:version/restore': 'layout.versions.restore',
  'POST /v1/streams': 'stream.create',
  'PATCH /v1/streams/:alias': 'stream.change',
  'DELETE /v1/streams/:alias': 'stream.delete',
  'POST /v1/suppressions': 'suppression.create',
  'POST /v1/suppressions/remove': 'suppression.remove',
  'DELETE /v1/suppressions/:email': 'suppression.delete',
  'POST /v1/account-suppressions': 'suppression.create',
  'POST /v1/account-suppressions/remove': 'suppression.remove',
  'DELETE /v1/account-suppressions/:email': 'suppression.delete',
  'POST /v1/webhooks': 'webhook.create',
  'PATCH /v1/webhooks/:webhook_id': 'webhook.change',
  'DELETE /v1/webhooks/:webhook_id': 'webhook.delete',
  'POST /v1/webhooks/:webhook_id/test': 'webhook.test',
  'POST /v1/webhooks/:webhook_id/rotate-secret': 'webhook.rotate',
  'POST /v1/webhooks/:webhook_id/replay': 'webhook.replay',
  'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/retry': 'webhook.retry',
  'POST /v1/account-webhooks': 'webhook.create',
  'PATCH /v1/account-webhooks/:webhook_id': 'webhook.change',
  'DELETE /v1/account-webhooks/:webhook_id': 'webhook.delete',
  'POST /v1/account-webhooks/:webhook_id/test': 'webhook.test',
  'POST /v1/account-webhooks/:webhook_id/rotate-secret': 'webhook.rotate',
  'POST /v1/account-webhooks/:webhook_id/replay': 'webhook.replay',
  'POST /v1/account-webhooks/:webhook_id/deliveries/:delivery_id/retry': 'webhook.retry',
  'POST /v1/reports': 'report.upload',
  'PUT /v1/authentication/sources/:source_id': 'source.name',
  'POST /v1/inboxes': 'inbox.create',
  'PATCH /v1/inboxes/:inbox_id': 'inbox.change',
  'DELETE /v1/inboxes/:inbox_id': 'inbox.delete',
  // Test suites remove their mail after each test.
  'DELETE /v1/inboxes/:inbox_id/messages': 'false',
  'DELETE /v1/inboxes/:inbox_id/messages/:mail_id': 'false',
  'POST /v1/incidents/:incident_id/mute': 'incident.mute',
  'POST /v1/keys': 'key.create',
  'PATCH /v1/keys/:key_id': 'key.change',
  'DELETE /v1/keys/:key_id': 'key.revoke',
  'POST /v1/keys/:key_id/rotate': 'key.rotate',
  'PATCH /v1/people/:user_id': 'user.change',
  'DELETE /v1/people/:user_id': 'user.delete',
  'PATCH /v1/account': 'account.rename',
  'POST /v1/accounts': 'account.create',
  'PATCH /v1/accounts/:account_id': 'account.change',
  'DELETE /v1/accounts/:account_id': 'account.delete',
  'POST /v1/accounts/:account_id/credits': 'credits.grant',
  'POST /v1/accounts/:account_id/keys': 'account.key',
  'POST /v1/invitations': 'invitation.create',
  'DELETE /v1/invitations/:invitation_id': 'invitation.delete',
  'POST /v1/smtp-credentials': 'smtp-credential.create',
  'PATCH /v1/smtp-credentials/:username': 'smtp-credential.change',
  'POST /v1/smtp-credentials/:username/rotate': 'smtp-credential.rotate',
  'DELETE /v1/smtp-credentials/:username': 'smtp-credential.revoke',
  'POST /v1/domains': 'domain.add',
  'PATCH /v1/domains/:domain': 'domain.change',
  'DELETE /v1/domains/:domain': 'domain.delete',
  'POST /v1/domains/:domain/verify': 'domain.verify',
  'POST /v1/domains/:domain/pause': 'domain.pause',
  'POST /v1/domains/:domain/resume': 'domain.resume',
  'POST /v1/domains/:domain/dkim/rotate': 'domain.dkim.rotate',
  'POST /v1/domains/:domain/dkim/switch': 'domain.dkim.switch',
  'POST /v1/domains/:domain/dkim/discard': 'domain.dkim.discard',
  'POST /v1/domains/:domain/dkim/retire': 'domain.dkim.retire',
  'DELETE /v1/domains/:domain/record-links': 'record-links.revoke',
  'POST /v1/verifications': 'verification.create of people',
  'POST /v1/verifications/:verification_id/cancel': 'verification.cancel of people',
  'POST /v1/operator/queue/retry': 'queue.retry',
  'POST /v1/operator/queue/cancel': 'queue.cancel',
  'POST /v1/operator/queue/pause': 'queue.pause',
  'POST /v1/operator/queue/resume': 'queue.resume',
}

describe('the endpoints', () => {
  test('that change something are in the audit log, by a stable name', () => {
    const changing = all.filter((route) => effectOf(route) === 'changes')
    const named = changing.map(({ method, url, audit, auditOf }) => [
      `${method} ${url}`,
      `${audit}${auditOf === undefined ? '' : ` of ${auditOf}`}`,
    ])
    assert.deepEqual(Object.fromEntries(named), ACTIONS)
  })

  test('that read or take a credit are not in the audit log', () => {
    const other = all.filter((route) => effectOf(route) !== 'changes')
    assert.ok(other.length > 15)
    for (const { method, url, audit } of other) assert.equal(audit, undefined, `${method} ${url}`)
    assert.deepEqual(
      other.filter((route) => effectOf(route) === 'charges').map(({ url }) => url),
      ['/v1/verifyEmail', '/v1/verifyEmailDetailed'],
    )
  })

  test('under /v1 have a scope that fits their effect, and bodies have a limit', () => {
    for (const { method, url, scope, schema, body, ...route } of keyRoutes) {
      const name = `${method} ${url}`
      if (scope !== 'any-credential') {
        assert.ok(isScope(scope), name)
        const reads = effectOf({ method, ...route }) === 'reads'
        // Only reading is allowed by a scope to read.
        assert.equal(scope.endsWith(':read'), reads, name)
      }
      assert.equal(schema.body !== undefined, body !== undefined, name)
    }
    const anybody = keyRoutes.filter(({ scope }) => scope === 'any-credential')
    assert.deepEqual(
      anybody.map(({ method, url }) => `${method} ${url}`),
      ['GET /v1/key'],
    )
    for (const { scope, method, url } of operatorRoutes(NONE)) {
      assert.equal(scope, method === 'GET' ? 'operator:read' : 'operator:write', url)
    }
  })

  test('are refused at the start without a limit for the body, or a name for the change', () => {
    const admission = { schema: {}, onRequest: () => undefined, authorization: 'nobody' }
    const declared = {
      url: '/x',
      refusals: [],
      scope: 'any-credential',
      handler: async () => undefined,
    } as const
    const changing = { consequence: 'none' } as const
    const schema = { tags: [], summary: '' }
    const withBody = { ...schema, body: { type: 'object' } }
    const add = (route: Parameters<typeof defineRoute>[0]) => () =>
      addEndpoint(Fastify(), defineRoute(route), admission)
    assert.throws(
      add({ ...declared, ...changing, method: 'POST', schema: withBody, audit: false }),
      /no maximum size of the body/,
    )
    assert.throws(add({ ...declared, ...changing, method: 'DELETE', schema }), /no name for the audit log/)
    assert.doesNotThrow(add({ ...declared, ...changing, method: 'DELETE', schema, audit: 'x.delete' }))
  })
})

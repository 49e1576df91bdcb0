// GET and POST /v1/inboxes, GET, PATCH and DELETE /v1/inboxes/{inbox_id}: the test inboxes of an account.

import { type Static, Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { hashSecret, newSecret } from '../../access/secrets.ts'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { idCursor, page } from '../../http/page.ts'
import { InboxMails } from '../../inboxes/inbox-mails.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { PublicUrl } from '../../lib/public-url.ts'
import { Problem } from '../../model/problem.ts'
import { KEEP_DAYS, KEEP_MESSAGES, MAX_INBOXES, PLAYGROUND_INBOX } from '../../model/test-inbox.ts'
import { type Read, reading, type Store } from '../../store/database/store.ts'
import {
  changeInbox,
  createInbox,
  deleteInbox,
  listInboxes,
  type TestInbox,
  UNCHANGED,
} from '../../store/inboxes/inboxes.ts'
import { callerOf } from '../caller.ts'
import {
  InboxBody,
  InboxList,
  InboxMade,
  InboxParams,
  InboxPatch,
  InboxQuery,
  InboxView,
} from '../contract/inbox.ts'
import { defineRoute, type Route } from '../route.ts'
import { inboxMailRoutes } from './mail-routes.ts'
import { inboxOfRequest } from './of-request.ts'
import { inboxView } from './view.ts'

const tags = ['Test inboxes']
const params = InboxParams
const list = '/v1/inboxes'
const one = `${list}/:inbox_id` as const
const body = { maxBytes: MAX_SMALL_BODY } as const

export interface InboxServices {
  readonly store: Store
  readonly read: Read
  readonly clock: Clock
  readonly publicUrl: PublicUrl
}

export const inboxRoutes = (services: InboxServices): readonly Route[] => [
  listRoute(services),
  createRoute(services),
  showRoute(services),
  changeRoute(services),
  deleteRoute(services),
  ...inboxMailRoutes(services, new InboxMails(services.read)),
]

const viewOf = async ({ publicUrl }: InboxServices, inbox: TestInbox): Promise<InboxView> =>
  inboxView(inbox, await publicUrl.known())

const listRoute = (services: InboxServices) =>
  defineRoute({
    method: 'GET',
    url: list,
    schema: {
      tags,
      summary: 'List test inboxes',
      description: 'Newest first. A test key lists its own inbox.',
      querystring: InboxQuery,
      response: { 200: InboxList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'inboxes:read',
    async handler(request) {
      const { accountId, mode, key } = callerOf(request)
      const base = await services.publicUrl.known()
      return page(
        request.query,
        idCursor('inb'),
        async (limit, cursor) => {
          const found = await reading(listInboxes(services.read, accountId, limit, cursor))
          return mode === 'live' ? found : found.filter(({ id }) => id === key?.inbox_id)
        },
        ({ id }) => id,
        (inbox) => inboxView(inbox, base),
      )
    },
  })

const createRoute = (services: InboxServices) =>
  defineRoute({
    method: 'POST',
    url: list,
    consequence: 'access',
    schema: {
      tags,
      summary: 'Create a test inbox',
      description:
        'The password for `base_url` is shown only here. Credentials that are created with `inbox_id` send to the inbox.',
      body: InboxBody,
      response: { 201: InboxMade },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'inboxes:write',
    body,
    audit: 'inbox.create',
    async handler(request, reply) {
      describeAuditAction({ detail: { name: request.body.name } })
      const { inbox, password } = await makeInbox(services, callerOf(request).accountId, request.body)
      reply.code(201).header('location', `${list}/${inbox.id}`)
      return { ...(await viewOf(services, inbox)), password }
    },
  })

/** Creates an inbox, and returns its password. Throws `conflict` if the account has the maximum number of inboxes. */
async function makeInbox(
  { store, clock }: InboxServices,
  account_id: string,
  wanted: Static<typeof InboxBody>,
): Promise<{ readonly inbox: TestInbox; readonly password: string }> {
  const { name, keep_days = KEEP_DAYS.usual, keep_messages = KEEP_MESSAGES.usual } = wanted
  const now = clock.now()
  const password = newSecret('')
  const inbox: TestInbox = {
    ...{ id: newId('inb', now), account_id, name, keep_days, keep_messages },
    ...{ password_hash: hashSecret(password), ...UNCHANGED, created_at: now },
  }
  if (await store.write(createInbox, { inbox, most: MAX_INBOXES })) return { inbox, password }
  throw new Problem('conflict', `An account has at most ${MAX_INBOXES} test inboxes; delete one first.`)
}

const showRoute = (services: InboxServices) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: { tags, summary: 'Retrieve a test inbox', params, response: { 200: InboxView } },
    refusals: ['not_found'],
    scope: 'inboxes:read',
    handler: async (request) => viewOf(services, await inboxOfRequest(services.read, request)),
  })

const changeRoute = (services: InboxServices) =>
  defineRoute({
    method: 'PATCH',
    url: one,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Change a test inbox',
      description: 'Omitted fields stay unchanged. New limits apply from the next mail on.',
      params,
      body: InboxPatch,
      response: { 200: InboxView },
    },
    refusals: ['malformed_request', 'not_found', 'body_too_large', 'validation_failed'],
    scope: 'inboxes:write',
    body,
    audit: 'inbox.change',
    async handler(request) {
      const inbox = await inboxOfRequest(services.read, request)
      describeAuditAction({ detail: { name: inbox.name, fields: Object.keys(request.body) } })
      const { account_id: accountId, id } = inbox
      const changed = await services.store.write(changeInbox, { accountId, id, changes: request.body })
      if (changed === undefined) throw new Problem('not_found', 'There is no test inbox with this ID.')
      return viewOf(services, changed)
    },
  })

const deleteRoute = (services: InboxServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'withdrawal',
    schema: {
      tags,
      summary: 'Delete a test inbox',
      description: 'Removes its mail and revokes its credentials. Test messages that wait in the queue fail.',
      params,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict'],
    scope: 'inboxes:write',
    audit: 'inbox.delete',
    async handler(request, reply) {
      const { store, clock } = services
      const { account_id: accountId, id, name } = await inboxOfRequest(services.read, request)
      if (id === PLAYGROUND_INBOX) {
        throw new Problem('conflict', 'The playground needs its mailbox; delete the mails instead.')
      }
      describeAuditAction({ detail: { name } })
      await store.write(deleteInbox, { accountId, id, now: clock.now() })
      return reply.code(204).send()
    },
  })

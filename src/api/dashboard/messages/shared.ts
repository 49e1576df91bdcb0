// Creates and revokes links to one message that need no login, and serves the page of such a link.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { describeAuditAction } from '../../../access/audit.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { isId } from '../../../lib/ids.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import { findDomainOfMessage, findMessage } from '../../../store/messages/messages.ts'
import {
  LinkBody,
  LinkView,
  PRIVATE_FIELDS,
  SharedMessageView,
  SharedQuery,
} from '../../contract/dashboard-messages.ts'
import type { MessageView as MessageViewSchema } from '../../contract/message.ts'
import { domainOf } from '../../domain-of-request.ts'
import { messageView } from '../../messages/view.ts'
import { paramsOf } from '../../route.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

export const sharedRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  ...linkRoutes(services, {
    url: '/api/domains/:domain_id/messages/:message_id/share',
    audits: { make: 'message.share', revoke: 'message-links.revoke' },
    pageOf: (id) => `${services.publicUrl.value}/shared/${id}`,
    idOf: (request) => ownMessage(services, request),
  }),
  shared(services),
  sharedHtml(services),
]

/** Returns the ID of a message that belongs to the domain in the path. Throws `not_found`. */
async function ownMessage({ read }: DashboardServices, request: FastifyRequest): Promise<string> {
  const { message_id: messageId = '' } = paramsOf(request)
  const { id: domainId, account_id: accountId } = domainOf(request)
  const owner = { accountId, domainId }
  if (isId('msg', messageId) && (await reading(findMessage(read, owner, messageId))) !== undefined) {
    return messageId
  }
  throw new Problem('not_found', 'There is no such message in this domain.')
}

/** An object that links without a login can show. */
interface LinkedObject {
  /** Endpoint that creates links to the object and revokes the links. */
  readonly url: string
  /** Names of the two actions in the audit log. */
  readonly audits: { readonly make: string; readonly revoke: string }
  /** Returns the URL of the page that a link to an object opens, without the token. */
  pageOf(id: string): string
  /** Returns the ID of the object in the path of a request. Throws `not_found`. */
  idOf(request: FastifyRequest): Promise<string>
}

/** Returns the endpoints that create a link to an object, and revoke all links to the object. */
export const linkRoutes = (
  { messageLinks }: Pick<DashboardServices, 'messageLinks'>,
  { url, audits, pageOf, idOf }: LinkedObject,
): readonly DashboardRoute[] => [
  defineDashboardRoute({
    method: 'POST',
    url,
    consequence: 'data',
    role: 'developer',
    audit: audits.make,
    schema: { body: LinkBody, response: { 200: LinkView } },
    async handler(request): Promise<LinkView> {
      const { hours } = request.body
      const id = await idOf(request)
      describeAuditAction({ detail: { hours } })
      const { token, expiresAt } = await reading(messageLinks.make(id, hours))
      return { url: `${pageOf(id)}?token=${token}`, expires_at: new Date(expiresAt).toISOString() }
    },
  }),
  defineDashboardRoute({
    method: 'DELETE',
    url,
    consequence: 'withdrawal',
    role: 'developer',
    audit: audits.revoke,
    schema: {},
    async handler(request, reply) {
      await messageLinks.revoke(await idOf(request))
      reply.code(204)
    },
  }),
]

type MessageView = Static<typeof MessageViewSchema>

interface Shared {
  readonly messageId: string
  readonly owner: { readonly accountId: string; readonly domainId: string; readonly domainName: string }
}

/** Returns the message of a shared link, and checks the token before any query for the message. Throws `not_found`. */
async function sharedOf(
  { read, messageLinks }: DashboardServices,
  messageId: string,
  token: string,
): Promise<Shared> {
  const isGood = isId('msg', messageId) && (await reading(messageLinks.read(messageId, token))) !== undefined
  const domain = isGood ? await reading(findDomainOfMessage(read, messageId)) : undefined
  if (domain === undefined) throw expiredLink()
  const { account_id: accountId, domain_id: domainId, name: domainName } = domain
  return { messageId, owner: { accountId, domainId, domainName } }
}

/** Returns the refusal of a link that is wrong, revoked or expired. */
export const expiredLink = (): Problem =>
  new Problem('not_found', 'This link is wrong, was revoked or has expired; ask for a new one.')

/** Adds headers that keep the page out of search engines, and its URL out of the Referer header. */
export function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex').header('referrer-policy', 'no-referrer')
}

const shared = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/shared/:message_id',
    role: 'nobody',
    schema: { querystring: SharedQuery, response: { 200: SharedMessageView } },
    async handler(request, reply): Promise<SharedMessageView> {
      const { messageId, owner } = await sharedOf(services, request.params.message_id, request.query.token)
      const found = await reading(findMessage(services.read, owner, messageId))
      if (found === undefined) throw expiredLink()
      const content = await contentOf(services, request, reply, { messageId, owner })
      const { bcc, ...view } = messageView(found, undefined)
      const hidden = new Set(bcc.map(({ email }) => email))
      keepPrivate(reply)
      return {
        ...withoutPrivate(view),
        ...content,
        domain: owner.domainName,
        events: view.events.filter(({ email }) => !hidden.has(email)),
      }
    },
  })

/** Returns the view without the fields that tell how the sender's software made the message. */
function withoutPrivate(view: Omit<MessageView, 'bcc'>) {
  const kept = { ...view }
  for (const name of PRIVATE_FIELDS) delete (kept as Partial<MessageView>)[name]
  return kept as Omit<MessageView, 'bcc' | (typeof PRIVATE_FIELDS)[number]>
}

/** Returns the text and the HTML of a message; returns neither if the content is no longer stored. */
async function contentOf(
  { showContent }: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { messageId, owner }: Shared,
): Promise<Pick<SharedMessageView, 'html' | 'text' | 'content_incomplete'>> {
  const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
  try {
    const content = await showContent(owner, messageId, admit)
    return content === undefined
      ? {}
      : { html: content.html, text: content.text, content_incomplete: content.incomplete }
  } catch (error) {
    if (error instanceof Problem && error.code === 'content_removed') return {}
    throw error
  }
}

const sharedHtml = (services: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/shared/:message_id/html',
    role: 'nobody',
    schema: { querystring: SharedQuery },
    async handler(request, reply) {
      const { messageId, owner } = await sharedOf(services, request.params.message_id, request.query.token)
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const content = await services.showContent(owner, messageId, admit, true)
      if (content?.html == null) throw expiredLink()
      keepPrivate(reply)
      return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(content.html, content.files))
    },
  })

// The HTML and the origin of a mail in a test inbox, and links to the mail that need no login.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { InboxMails, type OpenedMail } from '../../../inboxes/inbox-mails.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../../lib/foreign-html.ts'
import { isId } from '../../../lib/ids.ts'
import { Problem } from '../../../model/problem.ts'
import { reading } from '../../../store/database/store.ts'
import type { TestInbox } from '../../../store/inboxes/inboxes.ts'
import { findOwnerOfTestMail, type InboxOwner, sizeOfTestMail } from '../../../store/inboxes/mails.ts'
import { InboxMailOrigin, SharedMailView } from '../../contract/dashboard-inboxes.ts'
import { SharedQuery } from '../../contract/dashboard-messages.ts'
import type { InboxMail } from '../../contract/inbox.ts'
import { inboxOfRequest } from '../../inboxes/of-request.ts'
import { mailView } from '../../inboxes/view.ts'
import { paramsOf } from '../../route.ts'
import { expiredLink, keepPrivate, linkRoutes } from '../messages/shared.ts'
import { type DashboardRoute, defineDashboardRoute } from '../route.ts'
import type { DashboardServices } from '../services.ts'

const ONE = '/api/inboxes/:inbox_id/messages/:mail_id' as const
const SHARED = '/api/shared-mails/:mail_id' as const

export const inboxRoutes = (services: DashboardServices): readonly DashboardRoute[] => {
  const mails = new InboxMails(services.read)
  return [
    html(services, mails),
    origin(services, mails),
    ...linkRoutes(services, {
      url: `${ONE}/share`,
      audits: { make: 'inbox-mail.share', revoke: 'inbox-mail-links.revoke' },
      pageOf: (id) => `${services.publicUrl.value}/shared-mails/${id}`,
      idOf: (request) => ownMail(services, request),
    }),
    shared(services, mails),
    sharedHtml(services, mails),
  ]
}

const ownerOf = ({ id, account_id }: TestInbox): InboxOwner => ({ accountId: account_id, inboxId: id })

const noSuchMail = (): Problem => new Problem('not_found', 'The inbox has no mail with this ID.')

/** Sends the HTML of a mail as a document for a sandboxed frame. Throws `not_found` without HTML. */
function sendHtml(reply: FastifyReply, opened: OpenedMail | undefined): FastifyReply {
  const { html: written, attachments = [] } = opened?.content ?? {}
  if (written === undefined) throw new Problem('not_found', 'The mail does not exist, or has no HTML.')
  return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(written, attachments))
}

const html = ({ read }: DashboardServices, mails: InboxMails) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${ONE}/html`,
    role: 'developer',
    schema: {},
    async handler(request, reply) {
      const owner = ownerOf(await inboxOfRequest(read, request))
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      return sendHtml(reply, await mails.open(owner, request.params.mail_id, admit, 'content'))
    },
  })

const origin = ({ read, mailOrigin }: DashboardServices, mails: InboxMails) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${ONE}/origin`,
    role: 'developer',
    schema: { response: { 200: InboxMailOrigin } },
    async handler(request, reply): Promise<InboxMailOrigin> {
      const owner = ownerOf(await inboxOfRequest(read, request))
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const mail = await mails.find(owner, request.params.mail_id, admit)
      if (mail === undefined) throw noSuchMail()
      const { signatures, message } = await mailOrigin(mail)
      return {
        signatures: signatures.map(({ keyName, covers, ...signature }) => ({
          ...signature,
          key_name: keyName,
          covers: [...covers],
        })),
        message:
          message === undefined ? null : { message_id: message.messageId, domain_id: message.domainId },
      }
    },
  })

/** Returns the ID of the mail in the path of a request. Throws `not_found` if the inbox has no such mail. */
async function ownMail({ read }: DashboardServices, request: FastifyRequest): Promise<string> {
  const { mail_id: id = '' } = paramsOf(request)
  const owner = ownerOf(await inboxOfRequest(read, request))
  if ((await reading(sizeOfTestMail(read, owner, id))) === undefined) throw noSuchMail()
  return id
}

/** Opens the mail of a shared link; checks the token before any query for the mail. Throws `not_found`. */
async function sharedMail(
  { read, messageLinks }: DashboardServices,
  mails: InboxMails,
  request: FastifyRequest,
  reply: FastifyReply,
  files?: 'content',
): Promise<OpenedMail> {
  const { mail_id: id } = request.params as { readonly mail_id: string }
  const { token } = request.query as { readonly token: string }
  const isGood = isId('mbx', id) && (await reading(messageLinks.read(id, token))) !== undefined
  const owner = isGood ? await reading(findOwnerOfTestMail(read, id)) : undefined
  const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
  const opened = owner && (await mails.open(owner, id, admit, files))
  if (opened === undefined) throw expiredLink()
  keepPrivate(reply)
  return opened
}

const shared = (services: DashboardServices, mails: InboxMails) =>
  defineDashboardRoute({
    method: 'GET',
    url: SHARED,
    role: 'nobody',
    schema: { querystring: SharedQuery, response: { 200: SharedMailView } },
    handler: async (request, reply): Promise<SharedMailView> =>
      sharedView(mailView(await sharedMail(services, mails, request, reply))),
  })

const sharedView = (mail: InboxMail): SharedMailView => ({
  mail_id: mail.mail_id,
  received_at: mail.received_at,
  from: mail.from,
  to: mail.to,
  cc: mail.cc,
  subject: mail.subject,
  size: mail.size,
  html: mail.html,
  text: mail.text,
  incomplete: mail.incomplete,
  attachments: mail.attachments,
})

const sharedHtml = (services: DashboardServices, mails: InboxMails) =>
  defineDashboardRoute({
    method: 'GET',
    url: `${SHARED}/html`,
    role: 'nobody',
    schema: { querystring: SharedQuery },
    handler: async (request, reply) =>
      sendHtml(reply, await sharedMail(services, mails, request, reply, 'content')),
  })

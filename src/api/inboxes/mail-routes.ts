// GET and DELETE /v1/inboxes/{inbox_id}/messages…, GET …/wait: the mail of a test inbox.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { disposition } from '../../http/content-disposition.ts'
import { readTime } from '../../http/filters.ts'
import { idCursor, wrongCursor } from '../../http/page.ts'
import type { InboxMails } from '../../inboxes/inbox-mails.ts'
import { type MailQuery, parseQuery } from '../../inboxes/search.ts'
import { beforeIdsOf } from '../../lib/ids.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import { withoutAccents } from '../../model/subject-words.ts'
import type { Read, Store } from '../../store/database/store.ts'
import type { TestInbox } from '../../store/inboxes/inboxes.ts'
import { type InboxOwner, markTestMails, removeTestMails } from '../../store/inboxes/mails.ts'
import {
  InboxFileParams,
  InboxMail,
  InboxMailList,
  InboxMailParams,
  InboxMailQuery,
  InboxMails as InboxMailsView,
  InboxParams,
  InboxWaitQuery,
} from '../contract/inbox.ts'
import { defineRoute, type Route } from '../route.ts'
import { goneSignal, inboxOfRequest, readWait } from './of-request.ts'
import { mailSummary, mailView } from './view.ts'

const tags = ['Test inboxes']
const list = '/v1/inboxes/:inbox_id/messages' as const
const one = `${list}/:mail_id` as const

/** Services of the mail of test inboxes. */
interface InboxMailServices {
  readonly store: Store
  readonly read: Read
}

export const inboxMailRoutes = (services: InboxMailServices, mails: InboxMails): readonly Route[] => [
  listRoute(services, mails),
  clearRoute(services),
  showRoute(services, mails),
  deleteRoute(services),
  rawRoute(services, mails),
  fileRoute(services, mails),
  waitRoute(services, mails),
]

const ownerOf = ({ id, account_id }: TestInbox): InboxOwner => ({ accountId: account_id, inboxId: id })

const noSuchMail = (): Problem => new Problem('not_found', 'The inbox has no mail with this ID.')

/** Returns the query for the filters of a request. */
function queryOf(filters: {
  readonly to?: string | undefined
  readonly subject?: string | undefined
  readonly tag?: string | undefined
  readonly search?: string | undefined
}): MailQuery {
  const { to, subject, tag, search = '' } = filters
  const searched = parseQuery(search)
  const wanted = {
    to: to?.trim().toLowerCase(),
    subject: subject?.toLowerCase(),
  }
  return {
    matchesAll: searched.matchesAll && to === undefined && subject === undefined && tag === undefined,
    contained: [
      ...searched.contained,
      ...(wanted.to === undefined ? [] : [wanted.to]),
      ...(wanted.subject === undefined ? [] : [withoutAccents(wanted.subject)]),
    ],
    matches(mail) {
      if (wanted.to !== undefined) {
        const recipients: string[] = JSON.parse(mail.recipients)
        if (!recipients.some((one) => one.toLowerCase() === wanted.to)) return false
      }
      if (wanted.subject !== undefined) {
        const { subject: written } = JSON.parse(mail.summary) as { subject: string }
        if (!written.toLowerCase().includes(wanted.subject)) return false
      }
      if (tag !== undefined && !(JSON.parse(mail.tags) as string[]).includes(tag)) return false
      return searched.matches(mail)
    },
  }
}

const listRoute = ({ read }: InboxMailServices, mails: InboxMails) =>
  defineRoute({
    method: 'GET',
    url: list,
    schema: {
      tags,
      summary: 'List the mail of a test inbox',
      description: 'Newest first. Several filters apply together.',
      params: InboxParams,
      querystring: InboxMailQuery,
      response: { 200: InboxMailList },
    },
    refusals: ['malformed_request', 'validation_failed', 'not_found'],
    scope: 'inboxes:read',
    async handler(request, reply) {
      const { limit = 50, cursor, wait, recipient: to, ...filters } = request.query
      if (cursor !== undefined && !idCursor('mbx')(cursor)) throw wrongCursor()
      const problems: FieldProblem[] = []
      const ms = wait === undefined ? 0 : readWait('wait', wait, problems)
      if (problems.length > 0) throw invalidFields(problems)
      const owner = ownerOf(await inboxOfRequest(read, request))
      const query = queryOf({ ...filters, to })
      const first = (changedAfter?: number) => mails.first(owner, query, { before: cursor, changedAfter })
      if (ms > 0) await mails.waitFor(owner, first, { ms, signals: [goneSignal(reply)] })
      const page = await mails.page(owner, query, limit, cursor)
      return { data: page.mails.map(mailSummary), next_cursor: page.next }
    },
  })

const clearRoute = ({ store, read }: InboxMailServices) =>
  defineRoute({
    method: 'DELETE',
    url: list,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Remove all mail of a test inbox',
      params: InboxParams,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found'],
    scope: 'inboxes:write',
    audit: false,
    async handler(request, reply) {
      await store.write(removeTestMails, ownerOf(await inboxOfRequest(read, request)))
      return reply.code(204).send()
    },
  })

const showRoute = ({ store, read }: InboxMailServices, mails: InboxMails) =>
  defineRoute({
    method: 'GET',
    url: one,
    schema: {
      tags,
      summary: 'Retrieve a mail of a test inbox',
      description: 'Marks the mail as read. `links` and `codes` are what a test follows or types in.',
      params: InboxMailParams,
      response: { 200: InboxMail },
    },
    refusals: ['not_found'],
    scope: 'inboxes:read',
    async handler(request, reply) {
      const owner = ownerOf(await inboxOfRequest(read, request))
      const { mail_id: id } = request.params
      const opened = await mails.open(owner, id, (bytes) => request.holdAnswer(reply, bytes))
      if (opened === undefined) throw noSuchMail()
      if (opened.mail.seen === 0) await store.write(markTestMails, { ...owner, ids: [id], seen: true })
      return mailView(opened)
    },
  })

const deleteRoute = ({ store, read }: InboxMailServices) =>
  defineRoute({
    method: 'DELETE',
    url: one,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Remove a mail of a test inbox',
      params: InboxMailParams,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found'],
    scope: 'inboxes:write',
    audit: false,
    async handler(request, reply) {
      const owner = ownerOf(await inboxOfRequest(read, request))
      if ((await store.write(removeTestMails, { ...owner, ids: [request.params.mail_id] })) === 0) {
        throw noSuchMail()
      }
      return reply.code(204).send()
    },
  })

/** Adds the fields of a download, which no browser shows as a page, because nobody has checked the content. */
const asDownload = (reply: FastifyReply, filename: string | null): FastifyReply =>
  reply
    .header('content-disposition', disposition(filename))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-store')

const rawRoute = ({ read }: InboxMailServices, mails: InboxMails) =>
  defineRoute({
    method: 'GET',
    url: `${one}/raw`,
    schema: {
      tags,
      summary: 'Retrieve the source of a mail of a test inbox',
      description: 'Returns the complete mail (RFC 5322), as a host would have received it.',
      params: InboxMailParams,
      produces: ['message/rfc822'],
    },
    refusals: ['not_found'],
    scope: 'inboxes:read',
    async handler(request, reply) {
      const owner = ownerOf(await inboxOfRequest(read, request))
      const { mail_id: id } = request.params
      const mail = await mails.find(owner, id, (bytes) => request.holdAnswer(reply, bytes))
      if (mail === undefined) throw noSuchMail()
      return asDownload(reply.type('message/rfc822'), `${id}.eml`).send(Buffer.from(mail.raw))
    },
  })

const fileRoute = ({ read }: InboxMailServices, mails: InboxMails) =>
  defineRoute({
    method: 'GET',
    url: `${one}/attachments/:number`,
    schema: {
      tags,
      summary: 'Retrieve a file of a mail of a test inbox',
      params: InboxFileParams,
      produces: ['application/octet-stream'],
    },
    refusals: ['not_found'],
    scope: 'inboxes:read',
    async handler(request, reply) {
      const owner = ownerOf(await inboxOfRequest(read, request))
      const { mail_id: id, number } = request.params
      const opened = await mails.open(owner, id, (bytes) => request.holdAnswer(reply, bytes), 'content')
      const file = /^\d{1,4}$/.test(number) ? opened?.content.attachments[Number(number)] : undefined
      if (file?.content === undefined)
        throw new Problem('not_found', 'The mail has no file with this number.')
      return asDownload(reply.type('application/octet-stream'), file.filename ?? null).send(file.content)
    },
  })

const waitRoute = ({ read }: InboxMailServices, mails: InboxMails) =>
  defineRoute({
    method: 'GET',
    url: '/v1/inboxes/:inbox_id/wait',
    schema: {
      tags,
      summary: 'Wait for a mail in a test inbox',
      description:
        'Returns the first mail that matches, with its content, as soon as there is one; the list is empty if the time ends before. A test key may call this for its own inbox.',
      params: InboxParams,
      querystring: InboxWaitQuery,
      response: { 200: InboxMailsView },
    },
    refusals: ['malformed_request', 'validation_failed', 'not_found'],
    scope: 'inboxes:read',
    async handler(request, reply) {
      const { to, subject, since, timeout = '30s' } = request.query
      const problems: FieldProblem[] = []
      const ms = readWait('timeout', timeout, problems)
      const from = readTime('since', since, problems)
      if (problems.length > 0) throw invalidFields(problems)
      const owner = ownerOf(await inboxOfRequest(read, request))
      const bound = from === undefined ? undefined : beforeIdsOf('mbx', Math.max(0, from))
      const query = queryOf({ to, subject })
      const look = (changedAfter?: number) => mails.first(owner, query, { from: bound, changedAfter })
      const id = (await mails.waitFor(owner, look, { ms, signals: [goneSignal(reply)] })) ?? (await look())
      const opened = id && (await mails.open(owner, id, (bytes) => request.holdAnswer(reply, bytes)))
      return { data: opened ? [mailView(opened)] : [], next_cursor: null }
    },
  })

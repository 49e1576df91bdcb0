// The paths of MailHog's API (v2, and v1 but the list) below a test inbox.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { COPIES } from '../../inboxes/inbox-mails.ts'
import { hogList, hogMessage, hogPart } from '../../inboxes/mailhog.ts'
import { mailIdOf } from '../../inboxes/mailpit.ts'
import { MAX_QUERY, type MailQuery, parseQuery } from '../../inboxes/search.ts'
import { withoutAccents } from '../../model/subject-words.ts'
import type { MailSummary } from '../../model/test-inbox.ts'
import { removeTestMails, type TestMail, type TestMailEntry } from '../../store/inboxes/mails.ts'
import { badRequest, type Compatible, inboxOf, pageNotFound, route } from './compatible.ts'

const MAX_LIMIT = 250

/** Returns the query of a search of this kind: `from`, `to` or `containing`. */
function queryOf(kind: string, given: string): MailQuery {
  const text = given.replaceAll('\0', '')
  if (!['from', 'to', 'containing'].includes(kind) || text === '')
    throw badRequest('kind and query are required')
  if (text.length > MAX_QUERY) throw badRequest(`a query has at most ${MAX_QUERY} characters`)
  const sought = withoutAccents(text)
  return {
    matchesAll: false,
    contained: kind === 'from' ? [] : [sought],
    matches(mail) {
      if (kind === 'to') return withoutAccents(mail.recipients).includes(sought)
      if (kind === 'containing') return mail.search.includes(sought)
      const { from } = JSON.parse(mail.summary) as MailSummary
      return from !== null && withoutAccents(`${from.name} ${from.address}`).includes(sought)
    },
  }
}

/** Maximum number of bytes of the mails of a list, which has the whole mails; a list has at least one mail. */
const MAX_LIST_BYTES = 32 * 1024 * 1024

/** Returns the first mails of a list that together fit into an answer, and their bytes. */
function withinBytes(entries: readonly TestMailEntry[]) {
  const fitting: TestMailEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    if (fitting.length > 0 && bytes + Number(entry.size) > MAX_LIST_BYTES) break
    bytes += Number(entry.size)
    fitting.push(entry)
  }
  return { fitting, bytes }
}

/** Adds MailHog's paths. */
export function addMailHog(server: FastifyInstance, { store, mails }: Compatible): void {
  const admit = (request: FastifyRequest, reply: FastifyReply) => (bytes: number) =>
    request.holdAnswer(reply, bytes)

  async function found(request: FastifyRequest, reply: FastifyReply, query: MailQuery): Promise<object> {
    const { start = '0', limit = '50' } = request.query as {
      readonly start?: string
      readonly limit?: string
    }
    const from = /^\d{1,9}$/.test(start) ? Number(start) : 0
    const most = /^\d{1,9}$/.test(limit) ? Math.min(Number(limit), MAX_LIMIT) : 50
    const owner = inboxOf(request)
    const { mails: entries, count } = await mails.search(owner, query, from, most)
    const { fitting, bytes } = withinBytes(entries)
    await request.holdAnswer(reply, COPIES * bytes)
    const whole: TestMail[] = []
    for (const { id } of fitting) {
      const mail = await mails.find(owner, id, async () => {})
      if (mail !== undefined) whole.push(mail)
    }
    return hogList(whole, count, from)
  }

  async function mailOf(request: FastifyRequest, reply: FastifyReply): Promise<TestMail> {
    const { id = '' } = request.params as { readonly id?: string }
    const mail = await mails.find(inboxOf(request), mailIdOf(id), admit(request, reply))
    if (mail === undefined) throw pageNotFound()
    return mail
  }

  server.get('/api/v2/messages', route, (request, reply) => found(request, reply, parseQuery('')))
  server.get('/api/v2/search', route, (request, reply) => {
    const { kind = '', query = '' } = request.query as { readonly kind?: string; readonly query?: string }
    return found(request, reply, queryOf(kind, query))
  })
  server.get('/api/v1/messages/:id', route, async (request, reply) =>
    hogMessage(await mailOf(request, reply)),
  )
  server.delete('/api/v1/messages/:id', route, async (request, reply) => {
    const { id = '' } = request.params as { readonly id?: string }
    const removed = await store.write(removeTestMails, { ...inboxOf(request), ids: [mailIdOf(id)] })
    if (removed === 0) throw pageNotFound()
    return reply.send()
  })
  server.get('/api/v1/messages/:id/download', route, async (request, reply) => {
    const mail = await mailOf(request, reply)
    return reply
      .type('message/rfc822')
      .header('content-disposition', `attachment; filename="${mail.id.slice(4)}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .send(Buffer.from(mail.raw))
  })
  server.get('/api/v1/messages/:id/mime/part/:part/download', route, async (request, reply) => {
    const { part = '' } = request.params as { readonly part?: string }
    const body = /^\d{1,4}$/.test(part) ? hogPart(await mailOf(request, reply), Number(part)) : undefined
    if (body === undefined) throw pageNotFound()
    return reply
      .type('application/octet-stream')
      .header('x-content-type-options', 'nosniff')
      .send(Buffer.from(body, 'latin1'))
  })
}

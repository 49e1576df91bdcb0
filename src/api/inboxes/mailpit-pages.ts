// The paths of Mailpit's API (v1) below a test inbox.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FoundMails, MAX_WAIT_MS } from '../../inboxes/inbox-mails.ts'
import { mailIdOf, pitHeaders, pitList, pitMessage, pitText } from '../../inboxes/mailpit.ts'
import { putMail, WrongSend } from '../../inboxes/put-mail.ts'
import { MAX_QUERY, type MailQuery, parseQuery, timeIn } from '../../inboxes/search.ts'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../../lib/foreign-html.ts'
import { packageVersion } from '../../lib/package-version.ts'
import { type Read, reading } from '../../store/database/store.ts'
import {
  countTestMails,
  type InboxOwner,
  listTags,
  markTestMails,
  removeTestMails,
} from '../../store/inboxes/mails.ts'
import { badRequest, bodyOf, type Compatible, inboxOf, pageNotFound, route } from './compatible.ts'
import { addCheckPages } from './mailpit-checks.ts'
import { fileOf, openMail, type Query, queryIn } from './mailpit-mail.ts'
import { goneSignal } from './of-request.ts'

const MAX_LIMIT = 1_000

/** Reads a whole number of the query; the default for a missing or wrong number. */
function numberIn(text: string | undefined, usual: number, most: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), most) : usual
}

/** Reads a time to wait such as `10s`, in milliseconds; 0 without one. */
function waitIn(text: string | undefined): number {
  if (text === undefined) return 0
  const [, digits, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? []
  if (digits === undefined) throw badRequest('wait: give a time such as 10s')
  return Math.min(MAX_WAIT_MS, Number(digits) * (unit === 's' ? 1_000 : 1))
}

function searchIn({ query = '', tz, before }: Query): MailQuery {
  if (query.trim() === '') throw badRequest('no search query')
  if (query.length > MAX_QUERY) throw badRequest(`a query has at most ${MAX_QUERY} characters`)
  return withBefore(parseQuery(query, tz), before, tz)
}

/** Adds the parameter `before`, a time or a number of milliseconds, to a query. */
function withBefore(query: MailQuery, before: string | undefined, zone = 'UTC'): MailQuery {
  if (before === undefined || before === '') return query
  const at = /^\d{10,16}$/.test(before) ? Number(before) : timeIn(before, zone)
  if (at === undefined) throw badRequest('before: give a time')
  const matches: MailQuery['matches'] = (mail) => mail.received_at < at && query.matches(mail)
  return { ...query, matchesAll: false, matches }
}

/** Adds Mailpit's paths. */
export function addMailpit(server: FastifyInstance, compatible: Compatible): void {
  const { store, mails, stopping } = compatible
  const { read } = store

  /** Returns the matches of a request, after a wait for the first match if the request asks for one. */
  async function found(request: FastifyRequest, reply: FastifyReply, query: MailQuery): Promise<FoundMails> {
    const { start, limit, wait } = queryIn(request)
    const owner = inboxOf(request)
    const ms = waitIn(wait)
    const first = (changedAfter?: number) => mails.first(owner, query, { changedAfter })
    if (ms > 0) await mails.waitFor(owner, first, { ms, signals: [goneSignal(reply), stopping] })
    return mails.search(owner, query, numberIn(start, 0, 1e9), numberIn(limit, 50, MAX_LIMIT))
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, query: MailQuery): Promise<object> {
    const owner = inboxOf(request)
    const { mails: entries, count, unread } = await found(request, reply, query)
    const [counts, tags] = await Promise.all([reading(countTestMails(read, owner)), tagsOf(read, owner)])
    const shown = { total: counts.total, unread: counts.unread, matches: count, unreadMatches: unread }
    return pitList(entries, shown, numberIn(queryIn(request).start, 0, 1e9), tags)
  }

  const everything = (request: FastifyRequest): MailQuery => {
    const { before, tz } = queryIn(request)
    return withBefore(parseQuery(''), before, tz)
  }
  server.get('/api/v1/messages', route, (request, reply) => answer(request, reply, everything(request)))
  server.get('/api/v1/search', route, (request, reply) => answer(request, reply, searchIn(queryIn(request))))

  server.put('/api/v1/messages', route, async (request, reply) => {
    const { Read: seen = false, IDs, Search } = bodyOf(request)
    const ids = idsIn(IDs)
    const search = typeof Search === 'string' && Search !== '' ? Search : undefined
    if (ids !== undefined && search !== undefined) throw badRequest('IDs and Search cannot be combined')
    const owner = inboxOf(request)
    const chosen =
      search === undefined ? ids : await mails.idsOf(owner, searchIn({ ...queryIn(request), query: search }))
    await store.write(markTestMails, { ...owner, ids: chosen, seen: seen === true })
    return ok(reply)
  })
  server.delete('/api/v1/messages', route, async (request, reply) => {
    await store.write(removeTestMails, { ...inboxOf(request), ids: idsIn(bodyOf(request).IDs) })
    // The path is MailHog's as well, whose client for Node reads any text as JSON, and sends no Accept field.
    return request.headers.accept === undefined ? reply.send() : ok(reply)
  })
  server.delete('/api/v1/search', route, async (request, reply) => {
    const owner = inboxOf(request)
    await store.write(removeTestMails, {
      ...owner,
      ids: await mails.idsOf(owner, searchIn(queryIn(request))),
    })
    return ok(reply)
  })

  addMessagePages(server, compatible)
  addTagPages(server, compatible)
  addSendPage(server, compatible)
  addCheckPages(server, compatible)
  addStatePages(server, compatible)
}

function addMessagePages(server: FastifyInstance, compatible: Compatible): void {
  const { store, mails } = compatible
  const opened = (request: FastifyRequest, reply: FastifyReply) => openMail(compatible, request, reply)
  server.get('/api/v1/message/:id', route, async (request, reply) => {
    const found = await opened(request, reply)
    if (found.mail.seen === 0) {
      await store.write(markTestMails, { ...inboxOf(request), ids: [found.mail.id], seen: true })
    }
    return pitMessage(found)
  })
  server.get('/api/v1/message/:id/headers', route, async (request, reply) =>
    pitHeaders((await opened(request, reply)).content),
  )
  server.get('/api/v1/message/:id/raw', route, async (request, reply) => {
    const { mail } = await opened(request, reply)
    // Plain text, so that no browser shows the mail as a page.
    reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
    if (queryIn(request).dl === '1') {
      reply.header('content-disposition', `attachment; filename="${mail.id.slice(4)}.eml"`)
    }
    return reply.send(Buffer.from(mail.raw))
  })
  server.get('/api/v1/message/:id/part/:part', route, async (request, reply) => {
    const file = fileOf(request, await opened(request, reply))
    return reply
      .type(safeType(file.contentType))
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('x-content-type-options', 'nosniff')
      .send(file.content)
  })
  server.post('/api/v1/message/:id/release', route, () => {
    throw badRequest('test mail never leaves the installation')
  })
  server.get('/view/latest', route, async (request, reply) => {
    const id = await mails.first(inboxOf(request), parseQuery(queryIn(request).query ?? ''))
    if (id === undefined) throw pageNotFound()
    return reply.redirect(`${id.slice(4)}.html`)
  })
  server.get('/view/:name', route, async (request, reply) => {
    const { name = '' } = request.params as { readonly name?: string }
    const [, id, kind] = /^([0-9A-Za-z]{1,30})\.(html|txt)$/.exec(name) ?? []
    if (id === undefined) throw pageNotFound()
    const request2 = Object.assign(request, { params: { ...(request.params as object), id } })
    const { content } = await opened(request2, reply)
    const text = kind === 'html' ? content.html : content.text
    if (text === undefined) throw pageNotFound()
    if (kind === 'txt') {
      reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
      return reply.send(pitText(text))
    }
    const html = queryIn(request).embed === '1' ? text.replace(/<a(?=[\s>])/gi, EMBEDDED_LINK) : text
    return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(html, content.attachments))
  })
}

/** Beginning of a link in HTML that a page embeds. */
const EMBEDDED_LINK = '<a target="_blank" rel="noreferrer noopener"'

/** Returns a media type for a header field: the type of a file that browsers do not run, or one that they save. */
const safeType = (type: string): string =>
  /^(?:image\/(?:png|jpeg|gif|webp)|text\/plain|application\/pdf)$/.test(type)
    ? type
    : 'application/octet-stream'

/** Adds the path, whose refusals are JSON, unlike those of the other paths. */
function addSendPage(server: FastifyInstance, compatible: Compatible): void {
  const { store, clock, storedBytesPerAccount } = compatible
  const options = { ...route, config: { ...route.config, body: { maxBytes: 'content' } as const } }
  server.post('/api/v1/send', options, async (request, reply) => {
    try {
      const place = { ...inboxOf(request), store, storedBytesPerAccount, now: clock.now() }
      return { ID: await putMail(place, bodyOf(request)) }
    } catch (error) {
      if (!(error instanceof WrongSend || error instanceof TypeError)) throw error
      return reply.code(400).send({ Error: error.message })
    }
  })
}

function addTagPages(server: FastifyInstance, { store }: Compatible): void {
  const { read } = store
  const change = async (owner: InboxOwner, tag: string, name: string | undefined): Promise<void> => {
    for (const written of await reading(listTags(read, owner))) {
      const tags: string[] = JSON.parse(written)
      if (!tags.includes(tag)) continue
      const changed = tags.flatMap((one) => (one === tag ? (name === undefined ? [] : [name]) : [one]))
      await store.write(markTestMails, { ...owner, withTags: written, tags: changed })
    }
  }
  server.get('/api/v1/tags', route, (request) => tagsOf(read, inboxOf(request)))
  server.put('/api/v1/tags', route, async (request, reply) => {
    const { Tags, IDs } = bodyOf(request)
    const tags = Array.isArray(Tags) ? Tags.filter((tag) => typeof tag === 'string') : []
    if (tags.length > 100 || tags.some((tag) => tag.length > 100)) throw badRequest('too many tags')
    await store.write(markTestMails, { ...inboxOf(request), ids: idsIn(IDs) ?? [], tags })
    return ok(reply)
  })
  server.put('/api/v1/tags/:tag', route, async (request, reply) => {
    const { tag = '' } = request.params as { readonly tag?: string }
    const { Name } = bodyOf(request)
    if (typeof Name !== 'string' || Name === '' || Name.length > 100) throw badRequest('Name: give a name')
    await change(inboxOf(request), tag, Name)
    return ok(reply)
  })
  server.delete('/api/v1/tags/:tag', route, async (request, reply) => {
    const { tag = '' } = request.params as { readonly tag?: string }
    await change(inboxOf(request), tag, undefined)
    return ok(reply)
  })
}

function addStatePages(server: FastifyInstance, { store, hasSpamFilter }: Compatible): void {
  const { read } = store
  server.get('/api/v1/info', route, async (request) => {
    const owner = inboxOf(request)
    const [{ total, unread }, tags] = await Promise.all([
      reading(countTestMails(read, owner)),
      tagsOf(read, owner),
    ])
    const version = `v${packageVersion()}`
    return {
      ...{
        Version: version,
        LatestVersion: version,
        Database: '',
        DatabaseSize: 0,
        Messages: total,
        Unread: unread,
      },
      Tags: Object.fromEntries(tags.map((tag) => [tag, 0])),
      RuntimeStats: {
        ...{ Uptime: Math.floor(process.uptime()), Memory: 0, MessagesDeleted: 0 },
        ...{ SMTPAccepted: total, SMTPAcceptedSize: 0, SMTPRejected: 0, SMTPIgnored: 0 },
      },
    }
  })
  server.get('/api/v1/webui', route, () => ({
    Label: '',
    MessageRelay: {
      ...{ Enabled: false, SMTPServer: '', ReturnPath: '', AllowedRecipients: '', BlockedRecipients: '' },
      ...{ OverrideFrom: '', PreserveMessageIDs: false, RecipientAllowlist: '' },
    },
    ...{
      SpamAssassin: hasSpamFilter,
      ChaosEnabled: false,
      DuplicatesIgnored: false,
      HideDeleteAllButton: false,
    },
  }))
  for (const path of ['/livez', '/readyz']) server.get(path, route, (_request, reply) => ok(reply))
}

const ok = (reply: FastifyReply): FastifyReply => reply.type('text/plain; charset=utf-8').send('ok')

/** Returns the IDs of mails in a list of Mailpit's IDs; undefined for a missing or empty list, which means all mails. */
function idsIn(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined
  if (list.length > MAX_LIMIT) throw badRequest(`give at most ${MAX_LIMIT} IDs`)
  return list.map((id) => mailIdOf(String(id)))
}

/** Returns the tags of an inbox, each once. */
async function tagsOf(read: Read, owner: InboxOwner): Promise<string[]> {
  const lists = await reading(listTags(read, owner))
  return [...new Set(lists.flatMap((tags) => JSON.parse(tags) as string[]))].sort()
}

// HTTP pages of the playground's mailbox, which contains the mail that the playground's mail host received.

import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../lib/foreign-html.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { readContent } from '../mime/read-content.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { PLAYGROUND_INBOX } from '../model/test-inbox.ts'
import type { Read, Store } from '../store/database/store.ts'
import { findInboxById } from '../store/inboxes/inboxes.ts'
import {
  findTestMail,
  type InboxOwner,
  listTestMails,
  listWholeMails,
  type MailFilter,
  removeTestMails,
  type TestMail,
} from '../store/inboxes/mails.ts'
import { type MailboxSources, MailboxView } from './mailbox-view.ts'

export interface MailboxPagesOptions extends MailboxSources {
  readonly store: Store
  /** Public base URL of the node, known once the node listens. */
  readonly publicUrl: PublicUrl
}

/** Options of an object that allows no other fields. */
const closed = { additionalProperties: false }
const recipient = Type.Optional(Type.String({ maxLength: 400 }))

const ListQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String({ maxLength: 100 })),
    recipient,
    /** Part of an address, of the subject or of the preview text; the search ignores case and accents. */
    search: Type.Optional(Type.String({ maxLength: 1_000 })),
    /** `none` requests list entries without the content of the mails; such entries are faster to produce. */
    content: Type.Optional(Type.Enum(['none'])),
    /** Time to wait until there is a mail, such as `10s`. */
    wait: Type.Optional(Type.String({ maxLength: 20 })),
  },
  closed,
)

const RemoveQuery = Type.Object({ recipient }, closed)

type ById = { Params: { id: string } }

/**
 * Adds `GET` and `DELETE` of `/playground/mailbox` and of `…/{id}`, and `GET …/{id}/html` and `…/{id}/raw`. These pages
 * need no API key: the playground listens only on this machine, and web pages of other origins can neither read the
 * mailbox nor send a DELETE.
 */
export const mailboxPages =
  (options: MailboxPagesOptions): FastifyPluginAsync =>
  async (server) => {
    const { store } = options
    const { read } = store
    const view = new MailboxView(options)
    const hidden = { hide: true } as object
    const route = {
      schema: hidden,
      onRequest: playgroundGuard(options.publicUrl),
    }
    const stopping = new AbortController()
    server.addHook('preClose', async () => stopping.abort())

    server.get<{ Querystring: Static<typeof ListQuery> }>(
      '/playground/mailbox',
      { ...route, schema: { ...hidden, querystring: ListQuery } },
      async ({ query }, reply) => {
        const { limit = 50, content, search, cursor, wait, recipient: soleRecipient } = query
        const owner = await inboxOf(read)
        const filter = { before: cursor, soleRecipient }
        if (wait !== undefined) await mailFor(read, filter, waitMs(wait), [gone(reply), stopping.signal])
        if (owner === undefined) return { data: [], next_cursor: null }
        if (content === 'none' && search) return view.search(owner, search, limit, cursor)
        return content === 'none'
          ? page(await listTestMails(read, owner, limit + 1, filter), limit, (entry) => view.line(entry))
          : page(await listWholeMails(read, owner, limit + 1, filter), limit, (mail) => view.content(mail))
      },
    )

    server.delete<{ Querystring: Static<typeof RemoveQuery> }>(
      '/playground/mailbox',
      { ...route, schema: { ...hidden, querystring: RemoveQuery } },
      async ({ query }, reply) => {
        const owner = await inboxOf(read)
        if (owner !== undefined)
          await store.write(removeTestMails, { ...owner, soleRecipient: query.recipient })
        return reply.code(204).send()
      },
    )

    server.delete<ById>('/playground/mailbox/:id', route, async ({ params: { id } }, reply) => {
      const owner = await inboxOf(read)
      const removed = owner && (await store.write(removeTestMails, { ...owner, ids: [id] }))
      if (!removed) throw noSuchMail()
      return reply.code(204).send()
    })

    server.get<ById>('/playground/mailbox/:id', route, async ({ params }) =>
      view.whole(await found(read, params.id)),
    )

    server.get<ById>('/playground/mailbox/:id/html', route, async ({ params }, reply) => {
      const { raw } = await found(read, params.id)
      const { html, attachments } = await readContent(Buffer.from(raw), 'content')
      if (html === undefined) throw new Problem('not_found', 'This mail has no HTML part.')
      return reply.headers(FOREIGN_HTML_HEADERS).send(foreignDocument(html, attachments))
    })

    server.get<ById>('/playground/mailbox/:id/raw', route, async ({ params }, reply) => {
      const { raw } = await found(read, params.id)
      // The type is plain text, so that no browser renders the untrusted mail as a web page.
      reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
      return reply.send(Buffer.from(raw))
    })
  }

async function page<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  shown: (row: Row) => object | Promise<object>,
): Promise<object> {
  const data = rows.slice(0, limit)
  return {
    data: await Promise.all(data.map(shown)),
    next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null,
  }
}

/** Returns the inbox of the playground with its account; undefined before the first mail. */
async function inboxOf(read: Read): Promise<InboxOwner | undefined> {
  const inbox = await findInboxById(read, PLAYGROUND_INBOX)
  return inbox && { accountId: inbox.account_id, inboxId: inbox.id }
}

async function found(read: Read, id: string): Promise<TestMail> {
  const owner = await inboxOf(read)
  const mail = owner && (await findTestMail(read, owner, id))
  if (mail === undefined) throw noSuchMail()
  return mail
}

const noSuchMail = () => new Problem('not_found', 'There is no such mail in the mailbox.')

/** Maximum time that a request waits for a mail, in seconds. */
const MAX_WAIT_S = 30
/** Pauses between two looks into the mailbox, in milliseconds: the first one, which then doubles, and the longest. */
const LOOK_MS = { first: 25, longest: 200 } as const

/** Returns a time such as `10s` in milliseconds. */
function waitMs(wait: string): number {
  const [, seconds = '0'] = /^([1-9]\d?)s$/.exec(wait) ?? []
  if (Number(seconds) >= 1 && Number(seconds) <= MAX_WAIT_S) return 1_000 * Number(seconds)
  const message = `Give a number of seconds from 1s to ${MAX_WAIT_S}s, such as 10s.`
  throw invalidFields([{ path: 'wait', code: 'invalid_value', message }])
}

/** Returns a signal that is aborted when the client disconnects. */
function gone(reply: FastifyReply): AbortSignal {
  const ended = new AbortController()
  reply.raw.once('close', () => ended.abort())
  if (reply.raw.destroyed) ended.abort()
  return ended.signal
}

/** Waits until the mailbox has a mail that matches the filter, for at most `ms` milliseconds, or until a signal. */
async function mailFor(
  read: Read,
  filter: MailFilter,
  ms: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const signal = AbortSignal.any([...signals, AbortSignal.timeout(ms)])
  for (let pause: number = LOOK_MS.first; !signal.aborted; pause = Math.min(2 * pause, LOOK_MS.longest)) {
    const owner = await inboxOf(read)
    if (owner !== undefined && (await listTestMails(read, owner, 1, filter)).length > 0) return
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

/**
 * Returns the function that refuses requests to public host names, to prevent DNS rebinding: a malicious page with a
 * host name that resolves to this machine would have the same origin as the mailbox. IP addresses, names without a dot,
 * private names and the host of the public URL are allowed.
 */
export const playgroundGuard =
  (publicUrl: PublicUrl) =>
  (request: FastifyRequest): Promise<void> =>
    refuseForeignNames(request, publicUrl)

async function refuseForeignNames(request: FastifyRequest, publicUrl: PublicUrl): Promise<void> {
  const host = request.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(host) !== 0 || !host.includes('.') || PRIVATE_NAMES.test(host)) return
  if (new URL(await publicUrl.known()).hostname === host) return
  throw new Problem(
    'not_found',
    'The mailbox is not shown under this name; set POSTRIDER_PUBLIC_URL if it should be.',
  )
}

/** Reserved names that cannot be registered (RFC 6761, RFC 6762, RFC 9476 and `internal` of ICANN). */
const PRIVATE_NAMES = /\.(?:localhost|test|local|internal|lan|home\.arpa|alt)$/

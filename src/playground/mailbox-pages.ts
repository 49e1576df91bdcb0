// HTTP pages of the playground's mailbox, which contains the mail that the playground's mail host received.

import { isIP } from 'node:net'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { FOREIGN_HTML_HEADERS, foreignDocument } from '../lib/foreign-html.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { readContent } from '../mime/read-content.ts'
import { Problem } from '../model/problem.ts'
import type { Read } from '../store/database/store.ts'
import { findMail, listMailEntries, listMails, type MailboxMail } from '../store/inbound/mailbox.ts'
import { type MailboxSources, MailboxView } from './mailbox-view.ts'

export interface MailboxPagesOptions extends MailboxSources {
  /** Public base URL of the node, known once the node listens. */
  readonly publicUrl: PublicUrl
}

interface ListQuery {
  readonly limit?: string
  readonly cursor?: string
  readonly recipient?: string
  /** Part of an address, of the subject or of the preview text; the search ignores case and accents. */
  readonly search?: string
  /** `none` requests list entries without the content of the mails; such entries are faster to produce. */
  readonly content?: string
}

type ById = { Params: { id: string } }

/**
 * Adds `GET /playground/mailbox`, `…/{id}`, `…/{id}/html` and `…/{id}/raw`. These pages need no API key: the
 * playground listens only on this machine, the pages change nothing, and web pages of other origins cannot read the
 * mailbox.
 */
export const mailboxPages =
  (options: MailboxPagesOptions): FastifyPluginAsync =>
  async (server) => {
    const { read } = options
    const view = new MailboxView(options)
    const route = {
      schema: { hide: true } as object,
      onRequest: (request: FastifyRequest, reply: FastifyReply) =>
        refuseForeignNames(request, reply, options.publicUrl),
    }

    server.get<{ Querystring: ListQuery }>('/playground/mailbox', route, async ({ query }) => {
      const limit = Math.min(200, Math.max(1, Number(query.limit) || 50))
      if (query.content === 'none' && query.search) return view.search(query.search, limit, query.cursor)
      return query.content === 'none'
        ? page(await listMailEntries(read, limit + 1, query), limit, (entry) => view.line(entry))
        : page(await listMails(read, limit + 1, query), limit, (mail) => view.content(mail))
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
  shown: (row: Row) => Promise<object>,
): Promise<object> {
  const data = rows.slice(0, limit)
  return {
    data: await Promise.all(data.map(shown)),
    next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null,
  }
}

async function found(read: Read, id: string): Promise<MailboxMail> {
  const mail = await findMail(read, id)
  if (mail === undefined) throw new Problem('not_found', 'There is no such mail in the mailbox.')
  return mail
}

/**
 * Refuses requests to public host names, to prevent DNS rebinding: a malicious page with a host name that resolves to
 * this machine would have the same origin as the mailbox. IP addresses, names without a dot, private names and the host
 * of the public URL are allowed.
 */
async function refuseForeignNames(
  request: FastifyRequest,
  _reply: FastifyReply,
  publicUrl: PublicUrl,
): Promise<void> {
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

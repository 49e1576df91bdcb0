// The playground's mailbox over HTTP: what the built-in mail server received.

import type { FastifyPluginAsync } from 'fastify'
import { readContent } from '../mime/read-content.ts'
import { Problem } from '../model/problem.ts'
import { findMail, listMails, type MailboxMail } from '../store/mailbox.ts'
import type { Read } from '../store/store.ts'

/** Adds `GET /playground/mailbox`, `…/{id}` and `…/{id}/raw`. Without a key: the playground listens to this machine. */
export const mailboxPages =
  (read: Read): FastifyPluginAsync =>
  async (server) => {
    const options = { schema: { hide: true } as object }

    server.get<{ Querystring: { limit?: string; cursor?: string; recipient?: string } }>(
      '/playground/mailbox',
      options,
      async ({ query }) => {
        const limit = Math.min(200, Math.max(1, Number(query.limit) || 50))
        const mails = await listMails(read, limit + 1, query)
        const page = mails.slice(0, limit)
        return {
          data: await Promise.all(page.map(shown)),
          next_cursor: mails.length > limit ? (page.at(-1)?.id ?? null) : null,
        }
      },
    )

    server.get<{ Params: { id: string } }>('/playground/mailbox/:id', options, async ({ params }) =>
      shown(await found(read, params.id)),
    )

    server.get<{ Params: { id: string } }>(
      '/playground/mailbox/:id/raw',
      options,
      async ({ params }, reply) => {
        const { raw } = await found(read, params.id)
        // Plain text that no browser takes for a page: it was written by strangers.
        reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
        return reply.send(Buffer.from(raw))
      },
    )
  }

async function found(read: Read, id: string): Promise<MailboxMail> {
  const mail = await findMail(read, id)
  if (mail === undefined) throw new Problem('not_found', 'There is no such mail in the mailbox.')
  return mail
}

async function shown(mail: MailboxMail): Promise<object> {
  const content = await readContent(Buffer.from(mail.raw))
  return {
    id: mail.id,
    received_at: new Date(mail.received_at).toISOString(),
    mail_from: mail.mail_from,
    rcpt_to: mail.rcpt_to,
    tls: mail.tls,
    size: mail.raw.length,
    ...content,
    raw_url: `/playground/mailbox/${mail.id}/raw`,
  }
}

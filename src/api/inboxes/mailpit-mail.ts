// Opens the mail and the file that a request in the form of Mailpit names.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenedMail } from '../../inboxes/inbox-mails.ts'
import { mailIdOf } from '../../inboxes/mailpit.ts'
import { parseQuery } from '../../inboxes/search.ts'
import { type Compatible, inboxOf, pageNotFound } from './compatible.ts'

export type Query = Readonly<Record<string, string | undefined>>

/** Returns the parameters of the query that occur once. */
export const queryIn = ({ query }: FastifyRequest): Query =>
  Object.fromEntries(Object.entries(query as object).map(([name, value]) => [name, String(value)]))

/** Returns the ID of the mail in the path; `latest` means the newest mail, or the newest match of `?query=`. */
async function mailOf({ mails }: Pick<Compatible, 'mails'>, request: FastifyRequest): Promise<string> {
  const { id = '' } = request.params as { readonly id?: string }
  if (id !== 'latest') return mailIdOf(id)
  const { query = '', tz } = queryIn(request)
  const found = await mails.first(inboxOf(request), parseQuery(query, tz))
  if (found === undefined) throw pageNotFound()
  return found
}

/** Returns the mail in the path with its content. Throws `not_found` if the inbox has no such mail. */
export async function openMail(
  compatible: Pick<Compatible, 'mails'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenedMail> {
  const id = await mailOf(compatible, request)
  const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
  const mail = await compatible.mails.open(inboxOf(request), id, admit, 'content')
  if (mail === undefined) throw pageNotFound()
  return mail
}

/** Returns the file in the path, which names its part by the number from 1. Throws `not_found` without such a file. */
export function fileOf(
  request: FastifyRequest,
  { content }: OpenedMail,
): OpenedMail['content']['attachments'][number] & { readonly content: Buffer } {
  const { part = '' } = request.params as { readonly part?: string }
  const file = content.attachments[Number(part) - 1]
  if (!/^\d{1,4}$/.test(part) || file?.content === undefined) throw pageNotFound()
  return { ...file, content: file.content }
}

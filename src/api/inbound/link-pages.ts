// GET /i/{inbound_id}/…: sends the raw form and the attachments of an inbound message to holders of a valid link.

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { disposition } from '../../http/content-disposition.ts'
import type { InboundPart } from '../../inbound/links.ts'
import type { InboundShowing } from '../../inbound/show.ts'
import { isId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'

interface OfLink {
  Params: { readonly inbound_id: string; readonly number?: string }
  Querystring: { readonly token?: string | readonly string[] }
}

const hidden = { schema: { hide: true } }

/** Adds the pages for links to inbound messages. The token of a link is checked before any query. */
export const inboundLinkPages =
  (showing: InboundShowing): FastifyPluginAsync =>
  async (server) => {
    const answer = async (
      request: FastifyRequest<OfLink>,
      reply: FastifyReply,
      part: InboundPart | undefined,
    ): Promise<FastifyReply> => {
      const { inbound_id: id } = request.params
      const { token } = request.query
      const isWhole = isId('inb', id) && part !== undefined && typeof token === 'string'
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const file = isWhole ? await showing.byLink(id, part, token, admit) : undefined
      if (file === undefined) {
        throw new Problem(
          'not_found',
          'This link is invalid or has expired; `GET /v1/inbound/{inbound_id}` returns a new link.',
        )
      }
      // The content is sent as a download that browsers do not display, because the sender of the message is not
      // trusted.
      return reply
        .type(part === 'raw' ? 'message/rfc822' : 'application/octet-stream')
        .header('content-disposition', disposition(file.filename))
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'private, no-store')
        .header('x-robots-tag', 'noindex')
        .send(file.content)
    }
    server.get<OfLink>('/i/:inbound_id/raw', hidden, (request, reply) => answer(request, reply, 'raw'))
    server.get<OfLink>('/i/:inbound_id/attachments/:number', hidden, (request, reply) => {
      const { number = '' } = request.params
      return answer(request, reply, /^(?:0|[1-9]\d{0,3})$/.test(number) ? Number(number) : undefined)
    })
  }

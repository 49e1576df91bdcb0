// GET /v1/messages/{message_id}: returns a message, also in raw form.

import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { InlineFile } from '../../lib/foreign-html.ts'
import { Problem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { findMessage, type Owner } from '../../store/messages/messages.ts'
import { requireScope, senderOfRequest } from '../caller.ts'
import { MessageView } from '../contract/message.ts'
import { defineRoute } from '../route.ts'
import { shownMessage } from './view.ts'

/** Content of a message as sent. Composing the stored content again produces the same bytes. */
interface ShownContent {
  readonly html: string | null
  readonly text: string | null
  /** True if the HTML or the text is truncated. */
  readonly incomplete: boolean
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Names and decoded sizes of all attachments. */
  readonly attachments: readonly {
    readonly filename: string | undefined
    readonly contentType: string
    readonly size: number
  }[]
  /** Size of the complete message as sent, in bytes. */
  readonly mailSize: number
  /** Files to which the HTML may refer by `cid:`; empty unless requested. */
  readonly files: readonly InlineFile[]
}

/** Reserves memory for a response of this size before the response is created. Throws if memory is short. */
type AdmitAnswer = (bytes: number) => Promise<void>

/** Composes a message for display; undefined if the owner has no message with this ID. */
export type ShowContent = (
  owner: Owner & { readonly domainName: string },
  messageId: string,
  admit: AdmitAnswer,
  withFiles?: boolean,
) => Promise<ShownContent | undefined>

/** Returns the bytes of a message as a list of buffers; undefined if the owner has no message with this ID. */
export type ShowRaw = (
  owner: Owner & { readonly domainName: string },
  messageId: string,
  admit: AdmitAnswer,
) => Promise<readonly Buffer[] | undefined>

const notFound = (): Problem => new Problem('not_found', 'There is no message with this ID.')
const params = Type.Object({ message_id: Type.String({ maxLength: 100 }) })

export const showMessage = (read: Read, showContent: ShowContent) =>
  defineRoute({
    method: 'GET',
    url: '/v1/messages/:message_id',
    schema: {
      tags: ['Messages'],
      summary: 'Retrieve a message',
      params,
      querystring: Type.Object(
        {
          include: Type.Optional(
            Type.Literal('content', {
              description: 'Adds html, text, headers and raw_url; requires the scope `content:read`',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      response: { 200: MessageView },
    },
    refusals: ['not_found', 'content_removed', 'validation_failed'],
    scope: 'messages:read',
    domains: 'one',
    async handler(request, reply) {
      const { message_id: id } = request.params
      if (request.query.include !== undefined) requireScope(request, 'content:read')
      const owner = senderOfRequest(request)
      const found = await reading(findMessage(read, owner, id))
      if (found === undefined) throw notFound()
      const view = await shownMessage(read, found)
      if (request.query.include === undefined) return view
      const content = await showContent(owner, id, (bytes) => request.holdAnswer(reply, bytes))
      if (content === undefined) throw notFound()
      const { html, text, headers, incomplete } = content
      return {
        ...view,
        html,
        text,
        content_incomplete: incomplete,
        headers: [...headers],
        raw_url: `/v1/messages/${id}/raw`,
      }
    },
  })

export const showRawMessage = (showRaw: ShowRaw) =>
  defineRoute({
    method: 'GET',
    url: '/v1/messages/:message_id/raw',
    schema: {
      tags: ['Messages'],
      summary: 'Retrieve a message as it is sent',
      description: 'Returns the complete message (RFC 5322) with its signatures.',
      params,
      produces: ['message/rfc822'],
    },
    refusals: ['not_found', 'content_removed'],
    scope: 'content:read',
    domains: 'one',
    async handler(request, reply) {
      const { message_id: id } = request.params
      const admit = (bytes: number): Promise<void> => request.holdAnswer(reply, bytes)
      const pieces = await showRaw(senderOfRequest(request), id, admit)
      if (pieces === undefined) throw notFound()
      // The message is sent as a download and never as a page, because its content is not trusted.
      reply
        .type('message/rfc822')
        .header('content-disposition', `attachment; filename="${id}.eml"`)
        .header('x-content-type-options', 'nosniff')
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      return reply.header('content-length', length).send(Readable.from(pieces, { objectMode: false }))
    },
  })

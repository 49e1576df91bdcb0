// GET /v1/messages: the messages of the key's domain, newest first.

import { type Static, Type } from 'typebox'
import { isId } from '../../lib/ids.ts'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import { listMessages as listStored } from '../../store/messages.ts'
import { type Read, reading } from '../../store/store.ts'
import { requireSendingKey, senderOfRequest } from '../authenticate.ts'
import { PageQuery } from '../contract/common.ts'
import { MessageList } from '../contract/message.ts'
import { nulProblems, readAddress, readTime } from '../filters.ts'
import { defineRoute } from '../route.ts'
import { messageSummary } from './view.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...MESSAGE_STATUSES])),
    recipient: Type.Optional(Type.String({ maxLength: 400, description: 'The whole address' })),
    tag: Type.Optional(Type.String({ maxLength: 64 })),
    stream: Type.Optional(Type.String({ maxLength: 64 })),
    subject: Type.Optional(Type.String({ maxLength: 200, description: 'Text anywhere in the subject' })),
    after: Type.Optional(Type.String({ description: 'Created at or after this time (RFC 3339)' })),
    before: Type.Optional(Type.String({ description: 'Created before this time (RFC 3339)' })),
  },
  { additionalProperties: false },
)

export const listMessages = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/messages',
    schema: {
      tags: ['Messages'],
      summary: 'List messages',
      querystring: Query,
      response: { 200: MessageList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    preValidation: requireSendingKey,
    async handler(request) {
      const query = request.query as Static<typeof Query>
      const limit = query.limit ?? 50
      if (query.cursor !== undefined && !isId('msg', query.cursor)) {
        throw new Problem(
          'malformed_request',
          'The cursor is not one that this list gave; leave it out to begin anew.',
        )
      }
      const problems = nulProblems(query)
      const filter = {
        status: query.status,
        tag: query.tag,
        stream: query.stream,
        subject: query.subject,
        recipient: readAddress('recipient', query.recipient, problems),
        after: readTime('after', query.after, problems),
        before: readTime('before', query.before, problems),
      }
      if (problems.length > 0) throw invalidFields(problems)
      const found = await reading(listStored(read, senderOfRequest(request), filter, limit + 1, query.cursor))
      const page = found.slice(0, limit)
      return {
        data: page.map(({ message, recipients }) => messageSummary(message, recipients)),
        next_cursor: found.length > limit ? (page.at(-1)?.message.id ?? null) : null,
      }
    },
  })

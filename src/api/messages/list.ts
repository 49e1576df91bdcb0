// GET /v1/messages: the messages of the key's domain, newest first.

import { type Static, Type } from 'typebox'
import { isId } from '../../lib/ids.ts'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { invalidFields } from '../../model/problem.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listMessages as listStored, type MessageFilter } from '../../store/search/message-search.ts'
import { senderOfRequest } from '../caller.ts'
import { PageQuery } from '../contract/common.ts'
import { MessageList } from '../contract/message.ts'
import { sendCsv, wantsCsv } from '../csv-answer.ts'
import { addressBeginning, nulProblems, readTime } from '../filters.ts'
import { wrongCursor } from '../page.ts'
import { rowsInTurn } from '../read-turns.ts'
import { defineRoute } from '../route.ts'
import { messagesAsCsv, recipientLines } from './message-csv.ts'
import { messageSummary } from './view.ts'

/** Conditions of a list of messages. */
const FILTER = {
  status: Type.Optional(Type.Enum([...MESSAGE_STATUSES])),
  recipient_status: Type.Optional(
    Type.Enum([...RECIPIENT_STATUSES], {
      description: 'Status of one recipient at least; `deferred` finds what will be tried again',
    }),
  ),
  recipient: Type.Optional(
    Type.String({
      maxLength: 400,
      description: 'The address of a recipient, or how it begins, in any case',
    }),
  ),
  tag: Type.Optional(Type.String({ maxLength: 64 })),
  stream: Type.Optional(Type.String({ maxLength: 64 })),
  subject: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of the subject (the first 16 count), each whole or how it begins',
    }),
  ),
  after: Type.Optional(Type.String({ description: 'Created at or after this time (RFC 3339)' })),
  before: Type.Optional(Type.String({ description: 'Created before this time (RFC 3339)' })),
}

const Query = Type.Object(
  {
    ...PageQuery,
    ...FILTER,
    format: Type.Optional(
      Type.Enum(['json', 'csv'], {
        description:
          'csv: one file with a line for each recipient of the newest 100,000 messages; also what `Accept: text/csv` asks for',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The query of a count. */
export const MessageFilterQuery = Type.Object(FILTER, { additionalProperties: false })

/** The filter that a query asks for. Throws `validation_failed`. */
export function readMessageFilter(query: Static<typeof MessageFilterQuery>): MessageFilter {
  const problems = nulProblems(query)
  const filter = {
    status: query.status,
    recipientStatus: query.recipient_status,
    tag: query.tag,
    stream: query.stream,
    subject: query.subject,
    recipient: query.recipient === undefined ? undefined : addressBeginning(query.recipient),
    after: readTime('after', query.after, problems),
    before: readTime('before', query.before, problems),
  }
  if (problems.length > 0) throw invalidFields(problems)
  return filter
}

export const listMessages = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: '/v1/messages',
    schema: {
      tags: ['Messages'],
      summary: 'List messages',
      description:
        'Newest first. A search through very many messages may answer with fewer than `limit`; a `next_cursor` continues it.',
      querystring: Query,
      produces: ['application/json', 'text/csv'],
      response: { 200: MessageList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    key: 'sending',
    async handler(request, reply) {
      const query = request.query
      if (query.cursor !== undefined && !isId('msg', query.cursor)) throw wrongCursor()
      const filter = readMessageFilter(query)
      const owner = senderOfRequest(request)
      if (wantsCsv(request, query.format)) {
        sendCsv(reply, 'messages.csv')
        return messagesAsCsv(rowsInTurn(owner.accountId, recipientLines(read, owner, filter)))
      }
      const { messages, next } = await reading(
        listStored(read, owner, filter, query.limit ?? 50, query.cursor),
      )
      return {
        data: messages.map(({ message, recipients }) => messageSummary(message, recipients)),
        next_cursor: next,
      }
    },
  })

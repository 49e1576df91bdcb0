// GET /v1/messages: returns the messages of the key's domains, newest first.

import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { sendCsv, wantsCsv } from '../../http/csv-answer.ts'
import { addressBeginning, nulProblems, readMetadata, readTime } from '../../http/filters.ts'
import { isId } from '../../lib/ids.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { allTags, MESSAGE_STATUSES } from '../../model/message.ts'
import { invalidFields } from '../../model/problem.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { LIMITS } from '../../model/send-request.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listAcceptedDetails } from '../../store/messages/messages.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { listMessages as listStored, type MessageFilter } from '../../store/search/message-search.ts'
import { writeCsv } from '../../tables/csv.ts'
import { METADATA_FILTER, PageQuery, withMetadata } from '../contract/common.ts'
import { MessageList } from '../contract/message.ts'
import { oneSenderOf } from '../domain-of-request.ts'
import { pageOfDomains } from '../domain-pages.ts'
import { rowsInTurn } from '../file-rows.ts'
import { defineRoute } from '../route.ts'
import { messageSummary } from './view.ts'

/** Query parameters that filter a list of messages. */
const FILTER = {
  status: Type.Optional(Type.Enum([...MESSAGE_STATUSES])),
  recipient_status: Type.Optional(
    Type.Enum([...RECIPIENT_STATUSES], {
      description: 'Status of at least one recipient; `deferred` finds messages that will be tried again',
    }),
  ),
  recipient: Type.Optional(
    Type.String({
      maxLength: 400,
      description: 'Address of a recipient or its beginning; case-insensitive',
    }),
  ),
  tag: Type.Optional(
    Type.String({ maxLength: LIMITS.tagsLength, description: 'One of the tags of the message' }),
  ),
  stream: Type.Optional(Type.String({ maxLength: 64 })),
  subject: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of the subject or their beginnings; only the first 16 words count',
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
          'csv: one file with a line for each recipient of the newest 100,000 messages; `Accept: text/csv` has the same effect',
      }),
    ),
  },
  withMetadata,
)

/** Query parameters for counting messages. */
export const MessageFilterQuery = Type.Object(FILTER, withMetadata)

/** Returns the message filter of a query. Throws `validation_failed`. */
export function readMessageFilter(query: Static<typeof MessageFilterQuery>): MessageFilter {
  const problems = nulProblems(query)
  const filter = {
    status: query.status,
    recipientStatus: query.recipient_status,
    tag: query.tag,
    stream: query.stream,
    metadata: readMetadata(query, problems),
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
      description: `Returns messages, newest first. ${METADATA_FILTER} A search through very many messages may return fewer than \`limit\` messages; continue with \`next_cursor\`.`,
      querystring: Query,
      produces: ['application/json', 'text/csv'],
      response: { 200: MessageList },
    },
    refusals: ['malformed_request', 'validation_failed'],
    scope: 'messages:read',
    domains: 'all',
    async handler(request, reply) {
      const query = request.query
      const filter = readMessageFilter(query)
      if (wantsCsv(request, query.format)) {
        const owner = oneSenderOf(request)
        sendCsv(reply, 'messages.csv')
        return messagesAsCsv(rowsInTurn(owner.accountId, recipientLines(read, owner, filter)))
      }
      return pageOfDomains(request, query, {
        isCursor: (cursor) => isId('msg', cursor),
        async find(owner, limit, cursor) {
          const { messages, next } = await reading(listStored(read, owner, filter, limit, cursor))
          const ids = messages.map(({ message }) => message.id)
          const accepted = await reading(listAcceptedDetails(read, owner, ids))
          const rows = messages.map((row) => ({ ...row, accepted: accepted.get(row.message.id) }))
          return { rows, next }
        },
        idOf: ({ message }) => message.id,
        view: ({ message, recipients, accepted }) => messageSummary(message, recipients, accepted),
      })
    },
  })

const PAGE = 200
/** Maximum number of messages in one CSV file; clients can select older messages with a time filter. */
const MAX_EXPORTED = 100_000

const COLUMNS = [
  ...['message_id', 'created_at', 'status', 'email', 'name', 'role', 'recipient_status', 'last_event_at'],
  ...['smtp_code', 'smtp_response', 'mx', 'from', 'subject', 'stream', 'tag', 'tags'],
]

/** Yields the recipients of the messages that match a filter, beginning with the newest message. */
async function* recipientLines(read: Read, owner: Owner, filter: MessageFilter): AsyncGenerator<object> {
  let count = 0
  for (let cursor: string | undefined; count < MAX_EXPORTED; ) {
    const { messages, next } = await listStored(read, owner, filter, PAGE, cursor)
    for (const { message, recipients } of messages) {
      for (const one of recipients) {
        yield {
          message_id: message.id,
          created_at: formatTime(message.created_at),
          status: message.status,
          ...{ email: one.email, name: one.name, role: one.role, recipient_status: one.status },
          last_event_at: formatTime(one.last_event_at),
          ...{ smtp_code: one.smtp_code, smtp_response: one.smtp_response, mx: one.mx },
          ...{ from: message.from_email, subject: message.subject, stream: message.stream, tag: message.tag },
          tags: allTags(message).join(', '),
        }
      }
    }
    count += messages.length
    if (next === null) return
    cursor = next
  }
}

const messagesAsCsv = (lines: AsyncIterable<object>): Readable => writeCsv(COLUMNS, lines)

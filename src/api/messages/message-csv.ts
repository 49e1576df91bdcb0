// Messages as CSV: a line for each recipient.

import type { Readable } from 'node:stream'
import { formatTime } from '../../lib/rfc3339.ts'
import type { Read } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { listMessages, type MessageFilter } from '../../store/search/message-search.ts'
import { writeCsv } from '../../tables/csv.ts'

const PAGE = 200
/** Messages of one file; a filter by time gives those before. */
const MAX_EXPORTED = 100_000

const COLUMNS = [
  ...['message_id', 'created_at', 'status', 'email', 'name', 'role', 'recipient_status', 'last_event_at'],
  ...['smtp_code', 'smtp_response', 'mx', 'from', 'subject', 'stream', 'tag'],
]

/** The recipients of the messages that a filter finds, newest messages first. */
export async function* recipientLines(
  read: Read,
  owner: Owner,
  filter: MessageFilter,
): AsyncGenerator<object> {
  let count = 0
  for (let cursor: string | undefined; count < MAX_EXPORTED; ) {
    const { messages, next } = await listMessages(read, owner, filter, PAGE, cursor)
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
        }
      }
    }
    count += messages.length
    if (next === null) return
    cursor = next
  }
}

export const messagesAsCsv = (lines: AsyncIterable<object>): Readable => writeCsv(COLUMNS, lines)

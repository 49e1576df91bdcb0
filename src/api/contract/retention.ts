// Shapes of the retention settings of domains and streams in the API.

import { Type } from 'typebox'
import { MAX_RETENTION_DAYS } from '../../model/retention.ts'

const days = (kept: string) =>
  Type.Union([Type.Integer({ minimum: 1, maximum: MAX_RETENTION_DAYS }), Type.Null()], {
    description: `a number of days, at least 1, to keep ${kept}, or null for the value of the level above, which is also the maximum`,
  })

const fields = {
  content_retention_days: days('contents of messages'),
  transcript_retention_days: days('SMTP dialogs of attempts'),
  record_retention_days: days('messages with their recipients, attempts and events'),
}

/** Retention fields of a response. */
export const retentionView = fields

/** Retention fields of a request; omitted fields stay unchanged. */
export const retentionFields = {
  content_retention_days: Type.Optional(fields.content_retention_days),
  transcript_retention_days: Type.Optional(fields.transcript_retention_days),
  record_retention_days: Type.Optional(fields.record_retention_days),
}

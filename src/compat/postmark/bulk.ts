// Postmark's bulk sending.

import type { Static } from 'typebox'
import type { BulkView } from '../../api/contract/bulk.ts'
import { BodyBytes } from '../../http/body-rule.ts'
import { timeOfId, uuidOfId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { inFields } from './email.ts'
import { MESSAGE_FIELDS, readMessage } from './message.ts'
import { orMissing, uuidIn } from './objects.ts'
import { TemplateChoices } from './template-choice.ts'
import { timeText } from './times.ts'

const noun = 'Bulk sending'
const BULK = new FieldNames(...MESSAGE_FIELDS, 'Messages')
const ROW = new FieldNames('To', 'Cc', 'Bcc', 'TemplateModel', 'Metadata', 'Headers')
const MISSING_BULK = new Problem('not_found', 'There is no bulk request with this ID.')

export const bulkCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/email/bulk', noun, scope: 'messages:send', once: 'handler' },
    body: { maxBytes: 50 * 1_048_576, problems: 'handler' },
    summary: 'Send one message to many',
    state: 'differs',
    differences:
      'Each entry of `Messages` has one recipient in `To`; `Cc`, `Bcc` and `Headers` of an entry are refused.',
    handler: sendBulk,
  },
  {
    ...{ method: 'GET', path: '/email/bulk/:id', noun, scope: 'messages:read' },
    summary: 'Read the progress of a bulk',
    state: 'served',
    handler: showBulk,
  },
]

async function sendBulk(translation: Translation): Promise<object> {
  const { reading } = translation
  const fields = translation.body(BULK)
  const { to: _, ...message } = readMessage(fields, reading)
  const template = await new TemplateChoices(translation).of(fields, reading)
  const rows = fields.objects('Messages', ROW).map((row) => readRow(translation, row))
  if (rows.length === 0) reading.wrong('Messages', 'too_few', 'Give at least one message.')
  translation.check()
  const lines = [{ ...message, ...template }, ...rows].map((line) => `${JSON.stringify(line)}\n`)
  try {
    const { body } = await translation.v1<{ readonly bulk_id: string }>('bulk.create', {
      body: new BodyBytes(Buffer.from(lines.join(''))),
    })
    const { bulk_id: id } = body
    return { Id: uuidOfId(id), Status: 'Accepted', SubmittedAt: timeText(timeOfId(id)) }
  } catch (error) {
    throw inFields(error, { ...message, to: [] })
  }
}

/** Returns a row of the bulk; what a row cannot have is refused. */
function readRow({ reading }: Translation, row: Fields): object {
  for (const name of ['Cc', 'Bcc', 'Headers'] as const) {
    if (row.has(name)) reading.refuse(row.at(name), `An entry of a bulk has no ${name}; use /email/batch.`)
  }
  const [to, ...others] = readMailboxes(row.text('To') ?? '')
  if (to === undefined || others.length > 0) {
    reading.wrong(row.at('To'), 'invalid_email', 'Give one recipient in each entry.')
  }
  const [model, metadata] = [row.model('TemplateModel'), row.texts('Metadata')]
  return {
    to,
    ...(model === undefined ? {} : { template_model: model }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

async function showBulk(translation: Translation): Promise<object> {
  const bulk_id = uuidIn(translation, 'blk', MISSING_BULK)
  const shown = translation.v1<Static<typeof BulkView>>('bulk.get', { params: { bulk_id } })
  const { body } = await orMissing(MISSING_BULK, shown)
  const { total, accepted, refused, status, subject } = body
  const isEnded = accepted + refused === total
  return {
    Id: uuidOfId(bulk_id),
    Status:
      status === 'cancelled' || status === 'cancelling'
        ? 'Failed'
        : isEnded
          ? 'Completed'
          : accepted + refused === 0
            ? 'Accepted'
            : 'Processing',
    SubmittedAt: timeText(timeOfId(bulk_id)),
    TotalMessages: total,
    PercentageCompleted: total === 0 ? 100 : Math.floor(((accepted + refused) / total) * 100) / 100,
    Subject: subject ?? '',
  }
}

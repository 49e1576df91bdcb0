// Postmark's suppressions of a message stream.

import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { callerOf } from '../../api/caller.ts'
import type { Added, Removed, SuppressionView } from '../../api/contract/suppression.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { VendorCall } from '../declaration.ts'
import { rowsOf } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, orMissing } from './objects.ts'
import { RANGE, readRange } from './paging.ts'
import { streamIn } from './streams.ts'
import { timeOf } from './times.ts'

const noun = 'Suppressions'
const PATH = '/message-streams/:stream/suppressions'
const DUMP = new FieldNames(...RANGE, 'SuppressionReason', 'Origin', 'EmailAddress')
const LIST = new FieldNames('Suppressions')
const ENTRY = new FieldNames('EmailAddress')
const REASONS = ['HardBounce', 'SpamComplaint', 'ManualSuppression'] as const
const ORIGINS = ['Recipient', 'Customer', 'Admin'] as const
/** Maximum number of addresses in a request. */
const MAX_ENTRIES = 50

type Reason = (typeof REASONS)[number]

/** Postmark's name of each reason for a suppression; unsubscribing and manual entries have the same name. */
const REASON_OF: Readonly<Record<SuppressionReason, Reason>> = {
  hard_bounce: 'HardBounce',
  complaint: 'SpamComplaint',
  unsubscribe: 'ManualSuppression',
  manual: 'ManualSuppression',
}

export const suppressionCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: `${PATH}/dump`, noun, scope: 'suppressions:read' },
    summary: 'Read all suppressions of a stream',
    state: 'served',
    handler: dump,
  },
  {
    ...{ method: 'POST', path: PATH, noun, scope: 'suppressions:write' },
    summary: 'Suppress up to 50 addresses',
    state: 'served',
    handler: addSuppressions,
  },
  {
    ...{ method: 'POST', path: `${PATH}/delete`, noun, scope: 'suppressions:write' },
    summary: 'Remove up to 50 suppressions',
    state: 'served',
    handler: removeSuppressions,
  },
]

type Suppression = Static<typeof SuppressionView>

async function dump(translation: Translation): Promise<Readable> {
  const fields = translation.query(DUMP)
  const reason = fields.word('SuppressionReason', REASONS)
  const origin = fields.word('Origin', ORIGINS)
  const email = fields.text('EmailAddress')
  const stream = streamIn(translation, 'stream')
  const query = {
    stream,
    ...readRange(fields, translation.reading),
    ...(origin === undefined ? {} : { origin: origin === 'Recipient' ? 'recipient' : 'customer' }),
    ...(email === undefined ? {} : { email }),
  }
  await requireStream(translation, stream)
  const isWanted = (row: Suppression): boolean =>
    // Nothing is suppressed by Postmark's own staff.
    origin !== 'Admin' &&
    (reason === undefined || REASON_OF[row.reason] === reason) &&
    (email === undefined || row.email.toLowerCase() === email.toLowerCase())
  translation.reply.type('application/json; charset=utf-8')
  return Readable.from(textOf(rowsOf<Suppression>(translation, 'suppressions.list', query), isWanted))
}

/** Yields the pieces of the answer, which may have any number of rows. */
async function* textOf(
  rows: AsyncIterable<Suppression>,
  isWanted: (row: Suppression) => boolean,
): AsyncGenerator<string> {
  yield '{"Suppressions":['
  let isFirst = true
  for await (const row of rows) {
    if (!isWanted(row)) continue
    yield `${isFirst ? '' : ','}${JSON.stringify(viewOf(row))}`
    isFirst = false
  }
  yield ']}'
}

const viewOf = ({ email, reason, origin, created_at }: Suppression): object => ({
  EmailAddress: email,
  SuppressionReason: REASON_OF[reason],
  Origin: origin === 'recipient' ? 'Recipient' : 'Customer',
  CreatedAt: timeOf(created_at),
})

const requireStream = (translation: Translation, alias: string): Promise<unknown> =>
  orMissing(MISSING.stream, translation.v1('streams.get', { params: { alias } }))

/** Result for one address. */
interface Status {
  readonly EmailAddress: string
  readonly Status: 'Suppressed' | 'Deleted' | 'Failed'
  readonly Message: string | null
}

/** Returns the addresses of a request. */
function readEntries(translation: Translation): readonly string[] {
  const entries: Fields[] = translation.body(LIST).objects('Suppressions', ENTRY)
  if (entries.length === 0 || entries.length > MAX_ENTRIES) {
    const message = `Give 1 to ${MAX_ENTRIES} addresses.`
    translation.reading.wrong('Suppressions', entries.length === 0 ? 'too_few' : 'too_many', message)
  }
  return entries.map((entry) => entry.text('EmailAddress') ?? '')
}

/** Returns the sentences about invalid entries, by the index of the entry. */
const wrongEntries = (problems: Static<typeof Added>['problems']): ReadonlyMap<number, string> =>
  new Map(problems.map(({ path, message }) => [Number(/\d+/.exec(path)?.[0] ?? -1), message]))

async function addSuppressions(translation: Translation): Promise<object> {
  const emails = readEntries(translation)
  const stream = streamIn(translation, 'stream')
  await requireStream(translation, stream)
  const suppressions = emails.map((email) => ({ email, stream }))
  const { body } = await translation.v1<Static<typeof Added>>('suppressions.add', { body: { suppressions } })
  const wrong = wrongEntries(body.problems)
  return {
    Suppressions: emails.map((email, index): Status => {
      const message = wrong.get(index)
      return message === undefined
        ? { EmailAddress: email, Status: 'Suppressed', Message: null }
        : { EmailAddress: email, Status: 'Failed', Message: message }
    }),
  }
}

async function removeSuppressions(translation: Translation): Promise<object> {
  const emails = readEntries(translation)
  const stream = streamIn(translation, 'stream')
  await requireStream(translation, stream)
  const suppressions = emails.map((email) => ({ email, stream }))
  const { body } = await translation.v1<Static<typeof Removed>>('suppressions.removeMany', {
    body: { suppressions },
  })
  const wrong = wrongEntries(body.problems)
  const statuses: Status[] = []
  for (const [index, email] of emails.entries()) {
    const isKept =
      body.complaints_kept > 0 && !wrong.has(index) && (await isListed(translation, email, stream))
    const message = isKept ? COMPLAINED : wrong.get(index)
    statuses.push(
      message === undefined
        ? { EmailAddress: email, Status: 'Deleted', Message: null }
        : { EmailAddress: email, Status: 'Failed', Message: message },
    )
  }
  return { Suppressions: statuses }
}

const COMPLAINED = 'The recipient complained about this mail; the suppression stays.'

/** True if an address is still suppressed in a stream. */
async function isListed(translation: Translation, email: string, stream: string): Promise<boolean> {
  if (!callerOf(translation.request).scopes.has('suppressions:read')) return false
  for await (const row of rowsOf<Suppression>(translation, 'suppressions.list', { email, stream })) {
    if (row.email.toLowerCase() === email.trim().toLowerCase()) return true
  }
  return false
}

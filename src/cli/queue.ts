// postrider queue: lists, retries, cancels, pauses and resumes queued mail.

import { formatTime } from '../lib/rfc3339.ts'
import { wholeTranscript } from '../model/attempt-transcript.ts'
import { heldView } from '../model/held.ts'
import { type HoldKind, MAX_NOTE_LENGTH, type PauseKind } from '../model/queue-state.ts'
import { inspectedDocument } from '../operator/inspected-document.ts'
import { type Held, type Paused, QueueControl } from '../operator/queue.ts'
import type { InspectedMessage } from '../store/queue/queue-control.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { UsageError } from './parse.ts'
import { counted, fields, printable, table } from './text.ts'
import { shortTime } from './times.ts'

const MAX_LINES = 200

const withQueue = <T>(context: Context, work: (queue: QueueControl) => Promise<T>): Promise<T> =>
  withStore(context, ({ store, clock }) => work(new QueueControl(store, clock)))

export function list(context: Context, { limit }: { readonly limit: number | undefined }): Promise<Answer> {
  return withQueue(context, async (queue) => {
    const [lines, pauses] = await Promise.all([queue.list(limit ?? MAX_LINES), queue.pauses()])
    const rows = lines.map((line) => [
      line.destination,
      line.recipients,
      line.nextAttemptAt === null ? 'held' : shortTime(line.nextAttemptAt),
      line.oldestMessageId,
    ])
    const paused = pauses.map((one) => [one.kind, one.value, shortTime(one.created_at), one.note ?? '-'])
    const waiting = table(
      ['destination', 'recipients', 'next attempt', 'oldest message'],
      rows,
      'The queue is empty.',
    )
    return {
      document: {
        data: lines.map((line) => ({
          destination: line.destination,
          recipients: line.recipients,
          held: line.held,
          next_attempt_at: formatTime(line.nextAttemptAt),
          oldest_message_id: line.oldestMessageId,
        })),
        paused: pauses.map(({ created_at, ...pause }) => ({ ...pause, created_at: formatTime(created_at) })),
      },
      text:
        pauses.length === 0
          ? waiting
          : `${waiting}\n\n${table(['paused', 'value', 'since', 'note'], paused, '')}`,
    }
  })
}

export function show(context: Context, { message: id }: { readonly message: string }): Promise<Answer> {
  return withQueue(context, async (queue) => {
    const found = await queue.show(id)
    return { document: inspectedDocument(found), text: inspectedPage(found) }
  })
}

/** Inputs of `queue retry` and `queue cancel`; conditions are combined with "and". */
export interface Given {
  readonly message: string | undefined
  readonly destination: string | undefined
  readonly stream: string | undefined
  readonly domain: string | undefined
  readonly restored: string | undefined
  readonly all: boolean
}

/** Makes the selected recipients due immediately, or cancels the recipients. An attempt in progress is not affected. */
export function act(context: Context, action: 'retry' | 'cancel', given: Given): Promise<Answer> {
  requireSelection(action, given)
  return withQueue(context, async (queue) => {
    const recipients = await queue.act(action, given)
    const done = action === 'retry' ? 'due now' : 'cancelled'
    const pauses = action === 'retry' ? await queue.pauses() : []
    const hint =
      pauses.length > 0 ? '\nPaused queues stay held; `postrider queue list` shows the pauses.' : ''
    return {
      document: { recipients },
      text: `${counted(recipients, 'recipient')} ${recipients === 1 ? 'is' : 'are'} ${done}.${hint}`,
    }
  })
}

/**
 * Throws if no recipients are selected and `--all` is missing, so that a missing selection never means the whole queue.
 */
function requireSelection(action: string, { all, ...selected }: Given): void {
  const narrowed = Object.values(selected).some((one) => one !== undefined)
  if (narrowed !== all) return
  throw new UsageError(
    all
      ? '--all cannot be combined with a selection'
      : 'Give a selection: a message ID, --destination, --stream, --domain, --restored, or --all',
    `queue ${action}`,
  )
}

/** Inputs of `queue pause`; a command line has exactly one of these inputs. */
export type Pausable = Readonly<Record<PauseKind, string | undefined>>

/** Input of `queue pause` for other operators. */
interface Noted {
  readonly note: string | undefined
}

/** Inputs of `queue resume`; a command line has exactly one of these inputs. */
export type Resumable = Readonly<Record<HoldKind, string | undefined>>

export function pause(context: Context, { note, ...given }: Pausable & Noted): Promise<Answer> {
  if (note !== undefined && note.length > MAX_NOTE_LENGTH) {
    throw new UsageError(`--note takes at most ${MAX_NOTE_LENGTH} characters`, 'queue pause')
  }
  const held = { ...onlyOne('pause', given), note } as Paused
  return withQueue(context, async (queue) => {
    const { kind, value, changed } = await queue.pause(held)
    return {
      document: { kind, value, paused: true },
      text: changed
        ? `The ${kind} ${value} is paused: attempts in progress end, and no new attempts begin; messages are accepted as before.\nResume it with: postrider queue resume --${kind} ${value}`
        : `The ${kind} ${value} was already paused${note === undefined ? '' : '; its note is changed'}.`,
    }
  })
}

export function resume(context: Context, given: Resumable): Promise<Answer> {
  const held = onlyOne('resume', given)
  return withQueue(context, async (queue) => {
    const { kind, value } = await queue.resume(held)
    return {
      document: { kind, value, paused: false },
      text:
        kind === 'restored'
          ? `The messages held by the restore at ${value} are being sent.`
          : `The ${kind} ${value} is resumed.`,
    }
  })
}

function onlyOne(action: string, kinds: Partial<Resumable>): Held {
  const { destination, stream, domain, restored } = kinds
  const given = Object.entries({ destination, stream, domain, restored }).filter(
    (pair): pair is [HoldKind, string] => pair[1] !== undefined,
  )
  const [only] = given
  if (only !== undefined && given.length === 1) return { kind: only[0], value: only[1] }
  const words = action === 'pause' ? '--stream and --domain' : '--stream, --domain and --restored'
  throw new UsageError(`Give one of --destination, ${words}`, `queue ${action}`)
}

type Attempt = InspectedMessage['attempts'][number]

function inspectedPage({ message, recipients, attempts }: InspectedMessage): string {
  const rows = recipients.map((recipient) => [
    recipient.email,
    recipient.status,
    recipient.attempts,
    recipient.held === null ? shortTime(recipient.next_attempt_at) : 'held',
    recipient.smtp_code === null ? '-' : `${recipient.smtp_code} ${recipient.smtp_response ?? ''}`.trim(),
  ])
  const emails = new Map(recipients.map((recipient) => [recipient.position, recipient.email]))
  return [
    fields([
      ['Message', message.id],
      ['Status', message.status],
      ['From', message.from_email],
      ['Subject', message.subject],
      ['Stream', message.stream],
      ['Size', `${message.size} bytes`],
      ['Accepted', shortTime(message.created_at)],
    ]),
    table(
      ['recipient', 'status', 'attempts', 'next attempt', 'last answer'],
      rows,
      'The message has no recipients.',
    ),
    ...heldLines(recipients),
    ...attempts.map((attempt) => attemptBlock(attempt, emails.get(attempt.position) ?? '')),
  ].join('\n\n')
}

/** Returns one paragraph for each cause that holds recipients of a message. */
function heldLines(recipients: InspectedMessage['recipients']): string[] {
  const lines = recipients.flatMap(({ held }) => {
    if (held === null) return []
    const note = held.note === null ? '' : ` Note: ${printable(held.note)}`
    return [`Held since ${shortTime(held.since)}: ${heldView(held).reason}${note}`]
  })
  return [...new Set(lines)]
}

function attemptBlock(attempt: Attempt, email: string): string {
  const host =
    attempt.mx === null ? '' : ` at ${attempt.mx}${attempt.address === null ? '' : ` [${attempt.address}]`}`
  const how = `${attempt.duration_ms} ms${attempt.tls === null ? '' : `, ${attempt.tls}`}`
  const head = `Attempt ${attempt.number} for ${email}${host}, ${shortTime(attempt.started_at)} (${how}): ${attempt.status}`
  const dialog = wholeTranscript(attempt).trimEnd()
  return [
    printable(head),
    ...(attempt.reason === '' ? [] : [`  ${printable(attempt.reason)}`]),
    ...(dialog === '' ? [] : dialog.split(/\r?\n/).map((line) => `  ${printable(line)}`)),
  ].join('\n')
}

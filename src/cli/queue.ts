// postrider queue: lists, retries, cancels, pauses and resumes queued mail.

import { type HoldKind, MAX_NOTE_LENGTH, type PauseKind } from '../model/queue-state.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withInstallation } from './open.ts'
import { UsageError } from './parse.ts'
import { type Inspected, inspectedPage } from './queued-message.ts'
import { counted, table } from './text.ts'
import { shortDate } from './times.ts'

const MAX_LINES = 200

const PATH = '/v1/operator/queue'

/** The queue of an installation, by destination. */
interface Queue {
  readonly data: readonly {
    readonly destination: string
    readonly recipients: number
    readonly next_attempt_at: string | null
    readonly oldest_message_id: string
  }[]
  readonly paused: readonly {
    readonly kind: string
    readonly value: string
    readonly created_at: string
    readonly note: string | null
  }[]
  readonly next_cursor: string | null
}

export function list(
  context: Context,
  { limit = MAX_LINES }: { readonly limit: number | undefined },
): Promise<Answer> {
  return withInstallation(context, async (api) => {
    const lines = await api.list<Queue['data'][number]>(PATH, {}, limit)
    const { paused } = await api.get<Queue>(PATH, { limit: 1 })
    const rows = lines.map((line) => [
      line.destination,
      line.recipients,
      line.next_attempt_at === null ? 'held' : shortDate(line.next_attempt_at),
      line.oldest_message_id,
    ])
    const waiting = table(
      ['destination', 'recipients', 'next attempt', 'oldest message'],
      rows,
      'The queue is empty.',
    )
    const pauses = paused.map((one) => [one.kind, one.value, shortDate(one.created_at), one.note ?? '-'])
    const shown = table(['paused', 'value', 'since', 'note'], pauses, '')
    return {
      document: { data: lines, paused },
      text: shown === '' ? waiting : `${waiting}\n\n${shown}`,
    }
  })
}

export function show(context: Context, { message: id }: { readonly message: string }): Promise<Answer> {
  return withInstallation(context, async (api) => {
    const found = await api.get<Inspected>(pathOf`/v1/operator/queue/messages/${id}`)
    return { document: found, text: inspectedPage(found) }
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
  const { message, all, ...rest } = given
  const selection = {
    ...(all ? { all } : {}),
    ...(message === undefined ? {} : { message_id: message }),
    ...rest,
  }
  return withInstallation(context, async (api) => {
    const { recipients } = await api.post<{ readonly recipients: number }>(`${PATH}/${action}`, selection)
    const done = action === 'retry' ? 'due now' : 'cancelled'
    const hint =
      action === 'retry' && (await api.get<Queue>(PATH, { limit: 1 })).paused.length > 0
        ? '\nPaused queues stay held; `postrider queue list` shows the pauses.'
        : ''
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
  const held = onlyOne('pause', given)
  return withInstallation(context, async (api) => {
    const { paused: before } = await api.get<Queue>(PATH, { limit: 1 })
    const paused = await api.post<Held>(`${PATH}/pause`, { [held.kind]: held.value, note })
    const { kind, value } = paused
    const isNew = !before.some((one) => one.kind === kind && one.value === value)
    return {
      document: paused,
      text: isNew
        ? `The ${kind} ${value} is paused: attempts in progress end, and no new attempts begin; messages are accepted as before.\nResume it with: postrider queue resume --${kind} ${value}`
        : `The ${kind} ${value} was already paused${note === undefined ? '' : '; its note is changed'}.`,
    }
  })
}

/** Destination, stream or domain that is paused or was paused. */
interface Held {
  readonly kind: HoldKind
  readonly value: string
}

export function resume(context: Context, given: Resumable): Promise<Answer> {
  const held = onlyOne('resume', given)
  return withInstallation(context, async (api) => {
    const resumed = await api.post<Held>(`${PATH}/resume`, { [held.kind]: held.value })
    const { kind, value } = resumed
    return {
      document: resumed,
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

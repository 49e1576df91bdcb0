// postrider queue: look at what waits, try it again at once, give it up, hold it back.

import { domainName } from '../domains/domains.ts'
import type { PauseKind } from '../model/lane.ts'
import { Problem } from '../model/problem.ts'
import { listAccounts } from '../store/accounts.ts'
import { findDomain } from '../store/domains.ts'
import {
  inspectMessage,
  listPauses,
  OPERATOR_BATCH,
  type QueueSelection,
  summariseQueue,
} from '../store/queue-control.ts'
import type { Read } from '../store/store.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { UsageError } from './parse.ts'
import { inspectedDocument, inspectedPage } from './queue-message-page.ts'
import { counted, table } from './text.ts'
import { shortTime, time } from './times.ts'

const MOST_LINES = 200

export function list(context: Context, { limit }: { readonly limit: number | undefined }): Promise<Answer> {
  return withStore(context, async ({ store }) => {
    const [lines, pauses] = await Promise.all([
      summariseQueue(store.read, limit ?? MOST_LINES),
      listPauses(store.read),
    ])
    const held = new Set(pauses.filter((one) => one.kind === 'destination').map((one) => one.value))
    const rows = lines.map((line) => [
      line.destination,
      line.recipients,
      held.has(line.destination) ? 'paused' : shortTime(line.nextAttemptAt),
      line.oldestMessageId,
    ])
    const paused = pauses.map((one) => [one.kind, one.value, shortTime(one.created_at)])
    const waiting = table(
      ['destination', 'recipients', 'next attempt', 'oldest message'],
      rows,
      'Nothing is waiting.',
    )
    return {
      document: {
        data: lines.map((line) => ({
          destination: line.destination,
          recipients: line.recipients,
          next_attempt_at: time(line.nextAttemptAt),
          oldest_message_id: line.oldestMessageId,
        })),
        paused: pauses.map(({ kind, value, created_at }) => ({ kind, value, created_at: time(created_at) })),
      },
      text:
        pauses.length === 0 ? waiting : `${waiting}\n\n${table(['paused', 'value', 'since'], paused, '')}`,
    }
  })
}

export function show(context: Context, { message: id }: { readonly message: string }): Promise<Answer> {
  return withStore(context, async ({ store }) => {
    const found = await inspectMessage(store.read, id)
    if (found === undefined) throw noMessage(id)
    return { document: inspectedDocument(found), text: inspectedPage(found) }
  })
}

const noMessage = (id: string): Problem =>
  new Problem('not_found', `There is no message ${JSON.stringify(id)}.`)

/** What `queue retry` and `queue cancel` were given; together they narrow. */
export interface Selected {
  readonly message: string | undefined
  readonly destination: string | undefined
  readonly domain: string | undefined
  readonly all: boolean
}

/** Makes what was selected due at once, or ends it as cancelled. What is in an attempt just now is left alone. */
export function act(context: Context, action: 'retry' | 'cancel', selected: Selected): Promise<Answer> {
  requireSelection(action, selected)
  return withStore(context, async ({ store, clock }) => {
    const selection = await selectionOf(store.read, selected)
    const write = action === 'retry' ? 'retryRecipients' : 'cancelRecipients'
    const now = clock.now()
    let recipients = 0
    for (let done = OPERATOR_BATCH; done === OPERATOR_BATCH; recipients += done) {
      done = await store.write(write, { selection, by: 'operator', now })
    }
    if (recipients === 0 && selected.message !== undefined) {
      throw new Problem(
        'conflict',
        `Nothing of ${selected.message} is waiting: it is final, or in an attempt just now; \`postrider queue show ${selected.message}\` tells.`,
      )
    }
    const done = action === 'retry' ? 'due now' : 'cancelled'
    const pauses = action === 'retry' ? await listPauses(store.read) : []
    const hint =
      pauses.length > 0 ? '\nWhat is paused stays held back; `postrider queue list` shows what is.' : ''
    return {
      document: { recipients },
      text: `${counted(recipients, 'recipient')} ${recipients === 1 ? 'is' : 'are'} ${done}.${hint}`,
    }
  })
}

/** Nothing happens to the whole queue by leaving a word out. */
function requireSelection(action: string, { message, destination, domain, all }: Selected): void {
  const narrowed = [message, destination, domain].some((one) => one !== undefined)
  if (narrowed !== all) return
  throw new UsageError(
    all
      ? '--all does not go with a message, --destination or --domain'
      : 'Say what is meant: a message ID, --destination, --domain, or --all',
    `queue ${action}`,
  )
}

async function selectionOf(read: Read, selected: Selected): Promise<QueueSelection> {
  const { message, destination, domain } = selected
  if (message !== undefined && (await inspectMessage(read, message)) === undefined) throw noMessage(message)
  return {
    messageId: message,
    destination: destination === undefined ? undefined : domainName(destination),
    domainName: domain === undefined ? undefined : await knownDomain(read, domain),
  }
}

/** The name of a sending domain of whichever account. A mistyped one must not look like an empty queue. */
async function knownDomain(read: Read, given: string): Promise<string> {
  const name = domainName(given)
  for (const account of await listAccounts(read)) {
    if ((await findDomain(read, account.id, name)) !== undefined) return name
  }
  throw new Problem('not_found', `No account has the domain ${name}.`)
}

/** What `queue pause` and `queue resume` were given: one of the three. */
export interface Held {
  readonly destination: string | undefined
  readonly stream: string | undefined
  readonly domain: string | undefined
}

export function pause(context: Context, held: Held): Promise<Answer> {
  const [kind, given] = onlyOne('pause', held)
  return withStore(context, async ({ store, clock }) => {
    const value = kind === 'domain' ? await knownDomain(store.read, given) : pauseValue(kind, given)
    const now = await store.write('pauseQueue', { kind, value, created_at: clock.now() })
    return {
      document: { kind, value, paused: true },
      text: now
        ? `The ${kind} ${value} is paused: attempts under way end, no new ones begin; mail is accepted as before.\nLet it go on with: postrider queue resume --${kind} ${value}`
        : `The ${kind} ${value} was paused already.`,
    }
  })
}

export function resume(context: Context, held: Held): Promise<Answer> {
  const [kind, given] = onlyOne('resume', held)
  return withStore(context, async ({ store }) => {
    const value = pauseValue(kind, given)
    if (!(await store.write('resumeQueue', { kind, value }))) {
      throw new Problem(
        'not_found',
        `The ${kind} ${value} is not paused; \`postrider queue list\` shows what is.`,
      )
    }
    return { document: { kind, value, paused: false }, text: `The ${kind} ${value} goes on.` }
  })
}

const pauseValue = (kind: PauseKind, given: string): string => (kind === 'stream' ? given : domainName(given))

function onlyOne(action: string, held: Held): [PauseKind, string] {
  const given = Object.entries({
    destination: held.destination,
    stream: held.stream,
    domain: held.domain,
  }).filter((pair): pair is [PauseKind, string] => pair[1] !== undefined)
  const [only] = given
  if (only !== undefined && given.length === 1) return only
  throw new UsageError('Give one of --destination, --stream and --domain', `queue ${action}`)
}

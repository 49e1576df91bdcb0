// The last step of a test message: the local part of the recipient selects the outcome, and the test inbox of the
// message keeps the mail. The step opens no connection.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { summarize } from '../mime/mail-summary.ts'
import type { Reply } from '../model/reply.ts'
import { NEVER_MS, steeringOf, steeringWord } from '../model/test-inbox.ts'
import { type StageFailure, WITHDRAWN } from '../smtp/stage.ts'
import type { Store } from '../store/database/store.ts'
import { keepTestMail } from '../store/inboxes/new-mails.ts'
import { tagsOfMessage } from '../store/messages/messages.ts'
import type { Claimed } from '../store/queue/queue.ts'
import type { AttemptEnd } from './outcome.ts'
import type { PreparedMessage } from './prepare.ts'
import type { SendResult } from './send.ts'

/** Dependencies of the last step. */
interface InboxOptions {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  /** Signal that is aborted when the stopping node can no longer wait for attempts in progress. */
  readonly stopping?: AbortSignal | undefined
}

/** A test message for one recipient. */
interface InboxDelivery {
  readonly inboxId: string
  readonly claimed: Claimed
  /** Return path of the message. */
  readonly from: string
  readonly message: PreparedMessage
  /** Returns the remaining time of the lease in milliseconds. */
  readonly leftMs: () => number
}

const KEPT: Reply = { code: 250, enhanced: '2.0.0', text: 'Ok: in the test inbox' }

/** Delivers a test message to its inbox, or ends the attempt as the address of the recipient asks for. */
export type KeepInInbox = (delivery: InboxDelivery, options: InboxOptions) => Promise<SendResult>

export const keepInInbox: KeepInInbox = async (delivery, options) => {
  const startedAt = options.clock.now()
  const end = await endOf(delivery, options)
  const reply = end.kind === 'accepted' ? end.reply : end.kind === 'stopped' ? end.failure.reply : undefined
  const durationMs = options.clock.now() - startedAt
  return { end, attempt: { startedAt, durationMs, transcript: '', ...(reply && { reply }) } }
}

async function endOf(delivery: InboxDelivery, options: InboxOptions): Promise<AttemptEnd> {
  const { claimed, leftMs } = delivery
  // A greylisting host accepts the second attempt.
  const { refusal, delayMs = 0 } = steeringOf(steeringWord(claimed.email), () => claimed.attempt === 1)
  if (refusal !== undefined) return stopped({ stage: 'rcpt', reply: replyOf(refusal) })
  if (delayMs === NEVER_MS) {
    return stopped({ stage: 'rcpt', error: { code: 'timeout', message: 'no reply in time' } })
  }
  if (delayMs > 0) await pause(delayMs, options)
  if (options.stopping?.aborted || leftMs() <= 0) return stopped({ stage: 'connect', error: WITHDRAWN })
  if (await keep(delivery, options)) return { kind: 'accepted', reply: KEPT }
  return { kind: 'no_route', permanent: true, reason: 'The test inbox was deleted.', category: 'other' }
}

const stopped = (failure: StageFailure): AttemptEnd => ({ kind: 'stopped', failure })

function replyOf({ code, text }: { readonly code: number; readonly text: string }): Reply {
  const [enhanced = '', ...words] = text.split(' ')
  return { code, enhanced, text: words.join(' ') }
}

function pause(ms: number, { clock, stopping }: InboxOptions): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve)
    stopping?.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
}

/** Stores the mail once, and its further recipients; returns false if the inbox was deleted. */
async function keep(
  { inboxId, claimed, from, message }: InboxDelivery,
  { store, clock }: InboxOptions,
): Promise<boolean> {
  const bytes = Buffer.concat(message.chunks)
  const summarized = await summarize(bytes)
  const receivedAt = clock.now()
  return store.write(keepTestMail, {
    ...{ id: newId('mbx', receivedAt), inboxId, accountId: claimed.accountId, messageId: claimed.messageId },
    ...{ receivedAt, mailFrom: from, recipients: [claimed.email], tls: null },
    tags: claimed.tag == null ? [] : await tagsOfMessage(store.read, claimed.messageId),
    ...summarized,
    raw: bytes,
  })
}

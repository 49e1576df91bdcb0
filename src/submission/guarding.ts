// The guard of sending: the message that is checked before it is stored, and the findings that an accepted message keeps.

import type { Guard, Warning } from '../model/finding.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { AcceptedDetail } from '../model/tracking.ts'
import type { SendingStream } from '../streams/streams.ts'
import type { Sender } from './authorize.ts'
import type { CheckedRecipient } from './validate.ts'

/** Message that the guard checks: its fields, or the complete message. */
export interface GuardedMessage {
  readonly guard: Exclude<Guard, 'off'>
  readonly sender: Sender
  readonly stream: SendingStream
  readonly recipients: readonly CheckedRecipient[]
  readonly content: { readonly request: SendRequest } | { readonly raw: Buffer }
  /**
   * True if the write that stores the message asks about the recipients of a message without errors in its content; only
   * for the guard `refuse`.
   */
  readonly asksInWrite?: boolean
}

/** Checks a message without network access; returns its findings, or throws `content_refused` for the guard `refuse`. */
export type GuardMessage = (message: GuardedMessage) => Promise<readonly Warning[]>

/**
 * Checks a message; returns the findings to keep, which only the guard `warn` has. Throws `content_refused` for a message
 * with errors if the guard is `refuse`.
 */
export async function warningsOf(
  guardMessage: GuardMessage | undefined,
  message: GuardedMessage,
): Promise<readonly Warning[] | undefined> {
  const found = await guardMessage?.(message)
  return message.guard === 'warn' && found !== undefined && found.length > 0 ? found : undefined
}

/** Returns the detail of the `accepted` events with the findings of the check. */
export const withWarnings = (
  detail: AcceptedDetail | undefined,
  warnings: readonly Warning[] | undefined,
): AcceptedDetail | undefined => (warnings === undefined ? detail : { ...detail, warnings })

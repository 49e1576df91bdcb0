// Input of the check: a message as it would be sent to its first recipient, and what is known about it.

import type { StreamKind, UnsubscribeBy } from '../model/stream.ts'

/** Attached file without its content. */
interface CheckedFile {
  readonly path: string
  readonly contentType: string
  /** Size in bytes. */
  readonly size: number
}

/** Message to check. Missing fields are not checked. */
export interface CheckedMail {
  readonly subject?: string | undefined
  readonly html?: string | undefined
  readonly text?: string | undefined
  readonly from?: string | undefined
  readonly fromName?: string | undefined
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly recipients?: readonly { readonly path: string; readonly email: string }[]
  readonly attachments?: readonly CheckedFile[]
  /** Size of the composed message in bytes, if the message was composed. */
  readonly size?: number | undefined
}

/** Known facts about a recipient, without a probe. */
export interface RecipientFacts {
  /** Reason of the suppression in the stream of the message. */
  readonly suppressed?: string | undefined
  /** True if earlier mail found no mailbox. */
  readonly dead?: boolean
  /** Address that the recipient may have meant. */
  readonly meant?: string | undefined
  readonly isRole?: boolean
}

/** Known facts about a message; a missing fact causes no finding. */
export interface CheckFacts {
  readonly domain?: { readonly name: string; readonly isVerified: boolean; readonly hasDmarc: boolean }
  readonly stream?: { readonly kind: StreamKind; readonly unsubscribe: UnsubscribeBy }
  /** Origin of the playground, whose own links work on the machine only; undefined in production. */
  readonly ownOrigin?: string | undefined
  /** Facts by the canonical address. */
  readonly recipients?: Readonly<Record<string, RecipientFacts>>
}

/** Message with its facts, and the wishes of the caller; sendable to a thread. */
export interface CheckJob {
  readonly mail: CheckedMail
  readonly facts: CheckFacts
  /** Codes that are not reported. */
  readonly ignore: readonly string[]
  /** Mail programs by the names of "Can I email"; undefined for the usual programs. */
  readonly clients?: readonly string[] | undefined
  /** True to find errors only, which takes a fraction of the time. */
  readonly errorsOnly?: boolean | undefined
  /** True for the source of a template, whose expressions stand for any text. */
  readonly isTemplate?: boolean | undefined
}

// The states of a waiting recipient in the queue.

import { isInbox } from './test-inbox.ts'

/** Scopes that an operator can pause. */
export const PAUSE_KINDS = ['destination', 'stream', 'domain'] as const
export type PauseKind = (typeof PAUSE_KINDS)[number]
/** Maximum length of the note of a pause, in characters. */
export const MAX_NOTE_LENGTH = 200
/** Reasons for held recipients: a pause, or a restore of the store, which is identified by the time of the restore. */
export const HOLD_KINDS = [...PAUSE_KINDS, 'restored'] as const
export type HoldKind = (typeof HOLD_KINDS)[number]

/**
 * The state of a recipient in the queue. Recipients with the same state and share are ordered by start tag.
 *
 * - `ready`: the recipient is attempted when its start tag comes first;
 * - `scheduled`: the recipient is not due before the time chosen by its sender;
 * - `paced`: the recipient is not due before the time set by the rate limit of its stream;
 * - `deferred`: the recipient is not due before the time of its next attempt;
 * - `active`: the recipient is under a lease, until its attempt or the lease ends;
 * - `throttled`: a share has no slot for the recipient. The share is the destination, which is busy or asked for a
 *   pause; the relay of the domain (`relay:dom_…`); the account (`@acc_…`); all retries (`#retries`); or, for a large
 *   message, the bytes of the destination, relay or account (`%<destination>`, `%@acc_…`). The recipient waits in the
 *   flow of its stream, `<share> <domain>/<stream>`;
 * - `held`: the recipient waits until an operator or the holder of the domain ends the hold `<kind> <value>`;
 * - `suspect`: the recipient is attempted with few other suspects, because the process ended twice while the recipient
 *   was active;
 * - `quarantined`: the recipient is attempted without any other suspect, because the process ended once more.
 */
const QUEUE_STATES = [
  'ready',
  'scheduled',
  'paced',
  'deferred',
  'active',
  'throttled',
  'held',
  'suspect',
  'quarantined',
] as const
export type QueueState = (typeof QUEUE_STATES)[number]

/**
 * A limited share of the slots, held by a destination, by the relay of a sending domain (`relay:`), by an account (`@`)
 * or by all retries. A share with `%` limits the bytes in transit of a destination, relay or account.
 */
export type Share = string

/** Returns the share of the relay of a sending domain. */
export const relayShare = (domainId: string): Share => `${RELAY}${domainId}`

/**
 * Returns the share for the route of a recipient: the share of the destination, or of the sending domain's relay, whose
 * limits do not apply to other mail for the destination.
 */
export const wayShare = ({
  destination,
  domainId,
  relayUrl,
}: {
  readonly destination: string
  readonly domainId: string
  readonly relayUrl?: unknown
}): Share => (relayUrl == null || isInbox(destination) ? destination : relayShare(domainId))

export const accountShare = (accountId: string): Share => `${ACCOUNT}${accountId}`

/** True if a share is the share of an account. */
export const isAccount = (share: Share): boolean => share.startsWith(ACCOUNT)

export const RETRIES: Share = '#retries'

/**
 * Returns the share that limits the bytes of a destination or an account. Large messages wait for bytes separately, so
 * that small messages continue.
 */
export const bytesOf = (holder: Share): Share => `${BYTES}${holder}`

/** True if a share limits bytes, not attempts. */
export const isBytes = (share: Share): boolean => share.startsWith(BYTES)

/** Returns the destination, relay or account whose bytes a share limits. */
export const holderOf = (share: Share): Share => share.slice(BYTES.length)

const BYTES = '%'
const ACCOUNT = '@'
const RELAY = 'relay:'

/**
 * The mail of one stream of a domain that waits for a share. The flows of a share take turns, regardless of the age and
 * length of each flow (fair queueing: Nagle, RFC 970).
 */
export type Flow = string

export const flowOf = (
  share: Share,
  { domainId, stream }: { readonly domainId: string; readonly stream: string },
): Flow => `${share} ${domainId}/${stream}`

/** Returns the share that a flow waits for. */
export const shareOf = (flow: Flow): Share => flow.slice(0, flow.indexOf(' '))

/** A pause or a restore that holds recipients, as `<kind> <value>`. */
export type Hold = `${HoldKind} ${string}`

export const holdOf = (kind: HoldKind, value: string): Hold => `${kind} ${value}`

/**
 * Queue state of a recipient, with the object that the recipient waits for: a share in a flow, or a hold. The object is
 * empty in other states.
 */
export interface Standing {
  readonly state: QueueState
  readonly waitsFor: Flow | Hold | ''
}

export const READY: Standing = { state: 'ready', waitsFor: '' }
export const SUSPECT: Standing = { state: 'suspect', waitsFor: '' }
export const QUARANTINED: Standing = { state: 'quarantined', waitsFor: '' }

/** Returns the state of a recipient that waits in a flow for a slot of a share. */
export const throttled = (flow: Flow): Standing => ({ state: 'throttled', waitsFor: flow })

/** Returns the state of a recipient that a pause holds. */
export const held = (hold: Hold): Standing => ({ state: 'held', waitsFor: hold })

/** States of the queue, as published by the operator's API and the command line. */
export const PUBLISHED_STATES = [
  'ready',
  'deferred',
  'active',
  'throttled',
  'held',
  'suspect',
  'quarantined',
] as const
export type PublishedState = (typeof PUBLISHED_STATES)[number]

/** Kinds of limits and holds that keep a throttled or held recipient waiting. */
export const WAIT_KINDS = [...HOLD_KINDS, 'relay', 'account', 'retries'] as const

/** Limit on slots or bytes, or the hold, that keeps a recipient waiting. */
export interface WaitsFor {
  readonly kind: (typeof WAIT_KINDS)[number]
  /** Name of the destination or domain, or ID of the account; empty for `retries`. */
  readonly value: string
}

/** Returns the kind and the name of a share; a share of bytes has the kind and name of its holder. */
function nameOfShare(share: Share): WaitsFor {
  const holder = isBytes(share) ? holderOf(share) : share
  if (holder === RETRIES) return { kind: 'retries', value: '' }
  if (isAccount(holder)) return { kind: 'account', value: holder.slice(ACCOUNT.length) }
  if (holder.startsWith(RELAY)) return { kind: 'relay', value: holder.slice(RELAY.length) }
  return { kind: 'destination', value: holder }
}

/**
 * Returns a queue state in its published form: mail that is scheduled by its sender is `deferred`, and mail that waits
 * for the rate limit of its stream is `throttled`.
 */
export function published({ state, waitsFor }: Standing): {
  readonly state: PublishedState
  readonly waitsFor: WaitsFor | null
} {
  switch (state) {
    case 'scheduled':
      return { state: 'deferred', waitsFor: null }
    case 'paced':
      return { state: 'throttled', waitsFor: null }
    case 'throttled':
      return { state, waitsFor: nameOfShare(shareOf(waitsFor)) }
    case 'held': {
      const at = waitsFor.indexOf(' ')
      return { state, waitsFor: { kind: waitsFor.slice(0, at) as HoldKind, value: waitsFor.slice(at + 1) } }
    }
    default:
      return { state, waitsFor: null }
  }
}

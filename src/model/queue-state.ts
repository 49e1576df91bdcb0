// The states of a waiting recipient in the queue.

/** Scopes that an operator can hold back. */
export const PAUSE_KINDS = ['destination', 'stream', 'domain'] as const
export type PauseKind = (typeof PAUSE_KINDS)[number]
/** Reason why recipients are held back: a pause, or a restore of the store, by its time. */
export const HOLD_KINDS = [...PAUSE_KINDS, 'restored'] as const
export type HoldKind = (typeof HOLD_KINDS)[number]

/**
 * The state of a recipient in the queue. Within each, and within what it waits for, the order is that of the start tags:
 *
 * - `ready`: its start tag has to come first;
 * - `scheduled`: it is not due before the time that its sender has chosen;
 * - `paced`: nor before the time that the rate of its stream leaves it;
 * - `deferred`: nor before the time of its next attempt;
 * - `active`: under a lease, until its attempt or the lease ends;
 * - `throttled`: a share has no slot for it: its destination, which is busy or asked us to wait, or its domain's own relay,
 *   as `relay:dom_…`; its account, as `@acc_…`; attempts after the first, as `#retries`; or, when it is large, the bytes of
 *   its destination, relay or account, as `%<destination>` or `%@acc_…`. It waits in the flow of its stream, as
 *   `<share> <domain>/<stream>`;
 * - `held`: until an operator, or the holder of the domain, resumes it, as `<kind> <value>`;
 * - `suspect`: to be attempted with few other suspects, since our process ended twice while it was active;
 * - `quarantined`: to be attempted without any other suspect, since it ended once more.
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
 * A limited share of the slots: a destination, the relay of a sending domain (`relay:`), an account (`@`) or all attempts
 * after the first; or the bytes that one of the first three may have under way (`%`).
 */
export type Share = string

/** The share of the relay that a sending domain may have for itself. */
export const relayShare = (domainId: string): Share => `${RELAY}${domainId}`

/**
 * The share of the way that a recipient's mail takes: its destination, or the relay that its sending domain has for
 * itself, whose limits say nothing of everybody else's mail for the destination.
 */
export const wayShare = ({
  destination,
  domainId,
  relayUrl,
}: {
  readonly destination: string
  readonly domainId: string
  readonly relayUrl?: unknown
}): Share => (relayUrl == null ? destination : relayShare(domainId))

export const accountShare = (accountId: string): Share => `${ACCOUNT}${accountId}`

/** Returns whether a share is that of an account. */
export const isAccount = (share: Share): boolean => share.startsWith(ACCOUNT)

export const RETRIES: Share = '#retries'

/** The bytes of a destination or an account. Large messages wait for them apart, so that small ones go on. */
export const bytesOf = (holder: Share): Share => `${BYTES}${holder}`

/** True if a share is one of bytes. */
export const isBytes = (share: Share): boolean => share.startsWith(BYTES)

/** The destination or account whose bytes a share limits. */
export const holderOf = (share: Share): Share => share.slice(BYTES.length)

const BYTES = '%'
const ACCOUNT = '@'
const RELAY = 'relay:'

/**
 * The mail of one stream of a domain that waits for a share. The flows of a share take turns, whenever each has begun and
 * however long it is (fair queueing: Nagle, RFC 970).
 */
export type Flow = string

export const flowOf = (
  share: Share,
  { domainId, stream }: { readonly domainId: string; readonly stream: string },
): Flow => `${share} ${domainId}/${stream}`

/** The share that a flow waits for. */
export const shareOf = (flow: Flow): Share => flow.slice(0, flow.indexOf(' '))

/** A pause, or what a restore has held, as `<kind> <value>`. */
export type Hold = `${HoldKind} ${string}`

export const holdOf = (kind: HoldKind, value: string): Hold => `${kind} ${value}`

/** A state with what it waits for: a share in its flow, a pause; empty in all other states. */
export interface Standing {
  readonly state: QueueState
  readonly waitsFor: Flow | Hold | ''
}

export const READY: Standing = { state: 'ready', waitsFor: '' }
export const SUSPECT: Standing = { state: 'suspect', waitsFor: '' }
export const QUARANTINED: Standing = { state: 'quarantined', waitsFor: '' }

/** The standing of a recipient that waits for a slot of a share, in its flow. */
export const throttled = (flow: Flow): Standing => ({ state: 'throttled', waitsFor: flow })

/** The standing of a recipient that a pause holds. */
export const held = (hold: Hold): Standing => ({ state: 'held', waitsFor: hold })

/** The states of the queue as the operator's API and the command line publish them. */
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

/** Kinds of what a recipient that is throttled or held waits for. */
export const WAIT_KINDS = [...HOLD_KINDS, 'relay', 'account', 'retries'] as const

/** Object of a wait: a limit on slots or bytes, or a hold. */
export interface WaitsFor {
  readonly kind: (typeof WAIT_KINDS)[number]
  /** Name of the destination or domain, ID of the account; empty for `retries`. */
  readonly value: string
}

/** Returns the kind and the name of a share; a share of bytes has those of its holder. */
function nameOfShare(share: Share): WaitsFor {
  const holder = isBytes(share) ? holderOf(share) : share
  if (holder === RETRIES) return { kind: 'retries', value: '' }
  if (isAccount(holder)) return { kind: 'account', value: holder.slice(ACCOUNT.length) }
  if (holder.startsWith(RELAY)) return { kind: 'relay', value: holder.slice(RELAY.length) }
  return { kind: 'destination', value: holder }
}

/**
 * Returns a standing as it is published: mail that waits for a time chosen by its sender is deferred, and mail that waits
 * for the rate of its stream is throttled.
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

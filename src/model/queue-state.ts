// The states of a waiting recipient in the queue.

/** Scopes that an operator can pause. */
export const PAUSE_KINDS = ['destination', 'stream', 'domain'] as const
export type PauseKind = (typeof PAUSE_KINDS)[number]
/** Reason why recipients are held: a pause, or a restore of the store, identified by its time. */
export const HOLD_KINDS = [...PAUSE_KINDS, 'restored'] as const
export type HoldKind = (typeof HOLD_KINDS)[number]

/**
 * The state of a recipient in the queue. Recipients of one state, and of one share, are ordered by start tag.
 *
 * - `ready`: attempted when its start tag comes first;
 * - `scheduled`: not due before the time chosen by its sender;
 * - `paced`: not due before the time set by the rate limit of its stream;
 * - `deferred`: not due before the time of its next attempt;
 * - `active`: under a lease, until its attempt or the lease ends;
 * - `throttled`: a share has no slot for it. The share is its destination, which is busy or asked for a pause; the
 *   relay of its domain (`relay:dom_…`); its account (`@acc_…`); retries (`#retries`); or, for a large message, the
 *   bytes of its destination, relay or account (`%<destination>`, `%@acc_…`). It waits in the flow of its stream,
 *   `<share> <domain>/<stream>`;
 * - `held`: until an operator or the holder of the domain resumes it, as `<kind> <value>`;
 * - `suspect`: attempted with few other suspects, because the process ended twice while it was active;
 * - `quarantined`: attempted without any other suspect, because the process ended once more.
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
 * A limited share of the slots: a destination, the relay of a sending domain (`relay:`), an account (`@`) or all
 * retries; or the bytes that one of the first three may have under way (`%`).
 */
export type Share = string

/** Returns the share of the relay that a sending domain may have. */
export const relayShare = (domainId: string): Share => `${RELAY}${domainId}`

/**
 * Returns the share of the route of a recipient: its destination, or the relay of its sending domain, whose limits
 * say nothing about other mail to the destination.
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

/**
 * Returns the share of the bytes of a destination or an account. Large messages wait for bytes separately, so that
 * small ones continue.
 */
export const bytesOf = (holder: Share): Share => `${BYTES}${holder}`

/** True if a share limits bytes, not attempts. */
export const isBytes = (share: Share): boolean => share.startsWith(BYTES)

/** Returns the destination or account whose bytes a share limits. */
export const holderOf = (share: Share): Share => share.slice(BYTES.length)

const BYTES = '%'
const ACCOUNT = '@'
const RELAY = 'relay:'

/**
 * The mail of one stream of a domain that waits for a share. The flows of a share take turns, whenever each began and
 * however long it is (fair queueing: Nagle, RFC 970).
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

/** A state with the object it waits for: a share in its flow, or a pause; empty in other states. */
export interface Standing {
  readonly state: QueueState
  readonly waitsFor: Flow | Hold | ''
}

export const READY: Standing = { state: 'ready', waitsFor: '' }
export const SUSPECT: Standing = { state: 'suspect', waitsFor: '' }
export const QUARANTINED: Standing = { state: 'quarantined', waitsFor: '' }

/** Returns the state of a recipient that waits for a slot of a share, in its flow. */
export const throttled = (flow: Flow): Standing => ({ state: 'throttled', waitsFor: flow })

/** Returns the state of a recipient that a pause holds. */
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

/** Kinds of the object that a throttled or held recipient waits for. */
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

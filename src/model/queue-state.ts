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
export const relayShare = (domainId: string): Share => `relay:${domainId}`

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

export const accountShare = (accountId: string): Share => `@${accountId}`
export const RETRIES: Share = '#retries'

/** The bytes of a destination or an account. Large messages wait for them apart, so that small ones go on. */
export const bytesOf = (holder: Share): Share => `${BYTES}${holder}`

/** True if a share is one of bytes. */
export const isBytes = (share: Share): boolean => share.startsWith(BYTES)

/** The destination or account whose bytes a share limits. */
export const holderOf = (share: Share): Share => share.slice(BYTES.length)

const BYTES = '%'

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

/** The states by the names that the operator's API has for them. */
const LANES: Readonly<Record<QueueState, string>> = {
  ready: 'ready',
  scheduled: 'waiting',
  paced: 'waiting',
  deferred: 'waiting',
  active: 'leased',
  throttled: 'full',
  held: 'paused',
  suspect: 'suspect',
  quarantined: 'quarantine',
}

/** A standing in one word, or two with what it waits for, as the operator's API tells it. */
export function laneOf({ state, waitsFor }: Standing): string {
  const what = state === 'throttled' ? shareOf(waitsFor) : waitsFor
  return what === '' ? LANES[state] : `${LANES[state]} ${what}`
}

// Triage: decides which recipients a claim takes, and which new state each other recipient gets.

import {
  accountShare,
  bytesOf,
  type Flow,
  flowOf,
  type Hold,
  held,
  holdOf,
  isBytes,
  QUARANTINED,
  RETRIES,
  type Share,
  type Standing,
  SUSPECT,
  shareOf,
  throttled,
  wayShare,
} from './queue-state.ts'

/** Maximum size in bytes of a small message, which never waits for free bytes of a share. */
export const SMALL_BYTES = 65_536
/**
 * Maximum number of recipients of large messages that a claim considers for one flow whose share has free bytes again.
 */
const MAX_REFILLED_LARGE = 32

/**
 * Numbers of consecutive faults of a recipient; a fault is an end of the process while the recipient was active. A
 * recipient is attempted with few other suspects from `SUSPECT_FAULTS` on, and without any other suspect from
 * `ISOLATED_FAULTS` on; the recipient fails at `MAX_FAULTS`. Recipients that were active when another message ended the
 * process lose their faults at their next outcome.
 */
const SUSPECT_FAULTS = 2
const ISOLATED_FAULTS = 3
const MAX_FAULTS = 6
/** Maximum number of recipients that a claim takes in addition to an isolated recipient. */
export const MAX_WITH_ISOLATED = 16

/** A waiting recipient, with the properties that triage depends on. */
export interface Candidate extends Standing {
  readonly messageId: string
  readonly accountId: string
  readonly domainId: string
  readonly destination: string
  /** Relay of the sending domain. */
  readonly relayUrl?: unknown
  readonly stream: string
  readonly domainName: string
  /** Number of the attempt that the recipient waits for, from 1. */
  readonly attempt: number
  /** Number of consecutive ends of the process while the recipient was active. */
  readonly faults: number
  /** Size of the message in bytes. */
  readonly size: number
}

/** The slots that a claim may fill. */
export interface SlotsAvailable {
  /** Maximum number of recipients of the claim. */
  readonly limit: number
  /** Maximum number of bytes of large messages; one large message is admitted if any bytes are left. */
  readonly bytes: number
  /** Maximum number of bytes of each destination and account that `byShare` does not name. */
  readonly eachBytes: number
  /** Maximum number of recipients of a destination that `byShare` does not name. */
  readonly eachDestination: number
  /** Maximum number of recipients of an account that `byShare` does not name. */
  readonly eachAccount: number
  /** Available slots or bytes by share, and available slots by flow. */
  readonly byShare: ReadonlyMap<Share | Flow, number>
  /** Number of suspects that may be taken. */
  readonly suspects: number
  /** True if one isolated recipient may be taken instead of suspects. */
  readonly isolated: boolean
}

/** Result of triage; candidates in none of the lists keep their state. */
export interface Triage<Row> {
  readonly taken: readonly Row[]
  readonly moved: readonly { readonly row: Row; readonly to: Standing }[]
  /** Recipients that were active too often when the process ended. */
  readonly failed: readonly Row[]
}

/** True if the process may have ended because of this recipient. */
export const isSuspect = ({ faults }: Pick<Candidate, 'faults'>): boolean => faults >= SUSPECT_FAULTS

/** True if the recipient must run without any other suspect. */
export const isIsolated = ({ faults }: Pick<Candidate, 'faults'>): boolean => faults >= ISOLATED_FAULTS

/**
 * Returns the faults of a recipient after the end of the process. A suspect gets further faults only while attempted as
 * a suspect. Faults grow only for a young attempt, because a crash closely follows the start of the attempt that causes
 * the crash.
 */
export const faultsAfterEnd = (faults: number, survivedProbation: boolean): number =>
  survivedProbation ? faults : faults + 1

/** Returns the number of throttled recipients of a flow that a claim considers. */
export function refillOf(flow: Flow, { byShare, eachDestination, eachBytes }: SlotsAvailable): number {
  const slots = byShare.get(flow) ?? byShare.get(shareOf(flow))
  if (!isBytes(flow)) return slots ?? eachDestination
  return Math.min(MAX_REFILLED_LARGE, Math.ceil((slots ?? eachBytes) / SMALL_BYTES))
}

/** The slots that a claim may fill. Slots of a share go first to the candidates in the flows of the share. */
class SlotBudget {
  readonly #available: SlotsAvailable
  readonly #left: Map<Share, number>
  /** Number of undecided candidates in flows, by the share for which the candidates wait. */
  readonly #waiting = new Map<Share, number>()

  constructor(available: SlotsAvailable, candidates: readonly Candidate[]) {
    this.#available = available
    this.#left = new Map(available.byShare)
    for (const row of candidates) this.#count(row, 1)
  }

  #count(row: Candidate, by: 1 | -1): void {
    if (row.state !== 'throttled') return
    const share = shareOf(row.waitsFor)
    this.#waiting.set(share, (this.#waiting.get(share) ?? 0) + by)
  }

  /** Records that a candidate is decided and no longer waits in its flow. */
  decide(row: Candidate): void {
    this.#count(row, -1)
  }

  /**
   * Returns the share without a slot for a candidate; undefined if the candidate is admitted and has taken its slots.
   */
  fullShare(row: Candidate): Share | undefined {
    const { accountId, attempt, state, waitsFor } = row
    const { eachAccount, eachDestination } = this.#available
    const account = accountShare(accountId)
    const way = wayShare(row)
    const shares: [Share, number][] = [
      [account, this.#left.get(account) ?? eachAccount],
      [way, this.#left.get(way) ?? eachDestination],
    ]
    if (attempt > 1) shares.push([RETRIES, this.#left.get(RETRIES) ?? Number.POSITIVE_INFINITY])
    const own = state === 'throttled' ? shareOf(waitsFor) : undefined
    const keptOf = (share: Share): number => (share === own ? 0 : (this.#waiting.get(share) ?? 0))
    const full = shares.find(([share, left]) => left - keptOf(share) <= 0)
    if (full !== undefined) return full[0]
    for (const [share, left] of shares) this.#left.set(share, left - 1)
    return undefined
  }
}

/**
 * Decides for the candidates, in the given order, whether the claim takes the candidate, the candidate fails, or the
 * candidate gets a new state. `paused` contains all pauses.
 */
export function triage<Row extends Candidate>(
  candidates: readonly Row[],
  paused: ReadonlySet<Hold>,
  available: SlotsAvailable,
): Triage<Row> {
  const taken: Row[] = []
  const failed: Row[] = []
  const moved: { row: Row; to: Standing }[] = []
  const slots = new SlotBudget(
    available,
    candidates.filter((row) => pauseOf(row, paused) === undefined),
  )
  const bytes = new ByteBudget(available)
  let { limit, suspects, isolated } = available
  for (const row of candidates) {
    const pause = pauseOf(row, paused)
    if (pause !== undefined) {
      moved.push({ row, to: held(pause) })
      continue
    }
    slots.decide(row)
    if (row.faults >= MAX_FAULTS) failed.push(row)
    else if (isIsolated(row) && !isolated) moved.push({ row, to: QUARANTINED })
    else if (isSuspect(row) && suspects === 0) moved.push({ row, to: SUSPECT })
    else if (taken.length >= limit) continue
    else {
      const full = bytes.fullShare(row) ?? slots.fullShare(row)
      if (full !== undefined) {
        moved.push({ row, to: throttled(flowOf(full, row)) })
        continue
      }
      bytes.take(row)
      taken.push(row)
      if (!isSuspect(row)) continue
      // An isolated recipient is the only suspect of its claim, and never joins other suspects.
      suspects = isIsolated(row) ? 0 : suspects - 1
      isolated = false
      if (isIsolated(row)) limit = Math.min(limit, taken.length + MAX_WITH_ISOLATED)
    }
  }
  return {
    taken,
    failed,
    moved: moved.filter(({ row, to }) => to.state !== row.state || to.waitsFor !== row.waitsFor),
  }
}

/** The properties of a recipient that a pause may name. */
type Pausable = Pick<Candidate, 'destination' | 'stream' | 'domainName'>

/** Returns the pause that holds a recipient, if any. */
export function pauseOf(
  { destination, stream, domainName }: Pausable,
  paused: ReadonlySet<Hold>,
): Hold | undefined {
  if (paused.size === 0) return undefined
  const holds = [holdOf('destination', destination), holdOf('stream', stream), holdOf('domain', domainName)]
  return holds.find((hold) => paused.has(hold))
}

/** The bytes that a claim may take: in total, by account, and by destination or relay. Each message counts once. */
class ByteBudget {
  readonly #available: SlotsAvailable
  readonly #messages = new Set<string>()
  readonly #taken = new Map<Share, number>()
  #sum = 0

  constructor(available: SlotsAvailable) {
    this.#available = available
  }

  /** Returns the share without enough bytes for the message of a recipient; undefined if the message is admitted. */
  fullShare(row: Candidate): Share | undefined {
    const { messageId, size } = row
    if (size <= SMALL_BYTES || this.#messages.has(messageId)) return undefined
    const { bytes, eachBytes, byShare } = this.#available
    const shares = byteShares(row)
    if (!suffices(bytes, this.#sum, size)) return shares[0]
    return shares.find(
      (share) => !suffices(byShare.get(share) ?? eachBytes, this.#taken.get(share) ?? 0, size),
    )
  }

  /** Counts the bytes of a recipient's message against the shares of the recipient. */
  take(row: Candidate): void {
    const { messageId, size } = row
    if (size <= SMALL_BYTES || this.#messages.has(messageId)) return
    this.#messages.add(messageId)
    this.#sum += size
    for (const share of byteShares(row)) {
      this.#taken.set(share, (this.#taken.get(share) ?? 0) + size)
    }
  }
}

const byteShares = (row: Candidate): readonly Share[] => [
  bytesOf(accountShare(row.accountId)),
  bytesOf(wayShare(row)),
]

/**
 * True if a message is admitted. The first message is admitted if any bytes are left, so that no limit excludes a
 * message forever.
 */
const suffices = (limit: number, taken: number, size: number): boolean =>
  limit > 0 && (taken === 0 || taken + size <= limit)

/** Interval in milliseconds to which due times of a paced stream are rounded, so that few claims are needed. */
const PACE_MS = 100

/** The facts that determine the initial state of an accepted recipient. */
export interface Beginning {
  readonly acceptedAt: number
  /** Time that the sender chose, if any. */
  readonly sendAt: number | null
  /** True if the stream has a rate limit, so that the queue waits for the start tag. */
  readonly isPaced: boolean
}

/**
 * Returns the initial state and the due time of a recipient with this start tag; a null due time means that the
 * recipient is due immediately.
 */
export function firstState(
  { acceptedAt, sendAt, isPaced }: Beginning,
  startTag: number,
): { readonly state: 'ready' | 'scheduled' | 'paced'; readonly dueAt: number | null } {
  if (sendAt !== null) return { state: 'scheduled', dueAt: startTag }
  if (!isPaced || startTag <= acceptedAt) return { state: 'ready', dueAt: null }
  return { state: 'paced', dueAt: Math.ceil(startTag / PACE_MS) * PACE_MS }
}

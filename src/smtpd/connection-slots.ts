// The connection slots of a door: who gets one, and who gives way when they get scarce.

import { cacheOf } from '../lib/caches.ts'
import { clientBlock, clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import { type SlotLimits, STRESS, type StressLevel } from './limits.ts'

/**
 * The hold of a client on its slot, the weakest first. `idle`: neither a login nor a transaction with a recipient.
 * `member`: a login, and no such transaction. `busy`: a transaction without a login. `settled`: a transaction with a
 * login, or a message that is being received. `accepted`: a message that is received and being stored; the client has
 * to get the answer.
 */
export type Standing = 'idle' | 'member' | 'busy' | 'settled' | 'accepted'

/** The slot of one connection. */
export interface Slot {
  /** Notes a command of the client, and how it stands after it. */
  heard(standing: Standing): void
  /** Notes that the client's network did what the door is there for, and the account that it has logged in to. */
  vouch(account?: string): void
  /** Gives the slot back. */
  leave(): void
}

interface Holder {
  readonly network: Network
  account: string
  /** Since when it is `idle` or not. */
  since: number
  heardAt: number
  standing: Standing
  giveWay(): void
}

interface Network {
  readonly name: string
  /** The larger network that it belongs to, if that is counted as well. */
  readonly block: string | undefined
  readonly holders: Set<Holder>
}

/** The time between two looks for clients whose time is over, while there is stress. */
const SWEEP_MS = 1_000
/** A transaction with a login, or a message on its way, is left alone for so long. */
const MIN_SETTLED_MS = 60_000

/**
 * Counts the connections of all ports of a door together, within three bounds: in all, from one client network, and
 * from one block of IPv6 networks. When more than half are taken, clients that have not logged in get less time, by the
 * table `STRESS`. When all are, one gives way to a newcomer: of the weakest standing there is the idlest of the network
 * or account that has the most. A part is kept for networks that have lately logged in, or brought mail that was wanted.
 */
export class ConnectionSlots {
  readonly #limits: SlotLimits
  readonly #clock: Clock
  readonly #networks = new Map<string, Network>()
  readonly #blocks = new Map<string, number>()
  /** Time at which a network last proved itself. */
  readonly #known = cacheOf<number>('known_networks')
  #taken = 0
  #sweeping = false

  constructor(limits: SlotLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Takes a slot; undefined when there is none for this client. `giveWay` is called when it has lost it. */
  enter(address: string, giveWay: () => void): Slot | undefined {
    const name = clientNetwork(address)
    const network = this.#networks.get(name) ?? { name, block: clientBlock(address), holders: new Set() }
    if (!this.#allows(network) || !this.#makeRoom(network)) return undefined
    const now = this.#clock.now()
    const holder: Holder = { network, account: '', since: now, heardAt: now, standing: 'idle', giveWay }
    this.#add(holder)
    this.#sweepLater()
    return {
      heard: (standing) => this.#heard(holder, standing),
      vouch: (account = '') => {
        holder.account = account
        this.#known.set(name, this.#clock.now())
      },
      leave: () => this.#remove(holder),
    }
  }

  #allows({ holders, block }: Network): boolean {
    const { connectionsPerNetwork, connectionsPerBlock } = this.#limits
    if (holders.size >= connectionsPerNetwork) return false
    return block === undefined || (this.#blocks.get(block) ?? 0) < connectionsPerBlock
  }

  /** Finds a slot for a newcomer of this network, if need be by making another client give way. */
  #makeRoom({ name }: Network): boolean {
    const { connections, reservedShare } = this.#limits
    const known = this.#isKnown(name)
    if (this.#taken < connections * (known ? 1 : 1 - reservedShare)) return true
    const holder =
      this.#weakest('idle', known) ??
      this.#weakest('member') ??
      this.#weakest('busy') ??
      this.#weakest('settled')
    if (holder === undefined) return false
    this.#dismiss(holder)
    return true
  }

  #isKnown(network: string): boolean {
    const at = this.#known.get(network)
    return at !== undefined && this.#clock.now() - at < this.#limits.knownMs
  }

  /**
   * The client of this standing that gives way first: the idlest of the account, or of the network of strangers, that
   * has the most of them. A transaction that is under way with a login has a minute. Only a newcomer of a known network
   * makes idle strangers of known networks give way.
   */
  #weakest(standing: Standing, forKnown = true): Holder | undefined {
    const groups = new Map<string, { idlest: Holder; size: number; isKnown: boolean }>()
    const settledBefore = this.#clock.now() - MIN_SETTLED_MS
    for (const { name, holders } of this.#networks.values()) {
      const isKnown = standing === 'idle' && this.#isKnown(name)
      if (isKnown && !forKnown) continue
      for (const holder of holders) {
        if (holder.standing !== standing) continue
        if (standing === 'settled' && holder.since > settledBefore) continue
        const key = holder.account || name
        const group = groups.get(key)
        if (group === undefined) groups.set(key, { idlest: holder, size: 1, isKnown })
        else {
          group.size++
          if (holder.heardAt < group.idlest.heardAt) group.idlest = holder
        }
      }
    }
    const [first] = [...groups.values()].sort(
      (a, b) =>
        Number(a.isKnown) - Number(b.isKnown) || b.size - a.size || a.idlest.heardAt - b.idlest.heardAt,
    )
    return first?.idlest
  }

  #heard(holder: Holder, standing: Standing): void {
    const now = this.#clock.now()
    if (standing !== holder.standing) holder.since = now
    holder.standing = standing
    holder.heardAt = now
  }

  /** Ends the connections whose patience is over, as long as there is stress. */
  #sweep(): void {
    this.#sweeping = false
    const level = this.#stress()
    if (level === undefined) return
    const now = this.#clock.now()
    const loginMs = this.#limits.loginMs * level.patience
    for (const { holders } of this.#networks.values()) {
      for (const holder of [...holders]) if (isOverdue(holder, loginMs, now)) this.#dismiss(holder)
    }
    this.#sweepLater()
  }

  #sweepLater(): void {
    if (this.#sweeping || this.#stress() === undefined) return
    this.#sweeping = true
    this.#clock.after(SWEEP_MS, () => this.#sweep())
  }

  #stress(): StressLevel | undefined {
    const share = this.#taken / this.#limits.connections
    return STRESS.find(({ above }) => share > above)
  }

  #dismiss(holder: Holder): void {
    this.#remove(holder)
    holder.giveWay()
  }

  #add(holder: Holder): void {
    const { name, block, holders } = holder.network
    holders.add(holder)
    this.#networks.set(name, holder.network)
    this.#taken++
    if (block !== undefined) this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + 1)
  }

  #remove(holder: Holder): void {
    const { name, block, holders } = holder.network
    if (!holders.delete(holder)) return
    if (holders.size === 0) this.#networks.delete(name)
    this.#taken--
    if (block === undefined) return
    const left = (this.#blocks.get(block) ?? 1) - 1
    if (left > 0) this.#blocks.set(block, left)
    else this.#blocks.delete(block)
  }
}

function isOverdue({ standing, since, heardAt }: Holder, loginMs: number, now: number): boolean {
  if (standing !== 'idle' && standing !== 'busy') return false
  return now - heardAt >= loginMs / 2 || (standing === 'idle' && now - since >= loginMs)
}

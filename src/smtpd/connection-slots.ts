// Assigns the connection slots of the SMTP ports, and chooses the clients that give way when slots are scarce.

import { cacheOf } from '../lib/caches.ts'
import { clientBlock, clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import { type SlotLimits, STRESS, type StressLevel } from './limits.ts'

/**
 * Strength of a client's claim to its slot, weakest first. `idle`: neither a login nor a transaction with a recipient.
 * `member`: a login, but no transaction with a recipient. `busy`: a transaction without a login. `settled`: a
 * transaction with a login, or a message that is being received. `accepted`: a message that was received and is being
 * stored; the client must get the reply.
 */
export type Standing = 'idle' | 'member' | 'busy' | 'settled' | 'accepted'

/** The slot of one connection. */
export interface Slot {
  /** Records that the client sent a command, and the standing of the client after the command. */
  heard(standing: Standing): void
  /**
   * Records that the client's network proved itself by a login or by wanted mail, and the account of the login.
   */
  vouch(account?: string): void
  /** Releases the slot. */
  leave(): void
}

interface Holder {
  readonly network: Network
  account: string
  /** Time at which the standing last changed. */
  since: number
  heardAt: number
  standing: Standing
  giveWay(): void
}

interface Network {
  readonly name: string
  /** Name of the enclosing network, if the connections of the enclosing network are counted as well. */
  readonly block: string | undefined
  readonly holders: Set<Holder>
}

/** Interval between two checks for overdue clients, while slots are scarce. */
const SWEEP_MS = 1_000
/** Minimum time before a client with the standing `settled` may have to give way. */
const MIN_SETTLED_MS = 60_000

/**
 * Limits the connections of all ports of one server together in three ways: in total, per client network, and per block
 * of IPv6 networks. Clients that have not logged in get less time while more than half of the slots are taken
 * (`STRESS`). One client gives way to a newcomer if all slots are taken: the longest silent client of the weakest
 * standing, in the network or account with the most connections of that standing. A share of the slots is reserved for
 * networks that have recently logged in, or sent mail to an address with a valid token.
 */
export class ConnectionSlots {
  readonly #limits: SlotLimits
  readonly #clock: Clock
  readonly #networks = new Map<string, Network>()
  readonly #blocks = new Map<string, number>()
  /** Time at which each network last proved itself. */
  readonly #known = cacheOf<number>('known_networks')
  #taken = 0
  #sweeping = false

  constructor(limits: SlotLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /**
   * Takes a slot; undefined if no slot is available to this client. Calls `giveWay` if the client loses the slot.
   */
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

  /** Returns whether a newcomer of this network gets a slot; makes another client give way if necessary. */
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
   * Returns the client of this standing that gives way first: the longest silent client of the account (or of the
   * network without a login) that has the most clients of this standing. A `settled` client does not give way in its
   * first minute. Only a newcomer of a known network makes idle clients of known networks give way.
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

  /** Ends the connections that have exceeded their time, while slots are scarce. */
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

// Addresses of a list that wait for verification: the domains take turns, and few addresses of one domain are verified
// at once.

/** Number of addresses of one domain in a row, on a reused connection, before other domains get their turn. */
const MAX_IN_A_ROW = 20

/** A turn of a domain in the rotation; a domain has as many turns as addresses that may be verified at once. */
interface Turn {
  readonly domain: string
  /** Number of addresses in a row since other domains had a turn. */
  readonly inARow: number
}

/** An address to verify, with the turn of its domain, which `giveBack` returns to the rotation. */
export interface Taken<Address> {
  readonly address: Address
  readonly turn: Turn
}

/** The waiting addresses by domain, and the turns of the domains. */
export class AddressRotation<Address extends { readonly email: string }> {
  readonly #perDomain: number
  readonly #waiting = new Map<string, Address[]>()
  /** Turns in which another address can be verified. */
  readonly #ready: Turn[] = []
  /** Number of turns by domain. */
  readonly #turns = new Map<string, number>()
  #size = 0

  /** @param perDomain maximum number of addresses of one domain that are taken and not given back */
  constructor(perDomain: number) {
    this.#perDomain = perDomain
  }

  /** Number of waiting addresses. */
  get size(): number {
    return this.#size
  }

  add(address: Address): void {
    const domain = address.email.slice(address.email.lastIndexOf('@') + 1).toLowerCase()
    const waiting = this.#waiting.get(domain)
    if (waiting === undefined) this.#waiting.set(domain, [address])
    else waiting.push(address)
    this.#size++
    const turns = this.#turns.get(domain) ?? 0
    if (turns >= this.#perDomain) return
    this.#turns.set(domain, turns + 1)
    this.#ready.push({ domain, inARow: 0 })
  }

  /** Takes the next address; returns undefined if no address is waiting whose domain has a turn. */
  take(): Taken<Address> | undefined {
    for (let turn = this.#ready.shift(); turn !== undefined; turn = this.#ready.shift()) {
      const address = this.#waiting.get(turn.domain)?.shift()
      if (address !== undefined) {
        this.#size--
        return { address, turn }
      }
      this.#remove(turn)
    }
    return undefined
  }

  /** Returns the turn of a taken address; the same domain is next unless it has had `MAX_IN_A_ROW` addresses. */
  giveBack({ turn: { domain, inARow } }: Taken<Address>): void {
    if (inARow + 1 < MAX_IN_A_ROW) this.#ready.unshift({ domain, inARow: inARow + 1 })
    else this.#ready.push({ domain, inARow: 0 })
  }

  #remove({ domain }: Turn): void {
    const turns = (this.#turns.get(domain) ?? 0) - 1
    if (turns > 0) this.#turns.set(domain, turns)
    else {
      this.#turns.delete(domain)
      this.#waiting.delete(domain)
    }
  }
}

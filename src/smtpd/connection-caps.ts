// How many connections may be open at once: in all, and from one client network.

import { clientNetwork } from '../lib/client-network.ts'
import type { SmtpLimits } from './limits.ts'

/** Counts the connections of all doors together. */
export class ConnectionCaps {
  readonly #limits: Pick<SmtpLimits, 'connections' | 'connectionsPerNetwork'>
  readonly #byNetwork = new Map<string, number>()
  #total = 0

  constructor(limits: Pick<SmtpLimits, 'connections' | 'connectionsPerNetwork'>) {
    this.#limits = limits
  }

  /** Counts a connection in; the returned function counts it out, once. Undefined when it is one too many. */
  enter(address: string): (() => void) | undefined {
    const network = clientNetwork(address)
    const here = this.#byNetwork.get(network) ?? 0
    if (this.#total >= this.#limits.connections || here >= this.#limits.connectionsPerNetwork)
      return undefined
    this.#total++
    this.#byNetwork.set(network, here + 1)
    let counted = true
    return () => {
      if (!counted) return
      counted = false
      this.#total--
      const left = (this.#byNetwork.get(network) ?? 1) - 1
      if (left > 0) this.#byNetwork.set(network, left)
      else this.#byNetwork.delete(network)
    }
  }
}

// How many connections may be open at once: in all, and from one client network.

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

/** What one client has for itself: an IPv4 address, or an IPv6 network of 64 bits (RFC 6177 §2). */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ? tail.split(':') : [])]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

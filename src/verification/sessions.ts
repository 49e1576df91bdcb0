// Who may talk to which address now: a few at once, and nobody while the host wants to be left alone.

import { KeyedLimit } from '../lib/keyed-limit.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { Target } from './domain.ts'
import { type DialOptions, HostConnections } from './host-connections.ts'
import { IdleConnections } from './idle-connections.ts'
import { type Patience, pause } from './patience.ts'
import { ProbeSession, type SessionOptions } from './session.ts'

export interface SessionsOptions extends SessionOptions, Omit<DialOptions, 'address'> {
  /** Connections to one address at once. */
  readonly perAddress: number
  /** Sessions at once in all. */
  readonly total: number
}

const SWEEP_MS = 100
const MOST_REMEMBERED = 10_000

/** All connections of this node's probes, by address. */
export class ProbeSessions implements Part {
  readonly name = 'probe connections'
  readonly #options: SessionsOptions
  // Whoever is inside takes an idle connection before opening one, so that no more are open than may be inside.
  readonly #places: KeyedLimit
  readonly #total: KeyedLimit
  readonly #hosts = new Map<string, HostConnections>()
  readonly #idle: IdleConnections
  #timer: NodeJS.Timeout | undefined

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#places = new KeyedLimit(options.perAddress)
    this.#total = new KeyedLimit(options.total)
    this.#idle = new IdleConnections(this.#places)
  }

  start(): void {
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#idle.stop()
  }

  /**
   * Runs `work` with a session when it is its turn, and answers what `work` does: a failure when the host is being
   * left alone, undefined when the patience ended first.
   */
  async use<T>(
    { address, hostName }: Target,
    patience: Patience,
    work: (session: ProbeSession) => Promise<T>,
  ): Promise<T | StageFailure | undefined> {
    const leave = await this.#places.enter(address, patience.signal)
    if (leave === undefined) return undefined
    const host = this.#host(address)
    host.sessions++
    const session = new ProbeSession(host, hostName, this.#options, patience)
    let leaveTotal: (() => void) | undefined
    try {
      const failure = await this.#sitOut(host, patience)
      if (failure !== undefined) return failure
      // Last of all: who waits for one slow host takes nothing from those that ask others.
      leaveTotal = await this.#total.enter('', patience.signal)
      return leaveTotal && (await work(session))
    } finally {
      void session.end().then(() => {
        host.sessions--
        leaveTotal?.()
        leave()
      })
    }
  }

  /** Waits for the end of the host's pause; answers why it pauses when waiting has no purpose. */
  async #sitOut({ backOff }: HostConnections, patience: Patience): Promise<StageFailure | undefined> {
    const { clock } = this.#options
    const wait = backOff.pauseLeft(clock.now())
    if (wait === 0) return undefined
    if (backOff.hopeless || wait > patience.left() / 2) return backOff.failure
    await pause(clock, wait, patience)
    return undefined
  }

  #host(address: string): HostConnections {
    let host = this.#hosts.get(address)
    if (host === undefined) {
      host = new HostConnections({ ...this.#options, address }, this.#idle)
      this.#hosts.set(address, host)
    }
    return host
  }

  #sweep(): void {
    void this.#idle.sweep()
    const now = this.#options.clock.now()
    for (const [address, host] of this.#hosts) {
      const crowded = this.#hosts.size > MOST_REMEMBERED && host.backOff.pauseLeft(now) === 0
      if (!host.noteworthy || (crowded && host.sessions === 0)) this.#hosts.delete(address)
    }
  }
}

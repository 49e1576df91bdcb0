// How one address is connected to, and what was learned of it: with TLS where that comes about, not while it wants peace.

import { type ConnectOptions, connect } from '../smtp/connection.ts'
import type { StageFailure } from '../smtp/stage.ts'
import { BackOff } from './back-off.ts'
import { type IdleConnections, KeptConnection } from './idle-connections.ts'
import type { Patience } from './patience.ts'

/** Whom to dial, and as whom. */
export type DialOptions = Pick<ConnectOptions, 'address' | 'port' | 'heloName' | 'sources'>

/** For a probe that somebody waits for: what takes longer would not be answered in time anyway. */
const HURRIED = {
  connect: 4_000,
  greeting: 7_000,
  ehlo: 5_000,
  starttls: 5_000,
  mail: 9_000,
  rcpt: 9_000,
  envelope: 9_000,
}
/** Some hosts are slow on purpose with senders that they do not know. */
const PATIENT = {
  connect: 10_000,
  greeting: 30_000,
  ehlo: 30_000,
  starttls: 15_000,
  mail: 30_000,
  rcpt: 45_000,
  envelope: 60_000,
}
const QUIT_MS = 1_000

/** How long a connection is kept idle: somebody may ask for the next address, a list has come to it already. */
const IDLE_MS = { hurried: 2_000, unhurried: 250 }

/** One address of a mail host. */
export class HostConnections {
  readonly backOff = new BackOff()
  readonly #dial: DialOptions
  readonly #idle: IdleConnections
  /** TLS does not come about with this host. */
  #plaintext = false
  /** Sessions under way. */
  sessions = 0

  constructor(dial: DialOptions, idle: IdleConnections) {
    this.#dial = dial
    this.#idle = idle
  }

  /** An idle connection, or a new one; `hostName` is for SNI. */
  async take(hostName: string, patience: Patience): Promise<KeptConnection | StageFailure> {
    const { address } = this.#dial
    const kept = this.#idle.take(address)
    if (kept !== undefined) return kept
    const { signal } = patience
    const timeouts = { ...(signal === undefined ? PATIENT : HURRIED), quit: QUIT_MS }
    const options = { ...this.#dial, hostName, timeouts, signal }
    let result = await connect({ ...options, tls: this.#plaintext ? 'never' : 'opportunistic' })
    if (result.failure?.error?.code === 'tls') {
      // RFC 7435: TLS that does not come about gives way to plaintext, on a new connection.
      this.#plaintext = true
      result = await connect({ ...options, tls: 'never' })
    }
    return result.connection === undefined ? result.failure : new KeptConnection(address, result.connection)
  }

  /** Keeps a connection for the next probe, or closes it; resolves when that is done. */
  giveBack(kept: KeptConnection, { signal }: Patience): Promise<void> {
    return this.#idle.keep(kept, signal === undefined ? IDLE_MS.unhurried : IDLE_MS.hurried)
  }

  /** Whether something was learned of it that is worth remembering. */
  get noteworthy(): boolean {
    return this.sessions > 0 || this.backOff.failure !== undefined || this.#plaintext
  }
}

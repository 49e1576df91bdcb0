// The connections to one address: opened with TLS where that comes about, kept a moment for the next probe.

import { type ConnectOptions, connect, type SmtpConnection } from '../smtp/connection.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import { BackOff } from './back-off.ts'
import type { Patience } from './patience.ts'

/** Whom to dial, and as whom. */
export type DialOptions = Pick<ConnectOptions, 'address' | 'port' | 'heloName' | 'sources'>

/** Hosts turn away who asks too much on one connection, or names too many unknown mailboxes. */
const MOST_PROBES = 20
const MOST_REFUSALS = 3

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

/** An open connection, and what it was used for. */
export class KeptConnection {
  readonly connection: SmtpConnection
  /** Whether it has served before: then the host may have closed it meanwhile. */
  reused = false
  idleSince = 0
  #probes = 0
  #refusals = 0

  constructor(connection: SmtpConnection) {
    this.connection = connection
  }

  /** Asks for one recipient, until the patience ends. */
  async probe(from: string, recipient: string, { signal }: Patience): Promise<RecipientResult> {
    this.#probes++
    const { recipients } = await this.connection.probe({ from, recipients: [recipient] }, signal)
    const result = recipients[0] as RecipientResult
    if (result.failure !== undefined) this.#refusals++
    return result
  }

  get worthKeeping(): boolean {
    return this.connection.usable && this.#probes < MOST_PROBES && this.#refusals < MOST_REFUSALS
  }
}

/** What is open to one address, and what was learned of it. */
export class HostConnections {
  readonly backOff = new BackOff()
  readonly #dial: DialOptions
  readonly #idle: KeptConnection[] = []
  /** TLS does not come about with this host. */
  #plaintext = false
  /** Sessions under way. */
  sessions = 0

  constructor(dial: DialOptions) {
    this.#dial = dial
  }

  /** An idle connection, or a new one; `hostName` is for SNI. */
  async take(hostName: string, patience: Patience): Promise<KeptConnection | StageFailure> {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (kept.connection.usable) return kept
      void kept.connection.close()
    }
    const options = {
      ...this.#dial,
      hostName,
      timeouts: { ...(patience.signal === undefined ? PATIENT : HURRIED), quit: QUIT_MS },
      signal: patience.signal,
    }
    let result = await connect({ ...options, tls: this.#plaintext ? 'never' : 'opportunistic' })
    if (result.failure?.error?.code === 'tls' && !this.#plaintext) {
      // RFC 7435: TLS that does not come about gives way to plaintext, on a new connection.
      this.#plaintext = true
      result = await connect({ ...options, tls: 'never' })
    }
    return result.connection === undefined ? result.failure : new KeptConnection(result.connection)
  }

  /** Keeps a connection for the next probe, or closes it; resolves when that is done. */
  async giveBack(kept: KeptConnection): Promise<void> {
    if (!kept.worthKeeping) return kept.connection.close()
    kept.reused = true
    kept.idleSince = performance.now()
    this.#idle.push(kept)
  }

  /** Closes what has been idle since before this moment (of performance.now()) or was closed by the host. */
  async closeIdle(before = Number.POSITIVE_INFINITY): Promise<void> {
    const old = this.#idle.filter(({ idleSince, connection }) => idleSince < before || !connection.usable)
    this.#idle.splice(0, this.#idle.length, ...this.#idle.filter((kept) => !old.includes(kept)))
    await Promise.all(old.map(({ connection }) => connection.close()))
  }

  /** Whether nothing is open. */
  get unused(): boolean {
    return this.sessions === 0 && this.#idle.length === 0
  }

  /** Whether something was learned of it that is worth remembering. */
  get noteworthy(): boolean {
    return this.backOff.failure !== undefined || this.#plaintext
  }
}

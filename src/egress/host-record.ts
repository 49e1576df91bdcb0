// Connection counts of mail hosts: one record per host name, and one record per address.

import type { SmtpConnection } from '../smtp/connection.ts'

/** Purpose of a connection: mail, an interactive verification or a background verification. */
export type Purpose = 'mail' | 'interactive' | 'background'

/** Connections to one host name, or to one address. */
export class HostRecord {
  readonly key: string
  /** Address of the host; undefined for the record of a host name. */
  readonly address: string | undefined
  /** Number of connections, including connections that are being opened or closed. */
  open = 0
  interactive = 0
  probes = 0
  /** Unused connections; the most recently used connection is last. */
  readonly idle: PooledConnection[] = []
  /** Connections in use; only for the record of an address. */
  readonly leased = new Set<PooledConnection>()
  /** Requests that wait for a connection, in order. */
  readonly waiting = new Set<Waiter>()

  constructor(key: string, address?: string) {
    this.key = key
    this.address = address
  }
}

/** A host: the record of its name and the records of its usable addresses, at least one. */
export interface Reach {
  readonly name: HostRecord
  readonly addresses: readonly HostRecord[]
}

/** An open connection and its use so far. */
export class PooledConnection {
  readonly connection: SmtpConnection
  /**
   * Key by which a connection is chosen for reuse: host, port, TLS options, EHLO name, source addresses and
   * credentials.
   */
  readonly key: string
  readonly name: HostRecord
  readonly address: HostRecord
  /** Purpose of the latest use of the connection. */
  purpose: Purpose
  /** Number of lease holders; more than one if messages are sent ahead of the replies to earlier messages. */
  users = 0
  /** Time until which the unused connection is kept, in milliseconds of performance.now(). */
  idleUntil = 0
  probes = 0
  refusals = 0

  constructor(
    connection: SmtpConnection,
    key: string,
    name: HostRecord,
    address: HostRecord,
    purpose: Purpose,
  ) {
    this.connection = connection
    this.key = key
    this.name = name
    this.address = address
    this.purpose = purpose
  }
}

/** A request that waits for a connection. */
export interface Waiter {
  readonly key: string
  readonly reach: Reach
  readonly purpose: Purpose
  /** Wakes the request, which then checks for a connection again; undefined if the request is already awake. */
  wake: (() => void) | undefined
}

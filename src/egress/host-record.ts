// A mail host as its connections are counted: once by its name, and once by each address.

import type { SmtpConnection } from '../smtp/connection.ts'

/** Purpose of a connection: mail, an interactive verification, a background one. */
export type Purpose = 'mail' | 'interactive' | 'background'

/** Connections to one host name, or to one address. */
export class HostRecord {
  readonly key: string
  /** Undefined for a name. */
  readonly address: string | undefined
  /** With those that are being opened or closed. */
  open = 0
  interactive = 0
  probes = 0
  /** Unused connections; the most recently used one is the last. */
  readonly idle: PooledConnection[] = []
  /** Of an address: connections in use. */
  readonly leased = new Set<PooledConnection>()
  /** Those that wait for a connection, in order. */
  readonly waiting = new Set<Waiter>()

  constructor(key: string, address?: string) {
    this.key = key
    this.address = address
  }
}

/** A host by its name and by the addresses that come into question; at least one. */
export interface Reach {
  readonly name: HostRecord
  readonly addresses: readonly HostRecord[]
}

/** An open connection, and what it has been used for. */
export class PooledConnection {
  readonly connection: SmtpConnection
  /** All that another user of it may not want. */
  readonly key: string
  readonly name: HostRecord
  readonly address: HostRecord
  /** Of its latest user. */
  purpose: Purpose
  /** Number of lease holders: messages may go ahead of the answer to others. */
  users = 0
  /** Until then it is kept unused; of `performance.now()`. */
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
  /** Lets it look again; undefined while it is about to. */
  wake: (() => void) | undefined
}

// The counts of a mail host: one record per name, and one per address.

import type { SmtpConnection } from '../smtp/connection.ts'

/** Purpose of a connection: mail, an interactive verification, a background verification. */
export type Purpose = 'mail' | 'interactive' | 'background'

/** Connections to one host name, or to one address. */
export class HostRecord {
  readonly key: string
  /** Undefined for the record of a name. */
  readonly address: string | undefined
  /** Number of connections, including those that are being opened or closed. */
  open = 0
  interactive = 0
  probes = 0
  /** Unused connections; the most recently used one is last. */
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
  /** Everything that distinguishes connections for their users. */
  readonly key: string
  readonly name: HostRecord
  readonly address: HostRecord
  /** Purpose of the latest user. */
  purpose: Purpose
  /** Number of lease holders: messages may be sent ahead of the reply to others. */
  users = 0
  /** End of the time for which the connection is kept unused, by `performance.now()`. */
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
  /** Makes the request check again; undefined while it is about to. */
  wake: (() => void) | undefined
}

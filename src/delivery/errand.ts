// What an attempt carries from host to host.

import type { Clock } from '../lib/clock.ts'
import type { Envelope } from '../model/envelope.ts'
import type { Timeouts } from '../smtp/timeouts.ts'
import type { Deadline } from './deadline.ts'
import type { ConnectionPool } from './pool.ts'
import type { PreparedMessage } from './prepare.ts'
import type { TlsResults } from './tls-results.ts'

/** What attempts share. */
export interface AttemptOptions {
  readonly pool: ConnectionPool
  readonly clock: Clock
  readonly heloName: string
  /** Hosts that greet by one of these are ourselves. */
  readonly ownNames: ReadonlySet<string>
  readonly tlsResults: TlsResults
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Aborted when the node can wait no longer for attempts under way. */
  readonly stopping?: AbortSignal | undefined
}

/** What is handed over, and within what. */
export interface Errand {
  readonly envelope: Envelope
  readonly message: PreparedMessage
  readonly options: AttemptOptions
  readonly deadline: Deadline
  /** Whether it is still ours to hand over: a node that stood still may have lost it to another. */
  readonly isOurs: () => boolean
}

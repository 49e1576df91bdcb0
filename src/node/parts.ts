// Dependencies that all parts of a node share.

import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { Lifecycle } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Trace } from '../lib/traces.ts'
import type { Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'

/** Settings, store, clock, log, and the lifecycle that starts and stops parts in order. */
export interface NodeParts {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Names the leases of this process. */
  readonly node: NodeName
  readonly lifecycle: Lifecycle
  /** Undefined without a trace collector. */
  readonly trace?: Trace | undefined
}

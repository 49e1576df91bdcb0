// Dependencies shared by all parts of a node.

import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import type { Lifecycle } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Trace } from '../lib/traces.ts'
import type { LogMail } from '../model/mail-log.ts'
import type { Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'

/** Settings, store, clock and log of a node, and the lifecycle that starts and stops its parts in order. */
export interface NodeParts {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Name of this process, under which the process holds leases. */
  readonly node: NodeName
  readonly lifecycle: Lifecycle
  /** Recorder of trace spans; undefined if no trace collector is configured. */
  readonly trace?: Trace | undefined
  /** Logs accepted messages and outcomes of recipients; undefined if the settings ask for no lines about mail. */
  readonly logMail?: LogMail | undefined
}

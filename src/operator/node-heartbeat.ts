// A node's sign of life in the store, by which the operator sees who runs.

import { hostname } from 'node:os'
import { type Clock, systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { packageVersion } from '../lib/package-version.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import { forgetNode, type NodeRow, seeNode } from '../store/node/nodes.ts'

const EVERY_MS = 30_000
/** A node that was not seen for so long does not run. */
export const GONE_MS = 3 * EVERY_MS
/** One that died is shown for so long. */
const FORGOTTEN_MS = 24 * 3_600_000

export interface NodeHeartbeatOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly roles: readonly string[]
  /** There is no other node: those in the store are gone. */
  readonly alone: boolean
}

/** Says every half minute that this node runs, and at its end that it does not. */
export class NodeHeartbeat implements Part {
  readonly name = 'presence'
  readonly #options: NodeHeartbeatOptions
  readonly #node: Omit<NodeRow, 'seen_at'>
  readonly #beating: Periodic
  #forgottenMs: number

  constructor(options: NodeHeartbeatOptions) {
    const { clock, log, roles, alone } = options
    this.#options = options
    this.#forgottenMs = alone ? 0 : FORGOTTEN_MS
    this.#node = {
      id: newId('nod', clock.now()),
      host_name: hostname(),
      roles: roles.join(),
      version: packageVersion(),
      started_at: clock.now(),
    }
    this.#beating = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, firstMs: 0 },
      failure: 'the sign of life was not written',
      step: () => this.#beat(),
    })
  }

  start(): void {
    this.#beating.start()
  }

  async stop(): Promise<void> {
    await this.#beating.stop()
    await this.#options.store.write(forgetNode, { id: this.#node.id }).catch(() => {})
  }

  async #beat(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    const node = { ...this.#node, seen_at: now }
    await store.write(seeNode, { node, forgetBefore: now - this.#forgottenMs })
    this.#forgottenMs = FORGOTTEN_MS
  }
}

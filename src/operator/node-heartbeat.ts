// The heartbeat of a node in the store; the heartbeats show the running nodes to the operator.

import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { packageVersion } from '../lib/package-version.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { forgetNode, type NodeAddress, type NodeLoad, type NodeRow, seeNode } from '../store/node/nodes.ts'

const EVERY_MS = 30_000
/** Time without a heartbeat after which a node counts as not running. */
export const GONE_MS = 3 * EVERY_MS
/** Time for which the list of nodes shows a dead node. */
const FORGOTTEN_MS = 24 * 3_600_000

export interface NodeHeartbeatOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
  readonly roles: readonly string[]
  /** Source addresses of the mail of this node; empty if the node sends no mail, or by a relay. */
  readonly addresses: readonly NodeAddress[]
  /** True if no other node uses the store; the heartbeats of other nodes are then removed at the start. */
  readonly alone: boolean
}

/** Writes the heartbeat every half minute, and removes the heartbeat when the node stops. */
export class NodeHeartbeat implements Part {
  readonly name = 'presence'
  readonly #options: NodeHeartbeatOptions
  readonly #node: Omit<NodeRow, 'seen_at' | 'load'>
  readonly #load = new LoadMeter()
  readonly #beating: Periodic
  #forgottenMs: number

  constructor(options: NodeHeartbeatOptions) {
    const { clock, log, node, roles, addresses, alone } = options
    this.#options = options
    this.#forgottenMs = alone ? 0 : FORGOTTEN_MS
    this.#node = {
      id: node.id,
      host_name: hostname(),
      roles: roles.join(),
      version: packageVersion(),
      started_at: clock.now(),
      addresses: JSON.stringify(addresses),
    }
    this.#beating = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS, firstMs: 0 },
      failure: 'the heartbeat could not be written',
      step: () => this.#beat(),
    })
  }

  /** Resolves when the first heartbeat was written, or when its write has failed. */
  async start(): Promise<void> {
    this.#beating.start()
    await this.#beating.run()
  }

  async stop(): Promise<void> {
    await this.#beating.stop()
    await this.#options.store.write(forgetNode, { id: this.#node.id }).catch(() => {})
  }

  async #beat(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    const node = { ...this.#node, seen_at: now, load: JSON.stringify(this.#load.read()) }
    await store.write(seeNode, { node, forgetBefore: now - this.#forgottenMs })
    this.#forgottenMs = FORGOTTEN_MS
  }
}

/** Measures the load of this process between two consecutive readings. */
class LoadMeter {
  #loop = performance.eventLoopUtilization()
  #cpu = process.cpuUsage()
  #at = performance.now()

  read(): NodeLoad {
    const loop = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop)
    const { user, system } = process.cpuUsage(this.#cpu)
    const now = performance.now()
    const elapsedMicroseconds = Math.max(1, (now - this.#at) * 1_000)
    this.#loop = loop
    this.#cpu = process.cpuUsage()
    this.#at = now
    return {
      event_loop: hundredths(utilization),
      cpu: hundredths((user + system) / elapsedMicroseconds),
      memory: process.memoryUsage.rss(),
    }
  }
}

const hundredths = (share: number): number => Math.round(share * 100) / 100

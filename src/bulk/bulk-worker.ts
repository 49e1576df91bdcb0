// The worker for bulks: processes one bulk per account at a time, in turns, and continues where another node stopped.

import { LeasedRuns } from '../lib/leased-runs.ts'
import { claimBulk, hasDueBulks, releaseBulk } from '../store/bulk/bulks.ts'
import { renewHeld } from '../store/node/leased-work.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { type BulkEnd, BulkRun, type BulkRunOptions, type HeldBulk, LOST, STOPPED } from './bulk-run.ts'

export interface BulkWorkerOptions extends BulkRunOptions {
  readonly node: NodeName
}

/** Maximum number of concurrent bulks on this node. */
const MAX_RUNS = 2
/** Delay before a paused bulk, or a bulk that could not be cancelled, is tried again. */
const RETRY_MS = 30_000

export type BulkWorker = LeasedRuns<HeldBulk, BulkEnd>

/** Returns a worker that processes bulks from `start` to `stop`. */
export function bulkWorker(options: BulkWorkerOptions): BulkWorker {
  const { store, clock, log, node } = options
  const worker: BulkWorker = new LeasedRuns<HeldBulk, BulkEnd>({
    ...{ name: 'bulks', clock, log },
    async claim({ now, until: leaseUntil }) {
      // A claim is a write, so a read checks first whether a bulk is due.
      const isAsked = worker.size < MAX_RUNS && (await hasDueBulks(store.read, now))
      const lease = node.newToken()
      const bulk = isAsked ? await store.write(claimBulk, { now, lease, leaseUntil }) : undefined
      if (bulk === undefined) return { held: [], hasMore: false }
      return { held: [{ accountId: bulk.account_id, id: bulk.id, lease, bulk }], hasMore: true }
    },
    renew: (held, until) => renewHeld(store, 'bulks', held, until),
    begin: (held) => new BulkRun(held, options),
    async release({ accountId, id, lease, bulk }, { status, problem }) {
      if (status === 'lost') return
      const now = clock.now()
      await store.write(releaseBulk, {
        ...{ accountId, id, lease, now, retryAt: status === 'paused' ? now + RETRY_MS : now },
        // A bulk that is being cancelled is never resumed.
        status: bulk.status === 'cancelling' && status !== 'cancelled' ? 'cancelling' : status,
        problem: problem === undefined ? null : JSON.stringify(problem),
      })
    },
    ends: { lost: LOST, stopped: STOPPED },
  })
  return worker
}

// The worker for lists of addresses: processes one list of each account at a time, and continues lists of other nodes.

import { LeasedRuns } from '../lib/leased-runs.ts'
import { type HeldWork, renewHeld } from '../store/node/leased-work.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import {
  claimVerification,
  hasOpenVerifications,
  releaseVerification,
} from '../store/verification/verification-work.ts'
import { ListRun, type ListRunOptions, type RunEnd } from './list-run.ts'

export interface ListWorkerOptions extends Omit<ListRunOptions, 'atOnce'> {
  readonly node: NodeName
}

/**
 * Maximum number of lists under way on this node, each of a different account, so that lists that wait for slow hosts
 * delay few other lists.
 */
const MAX_RUNS = 32
/** Maximum number of addresses of all lists under way at once. */
const MAX_AT_ONCE = 400
/** Maximum number of addresses of one list under way at once. */
const MAX_OF_ONE = 100

export type ListWorker = LeasedRuns<HeldWork, RunEnd>

/** Returns the worker, which processes lists between `start` and `stop`. */
export function listWorker(options: ListWorkerOptions): ListWorker {
  const { store, clock, log, node } = options
  const atOnce = (): number => Math.min(MAX_OF_ONE, Math.floor(MAX_AT_ONCE / worker.size))
  const worker: ListWorker = new LeasedRuns<HeldWork, RunEnd>({
    ...{ name: 'lists of addresses', clock, log },
    async claim({ now, until: leaseUntil }) {
      // A read checks first whether a list waits, because a claim is a write even if no list waits.
      const isAsked = worker.size < MAX_RUNS && (await hasOpenVerifications(store.read))
      const lease = node.newToken()
      const list = isAsked ? await store.write(claimVerification, { now, lease, leaseUntil }) : undefined
      if (list === undefined) return { held: [], hasMore: false }
      return { held: [{ accountId: list.account_id, id: list.id, lease }], hasMore: true }
    },
    renew: (held, until) => renewHeld(store, 'verifications', held, until),
    begin: (held) => new ListRun(held, { ...options, atOnce }),
    release: async (held, status) => {
      if (status === 'lost') return
      await store.write(releaseVerification, { ...held, status, now: clock.now() })
    },
    ends: { lost: 'lost', stopped: 'queued' },
  })
  return worker
}

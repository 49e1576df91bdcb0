// The worker for lists of addresses: takes one of each account at a time, and goes on where another node stopped.

import { LeasedRuns } from '../lib/leased-runs.ts'
import { type HeldWork, renewWork } from '../store/node/leased-work.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import {
  claimVerification,
  hasOpenVerifications,
  leaveVerification,
} from '../store/verification/verification-work.ts'
import { ListRun, type ListRunOptions, type RunEnd } from './list-run.ts'

export interface ListWorkerOptions extends Omit<ListRunOptions, 'atOnce'> {
  readonly node: NodeName
}

/** Lists at once on this node, each of another account: those that wait for slow hosts keep few others waiting. */
const MAX_RUNS = 32
/** Addresses of all of these at once. */
const MAX_AT_ONCE = 400
/** Addresses of one list at once. */
const MAX_OF_ONE = 100

export type ListWorker = LeasedRuns<HeldWork, RunEnd>

/** Works from `start` to `stop`. */
export function listWorker(options: ListWorkerOptions): ListWorker {
  const { store, clock, log, node } = options
  const atOnce = (): number => Math.min(MAX_OF_ONE, Math.floor(MAX_AT_ONCE / runs.size))
  const runs: ListWorker = new LeasedRuns({
    ...{ name: 'lists of addresses', clock, log, maxRuns: MAX_RUNS },
    any: () => hasOpenVerifications(store.read),
    async claim({ now, until: leaseUntil }) {
      const lease = node.newToken()
      const list = await store.write(claimVerification, { now, lease, leaseUntil })
      return list && { accountId: list.account_id, id: list.id, lease }
    },
    renew: (held, until) => store.write(renewWork, { ...held, table: 'verifications', until }),
    begin: (held) => new ListRun(held, { ...options, atOnce }),
    release: async (held, status) => {
      if (status === 'lost') return
      await store.write(leaveVerification, { ...held, status, now: clock.now() })
    },
    ends: { lost: 'lost', stopped: 'queued' },
  })
  return runs
}

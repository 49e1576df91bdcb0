// Mail to many, put together: taking bulks, and the worker on nodes that serve the API.

import { BulkContents } from '../bulk/bulk-content.ts'
import { BulkSending } from '../bulk/bulk-sending.ts'
import { type BulkWorker, bulkWorker } from '../bulk/bulk-worker.ts'
import { removalOfOld } from '../lib/leased-runs.ts'
import { forgetBulks } from '../store/bulk/bulk-removal.ts'
import type { Submission } from '../submission/submit.ts'
import type { Templates } from '../templates/templates.ts'
import type { NodeParts } from './parts.ts'

/** Starts it. */
export async function startBulks(
  { config, store, clock, log, node, lifecycle }: NodeParts,
  submission: Submission,
  templates: Templates,
  removalTime: () => Promise<number | undefined>,
): Promise<BulkSending> {
  const contents = new BulkContents(templates, submission)
  let worker: BulkWorker | undefined
  if (config.roles.includes('api')) {
    await lifecycle.start(
      removalOfOld({
        ...{ name: 'bulks', clock, log, retentionMs: config.contentRetentionMs, removalTime },
        steps: [(old) => store.write(forgetBulks, old)],
      }),
    )
    worker = await lifecycle.start(bulkWorker({ store, clock, log, submission, contents, node }))
  }
  return new BulkSending({ store, clock, contents, onQueued: () => worker?.wake() })
}

// Mail to many, put together: taking bulks, and the worker on nodes that serve the API.

import { BulkContents } from '../bulk/bulk-content.ts'
import { BulkSending } from '../bulk/bulk-sending.ts'
import { BulkWorker } from '../bulk/bulk-worker.ts'
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
  const worker = config.roles.includes('api')
    ? await lifecycle.start(
        new BulkWorker({
          ...{ store, clock, log, submission, contents, node, removalTime },
          retentionMs: config.contentRetentionMs,
        }),
      )
    : undefined
  return new BulkSending({ store, clock, contents, onQueued: () => worker?.poke() })
}

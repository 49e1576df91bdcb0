// The floor of work taken in: submission, bulks, verification, and the SMTP ports.

import { FeedbackLoops } from '../bounces/feedback-loops.ts'
import { BounceReception } from '../bounces/receive.ts'
import { expiryOf } from '../delivery/retry.ts'
import { unreachableUnsubscribing } from '../lib/public-url.ts'
import { FairOrder } from '../queue/manager.ts'
import { Streams } from '../streams/streams.ts'
import { RequestExpander } from '../submission/expand.ts'
import { Submission } from '../submission/submit.ts'
import { Templates } from '../templates/templates.ts'
import { WorkerPool } from '../templates/worker-pool.ts'
import { CheckLog } from '../verification/check-log.ts'
import { startBulks } from './bulk.ts'
import type { InboundFloor } from './inbound-floor.ts'
import type { OutboundFloor } from './outbound-floor.ts'
import { openInboundListener, openSubmissionListener } from './smtp.ts'
import type { StoreFloor } from './store-floor.ts'
import { startAddressLists, startVerification } from './verification.ts'

export type SubmissionFloor = Awaited<ReturnType<typeof openSubmissionFloor>>

/** Starts submission, bulks, verification and the SMTP ports. */
export async function openSubmissionFloor(ground: StoreFloor & InboundFloor & OutboundFloor) {
  const { config, store, clock, log, lifecycle, secret, sharing, acme, tls, proxyProtocol, trace } = ground
  const workers = await lifecycle.start(new WorkerPool())
  const templates = new Templates(store.read, ground.workspaceCache, workers, config.maxRenderedBytes)
  const startTags = new FairOrder()
  sharing.add('streams', startTags)
  const submission = new Submission({
    ...{ startTags, store, secret, queue: ground.queue, trace },
    expander: new RequestExpander(templates, new Streams(store.read, ground.workspaceCache), (host) =>
      acme === undefined || config.mode === 'playground' ? false : !acme.isCertified(host),
    ),
    // A scheduled message never leaves early, whatever this node's clock says.
    clock: ground.clockWatch.corrected(clock),
    maxMessageBytes: config.maxMessageBytes,
    noUnsubscribing: unreachableUnsubscribing(config),
    expiryMs: expiryOf(config.retrySchedule),
    storedBytesPerAccount: config.storedBytesPerAccount,
  })
  const removesBefore = () => ground.removalTime.now()
  const bulks = await startBulks(ground, submission, templates, removesBefore)
  const checks = await lifecycle.start(new CheckLog(store, log))
  const verification = startVerification({ ...ground, checks, probeLimiter: sharing.limiter('probes') })
  const addressLists = await startAddressLists(ground, verification, removesBefore)
  const smtp = await openSubmissionListener({
    ...ground,
    submission,
    loginFailures: sharing.limiter('SMTP logins'),
  })
  const feedbackLoops = new FeedbackLoops(config.feedbackLoops, ground.authenticate)
  const { returnPathHost } = config
  const bounces = new BounceReception({ store, clock, log, secret, returnPathHost, feedbackLoops })
  const inbound = await openInboundListener({ ...ground, tls, proxyProtocol }, bounces, ground.inboundStreams)
  return { workers, templates, submission, bulks, checks, verification, addressLists, smtp, bounces, inbound }
}

// The floor (layer) of a node that accepts work: submission, bulks, verification, and the SMTP ports.

import { recipientHasher } from '../access/recipient-hash.ts'
import { RequestLog } from '../access/request-log.ts'
import { FeedbackLoops } from '../bounces/feedback-loops.ts'
import { BounceReception } from '../bounces/receive.ts'
import { BulkContents } from '../bulk/bulk-content.ts'
import { BulkSending } from '../bulk/bulk-sending.ts'
import { type BulkWorker, bulkWorker } from '../bulk/bulk-worker.ts'
import { expiryOf } from '../delivery/retry.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { removalOfOld } from '../lib/leased-runs.ts'
import { unreachableUnsubscribing } from '../lib/public-url.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { FairOrder } from '../queue/manager.ts'
import { Mending } from '../smtpd/mending.ts'
import { rawSubmission } from '../smtpd/raw-submission.ts'
import { forgetBulks } from '../store/bulk/bulk-removal.ts'
import { Streams } from '../streams/streams.ts'
import { AttachmentFiles, maxFileBytes } from '../submission/attachment-files.ts'
import { RequestExpander } from '../submission/expand.ts'
import { Rescheduling } from '../submission/rescheduling.ts'
import { Submission } from '../submission/submit.ts'
import { Templates } from '../templates/templates.ts'
import { CheckLog } from '../verification/check-log.ts'
import { checkingOf, contentThreads, guardOf } from './checking.ts'
import type { InboundFloor } from './inbound-floor.ts'
import type { OutboundFloor } from './outbound-floor.ts'
import type { NodeParts } from './parts.ts'
import { openInboundListener, openSubmissionListener } from './smtp.ts'
import type { StoreFloor } from './store-floor.ts'
import { startAddressLists, startVerification } from './verification.ts'

export type SubmissionFloor = Awaited<ReturnType<typeof openSubmissionFloor>>

/** Starts submission, bulks, verification and the SMTP ports. */
export async function openSubmissionFloor(ground: StoreFloor & InboundFloor & OutboundFloor) {
  const { config, store, clock, log, lifecycle, secret, sharing, acme, tls, proxyProtocol } = ground
  const workers = await lifecycle.start(contentThreads())
  const templates = new Templates(store.read, ground.workspaceCache, workers, config.maxRenderedBytes)
  const startTags = new FairOrder()
  sharing.add('streams', startTags)
  const streams = new Streams(store.read, ground.workspaceCache)
  // The corrected clock ensures that no scheduled message is sent early, even if the clock of this node is wrong.
  const corrected = ground.clockWatch.corrected(clock)
  const expander = new RequestExpander(templates, streams, (host) =>
    acme === undefined || config.mode === 'playground' ? false : !acme.isCertified(host),
  )
  const submission = new Submission({
    ...{ startTags, store, secret, queue: ground.queue, trace: ground.trace, logMail: ground.logMail },
    ...{ expander, clock: corrected },
    guardMessage: guardOf({ ...ground, workers }),
    files: await startFiles(ground),
    maxMessageBytes: config.maxMessageBytes,
    noUnsubscribing: unreachableUnsubscribing(config),
    expiryMs: expiryOf(config.retrySchedule),
    storedBytesPerAccount: config.storedBytesPerAccount,
  })
  const rescheduling = new Rescheduling({ store, clock: corrected, streams, startTags, queue: ground.queue })
  const mending = await lifecycle.start(new Mending())
  const submitRaw = rawSubmission({ hostName: config.hostname, submission, mending })
  const removesBefore = () => ground.removalTime.now()
  const bulks = await startBulks(ground, submission, templates, removesBefore)
  const checks = await lifecycle.start(new CheckLog(store, log))
  const verification = startVerification({ ...ground, checks, probeLimiter: sharing.limiter('probes') })
  const addressLists = await startAddressLists(ground, verification, removesBefore)
  const requestLog = await lifecycle.start(new RequestLog(store, clock, log, recipientHasher(secret)))
  const smtp = await openSubmissionListener({
    ...ground,
    ...{ submission, requestLog },
    loginFailures: sharing.limiter('SMTP logins'),
  })
  const feedbackLoops = new FeedbackLoops(config.feedbackLoops, ground.authenticate)
  const { returnPathHost } = config
  const bounces = new BounceReception({
    ...{ store, clock, log, secret, returnPathHost, feedbackLoops },
    logMail: ground.logMail,
    keepComplaint: ({ domainId }, content) => ground.reports.keepComplaint(domainId, content),
  })
  const inbound = await openInboundListener(
    { ...ground, tls, proxyProtocol },
    bounces,
    ground.inboundStreams,
    ground.reports,
  )
  return {
    workers,
    templates,
    submission,
    openChecking: checkingOf({ ...ground, workers, expander }),
    submitRaw,
    rescheduling,
    bulks,
    checks,
    verification,
    addressLists,
    requestLog,
    smtp,
    bounces,
    inbound,
  }
}

/** Starts fetching of attachments by URL. No host of a private network is contacted, not even in the playground. */
async function startFiles({ config, clock, lifecycle }: NodeParts): Promise<AttachmentFiles> {
  const maxBytes = maxFileBytes(config.maxMessageBytes)
  const http = await lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: config.dnsServers, clock }),
      allowed: parseNetworks(config.allowPrivateNetworks.join(',')),
      plainHttp: config.webhookHttp === 'yes',
      // The framing of a body takes up to as many bytes as the body.
      mostOnTheWire: 2 * maxBytes,
    }),
  )
  return new AttachmentFiles(http, maxBytes)
}

async function startBulks(
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

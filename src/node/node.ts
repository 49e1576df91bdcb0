// The composition root: from settings to a running node. Long because every part is made here, in the order of their starts.

import { auditedStore } from '../access/audit.ts'
import { CredentialRates } from '../access/credential-rates.ts'
import { Credentials } from '../access/credentials.ts'
import { acmeChallenges } from '../api/acme-challenge.ts'
import { AdminServer } from '../api/admin-server.ts'
import { Authentication } from '../api/authenticate.ts'
import { EventStreams } from '../api/events/event-streams.ts'
import type { AdmittedRoute } from '../api/http-server.ts'
import { inboundLinkPages } from '../api/inbound/link-pages.ts'
import { RequestLog } from '../api/request-log.ts'
import { claimingStore } from '../api/request-run.ts'
import { ApiServer } from '../api/server.ts'
import { trackingPages } from '../api/tracking/routes.ts'
import { unsubscribePages } from '../api/unsubscribe/routes.ts'
import { FeedbackLoops } from '../bounces/feedback-loops.ts'
import { BounceReception } from '../bounces/receive.ts'
import { TlsSource } from '../certificates/tls-source.ts'
import type { Config } from '../config/settings.ts'
import { ComposingThread } from '../delivery/composing.ts'
import { Preparation } from '../delivery/prepare.ts'
import { expiryOf } from '../delivery/retry.ts'
import { MessageShowing } from '../delivery/show.ts'
import { DailyCheck } from '../domains/daily-check.ts'
import { Readiness } from '../health/readiness.ts'
import { InboundLinks } from '../inbound/links.ts'
import { InboundShowing } from '../inbound/show.ts'
import { type Clock, requestClock, systemClock } from '../lib/clock.ts'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import { Lifecycle } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { addFigures, createRegistry } from '../lib/metrics.ts'
import { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { PublicUrl, unreachableUnsubscribing } from '../lib/public-url.ts'
import { TimeLeft } from '../lib/time-left.ts'
import { erase } from '../operator/erasure.ts'
import { HistoryRemoval } from '../operator/history-removal.ts'
import { NodeHeartbeat } from '../operator/node-heartbeat.ts'
import { QueueControl } from '../operator/queue.ts'
import { RateSharing } from '../operator/rate-sharing.ts'
import { RemovalTime } from '../operator/removal-time.ts'
import { TableUpkeep } from '../operator/table-upkeep.ts'
import { PlaygroundMailHost } from '../playground/mail-host.ts'
import { mailboxPages } from '../playground/mailbox-pages.ts'
import { PLAYGROUND_MAIL_HOST } from '../playground/resolver.ts'
import { type PlaygroundFile, setUpPlayground, writePlaygroundFile } from '../playground/setup.ts'
import { FairOrder } from '../queue/manager.ts'
import type { CommitsUnderWay } from '../store/database/group-commit.ts'
import { pointTracking } from '../store/domains/tracking-hosts.ts'
import { FeedWatch } from '../store/events/feed-watch.ts'
import { LogFollower } from '../store/events/log-follower.ts'
import { ClockWatch } from '../store/node/clock-watch.ts'
import { NodeName, nameOfNode } from '../store/node/node-identity.ts'
import { NodeLeases } from '../store/node/node-leases.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { openStoreInMode } from '../store/node/open-in-mode.ts'
import { installationSecret } from '../store/node/secret-facts.ts'
import { VersionWatch } from '../store/node/version-watch.ts'
import { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { StreamEditing } from '../streams/stream-editing.ts'
import { Streams } from '../streams/streams.ts'
import { SuppressionList } from '../streams/suppression-list.ts'
import { Cancellation } from '../submission/cancel.ts'
import { RequestExpander } from '../submission/expand.ts'
import { Submission } from '../submission/submit.ts'
import { layoutEditing } from '../templates/layout-editing.ts'
import { templateEditing } from '../templates/template-editing.ts'
import { Templates } from '../templates/templates.ts'
import { WorkerPool } from '../templates/worker-pool.ts'
import { HitLog } from '../tracking/hit-log.ts'
import { Machines } from '../tracking/machines.ts'
import { CheckLog } from '../verification/check-log.ts'
import { startBulks } from './bulk.ts'
import { acmeOf } from './certificates.ts'
import { unfitDataDirectory } from './data-directory.ts'
import { queueFigures, startDelivery } from './delivery.ts'
import { resolverOf, startDomains, trackingTarget, verifyingResolver } from './domains.ts'
import { requireDurable } from './durability.ts'
import { egressFigures, startEgress } from './egress.ts'
import { queueDepthFigures, spaceFigures } from './figures.ts'
import { startInbound } from './inbound.ts'
import { notOpened } from './listeners.ts'
import { startPeople, tellFirstRun } from './people.ts'
import { type PlacedConfig, placedAs } from './placement.ts'
import { giveUpWhenSilent } from './silent-store.ts'
import {
  certificateFigures,
  certificateSummary,
  openInboundListener,
  openSubmissionListener,
} from './smtp.ts'
import { startTraces } from './traces.ts'
import { startAddressLists, startVerification, verificationFigures } from './verification.ts'
import { startWebhooks } from './webhooks.ts'

/** A running node. */
export interface App {
  /** Under which users reach the API; `/v1` follows. */
  readonly url: string
  /** Port of SMTP submission; undefined when this node does not do it. */
  readonly smtpPort: number | undefined
  readonly smtpsPort: number | undefined
  /** Port of HTTPS; undefined when there is none. */
  readonly httpsPort: number | undefined
  /** Port for bounces and complaints; undefined when this node does not take them. */
  readonly inboundPort: number | undefined
  /** URL for making the first user; undefined when there are users. */
  readonly firstRunUrl: string | undefined
  /** URL of the metrics and the operator API; `/metrics` or `/v1/operator` follows. */
  readonly adminUrl: string
  /** Everything that the HTTP port answers, and the admin listener where there is one. */
  readonly routes: readonly AdmittedRoute[]
  readonly adminRoutes: readonly AdmittedRoute[]
  /** Secrets of the playground; undefined in production. */
  readonly playground: PlaygroundFile | undefined
  /** Commits of this node that have not ended. */
  readonly commits: CommitsUnderWay
  /** Attempts to deliver that have not ended. */
  readonly attemptsUnderWay: number
  /** Stops accepting, ends or hands back what is under way. At most 30 s. */
  stop(): Promise<void>
}

/** The bodies of the operator API are selections: each and all together in bytes. */
const MAX_ADMIN_BODY = 65_536

/** Starts a node, or one of its workers. Throws what keeps it from starting, with everything closed again. */
export async function startApp(
  config: Config,
  log: Log,
  clock: Clock = systemClock,
  worker?: number,
): Promise<App> {
  const lifecycle = new Lifecycle()
  try {
    return await start(placedAs(config, log, worker), log, clock, lifecycle)
  } catch (error) {
    await lifecycle.stop().catch(() => {})
    throw notOpened(error, config) ?? unfitDataDirectory(error, config) ?? error
  }
}

async function start(config: PlacedConfig, log: Log, given: Clock, lifecycle: Lifecycle): Promise<App> {
  const clock = requestClock(given)
  const opened = await openStoreInMode({ ...config, log, migrates: true })
  await lifecycle.start({ name: 'store', stop: () => opened.close() })
  await requireDurable(opened.read, config, log)
  const keepsFiles = config.databaseUrl === undefined || config.roles.includes('delivery')
  if (keepsFiles) {
    const release = holdDataDirectory(config.nodeDir)
    await lifecycle.start({ name: 'data directory', stop: release })
  }
  const alone = config.databaseUrl === undefined
  // One that holds no data directory may share it with others, and has no name that outlives it.
  const node = keepsFiles && !alone ? await nameOfNode(config.nodeDir) : new NodeName()
  const versions = await lifecycle.start(new VersionWatch(opened, log))
  const store = auditedStore(claimingStore(opened), versions)
  await lifecycle.start(new NodeLeases(store, node, alone))
  // It stops after all that writes: until then a command that wants no node running finds this one.
  await lifecycle.start(new NodeHeartbeat({ store, clock, log, node, roles: config.roles, alone }))
  const credentials = await lifecycle.start(new Credentials(store, clock, log, versions))
  const secret = await installationSecret(store)
  await store.write(pointTracking, {
    target: trackingTarget(config),
    isFound: config.mode === 'playground',
  })
  const clockWatch = await lifecycle.start(new ClockWatch(store.urgentRead, log))
  const sharing = await lifecycle.start(new RateSharing({ store, clock, log, alone }))
  const usualRates = { sending: config.sendingRate, verification: config.verificationRate }
  const rates = new CredentialRates(clock, usualRates, sharing.limiter('credentials'))
  const tls = await TlsSource.open({
    dataDir: config.dataDir,
    hostName: config.hostname,
    certFile: config.smtpTlsCert,
    keyFile: config.smtpTlsKey,
    clock,
    log,
  })
  const { proxyProtocol: networks } = config
  const proxyProtocol =
    networks.length === 0 ? undefined : await lifecycle.start(new ProxyProtocol({ networks, clock, log }))
  const acme = await acmeOf({ config, store, clock, log, node, lifecycle, tls, secret })
  const {
    streams: inboundStreams,
    processor,
    authenticate,
  } = await startInbound({ config, store, clock, log, node, lifecycle })
  // Without name servers of its own the playground delivers everything to its built-in mail host.
  const mailHost =
    config.mode === 'playground' && config.dnsServers === undefined
      ? await lifecycle.start(
          new PlaygroundMailHost({
            ...config,
            store,
            clock,
            log,
            tls: tls.current(),
            streams: inboundStreams,
          }),
        )
      : undefined
  // The playground's DNS leads every domain to its own mail host.
  const mxHost = mailHost === undefined ? config.hostname : PLAYGROUND_MAIL_HOST
  const retention = {
    content: config.contentRetentionMs,
    transcript: config.transcriptRetentionMs,
    record: config.recordRetentionMs,
  }
  const workspaceCache = new WorkspaceCache(versions)
  const streamEditing = new StreamEditing(store, clock, retention, mxHost, workspaceCache)
  const secrets =
    config.mode === 'playground'
      ? await setUpPlayground({
          store,
          clock,
          dataDir: config.dataDir,
          returnPathHost: config.returnPathHost,
          trackingTarget: trackingTarget(config),
          streams: mailHost === undefined ? undefined : streamEditing,
        })
      : undefined

  const removalTime = new RemovalTime({ store, clock, log, skew: () => clockWatch.skew })
  const publicUrl = new PublicUrl(
    config.publicUrl,
    config.mode === 'production' ? config.hostname : undefined,
  )
  const composing = await lifecycle.start(new ComposingThread())
  const links = { secret, publicUrl, tracksAtPublicUrl: config.mode === 'playground' }
  const preparation = new Preparation(store, links, composing)
  const trace = await startTraces(config, lifecycle, log)
  const basics = { config, store, clock, log, node, lifecycle, trace, secret, playgroundPort: mailHost?.port }
  const egress = await startEgress(basics)
  const parts = { ...basics, egress }
  const queue = await startDelivery({ ...parts, preparation, clockWatch })
  if (queue !== undefined) sharing.add('sites', queue.rates)
  const feedWatch = await lifecycle.start(new FeedWatch(store, log))
  const eventStreams = new EventStreams(store.read, feedWatch)
  versions.on('access', eventStreams.checkCallers)
  const eventLog = await lifecycle.start(new LogFollower(store, log, () => feedWatch.look()))
  const hits = await lifecycle.start(new HitLog(store, log))
  const showingInbound = new InboundShowing(store.read, new InboundLinks(secret, publicUrl, clock))
  const webhooks = await startWebhooks(basics, feedWatch, (owner, id, admit) =>
    showingInbound.eventData(owner, id, admit),
  )
  await lifecycle.start(
    new HistoryRemoval({
      ...{ store, clock, log, node, retention, time: removalTime },
      auditMs: config.auditRetentionMs,
      figuresMs: config.figuresRetentionMs,
      webhooksMs: config.webhookRetentionMs,
      requestsMs: config.requestLogRetentionMs,
    }),
  )
  await lifecycle.start(new TableUpkeep({ store, clock, log, node }))
  await lifecycle.start(new DailyCheck(store, clock, log, node, () => verifyingResolver(config, store)))
  const showing = new MessageShowing(store.read, preparation, retention)
  const workers = await lifecycle.start(new WorkerPool())
  const templates = new Templates(store.read, workspaceCache, workers, config.maxRenderedBytes)
  const startTags = new FairOrder()
  sharing.add('streams', startTags)
  const submission = new Submission({
    startTags,
    store,
    expander: new RequestExpander(templates, new Streams(store.read, workspaceCache), (host) =>
      acme === undefined || config.mode === 'playground' ? false : !acme.isCertified(host),
    ),
    secret,
    // What is sent later is not sent early, whatever this node's clock says.
    clock: clockWatch.corrected(clock),
    maxMessageBytes: config.maxMessageBytes,
    noUnsubscribing: unreachableUnsubscribing(config),
    expiryMs: expiryOf(config.retrySchedule),
    storedBytesPerAccount: config.storedBytesPerAccount,
    queue,
    trace,
  })
  const bulks = await startBulks(parts, submission, templates, () => removalTime.now())
  const checks = await lifecycle.start(new CheckLog(store, log))
  const verification = startVerification({ ...parts, checks, probeLimiter: sharing.limiter('probes') })
  const addressLists = await startAddressLists(parts, verification, () => removalTime.now())
  const smtp = await openSubmissionListener({
    ...parts,
    tls,
    proxyProtocol,
    credentials,
    rates,
    submission,
    loginFailures: sharing.limiter('SMTP logins'),
  })
  const { returnPathHost } = config
  const resolver = resolverOf(config, store, undefined, clock)
  const feedbackLoops = new FeedbackLoops(config.feedbackLoops, authenticate)
  const bounces = new BounceReception({ store, clock, log, secret, returnPathHost, feedbackLoops })
  const inbound = await openInboundListener({ ...parts, tls, proxyProtocol }, bounces, inboundStreams)
  const readiness = new Readiness({
    ...{ store, clock, clockWatch },
    dataDir: keepsFiles ? config.dataDir : undefined,
  })
  const certificate = () => {
    const { notAfter, problem } = tls.state()
    return { notAfter, problem: problem ?? acme?.problem }
  }
  const people = { ...parts, submission, smtp, certificate, publicUrl, retention }
  const letIn = await startPeople(people)
  const ready = async (): Promise<object> => {
    await readiness.require()
    const smtp = { smtp_certificate: certificateSummary(tls, clock) }
    return acme === undefined ? smtp : { ...smtp, certificate_order: acme.summary() }
  }
  const authentication = new Authentication(
    credentials,
    rates,
    clock,
    config.authFailureRate,
    sharing.limiter('authentication'),
  )
  const operator = {
    ...{ store, clock, operatorToken: config.operatorToken, queue: new QueueControl(store, clock) },
    metrics: createRegistry(
      [
        ...(queue === undefined ? [] : queueFigures(queue)),
        ...(inbound === undefined ? [] : bounces.figures()),
        ...(processor?.figures() ?? []),
        ...verificationFigures(verification),
        ...certificateFigures(tls, clock),
        ...(acme?.figures() ?? []),
        ...eventLog.figures(),
        ...webhooks.figures(),
        ...submission.figures(),
        ...hits.figures(),
        ...checks.figures(),
        ...store.figures(),
        ...clockWatch.figures(),
        ...egressFigures(egress),
        ...queueDepthFigures(store, clock),
        ...spaceFigures(config, store),
      ],
      config.worker,
    ),
  }
  const { adminHost, adminPort } = config
  const admin =
    adminPort === undefined
      ? undefined
      : await lifecycle.start(
          new AdminServer({
            ...{ ...operator, ready, authentication, log, host: adminHost, port: adminPort },
            ...{
              trustedProxies: [],
              maxBodyBytes: MAX_ADMIN_BODY,
              bodyMemoryBytes: CONTENT_BYTES.admin_bodies(),
            },
          }),
        )
  const requestLog = await lifecycle.start(new RequestLog(store, clock, log))
  const http = await lifecycle.start(
    new ApiServer({
      host: config.httpHost,
      port: config.httpPort,
      connections: config.httpConnections,
      reusePort: config.sharesPorts,
      publicUrl,
      maxBodyBytes: config.maxBodyBytes,
      maxBatchBytes: config.maxBatchBytes,
      bodyMemoryBytes: CONTENT_BYTES.request_bodies(config),
      trustedProxies: config.trustedProxies,
      proxyProtocol,
      https:
        config.httpsPort === undefined
          ? undefined
          : {
              port: config.httpsPort,
              certificates: {
                inForce: tls,
                ofHost: acme && ((name) => acme.certificateOf(name)),
                ofChallenge: acme && ((name) => acme.challengeCertificate(name)),
              },
            },
      authentication,
      operator: admin === undefined ? operator : undefined,
      queue: operator.queue,
      endpoints: config.roles.includes('api'),
      dashboard: letIn && { ...letIn, ...(await startDomains({ ...people, workspaceCache })) },
      store,
      read: store.read,
      showContent: (owner, id, admit, withFiles) => showing.content(owner, id, admit, withFiles),
      showRaw: (owner, id, admit) => showing.raw(owner, id, admit),
      showingInbound,
      ready,
      pages: [
        ...(acme === undefined ? [] : [acmeChallenges((token) => acme.answerTo(token))]),
        ...(config.mode === 'playground'
          ? [mailboxPages({ read: store.read, secret, resolver, publicUrl })]
          : []),
        ...(config.roles.includes('api')
          ? [
              unsubscribePages({ store, clock, secret }),
              trackingPages({ secret, hits, clock, machines: new Machines(config.scannerNetworks) }),
              inboundLinkPages(showingInbound),
            ]
          : []),
      ],
      submission,
      bulks,
      cancellation: new Cancellation(store, clock),
      verification,
      addressLists,
      timeLeft: new TimeLeft(clock),
      templates,
      templateEditing: templateEditing({ store, clock, workers, workspaceCache }),
      layoutEditing: layoutEditing({ store, clock, workers, workspaceCache }),
      streamEditing,
      suppressing: new SuppressionList(store, clock),
      eventStreams,
      webhooks: webhooks.editing,
      requestLog,
      erase: ({ accountId, domainId }, email) =>
        erase(
          { store, clock, webhooksMs: config.webhookRetentionMs, auditMs: config.auditRetentionMs },
          email,
          { accountId, domainId },
        ),
      rates,
      clock,
      node,
      log,
    }),
  )

  // Behind the HTTP server, so that they end before it waits for its requests.
  await lifecycle.start(eventStreams)
  // Its orders are looked at through the HTTP ports.
  if (acme !== undefined) await lifecycle.start(acme)
  addFigures(operator.metrics, http.figures())
  const url = publicUrl.value
  const firstRunUrl = await tellFirstRun(people)

  const playground = secrets && {
    base_url: `${url}/v1`,
    dashboard_url: url,
    mailbox_url: `${url}/playground/mailbox`,
    ...secrets,
    // The ports in an earlier start's file were its own.
    smtp: { ...secrets.smtp, host: config.smtpHost, port: smtp?.port ?? 0 },
  }
  if (playground !== undefined) await writePlaygroundFile(config.dataDir, playground)
  return {
    url,
    smtpPort: smtp?.port,
    smtpsPort: smtp?.tlsPort,
    httpsPort: http.httpsPort,
    inboundPort: inbound?.port,
    firstRunUrl,
    adminUrl: admin?.url ?? url,
    routes: http.routes,
    adminRoutes: admin?.routes ?? [],
    playground,
    commits: opened.commits,
    get attemptsUnderWay() {
      return queue?.inFlight ?? 0
    },
    async stop() {
      readiness.stop()
      if (config.stopDelayMs > 0) {
        await new Promise<void>((resolve) => void clock.after(config.stopDelayMs, resolve))
      }
      const end = giveUpWhenSilent(opened, clock, log)
      await lifecycle.stop().finally(end)
    },
  }
}

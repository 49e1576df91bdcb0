// The top floor (layer) of a node: users, the API, the dashboard, and the HTTP ports.

import { recipientHasher } from '../access/recipient-hash.ts'
import { AdminServer } from '../api/admin-server.ts'
import { Authentication } from '../api/authenticate.ts'
import { inboundLinkPages } from '../api/inbound/link-pages.ts'
import { compatiblePages } from '../api/inboxes/compatible-pages.ts'
import { SAMPLE_DOMAIN } from '../api/reference/example.ts'
import { ApiServer } from '../api/server.ts'
import { TimeLeft } from '../api/time-left.ts'
import { trackingPages } from '../api/tracking/routes.ts'
import { unsubscribePages } from '../api/unsubscribe/routes.ts'
import { publicKeyPages } from '../api/verifications/verify-email.ts'
import { acmeChallenges, inboundPolicies } from '../api/well-known.ts'
import { CompatibleApis } from '../compat/compatible-apis.ts'
import { settingsInForce } from '../config/in-force.ts'
import { Readiness } from '../health/readiness.ts'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import type { Figure } from '../lib/figures.ts'
import { QueueControl } from '../operator/queue.ts'
import { PLAYGROUND_DOMAIN } from '../playground/setup.ts'
import { SuppressionList } from '../streams/suppression-list.ts'
import { Cancellation } from '../submission/cancel.ts'
import { layoutEditing } from '../templates/layout-editing.ts'
import { templateEditing } from '../templates/template-editing.ts'
import { Machines } from '../tracking/machines.ts'
import { queueFigures } from './delivery.ts'
import { inboundMxHost, requirementSettings, startDomains } from './domains.ts'
import { egressFigures } from './egress.ts'
import { erasureOf } from './erasure.ts'
import { incidentFigures, listingFigures, queueDepthFigures, spaceFigures } from './figures.ts'
import { type InboundFloor, ownAddressesOf } from './inbound-floor.ts'
import { addFigures, createRegistry } from './metrics.ts'
import type { OutboundFloor } from './outbound-floor.ts'
import { firstRunUrl, smtpListener, startInvitations, startPeople, startTlsReporting } from './people.ts'
import { certificateFigures, certificateSummary } from './smtp.ts'
import type { StoreFloor } from './store-floor.ts'
import type { SubmissionFloor } from './submission-floor.ts'
import { verificationFigures } from './verification.ts'

/** Parts of all lower floors (layers) of the node. */
type Ground = StoreFloor & InboundFloor & OutboundFloor & SubmissionFloor

/**
 * Maximum size, in bytes, of a request body of the operator API; small, because these bodies contain only selections.
 */
const MAX_ADMIN_BODY = 65_536

/** Starts the user services, and opens the HTTP ports. */
export async function openHttpFloor(ground: Ground) {
  const { config, store, clock, lifecycle, acme, tls, publicUrl, eventStreams } = ground
  const readiness = new Readiness({
    ...{ store, clock, clockWatch: ground.clockWatch },
    dataDir: ground.keepsFiles ? config.dataDir : undefined,
  })
  const certificate = () => {
    const { notAfter, problem } = tls.state()
    return { notAfter, problem: problem ?? acme?.problem }
  }
  const people = { ...ground, certificate }
  const inviting = await startInvitations(people)
  const letIn = await startPeople(people)
  const tlsReporting = await startTlsReporting(people)
  const ready = async (): Promise<object> => {
    await readiness.require()
    const smtp = { smtp_certificate: certificateSummary(tls, clock) }
    return acme === undefined ? smtp : { ...smtp, certificate_order: acme.summary() }
  }
  const authentication = new Authentication(
    ground.credentials,
    ground.rates,
    clock,
    config.authFailureRate,
    ground.sharing.limiter('authentication'),
  )
  const operator = {
    ...{ store, read: store.read, clock, operatorToken: config.operatorToken },
    queue: new QueueControl(store, clock),
    settings: settingsInForce(config),
    metrics: createRegistry(figuresOf(ground), config.worker),
  }
  const admin = await openAdminServer(ground, { ...operator, ready, authentication })
  const domainServices = await startDomains(people)
  const http = await lifecycle.start(
    new ApiServer({
      ...listenerOf(ground),
      ...servicesOf(ground),
      ...inviting,
      ...{ authentication, ready, requestLog: ground.requestLog, queue: operator.queue },
      settings: operator.settings,
      operator: admin === undefined ? operator : undefined,
      domains: domainServices.domains,
      recordLinks: domainServices.recordLinks,
      smtpListener: () => smtpListener(ground),
      dashboard: letIn && { ...letIn, ...domainServices, notices: inviting.notices },
      pages: pagesOf(ground, authentication),
      compatible: compatibleOf(ground),
      sampleDomain: config.mode === 'playground' ? PLAYGROUND_DOMAIN : SAMPLE_DOMAIN,
    }),
  )
  // Event streams and waits for DNS records start after the HTTP server and thus stop before the server waits for the
  // end of all requests.
  await lifecycle.start(eventStreams)
  await lifecycle.start(domainServices.domains)
  // Certificate orders start last, because the certificate authority validates an order over the HTTP ports.
  if (acme !== undefined) await lifecycle.start(acme)
  addFigures(operator.metrics, [...http.figures(), ...(tlsReporting?.figures() ?? [])])
  return { http, admin, readiness, firstRunUrl: await firstRunUrl({ ...people, publicUrl }) }
}

/** Returns the metrics of all parts of the node. */
const figuresOf = (ground: Ground): Figure[] => [
  ...(ground.queue === undefined ? [] : queueFigures(ground.queue)),
  ...(ground.inbound === undefined ? [] : ground.bounces.figures()),
  ...(ground.processor?.figures() ?? []),
  ...(ground.reportProcessor?.figures() ?? []),
  ...verificationFigures(ground.verification),
  ...certificateFigures(ground.tls, ground.clock),
  ...(ground.acme?.figures() ?? []),
  ...ground.eventLog.figures(),
  ...ground.webhooks.figures(),
  ...ground.submission.figures(),
  ...ground.hits.figures(),
  ...ground.checks.figures(),
  ...ground.store.figures(),
  ...ground.clockWatch.figures(),
  ...egressFigures(ground.egress),
  ...queueDepthFigures(ground.store, ground.clock),
  ...incidentFigures(ground.store),
  ...listingFigures(ground.store),
  ...spaceFigures(ground.config, ground.store),
]

type AdminOptions = ConstructorParameters<typeof AdminServer>[0]

/** Starts the admin listener; returns undefined if the usual HTTP port serves the operator API and the metrics. */
async function openAdminServer(
  { config, log, lifecycle }: Ground,
  options: Omit<
    AdminOptions,
    'log' | 'host' | 'port' | 'trustedProxies' | 'maxBodyBytes' | 'bodyMemoryBytes'
  >,
): Promise<AdminServer | undefined> {
  const { adminHost: host, adminPort: port } = config
  if (port === undefined) return undefined
  const bodyMemoryBytes = CONTENT_BYTES.admin_bodies()
  return lifecycle.start(
    new AdminServer({
      ...options,
      ...{ log, host, port, trustedProxies: [], maxBodyBytes: MAX_ADMIN_BODY, bodyMemoryBytes },
    }),
  )
}

/** Returns the listen addresses and the limits of the HTTP server. */
function listenerOf({ config, tls, acme, proxyProtocol, publicUrl, log, node, clock }: Ground) {
  const certificates = {
    inForce: tls,
    ofHost: acme && ((name: string) => acme.certificateOf(name)),
    ofChallenge: acme && ((name: string) => acme.challengeCertificate(name)),
  }
  return {
    ...{ publicUrl, proxyProtocol, log, node, clock, timeLeft: new TimeLeft(clock) },
    host: config.httpHost,
    port: config.httpPort,
    connections: config.httpConnections,
    reusePort: config.sharesPorts,
    maxBodyBytes: config.maxBodyBytes,
    maxBatchBytes: config.maxBatchBytes,
    bodyMemoryBytes: CONTENT_BYTES.request_bodies(config),
    trustedProxies: config.trustedProxies,
    https: config.httpsPort === undefined ? undefined : { port: config.httpsPort, certificates },
    endpoints: config.roles.includes('api'),
  }
}

/** Returns the services that the API endpoints use. */
function servicesOf(ground: Ground) {
  const { config, store, clock, workers, workspaceCache, showing, showingInbound } = ground
  const { submission, bulks, verification, addressLists, templates, streamEditing, eventStreams, rates } =
    ground
  const editing = { store, clock, workers, workspaceCache }
  return {
    ...{ store, read: store.read, submission, bulks, verification, addressLists, templates, streamEditing },
    ...{ eventStreams, rates, showingInbound, webhooks: ground.webhooks.editing, reports: ground.reports },
    ownAddresses: ownAddressesOf(config),
    storedBytesPerAccount: config.storedBytesPerAccount,
    showContent: showing.content.bind(showing),
    showRaw: showing.raw.bind(showing),
    openChecking: ground.openChecking,
    cancellation: new Cancellation(store, clock),
    hashRecipient: recipientHasher(ground.secret),
    ...{ rescheduling: ground.rescheduling, submitRaw: ground.submitRaw },
    maxMessageBytes: config.maxMessageBytes,
    requirements: requirementSettings(config),
    templateEditing: templateEditing(editing),
    layoutEditing: layoutEditing(editing),
    suppressing: new SuppressionList(store, clock),
    erase: erasureOf(ground),
  }
}

/** Returns the endpoints in the form of other services. */
const compatibleOf = ({ config }: Ground): CompatibleApis =>
  new CompatibleApis({
    hosts: new Map(config.compatHosts.map(({ vendor, host }) => [host, vendor])),
    isAtRoot: config.compatAtRoot === 'yes',
    lenient: new Set(config.compatLenient),
  })

/** Returns the handlers of pages that need no login. */
function pagesOf(ground: Ground, authentication: Authentication) {
  const { config, store, clock, secret, acme, publicUrl, hits, showingInbound } = ground
  return [
    ...(acme === undefined ? [] : [acmeChallenges((token) => acme.answerTo(token))]),
    ...(config.roles.includes('api')
      ? [
          unsubscribePages({ store, clock, secret }),
          trackingPages({ secret, hits, clock, machines: new Machines(config.scannerNetworks) }),
          inboundLinkPages(showingInbound),
          inboundPolicies(store.read, inboundMxHost(config)),
          publicKeyPages(ground.credentials),
          compatiblePages({
            ...{ store, clock, authentication, limiter: ground.sharing.limiter('inboxes') },
            ...{ openChecking: ground.openChecking, threads: ground.workers },
            hasSpamFilter: config.spamFilterUrl !== undefined,
            storedBytesPerAccount: config.storedBytesPerAccount,
            playground: config.mode === 'playground' ? publicUrl : undefined,
          }),
        ]
      : []),
  ]
}

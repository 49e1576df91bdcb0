// Builds the services for domains: the DNS resolvers, and the domain services of the dashboard.

import { isIP } from 'node:net'
import { SharedLinks } from '../access/shared-links.ts'
import type { DomainServices } from '../api/dashboard/services.ts'
import type { Config } from '../config/settings.ts'
import { authoritativeResolver } from '../dns/authoritative-resolver.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { type DomainSurroundings, DomainWork } from '../domains/domain-work.ts'
import { Health } from '../health/health.ts'
import type { RequirementSettings } from '../health/requirement-panel.ts'
import { mailOrigins } from '../inboxes/mail-origin.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Lifecycle } from '../lib/lifecycle.ts'
import { unreachableUnsubscribing } from '../lib/public-url.ts'
import type { InboundMx } from '../model/inbound-policy.ts'
import { reportAddress } from '../model/report-address.ts'
import type { Retention } from '../model/retention.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { createPlaygroundResolver, PLAYGROUND_MAIL_HOST } from '../playground/resolver.ts'
import type { Store } from '../store/database/store.ts'
import { findRecordsByName } from '../store/domains/domain-rows.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { Resending } from '../submission/resend.ts'
import type { Submission } from '../submission/submit.ts'

/** Returns the DNS resolver that the settings select, with or without a cache. */
export function resolverOf(
  config: Config,
  store: Store,
  cache: false | undefined,
  clock: Clock = systemClock,
): Resolver {
  if (config.mode === 'playground' && config.dnsServers === undefined) {
    return createPlaygroundResolver((name) => findRecordsByName(store.read, name))
  }
  return createResolver({ servers: config.dnsServers, cache, clock })
}

/** Returns a DNS resolver without a cache for one verification of a domain. */
export function verifyingResolver(config: Config, store: Store): Resolver {
  const resolver = resolverOf(config, store, false)
  if (config.mode === 'playground' && config.dnsServers === undefined) return resolver
  return authoritativeResolver({ resolver, allowed: parseNetworks(config.allowPrivateNetworks.join(',')) })
}

/** Returns the target of the CNAME record of tracking hosts: the host name at which recipients reach the HTTP ports. */
export function trackingTarget({ publicUrl, hostname }: Config): string {
  const host = publicUrl === undefined ? '' : new URL(publicUrl).hostname
  return host.includes('.') && isIP(host) === 0 ? host : hostname
}

/** True if the node is a playground whose own DNS returns an MX record with its own mail host for every domain. */
const hasOwnDns = ({ mode, dnsServers }: Config): boolean => mode === 'playground' && dnsServers === undefined

/** Returns the host that receives inbound mail. */
export const inboundMxHost = (config: Config): string =>
  hasOwnDns(config) ? PLAYGROUND_MAIL_HOST : config.hostname

/** Returns the hosts and addresses in the records of inbound hosts. */
export const inboundMxOf = (config: Config, secret: string): ((domainId: string) => InboundMx) => {
  const [host, isPublished] = [inboundMxHost(config), hasOwnDns(config)]
  const policyTarget = trackingTarget(config)
  return (domainId) => ({
    ...{ host, isPublished, policyTarget },
    reportAddress: reportAddress(secret, domainId, config.returnPathHost),
  })
}

/** Starts the HTTP client for requests to DNS providers and to the hosts of logos. */
export const startDomainHttp = ({
  config: { dnsServers, allowPrivateNetworks },
  clock,
  lifecycle,
}: {
  readonly config: Config
  readonly clock: Clock
  readonly lifecycle: Lifecycle
}): Promise<OutgoingHttp> =>
  lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: dnsServers, clock }),
      allowed: parseNetworks(allowPrivateNetworks.join(',')),
    }),
  )

/**
 * Returns the operations on domains; without an HTTP client, no DNS provider is asked for Domain Connect, and no logo is
 * fetched.
 */
export const domainWork = (
  {
    config,
    store,
    clock,
    workspaceCache,
    secret: reportSecret,
  }: Pick<DomainSurroundings, 'clock' | 'workspaceCache'> & {
    readonly config: Config
    readonly store: Store
    /** Secret of the addresses for reports. */
    readonly secret: string
  },
  http?: OutgoingHttp,
): DomainWork =>
  new DomainWork(store, {
    ...{ clock, workspaceCache, http },
    connect: connectOf(config, http),
    retention: retentionOf(config),
    returnPathHost: config.returnPathHost,
    trackingTarget: trackingTarget(config),
    reportSecret,
    inboundMx: inboundMxOf(config, reportSecret),
    hasCertificate: config.smtpTlsCert !== undefined || config.acmeEmail !== undefined,
    resolver: () => verifyingResolver(config, store),
  })

/** Returns the template and the HTTP client of Domain Connect if Domain Connect is configured. */
const connectOf = (
  { domainConnect: template }: Config,
  http: OutgoingHttp | undefined,
): DomainSurroundings['connect'] =>
  template === undefined || http === undefined ? undefined : { template, http }

/** Returns the settings that decide requirements of large receivers. */
export const requirementSettings = (config: Config): RequirementSettings => ({
  isRelayed: config.relayUrl !== undefined,
  unreachableLinks: unreachableUnsubscribing(config),
})

/** Returns the retention of messages as set for the installation. */
export const retentionOf = (config: Config): Retention => ({
  content: config.contentRetentionMs,
  transcript: config.transcriptRetentionMs,
  record: config.recordRetentionMs,
})

/** Returns the links to the DNS records of a domain for people without a login. */
export const recordLinks = (store: Store, clock: Clock, secret: string): SharedLinks =>
  new SharedLinks({ purpose: 'records of a domain', secret, store, clock })

/** Starts the domain services of the API and the dashboard. */
export const startDomains = async ({
  config,
  store,
  clock,
  lifecycle,
  submission,
  retention,
  workspaceCache,
  secret,
}: {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly lifecycle: Lifecycle
  readonly submission: Submission
  readonly retention: Retention
  readonly workspaceCache: WorkspaceCache
  /** Secret of the installation. */
  readonly secret: string
}): Promise<DomainServices> => ({
  domains: domainWork(
    { config, store, clock, workspaceCache, secret },
    await startDomainHttp({ config, clock, lifecycle }),
  ),
  recordLinks: recordLinks(store, clock, secret),
  resending: new Resending(store.read, clock, submission, retention),
  messageLinks: new SharedLinks({ purpose: 'message link', secret, store, clock }),
  mailOrigin: mailOrigins({
    read: store.read,
    secret,
    resolver: resolverOf(config, store, undefined, clock),
  }),
  health: new Health(config, store.read, clock, resolverOf(config, store, false)),
})

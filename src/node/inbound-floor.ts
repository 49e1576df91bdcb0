// The floor (layer) of a node for incoming mail: certificates, inbound messages, and the playground's mail host.

import { isIP } from 'node:net'
import type { AuthenticateMail } from '../bounces/feedback-loops.ts'
import { AcmeCertificates } from '../certificates/acme-certificates.ts'
import { TlsSource } from '../certificates/tls-source.ts'
import type { Config } from '../config/settings.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { InboundProcessor } from '../inbound/processor.ts'
import { MailReading } from '../inbound/reading.ts'
import { InboundReception } from '../inbound/reception.ts'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { Sealing } from '../lib/sealing.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { PlaygroundMailHost } from '../playground/mail-host.ts'
import { setUpPlayground } from '../playground/setup.ts'
import { AlignmentWatch } from '../reports/alignment-watch.ts'
import { type ReadInThread, ReportIntake } from '../reports/intake.ts'
import { ReportProcessor } from '../reports/processor.ts'
import { listHostsToCertify } from '../store/domains/tracking-hosts.ts'
import type { Owner } from '../store/messages/owner.ts'
import { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { StreamEditing } from '../streams/stream-editing.ts'
import { inboundMxOf, resolverOf, trackingTarget } from './domains.ts'
import type { NodeParts } from './parts.ts'
import type { StoreFloor } from './store-floor.ts'

export type InboundFloor = Awaited<ReturnType<typeof openInboundFloor>>

/**
 * Starts the certificates and the processing of inbound messages. Also starts the mail host of the playground, and
 * creates the first account, domain, keys and login of the playground.
 */
export async function openInboundFloor(ground: StoreFloor) {
  const { config, store, clock, log, node, lifecycle, versions, secret, retention } = ground
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
  const { streams: inboundStreams, processor, authenticate, ...reporting } = await startInbound(ground)
  // A playground without configured name servers delivers all mail to its own mail host.
  const mailHost =
    config.mode === 'playground' && config.dnsServers === undefined
      ? await lifecycle.start(
          new PlaygroundMailHost({
            ...config,
            ...{ store, clock, log, tls: tls.current(), streams: inboundStreams },
          }),
        )
      : undefined
  const workspaceCache = new WorkspaceCache(versions)
  const mx = inboundMxOf(config, secret)
  const streamEditing = new StreamEditing(store, clock, retention, mx, workspaceCache)
  const playgroundSecrets =
    config.mode === 'playground'
      ? await setUpPlayground({
          ...{ store, clock, dataDir: config.dataDir, returnPathHost: config.returnPathHost },
          trackingTarget: trackingTarget(config),
          reportSecret: secret,
          streams: mailHost === undefined ? undefined : streamEditing,
        })
      : undefined
  // The playground is made before the processor takes a further connection of the database.
  if (reporting.reportProcessor !== undefined) await lifecycle.start(reporting.reportProcessor)
  return {
    ...{ tls, proxyProtocol, acme, inboundStreams, processor, authenticate, ...reporting },
    ...{ workspaceCache, streamEditing, playgroundSecrets, playgroundPort: mailHost?.port },
    publicUrl: new PublicUrl(config.publicUrl, config.mode === 'production' ? config.hostname : undefined),
  }
}

/** Creates the part that orders certificates by ACME; returns undefined if ACME is not configured. */
async function acmeOf(
  parts: NodeParts & { readonly tls: TlsSource; readonly secret: string },
): Promise<AcmeCertificates | undefined> {
  const { config, store, clock, log, node, tls, secret } = parts
  const { acmeEmail: email, acmeDirectory: directoryUrl, dataDir, allowPrivateNetworks } = config
  if (email === undefined) return undefined
  const acme = new AcmeCertificates({
    ...{ email, directoryUrl, dataDir, store, clock, log, node, tls },
    names: certificateNames(config),
    // Tracked links of the playground point to the public URL, so no host of a domain needs a certificate.
    hosts: async () => (config.mode === 'playground' ? [] : listHostsToCertify(store.read)),
    challenges: config.httpsPort === undefined ? ['http-01'] : ['tls-alpn-01', 'http-01'],
    sealing: new Sealing(secret, 'tls key'),
    http: new OutgoingHttp({
      resolver: resolverOf(config, store, undefined, clock),
      allowed: parseNetworks(allowPrivateNetworks.join(',')),
    }),
  })
  await acme.presentKept()
  return acme
}

/**
 * Returns the names on the certificate: the host name of SMTP, the host name of HTTPS if different, and the hosts of
 * compatible endpoints.
 */
function certificateNames({ hostname, publicUrl, compatHosts }: Config): string[] {
  const host = publicUrl === undefined ? hostname : new URL(publicUrl).hostname
  const isName = isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.includes('.')
  return [...new Set([hostname, ...(isName ? [host] : []), ...compatHosts.map((one) => one.host)])]
}

/** Name under which the reading thread counts the operator's mail among the accounts that share the thread. */
const OPERATOR = 'operator'

/** Parts of a node that process inbound messages. */
interface InboundParts {
  readonly streams: InboundReception
  /** Processor of inbound messages; undefined on a node without this role. */
  readonly processor: InboundProcessor | undefined
  /** Authenticates a mail (DKIM, SPF) in the thread that reads inbound messages. */
  readonly authenticate: AuthenticateMail
  readonly reports: ReportIntake
  /** Reader of reports by mail, not started; undefined on a node without the role `inbound`. */
  readonly reportProcessor: ReportProcessor | undefined
}

/** Returns the own IP addresses of the settings. */
export const ownAddressesOf = ({ sourceAddresses }: Config): string[] =>
  sourceAddresses.flatMap(({ addresses }) => addresses.map(({ address }) => address))

/** Starts the processing of inbound messages on a node with the role `inbound`. */
async function startInbound({
  config,
  store,
  clock,
  log,
  node,
  lifecycle,
  secret,
}: StoreFloor): Promise<InboundParts> {
  const { hostname: hostName } = config
  const reading = await lifecycle.start(new MailReading())
  const resolver = resolverOf(config, store, undefined, clock)
  const streams = new InboundReception({
    ...{ store, clock },
    limits: {
      maxMessageBytes: config.inboundMaxMessageBytes,
      accountRate: config.inboundAccountRate,
      accountBytes: config.inboundAccountBytes,
      storedBytesPerAccount: config.storedBytesPerAccount,
    },
    received: () => processor?.wake(),
  })
  const authenticate: AuthenticateMail = ({ content: raw, address: ip, helo, from: sender }) =>
    reading.authenticate(OPERATOR, { raw, ip, helo, sender, host: hostName }, resolver)
  const readInThread: ReadInThread = (accountId, raw, now) =>
    reading.run({ accountId }, 'report', { raw, now }, raw.length)
  const alignment = new AlignmentWatch({
    ...{ store, clock, log },
    ownAddresses: ownAddressesOf(config),
  })
  const kept = (owner: Owner): Promise<void> => alignment.look(owner)
  const reportProcessor = config.roles.includes('inbound')
    ? new ReportProcessor({
        ...{ store, clock, log, node, resolver, readInThread, kept },
        authenticate: ({ accountId, ...mail }) =>
          reading.authenticate(accountId, { ...mail, host: hostName }, resolver),
      })
    : undefined
  const processor = config.roles.includes('inbound')
    ? await lifecycle.start(
        new InboundProcessor({
          ...{ store, clock, log, node, hostName, reading, resolver },
          reportTaken: () => reportProcessor?.wake(),
          memoryBytes: CONTENT_BYTES.inbound_reading(config),
        }),
      )
    : undefined
  const reports = new ReportIntake({
    ...{ store, clock, log, secret, readInThread, kept, returnPathHost: config.returnPathHost },
    received: () => reportProcessor?.wake(),
  })
  return { streams, processor, authenticate, reports, reportProcessor }
}

// The floor of incoming mail: certificates, inbound messages, and the mail host of the playground.

import { TlsSource } from '../certificates/tls-source.ts'
import { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { PlaygroundMailHost } from '../playground/mail-host.ts'
import { PLAYGROUND_MAIL_HOST } from '../playground/resolver.ts'
import { setUpPlayground } from '../playground/setup.ts'
import { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import { StreamEditing } from '../streams/stream-editing.ts'
import { acmeOf } from './certificates.ts'
import { trackingTarget } from './domains.ts'
import { startInbound } from './inbound.ts'
import type { StoreFloor } from './store-floor.ts'

export type InboundFloor = Awaited<ReturnType<typeof openInboundFloor>>

/** Starts the certificates, the reading of inbound messages, and in the playground the mail host and its first objects. */
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
  const { streams: inboundStreams, processor, authenticate } = await startInbound(ground)
  // Without name servers of its own the playground delivers everything to its built-in mail host.
  const mailHost =
    config.mode === 'playground' && config.dnsServers === undefined
      ? await lifecycle.start(
          new PlaygroundMailHost({
            ...config,
            ...{ store, clock, log, tls: tls.current(), streams: inboundStreams },
          }),
        )
      : undefined
  // The playground's DNS leads every domain to its own mail host.
  const mxHost = mailHost === undefined ? config.hostname : PLAYGROUND_MAIL_HOST
  const workspaceCache = new WorkspaceCache(versions)
  const streamEditing = new StreamEditing(store, clock, retention, mxHost, workspaceCache)
  const playgroundSecrets =
    config.mode === 'playground'
      ? await setUpPlayground({
          ...{ store, clock, dataDir: config.dataDir, returnPathHost: config.returnPathHost },
          trackingTarget: trackingTarget(config),
          streams: mailHost === undefined ? undefined : streamEditing,
        })
      : undefined
  return {
    ...{ tls, proxyProtocol, acme, inboundStreams, processor, authenticate },
    ...{ workspaceCache, streamEditing, playgroundSecrets, playgroundPort: mailHost?.port },
    publicUrl: new PublicUrl(config.publicUrl, config.mode === 'production' ? config.hostname : undefined),
  }
}

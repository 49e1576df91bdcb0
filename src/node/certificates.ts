// Certificates by ACME put together: from settings to what orders them.

import { isIP } from 'node:net'
import { AcmeCertificates } from '../certificates/acme-certificates.ts'
import type { TlsSource } from '../certificates/tls-source.ts'
import type { Config } from '../config/settings.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { Sealing } from '../lib/sealing.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { listTrackingHosts } from '../store/domains/tracking-hosts.ts'
import { resolverOf } from './domains.ts'
import type { NodeParts } from './parts.ts'

/** Makes the part that orders certificates; undefined where the settings do not ask for it. */
export async function acmeOf(
  parts: NodeParts & { readonly tls: TlsSource; readonly secret: string },
): Promise<AcmeCertificates | undefined> {
  const { config, store, clock, log, node, tls, secret } = parts
  const { acmeEmail: email, acmeDirectory: directoryUrl, dataDir, allowPrivateNetworks } = config
  if (email === undefined) return undefined
  const acme = new AcmeCertificates({
    ...{ email, directoryUrl, dataDir, store, clock, log, node, tls },
    names: certificateNames(config),
    // In the playground tracked links lead to the public URL.
    hosts: async () => (config.mode === 'playground' ? [] : listTrackingHosts(store.read)),
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

/** The names that clients connect to: for SMTP, and for HTTPS where that is another one. */
function certificateNames({ hostname, publicUrl }: Config): string[] {
  const host = publicUrl === undefined ? hostname : new URL(publicUrl).hostname
  const isName = isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.includes('.')
  return [...new Set([hostname, ...(isName ? [host] : [])])]
}

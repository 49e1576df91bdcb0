// Webhooks put together: from settings to what edits them, and what delivers where the node has that role.

import { makeCertificate } from '../certificates/making.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import type { CertificateAndKey } from '../lib/certificate-files.ts'
import type { Figure } from '../lib/figures.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { FeedWatch } from '../store/events/feed-watch.ts'
import { type ReadReceived, ReceivedMail } from '../webhooks/received-mail.ts'
import { SnsSigner } from '../webhooks/sns-signer.ts'
import { WebhookDelivery } from '../webhooks/webhook-delivery.ts'
import { WebhookEditing } from '../webhooks/webhook-editing.ts'
import type { NodeParts } from './parts.ts'

export interface Webhooks {
  readonly editing: WebhookEditing
  readonly sns: SnsSigner
  figures(): Figure[]
}

/** The playground is tried with an application on the same machine. */
const ownNetworks = ({ mode }: NodeParts['config']): readonly string[] =>
  mode === 'playground' ? ['127.0.0.0/8', '::1/128'] : []

/** Names are looked up in the DNS in the playground too: its resolver knows mail hosts alone. */
export async function startWebhooks(
  { config, store, clock, log, node, lifecycle, trace }: NodeParts,
  feedWatch: FeedWatch,
  readReceived: ReadReceived,
  publicUrl: PublicUrl,
): Promise<Webhooks> {
  const http = await lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: config.dnsServers, clock }),
      allowed: parseNetworks([...config.allowPrivateNetworks, ...ownNetworks(config)].join(',')),
      plainHttp: config.webhookHttp === 'yes',
    }),
  )
  const sns = new SnsSigner({ store, publicUrl, makeCertificate: () => makeSnsCertificate(clock.now()) })
  const basics = { store, http, clock, receivedMail: new ReceivedMail(readReceived), sns }
  const editing = new WebhookEditing(basics)
  if (!config.roles.includes('webhooks')) return { editing, sns, figures: () => [] }
  const delivery = await lifecycle.start(new WebhookDelivery({ ...basics, log, node, feedWatch, trace }))
  return { editing, sns, figures: () => delivery.figures() }
}

const YEAR_MS = 365 * 86_400_000

/** For as long as anybody uses it: receivers look at the key, and at where they got the certificate. */
const makeSnsCertificate = (now: number): Promise<CertificateAndKey> =>
  makeCertificate({
    names: [{ type: 'dns', value: 'sns.postrider.invalid' }],
    notBefore: now - YEAR_MS,
    notAfter: now + 20 * YEAR_MS,
    isRsa: true,
  })

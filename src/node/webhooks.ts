// Webhooks put together: from settings to what edits them, and what delivers where the node has that role.

import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import type { Figure } from '../lib/figures.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { FeedWatch } from '../store/events/feed-watch.ts'
import { type ReadReceived, ReceivedMail } from '../webhooks/received-mail.ts'
import { WebhookDelivery } from '../webhooks/webhook-delivery.ts'
import { WebhookEditing } from '../webhooks/webhook-editing.ts'
import type { NodeParts } from './parts.ts'

export interface Webhooks {
  readonly editing: WebhookEditing
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
): Promise<Webhooks> {
  const http = await lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: config.dnsServers, clock }),
      allowed: parseNetworks([...config.allowPrivateNetworks, ...ownNetworks(config)].join(',')),
      plainHttp: config.webhookHttp === 'yes',
    }),
  )
  const basics = { store, http, clock, receivedMail: new ReceivedMail(readReceived) }
  const editing = new WebhookEditing(basics)
  if (!config.roles.includes('webhooks')) return { editing, figures: () => [] }
  const delivery = await lifecycle.start(new WebhookDelivery({ ...basics, log, node, feedWatch, trace }))
  return { editing, figures: () => delivery.figures() }
}

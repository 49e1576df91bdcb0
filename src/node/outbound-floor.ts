// The floor (layer) of a node for outgoing mail and events: delivery, events, webhooks, and maintenance jobs.

import { readFileSync } from 'node:fs'
import { EventStreams } from '../api/events/event-streams.ts'
import { ConfigError } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { ComposingThread } from '../delivery/composing.ts'
import { Preparation } from '../delivery/prepare.ts'
import { MessageShowing } from '../delivery/show.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { DailyCheck } from '../domains/daily-check.ts'
import { BlockListWatch } from '../health/block-list-watch.ts'
import { addressesOf } from '../health/own-addresses.ts'
import { type PostmasterKey, PostmasterTools, readPostmasterKey } from '../health/postmaster.ts'
import { PostmasterWatch } from '../health/postmaster-watch.ts'
import { RequirementWatch } from '../health/requirement-watch.ts'
import { InboundLinks } from '../inbound/links.ts'
import { InboundShowing } from '../inbound/show.ts'
import type { Figure } from '../lib/figures.ts'
import { mailLog } from '../model/mail-log.ts'
import { HistoryRemoval } from '../operator/history-removal.ts'
import { TableUpkeep } from '../operator/table-upkeep.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { FeedWatch } from '../store/events/feed-watch.ts'
import { LogFollower } from '../store/readers/log-follower.ts'
import { HitLog } from '../tracking/hit-log.ts'
import { type ReadReceived, ReceivedMail } from '../webhooks/received-mail.ts'
import { WebhookDelivery } from '../webhooks/webhook-delivery.ts'
import { WebhookEditing } from '../webhooks/webhook-editing.ts'
import { startDelivery } from './delivery.ts'
import { requirementSettings, resolverOf, startDomainHttp, verifyingResolver } from './domains.ts'
import { startEgress } from './egress.ts'
import type { InboundFloor } from './inbound-floor.ts'
import type { NodeParts } from './parts.ts'
import type { StoreFloor } from './store-floor.ts'
import { startTraces } from './traces.ts'

export type OutboundFloor = Awaited<ReturnType<typeof openOutboundFloor>>

/** Starts delivery, the readers of the event log, webhooks, and the maintenance jobs. */
export async function openOutboundFloor(ground: StoreFloor & InboundFloor) {
  const { config, store, clock, log, node, lifecycle, secret, clockWatch, sharing, publicUrl, retention } =
    ground
  const composing = await lifecycle.start(new ComposingThread())
  const links = { secret, publicUrl, tracksAtPublicUrl: config.mode === 'playground' }
  const preparation = new Preparation(store, links, composing)
  const trace = await startTraces(config, lifecycle, log)
  const logMail = mailLog(config, log)
  const egress = await startEgress({ ...ground, trace })
  const queue = await startDelivery({ ...ground, trace, logMail, egress, preparation, clockWatch })
  if (queue !== undefined) sharing.add('sites', queue.rates)
  const feedWatch = await lifecycle.start(new FeedWatch(store, log))
  const eventStreams = new EventStreams(store.read, feedWatch)
  ground.versions.on('access', eventStreams.checkCallers)
  const eventLog = await lifecycle.start(new LogFollower(store, log, () => feedWatch.check()))
  const hits = await lifecycle.start(new HitLog(store, log))
  const showingInbound = new InboundShowing(store.read, new InboundLinks(secret, publicUrl, clock))
  const webhooks = await startWebhooks({ ...ground, trace }, feedWatch, (owner, id, admit) =>
    showingInbound.eventData(owner, id, admit),
  )
  await lifecycle.start(
    new HistoryRemoval({
      ...{ store, clock, log, node, retention, time: ground.removalTime },
      auditMs: config.auditRetentionMs,
      figuresMs: config.figuresRetentionMs,
      webhooksMs: config.webhookRetentionMs,
      requestsMs: config.requestLogRetentionMs,
    }),
  )
  await lifecycle.start(new TableUpkeep({ store, clock, log, node }))
  const http = await startDomainHttp(ground)
  await lifecycle.start(
    new DailyCheck({
      ...{ store, clock, log, node, http },
      resolver: () => verifyingResolver(config, store),
    }),
  )
  await startWatches(ground)
  return {
    ...{ trace, logMail, egress, queue, eventStreams, eventLog, hits, showingInbound, webhooks },
    preparation,
    showing: new MessageShowing(store.read, preparation, retention),
  }
}

/** Starts the hourly lookups in block lists, if the settings name lists, and the checks of requirements. */
async function startWatches({ config, store, clock, log, node, lifecycle }: NodeParts): Promise<void> {
  const basics = {
    ...{ store, clock, log, node },
    own: addressesOf(config),
    allowed: parseNetworks(config.allowPrivateNetworks.join(',')),
    resolver: resolverOf(config, store, false),
  }
  const { blockLists: lists, spamhausKey, returnPathHost } = config
  if (lists.length > 0) await lifecycle.start(new BlockListWatch({ ...basics, lists, spamhausKey }))
  const settings = requirementSettings(config)
  await lifecycle.start(new RequirementWatch({ ...basics, settings, returnPathHost }))
  const key = postmasterKeyOf(config)
  if (key === undefined) return
  const http = await lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: config.dnsServers, clock }),
      allowed: basics.allowed,
    }),
  )
  await lifecycle.start(
    new PostmasterWatch({ ...{ store, clock, log, node }, tools: new PostmasterTools(key, http, clock) }),
  )
}

/** Reads the key of Google Postmaster Tools; undefined without one. Throws `ConfigError` for an unusable file. */
function postmasterKeyOf({ postmasterKeyFile: file }: Config): PostmasterKey | undefined {
  if (file === undefined) return undefined
  try {
    return readPostmasterKey(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError([
      `POSTRIDER_POSTMASTER_KEY_FILE ${code === undefined ? message : `cannot be read: ${message}`}`,
    ])
  }
}

interface Webhooks {
  readonly editing: WebhookEditing
  figures(): Figure[]
}

/** Returns the loopback networks in the playground, so that webhooks reach an application on the same machine. */
const ownNetworks = ({ mode }: NodeParts['config']): readonly string[] =>
  mode === 'playground' ? ['127.0.0.0/8', '::1/128'] : []

/**
 * Starts webhooks. Host names of webhook receivers are looked up in the public DNS even in the playground, because the
 * playground's resolver knows only mail hosts.
 */
async function startWebhooks(
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

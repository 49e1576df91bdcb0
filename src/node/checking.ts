// Builds the check of messages from the settings: the guard of sending, and the check on request. The modules of the
// check are loaded when they are first used.

import type { Checking } from '../check/checking.ts'
import type { RecipientKnowledge } from '../check/recipient-facts.ts'
import type { AskSpamFilter } from '../check/spam-filter.ts'
import type { CheckJobs } from '../check/worker.ts'
import type { Preparation } from '../delivery/prepare.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { newId } from '../lib/ids.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { type SendRequest, tagsOf } from '../model/send-request.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { installationSecret } from '../store/node/secret-facts.ts'
import type { Sender } from '../submission/authorize.ts'
import type { RequestExpander } from '../submission/expand.ts'
import type { GuardMessage } from '../submission/guarding.ts'
import type { Jobs } from '../templates/jobs.ts'
import { WorkerPool } from '../templates/worker-pool.ts'
import type { NodeParts } from './parts.ts'

/** Threads of a node, for templates and for checks. */
export type ContentThreads = WorkerPool<Jobs & CheckJobs>

export const contentThreads = (): ContentThreads =>
  new WorkerPool(undefined, new URL('../check/worker.ts', import.meta.url))

type CheckParts = Pick<NodeParts, 'store' | 'clock' | 'log'> & { readonly workers: ContentThreads }

async function knowledgeOf({ store, clock, log }: CheckParts): Promise<RecipientKnowledge> {
  const [{ RecipientKnowledge: Knowledge }, { DeliveryHistory }] = await Promise.all([
    import('../check/recipient-facts.ts'),
    import('../verification/delivery-history.ts'),
  ])
  return new Knowledge(store.read, new DeliveryHistory(store.read, clock, log))
}

/** Returns the guard of sending, which loads its rules with the first message that it checks. */
export function guardOf(parts: CheckParts): GuardMessage {
  let loaded: Promise<GuardMessage> | undefined
  const load = async (): Promise<GuardMessage> => {
    const [{ messageGuard }, knowledge] = await Promise.all([
      import('../check/message-guard.ts'),
      knowledgeOf(parts),
    ])
    return messageGuard(parts.workers, knowledge)
  }
  return async (message) => {
    loaded ??= load()
    return (await loaded)(message)
  }
}

/** Returns the function that opens the check on request, at its first call. */
export function checkingOf(
  parts: CheckParts &
    Pick<NodeParts, 'config' | 'lifecycle'> & {
      readonly expander: RequestExpander
      readonly preparation: Preparation
      readonly publicUrl: PublicUrl
    },
): () => Promise<Checking> {
  const { config, clock, lifecycle, expander, preparation, publicUrl } = parts
  let opened: Promise<Checking> | undefined
  const open = async (): Promise<Checking> => {
    const [{ Checking: Service }, { LinkProbe }, knowledge] = await Promise.all([
      import('../check/checking.ts'),
      import('../check/link-probe.ts'),
      knowledgeOf(parts),
    ])
    const resolver = createResolver({ servers: config.dnsServers, clock })
    const http = await lifecycle.start(
      new OutgoingHttp({
        resolver,
        allowed: parseNetworks(config.allowPrivateNetworks.join(',')),
        plainHttp: true,
      }),
    )
    return new Service({
      ...{ threads: parts.workers, knowledge, links: new LinkProbe(http) },
      ownOrigin: () => (config.mode === 'playground' ? URL.parse(publicUrl.value)?.origin : undefined),
      askSpamFilter: await spamFilterOf(parts),
      expand: (sender, request) => expander.expand(sender, request, ''),
      compose: (sender, request) => composed(preparation, sender, request, clock.now()),
    })
  }
  return () => {
    opened ??= open()
    return opened
  }
}

/** Returns the function that opens the check for a command on the machine. */
export async function checkingAlone(
  parts: Omit<CheckParts, 'workers'> & Pick<NodeParts, 'config' | 'lifecycle'>,
): Promise<() => Promise<Checking>> {
  const { config, store, lifecycle } = parts
  const [{ Preparation: Preparing }, { ComposingThread }, { RequestExpander: Expander }, { Streams }] =
    await Promise.all([
      import('../delivery/prepare.ts'),
      import('../delivery/composing.ts'),
      import('../submission/expand.ts'),
      import('../streams/streams.ts'),
    ])
  const [{ Templates }, { WorkspaceCache }, { publicUrlOf }] = await Promise.all([
    import('../templates/templates.ts'),
    import('../store/workspace/workspace-cache.ts'),
    import('./login-notices.ts'),
  ])
  const workers = await lifecycle.start(contentThreads())
  const composing = await lifecycle.start(new ComposingThread())
  const cache = new WorkspaceCache()
  const templates = new Templates(store.read, cache, workers, config.maxRenderedBytes)
  const links = { secret: await installationSecret(store), publicUrl: publicUrlOf({ config }) }
  return checkingOf({
    ...{ ...parts, workers, expander: new Expander(templates, new Streams(store.read, cache)) },
    preparation: new Preparing(store, links, composing),
    publicUrl: links.publicUrl,
  })
}

/** Composes a request as its first recipient would get the message. */
async function composed(
  preparation: Preparation,
  { accountId, domainId, domainName, inboxId }: Sender,
  request: SendRequest,
  now: number,
): Promise<Buffer> {
  const prepare = preparation.open({
    ...{ id: newId('msg', now), accountId, domainId, domainName, inboxId, createdAt: now },
    tag: tagsOf(request)[0] ?? null,
    recipientCount: request.to.length + (request.cc?.length ?? 0) + (request.bcc?.length ?? 0),
    ...{ stream: request.stream ?? 'transactional', format: 'json', content: JSON.stringify(request) },
  })
  const { chunks } = await prepare({ email: request.to[0]?.email ?? '', position: 0 })
  return Buffer.concat(chunks)
}

/** Returns the function that asks the configured spam filter, which may stand in a private network. */
async function spamFilterOf({
  config,
  clock,
  lifecycle,
}: Pick<NodeParts, 'config' | 'clock' | 'lifecycle'>): Promise<AskSpamFilter | undefined> {
  const { spamFilterUrl: url, hostname: helo } = config
  if (url === undefined) return undefined
  const { askSpamFilter } = await import('../check/spam-filter.ts')
  const http = await lifecycle.start(
    new OutgoingHttp({
      resolver: createResolver({ servers: config.dnsServers, clock }),
      allowed: { includes: () => true },
      plainHttp: true,
    }),
  )
  return askSpamFilter(new URL(url), http, { helo })
}

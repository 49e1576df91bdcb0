// The endpoints that commands on the machine call: the endpoints of the API, on the store that the command has opened.

import { callerOfCommandLine } from '../api/caller.ts'
import { type LocalRequest, type LocalResponse, LocalServer } from '../api/local-server.ts'
import type { Route } from '../api/route.ts'
import { submissionAddress } from '../config/listeners.ts'
import { Lifecycle } from '../lib/lifecycle.ts'
import { silentLog } from '../lib/log.ts'
import type { Account } from '../store/access/accounts.ts'
import { operatingAccountId } from '../store/access/operating-account.ts'
import { listDomains } from '../store/domains/domain-rows.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { installationSecret } from '../store/node/secret-facts.ts'
import { WorkspaceCache } from '../store/workspace/workspace-cache.ts'
import type { AccountVerification } from '../verification/account-verification.ts'
import type { NodeParts } from './parts.ts'

type LocalParts = Pick<NodeParts, 'config' | 'store' | 'clock' | 'lifecycle'>

/** Returns the endpoints of a group. The modules of a group are loaded when a command calls the group. */
type Group = (parts: LocalParts) => Promise<readonly Route[]>

/** Groups of endpoints, by the first segment of the path after `/v1`. */
const GROUPS: Readonly<Record<string, Group>> = {
  accounts: async (parts) => {
    const { operatedAccountRoutes } = await import('../api/accounts/routes.ts')
    const { store, clock, config } = parts
    const { storedBytesPerAccount } = config
    const invitations = await invitationsOf(parts)
    return operatedAccountRoutes({ store, read: store.read, clock, storedBytesPerAccount, invitations })
  },
  check: async (parts) => {
    const [{ checkMessage }, { checkingAlone }] = await Promise.all([
      import('../api/check/check.ts'),
      import('./checking.ts'),
    ])
    return [checkMessage(await checkingAlone({ ...parts, log: silentLog }))]
  },
  credits: async ({ store, clock }) => {
    const { showCredits } = await import('../api/credits/routes.ts')
    return [showCredits({ read: store.read, clock })]
  },
  deliverability: async ({ store, clock }) => {
    const { incidentRoutes } = await import('../api/incidents/routes.ts')
    return incidentRoutes({ store, read: store.read, clock })
  },
  domains: async ({ config, store, clock }) => {
    const [{ domainRoutes }, { domainWork, recordLinks }, { DomainLists }, { publicUrlOf }] =
      await Promise.all([
        import('../api/domains/routes.ts'),
        import('./domains.ts'),
        import('../verification/lists.ts'),
        import('./login-notices.ts'),
      ])
    const lists = new DomainLists()
    const secret = await installationSecret(store)
    return domainRoutes({
      read: store.read,
      domains: domainWork({ config, store, clock, secret, workspaceCache: new WorkspaceCache() }),
      verification: { isMailboxProvider: (name) => lists.isFree(name) },
      recordLinks: recordLinks(store, clock, secret),
      publicUrl: publicUrlOf({ config }),
    })
  },
  erasures: async (parts) => {
    const [{ eraseAddress }, { erasureOf }] = await Promise.all([
      import('../api/erasures/erase.ts'),
      import('./erasure.ts'),
    ])
    return [eraseAddress(erasureOf(parts))]
  },
  events: async ({ store }) => [(await import('../api/events/list.ts')).listOfEvents(store.read)],
  explain: async ({ store }) => {
    const [{ explainMail }, { recipientHasher }] = await Promise.all([
      import('../api/explain/explain.ts'),
      import('../access/recipient-hash.ts'),
    ])
    return [
      explainMail({ read: store.read, hashRecipient: recipientHasher(await installationSecret(store)) }),
    ]
  },
  inboxes: async ({ config, store, clock }) => {
    const [{ inboxRoutes }, { publicUrlOf }] = await Promise.all([
      import('../api/inboxes/routes.ts'),
      import('./login-notices.ts'),
    ])
    return inboxRoutes({ store, clock, read: store.read, publicUrl: publicUrlOf({ config }) })
  },
  invitations: async (parts) => {
    const { invitationRoutes } = await import('../api/invitations/routes.ts')
    return invitationRoutes({ invitations: await invitationsOf(parts) })
  },
  key: async ({ store, clock }) => (await import('../api/keys/routes.ts')).keyRoutes({ store, clock }),
  layouts: async ({ store, clock }) => {
    const [{ layoutRoutes }, { layoutEditing }] = await Promise.all([
      import('../api/templates/routes.ts'),
      import('../templates/layout-editing.ts'),
    ])
    return layoutRoutes(store.read, layoutEditing({ store, clock }))
  },
  messages: async ({ store }) => {
    const [{ listMessages }, { showMessage }] = await Promise.all([
      import('../api/messages/list.ts'),
      import('../api/messages/show.ts'),
    ])
    return [listMessages(store.read), showMessage(store.read, noContent)]
  },
  operator: async ({ store, clock }) => {
    const [{ operatorCommandRoutes }, { QueueControl }] = await Promise.all([
      import('../api/operator/routes.ts'),
      import('../operator/queue.ts'),
    ])
    return operatorCommandRoutes(new QueueControl(store, clock), store.read)
  },
  people: async ({ store }) => (await import('../api/people/routes.ts')).peopleRoutes({ store }),
  requirements: async ({ config, store, clock }) => {
    const [{ showRequirements }, { requirementSettings }] = await Promise.all([
      import('../api/requirements/routes.ts'),
      import('./domains.ts'),
    ])
    return [showRequirements({ read: store.read, clock, requirements: requirementSettings(config) })]
  },
  'smtp-credentials': async ({ config, store, clock }) => {
    const [{ smtpCredentialRoutes }, { smtpListener }] = await Promise.all([
      import('../api/smtp-credentials/routes.ts'),
      import('./people.ts'),
    ])
    const { port, tlsPort } = submissionAddress(config)
    const listener = smtpListener({ config, smtp: { port, tlsPort } })
    return smtpCredentialRoutes({ store, clock, smtpListener: () => listener })
  },
  streams: async ({ config, store, clock }) => {
    const [{ streamRoutes }, { StreamEditing }, { inboundMxOf, retentionOf }] = await Promise.all([
      import('../api/streams/routes.ts'),
      import('../streams/stream-editing.ts'),
      import('./domains.ts'),
    ])
    const mx = inboundMxOf(config, await installationSecret(store))
    return streamRoutes(new StreamEditing(store, clock, retentionOf(config), mx)).filter(
      // The mail host of the playground, which a change of a stream may name, runs in the service.
      ({ method }) => method === 'GET',
    )
  },
  suppressions: async ({ store, clock }) => {
    const [{ listSuppressions }, { suppressionChanges }, { SuppressionList }] = await Promise.all([
      import('../api/suppressions/list.ts'),
      import('../api/suppressions/change.ts'),
      import('../streams/suppression-list.ts'),
    ])
    return [listSuppressions(store.read), ...suppressionChanges(new SuppressionList(store, clock))]
  },
  templates: async ({ config, store, clock }) => {
    const [{ templateRoutes }, { templateEditing }, { Templates }, { WorkerPool }] = await Promise.all([
      import('../api/templates/routes.ts'),
      import('../templates/template-editing.ts'),
      import('../templates/templates.ts'),
      import('../templates/worker-pool.ts'),
    ])
    const templates = new Templates(
      store.read,
      new WorkspaceCache(),
      new WorkerPool(),
      config.maxRenderedBytes,
    )
    return templateRoutes(store.read, templateEditing({ store, clock }), templates)
  },
  verifyEmail: async (parts) => {
    const [{ verifyEmail, verifyEmailDetailed }, { startVerificationAlone }] = await Promise.all([
      import('../api/verifications/verify-email.ts'),
      import('./verification.ts'),
    ])
    const alone = { ...parts, log: silentLog, node: new NodeName() }
    const verifying = withoutCredits(await startVerificationAlone(alone))
    return [verifyEmail(verifying), verifyEmailDetailed(verifying)]
  },
}

/** Groups whose endpoints belong to another group. */
const SAME: Readonly<Record<string, string>> = {
  keys: 'key',
  incidents: 'deliverability',
  verifyEmailDetailed: 'verifyEmail',
}

/** Refuses to compose a message: no command shows the content of a message. */
const noContent = (): Promise<never> => {
  throw new Error('no command shows the content of a message')
}

/** Verifies addresses without credits, because the operator of the machine grants the credits. */
const withoutCredits = (verification: AccountVerification): Pick<AccountVerification, 'verifyForCredit'> => ({
  verifyForCredit: async ({ accountId }, given) => ({
    verification: await verification.verify(accountId || undefined, given, false),
    creditsLeft: 0,
  }),
})

async function invitationsOf({ config, store, clock }: LocalParts) {
  const [{ Invitations }, { mailOfCommandLine, publicUrlOf }, { unreachableLinks }, { canSendOwnMail }] =
    await Promise.all([
      import('../access/invitations.ts'),
      import('./login-notices.ts'),
      import('../lib/public-url.ts'),
      import('../submission/service-mail.ts'),
    ])
  return new Invitations({
    ...{ store, clock, publicUrl: publicUrlOf({ config }), unreachable: unreachableLinks(config) },
    send: async (mail) => (await mailOfCommandLine({ config, store, clock }))(mail),
    canSend: () => canSendOwnMail(store),
  })
}

/** The API for commands on the machine, within an account or, without one, for the whole installation. */
export class LocalApi {
  readonly #parts: LocalParts
  readonly #account: Account | undefined
  readonly #servers = new Map<string, Promise<LocalServer>>()

  constructor(parts: Omit<LocalParts, 'lifecycle'>, account: Account | undefined) {
    this.#parts = { ...parts, lifecycle: new Lifecycle() }
    this.#account = account
  }

  /** Calls an endpoint as the command line. */
  async call(request: LocalRequest): Promise<LocalResponse> {
    const [, , segment = ''] = request.path.split(/[/?]/)
    const name = SAME[segment] ?? segment
    let server = this.#servers.get(name)
    if (server === undefined) {
      server = this.#open(name)
      this.#servers.set(name, server)
    }
    return (await server).call(request)
  }

  async #open(name: string): Promise<LocalServer> {
    const group = GROUPS[name]
    if (group === undefined) throw new Error(`there is no group of endpoints ${name}`)
    const { store, clock, config } = this.#parts
    return new LocalServer({
      routes: await group(this.#parts),
      caller: callerOfCommandLine(await this.#within()),
      ...{ store, clock, maxBodyBytes: config.maxBodyBytes },
    })
  }

  async #within() {
    const account = this.#account
    if (account === undefined) return undefined
    const { read } = this.#parts.store
    const [operating, domains] = await Promise.all([operatingAccountId(read), listDomains(read, account.id)])
    return { account, operates: operating === account.id, domains }
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await (await server).close()
    await this.#parts.lifecycle.stop()
  }
}

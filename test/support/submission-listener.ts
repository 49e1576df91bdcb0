// The SMTP submission listener on free loopback ports, with a real store and real services.

import { CredentialRates } from '../../src/access/credential-rates.ts'
import { Credentials } from '../../src/access/credentials.ts'
import { TlsSource } from '../../src/certificates/tls-source.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { FairOrder } from '../../src/queue/manager.ts'
import { SubmissionServer, type SubmissionServerOptions } from '../../src/smtpd/submission.ts'
import type { Store } from '../../src/store/database/store.ts'
import { findContent, findMessage, type Message, type Recipient } from '../../src/store/messages/messages.ts'
import { VersionWatch } from '../../src/store/node/version-watch.ts'
import { listMessages } from '../../src/store/search/message-search.ts'
import { Submission } from '../../src/submission/submit.ts'
import { openTestStore, testStorage, usualDatabase } from './store.ts'
import type { Tenant } from './tenant.ts'
import { openWorkspaces, type Workspaces } from './workspaces.ts'

export interface SubmissionDoor {
  readonly store: Store
  readonly server: SubmissionServer
  readonly versions: VersionWatch
  readonly workspaces: Workspaces
  readonly port: number
  readonly tlsPort: number
  close(): Promise<void>
}

const MANY = { count: 10_000, perMs: 1_000 }

/**
 * Opens a submission listener; `wanted` replaces options, and `messageClock` is the clock that dates accepted messages.
 */
export async function openSubmissionListener({
  messageClock,
  ...wanted
}: Partial<SubmissionServerOptions> & { readonly messageClock?: Clock } = {}): Promise<SubmissionDoor> {
  const store = await openTestStore(usualDatabase())
  const storage = await testStorage(usualDatabase(), 'tables')
  const clock = wanted.clock ?? systemClock
  const maxMessageBytes = wanted.maxMessageBytes ?? 1_000_000
  const versions = new VersionWatch(store, silentLog)
  await versions.start()
  const credentials = new Credentials(store, clock, silentLog, versions)
  const workspaces = await openWorkspaces(store)
  const server = new SubmissionServer({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 0,
    hostName: 'mail.test',
    tls: await TlsSource.open({ dataDir: storage.dataDir, hostName: 'mail.test' }),
    submission: new Submission({
      startTags: new FairOrder(),
      store,
      clock: messageClock ?? clock,
      expander: workspaces.expander,
      secret: 'secret',
      maxMessageBytes,
      expiryMs: 3_600_000,
      queue: undefined,
    }),
    authFailureRate: { count: 1_000, perMs: 60_000 },
    log: silentLog,
    credentials,
    rates: new CredentialRates(clock, { sending: MANY, verification: MANY }),
    clock,
    maxMessageBytes,
    ...wanted,
  })
  await server.start()
  return {
    store,
    server,
    versions,
    workspaces,
    port: server.port,
    tlsPort: server.tlsPort as number,
    async close() {
      await server.stop()
      await workspaces.close()
      await storage.remove()
      await credentials.stop()
      await versions.stop()
      await store.close()
    },
  }
}

/** A stored message with its recipients and content. */
export interface Stored {
  readonly message: Message
  readonly recipients: readonly Recipient[]
  readonly content: string
}

/** Returns all messages of a tenant, oldest first. */
export async function storedMessages(store: Store, { owner }: Tenant): Promise<Stored[]> {
  const { messages: listed } = await listMessages(store.read, owner, {}, 200, undefined)
  const all = listed.reverse().map(({ message }) => readStored(store, owner, message.id))
  return await Promise.all(all)
}

async function readStored(store: Store, owner: Tenant['owner'], id: string): Promise<Stored> {
  const found = await findMessage(store.read, owner, id)
  const content = await findContent(store.read, owner, id)
  if (found === undefined || content === undefined) throw new Error(`${id} has no record or no content`)
  return { ...found, content: content.content.toString('latin1') }
}

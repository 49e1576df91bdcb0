// The composition root: from settings to a running node.

import { Credentials } from './access/credentials.ts'
import { ApiServer } from './api/server.ts'
import { startAddressLists, startVerification, verificationFigures } from './app-verification.ts'
import type { Config } from './config.ts'
import { ConnectionPool, DEFAULT_LIMITS } from './delivery/pool.ts'
import { Preparation } from './delivery/prepare.ts'
import { relayFrom } from './delivery/relay.ts'
import { expiryOf } from './delivery/retry.ts'
import { showMessage } from './delivery/show.ts'
import { Throttle } from './delivery/throttle.ts'
import { DeliveryWorker } from './delivery/worker.ts'
import { createResolver, type Resolver } from './dns/resolver.ts'
import { parseNetworks } from './dns/special-use.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createRegistry, type Figure } from './lib/figures.ts'
import { randomBase62 } from './lib/ids.ts'
import { Lifecycle } from './lib/lifecycle.ts'
import type { Log } from './lib/log.ts'
import { PlaygroundMailHost } from './playground/mail-host.ts'
import { mailboxPages } from './playground/mailbox-pages.ts'
import { createPlaygroundResolver } from './playground/resolver.ts'
import { type PlaygroundFile, setUpPlayground, writePlaygroundFile } from './playground/setup.ts'
import { TlsSource } from './smtpd/certificate.ts'
import { SubmissionServer } from './smtpd/submission.ts'
import { findRecordsByName } from './store/domains.ts'
import { accessVersion } from './store/installation.ts'
import { holdDataDirectory } from './store/node-lock.ts'
import { openStore, reading, type Store } from './store/store.ts'
import { IdempotencyKeyRemoval } from './submission/idempotency-key-removal.ts'
import { Submission } from './submission/submit.ts'

/** A running node. */
export interface App {
  /** Under which users reach the API; `/v1` follows. */
  readonly url: string
  /** Where SMTP submission listens; undefined when this node does not do it. */
  readonly smtpPort: number | undefined
  readonly smtpsPort: number | undefined
  /** What the playground made; undefined in production. */
  readonly playground: PlaygroundFile | undefined
  /** Stops accepting, ends or hands back what is under way. At most 30 s. */
  stop(): Promise<void>
}

/** The resolver that the settings ask for, past or with a cache. */
export function resolverOf(config: Config, store: Store, cache: false | undefined): Resolver {
  if (config.mode === 'playground' && config.dnsServers === undefined) {
    return createPlaygroundResolver((name) => findRecordsByName(store.read, name))
  }
  return createResolver({ servers: config.dnsServers, cache })
}

/** Starts a node. Throws what keeps it from starting, with everything closed again. */
export async function startApp(config: Config, log: Log, clock: Clock = systemClock): Promise<App> {
  const lifecycle = new Lifecycle()
  try {
    return await start(config, log, clock, lifecycle)
  } catch (error) {
    await lifecycle.stop().catch(() => {})
    throw error
  }
}

async function start(config: Config, log: Log, clock: Clock, lifecycle: Lifecycle): Promise<App> {
  const store = await openStore({ ...config, log })
  await lifecycle.start({ name: 'store', stop: () => store.close() })
  if (config.databaseUrl === undefined || config.roles.includes('delivery')) {
    const release = holdDataDirectory(config.dataDir)
    await lifecycle.start({ name: 'data directory', stop: release })
  }
  const secret = await store.write('keepFact', { name: 'secret', value: randomBase62(43) })
  const credentials = await lifecycle.start(new Credentials(store, clock, log))
  const tls = await TlsSource.open({
    dataDir: config.dataDir,
    hostName: config.hostname,
    certFile: config.smtpTlsCert,
    keyFile: config.smtpTlsKey,
    log,
  })
  // Without name servers of its own the playground delivers everything to its built-in mail host.
  const mailHost =
    config.mode === 'playground' && config.dnsServers === undefined
      ? await lifecycle.start(new PlaygroundMailHost({ ...config, store, clock, log, tls: tls.current() }))
      : undefined
  const secrets =
    config.mode === 'playground'
      ? await setUpPlayground({
          store,
          clock,
          dataDir: config.dataDir,
          returnPathHost: config.returnPathHost,
        })
      : undefined

  const preparation = new Preparation(store.read)
  const worker = config.roles.includes('delivery')
    ? await lifecycle.start(
        new DeliveryWorker({
          store,
          clock,
          log,
          dataDir: config.dataDir,
          preparation,
          throttle: new Throttle(new Map(config.destinationRates)),
          pool: new ConnectionPool({
            ...DEFAULT_LIMITS,
            perHost: config.destinationConnections,
            messagesPerConnection: config.messagesPerConnection,
          }),
          resolver: resolverOf(config, store, undefined),
          mxPort: mailHost?.port ?? config.mxPort,
          allowed: parseNetworks(
            [...config.allowPrivateNetworks, ...(mailHost ? ['127.0.0.1/32'] : [])].join(','),
          ),
          relay: relayFrom(config.relayUrl),
          heloName: config.hostname,
          retrySchedule: config.retrySchedule,
          returnPathSecret: secret,
          alone: config.databaseUrl === undefined,
        }),
      )
    : undefined
  await lifecycle.start(new IdempotencyKeyRemoval(store, clock, log))
  const submission = new Submission({
    store,
    clock,
    maxMessageBytes: config.maxMessageBytes,
    expiryMs: expiryOf(config.retrySchedule),
    onAccepted: () => worker?.poke(),
  })
  const ground = { config, store, clock, log, lifecycle, playgroundPort: mailHost?.port }
  const verification = await startVerification(ground)
  const addressLists = await startAddressLists(ground, verification)
  const smtp = config.roles.includes('smtp')
    ? await lifecycle.start(
        new SubmissionServer({
          host: config.smtpHost,
          port: config.smtpPort,
          ...(config.smtpsPort === undefined ? {} : { tlsPort: config.smtpsPort }),
          hostName: config.hostname,
          maxMessageBytes: config.maxMessageBytes,
          authFailureRate: config.authFailureRate,
          tls,
          credentials,
          submission,
          clock,
          log,
        }),
      )
    : undefined
  const http = await lifecycle.start(
    new ApiServer({
      host: config.httpHost,
      port: config.httpPort,
      publicUrl: config.publicUrl,
      maxBodyBytes: config.maxBodyBytes,
      rates: {
        sending: config.sendingRate,
        verification: config.verificationRate,
        authFailure: config.authFailureRate,
      },
      endpoints: config.roles.includes('api'),
      read: store.read,
      showContent: (owner, id) => showMessage(store.read, preparation, owner, id),
      ready: async () => void (await reading(accessVersion(store.read))),
      metrics: createRegistry([
        ...(worker === undefined ? [] : workerFigures(worker)),
        ...verificationFigures(verification),
      ]),
      pages: config.mode === 'playground' ? [mailboxPages(store.read)] : [],
      submission,
      verification,
      addressLists,
      credentials,
      clock,
      log,
    }),
  )

  const playground = secrets && {
    base_url: `${http.publicUrl}/v1`,
    dashboard_url: http.publicUrl,
    mailbox_url: `${http.publicUrl}/playground/mailbox`,
    ...secrets,
    smtp: { host: config.smtpHost, port: smtp?.port ?? 0, ...secrets.smtp },
  }
  if (playground !== undefined) await writePlaygroundFile(config.dataDir, playground)
  return {
    url: http.publicUrl,
    smtpPort: smtp?.port,
    smtpsPort: smtp?.tlsPort,
    playground,
    stop: () => lifecycle.stop(),
  }
}

const workerFigures = (worker: DeliveryWorker): Figure[] => [
  {
    name: 'postrider_attempts_total',
    help: 'Delivery attempts that ended, by outcome',
    kind: 'counter',
    label: 'outcome',
    read: () => Object.entries(worker.ended),
  },
  {
    name: 'postrider_attempts_in_flight',
    help: 'Delivery attempts under way',
    kind: 'gauge',
    read: () => worker.inFlight,
  },
]

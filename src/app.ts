// The composition root: from settings to a running node.

import { auditedStore } from './access/audit.ts'
import { CredentialRates } from './access/credential-rates.ts'
import { Credentials } from './access/credentials.ts'
import { ApiServer } from './api/server.ts'
import { unsubscribePages } from './api/unsubscribe/routes.ts'
import { startDelivery, workerFigures } from './app-delivery.ts'
import { domainServices, resolverOf, verifyingResolver } from './app-domains.ts'
import { startPeople, tellFirstRun } from './app-people.ts'
import { openInboundDoor, openSubmissionDoor } from './app-smtp.ts'
import { startAddressLists, startVerification, verificationFigures } from './app-verification.ts'
import { BounceReception } from './bounces/receive.ts'
import type { Config } from './config.ts'
import { Preparation } from './delivery/prepare.ts'
import { expiryOf } from './delivery/retry.ts'
import { showMessage } from './delivery/show.ts'
import { DailyCheck } from './domains/daily-check.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createRegistry } from './lib/figures.ts'
import { randomBase62 } from './lib/ids.ts'
import { Lifecycle } from './lib/lifecycle.ts'
import type { Log } from './lib/log.ts'
import { HistoryRemoval } from './operator/history-removal.ts'
import { Presence } from './operator/presence.ts'
import { QueueControl } from './operator/queue.ts'
import { PlaygroundMailHost } from './playground/mail-host.ts'
import { mailboxPages } from './playground/mailbox-pages.ts'
import { type PlaygroundFile, setUpPlayground, writePlaygroundFile } from './playground/setup.ts'
import { TlsSource } from './smtpd/certificate.ts'
import { ClockWatch } from './store/clock-watch.ts'
import { holdDataDirectory } from './store/node-lock.ts'
import { requireReady } from './store/readiness.ts'
import { Remembered } from './store/remembered.ts'
import { openStore } from './store/store.ts'
import { StreamEditing } from './streams/stream-editing.ts'
import { Streams } from './streams/streams.ts'
import { Suppressing } from './streams/suppressing.ts'
import { Cancellation } from './submission/cancel.ts'
import { Filling } from './submission/filling.ts'
import { IdempotencyKeyRemoval } from './submission/idempotency-key-removal.ts'
import { Submission } from './submission/submit.ts'
import { HtmlConversion } from './templates/html-conversion.ts'
import { layoutEditing } from './templates/layout-editing.ts'
import { templateEditing } from './templates/template-editing.ts'
import { Templates } from './templates/templates.ts'

/** Of templates and layouts together, as they are stored. */
const REMEMBERED_CHARACTERS = 10_000_000

/** A running node. */
export interface App {
  /** Under which users reach the API; `/v1` follows. */
  readonly url: string
  /** Where SMTP submission listens; undefined when this node does not do it. */
  readonly smtpPort: number | undefined
  readonly smtpsPort: number | undefined
  /** Where bounces and complaints come back; undefined when this node does not take them. */
  readonly inboundPort: number | undefined
  /** Where the first user is made; undefined when there are users. */
  readonly firstRunUrl: string | undefined
  /** What the playground made; undefined in production. */
  readonly playground: PlaygroundFile | undefined
  /** Stops accepting, ends or hands back what is under way. At most 30 s. */
  stop(): Promise<void>
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
  const opened = auditedStore(await openStore({ ...config, log }))
  await lifecycle.start({ name: 'store', stop: () => opened.close() })
  if (config.databaseUrl === undefined || config.roles.includes('delivery')) {
    const release = holdDataDirectory(config.dataDir)
    await lifecycle.start({ name: 'data directory', stop: release })
  }
  const credentials = await lifecycle.start(new Credentials(opened, clock, log))
  const store = credentials.noticing(opened)
  const secret = await store.write('keepFact', { name: 'secret', value: randomBase62(43) })
  const clockWatch = await lifecycle.start(new ClockWatch(store.read, log))
  const rates = new CredentialRates(clock, {
    sending: config.sendingRate,
    verification: config.verificationRate,
  })
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

  const publicUrl = Promise.withResolvers<string>()
  const preparation = new Preparation(store.read, { secret, publicUrl: publicUrl.promise })
  const ground = { config, store, clock, log, lifecycle, secret, playgroundPort: mailHost?.port }
  const worker = await startDelivery({ ...ground, preparation, clockWatch })
  await lifecycle.start(new IdempotencyKeyRemoval(store, clock, log))
  await lifecycle.start(
    new Presence({ store, clock, log, roles: config.roles, alone: config.databaseUrl === undefined }),
  )
  await lifecycle.start(
    new HistoryRemoval({
      ...{ store, clock, log },
      auditMs: config.auditRetentionMs,
      figuresMs: config.figuresRetentionMs,
    }),
  )
  await lifecycle.start(new DailyCheck(store, clock, log, () => verifyingResolver(config, store)))
  const remembered = await lifecycle.start(new Remembered(store.read, log, REMEMBERED_CHARACTERS))
  const conversion = await lifecycle.start(new HtmlConversion())
  const templates = new Templates(store.read, remembered, conversion)
  const submission = new Submission({
    store,
    filling: new Filling(templates, new Streams(store.read, remembered)),
    secret,
    clock,
    maxMessageBytes: config.maxMessageBytes,
    expiryMs: expiryOf(config.retrySchedule),
    delivery: worker,
  })
  const verification = await startVerification(ground)
  const addressLists = await startAddressLists(ground, verification)
  const smtp = await openSubmissionDoor({ ...ground, tls, credentials, rates, submission })
  const { returnPathHost } = config
  const bounces = new BounceReception({ store, clock, log, secret, returnPathHost })
  const inbound = await openInboundDoor(ground, tls, bounces)
  let url = ''
  const people = { ...ground, submission, smtp, publicUrl: () => url }
  const letIn = await startPeople(people)
  const http = await lifecycle.start(
    new ApiServer({
      host: config.httpHost,
      port: config.httpPort,
      publicUrl: config.publicUrl,
      maxBodyBytes: config.maxBodyBytes,
      maxBatchBytes: config.maxBatchBytes,
      bodyMemoryBytes: config.bodyMemoryBytes,
      authFailureRate: config.authFailureRate,
      trustedProxies: config.trustedProxies,
      operatorToken: config.operatorToken,
      queue: new QueueControl(store, clock),
      endpoints: config.roles.includes('api'),
      dashboard: letIn && { ...letIn, ...domainServices(people) },
      store,
      read: store.read,
      showContent: (owner, id, withFiles) => showMessage(store.read, preparation, owner, id, withFiles),
      ready: () => requireReady(store.read, clockWatch),
      metrics: createRegistry([
        ...(worker === undefined ? [] : workerFigures(worker)),
        ...(inbound === undefined ? [] : bounces.figures()),
        ...verificationFigures(verification),
      ]),
      pages: [
        ...(config.mode === 'playground'
          ? [
              mailboxPages({
                read: store.read,
                secret,
                resolver: resolverOf(config, store, undefined, clock),
                publicUrl: () => publicUrl.promise,
              }),
            ]
          : []),
        ...(config.roles.includes('api') ? [unsubscribePages({ store, clock, secret })] : []),
      ],
      submission,
      cancellation: new Cancellation(store, clock),
      verification,
      addressLists,
      templates,
      templateEditing: templateEditing({ store, clock, remembered }),
      layoutEditing: layoutEditing({ store, clock, remembered }),
      streamEditing: new StreamEditing(store, clock, remembered),
      suppressing: new Suppressing(store, clock),
      credentials,
      rates,
      clock,
      log,
    }),
  )

  url = http.publicUrl
  publicUrl.resolve(url)
  const firstRunUrl = await tellFirstRun(people)

  const playground = secrets && {
    base_url: `${http.publicUrl}/v1`,
    dashboard_url: http.publicUrl,
    mailbox_url: `${http.publicUrl}/playground/mailbox`,
    ...secrets,
    // What a start before this one wrote down had ports of its own.
    smtp: { ...secrets.smtp, host: config.smtpHost, port: smtp?.port ?? 0 },
  }
  if (playground !== undefined) await writePlaygroundFile(config.dataDir, playground)
  return {
    url: http.publicUrl,
    smtpPort: smtp?.port,
    smtpsPort: smtp?.tlsPort,
    inboundPort: inbound?.port,
    firstRunUrl,
    playground,
    stop: () => lifecycle.stop(),
  }
}

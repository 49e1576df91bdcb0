// The composition root: builds a running node from the settings, one floor (layer) after another.

import type { Config } from '../config/settings.ts'
import type { AdmittedRoute } from '../http/http-server.ts'
import { type Clock, requestClock, systemClock } from '../lib/clock.ts'
import { Lifecycle } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { PLAYGROUND_INBOX } from '../model/test-inbox.ts'
import { type PlaygroundFile, writePlaygroundFile } from '../playground/setup.ts'
import type { CommitsUnderWay } from '../store/database/group-commit.ts'
import type { Store } from '../store/database/store.ts'
import { readVersions } from '../store/node/installation.ts'
import { openHttpFloor } from './http-floor.ts'
import { openInboundFloor } from './inbound-floor.ts'
import { notOpened, unfitDataDirectory } from './listeners.ts'
import { openOutboundFloor } from './outbound-floor.ts'
import { type PlacedConfig, placedAs } from './placement.ts'
import { openStoreFloor } from './store-floor.ts'
import { openSubmissionFloor } from './submission-floor.ts'

/** Timeout of a check of the store; a node stops within 30 seconds, and the queue needs 12 of these seconds. */
const SILENT_MS = 5_000
const EVERY_MS = 1_000

/** A running node. */
export interface App {
  /** URL at which users reach the API, without `/v1`. */
  readonly url: string
  /** URL of the address that the HTTP server listens on, which a public URL does not change. */
  readonly localUrl: string
  /** Port of SMTP submission; undefined on a node without submission. */
  readonly smtpPort: number | undefined
  readonly smtpsPort: number | undefined
  /** Port of HTTPS; undefined if no HTTPS port is configured. */
  readonly httpsPort: number | undefined
  /** SMTP port for inbound mail, bounces and complaints; undefined on a node without inbound mail. */
  readonly inboundPort: number | undefined
  /** URL for creating the first user; undefined if a user exists. */
  readonly firstRunUrl: string | undefined
  /** Base URL of the metrics (`/metrics`) and of the operator API (`/v1/operator`). */
  readonly adminUrl: string
  /** Routes of the HTTP port. */
  readonly routes: readonly AdmittedRoute[]
  readonly adminRoutes: readonly AdmittedRoute[]
  /** Secrets of the playground; undefined in production. */
  readonly playground: PlaygroundFile | undefined
  /** Commits of this node that are in progress. */
  readonly commits: CommitsUnderWay
  /** Number of delivery attempts in progress. */
  readonly attemptsUnderWay: number
  /** Stops accepting messages, and ends or releases the work in progress, within 30 s. */
  stop(): Promise<void>
}

/** Starts a node, or one of its workers. Stops all started parts and throws the cause if the start fails. */
export async function startApp(
  config: Config,
  log: Log,
  clock: Clock = systemClock,
  worker?: number,
): Promise<App> {
  const lifecycle = new Lifecycle()
  try {
    return await start(placedAs(config, log, worker), log, clock, lifecycle)
  } catch (error) {
    await lifecycle.stop().catch(() => {})
    throw notOpened(error, config) ?? unfitDataDirectory(error, config) ?? error
  }
}

/** Opens the floors (layers) of a node from bottom to top; the lifecycle stops their parts in reverse order. */
async function start(config: PlacedConfig, log: Log, given: Clock, lifecycle: Lifecycle): Promise<App> {
  const clock = requestClock(given)
  const store = await openStoreFloor({ config, log, clock, lifecycle })
  const withInbound = { ...store, ...(await openInboundFloor(store)) }
  const withOutbound = { ...withInbound, ...(await openOutboundFloor(withInbound)) }
  const ground = { ...withOutbound, ...(await openSubmissionFloor(withOutbound)) }
  const { http, admin, readiness, firstRunUrl } = await openHttpFloor(ground)
  const { opened, queue, smtp, inbound, publicUrl, playgroundSecrets: secrets } = ground
  const url = publicUrl.value
  const playground = secrets && {
    base_url: `${url}/v1`,
    dashboard_url: url,
    mailbox_url: `${url}/inboxes/${PLAYGROUND_INBOX}/api/v1/messages`,
    ...secrets,
    // An earlier start may have written other ports to the playground file.
    smtp: { ...secrets.smtp, host: config.smtpHost, port: smtp?.port ?? 0 },
  }
  if (playground !== undefined) await writePlaygroundFile(config.dataDir, playground)
  return {
    url,
    smtpPort: smtp?.port,
    smtpsPort: smtp?.tlsPort,
    localUrl: http.localUrl,
    httpsPort: http.httpsPort,
    inboundPort: inbound?.port,
    firstRunUrl,
    adminUrl: admin?.url ?? url,
    routes: http.routes,
    adminRoutes: admin?.routes ?? [],
    playground,
    commits: opened.commits,
    get attemptsUnderWay() {
      return queue?.inFlight ?? 0
    },
    async stop() {
      readiness.stop()
      if (config.stopDelayMs > 0) {
        await new Promise<void>((resolve) => void clock.after(config.stopDelayMs, resolve))
      }
      const end = giveUpWhenSilent(opened, clock, log)
      await lifecycle.stop().finally(end)
    },
  }
}

/**
 * Checks the store every second while the node stops; gives up the store if a check times out, because each stopping
 * part would wait for the store again. Returns a function that ends the checks.
 */
function giveUpWhenSilent(
  { giveUp, urgentRead }: Pick<Store, 'giveUp' | 'urgentRead'>,
  clock: Clock,
  log: Log,
): () => void {
  let isOver = giveUp === undefined
  let cancel = (): void => {}
  const end = (): void => {
    isOver = true
    cancel()
  }
  const check = async (): Promise<void> => {
    if (isOver) return
    cancel = clock.after(SILENT_MS, () => {
      end()
      log.warn({}, 'the store does not answer; the node stops without it')
      giveUp?.()
    })
    // An error also counts as a response of the store.
    await readVersions(urgentRead).catch(() => {})
    cancel()
    if (!isOver) cancel = clock.after(EVERY_MS, () => void check())
  }
  void check()
  return end
}

// postrider serve: runs a node until a signal stops it.

import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config/load.ts'
import { type Config, SETTINGS } from '../config/settings.ts'
import { systemClock } from '../lib/clock.ts'
import { freeBytes, isForRoom, whyNotWritable } from '../lib/disk.ts'
import { createLog, type Log } from '../lib/log.ts'
import type { App } from '../node/node.ts'
import { workersOf } from '../node/placement.ts'
import type { Context } from './command.ts'
import { reportReady, superviseWorkers, supervisorEnded, workerNumber } from './workers.ts'

/** Maximum time for a clean stop; the process then exits even if parts are still running. */
const STOP_MS = 28_000
/** Interval at which a start on a full disk checks the free space. */
const ROOM_CHECK_MS = 1_000
/** Time after which a start that failed for lack of space is retried even if no space was freed. */
const ROOM_AGAIN_MS = 30_000

/**
 * Runs a node until SIGTERM, SIGINT or SIGHUP; resolves when all parts have stopped. Prints the addresses once the node
 * is ready, as text or as one JSON document.
 */
export async function serve(
  context: Context,
  { workers: given }: { readonly workers?: string | undefined } = {},
): Promise<undefined> {
  const env = given === undefined ? context.env : { ...context.env, [SETTINGS.workers.name]: given }
  const config = loadConfig(env)
  const log = createLog(config.logLevel)
  // The handlers stay installed after the first signal, because a second signal without a handler would kill the
  // process: on Ctrl-C, both the terminal and npm send SIGINT. A closed terminal and the hooks of ACME clients send
  // SIGHUP.
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
  })
  const worker = workerNumber(env)
  const workers = workersOf(config)
  if (worker !== undefined) {
    // A worker stops when its supervisor has ended, even while the worker is starting, so that the next node can use
    // the ports.
    return serveAlone(config, log, Promise.race([asked, supervisorEnded()]), context.json, worker)
  }
  if (workers === 1) return serveAlone(config, log, asked, context.json)
  await superviseWorkers({ workers, env: context.env, log, asked }, (text) => process.stdout.write(text))
  return
}

/**
 * Runs a node in this process, alone or as one of several workers.
 * @param asked resolves with the reason for stopping
 */
async function serveAlone(
  config: Config,
  log: Log,
  asked: Promise<string>,
  json: boolean,
  worker?: number,
): Promise<undefined> {
  const app = await startWhenThereIsRoom(config, log, asked, worker)
  if (app === undefined) return
  const { url, adminUrl, smtpPort = null, smtpsPort = null, inboundPort = null, playground = null } = app
  const ports = { smtp_port: smtpPort, smtps_port: smtpsPort, inbound_port: inboundPort }
  const ready = { url, admin_url: adminUrl, ...ports, playground }
  const text = json ? `${JSON.stringify(ready, null, 2)}\n` : showsBanner(config) ? banner(app, config) : ''
  log.info({ url, smtp_port: app.smtpPort, mode: config.mode }, 'started')
  // The link is in the banner or in the log, because a service without a terminal has no other output. Readers of the log
  // can use the link only until the first user exists.
  const isShown = !json && showsBanner(config)
  if (app.firstRunUrl !== undefined && !isShown && (worker ?? 1) === 1) logFirstRunLink(log, app.firstRunUrl)
  if (worker === undefined) process.stdout.write(text)
  else reportReady(text)
  log.info({ signal: await asked }, 'stopping')
  const late = setTimeout(() => {
    log.error({}, 'something did not stop in time')
    process.exit(1)
  }, STOP_MS)
  await app.stop()
  clearTimeout(late)
  log.info({}, 'stopped')
  // The channel to the supervisor, or an SMTP dialog with an unresponsive host, may still keep the process alive. The
  // recipient of such a dialog has already been released to the queue.
  setTimeout(() => process.exit(0), 300).unref()
  if (process.connected) process.disconnect?.()
  return
}

/**
 * Starts the node. Logs the problem and waits for free space if the disk is full. Returns undefined if a signal stops
 * the wait.
 */
async function startWhenThereIsRoom(
  config: Config,
  log: Log,
  asked: Promise<unknown>,
  worker: number | undefined,
): Promise<App | undefined> {
  // The module is imported here, because the supervisor process of workers does not need it.
  const { startApp } = await import('../node/node.ts')
  for (let isLogged = false; ; ) {
    const free = await freeIn(config.dataDir)
    try {
      return await startApp(config, log, systemClock, worker)
    } catch (error) {
      const full = await fullSentence(config.dataDir)
      if (full === undefined && !isForRoom(error)) throw error
      const sentence = full ?? `The disk of ${config.dataDir} lacks the free space that a start needs.`
      if (!isLogged) log.error({ err: error }, `${sentence} The start waits until there is free space.`)
      isLogged = true
      // The next attempt waits for more free space than this attempt had, or for a timeout, because the system may not
      // report the limit of a quota.
      const isShort = full === undefined
      const againAt = performance.now() + ROOM_AGAIN_MS
      do {
        const stop = await Promise.race([asked.then(() => true), sleep(ROOM_CHECK_MS, false)])
        if (stop) return undefined
      } while (
        (await fullSentence(config.dataDir)) !== undefined ||
        (isShort && (await freeIn(config.dataDir)) <= free && performance.now() < againAt)
      )
    }
  }
}

/** Returns the free bytes on the disk of the data directory; 0 if the directory does not exist. */
const freeIn = (dataDir: string): Promise<number> => freeBytes(dataDir).catch(() => 0)

async function fullSentence(dataDir: string): Promise<string | undefined> {
  const refused = await whyNotWritable(dataDir)
  return refused?.full === true ? refused.sentence : undefined
}

const logFirstRunLink = (log: Log, url: string): void =>
  log.warn({ url }, 'nobody can log in yet: open this link within a day to create the first user')

/**
 * True if the node prints the banner: in production only on a terminal, because a service manager would mix the banner
 * with the JSON lines of the log.
 */
const showsBanner = ({ mode }: Config): boolean => mode === 'playground' || process.stdout.isTTY === true

/** Returns the lines that `postrider serve` prints once the node is ready. */
export function banner(app: App, config: Config): string {
  const { playground } = app
  const { email, password } = playground?.dashboard_login ?? {}
  const login = email === undefined ? '' : `        log in as ${email} with ${password}`
  const lines = [
    '',
    '  Postrider is running.',
    '',
    `  API        ${app.url}/v1        reference: ${app.url}/docs`,
    ...(config.roles.includes('dashboard') ? [`  Dashboard  ${app.url}${login}`] : []),
    ...(app.smtpPort === undefined ? [] : [`  SMTP       ${config.smtpHost}:${app.smtpPort} (STARTTLS)`]),
    ...(app.smtpsPort === undefined ? [] : [`  SMTPS      ${config.smtpHost}:${app.smtpsPort} (TLS)`]),
    ...(app.inboundPort === undefined
      ? []
      : [`  Inbound    ${config.inboundHost}:${app.inboundPort} (bounces, complaints)`]),
    ...(app.adminUrl === app.url ? [] : [`  Admin      ${app.adminUrl} (metrics, operator API)`]),
  ]
  const { firstRunUrl } = app
  const firstRun = [
    '',
    '  There are no users yet. Open this link within a day to create the first one:',
    '',
    `  ${firstRunUrl}`,
  ]
  if (firstRunUrl !== undefined) lines.push(...firstRun)
  if (playground === undefined) return `${lines.join('\n')}\n\n`
  return `${[
    ...lines,
    `  Mailbox    ${playground.dashboard_url}/mailbox`,
    '',
    `  This is the playground: no mail leaves this machine. Keys and passwords are in ${config.dataDir}/playground.json.`,
    '  Send a first message, then read the mailbox:',
    '',
    `  curl ${playground.base_url}/messages \\`,
    `    -H 'Authorization: Bearer ${playground.sending_key}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"from":"hello@${playground.domain}","to":[{"email":"you@${playground.domain}"}],"subject":"First message","text":"It works."}'`,
    '',
    `  curl ${playground.mailbox_url}`,
    '',
    '',
  ].join('\n')}`
}

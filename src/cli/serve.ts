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

/** Maximum time for stopping before the process ends anyway. */
const STOP_MS = 28_000
/** Interval at which a start on a full disk checks the free space. */
const ROOM_CHECK_MS = 1_000
/** Time after which a start without enough space is tried again in any case. */
const ROOM_AGAIN_MS = 30_000

/**
 * Runs until SIGTERM, SIGINT or SIGHUP; resolves when everything has stopped. Prints the addresses when ready, for
 * people or as one JSON document.
 */
export async function serve(
  context: Context,
  { workers: given }: { readonly workers?: string | undefined } = {},
): Promise<undefined> {
  const env = given === undefined ? context.env : { ...context.env, [SETTINGS.workers.name]: given }
  const config = loadConfig(env)
  const log = createLog(config.logLevel)
  // All signals are handled, since a second one would otherwise end the process: at Ctrl-C both the terminal and npm
  // send one. A closed terminal sends SIGHUP, and so do hooks for renewed certificates.
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
  })
  const worker = workerNumber(env)
  const workers = workersOf(config)
  if (worker !== undefined) {
    // A worker whose supervisor has ended stops, even during its start, and leaves its ports to the next node.
    return serveAlone(config, log, Promise.race([asked, supervisorEnded()]), context.json, worker)
  }
  if (workers === 1) return serveAlone(config, log, asked, context.json)
  await superviseWorkers({ workers, env: context.env, log, asked }, (text) => process.stdout.write(text))
  return
}

/**
 * Serves in this process, alone or as one of several workers.
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
  const text = json ? `${JSON.stringify(ready, null, 2)}\n` : banner(app, config)
  log.info({ url, smtp_port: app.smtpPort, mode: config.mode }, 'started')
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
  // The channel to the supervisor, or a dialog with a silent host, may still keep the process alive; the recipient of
  // such a dialog is released.
  setTimeout(() => process.exit(0), 300).unref()
  if (process.connected) process.disconnect?.()
  return
}

/**
 * Starts the node. Waits for space on a full disk and logs the wait, as a running node does. Returns undefined when a
 * signal asks for the stop meanwhile.
 */
async function startWhenThereIsRoom(
  config: Config,
  log: Log,
  asked: Promise<unknown>,
  worker: number | undefined,
): Promise<App | undefined> {
  // Imported here, because a supervisor of workers does not need it.
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
      // If a little can be written, the next try needs more than was free; the system may not report a quota.
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

/** Returns the free bytes for the data directory; none before it exists. */
const freeIn = (dataDir: string): Promise<number> => freeBytes(dataDir).catch(() => 0)

async function fullSentence(dataDir: string): Promise<string | undefined> {
  const refused = await whyNotWritable(dataDir)
  return refused?.full === true ? refused.sentence : undefined
}

/** Returns the lines that `postrider serve` prints when ready. */
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
    `  This is the playground: nothing leaves this machine. Keys and passwords are in ${config.dataDir}/playground.json.`,
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

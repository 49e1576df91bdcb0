// postrider serve: run a node until it is told to stop.

import { startApp } from '../app.ts'
import { createLog } from '../lib/log.ts'
import { loadConfig } from '../load-config.ts'
import { banner } from './banner.ts'
import type { Context } from './command.ts'

/** The longest that stopping may take before the process ends anyway. */
const STOP_MS = 28_000

/**
 * Runs until SIGTERM or SIGINT; resolves when everything has stopped. When it is ready it prints where everything
 * is: for people, or as one JSON document.
 */
export async function serve(context: Context): Promise<undefined> {
  const config = loadConfig(context.env)
  const log = createLog(config.logLevel)
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })
  const app = await startApp(config, log)
  const { url, smtpPort = null, smtpsPort = null, playground = null } = app
  const ready = { url, smtp_port: smtpPort, smtps_port: smtpsPort, playground }
  process.stdout.write(context.json ? `${JSON.stringify(ready, null, 2)}\n` : banner(app, config))
  log.info({ url, smtp_port: app.smtpPort, mode: config.mode }, 'started')
  const signal = await asked
  log.info({ signal }, 'stopping')
  const late = setTimeout(() => {
    log.error({}, 'something did not stop in time')
    process.exit(1)
  }, STOP_MS)
  await app.stop()
  clearTimeout(late)
  log.info({}, 'stopped')
  // A dialog with a silent host may still hold the process; its recipient has been handed back.
  setTimeout(() => process.exit(0), 300).unref()
}

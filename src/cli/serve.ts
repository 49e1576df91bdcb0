// postrider serve: run a node until it is told to stop.

import { startApp } from '../app.ts'
import type { Config } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { banner } from './banner.ts'

/** The longest that stopping may take before the process ends anyway. */
const STOP_MS = 28_000

/** Runs until SIGTERM or SIGINT; resolves when everything has stopped. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })
  const app = await startApp(config, log)
  process.stdout.write(banner(app, config))
  log.info({ url: app.url, smtp_port: app.smtpPort, mode: config.mode }, 'started')
  const signal = await asked
  log.info({ signal }, 'stopping')
  const late = setTimeout(() => {
    log.error({}, 'something did not stop in time')
    process.exit(1)
  }, STOP_MS)
  await app.stop()
  clearTimeout(late)
  log.info({}, 'stopped')
}

// A browser for tests, from npm: nothing needs to be installed beside it.

import chromiumPack from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/**
 * What the package would start it with and these tests do not: a single process would end with its first window, and
 * without its own protections a browser sends no `Origin` and lets pages read what they may not. A graphics card made
 * of software, and page processes that are not copies of one that has started, only take time.
 */
const LEFT_OUT = new Set([
  '--single-process',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
  '--no-pings',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
])

/** Starts it; `close` it in the end. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPack.executablePath(),
    args: [...chromiumPack.args.filter((argument) => !LEFT_OUT.has(argument)), '--disable-gpu'],
  })
}

// A browser for tests, from npm: nothing needs to be installed beside it.

import chromiumPack from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Starts it; `close` it in the end. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPack.executablePath(),
    // In a single process it would end with its first window.
    args: chromiumPack.args.filter((argument) => argument !== '--single-process'),
  })
}

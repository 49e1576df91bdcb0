// A browser for tests from an npm package, so that developers need not install a browser.

import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import chromiumPack from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Folder of the unpacked browser, in node_modules, so that a new installation unpacks its own browser. */
const UNPACKED = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url))

/**
 * Arguments of the npm package that the tests do not pass to the browser. A browser with a single process ends with its
 * first window; a browser without web security sends no `Origin` and lets pages read forbidden data. Software
 * rendering, and page processes that are not forked from a running process, only cost time.
 */
const LEFT_OUT = new Set([
  '--single-process',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
  '--no-pings',
  '--no-zygote',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
])

/**
 * Unpacks the browser if necessary; no other code of this process may create temporary files at the same time. The npm
 * package unpacks into the temporary directory and treats a partly unpacked browser of another process as complete, so
 * this function moves the browser to its final folder only when the browser is complete.
 */
export async function unpackBrowser(): Promise<void> {
  if (existsSync(UNPACKED)) return
  const usual = tmpdir()
  const unfinished = `${UNPACKED}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  process.env.TMPDIR = unfinished
  try {
    await chromiumPack.executablePath()
  } finally {
    process.env.TMPDIR = usual
  }
  try {
    await rename(unfinished, UNPACKED)
  } catch (error) {
    // Another process has unpacked the browser first.
    await rm(unfinished, { recursive: true })
    if (!existsSync(UNPACKED)) throw error
  }
}

let running: Promise<Browser> | undefined
let users = 0

/** Returns a browser, possibly the one already running in this process; the caller must call `stopBrowser`. */
export async function startBrowser(): Promise<Browser> {
  users++
  running ??= launch()
  return running
}

/** Closes the contexts of the browser, and the browser itself when no other caller uses it. */
export async function stopBrowser(): Promise<void> {
  const browser = await running?.catch(() => undefined)
  if (--users > 0) {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
    return
  }
  running = undefined
  await browser?.close()
}

async function launch(): Promise<Browser> {
  await unpackBrowser()
  return chromium.launch({
    executablePath: `${UNPACKED}/chromium`,
    args: [...chromiumPack.args.filter((argument) => !LEFT_OUT.has(argument)), '--disable-gpu'],
    // A browser ends when its pipe closes, so an interrupted test run needs no signal handlers.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

// A browser for tests, from npm, so that nothing else needs to be installed.

import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import chromiumPack from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Inside node_modules, so that a new installation unpacks its own. */
const UNPACKED = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url))

/**
 * Arguments of the package that these tests leave out. With a single process the browser would end with its first
 * window; without its protections it sends no `Origin` and lets pages read forbidden data. A software graphics card,
 * and page processes that are not forked from a running one, only take time.
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
 * Unpacks the browser if necessary; no other code of this process may make temporary files meanwhile. The package
 * unpacks into the temporary directory and mistakes a browser half unpacked by another process for a complete one, so
 * the browser is moved to its place when complete.
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
    // Another process was faster.
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

/** Closes what was opened in the browser, and the browser itself when it has no other user. */
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
    // An interrupted run ends with its browsers; the browser ends when its pipe closes.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

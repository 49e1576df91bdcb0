// A browser for tests, from npm: nothing needs to be installed beside it.

import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import chromiumPack from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Beside the packages: a new installation unpacks its own. */
const UNPACKED = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url))

/**
 * Arguments of the package that these tests leave out: a single process would end with its first window, and without
 * its own protections a browser sends no `Origin` and lets pages read what they may not. A graphics card made of
 * software, and page processes that are not copies of one that has started, only take time.
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
 * Unpacks it where that was not done yet; nothing else of this process may make temporary files meanwhile. The package
 * unpacks into the temporary directory, and takes half a browser that another process is unpacking there for a whole
 * one: here it gets its place when it is whole.
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
    // Another process was quicker.
    await rm(unfinished, { recursive: true })
    if (!existsSync(UNPACKED)) throw error
  }
}

let running: Promise<Browser> | undefined
let users = 0

/** A browser, the one that runs already where this process has one; `stopBrowser` in the end. */
export async function startBrowser(): Promise<Browser> {
  users++
  running ??= launch()
  return running
}

/** Closes what was opened in it, and the browser itself when it has no other user. */
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
    // A run that is broken off ends with its browsers, which these would outlive; the browser ends with its pipe.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

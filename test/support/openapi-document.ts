// The OpenAPI document of this code, and the file that holds the document for client generators.

import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TestApp } from './app.ts'
import type { OpenApi } from './openapi-breaks.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATH = 'docs/openapi.json'

/** Path of the file with the OpenAPI document. */
export const OPENAPI_FILE = join(ROOT, PATH)

/** Base URL in the file, in place of the address of the test. */
const SERVERS = [{ url: 'https://mail.example.com' }]

/** Returns the OpenAPI document of the running code as the text of the file. */
export async function currentOpenApi(app: TestApp): Promise<string> {
  const { body } = await app.call('GET', '/v1/openapi.json')
  return `${JSON.stringify({ ...body, servers: SERVERS }, null, 1)}\n`
}

/** Starts a node and returns its OpenAPI document as the text of the file. */
export async function makeOpenApi(): Promise<string> {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  try {
    return await currentOpenApi(app)
  } finally {
    await app.stop()
  }
}

/**
 * Returns the last committed document that differs from the file: the document of the last commit while the file is
 * changed, otherwise the document before the last change. Undefined outside a clone, and in a clone without that commit.
 */
export async function committedOpenApi(): Promise<OpenApi | undefined> {
  const present = await readFile(OPENAPI_FILE, 'utf8')
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    })
  try {
    const commits = git('log', '-2', '--format=%H', '--', PATH).split('\n').filter(Boolean)
    for (const commit of commits) {
      const text = git('show', `${commit}:${PATH}`)
      if (text !== present) return JSON.parse(text) as OpenApi
    }
  } catch {
    // The folder is no clone, or git is not installed.
  }
  return undefined
}

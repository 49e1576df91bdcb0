// Clients that are generated from the OpenAPI document compile under strict rules, and their typed calls send a bulk and
// lists of addresses: openapi-typescript with openapi-fetch, and @hey-api/openapi-ts.

// thorough: generates and type-checks two clients; src/api/openapi.test.ts checks the document itself.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TestApp } from '../../support/app.ts'
import { until } from '../../support/test-clock.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const { resolve: find } = createRequire(join(ROOT, 'test/clients/package.json'))
/** Returns the path of a file in a package of the generators. */
const inPackage = (name: string, file: string): string => {
  const [folder = ''] = (find.paths(name) ?? [])
    .map((modules) => join(modules, name))
    .filter((one) => existsSync(one))
  return join(folder, file)
}

const WITH_OPENAPI_FETCH = `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.ts'

type Schemas = components['schemas']
const [, , baseUrl = '', sending = '', verification = ''] = process.argv
const clientOf = (key: string) => createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })

const message: Schemas['BulkMessage'] = { from: 'a@example.test', subject: 'Hello {{name}}', text: 'Dear {{name}}.' }
const rows: Schemas['BulkRow'][] = [{ to: 'ann@example.test', template_model: { name: 'Ann' } }]
const bulk = await clientOf(sending).POST('/v1/bulk', {
  body: [message, ...rows].map((line) => JSON.stringify(line)).join('\\n'),
  headers: { 'Content-Type': 'application/x-ndjson' },
  bodySerializer: (body) => body,
})
console.log(bulk.response.status, bulk.data?.bulk_id)
const list = await clientOf(verification).POST('/v1/verifications', { body: ['ann@example.test'] })
console.log(list.response.status, list.data?.verification_id)
const table = await clientOf(verification).POST('/v1/verifications', {
  body: 'name,email\\nBob,bob@example.test\\n',
  headers: { 'Content-Type': 'text/csv' },
  bodySerializer: String,
})
console.log(table.response.status, table.data?.verification_id)
const bulks = await clientOf(sending).GET('/v1/bulk', { params: { query: { limit: 1 } } })
console.log(bulks.response.status, bulks.data?.data[0]?.bulk_id)
`

const WITH_HEY_API = `
import { createClient } from './sdk/client/index.ts'
import * as api from './sdk/index.ts'

const [, , baseUrl = '', sending = '', verification = ''] = process.argv
const clientOf = (auth: string) => createClient({ baseUrl, auth })

const message: api.BulkMessage = { from: 'a@example.test', subject: 'Hello {{name}}', text: 'Dear {{name}}.' }
const rows: api.BulkRow[] = [{ to: 'ann@example.test', template_model: { name: 'Ann' } }]
const bulk = await api.bulkCreate({
  client: clientOf(sending),
  body: [message, ...rows].map((line) => JSON.stringify(line)).join('\\n'),
  bodySerializer: null,
})
console.log(bulk.response?.status, bulk.data?.bulk_id)
const list = await api.verificationsCreate({ client: clientOf(verification), body: ['ann@example.test'] })
console.log(list.response?.status, list.data?.verification_id)
const bulks = await api.bulkList({ client: clientOf(sending), query: { limit: 1 } })
console.log(bulks.response?.status, bulks.data?.data[0]?.bulk_id)
`

const GENERATE_HEY_API = (directory: string): string => `
import { createClient } from ${JSON.stringify(inPackage('@hey-api/openapi-ts', 'dist/index.mjs'))}
await createClient({
  input: ${JSON.stringify(join(directory, 'openapi.json'))},
  output: { path: ${JSON.stringify(join(directory, 'sdk'))}, module: { extension: '.ts' } },
  logs: { level: 'silent' },
})
`

/** Programs that use the clients, by file. */
const PROGRAMS = { 'with-openapi-fetch.ts': WITH_OPENAPI_FETCH, 'with-hey-api.ts': WITH_HEY_API }

const RULES = [
  ...['--noEmit', '--strict', '--skipLibCheck', 'false', '--allowImportingTsExtensions'],
  ...['--target', 'es2024', '--module', 'nodenext', '--types', 'node'],
  ...['--typeRoots', join(ROOT, 'node_modules/@types')],
]

describe('a generated client', () => {
  let app: TestApp
  let directory: string
  before(async () => {
    app = await TestApp.start()
    directory = await mkdtemp(join(tmpdir(), 'postrider-clients-'))
    await symlink(dirname(inPackage('openapi-fetch', '')), join(directory, 'node_modules'))
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
    const { body } = await app.call('GET', '/v1/openapi.json')
    await writeFile(join(directory, 'openapi.json'), JSON.stringify(body))
    await writeFile(join(directory, 'generate.mjs'), GENERATE_HEY_API(directory))
    run('generate.mjs')
    run(inPackage('openapi-typescript', 'bin/cli.js'), 'openapi.json', '-o', 'openapi.ts')
    for (const [name, source] of Object.entries(PROGRAMS)) await writeFile(join(directory, name), source)
  })
  after(async () => {
    await app.stop()
    await rm(directory, { recursive: true })
  })

  /** Runs a program of Node in the directory of the clients; returns its output. */
  function run(...args: readonly string[]): string {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
    assert.equal(status, 0, `${args[0]}: ${stdout}${stderr}`)
    return stdout
  }

  /** Runs a program that uses a client; asserts that all its calls were accepted. */
  async function works(name: string, calls: number): Promise<void> {
    const { sending_key, verification_key } = app.playground
    // The service runs in this process, so the client runs in another process.
    const args = [name, app.app.url, sending_key, verification_key]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory })
    const lines = stdout.trim().split('\n')
    assert.equal(lines.length, calls, lines.join('\n'))
    for (const line of lines) assert.match(line, /^20[02] (blk|ver)_\w{26}$/)
    const [, bulkId] = lines[0]?.split(' ') ?? []
    await until('the row is a message', async () => {
      const { body } = await app.call('GET', `/v1/bulk/${bulkId}`)
      return body.accepted === 1
    })
  }

  // One run of the compiler checks both clients, because it spends most of its time on the types of the platform.
  test('compiles under strict rules', () => {
    run(inPackage('typescript', 'lib/tsc.js'), ...RULES, ...Object.keys(PROGRAMS))
  })

  test('by openapi-typescript with openapi-fetch calls bulk and lists', () =>
    works('with-openapi-fetch.ts', 4))

  test('by @hey-api/openapi-ts calls bulk and lists', () => works('with-hey-api.ts', 3))
})

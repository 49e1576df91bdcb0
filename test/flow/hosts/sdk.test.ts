// The package @postrider/sdk, compiled and installed: it runs, compiles in the strictest project, and submits the mail of
// Nodemailer. sdk-runtimes.test.ts runs its whole surface on each supported runtime.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { Postrider, PostriderError, webhooks } from '../../../sdk/typescript/src/index.ts'
import { postriderTransport } from '../../../sdk/typescript/src/nodemailer.ts'
import { ALL_SCOPES } from '../../../src/access/scopes.ts'
import { TestApp } from '../../support/app.ts'
import { managementKey } from '../../support/keys.ts'
import { installSdk } from '../../support/packed-sdk.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

const ROOT = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** A program that uses the package: sends, lists, follows, verifies, and is refused. */
const PROGRAM = `
import { Postrider, PostriderError, webhooks } from '@postrider/sdk'

const [, , url = '', key = ''] = process.argv
const postrider = new Postrider({ url, key })
const stream = postrider.events.stream({ type: 'accepted' })[Symbol.asyncIterator]()
const first = stream.next()
const message = { from: 'hello@example.test', to: [{ email: 'you@receiver.example' }], subject: 'Hello', text: 'Hello.' }
const sent: string[] = []
const timer = setInterval(async () => sent.push((await postrider.messages.send(message)).message_id), 100)
const { value: event } = await first
clearInterval(timer)
await stream.return?.(undefined)
const listed: string[] = []
for await (const { message_id } of postrider.messages.list({ limit: 1 })) listed.push(message_id)
const code = await postrider.messages.get('msg_0').then(
  () => 'found',
  (error: unknown) => (error instanceof PostriderError ? error.code : 'another error'),
)
const refused = await webhooks.verify('{}', {}, 'whsec_AAAA').then(
  () => false,
  () => true,
)
console.log(JSON.stringify([event?.type, listed.length > 0 && sent.every((id) => listed.includes(id)), code, refused]))
process.exit()
`

const STRICT = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: false },
    ...{
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
    },
    ...{
      verbatimModuleSyntax: true,
      isolatedModules: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
  },
  files: ['program.ts'],
}

describe('the SDK', () => {
  let app: TestApp
  let folder: string
  let postrider: Postrider
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,webhooks', POSTRIDER_WEBHOOK_HTTP: 'yes' } })
    postrider = new Postrider({ url: app.app.url, key: app.playground.sending_key })
    folder = await mkdtemp(join(tmpdir(), 'postrider-sdk-'))
    await installSdk(folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    await writeFile(join(folder, 'program.js'), PROGRAM.replaceAll(/: (string\[\]|unknown)(?=[ )])/g, ''))
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  test('contains its compiled files only, and depends on no package', async () => {
    const installed = join(folder, 'node_modules/@postrider/sdk')
    const { dependencies, peerDependencies, files } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    )
    assert.deepEqual([dependencies, peerDependencies, files], [undefined, undefined, ['dist']])
    const names = await readdir(join(installed, 'dist'), { recursive: true })
    for (const name of names) assert.match(name, /^generated$|^[\w/-]+(\.d\.ts|\.js)$/)
    assert.ok(names.includes('index.d.ts') && names.includes('nodemailer.js'))
    for (const name of names.filter((one) => one.endsWith('.js'))) {
      const text = await readFile(join(installed, 'dist', name), 'utf8')
      for (const [, from = ''] of text.matchAll(/from '([^']+)'/g))
        assert.match(from, /^\.\.?\/[\w/-]+\.js$/, name)
    }
  })

  test(
    'runs as an installed package',
    thorough('1 CPU s: compiles the package, and starts a process'),
    async () => {
      const words = ['program.js', app.app.url, app.playground.sending_key]
      const { stdout } = await run(process.execPath, words, { cwd: folder })
      assert.deepEqual(JSON.parse(stdout), ['accepted', true, 'not_found', true])
    },
  )

  test(
    'compiles in a strict project',
    thorough('3 CPU s: type-checks the package with two compilers'),
    async () => {
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(STRICT))
      const newest = join(ROOT, 'node_modules/.bin/tsc')
      const older = join(ROOT, 'test/clients/node_modules/typescript/bin/tsc')
      for (const words of [[newest], [process.execPath, older]]) {
        const [command = '', ...args] = words
        await run(command, [...args, '-p', folder]).catch(({ stdout }) => assert.fail(stdout))
      }
    },
  )

  test('verifies real webhook requests, and refuses a changed one', async () => {
    const receiver = await WebhookReceiver.start()
    try {
      const { secret, public_key } = await postrider.webhooks.create({
        url: receiver.url,
        event_types: ['accepted'],
      })
      await app.send()
      const { headers, body } = await until('a request arrives', () => receiver.requests[0])
      for (const key of [secret, public_key]) {
        const event = await webhooks.verify(body, headers, key as string)
        assert.equal('type' in event && event.type, 'accepted')
      }
      await assert.rejects(webhooks.verify(`${body} `, headers, secret as string), {
        name: 'WebhookVerificationError',
      })
    } finally {
      await receiver.stop()
    }
  })

  test('works for another account by keys that it mints', async () => {
    const platform = new Postrider({
      url: app.app.url,
      key: await managementKey(app, {
        scopes: ALL_SCOPES,
        grants: ALL_SCOPES.filter((scope) => !/^(accounts|operator):/.test(scope)),
      }),
    })
    const { account_id } = await platform.accounts.create({ name: 'Customer' })
    const customer = platform.forAccount(account_id)
    const { domain } = await customer.domains.create({ domain: 'customer.example' })
    assert.equal(domain, 'customer.example')
    assert.equal((await customer.key.get()).account.account_id, account_id)
    const { data } = await customer.domain(domain).streams.list()
    assert.ok(data.length > 0)
    assert.equal((await customer.keys.list({ kind: 'management' })).data.length, 1)
  })

  describe('as a transport of Nodemailer', () => {
    test('submits the mail as Nodemailer has composed it', async () => {
      const transport = createTransport(postriderTransport(postrider) as never)
      const mail = {
        from: 'The Shop <shop@example.test>',
        to: ['Ann <ann@receiver.example>', 'bob@receiver.example'],
        bcc: 'secret@receiver.example',
        subject: 'Grüße',
        text: 'Hello.',
        html: '<p>Hello.</p>',
        attachments: [{ filename: 'invoice.txt', content: 'Invoice 1234' }],
        headers: { 'X-Tag': 'receipt', 'X-Order': '7' },
        idempotencyKey: 'order-7',
      }
      const sent = (await transport.sendMail(mail)) as unknown as {
        message_id: string
        messageId: string
        accepted: string[]
      }
      assert.match(sent.message_id, /^msg_/)
      assert.deepEqual(sent.accepted, [
        'ann@receiver.example',
        'bob@receiver.example',
        'secret@receiver.example',
      ])
      const message = await postrider.messages.get(sent.message_id, { include: 'content' })
      assert.deepEqual([message.subject, message.tag], ['Grüße', 'receipt'])
      const raw = Buffer.from(await postrider.messages.getRaw(sent.message_id)).toString()
      assert.ok(raw.includes(sent.messageId) && /^X-Order: 7$/m.test(raw.replaceAll('\r', '')))
      assert.ok(raw.includes('invoice.txt') && !raw.includes('secret@'))
    })

    test('passes a refusal on, and checks its key', async () => {
      const transport = createTransport(postriderTransport(postrider) as never)
      const mail = {
        from: 'a@elsewhere.example',
        to: 'ann@receiver.example',
        subject: 'Hello',
        text: 'Hello.',
      }
      await assert.rejects(
        transport.sendMail(mail),
        (error) => error instanceof PostriderError && error.code === 'domain_not_permitted',
      )
      assert.equal(await postriderTransport(postrider).verify(), true)
      const verifying = postriderTransport({ url: app.app.url, key: app.playground.verification_key })
      await assert.rejects(verifying.verify(), { code: 'scope_not_permitted' })
    })
  })
})

// Every example of docs/managing.md runs as written, in its order, with one management key; the program of a platform
// runs with a key of the set `platform`.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { Value } from 'typebox/value'
import { SCOPE_SETS } from '../../../src/access/scopes.ts'
import { AccountEventView } from '../../../src/api/contract/account-event.ts'
import { ACCOUNT_EVENT_TYPES, ruleOfAccountEvent } from '../../../src/model/account-event.ts'
import { TestApp } from '../../support/app.ts'
import { managementKey } from '../../support/keys.ts'
import { blocksOf } from '../../support/page-blocks.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

const PAGE = new URL('../../../docs/managing.md', import.meta.url)

describe('docs/managing.md', () => {
  let app: TestApp
  let directory: string
  let receiver: WebhookReceiver
  let manage: string
  let platform: string
  before(async () => {
    app = await TestApp.start({ zone: { 'example.net': { MX: ['10 mx.test'] } } })
    receiver = await WebhookReceiver.start()
    directory = await mkdtemp(join(tmpdir(), 'postrider-managing-'))
    manage = await managementKey(app, {
      scopes: [...SCOPE_SETS.provisioning, 'account:read', 'account:write'],
    })
    platform = await managementKey(app, { scopes: SCOPE_SETS.platform })
  })
  after(async () => {
    await Promise.all([app.stop(), receiver.stop()])
    await rm(directory, { recursive: true })
  })

  /** Runs a program; returns its output. */
  async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { PATH = '' } = process.env
    const child = spawn(command, args, {
      env: { PATH, BASE: app.app.url, MANAGE: manage, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    assert.equal(code, 0, `${err}\n${out}`)
    return out
  }

  test('its requests succeed in their order', async () => {
    let keyId = ''
    for (const { code, language } of await blocksOf(PAGE)) {
      if (language !== 'sh') continue
      const answer = JSON.parse((await run('sh', ['-c', code], { KEY_ID: keyId })) || '{}')
      assert.equal(answer.request_id, undefined, `${code}\n${JSON.stringify(answer)}`)
      if (answer.records !== undefined) app.dns.publish(answer.records)
      if (code.includes('/verify')) assert.equal(answer.status, 'verified')
      keyId = answer.key_id ?? keyId
    }
    const headers = { authorization: `Bearer ${manage}` }
    const { body } = await app.callWith('GET', '/v1/domains', undefined, headers)
    assert.ok(!JSON.stringify(body).includes('shop.example'), 'the last example deletes the domain')
  })

  test('its table has every type of account event, and its sample is one', async () => {
    const page = await readFile(PAGE, 'utf8')
    const rows = Array.from(page.matchAll(/^\| `([a-z_.]+)` \| (.+) \|$/gm), ([, type, when]) => [type, when])
    assert.deepEqual(
      rows,
      ACCOUNT_EVENT_TYPES.map((type) => [type, ruleOfAccountEvent(type).when]),
    )
    const [sample] = (await blocksOf(PAGE)).filter(({ language }) => language === 'json')
    const { at, ...event } = JSON.parse(sample?.code ?? '')
    const { sample: detail } = ruleOfAccountEvent(event.type)
    assert.deepEqual(event.detail, detail)
    assert.ok(Value.Check(AccountEventView, { at, ...event }))
  })

  /** Runs the program, and publishes the records that the program passes to `publish`; returns its last line. */
  async function runProgram(code: string): Promise<string> {
    const file = join(directory, 'managing.mjs')
    const publishing = `const publish = async (records) => {
      console.log(JSON.stringify({ records }))
      await new Promise((resolve) => process.stdin.once('data', resolve))
    }\n`
    await writeFile(file, `${publishing}${code}\nprocess.stdin.destroy()`)
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, [file], {
      env: { PATH, BASE: app.app.url, PLATFORM: platform, HOOK: receiver.url },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      output += piece
      if (!output.includes('\n') || !output.startsWith('{"records"')) return
      app.dns.publish(JSON.parse(output.slice(0, output.indexOf('\n'))).records)
      output = output.slice(output.indexOf('\n') + 1)
      child.stdin.write('published\n')
    })
    const [errors, [code_]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.equal(code_, 0, `${errors}\n${output}`)
    return output
  }

  test('its program sends the first message, whose delivery the webhook reports, and a repetition creates nothing twice', async () => {
    const [program] = (await blocksOf(PAGE)).filter(({ language }) => language === 'js')
    assert.ok(program)
    const first = await runProgram(program.code)
    assert.match(first, /message_id: 'msg_/)
    const isDelivered = ({ body }: { readonly body: string }) => JSON.parse(body).type === 'delivered'
    await receiver.received(1, isDelivered)
    assert.equal(await runProgram(program.code), first)
    assert.equal(receiver.requests.filter(isDelivered).length, 1)
  })
})

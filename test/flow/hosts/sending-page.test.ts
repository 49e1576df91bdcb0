// Every example of docs/sending.md runs as written, and the example of an event in docs/webhooks.md has the form of the
// API.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { EventView } from '../../../src/api/contract/event.ts'
import { TestApp } from '../../support/app.ts'
import { until } from '../../support/test-clock.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const blocksOf = async (page: string, language: string): Promise<string[]> => {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  )
}

describe('docs/sending.md', () => {
  let app: TestApp
  let directory: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,smtp' } })
    directory = await mkdtemp(join(tmpdir(), 'postrider-sending-'))
    await symlink(app.storage.dataDir, join(directory, 'data'))
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  })
  after(async () => {
    await app.stop()
    await rm(directory, { recursive: true })
  })

  /** Runs a program in a directory with `data/playground.json` and Nodemailer; returns its output. */
  async function run(command: string, args: readonly string[]): Promise<string> {
    const { PATH } = process.env
    const env = { PATH, BASE: app.app.url, KEY: app.playground.sending_key }
    const child = spawn(command, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err] = [child.stdout, child.stderr].map((stream) => {
      const pieces: string[] = []
      stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece))
      return pieces
    })
    let code: number | null | undefined
    child.on('close', (ended) => {
      code = ended
    })
    await until(`${command} has ended`, () => code !== undefined)
    assert.equal(code, 0, `${err?.join('')}\n${out?.join('')}`)
    return out?.join('') ?? ''
  }

  test('its REST examples are accepted, and the one that shows a refusal is refused', async () => {
    const blocks = await blocksOf('sending.md', 'sh')
    assert.ok(blocks.length >= 11, String(blocks.length))
    const script = blocks.map((block, index) => `printf '\\n== ${index}\\n'\n${block}`).join('\n')
    const outputs = (await run('sh', ['-c', script])).split(/\n== \d+\n/).slice(1)
    assert.equal(outputs.length, blocks.length)
    for (const [index, block] of blocks.entries()) {
      const refused = block.includes('# refused: ')
      const output = outputs[index] ?? ''
      assert.equal(output.includes('"request_id"'), refused, `${block}\n${output}`)
      assert.match(output, /"(message_id|template_id|bulk_id)"|"errors"/, block)
      const [, fields = ''] = /# refused: (.*)/.exec(block) ?? []
      for (const field of fields.split(', '))
        assert.ok(output.includes(`"path":"${field}`) || !refused, output)
    }
    const [first, second] = (
      outputs.find((output) => output.split('msg_').length === 3 && !output.includes('data')) ?? ''
    )
      .trim()
      .split('\n')
    assert.equal(first, second)
  })

  test('its SMTP examples are accepted', async () => {
    const blocks = await blocksOf('sending.md', 'js')
    assert.ok(blocks.length >= 9, String(blocks.length))
    const sent = (await app.call('GET', '/v1/messages?limit=200')).body.data.length
    // The examples share the transport of the first example, and each example has its own scope, as in a reader's
    // program.
    const [first = '', ...others] = blocks
    const file = join(directory, 'sending.mjs')
    const scoped = others.map((block) => `{\n${block.replace('export async', 'async')}\n}`)
    await writeFile(file, `${first}\n${scoped.join('\n')}\ntransport.close()\n`)
    const output = await run(process.execPath, [file])
    assert.match(output, /^250 2\.0\.0 Ok: queued as msg_\w{26}$/m)
    const [one, two] = [...output.matchAll(/^[12] (250 .*)$/gm)].map(([, reply]) => reply)
    assert.ok(one !== undefined && one === two, output)
    assert.match(output, /status: 'queued'/)
    const { data } = (await app.call('GET', '/v1/messages?limit=200')).body
    // Each example sends one message, but the repetition under the same idempotency key sends none.
    assert.equal(data.length - sent, blocks.length)
  })
})

test('the event in docs/webhooks.md has all fields of an event', async () => {
  const [example = ''] = await blocksOf('webhooks.md', 'json')
  const { data } = JSON.parse(example)
  // Only the events that a management key reads name their domain, and only events of test messages say so.
  const { domain, domain_id, test: _, ...fields } = EventView.properties
  assert.deepEqual(Object.keys(data), Object.keys(fields))
})

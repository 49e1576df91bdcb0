// Runs the commands of README.md as written, except for the ports, and checks their results.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { installSdk } from './packed-sdk.ts'
import { blocksOf, type PageBlock } from './page-blocks.ts'
import { freePort } from './postgres.ts'
import { until } from './test-clock.ts'

const README = new URL('../../README.md', import.meta.url)
const PLAYGROUND = new URL('../../docs/playground.md', import.meta.url)
const run = promisify(execFile)
const PRODUCTION = 'Production'
/** Settings of a curl that ends with an error if the response is an error. */
const CURLRC = 'fail-with-body\nsilent\nshow-error\n'
/** Name servers that refuse every query at once, so that commands do not reach the internet. */
const NO_DNS = { POSTRIDER_DNS_SERVERS: '127.0.0.1:1' }
/** Commands that may end with exit code 1 while no DNS record exists. */
const NEEDS_DNS = /^postrider (?:domain verify|doctor)\b/

/** A directory in which a reader of the README works, and the user who works there. */
export interface Workplace {
  /** Directory in which the commands run; `bin/postrider` in it is the program. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** User and group of the commands, if not those of this process. */
  readonly uid?: number
  readonly gid?: number
}

const optionsOf = ({ folder, env, ...user }: Workplace) => ({
  cwd: folder,
  env: {
    ...env,
    HOME: folder,
    PATH: [join(folder, 'bin'), env.PATH].join(delimiter),
  },
  ...user,
})

/** Runs a part of a test while a program runs, and stops the program. */
async function during<T>(child: ChildProcess, part: () => Promise<T>): Promise<T> {
  const exited = once(child, 'exit')
  try {
    return await part()
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

/** Starts a program; returns the process and its output so far. */
function started(command: string, words: readonly string[], options: SpawnOptions) {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.text += text
    })
  return { child, output }
}

/**
 * Runs all commands from the first message to the section about production, and those of docs/playground.md, against a
 * playground that `bin/postrider` serves, and checks their results.
 */
export async function checkFirstSteps(place: Workplace): Promise<void> {
  const all = await blocksOf(README)
  const steps = all.filter(({ heading }) => heading !== 'Postrider' && heading !== PRODUCTION)
  await writeFile(join(place.folder, '.curlrc'), CURLRC)
  const options = optionsOf({
    ...place,
    env: { ...place.env, POSTRIDER_HTTP_PORT: '0', POSTRIDER_SMTP_PORT: '0' },
  })
  const { child } = started(join(place.folder, 'bin/postrider'), ['serve'], options)
  await during(child, async () => {
    const file = join(place.folder, 'data/playground.json')
    await until('the playground runs', () => existsSync(file) || child.exitCode !== null)
    const { base_url, mailbox_url, smtp } = JSON.parse(await readFile(file, 'utf8'))
    const receiverPort = String(await freePort())
    const adapted = (code: string): string =>
      code
        .replaceAll('127.0.0.1:8025', new URL(base_url).host)
        .replaceAll('127.0.0.1:2587', `127.0.0.1:${smtp.port}`)
        .replaceAll(/(?<=127\.0\.0\.1:|listen\()3000/g, receiverPort)
    const receiver = steps.find(({ language }) => language === 'js') as PageBlock
    await writeFile(join(place.folder, 'data/receiver.mjs'), adapted(receiver.code))
    const { child: listening, output } = started('node', ['data/receiver.mjs'], options)
    await during(listening, async () => {
      const written = [...steps, ...(await blocksOf(PLAYGROUND))]
      const commands = written.filter(({ language }) => language === 'sh').map(({ code }) => adapted(code))
      // The README asks for another message once the webhook is registered.
      const script = [...commands, commands[0]].join('\n')
      const { stdout } = await run('sh', ['-ec', script], options)
      const program = steps.find(({ language }) => language === 'ts') as PageBlock
      await installSdk(place.folder)
      await writeFile(join(place.folder, 'first.mjs'), adapted(program.code))
      const { env, ...rest } = options
      const key = JSON.parse(await readFile(file, 'utf8')).sending_key
      await run('node', ['first.mjs'], { ...rest, env: { ...env, KEY: key } })
      await until(
        'the receiver has an event',
        () => output.text.includes('"delivered"') || listening.exitCode !== null,
      )
      assert.match(output.text, /"type":"delivered"/, 'the receiver prints the event of a message')
      assert.match(stdout, /"result": ?"deliverable"/)
      assert.match(stdout, /https:\/\/shop\.example\/reset\?token=abc$/m)
      assert.match(stdout, /mailbox_full@example\.test,.*mailbox_full/)
      const sent = new Set(['First message', 'From TypeScript', 'Over SMTP', 'Receipt R-1', 'News'])
      const subjects = async (): Promise<Set<string>> => {
        const mailbox = await fetch(mailbox_url)
        const { messages } = (await mailbox.json()) as { messages: { Subject: string }[] }
        return new Set(messages.map(({ Subject }) => Subject))
      }
      await until('every message is in the mailbox', async () => (await subjects()).size >= sent.size)
      assert.deepEqual(await subjects(), sent)
    })
  })
}

/**
 * Writes the settings of the section about production, starts the service with them on free ports, and runs each
 * command of the section.
 */
export async function checkProduction(place: Workplace): Promise<void> {
  const blocks = (await blocksOf(README)).filter(({ heading }) => heading === PRODUCTION)
  const [, start, commands] = blocks as [PageBlock, PageBlock, PageBlock]
  const ports = Object.fromEntries(
    ['HTTP', 'HTTPS', 'SMTP', 'INBOUND', 'ADMIN'].map((name) => [`POSTRIDER_${name}_PORT`, '0']),
  )
  const acme = { POSTRIDER_ACME_DIRECTORY: 'https://acme.invalid/directory' }
  const options = optionsOf({ ...place, env: { ...place.env, ...ports, ...acme, ...NO_DNS } })
  // The shell is replaced by the service, so that a signal reaches the service.
  const code = start.code.replace(/^postrider serve$/m, 'exec postrider serve')
  const { child, output } = started('sh', ['-ec', code], options)
  await during(child, async () => {
    await until('the service runs', () => output.text.includes('first-run') || child.exitCode !== null)
    assert.equal(child.exitCode, null, output.text)
    for (const command of commands.code.trim().split('\n')) {
      const { code: exit, text } = await run('sh', ['-ec', command], options).then(
        ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
        ({ code: failed, stdout, stderr }) => ({ code: Number(failed), text: `${stdout}${stderr}` }),
      )
      assert.ok(
        exit === 0 || (exit === 1 && NEEDS_DNS.test(command)),
        `${command}\nexit code ${exit}\n${text}`,
      )
      assert.notEqual(text, '', command)
    }
  })
}

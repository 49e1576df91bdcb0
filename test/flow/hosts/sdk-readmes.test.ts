// The packages @postrider/sdk and postrider-mcp, packed by npm and installed in an empty folder: each block of their
// README works as written, at the playground instead of mail.example.com and with the domain of the playground.

// thorough: packs and installs two packages, and starts a process for each block; sdk.test.ts and mcp.test.ts use the sources.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Webhook } from 'standardwebhooks'
import { ALL_SCOPES } from '../../../src/access/scopes.ts'
import { run as runCommand } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { TestApp } from '../../support/app.ts'
import { managementKey } from '../../support/keys.ts'
import { blocksOf, type PageBlock } from '../../support/page-blocks.ts'
import { freePort } from '../../support/postgres.ts'
import { sleep, until } from '../../support/test-clock.ts'

const ROOT = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const readmeOf = (name: string): Promise<readonly PageBlock[]> =>
  blocksOf(new URL(`../../../sdk/${name}/README.md`, import.meta.url))

/** Options of TypeScript in a strict project. */
const STRICT = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
    ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  },
  include: ['*.mts'],
}

describe('the README of', () => {
  let app: TestApp
  let folder: string
  const packed: Record<string, string> = {}
  before(async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, address }) =>
          verb === 'RCPT' && address.startsWith('gone') ? '550 5.1.1 no such user here' : undefined,
      },
    })
    folder = await mkdtemp(join(tmpdir(), 'postrider-readmes-'))
    for (const name of ['typescript', 'mcp']) {
      const target = join(folder, `packed-${name}`)
      await mkdir(target)
      await run('npm', ['pack', '--loglevel=error', '--pack-destination', target], {
        cwd: join(ROOT, 'sdk', name),
      })
      const [file = ''] = await readdir(target)
      packed[name] = join(target, file)
    }
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  /** Runs `npm install …` of a README in a new empty folder, with the packed package in place of its name. */
  async function installed(
    name: string,
    package_: string,
    line = `npm install ${package_}`,
  ): Promise<string> {
    assert.equal(line.trim(), `npm install ${package_}`)
    const project = join(folder, `project-${name}`)
    await mkdir(project)
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packed[name] ?? ''], {
      cwd: project,
    })
    return project
  }

  test('@postrider/sdk', async (context) => {
    const blocks = await readmeOf('typescript')
    const [installing, installingNodemailer] = blocks.filter(({ language }) => language === 'sh')
    assert.equal(installingNodemailer?.code, 'npm install nodemailer\n')
    const project = await installed('typescript', '@postrider/sdk', installing?.code)
    await symlink(join(ROOT, 'node_modules/nodemailer'), join(project, 'node_modules/nodemailer'))
    const of = (heading: string): string => {
      const found = blocks.filter((one) => one.language === 'ts' && one.heading === heading)
      assert.ok(found.length > 0, heading)
      return (
        found
          .map(({ code }) => code)
          .join('\n')
          .replaceAll('https://mail.example.com', app.app.url)
          .replaceAll('example.com', 'example.test')
          // The records of the domain are never published, so the call waits for its whole time.
          .replaceAll("wait: '30s'", "wait: '1s'")
      )
    }
    const receipt = { alias: 'receipt', name: 'Receipt', subject: 'Receipt {{number}}', text: '{{total}}' }
    assert.equal((await app.call('POST', '/v1/templates', receipt)).status, 201)
    const platformKey = await managementKey(app, {
      scopes: ALL_SCOPES,
      grants: ALL_SCOPES.filter((scope) => !/^(accounts|operator):/.test(scope)),
    })
    const begin = `import { Postrider } from '@postrider/sdk'\nconst key = process.env.KEY ?? ''\n`
    const client = `${begin}const postrider = new Postrider({ url: '${app.app.url}', key })\n`
    const programs: Readonly<Record<string, string>> = {
      calls: [of('@postrider/sdk'), of('Calls'), of('Lists'), "console.log('all calls are done')"].join('\n'),
      events: [
        client,
        'const loadPosition = async (): Promise<string | undefined> => undefined',
        'const savePosition = async (position: string | undefined): Promise<void> => {',
        "  console.log('saved', position)",
        '  process.exit()',
        '}',
        'const handle = async (event: { readonly type: string }): Promise<void> => console.log(event.type)',
        of('Events'),
      ].join('\n'),
      webhooks: of('Webhooks'),
      accounts: `${client.replace('const postrider', 'const platform')}${of('Accounts')}console.log('done')`,
      nodemailer: `${of('Nodemailer')}\nconsole.log('sent')`,
    }
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(
        join(project, `${name}.mts`),
        text.replace('listen(3000)', 'listen(Number(process.env.PORT))'),
      )
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(STRICT))
    await context.test('compiles', async () => {
      await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project]).catch(({ stdout }) =>
        assert.fail(stdout),
      )
    })
    const env = { PATH: process.env.PATH ?? '', KEY: platformKey, WEBHOOK_SECRET: SECRET, PORT: '0' }
    const ran = async (name: string): Promise<string> =>
      (await run(process.execPath, [`${name}.mts`], { cwd: project, env })).stdout
    await context.test('calls and lists', async () => {
      assert.match(await ran('calls'), /all calls are done\n$/)
    })
    await context.test('follows events', async () => {
      let hasEnded = false
      const output = ran('events').finally(() => {
        hasEnded = true
      })
      // The program follows from an unknown time on: messages are sent until it has seen an event.
      for (let count = 0; !hasEnded; count++) {
        await app.send({ to: [{ email: `gone-${count}@receiver.example` }] })
        await Promise.race([output, sleep(1_000, 'the program follows')])
      }
      assert.match(await output, /^(bounced|complained)\nsaved \d+\n$/)
    })
    await context.test('works for accounts, and as a transport of Nodemailer', async () => {
      assert.equal(await ran('accounts'), 'done\n')
      assert.equal(await ran('nodemailer'), 'sent\n')
    })
    await context.test('receives webhooks', async () => {
      const { port, stop } = await listening(project, env)
      const body = '{"type":"delivered"}'
      const post = async (sent: string): Promise<number> => {
        const headers = {
          ...{ 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) },
          'webhook-signature': new Webhook(SECRET).sign('evt_1', new Date(), body),
        }
        return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent })).status
      }
      assert.deepEqual([await post(body), await post(`${body} `)], [204, 401])
      stop()
    })
  })

  test('postrider-mcp', async () => {
    const blocks = await readmeOf('mcp')
    const project = await installed('mcp', 'postrider-mcp')
    const creating = blocks.find(({ language }) => language === 'sh')?.code ?? ''
    const [, ...words] = (creating.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
      word.replace(/^['"]|['"]$/g, ''),
    )
    const env = {
      ...{ POSTRIDER_DATA_DIR: app.storage.dataDir, POSTRIDER_HOSTNAME: 'sender.test' },
      POSTRIDER_DATABASE_URL: app.storage.databaseUrl ?? '',
    }
    const created = await runCommand([...words, '--account', 'Playground', '--json'], {
      ...{ env, clock: systemClock, readInput: async () => '' },
    })
    assert.equal(created.code, 0, created.stdout + created.stderr)
    const { key } = JSON.parse(created.stdout)
    const { mcpServers } = JSON.parse(blocks.find(({ language }) => language === 'json')?.code ?? '')
    const { command, args, env: given } = mcpServers.postrider
    assert.deepEqual(Object.keys(given), ['POSTRIDER_URL', 'POSTRIDER_KEY'])
    const transport = new StdioClientTransport({
      ...{ command, args, cwd: project },
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: folder, npm_config_offline: 'true' },
        ...{ POSTRIDER_URL: app.app.url, POSTRIDER_KEY: key },
      },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    const { tools } = await client.listTools()
    await client.close()
    const text = await readFile(join(ROOT, 'sdk/mcp/README.md'), 'utf8')
    for (const { name } of tools) assert.ok(text.includes(`\`${name}\``), name)
    // The key of the README reads everything but the queue of the operator.
    const table = text.slice(text.indexOf('| Tool |'), text.indexOf('Arguments and results'))
    const listed = Array.from(table.matchAll(/`([a-z]+_[a-z]+)`/g), ([, name]) => name)
    assert.deepEqual(
      tools.map(({ name }) => name).toSorted(),
      listed.filter((name) => name !== 'queue_state').toSorted(),
    )
  })
})

const SECRET = `whsec_${Buffer.from('a secret of the tests, 32 bytes.').toString('base64')}`

/** Starts the receiver of the README on a free port, which the process tells when it is asked. */
async function listening(project: string, env: Record<string, string>) {
  const port = await freePort()
  const child = spawn(process.execPath, ['webhooks.mts'], {
    ...{ cwd: project, env: { ...env, PORT: String(port) }, stdio: 'ignore' },
  })
  await until('the receiver listens', () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  )
  return { port, stop: () => void child.kill() }
}

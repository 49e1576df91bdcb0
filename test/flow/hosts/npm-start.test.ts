// The documented start and stop: signals to npm reach the server, and nothing is installed in production.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../support/program.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const STOPS = thorough(
  '17 CPU s: six programs are started and stopped; workers.test.ts and command-line.test.ts stop one',
)

describe('the documented start', () => {
  let directory: string
  let made = 0
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-npm-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  interface Started {
    readonly child: ChildProcess
    readonly ports: readonly number[]
    readonly log: Promise<string>
  }

  /** Starts the program in a new process group; resolves when the program is ready. */
  async function start(words: readonly string[], dataDir: string): Promise<Started> {
    const [command = '', ...rest] = words
    const child = spawn(command, rest, {
      cwd: ROOT,
      env: {
        ...PROGRAM_ENV,
        HOME: process.env.HOME,
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    const file = join(dataDir, 'playground.json')
    const log = text(child.stderr as NodeJS.ReadableStream)
    await until('the node listens', () => existsSync(file) || child.exitCode !== null)
    const { base_url, smtp } = JSON.parse(readFileSync(file, 'utf8'))
    return { child, ports: [Number(new URL(base_url).port), smtp.port], log }
  }

  const isFree = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
      socket.once('connect', () => socket.destroy())
    })

  const NPM = ['npm', 'start']
  const BIN = ['sh', join(PROGRAM_ROOT, 'bin/postrider'), 'serve']
  for (const [name, words, end] of [
    ['SIGTERM to npm start', NPM, (pid: number) => process.kill(pid, 'SIGTERM')],
    ['SIGINT to npm start', NPM, (pid: number) => process.kill(pid, 'SIGINT')],
    ['Ctrl-C in the terminal of npm start', NPM, (pid: number) => process.kill(-pid, 'SIGINT')],
    ['the end of the terminal of bin/postrider', BIN, (pid: number) => process.kill(-pid, 'SIGHUP')],
    ['SIGTERM to bin/postrider', BIN, (pid: number) => process.kill(pid, 'SIGTERM')],
    [
      'SIGINT twice to bin/postrider',
      BIN,
      (pid: number) => {
        process.kill(pid, 'SIGINT')
        process.kill(pid, 'SIGINT')
      },
    ],
  ] as const) {
    test(`${name} stops it gracefully: exit code 0, ports and store free`, STOPS, async () => {
      const dataDir = join(directory, `data${++made}`)
      const { child, ports, log } = await start(words, dataDir)
      const exited = once(child, 'exit')
      end(child.pid as number)
      assert.deepEqual(await exited, [0, null])
      for (const port of ports) assert.ok(await isFree(port), `port ${port} is held`)
      assert.match(await log, /"msg":"stopped"/)
    })
  }

  describe('installs', () => {
    let tree: string
    let calls: string
    let env: Record<string, string>

    /** Creates a checkout without installed packages, and an npm stub that records its arguments. */
    function makeTree(at: string): void {
      tree = join(directory, at)
      mkdirSync(tree, { recursive: true })
      cpSync(join(ROOT, 'bin'), join(tree, 'bin'), { recursive: true })
      writeFileSync(join(tree, 'package-lock.json'), '{}')
      const stubs = join(directory, 'stubs')
      calls = join(directory, 'calls')
      rmSync(calls, { force: true })
      mkdirSync(stubs, { recursive: true })
      writeFileSync(
        join(stubs, 'npm'),
        `#!/bin/sh\necho "$@" >>'${calls}'\nmkdir -p node_modules\ntouch node_modules/.package-lock.json\n`,
      )
      chmodSync(join(stubs, 'npm'), 0o755)
      env = { PATH: `${stubs}:${process.env.PATH}` }
    }

    function sh(
      script: string,
      more: Record<string, string> = {},
      { uid, words = ['key', 'list'] }: { uid?: number; words?: readonly string[] } = {},
    ): { code: number; stderr: string } {
      try {
        const options = {
          cwd: tree,
          env: { ...env, ...more },
          stdio: 'pipe',
          ...(uid === undefined ? {} : { uid }),
        } as const
        execFileSync('sh', [join(tree, 'bin', script), ...words], options)
        return { code: 0, stderr: '' }
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: Buffer }
        return { code: status, stderr: String(stderr) }
      }
    }
    const called = (): string => (existsSync(calls) ? readFileSync(calls, 'utf8') : '')

    test('the packages that running needs; with --tests the rest too, whatever NODE_ENV says', () => {
      makeTree('clone')
      assert.equal(sh('install-if-missing', { NODE_ENV: 'production' }).code, 0)
      assert.match(called(), /^install --omit=dev /)
      sh('install-if-missing')
      assert.equal(called().split('\n').length, 2, 'once')
      assert.equal(sh('install-if-missing', { NODE_ENV: 'production' }, { words: ['--tests'] }).code, 0)
      assert.match(called(), /\ninstall --include=dev /)
      // The npm stub installs no TypeScript, so the program would take the installation for an installation without
      // test packages.
      mkdirSync(join(tree, 'node_modules', 'typescript'))
      writeFileSync(join(tree, 'node_modules', 'typescript', 'package.json'), '{}')
      sh('install-if-missing', {}, { words: ['--tests'] })
      assert.equal(called().split('\n').length, 3, 'once')
      rmSync(join(tree, 'node_modules', '.package-lock.json'))
      sh('install-if-missing')
      assert.match(called(), /\n.*\ninstall --include=dev .*\n$/)
    })

    test('the dashboard is built in the background of a start, otherwise before the end, which then fails with the build', async () => {
      makeTree('clone-building')
      mkdirSync(join(tree, 'node_modules', 'vite'), { recursive: true })
      writeFileSync(join(tree, 'node_modules', '.package-lock.json'), '')
      mkdirSync(join(tree, 'dashboard', 'dist', 'en'), { recursive: true })
      mkdirSync(join(tree, 'dashboard', 'dist.4194305'), { recursive: true })
      writeFileSync(join(tree, 'dashboard', 'dist', 'en', 'index.html'), '')
      // An existing build of the dashboard stays unchanged.
      assert.equal(sh('install-if-missing', {}, { words: ['--start'] }).stderr, '')
      const source = join(tree, 'dashboard', 'main.tsx')
      writeFileSync(source, '')
      utimesSync(source, new Date(), new Date(Date.now() + 1000))
      writeFileSync(
        join(tree, 'bin', 'node'),
        'touch begun\nuntil [ -e go ]; do sleep 0.05; done\ntouch built\n[ ! -e fail ]',
      )
      const start = spawn('sh', [join(tree, 'bin', 'install-if-missing'), '--start'], {
        cwd: tree,
        env,
        stdio: 'ignore',
      })
      assert.deepEqual(await once(start, 'exit'), [0, null])
      await until('the build has begun', () => existsSync(join(tree, 'begun')))
      assert.ok(!existsSync(join(tree, 'built')))
      const left = readdirSync(join(tree, 'dashboard'))
      assert.deepEqual(left, ['main.tsx'], 'outdated and incomplete files are removed')
      writeFileSync(join(tree, 'go'), '')
      await until('the build has ended', () => existsSync(join(tree, 'built')))
      rmSync(join(tree, 'built'))
      assert.equal(sh('install-if-missing').code, 0)
      assert.ok(existsSync(join(tree, 'built')))
      writeFileSync(join(tree, 'fail'), '')
      assert.equal(sh('install-if-missing').code, 1)
    })

    test('the compiled program for a start, once, and again when a source is newer', () => {
      makeTree('clone-compiling')
      const source = join(tree, 'src', 'cli', 'main.ts')
      mkdirSync(join(tree, 'src', 'cli'), { recursive: true })
      writeFileSync(source, '')
      mkdirSync(join(tree, 'node_modules', 'rolldown'), { recursive: true })
      writeFileSync(join(tree, 'node_modules', '.package-lock.json'), '')
      const compiler = 'echo compiled >>calls; mkdir -p "$2/compiled/cli"; echo >"$2/compiled/cli/main.js"\n'
      writeFileSync(join(tree, 'bin', 'node'), `cd ${tree}\n${compiler}`)
      const runs = (): string =>
        execFileSync('sh', [join(tree, 'bin', 'program')], { encoding: 'utf8' }).trim()
      const compiled = join(tree, 'node_modules/.cache/program/compiled/cli/main.js')
      const times = (): number => readFileSync(join(tree, 'calls'), 'utf8').split('\n').length - 1
      const start = (): number => sh('install-if-missing', {}, { words: ['--start'] }).code
      assert.equal(runs(), source)
      mkdirSync(join(tree, 'node_modules/.cache/program.4194305'), { recursive: true })
      assert.equal(start(), 0)
      assert.equal(runs(), compiled)
      assert.deepEqual(
        readdirSync(join(tree, 'node_modules/.cache')),
        ['program'],
        'what was cut off is not there',
      )
      start()
      assert.equal(times(), 1)
      // The source changes during the compilation, so the compiler may have missed the change.
      const touch = `touch -d '+1 second' src/cli/main.ts\n`
      utimesSync(source, new Date(), new Date(Date.now() + 1000))
      assert.equal(runs(), source)
      writeFileSync(join(tree, 'bin', 'node'), `cd ${tree}\n${touch}${compiler}`)
      start()
      assert.equal(times(), 2)
      assert.equal(runs(), source)
      // The source runs if the compiler fails, and no compiled output is left.
      writeFileSync(join(tree, 'bin', 'node'), 'exit 1\n')
      assert.equal(start(), 0)
      assert.equal(runs(), source)
      assert.deepEqual(readdirSync(join(tree, 'node_modules/.cache')), ['program'])
    })

    test('few packages, whose locations are in the lock file', () => {
      const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, Record<string, string | boolean>>
      }
      const installed = Object.entries(packages).filter(
        ([path, one]) => path.includes('node_modules/') && !one.link,
      )
      // The npm client asks the registry for the list of all versions if the lock file names no location for a package.
      const unlocated = installed.filter(
        ([, { resolved, integrity }]) =>
          !String(resolved).startsWith('https://registry.npmjs.org/') || !integrity,
      )
      assert.deepEqual(unlocated, [])
      assert.ok(installed.filter(([, { dev, optional }]) => !dev && !optional).length <= 300)
    })

    test('nothing for a command', () => {
      makeTree('clone-command')
      const { code, stderr } = sh('postrider')
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^postrider: the dependencies are missing; run 'npm install --no-save --omit=dev' in .*\n$/,
      )
      assert.equal(called(), '')
    })

    test('nothing in production, according to the environment or the settings file', () => {
      makeTree('clone-production')
      const { code, stderr } = sh('install-if-missing', { POSTRIDER_MODE: 'production' })
      assert.equal(code, 1)
      assert.match(
        stderr,
        /dependencies are not installed automatically in production; run 'npm install --no-save --omit=dev'/,
      )
      for (const line of ['POSTRIDER_MODE=production', 'export POSTRIDER_MODE="production" # ours']) {
        writeFileSync(join(tree, 'data.env'), `POSTRIDER_HOSTNAME=a.example\n${line}\n`)
        assert.equal(sh('install-if-missing').code, 1)
        assert.equal(sh('install-if-missing', { POSTRIDER_CONFIG: join(tree, 'data.env') }).code, 1)
      }
      assert.equal(sh('install-if-missing', { POSTRIDER_MODE: 'playground' }).code, 0)
      writeFileSync(calls, '')
      // A missing installation record looks like a newer lock file, as after an upgrade.
      mkdirSync(join(tree, 'node_modules'), { recursive: true })
      rmSync(join(tree, 'node_modules', '.package-lock.json'), { force: true })
      assert.equal(sh('install-if-missing', { POSTRIDER_MODE: 'production' }).code, 0)
      assert.equal(called(), '')
    })

    test('nothing in a package', () => {
      makeTree('project/node_modules/postrider')
      assert.equal(sh('install-if-missing').code, 0)
      assert.equal(called(), '')
    })

    test('nothing in a tree of another user', (context) => {
      if (process.getuid?.() !== 0) return context.skip('only root can become another user')
      makeTree('clone-other')
      chmodSync(directory, 0o755)
      mkdirSync(join(tree, 'node_modules'))
      assert.equal(sh('install-if-missing', {}, { uid: 65_534 }).code, 0)
      assert.equal(called(), '')
    })
  })
})

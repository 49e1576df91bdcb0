// The packed npm package runs without the repository: below node_modules, in a read-only directory, as any user, and in
// a production environment.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkFirstSteps, checkProduction } from '../../support/readme.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

describe('the package', () => {
  let directory: string
  let files: string[]
  /** Returns the folder in which npm would install the package in a user's project. */
  const root = (): string => join(directory, 'project', 'node_modules', 'postrider')
  const command = (): string => join(root(), 'bin', 'postrider')
  const isRoot = process.getuid?.() === 0
  /**
   * Returns options that run a command in the environment of production, and as another user if this process is root.
   */
  const options = () => ({
    cwd: join(directory, 'work'),
    env: { PATH: process.env.PATH, NODE_ENV: 'production' } as Record<string, string | undefined>,
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  })

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-package-'))
    chmodSync(directory, 0o755)
    execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', directory], {
      cwd: ROOT,
      stdio: 'pipe',
    })
    const tarball = join(directory, readdirSync(directory).find((name) => name.endsWith('.tgz')) as string)
    mkdirSync(root(), { recursive: true })
    execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', root()])
    files = readdirSync(root(), { recursive: true, encoding: 'utf8' })
    // Dependencies are installed next to the package, without development dependencies.
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root(), 'package.json'), 'utf8'),
    )
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = join(ROOT, 'node_modules', name)
      if (!existsSync(installed)) continue
      mkdirSync(join(root(), '..', name, '..'), { recursive: true })
      symlinkSync(installed, join(root(), '..', name))
    }
    execFileSync('chmod', ['-R', 'a-w,a+rX', root()])
    mkdirSync(join(directory, 'work'))
    if (isRoot) chownSync(join(directory, 'work'), 65_534, 65_534)
  })
  after(async () => {
    execFileSync('chmod', ['-R', 'u+w', directory])
    await rm(directory, { recursive: true, force: true })
  })

  test('has the files that run and no others', () => {
    for (const file of [
      'LICENSE',
      'README.md',
      'bin/node',
      'compiled/cli/main.js',
      'dashboard/dist/en/index.html',
    ])
      assert.ok(files.includes(file), file)
    const others = files.filter((file) => /\.tsx?$|\.test\.|test-data|samples|^(src|test)\b/.test(file))
    assert.deepEqual(others, [])
    assert.deepEqual(
      files.filter((file) => file.startsWith('bench/')),
      ['bench/README.md'],
    )
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      assert.equal(scripts[name], undefined)
  })

  test('has every file that its pages link to', () => {
    let count = 0
    for (const page of files.filter((file) => file.endsWith('.md') && !file.startsWith('dashboard/'))) {
      const text = readFileSync(join(root(), page), 'utf8').replaceAll(/^```.*?^```|`[^`\n]*`/gms, '')
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(target)) continue
        assert.ok(existsSync(join(root(), page, '..', target)), `${page} links to ${target}`)
        count++
      }
    }
    assert.ok(count > 150, `${count} links`)
  })

  test('says how to get Node if it was left out', { skip: process.platform !== 'linux' }, () => {
    const [older, bare] = [join(directory, 'older'), join(directory, 'bare', 'node_modules', 'postrider')]
    for (const folder of [older, join(bare, 'bin')]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(older, 'node'), '#!/bin/sh\n[ "$1" = -v ] && echo v20.19.0 || echo 20\n', {
      mode: 0o755,
    })
    copyFileSync(join(ROOT, 'bin', 'node'), join(bare, 'bin', 'node'))
    const env = { PATH: `${older}:${process.env.PATH}` }
    const { status, stderr } = spawnSync('sh', [join(bare, 'bin', 'node')], { env, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(
      stderr,
      /^postrider: Node 26 or newer is needed, this is v20\.19\.0; .*without --omit=optional/,
    )
  })

  test('brings its dependencies inside, with their licenses', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root(), 'package.json'), 'utf8'))
    assert.deepEqual(Object.keys(dependencies), ['@css-inline/css-inline-wasm', '@node-rs/argon2'])
    const inside = JSON.parse(readFileSync(join(ROOT, 'src/package.json'), 'utf8')).dependencies
    const licenses = readFileSync(join(root(), 'compiled/licenses.txt'), 'utf8')
    for (const name of Object.keys(inside)) {
      assert.ok(licenses.includes(`\n${name} ${inside[name]}: `) || licenses.startsWith(`${name} `), name)
    }
  })

  test('has working commands', () => {
    const version = execFileSync(command(), ['--version'], { ...options(), encoding: 'utf8' })
    assert.match(version, /^postrider \d+\.\d+\.\d+\n$/)
  })

  test(
    'starts, accepts a mail, delivers the mail, and stops',
    thorough('7 CPU s: starts the packed program'),
    async () => {
      const { env, ...rest } = options()
      const child = spawn(command(), ['serve'], {
        ...rest,
        env: { ...env, POSTRIDER_HTTP_PORT: '0', POSTRIDER_SMTP_PORT: '0' },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      try {
        const file = join(directory, 'work', 'data', 'playground.json')
        await until('the node listens', () => existsSync(file) || child.exitCode !== null)
        const { base_url, mailbox_url, sending_key } = JSON.parse(readFileSync(file, 'utf8'))
        const large = 'It works. '.repeat(200_000)
        const message = { from: 'hello@example.test', to: [{ email: 'you@example.test' }], subject: 'First' }
        // A large message is parsed and composed in threads, whose programs must be files of the package.
        for (const text of ['It works.', large]) {
          const answer = await fetch(`${base_url}/messages`, {
            method: 'POST',
            headers: { authorization: `Bearer ${sending_key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ ...message, text }),
          })
          assert.equal(answer.status, 202)
        }
        await until('both messages are in the mailbox', async () => {
          const answer = await fetch(mailbox_url)
          return ((await answer.json()) as { messages: unknown[] }).messages.length === 2
        })
        const dashboard = await fetch(new URL('/', base_url))
        assert.equal(dashboard.status, 200)
        assert.match(await dashboard.text(), /<script/)
        const page = await fetch(new URL('/docs/pages/sending', base_url))
        assert.match(await page.text(), /<h1 id="sending">/)
      } finally {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        assert.deepEqual(await exited, [0, null])
      }
      const now = readdirSync(root(), { recursive: true, encoding: 'utf8' })
      assert.deepEqual(now.toSorted(), files.toSorted(), 'the program writes no file into its own tree')
    },
  )

  test(
    'runs the commands of the README',
    thorough('9 CPU s: starts the packed program twice, and runs every command of the README'),
    async () => {
      for (const [name, check] of [
        ['playground', checkFirstSteps],
        ['production', checkProduction],
      ] as const) {
        const folder = join(directory, name)
        mkdirSync(join(folder, 'bin'), { recursive: true })
        symlinkSync(command(), join(folder, 'bin/postrider'))
        if (isRoot) chownSync(folder, 65_534, 65_534)
        const { cwd, env, ...user } = options()
        // The commands share their compiled sources, which saves a quarter of the CPU time of a command.
        await check({ folder, env: { ...env, NODE_COMPILE_CACHE: join(cwd, 'compiled') }, ...user })
      }
    },
  )
})

// The files of a release: packages that install in an empty folder, lists of their contents, and checksums.
// thorough: packs and installs every package

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly workspaces: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

describe('a release', () => {
  let folder: string
  let said: string
  let names: string[]
  const manifest = async (path: string): Promise<Manifest> =>
    JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8'))

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-release-'))
    const words = ['run', '--silent', 'release', '--', '--dry-run', '--out', join(folder, 'out')]
    said = (await execute('npm', words, { cwd: ROOT })).stdout
    names = (await readdir(join(folder, 'out'))).sort()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('has every package that is not private, in one version', async () => {
    const { version, workspaces } = await manifest('')
    const all = await Promise.all(['', ...workspaces].map(manifest))
    const published = all.filter((one) => one.private !== true)
    assert.ok(published.some(({ name }) => name === 'postrider'))
    for (const one of published) {
      const file = `${one.name.replace('@', '').replace('/', '-')}-${version}`
      assert.ok(names.includes(`${file}.tgz`) && names.includes(`${file}.cdx.json`), `${names} for ${file}`)
      assert.match(said, new RegExp(`A release would publish .*${one.name}@${version}`))
    }
    assert.equal(names.filter((name) => name.endsWith('.tgz')).length, published.length)
    assert.match(await readFile(join(folder, 'out/release-notes.md'), 'utf8'), new RegExp(`^## ${version}`))
  })

  test('has the checksums of all of its files', async () => {
    const sums = await readFile(join(folder, 'out/SHA256SUMS'), 'utf8')
    assert.equal(sums.trimEnd().split('\n').length, names.length - 1)
    for (const [, sum, name = ''] of sums.matchAll(/^(\w{64}) {2}(.+)$/gm)) {
      const bytes = await readFile(join(folder, 'out', name))
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sum, name)
    }
  })

  test('lists what its packages contain, and not what the tests need', async () => {
    const { version } = await manifest('')
    const list = JSON.parse(await readFile(join(folder, `out/postrider-${version}.cdx.json`), 'utf8'))
    assert.equal(list.bomFormat, 'CycloneDX')
    const listed = new Set(list.components.map((one: { name: string }) => one.name))
    for (const name of Object.keys((await manifest('src')).dependencies ?? {}))
      assert.ok(listed.has(name), name)
    for (const name of ['typescript', 'playwright-core', 'handlebars']) assert.ok(!listed.has(name), name)
  })

  test('installs in an empty folder', async () => {
    for (const name of names.filter((one) => one.endsWith('.tgz'))) {
      const empty = join(folder, `empty-${name}`)
      await mkdir(empty)
      await writeFile(join(empty, 'package.json'), '{"private": true}')
      const words = ['install', '--omit=optional', '--no-audit', '--no-fund', '--prefer-offline']
      await execute('npm', [...words, join(folder, 'out', name)], { cwd: empty })
      const installed = JSON.parse(await readFile(join(empty, 'package-lock.json'), 'utf8'))
      const [own = ''] = Object.keys(installed.packages[''].dependencies)
      const { bin = {} } = JSON.parse(
        await readFile(join(empty, 'node_modules', own, 'package.json'), 'utf8'),
      ) as { bin?: Record<string, string> }
      if (own === 'postrider') {
        const program = join(empty, 'node_modules', own, 'compiled/cli/main.js')
        const { stdout } = await execute(process.execPath, [program, 'version'], { cwd: empty })
        assert.match(stdout, /^postrider \d/)
      } else if (bin[own] === undefined) {
        const { stdout } = await execute(
          process.execPath,
          ['-e', `import(${JSON.stringify(own)}).then((it) => console.log(Object.keys(it).length))`],
          { cwd: empty },
        )
        assert.ok(Number(stdout) > 0, own)
      }
    }
  })
})

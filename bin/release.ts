/**
 * Makes the files of a release in `release/`, or in the folder that `--out` names: the packages of npm, a list of
 * the contents of each (SBOM, CycloneDX), the notes, and checksums. `--dry-run` makes the same files also for a version
 * that is not released yet, and shows what a release would publish. Publishes nothing: `.ci/release` does so for a tag.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'

const execute = promisify(execFile)
const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)))
/** Maximum output of npm in bytes. */
const MAX_OUTPUT = 256 * 1_024 * 1_024

interface Package {
  /** Folder relative to the repository; empty for the service. */
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly isPrivate: boolean
}

interface Manifest {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly workspaces?: readonly string[]
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))

/** Returns the service and its workspaces. */
async function packages(): Promise<Package[]> {
  const { workspaces = [] } = await manifestOf('')
  return Promise.all(
    ['', ...workspaces].map(async (folder) => {
      const { name, version = '', private: isPrivate = false } = await manifestOf(folder)
      return { folder, name, version, isPrivate }
    }),
  )
}

/** Returns the section of the changelog about a version; undefined if there is none. */
async function notesOf(version: string): Promise<string | undefined> {
  const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8')
  return changelog.split(/^(?=## )/m).find((section) => section.split(/\s/, 2)[1] === version)
}

/** Returns what is wrong with a release of these packages. */
async function problemsOf(all: readonly Package[], notes: string | undefined): Promise<string[]> {
  const [service] = all
  const version = service?.version ?? ''
  const { stdout: changes } = await execute('git', ['status', '--porcelain'], { cwd: ROOT })
  return [
    ...all
      .filter((one) => one.version !== '' && one.version !== version)
      .map((one) => `${one.name} has version ${one.version}; the service has version ${version}`),
    ...(notes === undefined ? [`CHANGELOG.md has no section '## ${version}'`] : []),
    ...(notes?.split('\n', 1)[0]?.includes('not released')
      ? [`CHANGELOG.md says that ${version} is not released`]
      : []),
    ...(changes === '' ? [] : ['the working tree has changes that are not committed']),
  ]
}

async function npm(words: readonly string[]): Promise<string> {
  const { stdout } = await execute('npm', [...words, '--loglevel=error'], {
    cwd: ROOT,
    maxBuffer: MAX_OUTPUT,
  })
  return stdout
}

/**
 * Workspaces that are inside of the package of the service: its sources and its pages are bundled, so their
 * dependencies are contents of the package.
 */
const BUNDLED = ['src', 'dashboard']

/** Parts of a list of contents (CycloneDX) that this program changes. */
interface Contents {
  readonly metadata: { readonly component: { name: string; readonly 'bom-ref': string } }
  readonly components: { name: string; readonly 'bom-ref': string }[]
  readonly dependencies: { readonly ref: string; readonly dependsOn: string[] }[]
}

/** Returns what npm lists for some words: the packages that are installed with the service, or those of a workspace. */
const contentsOf = async (...words: readonly string[]): Promise<Contents> =>
  JSON.parse(
    await npm([
      'sbom',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      '--package-lock-only',
      ...words,
    ]),
  )

/** Returns the contents of a package. The dependencies of a workspace are all bundled. */
async function listOf({ folder, name }: Package): Promise<Contents> {
  // With --omit=dev, npm leaves out packages of a workspace that a development dependency needs as well.
  const [first, ...others] =
    folder === ''
      ? [
          await contentsOf('--omit=dev', '--workspaces=false'),
          ...(await Promise.all(BUNDLED.map((one) => contentsOf(`--workspace=${one}`)))),
        ]
      : [await contentsOf(`--workspace=${folder}`)]
  if (first === undefined) throw new Error(`npm lists nothing for ${name}`)
  for (const { components, dependencies } of others) {
    const listed = new Set(first.components.map((one) => one['bom-ref']))
    first.components.push(...components.filter((one) => !listed.has(one['bom-ref'])))
    const known = new Set(first.dependencies.map(({ ref }) => ref))
    first.dependencies.push(...dependencies.filter(({ ref }) => !known.has(ref)))
  }
  // npm names the service and the workspaces by their folders.
  first.metadata.component.name = name
  for (const one of first.components) one.name = one['bom-ref'].replace(/(?<=.)@.*$/, '')
  return first
}

/** Writes the package and its list of contents. */
async function make(one: Package, out: string): Promise<void> {
  const { folder, name, version } = one
  await npm(['pack', '--pack-destination', out, ...(folder === '' ? [] : [`--workspace=${folder}`])])
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`
  await writeFile(join(out, file), `${JSON.stringify(await listOf(one), null, 2)}\n`)
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Writes the checksums of all files of the folder in the format of `sha256sum`, and prints the files. */
async function list(out: string): Promise<void> {
  const names = (await readdir(out)).filter((name) => name !== 'SHA256SUMS').sort()
  const lines: string[] = []
  for (const name of names) {
    lines.push(`${await checksumOf(join(out, name))}  ${name}`)
    const { size } = await stat(join(out, name))
    console.log(`${String(Math.ceil(size / 1_024)).padStart(8)} KiB  ${name}`)
  }
  await writeFile(join(out, 'SHA256SUMS'), `${lines.join('\n')}\n`)
}

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string', default: 'release' } },
})
const all = await packages()
const published = all.filter(({ isPrivate }) => !isPrivate)
const version = all[0]?.version ?? ''
const notes = await notesOf(version)
const problems = await problemsOf(all, notes)
for (const problem of problems) console.error(`release: ${problem}`)
if (problems.length > 0 && !values['dry-run']) process.exit(1)
const out = resolve(values.out)
await mkdir(out, { recursive: true })
if ((await readdir(out)).length > 0) {
  console.error(`release: ${out} is not empty; remove it, or name another folder with --out`)
  process.exit(1)
}
for (const one of published) await make(one, out)
await writeFile(join(out, 'release-notes.md'), notes ?? '')
await list(out)
const names = published.map(({ name }) => `${name}@${version}`).join(', ')
console.log(values['dry-run'] ? `A release would publish ${names}.` : `The files of ${names} are in ${out}.`)

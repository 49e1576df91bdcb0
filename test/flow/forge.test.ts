// The files in .github/ are correct: GitHub accepts the forms and the workflows. CI runs every step of .ci/run on the
// oldest supported version of Node, and a release publishes only what has passed CI.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

/** Returns the content of a YAML file; throws for invalid YAML and for a key that occurs twice. */
function contentOf<T>(path: string): T {
  const document = parseDocument(read(path))
  assert.deepEqual([...document.errors, ...document.warnings], [], path)
  return document.toJS() as T
}

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly {
    readonly type: string
    readonly id?: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
}

/** Attributes that GitHub requires for each type of element in an issue form. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  markdown: ['value'],
  textarea: ['label'],
  input: ['label'],
  dropdown: ['label', 'options'],
}

test('the issue forms have the fields that GitHub requires', () => {
  const folder = '.github/ISSUE_TEMPLATE/'
  const forms = readdirSync(new URL(folder, ROOT)).filter((name) => name !== 'config.yml')
  assert.deepEqual(forms, ['bug.yml', 'feature.yml'])
  for (const name of forms) {
    const form = contentOf<Form>(folder + name)
    assert.ok(form.name && form.description, name)
    const ids = form.body.flatMap(({ id }) => id ?? [])
    assert.equal(new Set(ids).size, ids.length, name)
    for (const { type, id, attributes } of form.body) {
      assert.ok(type === 'markdown' || /^[\w-]+$/.test(id ?? ''), `${name}: ${type}`)
      for (const attribute of NEEDED[type] ?? assert.fail(`${name}: ${type}`))
        assert.ok(attribute in attributes, `${name}: ${id} has no ${attribute}`)
    }
  }
  const { contact_links } = contentOf<{ contact_links: Record<string, string>[] }>(`${folder}config.yml`)
  for (const { name, url, about } of contact_links) assert.ok(name && url?.startsWith('https://') && about)
})

interface Job {
  readonly 'runs-on'?: string
  readonly 'timeout-minutes'?: number
  /** Another workflow, in place of steps. */
  readonly uses?: string
  readonly needs?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: { readonly node?: readonly number[] } }
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[]
}

/** Returns the jobs of a workflow; asserts that the token can only read, and that each job has a machine and steps. */
function jobsOf(path: string): Readonly<Record<string, Job>> {
  const { jobs, permissions } = contentOf<{ jobs: Record<string, Job>; permissions: object }>(path)
  assert.deepEqual(permissions, { contents: 'read' }, path)
  for (const [name, { steps, uses: workflow, ...job }] of Object.entries(jobs)) {
    assert.ok(job.needs === undefined || job.needs in jobs, name)
    if (workflow !== undefined) {
      assert.ok('workflow_call' in contentOf<{ on: object }>(workflow).on, workflow)
      continue
    }
    assert.ok(job['runs-on'] !== undefined && (job['timeout-minutes'] ?? 0) > 0, name)
    assert.ok(steps !== undefined, name)
    for (const { uses, run } of steps)
      assert.ok(
        (uses === undefined) !== (run === undefined) &&
          /^[\w/-]+@v\d+$|^npm |^sh \.ci\//.test(uses ?? run ?? ''),
        name,
      )
    assert.ok(steps[0]?.uses?.startsWith('actions/checkout@'), name)
  }
  return jobs
}

const runsOf = (jobs: readonly Job[]): string[] =>
  jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []))

test('the workflow runs the steps of .ci/run, the tests on every supported Node', () => {
  const path = '.github/workflows/ci.yml'
  const { on } = contentOf<{ on: object }>(path)
  assert.ok('push' in on && 'pull_request' in on)
  const jobs = Object.values(jobsOf(path))
  const stepsOf = (lines: readonly string[]) =>
    new Set(lines.flatMap((line) => /^npm .*|^sh \.ci\/[\w-]+/.exec(line)?.[0] ?? []))
  assert.deepEqual(stepsOf(runsOf(jobs)), stepsOf(read('.ci/run').split('\n')))
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const nodes = jobs.flatMap(({ strategy }) => strategy?.matrix.node ?? [])
  assert.equal(`>=${Math.min(...nodes)}`, engines.node)
})

describe('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-release-'))
  after(() => rmSync(folder, { recursive: true }))
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const IMAGE = 'ghcr.io/postrider/postrider'

  /** Shell commands that make the files of a release. */
  const MAKES_FILES = [
    `{ rm -rf release package; mkdir -p release package; echo '{"name":"postrider"}' >package/package.json`,
    `tar -czf release/postrider-${version}.tgz package`,
    `touch release/postrider-${version}.cdx.json release/SHA256SUMS release/release-notes.md; }`,
  ].join('; ')

  /** Runs a step of a release with stubs of the programs that publish; returns their calls. */
  function step(words: string, { tag = `v${version}`, heading = `## ${version}` } = {}) {
    cpSync(fileURLToPath(new URL('.ci/release', ROOT)), join(folder, '.ci/release'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }))
    writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${heading}\n\nNew.\n\n## 0.0.9\n\nOld.\n`)
    const programs = join(folder, 'programs')
    const calls = join(folder, 'calls')
    mkdirSync(programs, { recursive: true })
    writeFileSync(calls, '')
    for (const [name, script] of [
      ['docker', `case $1 in run) echo postrider ${version} ;; esac`],
      ['npm', `[ "$1" != run ] || ${MAKES_FILES}`],
      ['gh', '[ $2 != view ]'],
    ] as const)
      writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*" >>'${calls}'\n${script}\n`, {
        mode: 0o755,
      })
    const env = {
      PATH: `${programs}:${process.env.PATH}`,
      GITHUB_REF_NAME: tag,
      GITHUB_REPOSITORY: 'Postrider/postrider',
      GITHUB_ACTOR: 'me',
      GITHUB_TOKEN: 'secret',
    }
    const { status, stderr } = spawnSync('sh', [join(folder, '.ci/release'), ...words.split(' ')], {
      env,
      encoding: 'utf8',
    })
    return { status, stderr, calls: readFileSync(calls, 'utf8').trimEnd().split('\n') }
  }

  test('publishes after CI has passed, and only the jobs that publish may write', () => {
    const jobs = jobsOf('.github/workflows/release.yml')
    assert.deepEqual(
      Object.entries(jobs).map(([name, { needs, uses, permissions = {} }]) => [
        ...[name, needs, uses],
        ...Object.keys(permissions).filter((one) => permissions[one] === 'write'),
      ]),
      [
        ['check', undefined, undefined],
        ['ci', 'check', './.github/workflows/ci.yml'],
        ['image', 'ci', undefined, 'packages'],
        ['publish', 'image', undefined, 'contents', 'packages', 'id-token'],
      ],
    )
    for (const line of runsOf(Object.values(jobs)))
      assert.match(line, /^sh \.ci\/release (check|image|publish)\b/)
  })

  test('has the tag of its version, and a section of the changelog that says that the version is released', () => {
    assert.deepEqual(step('check'), { status: 0, stderr: '', calls: [''] })
    for (const [wrong, message] of [
      [{ tag: 'v9.9.9' }, `the tag is v9.9.9, but package.json has version ${version}`],
      [{ heading: '## 9.9.9' }, `CHANGELOG.md has no section '## ${version}'`],
      [{ heading: `## ${version} (not released yet)` }, `CHANGELOG.md says that ${version} is not released`],
    ] as const)
      assert.deepEqual(step('check', wrong), { status: 1, stderr: `release: ${message}\n`, calls: [''] })
  })

  test('is an image for each architecture, the packages of npm, and a release with the files and its section of the changelog', () => {
    const built = `${IMAGE}:${version}-arm64`
    const { status, stderr, calls } = step('image arm64')
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(calls, [
      `docker build --file deploy/Dockerfile --tag ${built} .`,
      `docker run --rm ${built} version`,
      'docker login ghcr.io --username me --password-stdin',
      `docker push ${built}`,
    ])
    const files = ['.tgz', '.cdx.json'].map((end) => `release/postrider-${version}${end}`).join(' ')
    assert.deepEqual(step('publish').calls, [
      'npm run release -- --out release',
      'docker login ghcr.io --username me --password-stdin',
      `docker buildx imagetools create --tag ${IMAGE}:${version} --tag ${IMAGE}:latest ${IMAGE}:${version}-amd64 ${built}`,
      `gh release view v${version}`,
      `gh release create v${version} ${files} release/SHA256SUMS --verify-tag --notes-file release/release-notes.md`,
      `npm view postrider@${version} version`,
      `npm publish ./release/postrider-${version}.tgz --access public --provenance --tag latest`,
    ])
  })
})

test('the README begins with the purpose, the clone, the two commands and a picture, and stays short', () => {
  const readme = read('README.md')
  const [beginning = ''] = readme.split(/^- /m, 1)
  assert.ok(beginning.split('\n').length < 30)
  const { repository, homepage, bugs, keywords } = JSON.parse(read('package.json')) as {
    readonly repository: { readonly url: string }
    readonly homepage: string
    readonly bugs: string
    readonly keywords: readonly string[]
  }
  const address = repository.url.replace(/^git\+|\.git$/g, '')
  for (const shown of [`git clone ${address} `, 'npm start ', 'npm test ', '<img src="docs/images/'])
    assert.ok(beginning.includes(shown), shown)
  for (const url of [homepage, bugs]) assert.ok(url.startsWith(address), url)
  assert.ok(keywords.length > 5)
  // The page of the mailbox is shown, and statistics begin today instead of a month of zeros ago.
  for (const shown of ['/mailbox>', 'stats?by=day&from=']) assert.ok(readme.includes(shown), shown)
  const words = readme.split(/\s+/).length
  assert.ok(words < 1_115, `${words} words`)
})

test('the changelog has the version of the package, with a summary in ten lines above the details', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const [, title = '', release = ''] =
    /^## (\S+)[^\n]*\n(.*?)(?=^## )/ms.exec(`${read('CHANGELOG.md')}\n## `) ?? []
  assert.equal(title, version)
  const [summary = '', details] = release.split(/^### .*$/m)
  const points = summary.match(/^- /gm)?.length ?? 0
  assert.ok(points >= 5 && points <= 10 && details !== undefined, `${points} lines`)
})

test('vulnerabilities are reported in private, and both policies are linked', () => {
  const { bugs } = JSON.parse(read('package.json')) as { readonly bugs: string }
  const advisory = bugs.replace(/issues$/, 'security/advisories/new')
  for (const page of ['SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/ISSUE_TEMPLATE/config.yml'])
    assert.ok(read(page).includes(advisory), page)
  assert.ok(read('README.md').includes('](SECURITY.md)'))
  assert.ok(read('CONTRIBUTING.md').includes('](CODE_OF_CONDUCT.md)'))
})

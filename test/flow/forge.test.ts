// The files in .github/ are correct: GitHub accepts the forms and the workflow, and the workflow runs every step of
// .ci/run on the oldest supported version of Node.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
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
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } }
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

test('the workflow runs the steps of .ci/run, the tests on every supported Node', () => {
  const workflow = contentOf<{ on: object; permissions: object; jobs: Record<string, Job> }>(
    '.github/workflows/ci.yml',
  )
  assert.ok('push' in workflow.on && 'pull_request' in workflow.on)
  assert.deepEqual(workflow.permissions, { contents: 'read' })
  const jobs = Object.values(workflow.jobs)
  for (const { 'runs-on': machine, 'timeout-minutes': minutes, steps } of jobs) {
    assert.ok(machine !== '' && minutes > 0)
    for (const { uses, run } of steps)
      assert.ok(
        (uses === undefined) !== (run === undefined) &&
          /^[\w/-]+@v\d+$|^npm |^sh \.ci\//.test(uses ?? run ?? ''),
      )
    assert.ok(steps[0]?.uses?.startsWith('actions/checkout@'))
  }
  const runs = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  const stepsOf = (lines: readonly string[]) =>
    new Set(lines.flatMap((line) => /^npm .*|^sh \.ci\/[\w-]+/.exec(line)?.[0] ?? []))
  assert.deepEqual(stepsOf(runs), stepsOf(read('.ci/run').split('\n')))
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const nodes = jobs.flatMap(({ strategy }) => strategy?.matrix.node ?? [])
  assert.equal(`>=${Math.min(...nodes)}`, engines.node)
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

// Commands that write templates to a folder, save a folder as templates, and export or import suppressions of a running
// service.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { run } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { TestApp } from '../../support/app.ts'
import { thorough } from '../../support/thorough.ts'

const execute = promisify(execFile)

const BASE = {
  'layouts/base.json': '{\n  "name": "Base"\n}\n',
  'layouts/base.html': '<html><body>{{{ @content }}}</body></html>\n',
  'layouts/base.txt': '{{{ @content }}}\n-- \n{{company}}\n',
  'templates/receipt.v1.json':
    '{\n  "name": "Receipt",\n  "subject": "Receipt {{n}}",\n  "layout": "base",\n  "required": [\n    "n"\n  ],\n  "inline_css": true,\n  "sample_model": {\n    "n": 7\n  }\n}\n',
  'templates/receipt.v1.html': '<style>p{color:red}</style>\r\n<p>{{n}} ü</p>\r\n',
  'templates/receipt.v1.txt': 'Receipt {{n}}\n',
  'templates/plain.json': '{\n  "name": "Plain"\n}\n',
  'templates/plain.txt': 'x',
}

describe('the command line', () => {
  let app: TestApp
  let dir: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'postrider-templates-'))
  })
  const tidy = () => rm(dir, { recursive: true })

  async function cli(words: readonly string[], input = '') {
    const settings = {
      POSTRIDER_DATA_DIR: app.storage.dataDir,
      POSTRIDER_DATABASE_URL: app.storage.databaseUrl ?? '',
    }
    const finished = await run([...words, '--json'], {
      env: settings,
      clock: systemClock,
      readInput: async () => input,
    })
    return { ...finished, json: JSON.parse(finished.stdout) }
  }
  async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(dir, name, '..'), { recursive: true })
      await writeFile(join(dir, name), content)
    }
  }
  async function read(folder = dir): Promise<Record<string, string>> {
    const names = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
    const contents = files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')])
    return Object.fromEntries(await Promise.all(contents))
  }
  const changes = (answer: { json: { data: { alias: string; change: string }[] } }) =>
    Object.fromEntries(answer.json.data.map(({ alias, change }) => [alias, change]))

  test('push saves a folder, and pull writes the same files', async () => {
    await write(BASE)
    const dry = await cli(['template', 'push', dir, '--dry-run'])
    assert.equal(dry.code, 0, dry.stdout)
    assert.deepEqual((await app.call('GET', '/v1/templates')).body.data, [])
    const pushed = await cli(['template', 'push', dir])
    assert.deepEqual(changes(pushed), { base: 'made', 'receipt.v1': 'made', plain: 'made' })
    assert.deepEqual(changes(dry), changes(pushed))
    const { body } = await app.call('GET', '/v1/templates/receipt.v1')
    assert.deepEqual(
      [body.subject, body.layout, body.required, body.inline_css, body.version],
      ['Receipt {{n}}', 'base', ['n'], true, 1],
    )
    const other = await mkdtemp(join(tmpdir(), 'postrider-templates-'))
    await cli(['template', 'pull', other])
    assert.deepEqual(await read(other), BASE)
    await rm(other, { recursive: true })
    await tidy()
  })

  test('push saves only changed templates, and a running node sends them at once', async () => {
    await write(BASE)
    await cli(['template', 'push', dir])
    await write({
      'templates/plain.txt': 'y {{v}}',
      'templates/plain.json': '{"subject":"S","name":"Plain"}',
    })
    assert.deepEqual(changes(await cli(['template', 'push', dir])), {
      base: 'same',
      'receipt.v1': 'same',
      plain: 'changed',
    })
    const versions = await app.call('GET', '/v1/templates/plain/versions')
    assert.equal(versions.body.data[0].saved_by, 'command_line')
    const rendered = await app.call('POST', '/v1/templates/plain/render', { template_model: { v: 1 } })
    assert.equal(rendered.body.text, 'y 1')
    await tidy()
  })

  test('pull does not touch files with the same content', async () => {
    await write(BASE)
    await cli(['template', 'push', dir])
    await write({ 'layouts/base.json': '{ "name": "Base" }' })
    const long = new Date(0)
    await utimes(join(dir, 'templates/plain.txt'), long, long)
    const before = await read()
    const pulled = await cli(['template', 'pull', dir])
    assert.deepEqual(pulled.json.data, [])
    assert.deepEqual(await read(), before)
    await tidy()
  })

  test('pull removes the file of a part that the template does not have', async () => {
    await write(BASE)
    await cli(['template', 'push', dir])
    await write({ 'templates/plain.html': 'x', 'templates/own.txt': 'not saved yet' })
    assert.equal((await cli(['template', 'pull', dir])).code, 0)
    assert.deepEqual(await read(), { ...BASE, 'templates/own.txt': 'not saved yet' })
    await tidy()
  })

  test('all problems of a folder are reported with their files, and nothing is saved', async () => {
    await write({
      'layouts/bare.json': '{"name":"L"}',
      'layouts/bare.html': 'no placeholder',
      'templates/bad.json': '{"name":"B"}',
      'templates/bad.html': '\n {{#if x}}',
      'templates/framed.json': '{"name":"F","layout":"nowhere"}',
      'templates/framed.txt': 'x',
      'templates/good.json': '{"name":"G","layout":"none"}',
      'templates/good.txt': 'x',
    })
    assert.equal((await cli(['template', 'push', dir, '--dry-run'])).code, 1)
    const wrong = await cli(['template', 'push', dir])
    assert.equal(wrong.code, 1)
    const problems = wrong.json.error.errors.map(
      (one: { path: string; code: string }) => `${one.path} ${one.code}`,
    )
    assert.deepEqual(problems, [
      'layouts/bare.html invalid_placeholder',
      'templates/bad.html template_syntax',
      'templates/framed.json not_found',
    ])
    assert.match(wrong.json.error.errors[1].message, /^templates\/bad\.html: Line 2, column 2: /)
    assert.equal((await app.call('GET', '/v1/templates/good')).status, 404)
    await write({
      'templates/a.json': '[',
      'templates/b.html': 'x',
      'templates/c.json': '{"name":5,"colour":1}',
    })
    const files = await cli(['template', 'push', dir])
    assert.deepEqual(
      files.json.error.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`).sort(),
      [
        'templates/a.json malformed',
        'templates/b.json required',
        'templates/c.json invalid_type',
        'templates/c.json unknown_field',
      ],
    )
    await tidy()
    await mkdir(dir)
    await write({ 'templates/good.json': '{"name":"G","layout":"none"}', 'templates/good.txt': 'x' })
    const changes = async (): Promise<string[]> =>
      (await cli(['template', 'push', dir])).json.data.map((one: { change: string }) => one.change)
    assert.deepEqual([await changes(), await changes()], [['made'], ['same']])
    await tidy()
    await mkdir(dir)
    assert.equal((await cli(['template', 'push', dir])).json.error.code, 'not_found')
    assert.equal((await cli(['template', 'push', join(dir, 'nowhere')])).code, 1)
    await tidy()
  })

  test('files are read as UTF-8, with a byte order mark or without, and refused in another encoding', async () => {
    const marked = {
      'templates/marked.json': '\ufeff{"name":"Märked"}',
      'templates/marked.html': '\ufeff<p>ü</p>',
      'templates/marked.txt': '\ufeffü',
    }
    await write(marked)
    assert.deepEqual(changes(await cli(['template', 'push', dir])), { marked: 'made' })
    const { body } = await app.call('GET', '/v1/templates/marked')
    assert.deepEqual([body.name, body.html, body.text], ['Märked', '<p>ü</p>', 'ü'])
    const other = await mkdtemp(join(tmpdir(), 'postrider-templates-'))
    await cli(['template', 'pull', other])
    assert.equal((await read(other))['templates/marked.html'], '<p>ü</p>')
    await rm(other, { recursive: true })
    await cli(['template', 'pull', dir])
    const { 'templates/marked.txt': untouched } = await read()
    assert.equal(untouched, marked['templates/marked.txt'])
    await write({
      'templates/latin.json': Buffer.from('{"name":"ü"}', 'latin1'),
      'templates/latin.html': Buffer.from('<p>ü</p>', 'latin1'),
      'templates/wide.json': '{"name":"W"}',
      'templates/wide.txt': Buffer.from('\ufeffü', 'utf16le'),
    })
    const { code, json } = await cli(['template', 'push', dir])
    const sentence = (path: string) => `${path}: The file is not UTF-8; save it as UTF-8.`
    const paths = ['templates/latin.json', 'templates/latin.html', 'templates/wide.txt']
    assert.deepEqual(
      [code, json.error.errors.map(({ message }: { message: string }) => message)],
      [1, paths.map(sentence)],
    )
    assert.equal(json.error.detail, `${sentence('templates/latin.json')} (and 2 more)`)
    await tidy()
  })

  test('exported suppressions equal the imported ones', async () => {
    const csv =
      'email,stream,reason\na@receiver.example,broadcast,complaint\nb@receiver.example,*,hard_bounce\nc@receiver.example,,\nwrong,,\n'
    const imported = await cli(['suppression', 'import', '--stream', 'broadcast'], csv)
    assert.equal(imported.code, 0, imported.stdout)
    assert.deepEqual([imported.json.added, imported.json.existing, imported.json.rejected], [3, 0, 1])
    const exported = await cli(['suppression', 'export'])
    const rows = exported.json.data.map((one: Record<string, string>) => [one.email, one.stream, one.reason])
    assert.deepEqual(rows.sort(), [
      ['a@receiver.example', 'broadcast', 'complaint'],
      ['b@receiver.example', '*', 'hard_bounce'],
      ['c@receiver.example', 'broadcast', 'manual'],
    ])
    const settings = {
      POSTRIDER_DATA_DIR: app.storage.dataDir,
      POSTRIDER_DATABASE_URL: app.storage.databaseUrl ?? '',
    }
    const spoken = (args: string[], input = '') =>
      run(args, { env: settings, clock: systemClock, readInput: async () => input })
    const told = await spoken(['suppression', 'import', '--stream', 'broadcast'], csv)
    assert.match(
      told.stdout,
      /^0 addresses added, 3 already suppressed, 1 invalid\.\n {2}line 5, email: This is not an email address/,
    )
    const plain = await spoken(['suppression', 'export', '--stream', 'broadcast'])
    assert.match(plain.stdout, /^email,stream,reason,origin,created_at\n/)
    const mistyped = await spoken(['suppression', 'export', '--stream', 'brodcast'])
    assert.deepEqual([mistyped.code, mistyped.stdout], [1, ''])
    assert.match(mistyped.stderr, /no stream "brodcast"; it has .*broadcast/)
    const again = await cli(['suppression', 'import'], plain.stdout)
    assert.deepEqual([again.json.added, again.json.existing], [0, 2])
    const { body } = await app.call('GET', '/v1/suppressions?stream=*')
    assert.deepEqual(
      body.data.map((one: { email: string }) => one.email),
      ['b@receiver.example'],
    )
    assert.equal((await cli(['suppression', 'import'], 'name\nx\n')).code, 1)
  })

  test(
    'the script of the docs pushes a folder over the API, and only what has changed',
    thorough('1.2 CPU s; the other tests of the file cover the common cases'),
    async () => {
      await write({
        'templates/by-script.json': '{ "name": "Script", "subject": "Receipt {{n}}", "required": ["n"] }',
        'templates/by-script.html': '<p>{{n}} ü</p>\r\n',
        'templates/by-script.v2.json': '{ "name": "Text", "sample_model": { "n": 7 } }',
        'templates/by-script.v2.txt': 'x',
      })
      const docs = await readFile(new URL('../../../docs/templates.md', import.meta.url), 'utf8')
      const file = join(dir, 'push.mjs')
      await writeFile(file, /```js\n(\/\/ push\.mjs.*?)```/s.exec(docs)?.[1] ?? '')
      const push = async () => {
        const env = { ...process.env, MAIL_URL: app.app.url, MAIL_KEY: app.playground.sending_key }
        const { stdout } = await execute(process.execPath, [file, join(dir, 'templates')], { env })
        return stdout.trim().split('\n').toSorted()
      }
      assert.deepEqual(await push(), ['by-script 201', 'by-script.v2 201'])
      assert.deepEqual(await push(), ['by-script same', 'by-script.v2 same'])
      await writeFile(join(dir, 'templates/by-script.v2.txt'), 'y')
      assert.deepEqual(await push(), ['by-script same', 'by-script.v2 200'])
      const { body } = await app.call('GET', '/v1/templates/by-script.v2')
      assert.deepEqual([body.text, body.version, body.sample_model], ['y', 2, { n: 7 }])
      await writeFile(join(dir, 'templates/by-script.v2.txt'), '{{#if')
      await assert.rejects(push(), /template_syntax/)
      await tidy()
    },
  )
})

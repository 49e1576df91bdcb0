// The programs of docs/clients.md send messages and verify webhooks, in each language that this machine has.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { TestApp } from '../../support/app.ts'
import { installSdk } from '../../support/packed-sdk.ts'
import { blocksOf, type PageBlock } from '../../support/page-blocks.ts'
import { thorough } from '../../support/thorough.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = new URL('../../../docs/clients.md', import.meta.url)
const run = promisify(execFile)

/** How a language runs a program: the file of the program, and the files that its tools need besides. */
interface Runner {
  readonly file: string
  readonly command: readonly string[]
  readonly probe: readonly string[]
  readonly besides?: Readonly<Record<string, string>>
  /** Program that calls the function of the page with the arguments of the command line. */
  readonly verifying: string
  /** File of the function, if not the file of the program. */
  readonly functionFile?: string
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  python: {
    ...{ file: 'main.py', command: ['python3', 'main.py'], probe: ['python3', '--version'] },
    verifying: [
      'import sys',
      'secret, id, time_, signatures, body = sys.argv[1:]',
      'fields = {"webhook-id": id, "webhook-timestamp": time_, "webhook-signature": signatures}',
      'print(is_genuine(secret, fields, body.encode()))',
    ].join('\n'),
  },
  php: {
    ...{ file: 'main.php', command: ['php', 'main.php'], probe: ['php', '--version'] },
    verifying: "echo isGenuine(...array_slice($argv, 1)) ? 'true' : 'false';",
  },
  ruby: {
    ...{ file: 'main.rb', command: ['ruby', 'main.rb'], probe: ['ruby', '--version'] },
    verifying: 'puts genuine?(*ARGV)',
  },
  go: {
    ...{ file: 'main.go', command: ['go', 'run', '.'], probe: ['go', 'version'], functionFile: 'webhook.go' },
    besides: { 'go.mod': 'module example\n\ngo 1.19\n' },
    verifying: [
      'package main',
      'import ("fmt"; "net/http"; "os")',
      'func main() {',
      '	header := http.Header{}',
      '	for index, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {',
      '		header.Set(name, os.Args[2+index])',
      '	}',
      '	fmt.Println(isGenuine(os.Args[1], header, []byte(os.Args[5])))',
      '}',
    ].join('\n'),
  },
  csharp: {
    ...{ file: 'Program.cs', command: ['dotnet', 'run', '--'], probe: ['dotnet', '--version'] },
    functionFile: 'Webhooks.cs',
    besides: {
      'example.csproj':
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable></PropertyGroup></Project>',
    },
    verifying:
      'Console.WriteLine(Webhooks.IsGenuine(args[0], args[1], args[2], args[3], System.Text.Encoding.UTF8.GetBytes(args[4])));',
  },
}

describe('docs/clients.md', () => {
  let app: TestApp
  let folder: string
  let blocks: readonly PageBlock[]
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    folder = await mkdtemp(join(tmpdir(), 'postrider-clients-'))
    blocks = await blocksOf(PAGE)
    const template = { alias: 'receipt', name: 'Receipt', subject: 'Receipt {{number}}', text: 'Thank you.' }
    assert.equal((await app.call('POST', '/v1/templates', template)).status, 201)
  })
  after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  /** Runs a command in a directory with these files; returns its output. */
  async function output(
    name: string,
    [command = '', ...words]: readonly string[],
    files: Readonly<Record<string, string>>,
  ): Promise<string> {
    const cwd = join(folder, name)
    await mkdir(cwd, { recursive: true })
    for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text)
    const env = { ...process.env, BASE: app.app.url, KEY: app.playground.sending_key }
    return (await run(command, words, { cwd, env })).stdout
  }

  const isThere = ([command = '', ...words]: readonly string[]): Promise<boolean> =>
    run(command, words).then(
      () => true,
      () => false,
    )
  const codeOf = (language: string): string[] =>
    blocks.filter((one) => one.language === language).map(({ code }) => code)

  for (const [language, runner] of Object.entries(RUNNERS)) {
    test(`its programs in ${language}`, thorough('starts programs of another language'), async (context) => {
      const [sending = '', verifying = '', ...others] = codeOf(language)
      assert.deepEqual([sending.length > 0, verifying.length > 0, others], [true, true, []])
      if (!(await isThere(runner.probe))) return context.skip(`${language} is not installed`)
      const { file, functionFile, besides = {}, command } = runner
      const sent = await output(`${language}-send`, command, { ...besides, [file]: sending })
      // The first message has the same Idempotency-Key in each language.
      const ids = sent.match(/msg_\w{26}/g) ?? []
      assert.equal(ids.length, 2, sent)
      const { body } = await app.call('GET', `/v1/messages/${ids[1]}`)
      assert.equal(body.subject, 'Receipt R-1')
      const files =
        functionFile === undefined
          ? { [file]: `${verifying}\n${runner.verifying}\n` }
          : { [functionFile]: verifying, [file]: runner.verifying }
      const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
      const now = new Date()
      const text = '{"type":"delivered"}'
      const signature = `v1a,abc v1,abc ${new Webhook(secret).sign('evt_1', now, text)}`
      const seconds = Math.floor(now.getTime() / 1_000)
      const isGenuine = async (time: number, given: string): Promise<string> => {
        const words = [...command, secret, 'evt_1', String(time), signature, given]
        return (await output(`${language}-verify`, words, { ...besides, ...files })).trim().toLowerCase()
      }
      assert.equal(await isGenuine(seconds, text), 'true')
      assert.equal(await isGenuine(seconds, `${text} `), 'false')
      assert.equal(await isGenuine(seconds - 3_600, text), 'false')
    })
  }

  test(
    'its programs in TypeScript',
    thorough('2 CPU s: compiles the SDK and starts two programs'),
    async () => {
      const programs = codeOf('ts')
      assert.equal(programs.length, 2)
      const outputs: string[] = []
      await installSdk(folder)
      await symlink(join(ROOT, 'node_modules/nodemailer'), join(folder, 'node_modules/nodemailer'))
      for (const code of programs)
        outputs.push(await output('typescript', [process.execPath, 'main.mts'], { 'main.mts': code }))
      assert.match(outputs[0] ?? '', /^(queued|sending)\n$/)
      assert.match(outputs[1] ?? '', /^202 Accepted as msg_\w{26}\n$/)
    },
  )
})

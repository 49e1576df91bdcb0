// The example programs that the dashboard shows with a new API key or SMTP credential run as shown, if the machine has
// their programming language.

// thorough: takes 2 CPU seconds to start each example program

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { httpSnippets, verifySnippets } from '../../../dashboard/pages/keys/http-snippets.ts'
import { smtpSnippets } from '../../../dashboard/pages/keys/smtp-snippets.ts'
import { TestApp } from '../../support/app.ts'
import { certificateFor, testAuthority } from '../../support/authority.ts'

const run = promisify(execFile)

/**
 * Command of each example program, and a probe that tells whether the example can run. Go is missing because it takes
 * seconds to compile; mail libraries of PHP and Ruby are rarely installed.
 */
const HTTP = {
  curl: { file: 'send.sh', command: ['sh'], probe: ['curl', '--version'] },
  Node: { file: 'send.mjs', command: [process.execPath], probe: [process.execPath, '--version'] },
  Python: { file: 'send.py', command: ['python3'], probe: ['python3', '--version'] },
  PHP: {
    file: 'send.php',
    command: ['php'],
    probe: ['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'],
  },
  Ruby: { file: 'send.rb', command: ['ruby'], probe: ['ruby', '-rnet/http', '-rjson', '-e', ''] },
}
const SMTP = { nodemailer: HTTP.Node, Python: HTTP.Python }
type Runner = (typeof HTTP)['curl']

describe('the examples of the dashboard', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-examples-'))
    // The link has the same effect as an installation of the packages in this folder.
    await symlink(
      fileURLToPath(new URL('../../../node_modules', import.meta.url)),
      join(folder, 'node_modules'),
    )
  })
  after(() => rm(folder, { recursive: true }))

  const isThere = ([program = '', ...rest]: readonly string[]): Promise<boolean> =>
    run(program, rest).then(
      () => true,
      () => false,
    )
  /** Runs an example program; returns its output. */
  async function runAsPrinted({ file, command }: Runner, code: string, env = {}): Promise<string> {
    await writeFile(join(folder, file), code)
    const [program = '', ...rest] = command
    const options = {
      cwd: folder,
      timeout: 120_000,
      env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...env },
    }
    return (await run(program, [...rest, file], options)).stdout
  }
  /** Runs each example program, and finds its message at the mail host. */
  async function allArrive(
    app: TestApp,
    runners: Readonly<Record<string, Runner>>,
    snippets: ReturnType<typeof httpSnippets>,
    env = {},
  ): Promise<void> {
    let ran = 0
    for (const [name, runner] of Object.entries(runners)) {
      const snippet = snippets.find((one) => one.name === name)
      assert.ok(snippet, name)
      if (!(await isThere(runner.probe))) continue
      await runAsPrinted(runner, snippet.code, env)
      const { recipients, data } = await app.host.nextMail()
      assert.deepEqual(recipients, ['you@receiver.example'], name)
      assert.match(data.toString(), /^Subject: Hello\r\n/m, name)
      assert.match(data.toString(), /^Hello from Postrider\.\r\n/m, name)
      ran++
    }
    assert.ok(ran > 0)
  }
  const addresses = { from: 'hello@example.test', to: 'you@receiver.example' }

  test('send and check with a key, send with a credential where the certificate is self-signed', async () => {
    const app = await TestApp.start()
    try {
      const { base_url: baseUrl, sending_key: key, smtp } = app.playground
      await allArrive(app, HTTP, httpSnippets({ baseUrl, key, ...addresses }))
      await allArrive(app, SMTP, smtpSnippets({ ...smtp, self_signed: true, ...addresses }))
      const access = { baseUrl, key: app.playground.verification_key, email: 'some+one@receiver.example' }
      for (const { name, code } of verifySnippets(access)) {
        const runner: Runner | undefined = HTTP[name as keyof typeof HTTP]
        if (runner === undefined || !(await isThere(runner.probe))) continue
        assert.match(await runAsPrinted(runner, code), /some\+one@receiver\.example/, name)
      }
    } finally {
      await app.stop()
    }
  })

  test('send with a credential where an authority vouches for the certificate, and only there', async () => {
    const { cert, key } = await certificateFor(['localhost'])
    const files = {
      cert: join(folder, 'cert.pem'),
      key: join(folder, 'key.pem'),
      root: join(folder, 'root.pem'),
    }
    await writeFile(files.cert, cert)
    await writeFile(files.key, key)
    await writeFile(files.root, (await testAuthority()).cert)
    const app = await TestApp.start({
      env: { POSTRIDER_SMTP_TLS_CERT: files.cert, POSTRIDER_SMTP_TLS_KEY: files.key },
    })
    try {
      const access = { ...app.playground.smtp, host: 'localhost', self_signed: false, ...addresses }
      const snippets = smtpSnippets(access)
      const trusted = { NODE_EXTRA_CA_CERTS: files.root, SSL_CERT_FILE: files.root }
      await allArrive(app, SMTP, snippets, trusted)
      const code = snippets.find(({ name }) => name === 'nodemailer')?.code ?? ''
      await assert.rejects(runAsPrinted(SMTP.nodemailer, code), /certificate/)
      assert.equal(
        snippets.some((snippet) => snippet.code.includes('self-signed')),
        false,
      )
    } finally {
      await app.stop()
    }
  })
})

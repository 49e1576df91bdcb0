// thorough: starts rspamd and spamd where they are installed, and compares the rules with those of rspamc and spamc
//
// The packages `rspamd`, `spamd` and `spamc` of Debian have the programs. A test without its programs is skipped.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { systemClock } from '../lib/clock.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { askSpamFilter, type SpamScore } from './spam-filter.ts'

/** Returns the path of a program; undefined if it is not installed. */
const programOf = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const without = (...names: readonly string[]): string | false => {
  const missing = names.filter((name) => programOf(name) === undefined)
  return missing.length === 0 ? false : `not installed: ${missing.join(', ')}`
}

const BODIES: readonly (readonly [type: string, body: string])[] = [
  ['text/plain', 'Your order of a red coat arrives on Tuesday.'],
  ['text/plain', 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'],
  [
    'text/html',
    '<html><body><p style="font-size:1px">hidden</p><a href="http://1.2.3.4/x">click</a></body></html>',
  ],
  [
    'text/html',
    '<html><body><img src="https://shop.example/one.png" width="600" height="800"></body></html>',
  ],
  [
    'text/plain',
    'MAKE MONEY FAST!!! 100% FREE. Act now, this is not spam. Dear friend, you have won $1,000,000.',
  ],
  [
    'text/html',
    '<p>Größe: 5 € &ndash; viel Spaß</p><form action="http://shop.example"><input name="card"></form>',
  ],
  ['text/plain', 'Buy viagra, cialis and replica watches. Unsubscribe: http://bit.ly/2abc'],
  ['text/plain; charset=unknown-8bit', 'caf\xe9 and \x93quotes\x94'],
  ['application/octet-stream', 'MZ not really a program'],
  ['text/html', `<table>${'<tr><td>row</td></tr>'.repeat(200)}</table>`],
]

const HEADS: readonly string[] = [
  'From: Shop <shop@shop.example>\r\nTo: ann@receiver.example\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@shop.example>\r\nSubject: Your order\r\n',
  'From: shop@shop.example\r\nTo: undisclosed-recipients:;\r\nSubject: RE: FREE MONEY!!!\r\n',
  'From: "ann@receiver.example" <x@other.example>\r\nReply-To: y@third.example\r\nTo: ann@receiver.example\r\nDate: Thu, 1 Jan 1970 00:00:00 +0000\r\nSubject: =?utf-8?B?WW91IHdvbiE=?=\r\n',
  'From: a@b.example\r\nFrom: c@d.example\r\nTo: ann@receiver.example\r\nX-Mailer: The Bat! (v1.0)\r\nX-Priority: 1\r\nDate: Mon, 30 Nov 2036 10:00:00 +0000\r\nMessage-ID: <no-domain>\r\nSubject: urgent\r\n',
  'Received: from localhost (localhost [127.0.0.1]) by mail.shop.example; Mon, 30 Nov 2026 10:00:00 +0000\r\nFrom: Shop <shop@shop.example>\r\nTo: ann@receiver.example\r\nList-Unsubscribe: <https://shop.example/u>\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\nSubject:\r\n',
]

/** Fifty mails, from a usual one to spam. */
const MAILS = HEADS.flatMap((head) =>
  BODIES.map(([type, body]) =>
    Buffer.from(`${head}MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`, 'latin1'),
  ),
)

const FROM = 'shop@shop.example'
const RECIPIENT = 'ann@receiver.example'
const HELO = 'mail.shop.example'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isOpen: boolean) => () => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })

/** Starts a program in the foreground, and waits for its port. */
async function start(name: string, words: readonly string[], port: number): Promise<void> {
  let output = ''
  const child: ChildProcess = spawn(programOf(name) ?? name, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data))
  after(async () => {
    child.kill()
    await ended
  })
  await until(`${name} accepts connections`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${output.slice(-2_000)}`)
    return accepts(port)
  })
}

async function folderFor(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `postrider-${name}-`))
  // The program may run as another user.
  await chmod(folder, 0o777)
  after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const http = new OutgoingHttp({
  resolver: createResolver({ servers: [], clock: systemClock }),
  allowed: { includes: () => true },
  plainHttp: true,
})
after(() => http.stop())

const ruleNames = ({ rules }: SpamScore): string[] => rules.map(({ name }) => name).toSorted()

/** Returns the output of a client for a mail. */
function clientOutput(name: string, words: readonly string[], input: Buffer): string {
  const { stdout, stderr, status } = spawnSync(programOf(name) ?? name, words, { input, encoding: 'utf8' })
  assert.ok(status === 0 || stdout !== '', `${name}: ${stderr}`)
  return stdout
}

describe('the rules of a spam filter', () => {
  test('are those of rspamc on 50 mails', { skip: without('rspamd', 'rspamc') }, async () => {
    const folder = await folderFor('rspamd')
    const [port, controller] = [await freePort(), await freePort()]
    const local = join(folder, 'local.d')
    await mkdir(local)
    for (const [file, text] of [
      ['options.inc', 'dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; }'],
      ['worker-normal.inc', `bind_socket = "127.0.0.1:${port}"; count = 1;`],
      ['worker-controller.inc', `bind_socket = "127.0.0.1:${controller}"; password = "q"; count = 1;`],
      ...['worker-proxy.inc', 'worker-fuzzy.inc'].map((name) => [name, 'enabled = false;'] as const),
      // These modules ask the DNS or other services, whose answers, or lack of an answer in time, may change.
      ...['fuzzy_check', 'rbl', 'phishing', 'asn', 'hfilter', 'spf', 'dkim', 'dmarc', 'arc', 'mx_check'].map(
        (name) => [`${name}.conf`, 'enabled = false;'] as const,
      ),
      ['logging.inc', `type = "file"; filename = "${folder}/rspamd.log"; level = "error";`],
    ] as const) {
      await writeFile(join(local, file), text)
    }
    const places = { LOCAL_CONFDIR: folder, RUNDIR: folder, DBDIR: folder, LOGDIR: folder }
    const words = Object.entries(places).map(([name, value]) => `--var=${name}=${value}`)
    await start('rspamd', ['-f', '-i', ...words], port)
    const ask = askSpamFilter(new URL(`rspamd+http://127.0.0.1:${port}`), http, { helo: HELO })
    let rules = 0
    for (const [index, raw] of MAILS.entries()) {
      const score = await ask({ raw, from: FROM, recipient: RECIPIENT })
      assert.ok(score !== undefined, `mail ${index} has no score`)
      const file = join(folder, 'mail.eml')
      await writeFile(file, raw)
      const client = ['--json', '-h', `127.0.0.1:${port}`]
      const envelope = ['--from', FROM, '--rcpt', RECIPIENT, '--helo', HELO]
      const text = clientOutput('rspamc', [...client, ...envelope, file], Buffer.alloc(0))
      const wanted = JSON.parse(text.slice(text.indexOf('{')))
      const symbols = wanted.symbols as Record<string, { readonly score: number }>
      assert.deepEqual(ruleNames(score), Object.keys(symbols).toSorted(), `mail ${index}`)
      for (const { name, score: points } of score.rules) {
        assert.equal(points, symbols[name]?.score, `${name} of mail ${index}`)
      }
      assert.deepEqual([score.score, score.required], [wanted.score, wanted.required_score])
      rules += score.rules.length
    }
    assert.ok(rules > MAILS.length, `${rules} rules in all`)
  })

  test('are those of spamc on 50 mails', { skip: without('spamd', 'spamc') }, async () => {
    const folder = await folderFor('spamd')
    const port = await freePort()
    const words = [
      ...['--local', '--nouser-config', '--max-children=2', '--syslog=null', '--listen=127.0.0.1'],
      ...[`--port=${port}`, `--pidfile=${folder}/pid`, `--helper-home-dir=${folder}`],
    ]
    await start('spamd', process.getuid?.() === 0 ? [...words, '--username=nobody'] : words, port)
    const ask = askSpamFilter(new URL(`spamd://127.0.0.1:${port}`), http, { helo: HELO })
    let rules = 0
    for (const [index, raw] of MAILS.entries()) {
      const score = await ask({ raw, from: FROM, recipient: RECIPIENT })
      assert.ok(score !== undefined, `mail ${index} has no score`)
      const at = ['-d', '127.0.0.1', '-p', String(port)]
      const names = clientOutput('spamc', [...at, '--tests'], raw).trim()
      // The report leaves out rules without points.
      const wanted = names.split(',').filter((name) => name !== '')
      const shown = ruleNames(score)
      assert.deepEqual(
        shown.filter((name) => !wanted.includes(name)),
        [],
        `mail ${index}`,
      )
      assert.deepEqual(shown, wanted.toSorted(), `mail ${index}`)
      const [points, required] = clientOutput('spamc', [...at, '--check'], raw)
        .trim()
        .split('/')
        .map(Number)
      assert.deepEqual([score.score, score.required], [points, required], `mail ${index}`)
      const sum = score.rules.reduce((total, one) => total + one.score, 0)
      assert.ok(Math.abs(sum - score.score) <= 0.05 * score.rules.length + 0.051, `${sum} of ${score.score}`)
      rules += score.rules.length
    }
    assert.ok(rules > MAILS.length, `${rules} rules in all`)
  })
})

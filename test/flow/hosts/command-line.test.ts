// The command line as operators and scripts use it: as a separate process, with and without a running service.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { DnsHost } from '../../support/dns-host.ts'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../support/program.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

type Settings = Readonly<Record<string, string>>

/** Fields in the JSON output of commands that the tests read by name. */
interface Document {
  readonly [name: string]: unknown
  readonly account_id: string
  readonly domain_id: string
  readonly key_id: string
  readonly key: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly port: number
  readonly last4: string
  readonly name: string
  readonly type: string
  readonly value: string
  readonly status: string
  readonly email: string
  readonly created_at: string
  readonly expires_at: string
  readonly verified_at: string
  readonly revoked_at: string
  readonly next_attempt_at: string
  readonly detail: string
  readonly remedy: string
  readonly data: readonly Document[]
  readonly records: readonly Document[]
  readonly recipients: readonly Document[]
  readonly checks: readonly Document[]
  readonly migrated: readonly string[]
  readonly error: {
    readonly code: string
    readonly detail: string
    readonly errors: readonly { path: string }[]
  }
}

interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly json: Document
}

const withDocument = (result: Omit<Result, 'json'>): Result => ({
  ...result,
  get json() {
    return JSON.parse(result.stdout) as Document
  },
})

const wordsOf = (line: string | readonly string[]): readonly string[] =>
  typeof line === 'string' ? line.split(' ') : line

/** Runs a command inside this process, which saves the start of a process. */
const inProcess = async (line: string | readonly string[], env: Settings, input = ''): Promise<Result> =>
  withDocument(await run(wordsOf(line), { env, clock: systemClock, readInput: async () => input }))

function start(words: readonly string[], settings: Settings): ChildProcess {
  return spawn('sh', [join(PROGRAM_ROOT, 'bin/postrider'), ...words], {
    env: { ...PROGRAM_ENV, ...settings },
  })
}

/** Runs a command in a separate process, as users and scripts do. */
async function asProcess(line: string | readonly string[], env: Settings, input = ''): Promise<Result> {
  const child = start(wordsOf(line), env)
  child.stdin?.end(input)
  const exit = once(child, 'exit')
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)])
  const [code] = (await exit) as [number | null]
  return withDocument({ code, stdout, stderr })
}

describe('the command line', { concurrency: true }, () => {
  describe('without a service', { concurrency: 1 }, () => {
    let dataDir: string
    let dns: DnsHost
    let settings: Settings
    const cli = (line: string | readonly string[], input?: string): Promise<Result> =>
      inProcess(line, settings, input)

    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'postrider-cli-'))
      dns = await DnsHost.start()
      settings = {
        POSTRIDER_MODE: 'production',
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_HOSTNAME: 'mail.postrider.test',
        POSTRIDER_DNS_SERVERS: dns.server,
      }
    })
    after(async () => {
      await dns.stop()
      await rm(dataDir, { recursive: true, force: true })
    })

    test('explains itself', thorough('0.7 CPU s: starts programs'), async () => {
      const [help, ofSettings, noSetting] = await Promise.all([
        cli('--help'),
        cli('help settings retry'),
        cli('help settings frobnicate'),
      ])
      const [version, unknown, option, setting] = await Promise.all([
        asProcess('--version --json', settings),
        asProcess('frobnicate', settings),
        asProcess('domain list --acount x --json', settings),
        asProcess('account list', { ...settings, POSTRIDER_HTP_PORT: '1' }),
      ])
      assert.equal(help.code, 0)
      assert.match(help.stdout, /^ {2}smtp-credential +create, list, revoke$/m)
      assert.ok(help.stdout.split('\n').length < 50, 'the first page fits on a screen')
      assert.match(ofSettings.stdout, /^ {2}POSTRIDER_RETRY_SCHEDULE$/m)
      assert.doesNotMatch(ofSettings.stdout, /POSTRIDER_SMTP_PORT/)
      assert.deepEqual([noSetting.code, noSetting.stdout], [2, ''])
      assert.match(noSetting.stderr, /No setting contains "frobnicate"; see `postrider help settings`\./)
      assert.match(String(version.json.version), /^\d+\.\d+\.\d+/)
      assert.deepEqual([unknown.code, unknown.stdout], [2, ''])
      assert.match(unknown.stderr, /no command "frobnicate"/)
      assert.equal(option.code, 2)
      assert.equal(option.json.error.code, 'validation_failed')
      assert.equal(option.json.error.errors[0]?.path, 'acount')
      assert.equal(setting.code, 2)
      assert.match(setting.stderr, /POSTRIDER_HTP_PORT is not a setting; did you mean POSTRIDER_HTTP_PORT\?/)
    })

    test('brings the store up to date once', async () => {
      const first = await asProcess('migrate --json', settings)
      assert.equal(first.code, 0)
      assert.deepEqual(first.json.migrated, ['0001-initial'])
      assert.deepEqual((await cli('migrate --json')).json, { migrated: [] })
    })

    test('creates accounts and users', async () => {
      const none = await cli('domain add example.com --json')
      assert.deepEqual([none.code, none.json.error.code], [1, 'not_found'])
      const { json: account } = await cli(['account', 'create', 'Acme Ltd', '--json'])
      assert.match(account.account_id, /^acc_/)
      assert.match(account.created_at, RFC_3339)
      assert.partialDeepStrictEqual(account, {
        ...{ name: 'Acme Ltd', status: 'active', sending_allowance: null, verification_credits: 0 },
        ...{ external_id: null, invitation: null },
      })
      const [made, given] = await Promise.all([
        cli('user create One@example.com --role viewer --json'),
        asProcess(
          'user create two@example.com --password - --json',
          settings,
          'correct horse battery\nmore\n',
        ),
      ])
      assert.match(String(made.json.user_id), /^usr_/)
      assert.deepEqual([made.json.email, made.json.role], ['one@example.com', 'viewer'])
      assert.ok(made.json.password.length >= 20)
      assert.deepEqual([given.code, given.json.role, given.json.password], [0, 'owner', undefined])
      const [taken, users, granted] = await Promise.all([
        cli('user create two@example.com --json'),
        cli('user list --json'),
        cli('credits grant 500 --json'),
      ])
      assert.deepEqual([taken.code, taken.json.error.code], [1, 'conflict'])
      assert.equal(users.json.data.length, 2)
      assert.ok(!users.stdout.includes('argon2'))
      assert.deepEqual(granted.json, {
        account_id: account.account_id,
        granted: 500,
        verification_credits: 500,
      })
    })

    test('adds a domain, shows its records and verifies it against the DNS', async () => {
      const added = await cli('domain add Example.COM --json')
      assert.equal(added.code, 0)
      assert.match(added.json.domain_id, /^dom_/)
      assert.deepEqual([added.json.domain, added.json.status], ['example.com', 'pending'])
      const { records } = added.json
      assert.deepEqual(
        records.map(({ purpose, type, required, status, found }) => [purpose, type, required, status, found]),
        [
          ['dkim_rsa', 'TXT', true, 'pending', []],
          ['return_path', 'CNAME', true, 'pending', []],
          ['dkim_ed25519', 'TXT', false, 'pending', []],
          ['dmarc', 'TXT', false, 'pending', []],
          ['tracking', 'CNAME', false, 'pending', []],
        ],
      )
      assert.equal(records[1]?.value, 'rp.mail.postrider.test')
      dns.set('bounces.example.com', { CNAME: 'elsewhere.test' })
      const [again, wrong, list] = await Promise.all([
        cli('domain add example.com --json'),
        cli('domain verify example.com --wait 1s'),
        cli('domain list --json'),
      ])
      assert.deepEqual([again.code, again.json.error.code], [1, 'conflict'])
      assert.equal(list.json.data[0]?.domain_id, added.json.domain_id)
      assert.match(wrong.stdout, /example\.com is not verified yet/)
      assert.equal(wrong.code, 1, 'the wait has ended')
      const waiting = cli('domain verify example.com --wait 20s --json')
      assert.match(wrong.stdout, /Value {3}rp\.mail\.postrider\.test\n {2}Found {3}elsewhere\.test/)
      assert.match(wrong.stdout, /Found {3}nothing/)
      dns.publish(records)
      const verified = await waiting
      assert.equal(verified.code, 0)
      assert.equal(verified.json.status, 'verified')
      assert.ok(verified.json.records.every((record) => record.status === 'found'))
      assert.match(verified.json.verified_at, RFC_3339)
      const shown = await cli(`domain records ${added.json.domain_id} --json`)
      assert.deepEqual(shown.json.records, verified.json.records)
    })

    test('exports the data about an address, and prints nothing without any', async () => {
      const [lines, document] = await Promise.all([
        cli('export nobody@nowhere.test'),
        cli('export nobody@nowhere.test --json'),
      ])
      assert.deepEqual([lines.code, lines.stdout], [0, ''])
      assert.equal(lines.stderr, 'Nothing is stored about nobody@nowhere.test.\n')
      assert.deepEqual([document.json, document.stderr], [{ data: [] }, ''])
    })

    test('prints each row of an export when it is found, since all rows may exceed the memory', async () => {
      const csv = 'email,stream\nmany@rows.test,transactional\nmany@rows.test,broadcast\n'
      assert.equal((await cli('suppression import --domain example.com', csv)).code, 0)
      const whole = await cli('export many@rows.test')
      const rows = whole.stdout.trimEnd().split('\n')
      assert.ok(rows.length >= 2)
      const printed: string[] = []
      const { stdout, ...done } = await run(['export', 'many@rows.test'], {
        env: settings,
        clock: systemClock,
        readInput: async () => '',
        print: async (text) => void printed.push(text),
      })
      assert.deepEqual([done.code, stdout], [0, ''])
      assert.deepEqual(
        printed,
        rows.map((row) => `${row}\n`),
      )
      const { data } = (await cli('export many@rows.test --json')).json
      assert.deepEqual(
        data,
        rows.map((row) => JSON.parse(row)),
      )
    })

    test("shows and sets the retention of a domain's messages", async () => {
      const name = 'example.com'
      const shown = await cli(`domain retention ${name}`)
      assert.match(shown.stdout, /contents +45 days +installation/)
      const set = await cli(`domain retention ${name} --contents 7 --records 90 --json`)
      assert.partialDeepStrictEqual(set.json, { content_retention_days: 7, transcript_retention_days: null })
      assert.match((await cli(`domain retention ${name}`)).stdout, /contents +7 days +domain/)
      const long = await cli(`domain retention ${name} --contents 46`)
      assert.equal(long.code, 1)
      const sentence =
        '--contents: The retention of the installation is 45 days; give fewer days, or inherit for the same retention.'
      assert.equal(long.stderr, `postrider: ${sentence}\n`)
      assert.equal((await cli(`domain retention ${name} --contents 0`)).code, 2)
      const back = await cli(`domain retention ${name} --contents inherit --json`)
      assert.partialDeepStrictEqual(back.json, { content_retention_days: null, record_retention_days: 90 })
    })
    test('shows and sets the interval of key rotation', async () => {
      const name = 'example.com'
      assert.match((await cli(`domain rotation ${name}`)).stdout, /replaced only by hand/)
      const set = await cli(`domain rotation ${name} --every 180 --json`)
      assert.equal(set.json.rotate_every_days, 180)
      assert.match(
        (await cli(`domain rotation ${name}`)).stdout,
        /every 180 days: the next keys are made on \d{4}-\d\d-\d\d\./,
      )
      const wrong = await cli(`domain rotation ${name} --every 7`)
      assert.equal(wrong.code, 2)
      assert.match(wrong.stderr, /from 30 to 3650, or off/)
      assert.match((await cli(`domain rotation ${name} --every off`)).stdout, /only by hand/)
    })
    test('creates, lists and revokes keys and SMTP credentials', async () => {
      const [sending, verification, smtp, homeless] = await Promise.all([
        cli('key create --kind sending --domain example.com --name shop --rate 50/s --expires 30d --json'),
        cli('key create --kind verification --json'),
        cli('smtp-credential create --domain example.com --json'),
        cli('key create --kind sending --json'),
      ])
      const { key_id, key, last4, created_at, expires_at, ...rest } = sending.json
      assert.match(key_id, /^key_/)
      assert.match(key, /^send_[0-9A-Za-z]{40,}$/)
      assert.equal(last4, key.slice(-4))
      assert.ok(Date.parse(expires_at) - Date.parse(created_at) > 29 * 86_400_000)
      assert.partialDeepStrictEqual(rest, {
        ...{ kind: 'sending', domain: 'example.com', domains: ['example.com'], name: 'shop', rate: '50/s' },
        ...{ last_used_at: null, revoked_at: null, created_by: 'command_line' },
      })
      assert.match(verification.json.key, /^verify_[0-9A-Za-z]{40,}$/)
      assert.deepEqual([verification.json.kind, verification.json.domains], ['verification', null])
      assert.match(smtp.json.username, /^smtp_/)
      assert.match(smtp.json.password, /^[0-9A-Za-z]{40,}$/)
      assert.equal(smtp.json.domain, 'example.com')
      assert.deepEqual([smtp.json.host, smtp.json.port], ['mail.postrider.test', 587])
      assert.deepEqual([homeless.code, homeless.json.error.errors[0]?.path], [2, 'domain'])
      const { username } = smtp.json
      const [revoked, swapped, ended] = await Promise.all([
        cli(`key revoke ${key_id} --json`),
        cli(`key revoke ${username} --json`),
        cli(`smtp-credential revoke ${username} --json`),
      ])
      assert.match(revoked.json.revoked_at, RFC_3339)
      assert.deepEqual([swapped.code, swapped.json.error.code], [1, 'not_found'])
      assert.equal(ended.json.username, username)
      const [keys, credentials] = await Promise.all([
        cli('key list --json'),
        cli('smtp-credential list --json'),
      ])
      assert.deepEqual(
        keys.json.data.map((one) => [one.key_id, one.revoked_at !== null]).sort(),
        [
          [key_id, true],
          [verification.json.key_id, false],
        ].sort(),
      )
      assert.deepEqual(credentials.json.data.length, 1)
      assert.ok(!keys.stdout.includes(key))
      const shown = await cli('smtp-credential create --domain example.com')
      assert.match(shown.stdout, /^ +Host +mail\.postrider\.test\n +Port +587, with STARTTLS$/m)
    })

    test('creates management keys with ready-made sets of scopes', async () => {
      const create = 'key create --kind management --json'
      const [made, limited, ...wrong] = await Promise.all([
        cli(`${create} --scopes provisioning --name Script --expires 30d`),
        cli(
          `${create} --scopes stats:*,domains:read --grants messages:send --domains example.com --networks 192.0.2.0/24,2001:db8::/32 --recipients *@example.net`,
        ),
        cli(create),
        cli(`${create} --scopes provisionin`),
        cli(`${create} --scopes stats:read --domains elsewhere.example`),
        cli(`${create} --scopes stats:read --domain example.com`),
        cli(`${create} --scopes stats:read --networks office`),
        cli('key create --kind sending --domain example.com --scopes domains:read --json'),
        cli('key create --kind verification --grants stats:read --json'),
      ])
      assert.match(made.json.key, /^manage_[0-9A-Za-z]{43}$/)
      assert.deepEqual([made.json.kind, made.json.domains], ['management', null])
      const { scopes, grants } = made.json as unknown as Record<string, readonly string[]>
      assert.deepEqual(scopes?.slice(0, 2), ['domains:read', 'domains:verify'])
      assert.ok(grants?.includes('messages:send') && !grants.includes('content:read'))
      assert.partialDeepStrictEqual(limited.json, {
        ...{ scopes: ['stats:read', 'domains:read'], grants: ['messages:send'], domains: ['example.com'] },
        ...{ networks: ['192.0.2.0/24', '2001:db8::/32'], recipients: ['*@example.net'] },
      })
      assert.deepEqual(
        wrong.map(({ code, json }) => [code, json.error.errors?.[0]?.path]),
        [
          ...[
            [2, 'scopes'],
            [1, 'scopes[0]'],
            [1, 'domains[0]'],
            [2, 'domain'],
            [1, 'networks[0]'],
          ],
          ...[
            [1, 'scopes[0]'],
            [2, 'grants'],
          ],
        ],
      )
      const { json } = await cli('key list --json')
      assert.ok(json.data.some((one) => one.key_id === made.json.key_id))
      for (const { key_id } of [made.json, limited.json]) await cli(`key revoke ${key_id} --json`)
    })

    test('says in one sentence that its output cannot be written', async (context) => {
      if (!existsSync('/dev/full')) return context.skip('no device is always full here')
      const full = await open('/dev/full', 'w')
      const child = spawn('sh', [join(PROGRAM_ROOT, 'bin/postrider'), 'version'], {
        env: PROGRAM_ENV,
        stdio: ['ignore', full.fd, 'pipe'],
      })
      const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')])
      await full.close()
      assert.match(said, /^postrider: Standard output cannot be written \(ENOSPC: .*\)\.\n$/)
      assert.equal(code, 1)
    })

    test('asks for the account when there are several', async () => {
      await cli(['account', 'create', 'Second', '--json'])
      const [accounts, which, named, unknown] = await Promise.all([
        cli('account list --json'),
        cli('key list --json'),
        cli(['key', 'list', '--account', 'Acme Ltd', '--json']),
        cli('key list --account Nobody --json'),
      ])
      assert.equal(accounts.json.data.length, 2)
      assert.deepEqual([which.code, which.json.error.errors[0]?.path], [1, 'account'])
      assert.match(which.json.error.detail, /--account: acc_\w+ \(Acme Ltd\), acc_\w+ \(Second\)/)
      assert.equal(named.json.data.length, 4)
      assert.deepEqual([unknown.code, unknown.json.error.code], [1, 'not_found'])
    })

    test('reports problems of the installation, and that PostgreSQL has its own backups', async () => {
      const [checked, unsettled, postgres] = await Promise.all([
        cli('doctor --port25-host nowhere.test --json'),
        inProcess('doctor', { ...settings, POSTRIDER_MX_PORT: 'x' }),
        inProcess('backup /tmp/never.db', {
          ...settings,
          POSTRIDER_DATABASE_URL: 'postgres://127.0.0.1/none',
        }),
      ])
      assert.equal(checked.code, 1)
      const checks = new Map(checked.json.checks.map((check) => [check.name, check]))
      for (const name of ['settings', 'node', 'store', 'migrations', 'durability', 'domains']) {
        assert.equal(checks.get(name)?.status, 'ok', name)
      }
      assert.equal(checks.get('hostname')?.status, 'fail')
      assert.match(checks.get('return-path MX')?.remedy ?? '', /MX 10 mail\.postrider\.test/)
      assert.equal(unsettled.code, 1)
      assert.match(unsettled.stdout, /fail +settings: POSTRIDER_MX_PORT must be a whole number/)
      assert.equal(postgres.code, 1)
      assert.match(postgres.stderr, /pg_dump/)
    })
  })

  describe('with a running service', { concurrency: 1 }, () => {
    let dataDir: string
    let settings: Settings
    let service: ChildProcess
    let playground: { readonly base_url: string; readonly sending_key: string }
    const cli = (line: string): Promise<Result> => inProcess(line, settings)

    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'postrider-cli-'))
      settings = {
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_LOG_LEVEL: 'warn',
      }
      service = start(['serve', '--json'], settings)
      service.stderr?.pipe(process.stderr)
      let output = ''
      for await (const chunk of service.stdout!) {
        output += chunk
        if (output.endsWith('}\n')) break
      }
      playground = JSON.parse(output).playground
    })
    after(async () => {
      service.kill('SIGKILL')
      await rm(dataDir, { recursive: true, force: true })
    })

    async function send(
      key: string,
      to: string,
      from = 'hello@example.test',
    ): Promise<{ status: number; code?: string; message_id: string }> {
      const response = await fetch(`${playground.base_url}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ from, to: [{ email: to }], subject: 'Hello', text: 'Hello.' }),
      })
      const { code, message_id } = (await response.json()) as { code?: string; message_id: string }
      return { status: response.status, message_id, ...(code === undefined ? {} : { code }) }
    }

    test('a new domain and its key can be used at once; a revoked key cannot', async () => {
      await cli('domain add shop.test --json')
      const verified = await cli('domain verify shop.test --json')
      assert.equal(verified.json.status, 'verified')
      const { json: made } = await cli('key create --kind sending --domain shop.test --json')
      assert.equal((await send(made.key, 'a@example.test', 'shop@shop.test')).status, 202)
      assert.equal((await asProcess(`key revoke ${made.key_id} --json`, settings)).code, 0)
      assert.equal((await send(made.key, 'a@example.test', 'shop@shop.test')).status, 401)
    })

    test('a domain is paused, resumed, given new DKIM keys and deleted', async () => {
      await cli('domain add keys.test --json')
      await cli('domain verify keys.test --json')
      const { json: key } = await cli('key create --kind sending --domain keys.test --json')
      assert.equal((await cli('domain pause keys.test --json')).json.status, 'paused')
      assert.equal((await send(key.key, 'a@example.test', 'x@keys.test')).code, 'domain_not_verified')
      assert.equal((await cli('domain resume keys.test --json')).json.status, 'verified')
      assert.equal((await send(key.key, 'a@example.test', 'x@keys.test')).status, 202)
      assert.equal((await cli('domain dkim retire keys.test --json')).json.error.code, 'conflict')
      const rotated = await cli('domain dkim rotate keys.test')
      assert.match(rotated.stdout, /then run: postrider domain dkim switch keys\.test$/m)
      const { json: kept } = await cli('domain dkim discard keys.test --json')
      assert.equal(kept.records.length, 5)
      assert.equal((await cli('domain dkim rotate keys.test')).code, 0)
      for (const step of ['records', 'dkim switch']) {
        const { json, code } = await cli(`domain ${step} keys.test --json`)
        assert.deepEqual([code, json.records.length], [0, 7], step)
      }
      const early = await cli('domain dkim retire keys.test --json')
      assert.match(early.json.error.detail, /less than ten minutes ago/)
      assert.match((await cli('domain zone keys.test')).stdout, /^bounces\.keys\.test\.\t3600\tIN\tCNAME\t/m)
      const unsure = await cli('domain delete keys.test --confirm other.test --json')
      assert.deepEqual([unsure.code, unsure.json.error.errors[0]?.path], [1, 'confirm'])
      assert.equal((await cli('domain delete keys.test --confirm keys.test --json')).code, 0)
      assert.equal((await send(key.key, 'a@example.test', 'x@keys.test')).status, 401)
      assert.equal((await cli('domain records keys.test --json')).json.error.code, 'not_found')
    })

    test('a suspended account is refused at once, and accepted again when it is resumed', async () => {
      const { sending_key: key } = playground
      assert.equal((await send(key, 'a@example.test')).status, 202)
      const suspended = await asProcess('account suspend', settings)
      assert.match(
        suspended.stdout,
        /is suspended\. The account can no longer send or verify, and its queued messages are held/,
      )
      assert.equal((await send(key, 'a@example.test')).code, 'account_suspended')
      const read = await fetch(`${playground.base_url}/messages`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(read.status, 200)
      assert.equal((await cli('account resume Playground --json')).json.status, 'active')
      assert.equal((await send(key, 'a@example.test')).status, 202)
    })

    test(
      'the queue is paused, shown, cancelled and resumed',
      thorough('0.8 CPU s: starts programs'),
      async () => {
        const { sending_key: key } = playground
        const paused = await cli('queue pause --destination Held.TEST --note Blocklisted --json')
        assert.deepEqual(paused.json, { kind: 'destination', value: 'held.test', paused: true })
        const { message_id: first } = await send(key, 'a@held.test')
        const { message_id: second } = await send(key, 'b@held.test')
        const [listed, shown, vague, missing, unknown, noStream, noneOfIt] = await Promise.all([
          cli('queue list --json'),
          cli(`queue show ${first} --json`),
          cli('queue cancel --json'),
          cli('queue retry msg_nothing --json'),
          cli('queue pause --domain mistyped.test --json'),
          cli('queue pause --stream mistyped --json'),
          cli('queue cancel --stream mistyped --json'),
        ])
        const line = listed.json.data.find((one) => one.destination === 'held.test')
        assert.deepEqual([line?.recipients, line?.oldest_message_id], [2, first])
        assert.equal(line?.next_attempt_at, null)
        assert.partialDeepStrictEqual(listed.json.paused, [
          { kind: 'destination', value: 'held.test', note: 'Blocklisted' },
        ])
        assert.equal(shown.json.message_id, first)
        assert.deepEqual(
          shown.json.recipients.map((one) => [one.email, one.status, one.attempts]),
          [['a@held.test', 'queued', []]],
        )
        assert.match(
          (await cli(`queue show ${first}`)).stdout,
          /Held since .*: The operator paused the destination held\.test\. Note: Blocklisted/,
        )
        assert.equal(vague.code, 2)
        assert.deepEqual([missing.code, missing.json.error.code], [1, 'not_found'])
        for (const mistyped of [unknown, noStream, noneOfIt]) {
          assert.deepEqual([mistyped.code, mistyped.json.error.code], [1, 'not_found'])
        }

        assert.deepEqual((await cli(`queue cancel ${first} --json`)).json, { recipients: 1 })
        const [over, retried] = await Promise.all([
          cli(`queue cancel ${first} --json`),
          cli('queue retry --destination held.test --json'),
        ])
        assert.deepEqual([over.code, over.json.error.code], [1, 'conflict'])
        assert.deepEqual(retried.json, { recipients: 1 })
        const resumed = await cli('queue resume --destination held.test --json')
        assert.deepEqual(resumed.json, { kind: 'destination', value: 'held.test', paused: false })
        assert.equal((await cli('queue resume --destination held.test')).code, 1)
        assert.equal(await finalStatus(second), 'delivered')
        assert.match((await cli(`queue show ${second}`)).stdout, /Attempt 1 for b@held\.test at .*< 250 /s)
      },
    )

    /** Waits until the status of the message is final, and returns the status. */
    async function finalStatus(id: string): Promise<string> {
      return until('the message has a final status', async () => {
        const response = await fetch(`${playground.base_url}/messages/${id}`, {
          headers: { authorization: `Bearer ${playground.sending_key}` },
        })
        const { status } = (await response.json()) as { status: string }
        return !['queued', 'sending'].includes(status) && status
      })
    }

    test('the doctor finds no problem in a playground, and the database is copied', async () => {
      const file = join(dataDir, 'copy.db')
      const [checked, copied] = await Promise.all([
        cli('doctor --json'),
        asProcess(`backup ${file} --json`, settings),
      ])
      assert.equal(checked.code, 0, checked.stdout)
      assert.equal(checked.json.checks.find((check) => check.name === 'port 25')?.detail, 'playground')
      assert.deepEqual([copied.json.file, copied.json.integrity], [file, 'ok'])
      assert.equal((await readFile(file)).length, copied.json.bytes)
    })

    test('the service stops in order on request', thorough('2 CPU s: starts programs'), async () => {
      const exit = once(service, 'exit')
      service.kill('SIGTERM')
      assert.deepEqual(await exit, [0, null])
    })
  })
})

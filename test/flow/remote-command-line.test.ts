// Every command that works on an installation elsewhere prints the same there as on the machine of the service.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ALL_SCOPES } from '../../src/access/scopes.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { type Finished, run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { listAccounts } from '../../src/store/access/accounts.ts'
import { TestApp } from '../support/app.ts'
import { Scene } from '../support/explained/scene.ts'
import { managementKey } from '../support/keys.ts'
import { oneIncident } from '../support/one-of-everything.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'
import { addUser } from '../support/users.ts'

/**
 * A call of a command. `NAME` in a line and in the input is the name of the side, and `@field` the value of a field that
 * an earlier call of the side has printed.
 */
interface Call {
  readonly line: string
  readonly input: string
  readonly code: number
}

const call = (line: string, { input = '', code = 0 }: Partial<Call> = {}): Call => ({ line, input, code })

/** Calls of every command that works on an installation elsewhere, in an order in which they succeed. */
const CALLS: readonly Call[] = [
  call('whoami'),
  call('account create NAME-account'),
  call('account suspend NAME-account'),
  call('account list'),
  call('account resume NAME-account'),
  call('credits grant 10 --note Order --account NAME-account'),
  call('credits history'),
  call('user invite invited-NAME@people.example --role viewer'),
  call('user list'),
  call('user delete person-NAME@people.example'),
  call('domain add NAME.test'),
  call('domain verify NAME.test'),
  call('domain list'),
  call('domain records NAME.test'),
  call('domain zone NAME.test'),
  call('domain pause NAME.test'),
  call('domain resume NAME.test'),
  call('domain dkim rotate NAME.test'),
  call('domain rotation NAME.test --every 180'),
  call('domain retention NAME.test --contents 7'),
  call('key create --kind sending --domain NAME.test --name NAME --rate 5/s --networks 10.0.0.0/8'),
  call('key list'),
  call('test-inbox create NAME'),
  call('test-inbox list'),
  call('test-inbox mails @inbox_id'),
  call('test-inbox show @inbox_id mbx_00000000000000000000000000', { code: 1 }),
  call('test-inbox delete @inbox_id'),
  call('key revoke @key_id'),
  call('smtp-credential create --domain NAME.test'),
  call('smtp-credential list'),
  call('smtp-credential revoke @username'),
  call('verify nobody@@NAME.example'),
  call('verify no-address-of-NAME --detailed'),
  call('verify', {
    input: 'name,email\nAnn,no-address-of-NAME\nBob,neither.NAME\nAgain,no-address-of-NAME\n',
  }),
  call('template push DIR --domain NAME.test'),
  call('template pull DIR/pulled --domain NAME.test'),
  call('check - --domain NAME.test', { input: '<p>Thank you, undefined.</p>', code: 1 }),
  call('suppression import --domain NAME.test', {
    input: 'email,stream\na@NAME.example,\nnobody,*\nb@NAME.example,*\n',
  }),
  call('suppression export --domain NAME.test'),
  call('erase a@NAME.example --domain NAME.test'),
  call('message list --domain example.test --recipient queued@NAME.example'),
  call('message show @message_id'),
  call('message explain queued@NAME.example'),
  call('message tail --for 1s'),
  call('events tail --for 1s --type bounced,complained'),
  call('deliverability'),
  call('incident show @incident_id'),
  call('incident mute @incident_id --until 2040-01-31T00:00:00Z'),
  call('queue retry @message_id', { code: 1 }),
  call('queue pause --destination NAME.example --note Why'),
  call('queue list'),
  call('queue show @message_id'),
  call('queue cancel --destination NAME.example'),
  call('queue resume --destination NAME.example'),
  call('domain delete NAME.test --confirm NAME.test'),
]

type Side = 'near' | 'afar'

/** Returns the command of a line. */
const commandOf = (line: string) =>
  COMMANDS.find(({ name, place }) => place === undefined && (line === name || line.startsWith(`${name} `)))

/** Returns an output with the values that differ between two calls replaced. */
const same = (output: string): string =>
  output
    .replace(/near|afar/g, 'NAME')
    .replace(/,\n +"request_id": "req_\w+"/, '')
    .replace(/\b(acc|usr|inv|dom|key|msg|evt|smtp|req|grt|sup|inb|inc)_[0-9A-Za-z]{20,}/g, '$1_ID')
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, 'ULID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"(id|evt_id|grant_id)": "[^"]+"/g, '"$1": "ID"')
    .replace(
      /"(created_by|took_ms|last4|key|password|url|base_url|port|latencyMs|last_used_at|last_used_from)": [^,\n]+/g,
      '"$1": …',
    )
    .replace(/(?:p=)?[A-Za-z0-9+/=]{40,}/g, '…')
    .replace(/\bs\d{6}[a-z0-9]*|pr[0-9a-z]{6,}/g, 'SELECTOR')

describe('a command', () => {
  let app: TestApp
  let home: string
  let key: string
  const fields = { near: new Map<string, string>(), afar: new Map<string, string>() }

  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,smtp', POSTRIDER_OPERATOR_TOKEN: 'a token of the operator, long enough' },
    })
    home = await mkdtemp(join(tmpdir(), 'postrider-home-'))
    key = await managementKey(app, { scopes: ALL_SCOPES, grants: ALL_SCOPES })
    const [account] = await listAccounts(app.store.read)
    const domain = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    for (const side of ['near', 'afar'] as const) {
      const email = `person-${side}@people.example`
      await addUser(app.store, {
        ...{ email, name: null, role: 'developer', password: 'a long password' },
        account_id: account?.id ?? '',
      })
      fields[side].set('incident_id', await oneIncident(app, account?.id ?? '', domain.id, side))
      fields[side].set('message_id', await app.send({ to: [{ email: `queued@${side}.example` }] }))
      await mkdir(join(home, side, 'templates'), { recursive: true })
      await writeFile(
        join(home, side, 'templates/hello.json'),
        '{"name": "Hello", "sample_model": {"n": 1.10}}',
      )
      await writeFile(join(home, side, 'templates/hello.txt'), 'Hello {{n}}')
    }
  })
  after(async () => {
    await app.stop()
    await rm(home, { recursive: true })
  })

  const envOf = (side: Side): Record<string, string> =>
    side === 'afar'
      ? { HOME: home, POSTRIDER_URL: app.app.url, POSTRIDER_KEY: key }
      : {
          ...{ HOME: home, POSTRIDER_DATA_DIR: app.storage.dataDir },
          ...{ POSTRIDER_DATABASE_URL: app.storage.databaseUrl ?? '', POSTRIDER_HOSTNAME: 'sender.test' },
          POSTRIDER_DNS_SERVERS: app.dns.server,
          POSTRIDER_MX_PORT: String(app.host.port),
          POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
        }
  const cli = (words: readonly string[], env: Record<string, string>, input = ''): Promise<Finished> =>
    run(words, { env, clock: systemClock, readInput: async () => input })

  async function on(side: Side, { line, input, code: wanted }: Call): Promise<string> {
    const words = line.split(' ').map((word) =>
      word
        .replace(/^@(\w+)$/, (_, name) => fields[side].get(name) ?? `no ${name}`)
        .replace('DIR', join(home, side))
        .replace('NAME', side),
    )
    const { inputs = {} } = commandOf(line) ?? {}
    const account = 'account' in inputs && !line.includes('-account') ? ['--account', 'Playground'] : []
    const given = input.replaceAll('NAME', side)
    const { code, stdout, stderr } = await cli([...words, ...account, '--json'], envOf(side), given)
    assert.deepEqual([code, stderr], [wanted, ''], `${line}: ${stdout}`)
    for (const [, name = '', value = ''] of stdout.matchAll(/^ {2}"(\w+)": "(.*)",$/gm)) {
      fields[side].set(name, value)
    }
    return stdout
  }

  test('prints the same on the machine and elsewhere', thorough('3 CPU s: every command twice'), async () => {
    const wanted = COMMANDS.filter(({ place }) => place === undefined).map(({ name }) => name)
    const called = new Set(CALLS.map(({ line }) => commandOf(line)?.name ?? line))
    assert.deepEqual([...called].sort(), wanted.sort(), 'every command is called')
    for (const one of CALLS) {
      const [near, afar] = [same(await on('near', one)), same(await on('afar', one))]
      if (one.line === 'whoami') {
        assert.deepEqual(Object.keys(JSON.parse(near)), Object.keys(JSON.parse(afar)))
      } else assert.equal(afar, near, one.line)
    }
    for (const file of ['hello.json', 'hello.txt']) {
      const [near, afar] = await Promise.all(
        ['near', 'afar'].map((side) => readFile(join(home, side, 'pulled/templates', file), 'utf8')),
      )
      assert.equal(near, afar)
      assert.match(near ?? '', file === 'hello.json' ? /"n": 1\.10/ : /Hello/)
    }
  })

  test('that shows a message prints the reason of each outcome', async () => {
    const tenant = await createTenant(app.store)
    const scene = new Scene(app, tenant, 'ann@receiver.example')
    const id = await scene.message()
    await scene.refuse(id)
    const { stdout } = await cli(['message', 'show', id, '--account', tenant.owner.accountId], envOf('near'))
    assert.match(stdout, / EVENT +RECIPIENT +REASON\n/)
    assert.match(stdout, /Z {2}bounced +ann@receiver\.example {2}The receiving host answered\.$/m)
  })

  test('that is refused elsewhere prints the problem, and exits with 1', async () => {
    const narrow = await managementKey(app, { scopes: ['domains:read'] })
    const env = { ...envOf('afar'), POSTRIDER_KEY: narrow }
    const refused = await cli(['domain', 'add', 'other.test', '--json'], env)
    const { error } = JSON.parse(refused.stdout)
    assert.deepEqual([refused.code, error.code, refused.stderr], [1, 'scope_not_permitted', ''])
    assert.match(error.request_id, /^req_/)
    const plain = await cli(['domain', 'add', 'other.test'], env)
    assert.match(plain.stderr, /^postrider: .*domains:write/)
    const unknown = await cli(['domain', 'list'], { ...env, POSTRIDER_KEY: 'manage_x' })
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, /missing, unknown, revoked or expired/)
    const session = await cli(
      ['key', 'create', '--kind', 'management', '--scopes', 'ci', '--json'],
      envOf('afar'),
    )
    assert.equal(JSON.parse(session.stdout).error.code, 'session_required')
  })

  test('follows events until enough have come', async () => {
    for (const side of ['near', 'afar'] as const) {
      const printed: string[] = []
      let ended: Finished | undefined
      const line = `events tail --limit 2 --for 60s --account Playground --recipient tail-${side}@other.example --json`
      const tail = run(line.split(' '), {
        ...{ env: envOf(side), clock: systemClock, readInput: async () => '' },
        print: async (text) => void printed.push(text),
      })
      void tail.then((finished) => {
        ended = finished
      })
      const ids: string[] = []
      await until('two events are printed', async () => {
        assert.ok(ended === undefined || ended.code === 0, ended?.stdout ?? '')
        if (printed.length < 2) ids.push(await app.send({ to: [{ email: `tail-${side}@other.example` }] }))
        return printed.length >= 2
      })
      assert.equal((await tail).code, 0)
      const events = printed.map((line) => JSON.parse(line))
      assert.deepEqual(
        events.map(({ type, email }) => [type, email]),
        [1, 2].map(() => ['accepted', `tail-${side}@other.example`]),
      )
      assert.ok(events.every(({ message_id }) => ids.includes(message_id)))
    }
  })

  test('uses a profile, and its key is in no file that others read', async () => {
    const { POSTRIDER_URL: url = '', POSTRIDER_KEY: secret = '' } = envOf('afar')
    const env = { HOME: join(home, 'fresh') }
    const added = await cli(
      ['--url', url, '--key', '-', 'profile', 'add', 'prod', '--json'],
      env,
      `${secret}\n`,
    )
    assert.deepEqual(JSON.parse(added.stdout), {
      ...{ name: 'prod', url, last4: secret.slice(-4), current: true },
    })
    const listed = await cli(['domain', 'list', '--json'], env)
    assert.equal(listed.code, 0, listed.stdout)
    assert.ok(JSON.parse(listed.stdout).data.length > 0)
    const shown = await cli(['profile', 'list'], env)
    assert.ok(!shown.stdout.includes(secret))
    assert.equal((await cli(['domain', 'list', '--profile', 'absent'], env)).code, 2)
    assert.equal((await cli(['profile', 'remove', 'prod'], env)).code, 0)
  })
})

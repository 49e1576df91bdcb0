// A store with a sealing key contains no secret in plain text, and no program can read the secrets without the right
// key.

import assert from 'node:assert/strict'
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { SecondFactor } from '../../src/access/second-factor.ts'
import { AcmeStore } from '../../src/certificates/acme-store.ts'
import { run } from '../../src/cli/run.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createResolver } from '../../src/dns/resolver.ts'
import { parseNetworks } from '../../src/dns/special-use.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { parseRelay } from '../../src/lib/route-settings.ts'
import { Sealing } from '../../src/lib/sealing.ts'
import { startApp } from '../../src/node/node.ts'
import { OutgoingHttp } from '../../src/outgoing-http/outgoing-http.ts'
import { SECRET_COLUMNS, TABLES, type Tables } from '../../src/store/database/schema.ts'
import { SEALED_PREFIX, type SealedText } from '../../src/store/database/secrets.ts'
import type { Store } from '../../src/store/database/store.ts'
import { openStoreInMode } from '../../src/store/node/open-in-mode.ts'
import { keepDataKey } from '../../src/store/node/sealing.ts'
import { newDataKey, readSealingKey } from '../../src/store/node/sealing-key.ts'
import { installationSecret, isSecretFact } from '../../src/store/node/secret-facts.ts'
import { ReceivedMail } from '../../src/webhooks/received-mail.ts'
import { WebhookEditing } from '../../src/webhooks/webhook-editing.ts'
import { lookInto, type TestStorage, testStorage, usualDatabase } from '../support/store.ts'
import { thorough } from '../support/thorough.ts'
import { UNSAFE_DATABASE } from '../support/usual-settings.ts'

const RELAY = 'smtps://relay-user:pass-of-the-relay@relay.example:465'
const PEM = '-----BEGIN PRIVATE KEY-----\nof-the-acme-account\n-----END PRIVATE KEY-----\n'
const TLS_KEY = PEM.replace('acme-account', 'certificate')

/**
 * Columns whose name suggests a secret, but which contain no secret: hashes, public keys, names, and tokens of links in
 * mail.
 */
const NO_SECRETS = new Set([
  ...['users.password_hash', 'keys.hash', 'keys.id', 'dkim_keys.public_key', 'passkeys.public_key'],
  ...[
    'messages.key_id',
    'key_domains.key_id',
    'key_notices.key_id',
    'verifications.key_id',
    'idempotency_keys.key_id',
    'keyed_requests.key_id',
    'keyed_request_steps.key_id',
    'request_log.key_id',
    'bulks.key_id',
    'verification_checks.key_id',
  ],
  // The result of the signature with a key of the domain.
  'dmarc_rows.own_key',
  ...['idempotency_keys.idempotency_key', 'domains.claim_token', 'unsubscribe_links.token'],
  ...['keyed_requests.idempotency_key', 'keyed_request_steps.idempotency_key'],
  // The URL of a webhook is visible in lists; the secrets of a webhook are in `secrets`.
  'webhooks.url',
  // The key file itself seals the data key.
  'sealing.data_key',
])

class Installation {
  readonly storage: TestStorage
  constructor(storage: TestStorage) {
    this.storage = storage
  }

  path = (name: string): string => join(this.storage.dataDir, name)

  env = (keyFile?: string): Record<string, string> => ({
    POSTRIDER_MODE: 'production',
    POSTRIDER_DATA_DIR: this.path('data'),
    POSTRIDER_DATABASE_URL: this.storage.databaseUrl ?? '',
    POSTRIDER_HOSTNAME: 'sender.test',
    POSTRIDER_HTTP_PORT: '0',
    POSTRIDER_SMTP_PORT: '0',
    POSTRIDER_INBOUND_PORT: '0',
    POSTRIDER_ADMIN_PORT: '0',
    ...UNSAFE_DATABASE,
    ...(keyFile === undefined ? {} : { POSTRIDER_SEALING_KEY_FILE: keyFile }),
  })

  cli = (keyFile: string | undefined, ...words: string[]) =>
    run(words, { env: this.env(keyFile), clock: systemClock, readInput: async () => '' })

  async must(keyFile: string | undefined, ...words: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.cli(keyFile, ...words, '--json')
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }

  /**
   * Checks that both a command and a start are refused with the same sentence, and that the exit code of the command is
   * 2.
   */
  async refused(keyFile: string | undefined, sentence: RegExp): Promise<void> {
    const { code, stderr } = await this.cli(keyFile, 'domain', 'list')
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
    await assert.rejects(startApp(loadConfig(this.env(keyFile)), silentLog), { message: sentence })
  }

  async open<T>(keyFile: string | undefined, work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStoreInMode({
      ...{ mode: 'production', migrates: false, log: silentLog },
      ...{ dataDir: this.path('data'), databaseUrl: this.storage.databaseUrl, sealingKeyFile: keyFile },
    })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }

  /** Creates a secret of each kind, and returns the texts that the database must not contain. */
  async fill(keyFile: string | undefined): Promise<string[]> {
    await this.must(keyFile, 'account', 'create', 'Example')
    const { user_id } = await this.must(keyFile, 'user', 'create', 'jo@sender.test')
    await this.must(keyFile, 'domain', 'add', 'sender.test')
    await this.must(keyFile, 'domain', 'relay', 'sender.test', RELAY)
    return this.open(keyFile, async (store) => {
      const secret = await installationSecret(store)
      const user = await store.read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
      assert.equal(user.id, user_id)
      const totp = await new SecondFactor(store, systemClock, secret).begin(user, user.email)
      const acme = new AcmeStore(store, new Sealing(secret, 'tls key'))
      await acme.keepAccountKey('https://acme.example', PEM)
      await acme.saveCertificate({ version: '1', directory: 'https://acme.example', cert: 'c', key: TLS_KEY })
      const owner = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const http = new OutgoingHttp({
        resolver: createResolver({ servers: undefined }),
        allowed: parseNetworks(''),
      })
      const webhooks = new WebhookEditing({
        ...{ store, clock: systemClock, http },
        receivedMail: new ReceivedMail(async () => undefined),
      })
      const { secrets: webhook } = await webhooks.create(
        { accountId: owner.account_id, domainId: owner.id },
        {
          url: 'https://receiver.example/events',
          basic_auth: { username: 'u', password: 'pass-of-the-webhook' },
        },
      )
      await http.stop()
      const keys = await store.read.selectFrom('dkim_keys').selectAll().execute()
      const pems = keys.map(({ id, private_key }) => store.secrets.open(private_key, id))
      assert.equal(pems.length, 2)
      const inner = await this.#innerOf(store)
      return [
        ...webhook.generations.map((one) => one.secret),
        'pass-of-the-webhook',
        secret,
        totp.secret,
        'pass-of-the-relay',
        ...inner,
        ...pems.flatMap((pem) => pem.split('\n')[1] ?? []),
      ]
    })
  }

  /**
   * Returns the inner sealed forms of the TOTP secret and the ACME keys. These secrets are sealed twice, so their inner
   * forms are secrets as well.
   */
  async #innerOf(store: Store): Promise<string[]> {
    const totp = await store.read.selectFrom('user_totp').selectAll().executeTakeFirstOrThrow()
    const facts = await store.read
      .selectFrom('installation')
      .selectAll()
      .where('name', 'like', 'acme%')
      .execute()
    return [
      store.secrets.open(totp.secret, totp.user_id),
      ...facts.map(({ name, value }) => store.secrets.open(value as SealedText, name)),
    ]
  }

  /** Reads all secrets as a node or a command would. */
  readAll = (keyFile: string | undefined): Promise<unknown> =>
    this.open(keyFile, async (store) => {
      const secret = await installationSecret(store)
      const acme = new AcmeStore(store, new Sealing(secret, 'tls key'))
      const relay = await store.read.selectFrom('domain_relays').selectAll().executeTakeFirstOrThrow()
      const keys = await store.read.selectFrom('dkim_keys').selectAll().orderBy('id').execute()
      return {
        secret,
        account: await acme.keepAccountKey('https://acme.example', 'another'),
        tls: (await acme.certificate())?.key,
        relay: parseRelay(store.secrets.open(relay.url, relay.domain_id)).auth?.password,
        dkim: keys.map(({ id, private_key }) => store.secrets.open(private_key, id)),
      }
    })

  /** Returns the places that contain one of the texts: files of the database, or rows on PostgreSQL. */
  async placesOf(texts: readonly string[]): Promise<string[]> {
    assert.ok(texts.length > 6 && texts.every((text) => text.length > 12), texts.join('\n'))
    if (this.storage.databaseUrl === undefined) {
      const names = await readdir(this.path('data'))
      const files = await Promise.all(
        names.map(async (name) => [name, await readFile(this.path(`data/${name}`))] as const),
      )
      return files.filter(([, bytes]) => texts.some((text) => bytes.includes(text))).map(([name]) => name)
    }
    const store = await lookInto(this.storage)
    const found: string[] = []
    for (const table of Object.keys(TABLES) as (keyof Tables)[]) {
      const rows = JSON.stringify(await store.read.selectFrom(table).selectAll().execute())
      if (texts.some((text) => rows.includes(JSON.stringify(text).slice(1, -1)))) found.push(table)
    }
    await store.close()
    return found
  }

  /** Checks that every column for secrets has rows, and that all of its values are sealed. */
  async allSealed(keyFile: string): Promise<void> {
    await this.open(keyFile, async ({ read }) => {
      for (const { table, column } of SECRET_COLUMNS) {
        const rows = (await read.selectFrom(table).selectAll().execute()) as Record<string, unknown>[]
        assert.ok(rows.length > 0, `the test makes no row of ${table}`)
        for (const row of rows) assert.ok(String(row[column]).startsWith(SEALED_PREFIX), `${table}.${column}`)
      }
      const facts = await read.selectFrom('installation').selectAll().execute()
      const secrets = facts.filter(({ name }) => isSecretFact(name))
      assert.equal(secrets.length, 3)
      for (const { name, value } of secrets) assert.ok(value.startsWith(SEALED_PREFIX), name)
    })
  }
}

describe('a sealing key', () => {
  const made: TestStorage[] = []
  after(() => Promise.all(made.map((storage) => storage.remove())))

  async function installation(): Promise<Installation> {
    const storage = await testStorage(usualDatabase())
    made.push(storage)
    return new Installation(storage)
  }

  test('covers every column whose name suggests a secret', () => {
    const secrets = new Set(SECRET_COLUMNS.map(({ table, column }) => `${table}.${column}`))
    const telling = Object.entries(TABLES).flatMap(([table, columns]) =>
      Object.keys(columns)
        .filter((column) => /secret|private|password|token|_key|^key_|hash$|^url$/.test(column))
        .map((column) => `${table}.${column}`),
    )
    const unknown = telling.filter(
      (name) => !secrets.has(name) && !NO_SECRETS.has(name) && !/\.\w*hash$/.test(name),
    )
    assert.deepEqual(
      unknown,
      [],
      'seal each column with `secret()` in the schema, or list the column here with the reason',
    )
  })

  test(
    'seals a new store from the start, for commands and nodes',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const one = await installation()
      const key = one.path('key')
      await one.must(undefined, 'seal', 'make-key', key)
      const secrets = await one.fill(key)
      await one.allSealed(key)
      assert.deepEqual(await one.placesOf(secrets), [])
      const before = await one.readAll(key)
      const app = await startApp(loadConfig(one.env(key)), silentLog)
      await app.stop()
      assert.deepEqual(await one.readAll(key), before)
      const { sealed } = await one.must(undefined, 'seal', 'status')
      assert.equal(sealed, true)
    },
  )

  test('seals an existing store by command, and continues after an interruption', async () => {
    const one = await installation()
    const key = one.path('key')
    const secrets = await one.fill(undefined)
    assert.notDeepEqual(await one.placesOf(secrets), [])
    const before = await one.readAll(undefined)
    await one.must(undefined, 'seal', 'make-key', key)
    await one.refused(key, /the store is not sealed yet: .*postrider seal store/)
    assert.equal((await one.must(undefined, 'seal', 'status')).sealed, false)
    // Simulates a command that was killed after its first commit.
    await one.open(undefined, (store) =>
      store.write(keepDataKey, newDataKey(readSealingKey(key), Date.now())),
    )
    await one.refused(key, /the store is not completely sealed yet/)
    await one.refused(
      undefined,
      /The store is sealed with the key [0-9a-f]{16}: set POSTRIDER_SEALING_KEY_FILE/,
    )
    assert.equal((await one.must(key, 'seal', 'store')).secrets_sealed, 8)
    assert.equal((await one.must(key, 'seal', 'store')).secrets_sealed, 0)
    await one.allSealed(key)
    assert.deepEqual(await one.placesOf(secrets), [])
    assert.deepEqual(await one.readAll(key), before)
  })

  test('is refused while a node runs without it', async () => {
    const one = await installation()
    const key = one.path('key')
    await one.must(undefined, 'seal', 'make-key', key)
    const app = await startApp(loadConfig(one.env()), silentLog)
    const { code, stderr } = await one.cli(key, 'seal', 'store')
    await app.stop()
    assert.equal(code, 1)
    assert.match(stderr, /stop (?:it|these nodes) first/)
    assert.equal((await one.must(undefined, 'seal', 'status')).key, null)
  })

  test(
    'is changed while a node runs, and the old key opens nothing afterwards',
    thorough('0.6 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const one = await installation()
      const [key, next] = [one.path('key'), one.path('next')]
      for (const file of [key, next]) await one.must(undefined, 'seal', 'make-key', file)
      await one.fill(key)
      const before = await one.readAll(key)
      const app = await startApp(loadConfig(one.env(key)), silentLog)
      const { key: fingerprint } = await one.must(key, 'seal', 'change-key', next)
      await app.stop()
      await one.refused(key, new RegExp(`is sealed with the key ${fingerprint}, and .*/key contains the key`))
      assert.deepEqual(await one.readAll(next), before)
      await one.allSealed(next)
    },
  )

  test('is refused in one sentence if it is missing, open to others, or invalid', async () => {
    const one = await installation()
    const key = one.path('key')
    await one.refused(key, /The key file .* is not there/)
    await one.must(undefined, 'seal', 'make-key', key)
    const again = await one.cli(undefined, 'seal', 'make-key', key)
    assert.match(again.stderr, /already exists/)
    await one.must(key, 'account', 'create', 'Example')
    await one.refused(undefined, /The store is sealed with the key/)
    for (const mode of [0o644, 0o604, 0o660, 0o601]) {
      await chmod(key, mode)
      await one.refused(key, /Others may use the key file .*chmod 0600/)
    }
    // Kubernetes mounts a secret for the group of the pod with this mode.
    await chmod(key, 0o440)
    await one.must(key, 'account', 'list')
    await rm(key)
    await writeFile(key, 'a passphrase', { mode: 0o600 })
    await one.refused(key, /contains no key/)
    await one.refused(one.storage.dataDir, /is not a file/)
    const none = await one.cli(undefined, 'seal', 'store')
    assert.match(none.stderr, /Set POSTRIDER_SEALING_KEY_FILE/)
  })
})

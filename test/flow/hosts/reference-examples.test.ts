// Every example of the reference runs as written in the playground, in each language: curl in a shell, TypeScript in
// Node, and Python where it is installed. The SDK makes the same requests.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { OPERATIONS } from '../../../sdk/typescript/src/generated/nouns.ts'
import { Postrider, PostriderError } from '../../../sdk/typescript/src/index.ts'
import { newAccount } from '../../../src/access/accounts.ts'
import { ALL_SCOPES } from '../../../src/access/scopes.ts'
import { addDomain } from '../../../src/domains/domains.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createAccount } from '../../../src/store/access/accounts.ts'
import { type Owner, wholeAccount } from '../../../src/store/messages/owner.ts'
import { keepDelivery } from '../../../src/store/webhooks/deliveries.ts'
import { TestApp } from '../../support/app.ts'
import { deferredMessage } from '../../support/deferred-message.ts'
import { sampleReport } from '../../support/dmarc-reports.ts'
import { Interpreter } from '../../support/interpreter.ts'
import { kindOfRoute, managementKey, scopeOf } from '../../support/keys.ts'
import { oneInbound, oneInbox, oneIncident } from '../../support/one-of-everything.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'
import { addUser } from '../../support/users.ts'
import { deliveryOf, webhookOf } from '../../support/webhook-rows.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-examples-0123456789'

/** Commands that run a program in a process of its own; curl prints only the status, except for a stream. */
const COMMANDS = {
  curl: (code: string, isStream: boolean) => [
    'sh',
    '-c',
    isStream ? `exec ${code} -s` : `${code} -s -o /dev/null -w '%{http_code}\\n'`,
  ],
  typescript: (code: string) => [process.execPath, '--input-type=module-typescript', '--eval', code],
  python: (code: string) => ['python3', '-c', code],
} as const
type Language = keyof typeof COMMANDS

/** Runs the code of an example with a key; returns the output, which begins with the status. */
type Run = (code: string, key: string, example: Example) => Promise<string>

/** Example of one operation. */
interface Example {
  readonly method: string
  readonly path: string
  readonly code: Readonly<Record<string, string>>
}

/** Domain of the examples that change or delete a domain. */
const MANAGED = 'managed.example'

/**
 * Paths of examples that need published records, and ten minutes after these; `src/api/domains/domains.test.ts` covers
 * these steps.
 */
const LEFT_OUT = new Set(['/v1/domains/{domain}/dkim/switch', '/v1/domains/{domain}/dkim/retire'])

/** True for an endpoint of the operator, which takes a token and no key. */
const isOperators = ({ path }: Pick<Example, 'path'>): boolean => path.startsWith('/v1/operator/')

/** Returns the request that a TypeScript example makes. */
async function requestIn(code: string): Promise<{ readonly url: URL; readonly body: unknown }> {
  const asked: { readonly url: string; readonly body: string | undefined }[] = []
  const stub = async (url: string, { body }: { readonly body?: string }) => {
    asked.push({ url, body })
    return { json: () => {}, text: () => {}, body: [] }
  }
  const run = new Function('fetch', 'console', `return (async () => {\n${code}\n})()`)
  await run(stub, { log() {} }).catch(() => {})
  const { url = '', body } = asked[0] ?? assert.fail(code)
  const isJson = body !== undefined && /'Content-Type': 'application\/json'/.test(code)
  return { url: new URL(url), body: isJson ? JSON.parse(body) : body }
}

const unescaped = (html: string): string =>
  html.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  )

/** Returns the examples of a page of the reference. */
const examplesIn = (html: string): Example[] =>
  [...html.matchAll(/<section class="endpoint".*?<\/section>/gs)].map(([section]) => {
    const [, method = '', path = ''] =
      /<span class="method \w+">(\w+)<\/span> <code>([^<]+)</.exec(section) ?? []
    const blocks = section.matchAll(/<pre [^>]*data-language="(\w+)"[^>]*><code>(.*?)<\/code>/gs)
    return {
      method,
      path,
      code: Object.fromEntries(Array.from(blocks, ([, name, code = '']) => [name, unescaped(code)])),
    }
  })

/** Returns the examples of the reference in the order in which they succeed. */
async function examplesOf(app: TestApp): Promise<Example[]> {
  const { body } = await app.call('GET', '/docs')
  return examplesIn(body).toSorted((one, other) => turnOf(one) - turnOf(other))
}

/**
 * Returns the position of an example in the order in which examples succeed: objects are created, read, changed, and
 * deleted.
 */
function turnOf({ method, path }: Example): number {
  if (path === '/v1/erasures') return 9
  if (path.endsWith('suppressions/remove')) return 8
  if (method === 'DELETE' && path === '/v1/domains/{domain}') return 8
  if (method === 'DELETE') return path.startsWith('/v1/layouts') ? 7 : 6
  if (method === 'POST' && path === '/v1/layouts') return 0
  if (method === 'POST' && !path.includes('{') && !path.startsWith('/v1/operator')) return 1
  if (/\/(test|rotate)$/.test(path)) return 2
  // The example of a change disables the webhook.
  return method === 'GET' ? 3 : method === 'PATCH' || path.startsWith('/v1/operator') ? 5 : 4
}

/** True for an example whose output is events, without end. */
const isStream = ({ path }: Example): boolean => path.endsWith('events/stream')

/** An event of a message or of the account, which may be one that an earlier example has caused. */
const OF_STREAM = /"type":"[a-z_]+(?:\.[a-z_]+)?"/

describe('the examples of the reference', () => {
  let app: TestApp
  /** The examples in the order in which they succeed, with the URL of the first service. */
  let page: { readonly url: string; readonly examples: readonly Example[] } | undefined
  let inboundId: string
  let management: string
  let owner: Owner
  let readers = 0
  // Each language creates the same objects, so each language has its own service.
  beforeEach(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN } })
    page ??= { url: app.app.url, examples: await examplesOf(app) }
    const domain = await app.store.read
      .selectFrom('domains')
      .select(['id', 'account_id'])
      .executeTakeFirstOrThrow()
    owner = { accountId: domain.account_id, domainId: domain.id }
    inboundId = await oneInbound(app, owner.accountId, owner.domainId, 'sample')
    management = await managementKey(app, { scopes: ALL_SCOPES })
    // The report of the example is older than the period that the list of sources shows.
    await app.call('POST', '/v1/reports', sampleReport(app.playground.domain, 'sample'))
    await addDomain({
      ...{ store: app.store, clock: systemClock, accountId: owner.accountId, name: MANAGED },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
  })
  afterEach(() => app.stop())

  const keyOf = ({ method, path }: Example): string => {
    const { sending_key, verification_key } = app.playground
    const kinds = { sending: sending_key, verification: verification_key, management }
    if (isOperators({ path })) return sending_key
    return kinds[kindOfRoute({ scope: scopeOf(`${method} ${path}`) })]
  }

  /**
   * Stores a failed webhook delivery, which this node does not retry, because the node runs no webhooks; returns the ID
   * of the delivery.
   */
  async function failedDelivery(webhookId: string, of: Owner): Promise<string> {
    const delivery = deliveryOf({ ...webhookOf(of), id: webhookId }, { status: 'failed' })
    await app.store.write(keepDelivery, delivery)
    return delivery.id
  }

  /** Returns the IDs of the newest objects and of a new list of addresses, which replace the sample IDs. */
  async function newestIds(addresses: number, isOfAccount: boolean): Promise<string[]> {
    const headers = { authorization: `Bearer ${app.playground.verification_key}` }
    const first = async (path: string, more?: { readonly authorization: string }): Promise<string[]> => {
      const { body } = await app.call('GET', path, undefined, more)
      return Object.entries(body.data[0] ?? {}).flatMap(([name, id]) =>
        name.endsWith('_id') || name === 'username' ? [String(id)] : [],
      )
    }
    const [webhook = ''] = isOfAccount
      ? await first('/v1/account-webhooks?limit=1', { authorization: `Bearer ${management}` })
      : await first('/v1/webhooks?limit=1')
    const listed = Array.from({ length: addresses }, (_, index) => `ann+${index}@example.test`)
    const list = await app.callWith('POST', '/v1/verifications', listed, {
      ...headers,
      'content-type': 'application/json',
    })
    const email = `reader-${++readers}@people.example`
    const login = { email, name: null, role: 'viewer' as const, password: 'a long password' }
    const user = await addUser(app.store, { ...login, account_id: owner.accountId })
    const account = newAccount(MANAGED, Date.now())
    await app.store.write(createAccount, account)
    return [
      user.id,
      account.id,
      ...(await first('/v1/invitations', { authorization: `Bearer ${management}` })),
      ...(await first('/v1/messages?limit=1')),
      ...(await first('/v1/reports?limit=1')),
      (await app.call('GET', '/v1/authentication')).body.data[0]?.source.source_id ?? '',
      ...(await first('/v1/bulk?limit=1')),
      ...(await first('/v1/keys?kind=sending&status=active&limit=1', {
        authorization: `Bearer ${management}`,
      })),
      ...(await first('/v1/smtp-credentials?status=active&limit=1', {
        authorization: `Bearer ${management}`,
      })),
      ...(webhook === ''
        ? []
        : [await failedDelivery(webhook, isOfAccount ? wholeAccount(owner.accountId) : owner)]),
      webhook,
      inboundId,
      await oneIncident(app, owner.accountId, owner.domainId, `sample-${readers}`),
      ...Object.values(await oneInbox(app, owner.accountId, `sample-${readers}`)),
      list.body.verification_id,
    ]
  }

  /** Causes an event of a message for streams of messages, and an event of a key for streams of the account. */
  const causeEvents = () => Promise.all([app.send(), managementKey(app)])

  const environment = (): Record<string, string | undefined> => ({
    PATH: process.env.PATH,
    ...{ OPERATOR_TOKEN, NO_COLOR: '1' },
  })

  /** Returns the output of a process when it has ended, or when the output of a stream has begun. */
  const inProcess =
    (language: Language): Run =>
    async (code, key, example) => {
      const [command = '', ...args] = COMMANDS[language](code, isStream(example))
      const child = spawn(command, args, { env: { ...environment(), API_KEY: key } })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (piece: string) => {
          output += piece
        })
      }
      let hasEnded = false
      child.on('close', () => {
        hasEnded = true
      })
      if (isStream(example)) {
        await until('the stream has an event', async () => {
          await causeEvents()
          return hasEnded || OF_STREAM.test(output)
        })
        child.kill()
      }
      await until(`${command} has ended`, () => hasEnded)
      return output
    }

  /**
   * Runs all examples of a language in one process, except streams and the first example with each last line, which run
   * in a process of their own: a program has to end by itself after it has read its answer.
   */
  async function runInterpreted(language: 'typescript' | 'python'): Promise<void> {
    const interpreter = new Interpreter(language, environment())
    const endings = new Set<string | undefined>()
    const alone = inProcess(language)
    try {
      await runAll(language, (code, key, example) => {
        const ending = code.split('\n').at(-1)
        const isFirst = !endings.has(ending)
        endings.add(ending)
        return isFirst || isStream(example)
          ? alone(code, key, example)
          : interpreter.run(code, { API_KEY: key })
      })
    } finally {
      await interpreter.stop()
    }
  }

  /** Makes the request of a TypeScript example by the method of the SDK; returns the output that the example would have. */
  const runWithSdk: Run = async (code, keyOfDomain, example) => {
    const { method, path } = example
    const key = isOperators(example) ? OPERATOR_TOKEN : keyOfDomain
    const { url, body } = await requestIn(code)
    const found = Object.entries(OPERATIONS).find(([, one]) => one.method === method && one.url === path)
    const [id, operation] = found ?? assert.fail(`the SDK has no method for ${method} ${path}`)
    const shape = new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)
    const names = shape.exec(url.pathname)?.slice(1).map(decodeURIComponent) ?? []
    const args = [
      ...names,
      ...(operation.body === undefined ? [] : [body]),
      Object.fromEntries(url.searchParams),
    ]
    const { origin: service } = url
    const postrider = new Postrider({ url: service, key, repeats: 0 })
    // biome-ignore lint/suspicious/noExplicitAny: the name of the method is known at run time only
    const call = id.split('.').reduce((noun: any, step) => noun[step], postrider)
    try {
      const answer = call(...args)
      if (operation.answer !== 'events') return `200 ${JSON.stringify((await answer) ?? null)}`
      return JSON.stringify(await firstOf(answer[Symbol.asyncIterator]()))
    } catch (error) {
      return error instanceof PostriderError ? `${error.status} ${error.message}` : String(error)
    }
  }

  /** Returns the first event of a stream, which begins at an unknown time: events are caused until one arrives. */
  async function firstOf(events: AsyncIterator<object>): Promise<object> {
    let hasCome = false
    const next = events.next().finally(() => {
      hasCome = true
    })
    // `await next` below throws the failure of a stream.
    next.catch(() => {})
    await until('the stream has an event', async () => {
      if (!hasCome) await causeEvents()
      return hasCome
    })
    const { value } = await next
    await events.return?.()
    return value
  }

  async function runAll(language: Language, run: Run): Promise<void> {
    const { url, examples } = page ?? assert.fail('there is no page')
    assert.ok(examples.length > 60, String(examples.length))
    let ids: string[] = []
    const failed: string[] = []
    let turn = -1
    let wasOfAccount = false
    for (const example of examples.filter(({ path }) => !LEFT_OUT.has(path))) {
      // A list of some thousand addresses is still running when it is cancelled.
      const isCancelled = example.path === '/v1/verifications/{verification_id}/cancel'
      // The time of a message can be changed while the message is scheduled.
      const isChanged = example.method === 'PATCH' && example.path === '/v1/messages/{message_id}'
      if (isChanged) await app.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
      // The IDs of webhooks of an account have the same form as the IDs of webhooks of a domain.
      const isOfAccount = example.path.startsWith('/v1/account-webhooks')
      // Each of these deletions needs an inbox with a mail.
      const isRemoved = example.method === 'DELETE' && example.path.startsWith('/v1/inboxes/')
      const isRetried = example.path === '/v1/messages/{message_id}/retry'
      if (isRetried) await deferredMessage(app)
      const needsIds = isCancelled || isChanged || isRetried || isRemoved || isOfAccount !== wasOfAccount
      if (needsIds || turnOf(example) !== turn) ids = await newestIds(isCancelled ? 3_000 : 1, isOfAccount)
      turn = turnOf(example)
      wasOfAccount = isOfAccount
      const code = (example.code[language] ?? '')
        .replaceAll(url, app.app.url)
        .replace(/\b([a-z]{3,4})_01(?:KAJ|fa7)\w{21}\b/g, (sample, prefix: string) => {
          const all = ids.filter((id) => id.startsWith(`${prefix}_`))
          // Test inboxes and inbound messages have the same prefix.
          return (example.path.startsWith('/v1/inboxes/') ? all.at(-1) : all[0]) ?? sample
        })
        .replace(/(?<=\/domains\/|confirm=)example\.com/g, MANAGED)
      const output = await run(code, keyOf(example), example)
      // The output of a program begins with the status; the output of a stream is the events.
      if (!(isStream(example) ? OF_STREAM : /^2\d\d\b/).test(output))
        failed.push(`${example.method} ${example.path}\n${code}\n${output}`)
    }
    assert.deepEqual(failed, [])
  }

  test('send from the domain of the playground, in all languages', () => {
    for (const { code, path } of page?.examples ?? assert.fail('there is no page')) {
      assert.deepEqual(Object.keys(code), Object.keys(COMMANDS), path)
      for (const text of Object.values(code)) {
        assert.doesNotMatch(text, /(?<!\/domains\/|confirm=|https:\/\/\w+\.)example\.com/, path)
      }
    }
  })

  test('run with curl', thorough('starts a process for each endpoint'), () =>
    runAll('curl', inProcess('curl')),
  )

  test('run as TypeScript', thorough('runs a program for each endpoint'), () => runInterpreted('typescript'))

  test('run with the SDK', thorough('calls each endpoint'), () => runAll('typescript', runWithSdk))

  const python = spawnSync('python3', ['--version'])
  test(
    'run as Python',
    {
      ...thorough('runs a program for each endpoint'),
      skip: python.status !== 0 && 'there is no Python',
    },
    () => runInterpreted('python'),
  )
})

// The command postrider-mcp passes every scenario of the conformance suite of the protocol that applies to it.

// thorough: installs the suite from the registry, and starts two processes for each scenario; mcp.test.ts asks the tools.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createKey } from '../../../src/access/keys.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { TestApp } from '../../support/app.ts'
import { packageOfRegistry } from '../../support/registry-package.ts'

const SUITE = { name: '@modelcontextprotocol/conformance', version: '0.1.16' }
const COMMAND = join(import.meta.dirname, '../../../sdk/mcp/src/main.ts')
const RECIPIENT = 'ann@receiver.example'

/**
 * The scenarios that apply. Some call a tool by a name of the suite, which stands for the call of a tool of the command.
 */
const SCENARIOS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'server-initialize': {},
  ping: {},
  'tools-list': {},
  'tools-call-simple-text': { test_simple_text: { name: 'list_templates', arguments: {} } },
  'tools-call-error': { test_error_handling: { name: 'get_message', arguments: { message_id: 'msg_0' } } },
  'tools-call-elicitation': {
    test_elicitation: {
      name: 'send_message',
      arguments: {
        ...{ from: 'hello@example.test', to: [{ email: RECIPIENT }] },
        ...{ subject: 'Conformance', text: 'Hello.' },
      },
    },
  },
}

const NO_MEDIA = 'the results of the tools are texts and JSON, without images, sounds and resources'
const NO_RESOURCES = 'the command has no resources, and does not declare the capability'
const NO_PROMPTS = 'the command has no prompts, and does not declare the capability'
const OTHER_SCHEMA = 'the scenario wants a schema of the suite word for word'
const NO_HTTP = 'the command speaks on standard input and output, and has no HTTP listener'

/** The scenarios that do not apply, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'logging-set-level': 'the command sends no log messages, and does not declare the capability',
  'completion-complete': 'the command has no prompts and resources whose arguments could be completed',
  'tools-call-image': NO_MEDIA,
  'tools-call-audio': NO_MEDIA,
  'tools-call-embedded-resource': NO_MEDIA,
  'tools-call-mixed-content': NO_MEDIA,
  'tools-call-with-logging': 'the command sends no log messages',
  'tools-call-with-progress': 'every call is one request to the service, which reports no progress',
  'tools-call-sampling': 'the command never asks for a text of a model',
  'json-schema-2020-12': OTHER_SCHEMA,
  'elicitation-sep1034-defaults': OTHER_SCHEMA,
  'elicitation-sep1330-enums': OTHER_SCHEMA,
  'server-sse-polling': NO_HTTP,
  'server-sse-multiple-streams': NO_HTTP,
  'dns-rebinding-protection': NO_HTTP,
  ...{ 'resources-list': NO_RESOURCES, 'resources-read-text': NO_RESOURCES },
  ...{ 'resources-read-binary': NO_RESOURCES, 'resources-templates-read': NO_RESOURCES },
  ...{ 'resources-subscribe': NO_RESOURCES, 'resources-unsubscribe': NO_RESOURCES },
  ...{ 'prompts-list': NO_PROMPTS, 'prompts-get-simple': NO_PROMPTS, 'prompts-get-with-args': NO_PROMPTS },
  ...{ 'prompts-get-embedded-resource': NO_PROMPTS, 'prompts-get-with-image': NO_PROMPTS },
}

/** Passes the messages of HTTP clients to processes of the command, one process for each session. */
class StdioBehindHttp {
  readonly #env: Readonly<Record<string, string>>
  readonly #server: Server
  readonly #sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  readonly #processes: StdioClientTransport[] = []
  /** Calls of tools that stand for calls by the names of the suite. */
  calls: Readonly<Record<string, object>> = {}

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await Promise.all(this.#processes.map((one) => one.close()))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const body = method === 'POST' ? await buffer(request) : undefined
    const asked = new Request(new URL(url, 'http://127.0.0.1'), {
      ...{ method, headers: headers as Record<string, string> },
      ...(body === undefined ? {} : { body: body as Buffer<ArrayBuffer> }),
    })
    const session = this.#sessions.get(String(headers['mcp-session-id'])) ?? (await this.#open())
    const answer = await session.handleRequest(asked)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else Readable.fromWeb(answer.body as never).pipe(response)
  }

  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const command = new StdioClientTransport({
      ...{ command: process.execPath, args: [COMMAND, '--allow', 'send'], stderr: 'inherit' },
      env: { PATH: process.env.PATH ?? '', ...this.#env },
    })
    this.#processes.push(command)
    const session = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    })
    let latest: string | number | undefined
    session.onmessage = (message) => {
      if ('method' in message && 'id' in message) latest = message.id
      void command.send(this.#named(message))
    }
    command.onmessage = (message) => {
      // A question to the client belongs to the call that it interrupts.
      const related = 'method' in message && latest !== undefined ? { relatedRequestId: latest } : {}
      void session.send(message, related)
    }
    await Promise.all([command.start(), session.start()])
    return session
  }

  #named(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message) || message.method !== 'tools/call') return message
    const call = this.calls[String(message.params?.name)]
    return call === undefined ? message : { ...message, params: { ...message.params, ...call } }
  }
}

describe('postrider-mcp in the conformance suite of the protocol', () => {
  let suite: string | undefined
  let folder: string
  let app: TestApp
  let http: StdioBehindHttp
  let url: string
  before(async () => {
    suite = await packageOfRegistry(SUITE.name, SUITE.version)
    folder = await mkdtemp(join(tmpdir(), 'postrider-conformance-'))
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    const { id, account_id } = await app.store.read
      .selectFrom('domains')
      .select(['id', 'account_id'])
      .executeTakeFirstOrThrow()
    const { secret } = await createKey(
      { store: app.store, clock: systemClock },
      { accountId: account_id, domainId: id, kind: 'sending', name: 'Agent', recipients: [RECIPIENT] },
    )
    http = new StdioBehindHttp({ POSTRIDER_URL: app.app.url, POSTRIDER_KEY: secret })
    url = await http.start()
  })
  after(async () => {
    await http.stop()
    await app.stop()
    await rm(folder, { recursive: true })
  })

  /** Runs a command of the suite; returns its output, also of a failed command. */
  async function conformance(...words: readonly string[]): Promise<{ code: number; output: string }> {
    const program = join(suite as string, 'dist/index.js')
    return promisify(execFile)(process.execPath, [program, ...words], { cwd: folder }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
    )
  }

  const needsSuite = (run: () => Promise<void>) => (context: { skip(why: string): void }) => {
    if (suite !== undefined) return run()
    context.skip(`the npm registry cannot be reached: ${SUITE.name}@${SUITE.version} is not installed`)
    return Promise.resolve()
  }

  test(
    'each scenario of the suite applies, or is left out for a reason',
    needsSuite(async () => {
      const { output } = await conformance('list', '--server')
      const names = Array.from(output.matchAll(/^ +- ([\w-]+)/gm), ([, name]) => name)
      assert.deepEqual(names.toSorted(), [...Object.keys(SCENARIOS), ...Object.keys(LEFT_OUT)].toSorted())
    }),
  )

  for (const [scenario, calls] of Object.entries(SCENARIOS)) {
    test(
      scenario,
      needsSuite(async () => {
        http.calls = calls
        const { code, output } = await conformance('server', '--url', url, '--scenario', scenario)
        assert.equal(code, 0, output)
        assert.match(output, /Passed: [1-9]\d*\/\d+, 0 failed/)
      }),
    )
  }
})

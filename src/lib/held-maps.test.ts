// Tests that every map or set that outlives a function call is a cache of `CACHE_BYTES`, is never changed, or is listed
// here with a bound.

import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CACHE_BYTES } from './caches.ts'

const SRC = fileURLToPath(new URL('..', import.meta.url))

const UNDER_WAY = 'what is under way, which the door or the slots of the queue bound'
const OF_ONE_REQUEST = 'ends with the run of its request'
const OF_ONE_CALL = 'ends with the call that made it'
const OF_THE_PROGRAM = 'names of this program or of its settings'

/**
 * Reason why each map or set is bounded, by file and name. A map with keys that clients choose must be a cache of
 * `cacheOf` instead.
 */
const BOUNDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'access/credentials.ts': {
    '#used': 'keys that exist and were used since the last write, ten seconds ago',
    ...{ '#usedNetworks': '`MAX_NOTED`', '#refusals': '`MAX_NOTED`' },
    '#noting': 'notes under way, of `#used` and `#refusals`',
  },
  'access/login-notices.ts': { '#waiting': 'mails under way, of changes by people who are logged in' },
  'access/password-reset.ts': { '#waiting': '`MAX_WAITING`' },
  'access/sessions.ts': {
    '#waiting': 'sessions that exist and were used since the last write, a fifth of a second ago',
    '#writing': 'some that were in `#waiting`',
  },
  'http/body-upload.ts': { '#open': 'requests under way, at most one for each connection' },
  'http/connections.ts': { '#idle': 'open connections, of which there is a maximum' },
  'api/accounts/mint-key.ts': { grants: OF_ONE_CALL },
  'api/events/event-streams.ts': { '#news': '`MAX_STREAMS`' },
  'api/events/stream-slots.ts': {
    '#open': 'accounts and callers of the open connections, of which there is a maximum',
  },
  'api/inboxes/mailpit-events.ts': { '#open': 'open connections, of which there is a maximum' },
  'api/request-run.ts': {
    ...{ '#asked': OF_ONE_REQUEST, '#drawn': OF_ONE_REQUEST, '#earlier': OF_ONE_REQUEST },
    ...{ '#found': OF_ONE_REQUEST, '#recalled': OF_ONE_REQUEST },
  },
  'access/request-log.ts': { '#accounts': 'accounts with requests that are not written' },
  'check/client-support.ts': { answers: OF_THE_PROGRAM, byProperty: '1,000 properties' },
  'check/link-probe.ts': { '#kept': '`MAX_KEPT` links' },
  'check/report.ts': { '#counts': OF_ONE_CALL },
  'check/shown-html.ts': { NO_NAMES: 'is empty' },
  'check/text-findings.ts': { NO_ANCHORS: 'is empty' },
  'compat/call.ts': { '#headers': OF_ONE_REQUEST },
  'compat/postmark/template-choice.ts': { '#ids': OF_ONE_REQUEST },
  'compat/urls.ts': { '#exact': OF_THE_PROGRAM, '#trees': OF_THE_PROGRAM, next: OF_THE_PROGRAM },
  'http/http-figures.ts': { '#answers': OF_THE_PROGRAM, byStatus: OF_THE_PROGRAM },
  'http/connection-handler.ts': { '#handshaking': 'open connections, of which there is a maximum' },
  'http/field-names.ts': { names: OF_ONE_CALL },
  'http/form-fields.ts': { '#files': OF_ONE_REQUEST, '#texts': OF_ONE_REQUEST },
  'api/reference/docs-pages.ts': { '#counts': OF_THE_PROGRAM },
  'api/reference/fields.ts': { '#seen': OF_THE_PROGRAM },
  'http/schema-errors.ts': { '#indexes': OF_ONE_CALL },
  'certificates/acme-certificates.ts': {
    '#challenges': 'the names of the installation, and `#hosts`',
    '#hosts': '`MAX_HOSTS`, and what had a certificate before other accounts came',
  },
  'domains/bimi-logo.ts': { findings: OF_ONE_CALL },
  'inboxes/inbox-feed.ts': {
    '#followed': 'inboxes with open connections, of which there is a maximum',
    followers: 'open connections, of which there is a maximum',
  },
  'domains/domain-work.ts': { '#counts': 'domains whose records a request waits for' },
  'cli/profiles.ts': { profiles: OF_ONE_CALL },
  'dns/answer-cache.ts': { '#pending': UNDER_WAY },
  'dsn/returned-mail.ts': { '#values': OF_ONE_CALL },
  'health/block-list-watch.ts': { '#sources': 'the addresses of the running nodes' },
  'egress/host-limits.ts': { '#records': 'hosts with connections, or with attempts that wait for one' },
  'egress/host-record.ts': { leased: 'open connections, of which there is a maximum', waiting: UNDER_WAY },
  'egress/mta-sts.ts': { '#fetching': UNDER_WAY },
  'egress/pool.ts': { '#idle': 'open connections, of which there is a maximum' },
  'incidents/incident-watch.ts': {
    '#suspected': 'combinations of the last look, of which a domain has a maximum',
  },
  'reports/alignment-watch.ts': { '#looking': UNDER_WAY },
  'reports/bounded.ts': { '#counts': '`MAX_WARNINGS` warnings' },
  'reports/dmarc-report.ts': { '#rows': OF_ONE_CALL },
  'store/problems/problem-facts.ts': { NO_LOOPS: 'is empty' },
  'inboxes/inbox-changes.ts': { '#watches': 'inboxes that requests under way wait for' },
  'lib/caches.ts': { '#entries': 'the bytes of `CACHE_BYTES`' },
  'lib/content-memory.ts': { '#waiting': 'requests and messages under way, at most one for each connection' },
  'threads/fair-queue.ts': { '#lines': 'accounts that have jobs, or have used more time than others' },
  'threads/keyed-semaphore.ts': { '#turns': UNDER_WAY, waiting: UNDER_WAY },
  'lib/leased-runs.ts': { '#runs': 'runs of this node, of which there is a maximum' },
  'lib/log.ts': { '#byKey': '`MAX_KEYS` hashes' },
  'lib/proxy-protocol.ts': { '#reading': 'connections of our load balancers, for five seconds each' },
  'lib/shares.ts': { '#held': 'owners that hold a part of what is shared' },
  'threads/fair-scheduler.ts': { '#waiting': UNDER_WAY },
  'lib/shared-buckets.ts': { '#byName': '`MAX_NAMES`' },
  'threads/worker-pool.ts': { '#busy': UNDER_WAY, '#running': UNDER_WAY },
  'mime/charset.ts': { decoders: 'labels of the table of charsets' },
  'model/permitted-recipients.ts': {
    '#addresses': '`MAX_RECIPIENT_PATTERNS` patterns of a key',
    '#domains': '`MAX_RECIPIENT_PATTERNS` patterns of a key',
  },
  'model/triage.ts': {
    '#left': OF_ONE_CALL,
    '#messages': OF_ONE_CALL,
    '#taken': OF_ONE_CALL,
    '#waiting': OF_ONE_CALL,
  },
  'node/local-api.ts': { '#servers': OF_THE_PROGRAM },
  'operator/rate-sharing.ts': { '#kinds': OF_THE_PROGRAM },
  'queue/low-water-marks.ts': {
    '#released': 'flows released to since the last claim, by attempts under way',
    '#flows': 'flows of the claims of a minute',
  },
  'store/database/postgres-hosts.ts': { '#failures': 'hosts of the settings' },
  'store/database/prepared-names.ts': { '#byText': '`MAX_NAMES`' },
  'queue/delivered-journal.ts': { '#open': UNDER_WAY },
  'queue/outcome-log.ts': { '#ended': OF_THE_PROGRAM, '#late': '`MAX_LATE`' },
  'queue/site-limits.ts': {
    '#buckets': '`MAX_REMEMBERED` sites of destinations that a rate of the settings names',
    '#busy': UNDER_WAY,
    '#closed': 'some of `#sites`',
    '#destinationsOf': '`MAX_REMEMBERED` destinations, each with a site and an address',
    '#namesOf': '`MAX_REMEMBERED` destinations',
    '#sites': '`MAX_REMEMBERED` sites',
  },
  'queue/slots.ts': {
    '#active': '`MAX_ACTIVE`',
    '#byShare': 'accounts of `#active` and `#reservations`',
    '#bytesByAccount': 'accounts of `#active`',
    '#reservations': '`MAX_IMMEDIATE`',
    '#sharing': 'contents of `#active`',
    '#suspects': 'some of `#active`',
  },
  'queue/throttled.ts': {
    '#names': 'two names for each of `#flows`',
    '#flows': '`MAX_FLOWS` and one look',
  },
  'smtp/dial.ts': { '#running': 'addresses of one host, dialled in one attempt' },
  'smtp/open-replies.ts': { byStem: OF_THE_PROGRAM, byWord: OF_THE_PROGRAM },
  'smtp/reply-text.ts': { '#byFirstLetters': OF_THE_PROGRAM, '#byFirstWord': OF_THE_PROGRAM },
  'smtp/threads/dialog-thread.ts': {
    connections: 'open connections, of which there is a maximum',
    underWay: UNDER_WAY,
  },
  'smtp/threads/dialog-threads.ts': {
    '#asked': UNDER_WAY,
    '#limited': UNDER_WAY,
    '#connections': 'open connections, of which there is a maximum',
  },
  'smtpd/connection-slots.ts': {
    '#blocks': 'networks of open connections, of which there is a maximum',
    '#networks': 'networks of open connections, of which there is a maximum',
    holders: 'open connections, of which there is a maximum',
  },
  'smtpd/session.ts': { recipients: 'recipients of one transaction, of which there is a maximum' },
  'smtpd/listener.ts': { '#dialogs': 'open connections, of which there is a maximum' },
  'store/database/read-turns.ts': {
    '#held': UNDER_WAY,
    '#uses': 'accounts that read in the last twenty seconds',
  },
  'store/database/rows.ts': { texts: 'statements of this program, with eight numbers of rows each' },
  'store/events/feed-watch.ts': {
    '#listeners': 'streams of events, of which there is a maximum, and parts of the node',
  },
  'store/readers/log-follower.ts': { '#since': OF_THE_PROGRAM },
  'store/readers/message-words.ts': { keyHashes: '`MAX_KEYS`' },
  'store/queue/queue.ts': { contents: OF_ONE_CALL },
  'store/database/sqlite-connection.ts': { '#byText': '`MAX_STATEMENTS`' },
  'store/database/sqlite-thread.ts': { '#waiting': UNDER_WAY, idle: OF_THE_PROGRAM },
  'submission/stored-bytes.ts': { '#reading': UNDER_WAY },
  'submission/attachment-files.ts': { sizes: OF_ONE_CALL },
  'submission/in-flight-keys.ts': { '#names': UNDER_WAY },
  'submission/submit.ts': { '#batchCounts': UNDER_WAY },
  'template-language/literal.ts': { '#next': '`MAX_KEYS_LENGTH`, and ends with the request' },
  'template-language/sample-model.ts': { fields: OF_ONE_CALL },
  'tracking/hit-log.ts': { '#waiting': '`MAX_WAITING_BYTES`' },
  'verification/account-verification.ts': { ended: OF_THE_PROGRAM },
  'verification/address-rotation.ts': { '#turns': 'domains of `#waiting`', '#waiting': '`WINDOW` addresses' },
  'verification/list-run.ts': { '#putOff': 'at most 10,000 addresses' },
  'verification/lists.ts': { NOTHING_OWN: 'is never changed', allowed: 'is never changed' },
  'verification/verify.ts': { '#underWay': UNDER_WAY },
  'webhooks/delivery-slots.ts': { '#waiting': 'webhooks that the node holds' },
  'webhooks/due-deliveries.ts': { '#open': '`MAX_DUE` and the requests under way' },
  'webhooks/message-order.ts': { '#waiting': 'events that are read ahead, of which there is a maximum' },
  'webhooks/webhook-delivery.ts': { '#attempts': OF_THE_PROGRAM, '#grown': 'domains that exist' },
}

/** A map or set in a field, at module level, or in an object. */
interface Held {
  readonly name: string
  /** True if the map or set is never changed after its creation. */
  readonly isFixed: boolean
}

const MADE = /\bnew (?:Map|Set|LRUCache|ActiveSet)\b/
const FUNCTION = /^(?:async )?(?:function\b|\w+ =>|\([\s\S]*?\)(?:: [^=]+)? =>)/
/** Matches a map or set that is assigned to a field or is a property of an object. */
const INSIDE = /(?:\.(#?\w+) (?:\?\?)?=|[{,]\s*(\w+):)\s+(new (?:Map|Set|LRUCache|ActiveSet)\b[^\n]*)/g

/**
 * Finds the maps and sets that a file holds. Relies on the formatting of the source: module declarations have no
 * indentation, class fields have two spaces. A `WeakMap` does not count, because each entry ends with its key.
 */
function heldIn(source: string): Held[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*\n/gm, '')
  const found = new Map<string, boolean>()
  const note = (name: string, value: string): void => {
    if (!MADE.test(value) || FUNCTION.test(value)) return
    const isEmpty = /new \w+(?:<[\s\S]*?>)?\(\)/.test(value)
    const isChanged = new RegExp(`(?<![\\w#])${name}\\??\\.(?:set|add)\\(`).test(code)
    found.set(name, !isEmpty && !isChanged && (found.get(name) ?? true))
  }
  for (const statement of code.split(/^(?=[^\s\])}>])/m)) {
    const declared = /^(?:export )?(?:const|let) (\w+)[\s\S]*?\s=\s+([\s\S]*)/.exec(statement)
    if (declared !== null) note(declared[1] as string, declared[2] as string)
    if (!/^(?:export )?(?:abstract )?class /.test(statement)) continue
    for (const member of statement.split(/^(?= {2}[^\s\])}>])/m)) {
      const field = /^ {2}(?:static |readonly |override )*(#?\w+)(?::[\s\S]*?)?\s=\s+([\s\S]*)/.exec(member)
      if (field !== null) note(field[1] as string, field[2] as string)
    }
  }
  for (const [, field, property, value = ''] of code.matchAll(INSIDE)) note(field ?? property ?? '', value)
  return [...found].map(([name, isFixed]) => ({ name, isFixed }))
}

async function sources(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const path of glob('**/*.ts', { cwd: SRC })) {
    if (/\.test(?:-data)?\.ts$/.test(path)) continue
    found.set(path, await readFile(`${SRC}/${path}`, 'utf8'))
  }
  return found
}

test('finds maps and sets that are held, and none of a call', () => {
  const source = `
const FIXED = new Set(['a'])
const GROWS = new Set<string>()
export const several: ReadonlyMap<
  string,
  number
> = new Map([['a', 1]])
const changed = new Map([['a', 1]])
let before: Map<string, number> | undefined = new Map()
const toSet = (names: readonly string[]): Set<string> => new Set(names)
const withDefault = (a = new Set()) => a
const shape = (name: string): Shape => ({ name, fields: new Map(), printed: false })
class One {
  readonly #inField = new Map<string, readonly (readonly string[])[]>()
  inOrder: Set<string> =
    new Set()
  readonly #assigned: LRUCache<string, string>
  readonly #later: Set<string>
  readonly #onTurn = (): void => {
    const local = new Map()
  }
  constructor() {
    this.#assigned = new LRUCache({ max: 5 })
    this.#later ??= new Set()
    const local = new Set<string>()
    changed.set('b', 2)
    this.#assigned.set('a', 'b')
  }
}
`
  assert.deepEqual(
    heldIn(source)
      .map(({ name, isFixed }) => `${name}${isFixed ? ' fixed' : ''}`)
      .sort(),
    [
      '#assigned',
      '#inField',
      '#later',
      'FIXED fixed',
      'GROWS',
      'before',
      'changed',
      'fields',
      'inOrder',
      'several fixed',
    ],
  )
})

test('is bounded: the table lists exactly the maps and sets that are held', async () => {
  const held: Record<string, string[]> = {}
  for (const [path, source] of await sources()) {
    const names = heldIn(source).flatMap(({ name, isFixed }) => (isFixed ? [] : [name]))
    if (names.length > 0) held[path] = names.sort()
  }
  const listed = Object.entries(BOUNDED).map(([path, names]) => [path, Object.keys(names).sort()])
  assert.deepEqual(held, Object.fromEntries(listed))
})

test('each listed cache is used', async () => {
  const all = [...(await sources())].filter(([path]) => path !== 'lib/caches.ts').map(([, source]) => source)
  for (const name of Object.keys(CACHE_BYTES)) {
    assert.ok(
      all.some((source) => source.includes(`'${name}'`)),
      name,
    )
  }
})

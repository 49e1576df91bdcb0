// postrider doctor: looks whether this installation can do its work, and says what to change if not.

import { statfs } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { createResolver } from '../dns/resolver.ts'
import { ConfigError, loadConfig } from '../load-config.ts'
import { Problem } from '../model/problem.ts'
import { listAccounts } from '../store/accounts.ts'
import { skewInWords } from '../store/clock-watch.ts'
import { type Domain, type DomainRecord, listDomainRecords, listDomains } from '../store/domains.ts'
import { clockSkew } from '../store/installation.ts'
import type { Read } from '../store/store.ts'
import type { Answer, Context } from './command.ts'
import { type Check, fail, ok, skipped, warn } from './doctor-check.ts'
import { networkChecks, SKIPPED_IN_PLAYGROUND } from './doctor-network.ts'
import { withStore } from './open.ts'
import { counted, printable } from './text.ts'

const OLDEST_NODE = 26
const GIB = 1024 ** 3
const DISK_FAILS = 0.25 * GIB
const DISK_WARNS = 2 * GIB

/** What `doctor` was given. */
export interface DoctorOptions {
  readonly 'port25-host': string | undefined
}

/** Surely takes mail; also named in the help. */
const PORT_25_HOST = 'gmail-smtp-in.l.google.com'

export async function doctor(context: Context, given: DoctorOptions): Promise<Answer> {
  const checks = await allChecks(context, given['port25-host'] ?? PORT_25_HOST)
  const failed = checks.filter((check) => check.status === 'fail').length
  const warned = checks.filter((check) => check.status === 'warn').length
  const summary =
    failed > 0
      ? `${counted(failed, 'check')} failed${warned > 0 ? `, ${counted(warned, 'warning')}` : ''}.`
      : warned > 0
        ? `Nothing failed; ${counted(warned, 'warning')}.`
        : 'All is well.'
  return {
    document: { checks },
    text: [...checks.map(line), '', summary].join('\n'),
    failed: failed > 0,
  }
}

function line({ name, status, detail, remedy }: Check): string {
  const first = `${status.padEnd(8)} ${name}: ${printable(detail)}`
  return remedy === null ? first : `${first}\n         -> ${printable(remedy)}`
}

async function allChecks(context: Context, port25Host: string): Promise<Check[]> {
  const node = checkNode(process.versions.node)
  let config: Config
  try {
    config = loadConfig(context.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      node,
      ...error.problems.map((problem) => fail('settings', problem, 'Change or remove this setting.')),
    ]
  }
  const settings = ok('settings', `loaded; mode ${config.mode}, data in ${config.dataDir}`)
  const [store, network] = await Promise.all([checkStore(context, config), checkNetwork(config, port25Host)])
  // After the store: it makes the data directory.
  const disk = await checkDisk(config)
  return [settings, node, ...store.checks, disk, checkPublicUrl(config), ...network, ...store.domains]
}

/** RFC 8058 §3.1: unsubscribing by one click goes over HTTPS, to where recipients can reach it. */
function checkPublicUrl({ mode, publicUrl }: Config): Check {
  if (mode === 'playground') return skipped('public URL', 'recipients of a playground are on this machine')
  if (publicUrl?.startsWith('https://')) return ok('public URL', publicUrl)
  const detail = publicUrl === undefined ? 'POSTRIDER_PUBLIC_URL is not set' : `${publicUrl} is not https`
  return warn('public URL', detail, 'Set it to an https address; the links in broadcast mail lead there.')
}

function checkNode(version: string): Check {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return ok('node', `version ${version}`)
  return fail('node', `version ${version} is too old`, `Run Node ${OLDEST_NODE} or newer; npm ci brings it.`)
}

async function checkStore(context: Context, config: Config): Promise<{ checks: Check[]; domains: Check[] }> {
  let migrated: readonly string[] = []
  const remember = (names: readonly string[]): void => {
    migrated = names
  }
  try {
    const [domains, clock] = await withStore(
      context,
      ({ store }) => Promise.all([checkDomains(store.read), checkClock(config, store.read)]),
      remember,
    )
    const kind = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
    const done =
      migrated.length === 0 ? 'all have run' : `brought up to date just now: ${migrated.join(', ')}`
    return {
      checks: [ok('store', `${kind} opens`), ok('migrations', done), durability(config), clock],
      domains,
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const remedy =
      config.databaseUrl === undefined
        ? `Look whether ${config.dataDir} exists, belongs to the user that runs Postrider and is not full.`
        : 'Look whether POSTRIDER_DATABASE_URL is right and the database can be reached from here.'
    return { checks: [fail('store', error.message, remedy)], domains: [] }
  }
}

/** Opening the embedded store sets both pragmas, reads them back and refuses to go on without them. */
const durability = (config: Config): Check =>
  config.databaseUrl === undefined
    ? ok('durability', 'journal_mode=wal and synchronous=full, read back on opening')
    : skipped('durability', "PostgreSQL's own settings decide; keep fsync and synchronous_commit on")

async function checkClock({ databaseUrl }: Config, read: Read): Promise<Check> {
  if (databaseUrl === undefined) return skipped('clock', 'the store is of this machine')
  const skew = await clockSkew(read)
  const wrong = skewInWords(skew)
  if (wrong === undefined) return ok('clock', `${Math.abs(skew)} ms from the database's`)
  return fail(
    'clock',
    wrong,
    'Keep the clocks of all nodes and of the database by NTP (chrony, systemd-timesyncd).',
  )
}

async function checkDisk({ dataDir, databaseUrl }: Config): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    const detail = `${(free / GIB).toFixed(1)} GiB free in ${dataDir}`
    if (free >= DISK_WARNS) return ok('disk', detail)
    const remedy = 'Make room: when the disk is full, no mail is accepted any more.'
    return free >= DISK_FAILS ? warn('disk', detail, remedy) : fail('disk', detail, remedy)
  } catch (error) {
    if (databaseUrl !== undefined) return skipped('disk', `there is no ${dataDir}; the database is elsewhere`)
    return fail(
      'disk',
      (error as Error).message,
      'Give a directory that can be written with POSTRIDER_DATA_DIR.',
    )
  }
}

async function checkNetwork(config: Config, port25Host: string): Promise<Check[]> {
  if (config.mode === 'playground') return SKIPPED_IN_PLAYGROUND
  return networkChecks({
    hostname: config.hostname,
    returnPathHost: config.returnPathHost,
    relayUrl: config.relayUrl,
    sourceAddresses: config.sourceAddresses,
    mxPort: config.mxPort,
    inbound:
      config.roles.includes('inbound') && config.inboundPort !== undefined
        ? { host: config.smtpHost, port: config.inboundPort }
        : undefined,
    port25Host,
    resolver: createResolver({ servers: config.dnsServers, cache: false }),
  })
}

/** Of every account, by what the last look at the DNS found. */
async function checkDomains(read: Read): Promise<Check[]> {
  const checks: Check[] = []
  let total = 0
  for (const account of await listAccounts(read)) {
    for (const domain of await listDomains(read, account.id)) {
      total++
      const problem = checkDomain(domain, await listDomainRecords(read, account.id, domain.id))
      if (problem !== undefined) checks.push(problem)
    }
  }
  if (checks.length > 0) return checks
  const all =
    total === 0 ? 'there is none yet' : `${counted(total, 'domain')}, all with their required records`
  return [ok('domains', all)]
}

function checkDomain(domain: Domain, records: readonly DomainRecord[]): Check | undefined {
  const name = `domain ${domain.name}`
  const gone = records.filter((record) => record.required === 1 && record.status !== 'found')
  const list = gone.map((record) => `${record.type} ${record.name} is ${record.status}`).join(', ')
  const remedy = `Publish what \`postrider domain records ${domain.name}\` shows, then run \`postrider domain verify ${domain.name}\`.`
  if (domain.status === 'paused')
    return warn(name, 'is paused and cannot send', 'Let it go on when you mean to.')
  if (domain.status === 'pending') return warn(name, `cannot send yet: ${list || 'not verified'}`, remedy)
  return gone.length === 0 ? undefined : fail(name, `will stop sending: ${list}`, remedy)
}

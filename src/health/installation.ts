// Checks the installation itself: runtime, store, certificate and domains.

import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isSpecialUse } from '../dns/special-use.ts'
import { ACME_FILE, readCertificateFiles, type UsableCertificate } from '../lib/certificate-files.ts'
import { freeBytes } from '../lib/disk.ts'
import { unreachableUnsubscribing } from '../lib/public-url.ts'
import { isLoopback } from '../lib/setting-kinds.ts'
import { listAccounts } from '../store/access/accounts.ts'
import { readDurability, TORN, TORN_REMEDY, UNSYNCED, UNSYNCED_REMEDY } from '../store/database/durability.ts'
import type { Read } from '../store/database/store.ts'
import {
  type Domain,
  type DomainRecord,
  listDomainRecords,
  listDomains,
} from '../store/domains/domain-rows.ts'
import { skewInWords } from '../store/node/clock-watch.ts'
import { clockSkew } from '../store/node/installation.ts'
import { NOT_REACHED, readOrderState } from '../store/node/order-state.ts'
import { type Check, fail, ok, skipped, warn } from './check.ts'

/** Settings that the checks of the installation use. */
export interface InstallationOptions {
  readonly mode: 'playground' | 'production'
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly publicUrl: string | undefined
  readonly adminHost: string
  readonly adminPort: number | undefined
  readonly hostname: string
  /** Path of the certificate; undefined for the self-signed certificate in the data directory. */
  readonly smtpTlsCert: string | undefined
  readonly smtpTlsKey: string | undefined
  /** Email address of the ACME account; undefined if ACME is off. */
  readonly acmeEmail: string | undefined
}

const OLDEST_NODE = 26
const GIB = 1024 ** 3
const DISK_FAILS = 0.25 * GIB
const DISK_WARNS = 2 * GIB
const DAY_MS = 86_400_000
const EXPIRES_SOON_MS = 14 * DAY_MS

export function checkNode(version: string): Check {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return ok('node', `Node.js ${version}`)
  return fail(
    'node',
    `Node.js ${version} is too old`,
    `Run Node ${OLDEST_NODE} or newer; npm install brings it.`,
  )
}

/**
 * Checks the public URL, because one-click unsubscribing (RFC 8058 §3.1) requires HTTPS and a URL that recipients can
 * reach.
 */
export function checkPublicUrl({ mode, publicUrl }: InstallationOptions): Check {
  if (mode === 'playground') return skipped('public URL', 'recipients of a playground are on this machine')
  const problem = unreachableUnsubscribing({ mode, publicUrl })
  if (problem === undefined) return ok('public URL', publicUrl ?? '')
  const remedy =
    'Set it to an https address: links in invitations and in broadcast mail lead to this address, and broadcast streams stay closed until then.'
  return warn('public URL', problem, remedy)
}

/**
 * Checks that other machines cannot reach the admin listener, because `/metrics` needs no login and shows the amount of
 * mail to each destination.
 */
export function checkAdminListener({ adminHost, adminPort }: InstallationOptions): Check {
  const name = 'admin listener'
  if (adminPort === undefined) return skipped(name, 'off: the HTTP port serves the metrics')
  const place = `${adminHost}:${adminPort}`
  const inside = isLoopback(adminHost) || (isIP(adminHost) !== 0 && isSpecialUse(adminHost))
  const anywhere = adminHost === '0.0.0.0' || adminHost === '::'
  if (inside && !anywhere) return ok(name, place)
  const remedy =
    'Set POSTRIDER_ADMIN_HOST to a loopback or private address, or let a firewall admit only your monitoring: /metrics needs no login.'
  return warn(name, `${place} may be reached by other machines`, remedy)
}

/**
 * Checks that the store is durable. Opening the embedded store sets the pragmas `journal_mode` and `synchronous`, reads
 * both pragmas back, and fails if one of the pragmas is not in effect.
 */
export async function checkDurability(read: Read): Promise<Check> {
  const name = 'durability'
  const found = await readDurability(read)
  if (found === undefined) return ok(name, 'journal_mode=wal and synchronous=full, read back on opening')
  if (found.isUnsynced) return fail(name, UNSYNCED, UNSYNCED_REMEDY)
  if (found.isTorn) return warn(name, TORN, TORN_REMEDY)
  return ok(name, 'fsync and full_page_writes are on in PostgreSQL, synchronous_commit on its connections')
}

export async function checkClock({ databaseUrl }: InstallationOptions, read: Read): Promise<Check> {
  if (databaseUrl === undefined) return skipped('clock', 'the store is on this machine')
  const skew = await clockSkew(read)
  const wrong = skewInWords(skew)
  if (wrong === undefined) return ok('clock', `${Math.abs(skew)} ms from the clock of the database`)
  return fail(
    'clock',
    wrong,
    'Keep the clocks of all nodes and of the database by NTP (chrony, systemd-timesyncd).',
  )
}

export async function checkDisk({ dataDir, databaseUrl }: InstallationOptions): Promise<Check> {
  try {
    const free = await freeBytes(dataDir)
    const detail = `${(free / GIB).toFixed(1)} GiB free in ${dataDir}`
    if (free >= DISK_WARNS) return ok('disk', detail)
    const remedy = 'Free space: when the disk is full, no messages are accepted.'
    return free >= DISK_FAILS ? warn('disk', detail, remedy) : fail('disk', detail, remedy)
  } catch (error) {
    if (databaseUrl !== undefined) return skipped('disk', `there is no ${dataDir}; the database is elsewhere`)
    return fail('disk', (error as Error).message, 'Set POSTRIDER_DATA_DIR to a writable directory.')
  }
}

/** Checks the certificate of the SMTP listeners; `now` is in milliseconds since the epoch. */
export async function checkCertificate(options: InstallationOptions, now: number): Promise<Check> {
  const name = 'SMTP certificate'
  const { smtpTlsCert, smtpTlsKey, dataDir, hostname, mode, acmeEmail } = options
  const isOrdered = acmeEmail !== undefined
  const remedy = isOrdered
    ? ORDER_REMEDY
    : 'Renew it; the files of POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY are reloaded when they change.'
  const ordered = join(dataDir, ACME_FILE)
  if (isOrdered && !existsSync(ordered)) {
    return warn(name, 'not ordered yet; a self-signed certificate is used until then', NOT_ORDERED_REMEDY)
  }
  const certFile = isOrdered ? ordered : (smtpTlsCert ?? join(dataDir, 'smtp-cert.pem'))
  const keyFile = isOrdered ? ordered : (smtpTlsKey ?? join(dataDir, 'smtp-key.pem'))
  if (smtpTlsCert === undefined && !existsSync(certFile))
    return skipped(name, 'created when the service starts')
  let certificate: UsableCertificate['leaf']
  try {
    certificate = readCertificateFiles(certFile, keyFile).leaf
  } catch (error) {
    const detail = `cannot be used: ${(error as Error).message}`
    return fail(
      name,
      detail,
      smtpTlsCert === undefined && !isOrdered
        ? 'Restart the service, which creates another certificate.'
        : remedy,
    )
  }
  const until = certificate.validToDate.getTime()
  const day = certificate.validToDate.toISOString().slice(0, 10)
  if (until <= now) return fail(name, `expired on ${day}`, remedy)
  if (certificate.checkHost(hostname) === undefined) {
    return warn(
      name,
      `not valid for ${hostname}`,
      `Get a certificate for ${hostname}, the name that clients connect to.`,
    )
  }
  if (until - now < EXPIRES_SOON_MS) return warn(name, `expires on ${day}`, remedy)
  if (isOrdered) return ok(name, `for ${hostname}, until ${day}, by ACME`)
  if (smtpTlsCert === undefined && mode === 'production') {
    return warn(
      name,
      'self-signed, which SMTP clients do not trust',
      'Set POSTRIDER_ACME_EMAIL, or configure the certificate of a public authority with POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY.',
    )
  }
  return ok(name, `for ${hostname}, until ${day}${smtpTlsCert === undefined ? ', self-signed' : ''}`)
}

const ORDER_REMEDY =
  'Let port 443 (or port 80, for HTTP-01) of the names of the certificate lead to this service. The service repeats the order automatically; the log contains the reason of each failure.'

const REACH_REMEDY =
  'Let this machine look up the host of POSTRIDER_ACME_DIRECTORY (POSTRIDER_DNS_SERVERS, port 53) and connect to it (outgoing port 443). The service repeats the order automatically.'
const NOT_ORDERED_REMEDY =
  'The service orders the certificate automatically; the check of certificate orders shows the reason of the failure and the remedy.'

/** Checks the orders of certificates by ACME; returns no checks while ACME is off. */
export async function checkOrders({ acmeEmail }: InstallationOptions, read: Read): Promise<Check[]> {
  if (acmeEmail === undefined) return []
  const name = 'certificate orders'
  const { failures, problem } = await readOrderState(read)
  if (failures === 0) return [ok(name, 'none has failed since the last certificate')]
  const remedy = problem?.startsWith(NOT_REACHED) ? REACH_REMEDY : ORDER_REMEDY
  return [warn(name, `${failures} failed in a row, the last one because ${problem}`, remedy)]
}

/** Checks the domains of all accounts, based on the last DNS check of each domain. */
export async function checkDomains(read: Read): Promise<Check[]> {
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
    total === 0 ? 'none yet' : `${total} domain${total === 1 ? '' : 's'}, all with their required records`
  return [ok('domains', all)]
}

const RECORD_STATUSES: Readonly<Record<DomainRecord['status'], string>> = {
  pending: 'has not been looked up yet',
  found: 'is published',
  mismatch: 'has another value than the one to publish',
  missing: 'is not published',
}

function checkDomain(domain: Domain, records: readonly DomainRecord[]): Check | undefined {
  const name = `domain ${domain.name}`
  const gone = records.filter((record) => record.required === 1 && record.status !== 'found')
  const stateOf = ({ status, note }: DomainRecord): string =>
    note === 'unanswered' ? 'could not be looked up' : RECORD_STATUSES[status]
  const list = gone.map((record) => `${record.type} ${record.name} ${stateOf(record)}`).join(', ')
  const remedy = `Publish what \`postrider domain records ${domain.name}\` shows, then run \`postrider domain verify ${domain.name}\`.`
  if (domain.status === 'paused') return warn(name, 'paused: cannot send', 'Resume the domain.')
  if (domain.status === 'pending') return warn(name, `cannot send yet: ${list || 'not verified'}`, remedy)
  return gone.length === 0 ? undefined : fail(name, `will stop sending: ${list}`, remedy)
}

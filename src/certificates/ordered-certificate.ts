// A certificate of an ACME authority, which is ordered, renewed in time, shared by all nodes, and presented without a
// restart.

import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { type CertificateAndKey, readCertificateFiles } from '../lib/certificate-files.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory, writeWholeFile } from '../lib/whole-file.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { OrderState } from '../store/node/order-state.ts'
import type { JobLease } from '../store/node/singleton-jobs.ts'
import { AcmeClient, type ChallengeType } from './acme-client.ts'
import type { AcmeStore, SharedCertificate } from './acme-store.ts'
import { makeRequest, renewalIdOf } from './making.ts'

export interface OrderOptions {
  /** Folder of the certificate and the account key. */
  readonly dataDir: string
  readonly directoryUrl: string
  readonly email: string
  /** Challenge types that this installation can answer; the next type is tried after a failure. */
  readonly challenges: readonly ChallengeType[]
  readonly http: OutgoingHttp
  readonly clock: Clock
  readonly log: Log
}

/** Options of one certificate and its file. */
export interface OrderedCertificateOptions extends OrderOptions {
  /** Host names of the certificate. */
  readonly names: readonly string[]
  /** Name of the certificate file in the data directory. */
  readonly file: string
  readonly shared: AcmeStore
  /** Job that the ordering node holds, for all certificates. */
  readonly job: JobLease
  readonly stopping: AbortSignal
  /** Presents the certificate and key in a file from now on. Throws if the pair cannot be used. */
  adopt(file: string): void
}

/** Maximum time of an order, in milliseconds, shorter than the lease of the job. */
const MAX_ORDER_MS = 8 * 60_000
/**
 * Wait after the first failed order, in milliseconds: Let's Encrypt allows five failed validations of a name per hour.
 */
const FIRST_RETRY_MS = 15 * 60_000
const MAX_RETRY_MS = 12 * 3_600_000
/** Interval at which the authority is asked for the time of renewal, in milliseconds (RFC 9773 §4.3). */
const RENEWAL_CHECK_MS = 6 * 3_600_000
/**
 * Minimum time between two orders that the dates of the certificate cause. A certificate that is about to expire on
 * arrival, because the clock of the authority or of this node is wrong, must not cause an order each minute.
 */
const REORDER_MS = 6 * 3_600_000

export class OrderedCertificate {
  readonly #options: OrderedCertificateOptions
  readonly #shared: AcmeStore
  /** Version of the presented certificate. */
  #presented: string | undefined
  #state: OrderState = { failures: 0, triedAt: 0 }
  #isTaken = false

  constructor(options: OrderedCertificateOptions) {
    this.#options = options
    this.#shared = options.shared
  }

  /** State of the orders of this certificate. */
  get state(): OrderState {
    return this.#state
  }

  /** True once the certificate and the state of its orders were read from the store. */
  get isTaken(): boolean {
    return this.#isTaken
  }

  /** Presents the certificate of the data directory, if any. */
  presentKept(): void {
    const { dataDir, file, log } = this.#options
    try {
      this.#options.adopt(join(dataDir, file))
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!missing)
        log.warn({ file, reason: (error as Error).message }, 'the stored certificate cannot be used')
    }
  }

  /**
   * Takes a certificate that another node has ordered; orders a certificate, or asks the authority for the time of
   * renewal, if due.
   */
  async check(): Promise<void> {
    const certificate = await this.take()
    if (!this.#isDue(certificate) || !(await this.#options.job.hold())) return
    // Another node may have ordered the certificate before this node got the job.
    const before = await this.take()
    if (!this.#isDue(before)) return
    if (before !== undefined && !this.#mustOrder(before)) return this.#askWhenToRenew(before)
    await this.#order(before)
    await this.take()
  }

  /** Returns the certificate that all nodes share, and presents the certificate from now on. */
  async take(): Promise<SharedCertificate | undefined> {
    const { dataDir, log } = this.#options
    this.#state = await this.#shared.state()
    const certificate = await this.#shared.certificate()
    this.#isTaken = true
    if (certificate === undefined || certificate.version === this.#presented) return certificate
    const file = join(dataDir, this.#options.file)
    const pem = `${certificate.key.trim()}\n${certificate.cert}`
    if (!isKept(file, certificate)) {
      makeDirectory(dataDir)
      // One file contains the certificate and the key, so that both match at any moment.
      await writeWholeFile(file, pem, 0o600)
      log.info(
        { file, until: new X509Certificate(certificate.cert).validTo },
        'a new certificate is presented',
      )
    }
    this.#options.adopt(file)
    this.#presented = certificate.version
    return certificate
  }

  #isDue(certificate: SharedCertificate | undefined): boolean {
    const { failures, triedAt } = this.#state
    // The absolute difference is used, so that setting back a fast clock delays no order.
    const since = Math.abs(this.#options.clock.now() - triedAt)
    if (certificate === undefined || this.#mustOrder(certificate)) {
      const wait = failures === 0 ? 0 : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
      return since >= wait
    }
    return since >= RENEWAL_CHECK_MS
  }

  /**
   * True if the certificate is for other names, from another ACME directory, or in the last third of its lifetime (or
   * past the renewal time that the authority names).
   */
  #mustOrder(certificate: SharedCertificate): boolean {
    const { names, directoryUrl, clock } = this.#options
    const leaf = new X509Certificate(certificate.cert)
    if (certificate.directory !== directoryUrl) return true
    if (!names.every((name) => leaf.checkHost(name) !== undefined)) return true
    const now = clock.now()
    return now >= renewalTime(leaf, this.#state.renewAt) && !isNew(leaf, certificate.orderedAt, now)
  }

  async #askWhenToRenew(certificate: SharedCertificate): Promise<void> {
    const { clock } = this.#options
    const id = await renewalIdOf(certificate.cert)
    const client = await this.#client()
    const window = id === undefined ? undefined : await client.renewalWindow(id).catch(() => undefined)
    // A random time in the window spreads the renewals of all clients (RFC 9773 §4.2).
    const renewAt = window && Math.round(window.start + Math.random() * (window.end - window.start))
    await this.#shared.saveState({
      failures: 0,
      triedAt: clock.now(),
      ...(renewAt === undefined ? {} : { renewAt }),
    })
  }

  async #order(before: SharedCertificate | undefined): Promise<void> {
    const { names, challenges, directoryUrl, clock, log } = this.#options
    const { failures, renewAt } = this.#state
    const challenge = challenges[failures % challenges.length] as ChallengeType
    log.info({ names, challenge, directory: directoryUrl }, 'a certificate is ordered')
    try {
      const client = await this.#client()
      const { request, key } = await makeRequest(names)
      const replaces = before?.directory === directoryUrl ? await renewalIdOf(before.cert) : undefined
      const answer = (given: Parameters<AcmeStore['saveAnswer']>[0]) => this.#shared.saveAnswer(given)
      const cert = await client.order({ names, challenge, request, replaces, answer })
      requireUsable({ cert, key }, names, clock.now())
      const version = randomBase62(22)
      await this.#shared.saveCertificate({
        cert,
        key,
        directory: directoryUrl,
        version,
        orderedAt: clock.now(),
      })
      await this.#shared.saveState({ failures: 0, triedAt: clock.now() })
    } catch (error) {
      // An order that ended because this node stops is not a failure of the authority.
      if (this.#options.stopping.aborted) return
      const problem = (error as Error).message
      log.error(
        { err: error, names, challenge, failures: failures + 1 },
        'a certificate could not be ordered',
      )
      // The renewal time that the authority named is kept, so that the delay before the next challenge type is the same
      // as after any other failure.
      const renewal = renewAt === undefined ? {} : { renewAt }
      await this.#shared.saveState({ failures: failures + 1, triedAt: clock.now(), problem, ...renewal })
    } finally {
      if (!this.#options.stopping.aborted) await this.#shared.forgetAnswers()
    }
    this.#state = await this.#shared.state()
  }

  async #client(): Promise<AcmeClient> {
    const { directoryUrl, email, http, clock, dataDir } = this.#options
    const pem = await this.#shared.keepAccountKey(directoryUrl, newAccountKey())
    makeDirectory(dataDir)
    await writeWholeFile(join(dataDir, 'acme-account.pem'), pem, 0o600)
    const until = clock.now() + MAX_ORDER_MS
    return new AcmeClient({
      ...{ directoryUrl, email, http, mostMs: MAX_ORDER_MS },
      accountKey: createPrivateKey(pem),
      wait: (ms) => this.#wait(ms, until),
    })
  }

  #wait(ms: number, until: number): Promise<void> {
    const { clock, stopping: signal } = this.#options
    return new Promise((resolve, reject) => {
      const stopped = (): void => {
        cancel()
        reject(new Error('the node stops'))
      }
      const cancel = clock.after(ms, () => {
        signal.removeEventListener('abort', stopped)
        if (clock.now() < until) resolve()
        else reject(new Error('the order took too long'))
      })
      signal.addEventListener('abort', stopped, { once: true })
      if (signal.aborted) stopped()
    })
  }
}

const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

/** Returns the time of renewal, in milliseconds since the epoch: at the latest when a sixth of the lifetime is left. */
function renewalTime(leaf: X509Certificate, suggested: number | undefined): number {
  const end = leaf.validToDate.getTime()
  const life = end - leaf.validFromDate.getTime()
  return suggested === undefined ? end - life / 3 : Math.min(suggested, end - life / 6)
}

/**
 * True if the certificate was ordered so recently that its dates justify no other order. The absolute time difference
 * is used, because the clock may have been set back.
 */
function isNew(leaf: X509Certificate, orderedAt: number | undefined, now: number): boolean {
  if (orderedAt === undefined) return false
  const left = leaf.validToDate.getTime() - orderedAt
  return Math.abs(now - orderedAt) < Math.min(REORDER_MS, left / 3)
}

function isKept(file: string, certificate: SharedCertificate): boolean {
  try {
    return (
      readCertificateFiles(file, file).leaf.fingerprint256 ===
      new X509Certificate(certificate.cert).fingerprint256
    )
  } catch {
    return false
  }
}

/** Throws unless the certificate is for the requested key and names, and has not expired. */
function requireUsable({ cert, key }: CertificateAndKey, names: readonly string[], now: number): void {
  const leaf = new X509Certificate(cert)
  const missing = names.find((name) => leaf.checkHost(name) === undefined)
  if (missing !== undefined) throw new Error(`the received certificate is not for ${missing}`)
  if (!leaf.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the received certificate is for another key')
  if (leaf.validToDate.getTime() <= now) throw new Error('the received certificate has expired')
  try {
    // Checks the whole chain: a stored chain with a certificate that TLS refuses could never be presented, and would
    // prevent other orders.
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new Error(`TLS does not accept the received certificate (${(cause as Error).message})`, { cause })
  }
}

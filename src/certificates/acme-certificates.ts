// The certificates from an ACME authority: one for the installation, and one for each tracking host and policy host of
// the domains.

import { createHash } from 'node:crypto'
import {
  ACME_FILE,
  type CertificateAndKey,
  readCertificateFiles,
  type UsableCertificate,
} from '../lib/certificate-files.ts'
import type { Figure } from '../lib/figures.ts'
import type { Part } from '../lib/lifecycle.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import type { HostToCertify } from '../store/domains/tracking-hosts.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { JobLease } from '../store/node/singleton-jobs.ts'
import { AcmeStore, type KeySealing } from './acme-store.ts'
import { makeChallengeCertificate } from './making.ts'
import { OrderedCertificate, type OrderOptions } from './ordered-certificate.ts'
import type { TlsSource } from './tls-source.ts'

export interface AcmeOptions extends OrderOptions {
  /** Host names of the certificate of the installation. */
  readonly names: readonly string[]
  /**
   * Returns the hosts of domains, each with its own certificate: a host whose DNS records lead to this installation gets
   * a certificate, and any other host keeps its present certificate.
   */
  readonly hosts: () => Promise<readonly HostToCertify[]>
  readonly store: Store
  readonly node: NodeName
  readonly sealing: KeySealing
  /** Presents the certificate of the installation. */
  readonly tls: TlsSource
}

/** Interval of checks for a new certificate from another node and for the time of renewal, in milliseconds. */
const CHECK_MS = 60_000
/**
 * Time after which another node continues the work of a node that died during an order; an order always ends within a
 * shorter time.
 */
const JOB_LEASE_MS = 10 * 60_000

/** A host of a domain, with the orders of its certificate and the certificate in force. */
interface Host {
  readonly name: string
  readonly ordered: OrderedCertificate
  leadsHere: boolean
  pair: UsableCertificate | undefined
  /** Expiry of the certificate, in milliseconds since the epoch. */
  until: number
}

/** An answered TLS-ALPN-01 challenge, and the certificate for this challenge. */
interface Challenge {
  readonly keyAuthorization: string
  readonly certificate: Promise<CertificateAndKey>
}

export class AcmeCertificates implements Part {
  readonly name = 'certificates'
  readonly #options: AcmeOptions
  readonly #shared: AcmeStore
  readonly #job: JobLease
  readonly #checking: Periodic
  readonly #own: OrderedCertificate
  readonly #hosts = new Map<string, Host>()
  /** Newest challenge of each name; all TLS handshakes during a challenge get the same certificate. */
  readonly #challenges = new Map<string, Challenge>()

  constructor(options: AcmeOptions) {
    const { store, sealing, clock, log, node, names, tls } = options
    this.#options = options
    this.#shared = new AcmeStore(store, sealing)
    this.#job = new JobLease({ store, clock, node, name: 'order certificate', leaseMs: JOB_LEASE_MS })
    this.#checking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: CHECK_MS, firstMs: 0 },
      failure: 'certificates could not be checked',
      step: () => this.#check(),
    })
    this.#own = new OrderedCertificate({
      ...{ ...options, names, file: ACME_FILE, shared: this.#shared },
      ...{ job: this.#job, stopping: this.#checking.stopping },
      adopt: (file) => tls.adopt(file),
    })
  }

  /** Presents the certificates that the data directory contains; must be called before any port is opened. */
  async presentKept(): Promise<void> {
    this.#own.presentKept()
    await this.#currentHosts()
  }

  /** Checks the certificates periodically, independently of the other parts of the node. */
  start(): void {
    this.#checking.start()
  }

  async stop(): Promise<void> {
    const stopped = this.#checking.stop()
    // Ends the requests that an order waits for.
    await this.#options.http.stop()
    await stopped
  }

  /** Returns the certificate of a host of a domain; undefined for any other name. */
  certificateOf(name: string): CertificateAndKey | undefined {
    return this.#hosts.get(name.toLowerCase())?.pair
  }

  /** True if a host of a domain has a certificate that has not expired. */
  isCertified(name: string): boolean {
    const host = this.#hosts.get(name.toLowerCase())
    return host !== undefined && this.#isGood(host)
  }

  #isGood({ pair, until }: Host): boolean {
    return pair !== undefined && until > this.#options.clock.now()
  }

  /** Returns the key authorization of an HTTP-01 challenge under way (RFC 8555 §8.3). */
  answerTo(token: string): Promise<string | undefined> {
    return this.#shared.answer({ type: 'http-01', name: '', token })
  }

  /** Returns the certificate that answers a TLS-ALPN-01 challenge under way (RFC 8737 §3). */
  async challengeCertificate(name: string): Promise<CertificateAndKey | undefined> {
    const keyAuthorization = await this.#shared.answer({ type: 'tls-alpn-01', name, token: '' })
    if (keyAuthorization === undefined) return undefined
    const host = name.toLowerCase()
    const known = this.#challenges.get(host)
    if (known?.keyAuthorization === keyAuthorization) return known.certificate
    const digest = createHash('sha256').update(keyAuthorization).digest()
    const certificate = makeChallengeCertificate(host, digest, this.#options.clock.now())
    this.#challenges.set(host, { keyAuthorization, certificate })
    certificate.catch(() => this.#challenges.delete(host))
    return certificate
  }

  /** Reason why the last order of the certificate of the installation failed; undefined after a success. */
  get problem(): string | undefined {
    return this.#own.state.problem
  }

  /**
   * State of orders, for `/readyz`. A failed order does not make a node unready, because the node still has a
   * certificate.
   */
  summary(): object {
    const { failures, problem } = this.#own.state
    return { failures, ...(problem === undefined ? {} : { problem }) }
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_certificate_order_failures',
        help: 'Certificate orders that failed since the last successful one',
        kind: 'gauge',
        read: () => this.#own.state.failures,
      },
      {
        name: 'postrider_tracking_hosts_without_certificate',
        help: 'Tracking hosts and MTA-STS policy hosts that lead here without a valid certificate',
        kind: 'gauge',
        read: () =>
          this.#hosts
            .values()
            .filter((host) => host.leadsHere && !this.#isGood(host))
            .toArray().length,
      },
    ]
  }

  /**
   * Presents existing certificates before new orders, because an order may take minutes, and orders the certificate of
   * the installation before the certificates of hosts of domains. A certificate that cannot be ordered, stored or used
   * delays no other certificate.
   */
  async #check(): Promise<void> {
    let hosts: readonly Host[] = []
    try {
      hosts = await this.#currentHosts()
      for (const { pair, ordered } of hosts) {
        if (this.#checking.stopping.aborted) return
        // A failure is logged when the host is checked below.
        if (pair === undefined || !ordered.isTaken) await ordered.take().catch(() => {})
      }
    } finally {
      await this.#checkOne(this.#options.names, () => this.#own.check())
    }
    const leading = Map.groupBy(
      hosts.filter(({ leadsHere }) => leadsHere),
      ({ ordered }) => ordered.state.failures > 0,
    )
    for (const host of leading.get(false) ?? []) await this.#checkHost(host)
    // Each check places at most one order for hosts whose last order failed, beginning with the host that has waited
    // longest: many failing hosts then neither delay other hosts nor use up the orders that an authority allows (Let's
    // Encrypt: 300 in three hours).
    const failing = leading.get(true) ?? []
    failing.sort((one, other) => one.ordered.state.triedAt - other.ordered.state.triedAt)
    for (const host of failing) {
      const { triedAt } = host.ordered.state
      await this.#checkHost(host)
      if (host.ordered.state.triedAt !== triedAt) return
    }
  }

  #checkHost({ name, ordered }: Host): Promise<void> {
    return this.#checkOne([name], () => ordered.check())
  }

  /** Returns the current hosts of domains, each with its stored certificate. */
  async #currentHosts(): Promise<Host[]> {
    const current = await this.#options.hosts()
    const names = new Set(current.map(({ name }) => name))
    for (const name of this.#hosts.keys()) if (!names.has(name)) this.#hosts.delete(name)
    return current.map(({ name, leadsHere }) => {
      const host = this.#hosts.get(name) ?? this.#added(name)
      host.leadsHere = leadsHere
      return host
    })
  }

  async #checkOne(names: readonly string[], check: () => Promise<unknown>): Promise<void> {
    if (this.#checking.stopping.aborted) return
    try {
      await check()
    } catch (error) {
      if (this.#checking.stopping.aborted) return
      this.#options.log.error({ err: error, names }, 'a certificate could not be checked')
    }
  }

  #added(name: string): Host {
    const { store, sealing } = this.#options
    const host: Host = {
      name,
      ordered: new OrderedCertificate({
        ...{ ...this.#options, names: [name], file: fileOf(name) },
        ...{ shared: new AcmeStore(store, sealing, name), job: this.#job, stopping: this.#checking.stopping },
        adopt: (file) => {
          const pair = readCertificateFiles(file, file)
          host.until = pair.leaf.validToDate.getTime()
          host.pair = pair
        },
      }),
      ...{ leadsHere: false, pair: undefined, until: 0 },
    }
    this.#hosts.set(name, host)
    host.ordered.presentKept()
    return host
  }
}

/**
 * Maximum length of a host name in a file name: most file systems limit file names to 255 bytes, and the temporary name
 * during a write is longer.
 */
const MAX_NAME_IN_FILE = 200

/** Returns the file of a host in the data directory. */
const fileOf = (name: string): string =>
  `acme-${name.length > MAX_NAME_IN_FILE ? createHash('sha256').update(name).digest('hex') : name}.pem`

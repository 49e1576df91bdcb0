// The certificate of all TLS ports: files that are read again when they change, or a self-signed certificate that is
// made once.

import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import {
  type CertificateAndKey,
  readCertificateFiles,
  type UsableCertificate,
} from '../lib/certificate-files.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { makeDirectory, writeWholeFile } from '../lib/whole-file.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'
import { makeCertificate } from './making.ts'

export interface TlsSourceOptions {
  /** Folder of a self-signed certificate. */
  readonly dataDir: string
  /** Host name of a self-signed certificate. */
  readonly hostName: string
  /** Path of the certificate file; set together with `keyFile`, or not at all. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  readonly clock?: Clock
  readonly log?: Log
}

/** Interval of checks of the files, in milliseconds: a new certificate is in use within this time. */
const CHECK_MS = 1_000
/**
 * One day in milliseconds. The validity of a new certificate begins a day in the past, so that clients with slow clocks
 * accept the certificate.
 */
const DAY_MS = 86_400_000
const TEN_YEARS_MS = 3_652 * 24 * 3_600_000

/** State of the certificate in use. */
export interface CertificateState {
  /** Expiry of the certificate, in milliseconds since the epoch. */
  readonly notAfter: number
  /** Reason why changed files cannot be used; undefined while the files are in use. */
  readonly problem: string | undefined
}

/** Provides the certificate for each TLS handshake of the listeners. */
export class TlsSource {
  #certFile: string
  #keyFile: string
  readonly #clock: Clock
  readonly #log: Log
  #checkedAt: number
  #stamp: string
  #failed: { readonly stamp: string; readonly why: string } | undefined
  #current: UsableCertificate

  private constructor(certFile: string, keyFile: string, { clock, log }: TlsSourceOptions) {
    this.#certFile = certFile
    this.#keyFile = keyFile
    this.#clock = clock ?? systemClock
    this.#log = log ?? silentLog
    this.#checkedAt = this.#clock.now()
    this.#stamp = this.#stampOfFiles()
    this.#current = readCertificateFiles(certFile, keyFile)
  }

  /**
   * Opens the configured files; otherwise `smtp-cert.pem` and `smtp-key.pem` in the data directory, which are made if
   * they are missing or cannot be used. Throws `UnfitSettingsError` when configured files cannot be used.
   */
  static async open(options: TlsSourceOptions): Promise<TlsSource> {
    const { certFile, keyFile, dataDir } = options
    if (certFile !== undefined && keyFile !== undefined)
      return TlsSource.#configured(certFile, keyFile, options)
    const ownCert = join(dataDir, 'smtp-cert.pem')
    const ownKey = join(dataDir, 'smtp-key.pem')
    try {
      const found = new TlsSource(ownCert, ownKey, options)
      if (!found.#hasExpired()) return found
      found.#log.warn({ file: ownCert }, 'the self-signed certificate has expired and is replaced')
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      const fields = { reason: (error as Error).message }
      if (!missing) options.log?.warn(fields, 'the self-signed certificate cannot be used and is replaced')
    }
    await makeOwn(ownCert, ownKey, options)
    return new TlsSource(ownCert, ownKey, options)
  }

  static #configured(certFile: string, keyFile: string, options: TlsSourceOptions): TlsSource {
    try {
      return new TlsSource(certFile, keyFile, options)
    } catch (cause) {
      const why = (cause as Error).message
      throw new UnfitSettingsError(
        'unavailable',
        `The certificate for SMTP cannot be used (${why}); see POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY.`,
        { cause },
      )
    }
  }

  /**
   * Returns the certificate to present now; the same object until the files change. Files that cannot be used, such as
   * an empty file or a new certificate before its key, leave the previous certificate in force.
   */
  current(): CertificateAndKey {
    const now = this.#clock.now()
    if (Math.abs(now - this.#checkedAt) >= CHECK_MS) {
      this.#checkedAt = now
      this.#refresh()
    }
    return this.#current
  }

  /**
   * Presents the certificate and key in this file from now on, such as a newly ordered certificate. Throws when the
   * pair cannot be used.
   */
  adopt(file: string): void {
    const pair = readCertificateFiles(file, file)
    this.#certFile = file
    this.#keyFile = file
    this.#stamp = this.#stampOfFiles()
    this.#failed = undefined
    this.#current = pair
  }

  /** State of the certificate that is presented now. */
  state(): CertificateState {
    this.current()
    return { notAfter: this.#current.leaf.validToDate.getTime(), problem: this.#failed?.why }
  }

  #hasExpired(): boolean {
    return this.#current.leaf.validToDate.getTime() <= this.#clock.now()
  }

  #refresh(): void {
    let stamp = 'missing'
    try {
      stamp = this.#stampOfFiles()
      if (stamp !== this.#stamp) {
        this.#current = readCertificateFiles(this.#certFile, this.#keyFile)
        this.#stamp = stamp
        this.#log.info({ file: this.#certFile }, 'the TLS certificate was reloaded')
      }
      this.#failed = undefined
    } catch (error) {
      const why = (error as Error).message
      if (stamp !== this.#failed?.stamp) {
        this.#log.error(
          { reason: why },
          'the TLS certificate cannot be reloaded; the previous certificate stays in use',
        )
      }
      this.#failed = { stamp, why }
    }
  }

  /** Returns a text that changes when either file changes, even if a new file has the same modification time. */
  #stampOfFiles(): string {
    return [this.#certFile, this.#keyFile]
      .map((file) => statSync(file))
      .map(({ mtimeMs, size, ino }) => `${mtimeMs}.${size}.${ino}`)
      .join(' ')
  }
}

/**
 * Makes the self-signed pair. The key is written first: a power failure between the writes leaves a key and a
 * certificate that do not match, and the next start replaces both.
 */
async function makeOwn(certFile: string, keyFile: string, options: TlsSourceOptions): Promise<void> {
  makeDirectory(resolve(options.dataDir))
  const { cert, key } = await makeSelfSigned(options.hostName, (options.clock ?? systemClock).now())
  await writeWholeFile(keyFile, key, 0o600)
  await writeWholeFile(certFile, cert, 0o644)
}

/** Makes a self-signed certificate for `hostName`, `localhost` and 127.0.0.1, valid for ten years. */
async function makeSelfSigned(hostName: string, now: number): Promise<CertificateAndKey> {
  const names = [...new Set([hostName, 'localhost'])].filter((name) => isIP(name) === 0)
  return makeCertificate({
    names: [...names.map((value) => ({ type: 'dns' as const, value })), { type: 'ip', value: '127.0.0.1' }],
    notBefore: now - DAY_MS,
    notAfter: now + TEN_YEARS_MS,
  })
}

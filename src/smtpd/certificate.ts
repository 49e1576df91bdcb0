// The certificate of the SMTP doors: files that are read again when they change, or one made by ourselves, once.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Log, silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'

/** A certificate chain and its private key, PEM. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

export interface TlsSourceOptions {
  /** Where a self-made certificate is kept. */
  readonly dataDir: string
  /** The name that a self-made certificate is for. */
  readonly hostName: string
  /** Both or none. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  readonly clock?: Clock
  readonly log?: Log
}

/** How long a look at the files is good for: a new certificate is in use within this time. */
const CHECK_MS = 1_000
const TEN_YEARS_MS = 3_652 * 24 * 3_600_000

/** Where the doors get their certificate from, at each handshake. */
export class TlsSource {
  readonly #certFile: string
  readonly #keyFile: string
  readonly #clock: Clock
  readonly #log: Log
  #checkedAt: number
  #stamp: string
  #failedStamp = ''
  #current: CertificateAndKey

  private constructor(certFile: string, keyFile: string, { clock, log }: TlsSourceOptions) {
    this.#certFile = certFile
    this.#keyFile = keyFile
    this.#clock = clock ?? systemClock
    this.#log = log ?? silentLog
    this.#checkedAt = this.#clock.now()
    this.#stamp = this.#look()
    this.#current = this.#read()
  }

  /**
   * The configured files, else `smtp-cert.pem` and `smtp-key.pem` in the data directory, which are made when they
   * are missing. Throws `Problem` when configured files cannot be read or do not belong together.
   */
  static async open(options: TlsSourceOptions): Promise<TlsSource> {
    const { certFile, keyFile, dataDir, hostName } = options
    if (certFile !== undefined && keyFile !== undefined)
      return TlsSource.#configured(certFile, keyFile, options)
    const ownCert = join(dataDir, 'smtp-cert.pem')
    const ownKey = join(dataDir, 'smtp-key.pem')
    if (!existsSync(ownCert) || !existsSync(ownKey)) {
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      const { cert, key } = await makeCertificate(hostName)
      await writeWhole(ownKey, key, 0o600)
      await writeWhole(ownCert, cert, 0o644)
    }
    return new TlsSource(ownCert, ownKey, options)
  }

  static #configured(certFile: string, keyFile: string, options: TlsSourceOptions): TlsSource {
    try {
      return new TlsSource(certFile, keyFile, options)
    } catch (cause) {
      const why = (cause as Error).message
      throw new Problem(
        'unavailable',
        `The certificate for SMTP cannot be used (${why}); see POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY.`,
        { cause },
      )
    }
  }

  /**
   * The certificate to present now; the same object until the files change. Files that cannot be used, such as a
   * new certificate whose key is still to come, leave the one before in force.
   */
  current(): CertificateAndKey {
    const now = this.#clock.now()
    if (Math.abs(now - this.#checkedAt) >= CHECK_MS) {
      this.#checkedAt = now
      this.#refresh()
    }
    return this.#current
  }

  #refresh(): void {
    let stamp = 'missing'
    try {
      stamp = this.#look()
      if (stamp === this.#stamp) return
      this.#current = this.#read()
      this.#stamp = stamp
      this.#log.info({ file: this.#certFile }, 'SMTP certificate was read again')
    } catch (error) {
      if (stamp !== this.#failedStamp) this.#log.warn({ err: error }, 'SMTP certificate cannot be read again')
      this.#failedStamp = stamp
    }
  }

  /** Changes whenever a file does, also when it is replaced by one of the same age. */
  #look(): string {
    return [this.#certFile, this.#keyFile]
      .map((file) => statSync(file))
      .map(({ mtimeMs, size, ino }) => `${mtimeMs}.${size}.${ino}`)
      .join(' ')
  }

  #read(): CertificateAndKey {
    const found = { cert: readFileSync(this.#certFile, 'utf8'), key: readFileSync(this.#keyFile, 'utf8') }
    try {
      createSecureContext(found)
    } catch (cause) {
      throw new Error(`${this.#certFile} and ${this.#keyFile} are no certificate and its key`, { cause })
    }
    return found
  }
}

/** A certificate for `hostName`, `localhost` and 127.0.0.1, signed by itself, valid for ten years. */
async function makeCertificate(hostName: string): Promise<CertificateAndKey> {
  // Needed once in the life of an installation.
  const { generate } = await import('selfsigned')
  const names = [...new Set([hostName, 'localhost'])].filter((name) => isIP(name) === 0)
  const made = await generate([{ name: 'commonName', value: hostName }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + TEN_YEARS_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...names.map((value) => ({ type: 2 as const, value })), { type: 7, ip: '127.0.0.1' }],
      },
    ],
  })
  return { cert: made.cert, key: made.private }
}

/** The file is there with all of its content, or not at all. */
async function writeWhole(file: string, content: string, mode: number): Promise<void> {
  const part = `${file}.${process.pid}.part`
  await writeFile(part, content, { mode })
  await rename(part, file)
}

// The key of requests in the form of Amazon SNS, and its certificate: one of each for the installation.

import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { CertificateAndKey } from '../lib/certificate-files.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import type { Store } from '../store/database/store.ts'
import { keepSecretFact, readSecretFact } from '../store/node/secret-facts.ts'

/** A key ready to sign, and where receivers find its certificate. */
export interface SnsKey {
  readonly key: KeyObject
  readonly certificateUrl: string
}

interface Loaded {
  readonly key: KeyObject
  /** PEM. */
  readonly certificate: string
  /** As the URL of the certificate names it. */
  readonly name: string
}

const FACT = 'sns-certificate'

export interface SnsSignerOptions {
  readonly store: Store
  readonly publicUrl: PublicUrl
  /** Makes an RSA key with a certificate. */
  readonly makeCertificate: () => Promise<CertificateAndKey>
}

/** Makes the key when it is first needed, by whichever node needs it first. */
export class SnsSigner {
  readonly #options: SnsSignerOptions
  #loaded: Promise<Loaded> | undefined

  constructor(options: SnsSignerOptions) {
    this.#options = options
  }

  /** The key to sign with. Rejects where the store is away. */
  async key(): Promise<SnsKey> {
    const { key, name } = await this.#load()
    return { key, certificateUrl: `${this.#options.publicUrl.value}/${name}` }
  }

  /** The certificate of this name, PEM; undefined where it is not ours, or none was needed yet. */
  async certificate(name: string): Promise<string | undefined> {
    const isMade =
      this.#loaded !== undefined || (await readSecretFact(this.#options.store, FACT)) !== undefined
    const loaded = isMade ? await this.#load() : undefined
    return loaded?.name === name ? loaded.certificate : undefined
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= this.#make().catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }

  async #make(): Promise<Loaded> {
    const { store, makeCertificate } = this.#options
    const kept =
      (await readSecretFact(store, FACT)) ??
      (await keepSecretFact(store, FACT, JSON.stringify(await makeCertificate())))
    const { cert, key }: CertificateAndKey = JSON.parse(kept)
    const digest = createHash('sha256').update(new X509Certificate(cert).raw).digest('hex')
    const name = `SimpleNotificationService-${digest.slice(0, 32)}.pem`
    return { key: createPrivateKey(key), certificate: cert, name }
  }
}

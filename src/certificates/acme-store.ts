// ACME state in the store, shared by all nodes: account key, certificate, challenge answers, failures.

import type { CertificateAndKey } from '../lib/certificate-files.ts'
import type { Store } from '../store/database/store.ts'
import { readFact, removeFacts, setFact } from '../store/node/installation.ts'
import { ORDER_STATE, type OrderState, readOrderState } from '../store/node/order-state.ts'
import {
  CERTIFICATE_OF,
  keepSecretFact,
  readSecretFact,
  type SecretFact,
  setSecretFact,
} from '../store/node/secret-facts.ts'
import type { ChallengeAnswer } from './acme-client.ts'

/** Seals private keys for the store. */
export interface KeySealing {
  seal(text: string, owner: string): string
  /** Throws for a text that was sealed with another key. */
  open(sealed: string, owner: string): string
}

/** The certificate that all nodes share. */
export interface SharedCertificate extends CertificateAndKey {
  /** Version of the certificate, which changes with every new certificate. */
  readonly version: string
  /** ACME directory at which the certificate was ordered. */
  readonly directory: string
  /**
   * Time of the order, in milliseconds since the epoch; undefined for a certificate that an earlier version of the
   * program stored.
   */
  readonly orderedAt?: number
}

const ACCOUNT = 'acme-account'
const CERTIFICATE = 'acme-certificate'
const CHALLENGE = 'acme-challenge '

export class AcmeStore {
  readonly #store: Store
  readonly #sealing: KeySealing
  readonly #certificate: SecretFact
  readonly #stateName: string

  /** @param name of a host of a domain; undefined for the certificate of the installation */
  constructor(store: Store, sealing: KeySealing, host?: string) {
    this.#store = store
    this.#sealing = sealing
    this.#certificate = host === undefined ? CERTIFICATE : `${CERTIFICATE_OF}${host}`
    this.#stateName = host === undefined ? ORDER_STATE : `${ORDER_STATE} ${host}`
  }

  /** Stores an account key unless a key is already stored; returns the stored key in PEM. */
  async keepAccountKey(directory: string, pem: string): Promise<string> {
    const name = `${ACCOUNT} ${directory}` as const
    const kept = await keepSecretFact(this.#store, name, this.#sealing.seal(pem, name))
    try {
      return this.#sealing.open(kept, name)
    } catch {
      // The stored account key was sealed with a key that is lost, so the authority will create another account.
      await setSecretFact(this.#store, name, this.#sealing.seal(pem, name))
      return pem
    }
  }

  /** Returns the stored certificate; undefined without a certificate, or if the private key cannot be opened. */
  async certificate(): Promise<SharedCertificate | undefined> {
    const value = await readSecretFact(this.#store, this.#certificate)
    if (value === undefined) return undefined
    try {
      const { sealedKey, ...certificate } = JSON.parse(value)
      return { ...certificate, key: this.#sealing.open(sealedKey, this.#certificate) }
    } catch {
      return undefined
    }
  }

  async saveCertificate({ key, ...certificate }: SharedCertificate): Promise<void> {
    const value = JSON.stringify({ ...certificate, sealedKey: this.#sealing.seal(key, this.#certificate) })
    await setSecretFact(this.#store, this.#certificate, value)
  }

  state(): Promise<OrderState> {
    return readOrderState(this.#store.read, this.#stateName)
  }

  async saveState(state: OrderState): Promise<void> {
    await this.#store.write(setFact, { name: this.#stateName, value: JSON.stringify(state) })
  }

  /** Stores a challenge answer, which every node that the authority may reach can find. */
  async saveAnswer(answer: ChallengeAnswer): Promise<void> {
    await this.#store.write(setFact, { name: nameOf(answer), value: answer.keyAuthorization })
  }

  /** Returns the key authorization for a token (`http-01`) or a host name (`tls-alpn-01`). */
  answer(of: Pick<ChallengeAnswer, 'type' | 'name' | 'token'>): Promise<string | undefined> {
    return readFact(this.#store.read, nameOf(of))
  }

  async forgetAnswers(): Promise<void> {
    await this.#store.write(removeFacts, { prefix: CHALLENGE })
  }
}

const nameOf = ({ type, name, token }: Pick<ChallengeAnswer, 'type' | 'name' | 'token'>): string =>
  `${CHALLENGE}${type} ${type === 'http-01' ? token : name.toLowerCase()}`

// ACME in the store, shared by all nodes: the account key, the certificate, answers to challenges, failures.

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

/** Seals a private key for the store. */
export interface KeySealing {
  seal(text: string, owner: string): string
  /** Throws for what was sealed otherwise. */
  open(sealed: string, owner: string): string
}

/** The certificate of all nodes. */
export interface SharedCertificate extends CertificateAndKey {
  /** Changes with every certificate. */
  readonly version: string
  /** The directory that it was ordered at. */
  readonly directory: string
  /** Milliseconds since the epoch; undefined for one of an earlier version. */
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

  /** @param host name of a tracking host whose certificate it is, instead of the installation's own */
  constructor(store: Store, sealing: KeySealing, host?: string) {
    this.#store = store
    this.#sealing = sealing
    this.#certificate = host === undefined ? CERTIFICATE : `${CERTIFICATE_OF}${host}`
    this.#stateName = host === undefined ? ORDER_STATE : `${ORDER_STATE} ${host}`
  }

  /** Keeps an account key unless there is one; answers the one that is kept, PEM. */
  async keepAccountKey(directory: string, pem: string): Promise<string> {
    const name = `${ACCOUNT} ${directory}` as const
    const kept = await keepSecretFact(this.#store, name, this.#sealing.seal(pem, name))
    try {
      return this.#sealing.open(kept, name)
    } catch {
      // Sealed with a key that is gone: the authority makes another account.
      await setSecretFact(this.#store, name, this.#sealing.seal(pem, name))
      return pem
    }
  }

  /** The certificate; undefined when there is none, or none whose key can be opened. */
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

  /** Lets every node that the authority may reach find the answer. */
  async saveAnswer(answer: ChallengeAnswer): Promise<void> {
    await this.#store.write(setFact, { name: nameOf(answer), value: answer.keyAuthorization })
  }

  /** The key authorization for a token (`http-01`) or a host name (`tls-alpn-01`). */
  answer(of: Pick<ChallengeAnswer, 'type' | 'name' | 'token'>): Promise<string | undefined> {
    return readFact(this.#store.read, nameOf(of))
  }

  async forgetAnswers(): Promise<void> {
    await this.#store.write(removeFacts, { prefix: CHALLENGE })
  }
}

const nameOf = ({ type, name, token }: Pick<ChallengeAnswer, 'type' | 'name' | 'token'>): string =>
  `${CHALLENGE}${type} ${type === 'http-01' ? token : name.toLowerCase()}`

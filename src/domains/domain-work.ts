// The domains of accounts in the hands of their people: what the rules of this folder do, with all that they need.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Domain } from '../store/domains.ts'
import type { Store } from '../store/store.ts'
import { deleteDomain, pauseDomain, resumeDomain } from './changes.ts'
import { retireDkim, rotateDkim, switchDkim } from './dkim-rotation.ts'
import { addDomain, type DomainResources, type DomainWithRecords, verifyDomain } from './domains.ts'

/** What it needs beside the store. */
export interface DomainSurroundings {
  readonly clock: Clock
  /** The installation's, where Return-Path CNAMEs point. */
  readonly returnPathHost: string
  /** Makes one without a memory for each look. */
  readonly resolver: () => Resolver
}

/** Adds, verifies, changes and deletes domains. All methods throw `Problem`. */
export class DomainWork {
  readonly #resources: DomainResources
  readonly #surroundings: DomainSurroundings

  /** @param store where it is written, which may keep a log of it */
  constructor(store: Store, surroundings: DomainSurroundings) {
    this.#resources = { store, clock: surroundings.clock }
    this.#surroundings = surroundings
  }

  add(accountId: string, name: string): Promise<DomainWithRecords> {
    const { returnPathHost } = this.#surroundings
    return addDomain({ ...this.#resources, accountId, name, returnPathHost })
  }

  verify(domain: Domain): Promise<DomainWithRecords> {
    return verifyDomain(this.#resources, this.#surroundings.resolver(), domain)
  }

  /** The step of replacing the DKIM keys. */
  dkim(domain: Domain, step: 'rotate' | 'switch' | 'retire'): Promise<DomainWithRecords> {
    if (step === 'rotate') return rotateDkim(this.#resources, domain)
    if (step === 'retire') return retireDkim(this.#resources, domain)
    return switchDkim(this.#resources, this.#surroundings.resolver(), domain)
  }

  setPaused(domain: Domain, paused: boolean): Promise<DomainWithRecords> {
    return (paused ? pauseDomain : resumeDomain)(this.#resources, domain)
  }

  delete(domain: Domain, typedName: string): Promise<void> {
    return deleteDomain(this.#resources, domain, typedName)
  }
}

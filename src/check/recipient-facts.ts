// Reads known facts about recipients, without a probe: suppressions, bounces of earlier mail, roles and slips of spelling.

import { isAddress, parseAddress } from '../model/address.ts'
import { type Read, reading } from '../store/database/store.ts'
import type { OwnAddress } from '../store/messages/own-mail.ts'
import { findInAccounts, type ListsOfAddress, type StreamAddress } from '../store/workspace/suppressions.ts'
import { BatchLoader, type DeliveryHistory } from '../verification/delivery-history.ts'
import type { DomainLists } from '../verification/lists.ts'
import type { RecipientFacts } from './checked-mail.ts'

/** Domain and stream of a message. */
export interface FactsFor {
  readonly accountId: string
  readonly domainId: string
  readonly stream: string
}

/** Maximum number of recipients about which facts are read. */
const MAX_RECIPIENTS = 50

/** Reads facts about recipients. */
export class RecipientKnowledge {
  readonly #suppressions: BatchLoader<StreamAddress & OwnAddress, ListsOfAddress>
  readonly #history: Pick<DeliveryHistory, 'own'>
  #lists: Promise<DomainLists> | undefined

  constructor(read: Read, history: Pick<DeliveryHistory, 'own'>) {
    this.#suppressions = new BatchLoader((addresses) => findInAccounts(read, addresses))
    this.#history = history
  }

  /**
   * Returns the facts by the canonical address; addresses that are not valid are left out.
   *
   * @param errorsOnly true to leave out facts that cause no error
   */
  async of(
    { accountId, domainId, stream }: FactsFor,
    emails: readonly string[],
    errorsOnly: boolean,
  ): Promise<Readonly<Record<string, RecipientFacts>>> {
    const addresses = [...new Set(emails)].slice(0, MAX_RECIPIENTS).map(parseAddress).filter(isAddress)
    if (addresses.length === 0) return {}
    const listed = await reading(
      Promise.all(
        addresses.map(({ email }) => this.#suppressions.ask({ accountId, domainId, stream, email })),
      ),
    )
    // A mailbox counts as missing only as long as its hard bounce suppresses the address in a domain of the account.
    const own = await Promise.all(
      addresses.map(({ email }, index) =>
        listed[index]?.hasBounced === true ? this.#history.own({ accountId, email }) : undefined,
      ),
    )
    const spelling = errorsOnly ? undefined : await this.#spelling()
    return Object.fromEntries(
      addresses.map((address, index) => {
        const finding = own[index]?.finding
        return [
          address.email,
          {
            suppressed: listed[index]?.suppression?.reason,
            dead: finding === 'mailbox_not_found' || finding === 'mailbox_disabled',
            ...spelling?.(address),
          },
        ]
      }),
    )
  }

  /** Loads the lists of domains and roles at the first check. */
  async #spelling() {
    this.#lists ??= import('../verification/lists.ts').then(({ DomainLists: Lists }) => new Lists())
    const [lists, { didYouMean }, { accountOf, isRole }] = await Promise.all([
      this.#lists,
      import('../verification/misspelt-domain.ts'),
      import('../verification/local-part.ts'),
    ])
    return (address: Parameters<typeof accountOf>[0]) => ({
      meant: didYouMean(address.email, 'timeout', (domain) => lists.isFree(domain)),
      isRole: isRole(accountOf(address).account),
    })
  }
}
